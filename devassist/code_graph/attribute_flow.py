"""Flow of values through names, attributes and elements."""

from collections.abc import Iterable

from devassist.code_graph.facts import CLASS_OF, MAX_KEYED, PLACE_BITS, PLACE_MASK, CallFact, Op
from devassist.code_graph.value_flow import ValueFlow, code_of, get_class, get_made
from devassist.code_graph.values import (
    BUILTIN_TYPES,
    EMPTY_BASES,
    EXTENSION,
    LITERAL,
    OR_BELOW,
    OUTSIDE,
    RECEIVER,
    UNKNOWN_TYPES,
    Kind,
    Value,
)  # fmt: skip

MAX_DOTS = 3


class AttributeFlow(ValueFlow):
    """Reads and writes names, attributes and elements."""

    # names

    def _global(self, name: str, *, file: int, to: int) -> None:
        """Look up a name that the file does not define: in its package, in star imports, else in the language."""
        facts, whole, name = self.program.files[file], name, name.removeprefix(RECEIVER)
        if name in facts.exports:
            self._connect(self.program.offsets[file] + facts.exports[name], to=to)
            return
        found = list(self.program.package_names[facts.package].get(name, ())) if facts.package else []
        for operation, *parts in facts.constraints:
            if operation == Op.EXPORT_ALL:
                found += self.program.package_names[parts[0]].get(name, ())
                if (other := self.program.find_module(parts[0], file=file)) is not None:
                    found.append(self._export(other, name=name))
        for node in found:
            self._connect(node, to=to)
        if not found and not name.startswith(EXTENSION):
            self._put(to, values=[Value(Kind.LIBRARY, whole)])

    def _export(self, file: int, *, name: str) -> int:
        """Return the node of a name that a file exports, also through its star imports."""
        key = ("export", file, name)
        if key in self._fields:
            return self._fields[key]
        node = self._node(*key)
        facts = self.program.files[file]
        if name in facts.exports:
            self._connect(self.program.offsets[file] + facts.exports[name], to=node)
            return node
        for operation, *parts in facts.constraints:
            if operation == Op.EXPORT_ALL and (other := self.program.find_module(parts[0], file=file)) is not None:
                self._connect(self._export(other, name=name), to=node)
        return node

    def _import(self, module: str, *, name: str, file: int, to: int) -> None:
        program = self.program
        if found := program.package_names.get(module, {}).get(name):
            for node in found:
                self._connect(node, to=to)
            return
        source = program.find_module(module, file=file)
        joined = f"{module}{name}" if module.endswith(".") else f"{module}.{name}"
        if source is not None and name:
            self._connect(self._export(source, name=name), to=to)
            self._connect(self._node("commonjs", source, name), to=to)
            self._read_commonjs(source, name=name)
        elif source is not None:
            self._put(to, values=[Value(Kind.MODULE, source)])
        deeper = program.find_module(joined, file=file) if name else None
        if deeper is not None:
            self._put(to, values=[Value(Kind.MODULE, deeper)])
        elif source is None:
            outside = joined if name else module
            kind = Kind.LIBRARY if not program.modules.is_own(module) or not name else Kind.OUTSIDE
            self._put(to, values=[Value(kind, outside) if kind is Kind.LIBRARY else OUTSIDE])

    def _read_commonjs(self, source: int, *, name: str) -> None:
        """Let a named import read what was assigned to `module.exports`."""
        if self._is_new("commonjs", source, name):
            node = self._node("commonjs", source, name)
            whole = self._export(source, name="module.exports")
            if name == "default":
                self._connect(whole, to=node)
            else:
                self._watch(whole, use=lambda value: self._read(value, name=name, to=node, site=None))

    def _declare_type(self, to: int, *, names: list[str], file: int) -> None:
        for value in self._types(names, file=file):
            self._put(to, values=[value])

    def _declare_elements(self, to: int, *, names: list[str], file: int) -> None:
        """Let a variable hold a container whose elements are of the types."""
        holder = Value(Kind.CONTAINER, to, "list")
        self._put(to, values=[holder])
        for value in self._types(names, file=file):
            self._put(self._element(holder, key=None), values=[value])

    def _types(self, names: Iterable[str], *, file: int) -> Iterable[Value]:
        for written in names:
            name = written.removeprefix(CLASS_OF)
            found = self.program.find_class(name, file=file)
            last = name.rpartition(".")[2]
            if isinstance(found, int):
                yield Value(Kind.DECLARED, found) if name == written else Value(Kind.CLASS, found, "typed")
            elif name != written:
                yield OUTSIDE
            elif last in BUILTIN_TYPES:
                yield LITERAL
            elif isinstance(found, str) and last not in UNKNOWN_TYPES:
                yield Value(Kind.LIBRARY_TYPE, last)

    # attributes

    def _load(self, base: int, *, name: str, to: int, site: tuple[int, int, int]) -> None:
        self._watch(base, use=lambda value: self._read(value, name=name, to=to, site=site))

    def _read(self, value: Value, *, name: str, to: int, site: tuple[int, int, int] | None) -> None:
        """Let `to` hold the attribute of a value."""
        kind = value.kind
        if kind in (Kind.INSTANCE, Kind.DECLARED) and name == self._name_of_class(value):
            self._put(to, values=[get_class(value)])
        elif kind in (Kind.INSTANCE, Kind.DECLARED, Kind.CLASS, Kind.SUPER):
            if name in self.program.property_names:
                self._read_of_class(value, name=name, to=to, site=site)
                return
            member = self._node("member", value, name)
            if self._is_new("member", value, name):
                self._read_of_class(value, name=name, to=member, site=None)
            self._connect(member, to=to)
        elif kind is Kind.MODULE:
            self._read_module(int(value.first), name=name, to=to)
        elif kind is Kind.CONTAINER:
            self._read_container(value, name=name, to=to)
        elif kind is Kind.LIBRARY_TYPE:
            self._read_library_type(value, name=name, to=to, site=site)
        elif kind in (Kind.FUNCTION, Kind.BOUND):
            self._read_function(value, name=name, to=to)
        else:
            self._put(to, values=[_read_outside(value, name=name)])

    def _read_of_class(self, value: Value, *, name: str, to: int, site: tuple[int, int, int] | None) -> None:
        """Let `to` hold an attribute of a class or an instance. Reading a property is a call at the site."""
        if value.kind is Kind.CLASS:
            self._read_class(value, name=name, to=to, site=site)
        elif value.kind is Kind.SUPER:
            self._read_super(value, name=name, to=to, site=site)
        else:
            self._read_member(value, name=name, to=to, site=site)

    def _read_class(self, value: Value, *, name: str, to: int, site: tuple[int, int, int] | None) -> None:
        if name == "prototype":
            self._put(to, values=[Value(Kind.DECLARED, value.first)])
            return
        for node, _ in self._members(value, name=name):
            self._bind(node, owner=value, to=to, site=site)

    def _read_member(self, value: Value, *, name: str, to: int, site: tuple[int, int, int] | None) -> None:
        number = int(value.first)
        for node, owner in self._members(value, name=name):
            self._bind(node, owner=owner, to=to, site=site)
        self._read_missing(value, name=name, to=to)
        if self._is_new("field", number, name, to):
            self._field_reads[name].append((number, to))
            for other, node in list(self._field_writes[name].items()):
                if self._are_related(number, other):
                    self._connect(node, to=to)

    def _read_missing(self, value: Value, *, name: str, to: int) -> None:
        """Let `to` hold the result of `__getattr__` if no class declares the attribute, though a field may have it."""
        classes = self.program.classes
        is_declared = any(name in classes[one].fact.members for one in classes[int(value.first)].order)
        if not is_declared and not name.startswith("__") and self._is_new("missing", value, name, to):
            for node, _ in self._members(value, name="__getattr__"):
                self._watch(node, use=lambda found: self._read_result(found, to=to))

    def _are_related(self, one: int, other: int) -> bool:
        classes = self.program.classes
        return other in classes[one].ancestors or one in classes[other].ancestors

    def _members(self, value: Value, *, name: str) -> list[tuple[int, Value]]:
        """Return the nodes of a class's attribute, each with the value it is read from. Overrides count as declared."""
        number = int(value.first)
        classes = self.program.classes
        found = dict.fromkeys(self._lookup(classes[number].order, name=name), value)
        if value.kind is Kind.DECLARED or (value.kind is Kind.CLASS and value.second in OR_BELOW):
            for other in classes[number].below:
                found.update(dict.fromkeys(self._lookup(classes[other].order, name=name), value))
        return list(found.items())

    def _lookup(self, order: list[int], *, name: str) -> list[int]:
        """
        Return the nodes of the first class that declares the attribute, and of classes that may be assigned it.

        Computed bases are choices, of which any may be the one: there every class that declares it counts.
        """
        found = []
        is_choice = not self.program.computed.isdisjoint(order)
        for number in order:
            info = self.program.classes[number]
            is_declared = name in info.fact.members
            if is_declared or name in self.program.stored_names:
                found.append(self._node("class", number, name))
            if is_declared:
                variable = self.program.offsets[info.file] + info.fact.members[name]
                self._connect(variable, to=found[-1])
                if not is_choice:
                    break
        return found

    def _read_super(self, value: Value, *, name: str, to: int, site: tuple[int, int, int] | None) -> None:
        number = int(value.first)
        classes = self.program.classes
        orders = [classes[number].order, *(classes[other].order for other in classes[number].below)]
        for order in orders:
            after = order[order.index(number) + 1 :] if number in order else []
            for node in self._lookup(after, name=name):
                self._bind(node, owner=Value(Kind.DECLARED, number, "super"), to=to, site=site)

    def _bind(self, node: int, *, owner: Value, to: int, site: tuple[int, int, int] | None) -> None:
        """Copy a class's attribute to where it is read. Functions are bound to the receiver."""
        if not self._is_new("bind", node, owner, to):
            return

        def use(value: Value) -> None:
            if value.kind is not Kind.FUNCTION:
                self._put(to, values=[value])
                return
            _, fact = self.program.functions[int(value.first)]
            if fact.binding == "property" and owner.kind is not Kind.CLASS:
                self._read_property(value, owner=owner, to=to, site=site)
            elif (
                fact.binding == "static"
                or not fact.takes_self
                or (owner.kind is Kind.CLASS and fact.binding != "class")
            ):
                self._put(to, values=[value])
            else:
                is_of_instance = fact.binding == "class" and owner.kind in (Kind.INSTANCE, Kind.DECLARED)
                held = get_class(owner) if is_of_instance else owner
                self._put(to, values=[Value(Kind.BOUND, value.first, code_of(held))])

        self._watch(node, use=use)

    def _read_property(self, value: Value, *, owner: Value, to: int, site: tuple[int, int, int] | None) -> None:
        file, fact = self.program.functions[int(value.first)]
        self._connect(self.program.offsets[file] + fact.result, to=to)
        if site is None or fact.symbol < 0:
            return
        at, place, caller = site
        name = self.program.symbol((file, fact.symbol)).name
        call = CallFact(-1, [], {}, -1, place >> PLACE_BITS, place & PLACE_MASK, caller, name, "")
        self._note(at, call=call, function=int(value.first), way=self._way(owner, function=int(value.first)))

    def _read_module(self, file: int, *, name: str, to: int) -> None:
        self._connect(self._export(file, name=name), to=to)
        self._connect(self._node("module", file, name), to=to)
        if "module.exports" in self.program.files[file].exports:
            self._read_commonjs(file, name=name)
            self._connect(self._node("commonjs", file, name), to=to)
        if name not in self.program.files[file].exports:
            deeper = self.program.find_module(f".{name}", file=file)
            if deeper is not None:
                self._put(to, values=[Value(Kind.MODULE, deeper)])

    def _read_container(self, value: Value, *, name: str, to: int) -> None:
        if value.second in ("object", "map"):
            self._connect(self._element(value, key=name), to=to)
            self._connect(self._element(value, key=None), to=to)
        if value.second != "object":
            self._put(to, values=[Value(Kind.CONTAINER_METHOD, code_of(value), name)])

    def _read_library_type(self, value: Value, *, name: str, to: int, site: tuple[int, int, int] | None) -> None:
        """Also look at the classes of the workspace that extend a type from outside."""
        for number in self.program.outer_subclasses.get(str(value.first), ()):
            for node, _ in self._members(Value(Kind.DECLARED, number), name=name):
                self._bind(node, owner=Value(Kind.DECLARED, number), to=to, site=site)
        self._put(to, values=[Value(Kind.LIBRARY, f"{value.first}.{name}")])

    def _read_function(self, value: Value, *, name: str, to: int) -> None:
        """Read from a function: `call`, `apply` and `bind` stand for itself, the rest is what was stored there."""
        if name in (
            "call",
            "apply",
            "bind",
            "__wrapped__",
            "__func__",
            "invoke",
            "run",
            "accept",
            "get",
            "test",
            "delay",
        ):
            self._put(to, values=[value])
        elif name == "prototype":
            self._put(to, values=[get_made(int(value.first))])
        self._connect(self._node("function", value.first, name), to=to)

    def _store(self, value: Value, *, name: str, source: int) -> None:
        kind = value.kind
        if kind in (Kind.INSTANCE, Kind.DECLARED):
            number = int(value.first)
            node = self._node("field", number, name)
            self._connect(source, to=node)
            if number not in self._field_writes[name]:
                self._field_writes[name][number] = node
                for other, to in list(self._field_reads[name]):
                    if self._are_related(other, number):
                        self._connect(node, to=to)
        elif kind is Kind.CLASS:
            self._connect(source, to=self._node("class", int(value.first), name))
        elif kind is Kind.MODULE:
            self._connect(source, to=self._node("module", int(value.first), name))
        elif kind is Kind.CONTAINER:
            self._set_index(value, key=name, source=source)
        elif kind in (Kind.FUNCTION, Kind.BOUND):
            self._connect(source, to=self._node("function", value.first, name))

    def _get_attribute(self, value: Value, *, prefix: str, to: int) -> None:
        """Read an attribute whose name is computed: any with the known prefix. Classes need a known prefix."""
        if not prefix and value.kind is not Kind.CONTAINER:
            return
        if value.kind in (Kind.INSTANCE, Kind.DECLARED, Kind.CLASS):
            info = self.program.classes[int(value.first)]
            known = [*info.order, *(info.below if value.kind is Kind.DECLARED else ())]
            names = {name for number in known for name in self.program.classes[number].fact.members}
            for name in sorted(name for name in names if name.startswith(prefix) and not name.startswith("__")):
                self._read(value, name=name, to=to, site=None)
        elif value.kind is Kind.MODULE:
            for name in sorted(self.program.files[int(value.first)].exports):
                if name.startswith(prefix):
                    self._read_module(int(value.first), name=name, to=to)
        elif value.kind is Kind.CONTAINER:
            self._connect(self._element(value, key="<all>"), to=to)

    # elements

    def _element(self, value: Value, *, key: str | None) -> int:
        node = self._element_node(value.first, key=key)
        if key != "<all>" and self._is_new("all", node):
            self._connect(node, to=self._element_node(value.first, key="<all>"))
        return node

    def _index(self, value: Value, *, key: str | None, to: int) -> None:
        if value.kind is Kind.CONTAINER:
            if key is None:
                self._connect(self._element(value, key="<all>"), to=to)
            else:
                self._connect(self._element(value, key=key), to=to)
                self._connect(self._element(value, key=None), to=to)
        elif value.kind in (Kind.INSTANCE, Kind.DECLARED) and self._is_python(value):
            self._read_item(value, to=to)
        elif value.kind in (Kind.INSTANCE, Kind.DECLARED, Kind.MODULE, Kind.CLASS) and key is not None:
            self._read(value, name=key, to=to, site=None)
        elif value.kind is Kind.CLASS:
            self._put(to, values=[value])
        elif value.kind is Kind.OUTSIDE or value.kind in (Kind.LIBRARY, Kind.LIBRARY_TYPE):
            self._put(to, values=[OUTSIDE])

    def _is_python(self, value: Value) -> bool:
        return self.program.paths[self.program.classes[int(value.first)].file].endswith(".py")

    def _name_of_class(self, value: Value) -> str:
        return "__class__" if self._is_python(value) else "constructor"

    def _read_item(self, value: Value, *, to: int) -> None:
        """Let `to` hold the result of `__getitem__`. A base from outside may return anything."""
        if not self._is_new("item", value, to):
            return
        for node, _ in self._members(value, name="__getitem__"):
            self._watch(node, use=lambda found: self._read_result(found, to=to))
        if set(self.program.classes[int(value.first)].outer_bases) - EMPTY_BASES:
            self._put(to, values=[OUTSIDE])

    def _read_result(self, value: Value, *, to: int) -> None:
        if value.kind is Kind.FUNCTION:
            file, fact = self.program.functions[int(value.first)]
            self._connect(self.program.offsets[file] + fact.result, to=to)

    def _slice(self, value: Value, *, start: int, to: int) -> None:
        """Let `to` hold a list of a container's elements from an index on."""
        if value.kind is not Kind.CONTAINER:
            self._put(to, values=[value])
            return
        part = Value(Kind.CONTAINER, to, value.second)
        self._put(to, values=[part])
        self._connect(self._element(value, key=None), to=self._element(part, key=None))
        for place in range(start, MAX_KEYED):
            self._connect(self._element(value, key=str(place)), to=self._element(part, key=str(place - start)))

    def _set_index(self, value: Value, *, key: str | None, source: int) -> None:
        if value.kind is Kind.CONTAINER:
            self._connect(source, to=self._element(value, key=key))
        elif value.kind in (Kind.INSTANCE, Kind.DECLARED, Kind.CLASS, Kind.MODULE) and key is not None:
            self._store(value, name=key, source=source)


def _read_outside(value: Value, *, name: str) -> Value:
    """Return the attribute of a value from outside, by its name if that is a short path from a module."""
    if value.kind is Kind.LITERAL:
        return Value(Kind.LIBRARY, f"<literal>.{name}")
    whole = str(value.first)
    if value.kind is Kind.LIBRARY and whole.count(".") < MAX_DOTS and not whole.startswith("<"):
        return Value(Kind.LIBRARY, f"{value.first}.{name}")
    return OUTSIDE
