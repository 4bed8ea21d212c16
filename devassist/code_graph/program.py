"""The files of a workspace together: unique numbers, resolved names, and the class hierarchy."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from devassist.code_graph.facts import ClassFact, FileFacts, FunctionFact, ImportFact, Op, SymbolFact
from devassist.code_graph.modules import Modules, is_test
from devassist.code_graph.values import EMPTY_BASES

SymbolKey = tuple[int, int]
"""A file's number and the index of a symbol in it."""


@dataclass(slots=True)
class ClassInfo:
    """A class of the workspace with its place in the hierarchy, as numbers of classes."""

    file: int
    fact: ClassFact
    name: str
    bases: list[int] = field(default_factory=list)
    outer_bases: list[str] = field(default_factory=list)
    outer_names: list[str] = field(default_factory=list)
    """The same bases with their modules, if known."""
    order: list[int] = field(default_factory=list)
    below: list[int] = field(default_factory=list)
    ancestors: frozenset[int] = frozenset()


class Program:
    """
    The files by number, in the order of their paths.

    `order` of a class is where its attributes are looked up, itself first; `below` are all its subclasses.
    """

    def __init__(self, files: Mapping[str, FileFacts], *, modules: Modules) -> None:
        self.paths = sorted(files)
        self.files = [files[path] for path in self.paths]
        self.numbers = {path: number for number, path in enumerate(self.paths)}
        self.modules = modules
        self.offsets: list[int] = []
        self.variables = 0
        self.functions: list[tuple[int, FunctionFact]] = []
        self.function_offsets: list[int] = []
        self.fixtures: dict[str, list[int]] = defaultdict(list)
        self.classes: list[ClassInfo] = []
        self.class_of_symbol: dict[SymbolKey, int] = {}
        self.property_names: set[str] = set()
        self.stored_names: set[str] = set()
        """The names of attributes and elements that are assigned outside of a class's body."""
        self.computed: set[int] = set()
        """Classes with computed bases."""
        self._named: list[dict[str, int]] = []
        self._imported: list[dict[str, ImportFact]] = []
        self._stars: list[list[str]] = []
        self._packages: dict[str, dict[str, int]] = defaultdict(dict)
        self._same_named: dict[tuple[str, str], dict[int, int]] = defaultdict(dict)
        self.namesakes: dict[int, int] = {}
        """Classes of a full name that another has too, each with the one that the name is taken to mean."""
        self.package_names: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        self.outer_subclasses: dict[str, list[int]] = defaultdict(list)
        for number, facts in enumerate(self.files):
            self._number(number, facts=facts)
        self._link_namesakes()
        self._link_bases()
        self._order_classes()

    def symbol(self, key: SymbolKey) -> SymbolFact:
        """Return a symbol."""
        return self.files[key[0]].symbols[key[1]]

    def find_constructors(self, number: int) -> list[SymbolKey]:
        """Return the functions that a class calls to make an instance, its own or those of an ancestor."""
        found = []
        for name in ("__init__", "__new__", "constructor"):
            owner = next((one for one in self.classes[number].order if name in self.classes[one].fact.members), None)
            info = self.classes[owner] if owner is not None else None
            symbols = self.files[info.file].symbols if info else []
            found += [
                (info.file, index) for index, symbol in enumerate(symbols)
                if info and symbol.container == info.fact.symbol
                and (symbol.name == name or (name == "constructor" and symbol.name == info.name))  # Java's
            ]  # fmt: skip
        return found

    def find_outer_bases(self, number: int) -> set[str]:
        """Return the bases from outside of a class and of its ancestors, but for those that call nothing."""
        return {base for one in self.classes[number].order for base in self.classes[one].outer_names} - EMPTY_BASES

    def file_of(self, variable: int) -> str:
        """Return the path of a variable's file, or a placeholder if it has none."""
        return self.paths[bisect_right(self.offsets, variable) - 1] if variable < self.variables else "many places"

    def find_module(self, module: str, *, file: int) -> int | None:
        """Return the file that an import in a file means."""
        path = self.modules.find(module, source=self.paths[file])
        return self.numbers.get(path) if path is not None else None

    def find_imported_file(self, one: ImportFact, *, file: int) -> int | None:
        """Return the file that an import means: the module, or the one that the name is in it."""
        found = self.find_module(one.module, file=file)
        return self.find_module(_join(one.module, one.name), file=file) if found is None and one.name else found

    def find_class(self, name: str, *, file: int, around: str = "") -> int | str | None:
        """
        Return the class that a dotted name in a file means.

        Gives its number; or the full name of one that comes from outside; or None where the name is unknown.
        """
        return self._find_class(name.replace("::", "."), file=file, around=around, seen=set())

    def find_fixture(self, name: str, *, file: int) -> int | None:
        """Return the pytest fixture of a name for functions of a file: of the file, else of a conftest above."""
        if not self.fixtures or name not in self.fixtures or not is_test(self.paths[file]):
            return None
        path = self.paths[file]
        choices = [
            function for function in self.fixtures[name]
            if (at := self.paths[self.functions[function][0]]) == path
            or (at.endswith("conftest.py") and path.startswith(at.removesuffix("conftest.py")))
        ]  # fmt: skip
        return max(choices, key=lambda function: len(self.paths[self.functions[function][0]]), default=None)

    def _number(self, number: int, *, facts: FileFacts) -> None:
        self.offsets.append(self.variables)
        self.variables += facts.variables
        self.function_offsets.append(len(self.functions))
        self.functions += [(number, function) for function in facts.functions]
        for index, function in enumerate(facts.functions):
            if function.binding == "fixture":
                self.fixtures[facts.symbols[function.symbol].name].append(self.function_offsets[-1] + index)
            elif function.binding == "property" and function.symbol >= 0:
                self.property_names.add(facts.symbols[function.symbol].name)
        self.stored_names.update(
            parts[1] for operation, *parts in facts.constraints if operation in (Op.STORE, Op.SET_INDEX) and parts[1]
        )
        named: dict[str, int] = {}
        for fact in facts.classes:
            symbol = facts.symbols[fact.symbol]
            self.class_of_symbol[number, fact.symbol] = len(self.classes)
            named.setdefault(symbol.qualified_name, len(self.classes))
            if facts.package:
                self._packages[facts.package].setdefault(symbol.qualified_name, len(self.classes))
                self._same_named[facts.package, symbol.qualified_name].setdefault(number, len(self.classes))
            self.classes.append(ClassInfo(number, fact, symbol.name))
        self._named.append(named)
        if facts.package:
            for name, variable in facts.exports.items():
                self.package_names[facts.package][name].append(self.offsets[-1] + variable)
        self._imported.append({one.local_name: one for one in facts.imports if one.name != "*"})
        self._stars.append([parts[0] for operation, *parts in facts.constraints if operation == Op.EXPORT_ALL])

    def _find_class(self, name: str, *, file: int, around: str, seen: set[tuple[str, int]]) -> int | str | None:
        """Find a class. `seen` are the names and files that were asked before: they do not lead there."""
        if (name, file) in seen:
            return None
        seen.add((name, file))
        named = self._named[file]
        owners = around.split(".") if around else []
        prefixes = (".".join(owners[:count]) for count in range(len(owners), 0, -1))
        inner = (named.get(f"{prefix}.{name}") for prefix in prefixes)
        if (found := next((one for one in (*inner, named.get(name)) if one is not None), None)) is not None:
            return found
        first, _, rest = name.partition(".")
        if (one := self._imported[file].get(first)) is not None:
            return self._find_imported(one, rest=rest, file=file, seen=seen)
        return self._find_unnamed(name, file=file, seen=seen)

    def _find_unnamed(self, name: str, *, file: int, seen: set[tuple[str, int]]) -> int | str | None:
        """Find a class in the file's own package, in star imports, or by its full name."""
        for package in (self.files[file].package, *self._stars[file]):
            if (found := self._packages.get(package, {}).get(name)) is not None:
                return found
        for module in self._stars[file]:
            other = self.find_module(module, file=file)
            star = self._find_class(name, file=other, around="", seen=seen) if other is not None else None
            if star is not None:
                return star
        package, _, last = name.rpartition(".")
        return self._packages.get(package, {}).get(last)

    def _find_imported(self, one: ImportFact, *, rest: str, file: int, seen: set[tuple[str, int]]) -> int | str | None:
        whole = ".".join(filter(None, (one.name, rest)))
        if (found := self._packages.get(one.module, {}).get(whole)) is not None:
            return found
        module, left = one.module, whole.split(".")
        target = self.find_module(module, file=file)
        while left and left[0]:
            deeper = self.find_module(_join(module, left[0]), file=file)
            if deeper is None or (target is not None and left[0] in self.files[target].exports and len(left) == 1):
                break
            module, target, left = _join(module, left[0]), deeper, left[1:]
        if target is None:
            return f"{one.module}.{whole}" if not self.modules.is_own(one.module) else None
        return self._find_class(".".join(left), file=target, around="", seen=seen) if left else None

    def _link_namesakes(self) -> None:
        """Let the name of several classes mean the one with `expect`, else the first. The others count as below it."""
        for (package, name), by_file in self._same_named.items():
            if len(by_file) > 1:
                meant = max(by_file.values(), key=lambda number: (self.classes[number].fact.is_expected, -number))
                self._packages[package][name] = meant
                for number in by_file.values():
                    if number != meant:
                        self.namesakes[number] = meant
                        self.classes[number].bases.append(meant)

    def _link_bases(self) -> None:
        for number, info in enumerate(self.classes):
            own = self.files[info.file].symbols[info.fact.symbol].qualified_name
            for name in info.fact.bases:
                found = self.find_class(name, file=info.file, around=own.rpartition(".")[0])
                if isinstance(found, int) and found != number:
                    info.bases.append(found)
                elif not isinstance(found, int):
                    info.outer_bases.append(name)
                    info.outer_names.append(found or name)
                    self.outer_subclasses[name.rpartition(".")[2]].append(number)

    def add_bases(self, found: Iterable[tuple[int, int]]) -> None:
        """Append further bases, as pairs of class and base, and recompute the order."""
        for number, base in found:
            self.classes[number].bases.append(base)
            self.computed.add(number)
        for info in self.classes:
            info.below.clear()
        self._order_classes()

    def _order_classes(self) -> None:
        for number, info in enumerate(self.classes):
            info.order = self._linearize(number)
            info.ancestors = frozenset(info.order)
        for number, info in enumerate(self.classes):
            for ancestor in info.order[1:]:
                self.classes[ancestor].below.append(number)

    def _linearize(self, number: int) -> list[int]:
        """Order a class and its ancestors: depth first from the left, the last of repeated ones."""
        found: dict[int, None] = {}
        left, begun = [(number, False)], set[int]()
        while left:
            one, is_done = left.pop()
            if is_done:
                found[one] = None
            elif one not in begun:
                begun.add(one)
                left += [(one, True), *((base, False) for base in self.classes[one].bases)]
        return list(found)[::-1]


def _join(module: str, name: str) -> str:
    return f"{module}{name}" if module.endswith(".") else f"{module}.{name}"
