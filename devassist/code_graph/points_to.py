"""
An inclusion-based points-to analysis of a whole workspace: which functions each call may reach.

It ignores the order of statements and the calling context. A class stands for all its instances. A value declared of a
class may be of any subclass. What comes from outside of the workspace is one unknown value, or a name.
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import msgspec

from devassist.code_graph.attribute_flow import AttributeFlow
from devassist.code_graph.facts import CallFact, FunctionFact, Op, read_place
from devassist.code_graph.value_flow import ComputedRead, Edge, Site, get_class, get_made, value_of
from devassist.code_graph.values import (
    CALLS_NOW,
    COLLECTIONS,
    ELEMENT_OF,
    ITERATING,
    LITERAL,
    NOT_PASSED_ON,
    OR_BELOW,
    OUTSIDE,
    READERS,
    SAME_CONTAINER,
    SAME_VALUE,
    WRITERS,
    Kind,
    Value,
)  # fmt: skip

MAX_COPIED = 12
"""The maximum constraints of a function that is analysed separately for each call."""
MAX_COPY_DEPTH = 2
MAX_STEPS = 20_000_000


Shift = Callable[[int], int]
"""Gives the number in the program of a variable of a file."""


class PointsTo(AttributeFlow):
    """The analysis. After `solve`, `edges` are the calls that reach something, and `values_of` a variable's values."""

    def solve(self, on_progress: Callable[[], None] = lambda: None) -> None:
        """Add the constraints of every file, and propagate values until nothing changes."""
        for file in range(len(self.program.files)):
            self._add_file(file)
            on_progress()
        while self._queue:
            self._steps += 1
            if self._steps > MAX_STEPS:
                self.is_cut = True
                return
            self._carry()

    # constraints of files

    def _add_file(self, file: int) -> None:
        program, facts = self.program, self.program.files[file]
        offset = program.offsets[file]
        for function in facts.functions:
            self._seed_function(function, file=file, offset=offset)
        self._inject_fixtures(file, offset=offset)
        self._apply(facts.constraints, file=file, shift=_shift_by(offset), depth=0)

    def _inject_fixtures(self, file: int, *, offset: int) -> None:
        """Pass pytest's fixtures to the functions that name them as parameters."""
        program = self.program
        for function in program.files[file].functions:
            for name, variable in function.parameters:
                if (source := program.find_fixture(name, file=file)) is not None:
                    at, fixture = program.functions[source]
                    if fixture is not function:
                        theirs = program.offsets[at]
                        elements = fixture.elements if fixture.elements >= 0 else fixture.result
                        self._connect(theirs + elements, to=offset + variable)

    def _seed_function(self, function: FunctionFact, *, file: int, offset: int) -> None:
        if function.takes_self and function.parameters:
            number = self.program.class_of_symbol.get((file, function.owner))
            if number is not None:
                kind = Kind.CLASS if function.binding == "class" else Kind.DECLARED
                self._put(offset + function.parameters[0][1], values=[Value(kind, number)])

    def _apply(self, constraints: Iterable[Any], *, file: int, shift: Shift, depth: int) -> None:
        """Add constraints of a file, with its variables shifted to their numbers in the program."""
        handlers = self._handlers.get((file, depth))
        if handlers is None:
            handlers = self._handlers[file, depth] = self._make_handlers(file, depth=depth)
        for operation, *parts in constraints:
            handlers[operation](shift, *parts)

    def _make_handlers(self, file: int, *, depth: int) -> dict[int, Callable[..., None]]:
        program = self.program

        def load(shift: Shift, base: int, name: str, to: int, *found: int) -> None:
            self._load(shift(base), name=name, to=shift(to), site=(file, found[0], found[1]))

        def index(shift: Shift, base: int, key: str | None, to: int) -> None:
            self._watch(shift(base), use=lambda value: self._index(value, key=key, to=shift(to)))

        def set_index(shift: Shift, base: int, key: str | None, source: int) -> None:
            self._watch(shift(base), use=lambda value: self._set_index(value, key=key, source=shift(source)))

        def cut(shift: Shift, base: int, start: int, to: int) -> None:
            self._watch(shift(base), use=lambda value: self._slice(value, start=start, to=shift(to)))

        def store(shift: Shift, base: int, name: str, source: int) -> None:
            self._watch(shift(base), use=lambda value: self._store(value, name=name, source=shift(source)))

        def call(shift: Shift, number: int) -> None:
            site = Site(file, program.files[file].calls[number], shift, depth)
            self._watch(shift(site.fact.callee), use=lambda value: self._call(value, site=site))

        def get_attribute(shift: Shift, base: int, prefix: str, to: int, *found: int) -> None:
            place, caller, name = found
            self.open_reads.append(ComputedRead(file, shift(base), prefix, place, caller, shift(to), shift(name)))
            self._watch(shift(base), use=lambda value: self._get_attribute(value, prefix=prefix, to=shift(to)))

        return {
            Op.COPY: lambda shift, source, to: self._connect(shift(source), to=shift(to)),
            Op.LOAD: load,
            Op.STORE: store,
            Op.INDEX: index,
            Op.SET_INDEX: set_index,
            Op.SLICE: cut,
            Op.CALL: call,
            Op.FUNCTION: lambda shift, number, to: self._put(
                shift(to), values=[Value(Kind.FUNCTION, program.function_offsets[file] + number)]
            ),
            Op.CLASS: lambda shift, number, to: self._put(
                shift(to),
                values=[Value(Kind.CLASS, program.class_of_symbol[file, program.files[file].classes[number].symbol])],
            ),
            Op.CONTAINER: lambda shift, kind, to: self._put(shift(to), values=[Value(Kind.CONTAINER, shift(to), kind)]),
            Op.GLOBAL: lambda shift, name, to: self._global(name, file=file, to=shift(to)),
            Op.IMPORT: lambda shift, module, name, to: self._import(module, name=name, file=file, to=shift(to)),
            Op.TYPE: lambda shift, to, names: self._declare_type(shift(to), names=names, file=file),
            Op.SUPER: lambda shift, symbol, to: self._put(
                shift(to), values=[Value(Kind.SUPER, program.class_of_symbol[file, symbol])]
            ),
            Op.LITERAL: lambda shift, to: self._put(shift(to), values=[LITERAL]),
            Op.GET_ATTRIBUTE: get_attribute,
            Op.EXPORT_ALL: lambda *_: None,
            Op.ELEMENT_TYPE: lambda shift, to, names: self._declare_elements(shift(to), names=names, file=file),
            Op.UNKNOWN: lambda shift, to: self._put(shift(to), values=[OUTSIDE]),
            Op.MODULE: lambda shift, to: self._put(shift(to), values=[Value(Kind.MODULE, file)]),
        }

    # calls

    def _call(self, value: Value, *, site: Site) -> None:
        kind = value.kind
        if kind is Kind.FUNCTION:
            self._enter(int(value.first), site=site, owner=None)
        elif kind is Kind.BOUND:
            self._enter(int(value.first), site=site, owner=value_of(value.second))
        elif kind is Kind.CLASS:
            self._construct(value, site=site)
        elif kind in (Kind.INSTANCE, Kind.DECLARED):
            if not site.fact.is_new and self._is_new("invoke", value, site):
                for name in ("__call__", "invoke"):
                    node = self._node("invoke", site, value, name)
                    self._read(value, name=name, to=node, site=None)
                    self._watch(node, use=lambda found: self._call(found, site=site))
        elif kind is Kind.CONTAINER_METHOD:
            self._call_container(value, site=site)
        elif kind in (Kind.LIBRARY, Kind.OUTSIDE, Kind.LIBRARY_TYPE):
            self._call_outside(value, site=site)

    def _enter(self, function: int, *, site: Site, owner: Value | None) -> None:
        """Pass the call's arguments to a function, and the result to the call."""
        if not self._is_new("enter", function, site, owner):
            return
        _, callee = self.program.functions[function]
        fact, count = site.fact, len(site.fact.arguments)
        if not (callee.arity[0] <= count <= callee.arity[1]) and not fact.is_spread:
            return
        self._note(
            site.file, call=fact, function=function, way=self._way(owner, function=function, fact=fact), owner=owner
        )
        theirs = self._copy_of(function, site=site, owner=owner)
        names = self._take_self(function, site=site, theirs=theirs, owner=owner)
        for position, argument in enumerate(fact.arguments):
            if argument < 0:
                continue
            if position < len(names):
                self._connect(site.node(argument), to=theirs(names[position]))
            elif callee.rest >= 0:
                self._fill_rest(theirs(callee.rest), key=str(position - len(names)), source=site.node(argument))
        self._give_named(callee, site=site, theirs=theirs, positional=names)
        self._give_result(callee, theirs=theirs, to=site.node(fact.result))

    def _take_self(
        self, function: int, *, site: Site, theirs: Shift, owner: Value | None
    ) -> list[int]:  # fmt: skip
        """Pass the receiver to a function, and return its other parameters."""
        _, callee = self.program.functions[function]
        names = [variable for _, variable in callee.parameters]
        has_this = bool(callee.parameters) and callee.parameters[0][0] == "this"
        if has_this and owner is None:
            if site.fact.is_new:
                self._put(theirs(names[0]), values=[get_made(function)])
                self._put(site.node(site.fact.result), values=[get_made(function)])
            return names[1:]
        if callee.takes_self and names and owner is not None:
            if owner.kind is Kind.CONTAINER or callee.binding == "class":
                self._put(theirs(names[0]), values=[owner])
            return names[1:]
        return names

    def _copy_of(self, function: int, *, site: Site, owner: Value | None) -> Shift:
        """
        Return the variables of a function. A small one has a copy for each call and what that passes to it.

        A method that is passed nothing but an instance has none, as a class stands for all its instances.
        """
        at, callee = self.program.functions[function]
        offset = self.program.offsets[at]
        first, last, start, end = callee.extent
        if site.depth >= MAX_COPY_DEPTH or not 0 < last - first <= MAX_COPIED:
            return _shift_by(offset)
        passed = [*site.fact.arguments, -1, *site.fact.named.values()]
        receiver = owner if owner is not None and (owner.kind is Kind.CONTAINER or callee.binding == "class") else None
        if callee.takes_self and owner is not receiver and len(passed) == 1:
            return _shift_by(offset)
        place = (site.file, site.fact.line, site.fact.character, site.depth)
        key = (function, receiver, place, *map(site.node, passed))
        is_known = key in self._copies
        base = self._copies.setdefault(key, self._extra - start)

        def shift(variable: int) -> int:
            if start <= variable < end:
                return base + variable
            return offset + variable if variable >= 0 else -1

        if is_known:
            return shift
        self._copy_ranges.append((self._extra, self._extra + end - start - 1, offset - base))
        self._extra += end - start
        if function not in self._copy_bases:
            self._copied.update(dict.fromkeys(range(offset + start, offset + end), function))
        self._copy_bases[function].append(base)
        if callee.takes_self and callee.parameters:
            self._connect(offset + callee.parameters[0][1], to=shift(callee.parameters[0][1]))
        self._apply(self.program.files[at].constraints[first:last], file=at, shift=shift, depth=site.depth + 1)
        return shift

    def _give_named(
        self, callee: FunctionFact, *, site: Site, theirs: Shift, positional: list[int]
    ) -> None:  # fmt: skip
        by_name = dict(callee.parameters)
        given = {name: site.node(argument) for name, argument in site.fact.named.items() if argument >= 0}
        for name, source in given.items():
            if name == "*":
                for position, variable in enumerate(positional):
                    self._spread(source, key=str(position), to=theirs(variable))
                if callee.rest >= 0:
                    self._spread(source, key="<all>", to=self._rest_element(theirs(callee.rest), key=None))
            elif name == "**":
                for named, variable in callee.parameters:
                    self._spread(source, key=named, to=theirs(variable))
                if callee.rest_named >= 0:
                    self._connect(source, to=theirs(callee.rest_named))
            elif name in by_name:
                self._connect(source, to=theirs(by_name[name]))
            elif callee.rest_named >= 0:
                self._fill_rest(theirs(callee.rest_named), key=name, source=source)

    def _spread(self, source: int, *, key: str, to: int) -> None:
        if self._is_new("spread", source, key, to):
            self._watch(source, use=lambda value: self._index(value, key=None if key == "<all>" else key, to=to))

    def _rest_element(self, variable: int, *, key: str | None) -> int:
        return self._element(Value(Kind.CONTAINER, variable, "list"), key=key)

    def _fill_rest(self, variable: int, *, key: str, source: int) -> None:
        self._put(variable, values=[Value(Kind.CONTAINER, variable, "list")])
        self._connect(source, to=self._rest_element(variable, key=key))

    def _give_result(self, callee: FunctionFact, *, theirs: Shift, to: int) -> None:
        if callee.is_generator and callee.elements >= 0:
            holder = Value(Kind.CONTAINER, theirs(callee.elements), "generator")
            self._put(to, values=[holder])
            self._connect(theirs(callee.elements), to=self._element(holder, key=None))
            self._connect(theirs(callee.result), to=self._node("element", holder.first, "return"))
        else:
            self._connect(theirs(callee.result), to=to)

    def _construct(self, value: Value, *, site: Site) -> None:
        """Create an instance: its constructor receives the arguments."""
        if not self._is_new("construct", value, site):
            return
        if value.second in OR_BELOW:
            self._put(site.node(site.fact.result), values=[Value(Kind.DECLARED, value.first)])
            without_result = Site(site.file, _without_result(site.fact), site.node, site.depth)
            for number in (int(value.first), *self.program.classes[int(value.first)].below):
                self._construct(Value(Kind.CLASS, number), site=without_result)
            return
        info, fact = self.program.classes[int(value.first)], site.fact
        instance = Value(Kind.INSTANCE, int(value.first))
        self._put(site.node(fact.result), values=[instance])
        target = (info.file, info.fact.symbol)
        self.made.add(int(value.first))
        self.edges.setdefault((site.file, fact.line, fact.character, target), Edge(site.file, fact, target, "value"))
        quiet = CallFact(-1, [], {}, -1, fact.line, fact.character, fact.caller, fact.name, fact.receiver)
        full = _without_result(fact)
        for name in ("__init__", "__new__", "constructor", "__post_init__"):
            made = Site(site.file, quiet if name == "__post_init__" else full, site.node, site.depth)
            node = self._node("construct", site, instance, name)
            for member in self._lookup(info.order, name=name):
                self._connect(member, to=node)
            self._watch(node, use=partial(self._initialize, site=made, instance=instance))

    def _initialize(self, value: Value, *, site: Site, instance: Value) -> None:
        if value.kind is Kind.FUNCTION:
            self._enter(int(value.first), site=site, owner=instance)

    def _call_container(self, value: Value, *, site: Site) -> None:
        """Call a method of a list, a dict, a map, or of a generator."""
        if not self._is_new("method", value, site):
            return
        holder, name, fact = value_of(value.first), str(value.second), site.fact
        given = [site.node(argument) for argument in fact.arguments if argument >= 0]
        to = site.node(fact.result)
        if name in WRITERS:
            self._write_container(holder, name=name, given=given, site=site)
        if name in ("set", "add", "put") and holder.second == "map":
            self._put(to, values=[holder])
        if name in READERS:
            key = fact.constant if name in ("get", "pop", "setdefault", "__getitem__") else None
            self._index(holder, key=key, to=to)
            for node in given[1:]:
                self._connect(node, to=to)
        if name == "items" or (name == "entries" and holder.second == "map"):
            self._give_pairs(holder, to=to)
        elif name == "slice" and (place := read_place(fact.constant)) is not None:
            self._slice(holder, start=place, to=to)
        elif name in SAME_CONTAINER:
            self._put(to, values=[holder])
        if name not in WRITERS:
            self._call_back(given, site=site, elements=[self._element(holder, key="<all>")], name=name)

    def _write_container(self, holder: Value, *, name: str, given: list[int], site: Site) -> None:
        into = self._element(holder, key=site.fact.constant if name in ("set", "put", "setdefault") else None)
        for node in given:
            self._connect(node, to=into)
            if name in ("extend", "update", "addAll", "concat"):
                self._watch(node, use=lambda found: self._index(found, key=None, to=into))
        for named, argument in site.fact.named.items():
            if argument >= 0:
                self._connect(site.node(argument), to=self._element(holder, key=named))

    def _give_pairs(self, holder: Value, *, to: int) -> None:
        if isinstance(holder.first, str):
            self._put(to, values=[holder])
            return
        outer = Value(Kind.CONTAINER, f"pairs {holder.first}", "list")
        pair = Value(Kind.CONTAINER, f"pair {holder.first}", "list")
        self._put(to, values=[outer])
        self._put(self._element(outer, key=None), values=[pair])
        self._connect(self._element(holder, key="<all>"), to=self._element(pair, key="1"))
        self._connect(self._element(holder, key="<keys>"), to=self._element(pair, key="0"))

    def _call_back(self, given: list[int], *, site: Site, elements: list[int], name: str) -> None:
        """Call the functions passed to a function from outside, with elements if it iterates."""
        is_at_once = name in CALLS_NOW or name in ITERATING
        quiet = CallFact(-1, [], {}, site.fact.result, site.fact.line, site.fact.character, site.fact.caller, name, "")
        made = Site(site.file, quiet, site.node, site.depth)

        def use(value: Value) -> None:
            if value.kind is Kind.CLASS and is_at_once:
                self._construct(value, site=made)
            if value.kind not in (Kind.FUNCTION, Kind.BOUND) or not self._is_new("back", value, site, *elements):
                return
            at, callee = self.program.functions[int(value.first)]
            self._note(site.file, call=site.fact, function=int(value.first), way="handed on")
            offset, to = self.program.offsets[at], site.node(site.fact.result)
            has_this = callee.parameters[:1] and callee.parameters[0][0] == "this"
            is_bound = value.kind is Kind.BOUND and callee.takes_self
            for _, variable in callee.parameters[1 if is_bound or has_this else 0 :][:3]:
                for node in elements:
                    self._connect(node, to=offset + variable)
            if is_at_once:
                holder = Value(Kind.CONTAINER, to, "list")
                self._put(to, values=[holder])
                self._connect(offset + callee.result, to=self._element(holder, key=None))
                self._connect(offset + callee.result, to=to)

        for node in given:
            self._watch(node, use=use)

    def _call_outside(self, value: Value, *, site: Site) -> None:
        """Call something from outside: it may return its arguments, and call functions among them."""
        whole = str(value.first) if value.kind is Kind.LIBRARY else ""
        if not self._is_new("outside", site, whole):
            return
        fact, to = site.fact, site.node(site.fact.result)
        name = whole.rpartition(".")[2] or fact.name
        given = [site.node(argument) for argument in (*fact.arguments, *fact.named.values()) if argument >= 0]
        if name in NOT_PASSED_ON or whole.startswith("<literal>"):
            self._call_closed(whole, given=given, to=to)
            return
        self._put(to, values=[self._find_imported(whole, site=site) or OUTSIDE])
        given = given[:1] if name == "update_wrapper" else given
        is_same = (
            name == "update_wrapper"
            or name in SAME_VALUE
            or whole in SAME_VALUE
            or f"{fact.receiver}.{name}" in SAME_VALUE
        )
        for node in given:
            if is_same:
                self._connect(node, to=to)
            elif name in ELEMENT_OF:
                self._watch(node, use=lambda found: self._index(found, key=None, to=to))
            else:
                self._watch(node, use=lambda found: self._pass_on(found, to=to))
        if name in ("enumerate", "zip", "Object.entries", "entries"):
            self._zip(given, name=name, to=to)
        if name in COLLECTIONS:
            self._make_collection(given, to=to)
        elif not fact.is_decorator:
            elements = [self._everything(node) for node in given] if name in ITERATING | CALLS_NOW | ELEMENT_OF else []
            if name in ("then", "let", "also", "apply", "run", "use") and fact.base >= 0:
                elements.append(site.node(fact.base))
            self._call_back(given, site=site, elements=elements, name=name)

    def _find_imported(self, whole: str, *, site: Site) -> Value | None:
        """Find the module that `importlib.import_module` returns for a literal name."""
        if whole not in ("importlib.import_module", "__import__") or not site.fact.constant:
            return None
        found = self.program.find_module(site.fact.constant, file=site.file)
        return Value(Kind.MODULE, found) if found is not None else None

    def _call_closed(self, whole: str, *, given: list[int], to: int) -> None:
        """Call a function that returns nothing of its arguments, but for `type`, which returns the class of one."""
        if whole == "type" and len(given) == 1:
            self._watch(given[0], use=lambda found: self._read_class_of(found, to=to))
        else:
            self._put(to, values=[LITERAL if whole.startswith("<literal>") else OUTSIDE])

    def _read_class_of(self, value: Value, *, to: int) -> None:
        """Let `to` hold the class of a value, as `type` gives it."""
        is_instance = value.kind in (Kind.INSTANCE, Kind.DECLARED)
        self._put(to, values=[get_class(value) if is_instance else value if value == LITERAL else OUTSIDE])

    def _everything(self, node: int) -> int:
        every = self._node("everything", node)
        if self._is_new("everything", node):
            self._watch(node, use=lambda value: self._index(value, key=None, to=every))
        return every

    def _pass_on(self, value: Value, *, to: int) -> None:
        if value.kind in (Kind.FUNCTION, Kind.BOUND, Kind.CLASS):
            self._put(to, values=[value])

    def _zip(self, given: list[int], *, name: str, to: int) -> None:
        outer, pair = Value(Kind.CONTAINER, to, "list"), Value(Kind.CONTAINER, f"zip {to}", "list")
        self._put(to, values=[outer])
        self._put(self._element(outer, key=None), values=[pair])
        for position, node in enumerate(given):
            key = "1" if name != "zip" else str(position)
            self._connect(self._everything(node), to=self._element(pair, key=key))

    def _make_collection(self, given: list[int], *, to: int) -> None:
        holder = Value(Kind.CONTAINER, to, "map")
        self._put(to, values=[holder])
        for node in given:
            every = self._everything(node)
            self._connect(every, to=self._element(holder, key=None))
            self._connect(self._everything(every), to=self._element(holder, key=None))


def _without_result(call: CallFact) -> CallFact:
    return msgspec.structs.replace(call, result=-1)


def _shift_by(offset: int) -> Shift:
    return lambda variable: offset + variable if variable >= 0 else -1
