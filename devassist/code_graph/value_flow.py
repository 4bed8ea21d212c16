"""Propagation of values between variables to a fixed point, and the call edges found."""

import re
from bisect import bisect_right
from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from devassist.code_graph.facts import CallFact
from devassist.code_graph.program import Program, SymbolKey
from devassist.code_graph.values import (
    OUTSIDE,
    Kind,
    Value,
)  # fmt: skip

_NUMBER = re.compile(r"-?[0-9]+", re.ASCII)
MAX_REACHED = 2_000
"""The maximum variables that a value is followed through."""
MAX_CONTAINERS = 24
"""The maximum containers that a variable holds separately."""
MAX_VALUES = 60
"""The maximum values of a variable. One with more is treated as unknown."""

MAX_DROPPED = 8
"""The maximum variables in which a value is followed to tell that nothing uses it."""
_ATTRIBUTES = ("field", "class", "module", "function", "element")
"""The kinds of nodes that are attributes and elements."""

Use = Callable[[Value], None]


@dataclass(frozen=True, slots=True, eq=False)
class Site:
    """An analysed call. `node` numbers its variables; small functions are copied for each."""

    file: int
    fact: CallFact
    node: Callable[[int], int]
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Edge:
    """A call that may reach a function. `way` is how: name, value, hierarchy or handed on."""

    file: int
    call: CallFact
    target: SymbolKey
    way: str
    declared: int = -1
    """The declared class of the call's receiver, if nothing else is known of it."""


@dataclass(frozen=True, slots=True)
class ComputedRead:
    """An attribute read by a computed name with `prefix`. `base`, `to`, `name` are variables."""

    file: int
    base: int
    prefix: str
    place: int
    caller: int
    to: int
    name: int


class ValueFlow:
    """Variables with their values. `edges` are calls with the functions that they reach."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._values: list[Value] = []
        self._numbers: dict[Value, int] = {}
        self._held: dict[int, set[int]] = {}
        """The numbers of the values that each variable holds."""
        self._next: dict[int, dict[int, None]] = defaultdict(dict)
        self._uses: dict[int, list[Use]] = defaultdict(list)
        self._containers: set[int] = set()
        self._callables: set[int] = set()
        self.lost: dict[Value, int] = {}
        """Functions, classes and containers left out of a variable with too many values, each with such a variable."""
        self._merged: set[int] = set()
        self._meeting: list[set[int]] = []
        self._merged_into: dict[int | str, int | str] = {}
        self._keys: dict[int | str, set[str | None]] = defaultdict(set)
        self._waiting: dict[int, set[int]] = {}
        self._queue: deque[int] = deque()
        self._extra = program.variables
        self._fields: dict[tuple[Any, ...], int] = {}
        self._field_reads: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self._field_writes: dict[str, dict[int, int]] = defaultdict(dict)
        self._done: set[tuple[Any, ...]] = set()
        self._copies: dict[tuple[Any, ...], int] = {}
        """What is added to a variable of a function to give that of its copy, by the call that the copy is made for."""
        self._copy_bases: dict[int, list[int]] = defaultdict(list)
        self._copied: dict[int, int] = {}
        """The variables of functions that have copies, each with its function."""
        self._copy_ranges: list[tuple[int, int, int]] = []
        """First and last variable of each copy, and what is added to give the function's own; ascending."""
        self._handlers: dict[tuple[int, int], dict[int, Callable[..., None]]] = {}
        self._steps = 0
        self.edges: dict[tuple[int, int, int, SymbolKey], Edge] = {}
        self.made: set[int] = set()
        self._by_place: dict[tuple[int, int, int], list[tuple[int, int, int, SymbolKey]]] = defaultdict(list)
        self.open_reads: list[ComputedRead] = []
        self.is_cut = False
        self._outside = {self._number(OUTSIDE)}

    def values_of(self, variable: int) -> set[Value]:
        """Return the values of a variable by its number in the program, without those of its copies."""
        return self._decode_all(self._held.get(variable, ()))

    def all_values_of(self, variable: int) -> set[Value]:
        """Return the values of a variable, and of its copies in each call that a small function is copied for."""
        return self._decode_all(set().union(*(self._held.get(one, ()) for one in self._with_copies(variable))))

    def _with_copies(self, variable: int) -> list[int]:
        """Return a variable of a function, and the same of each of the function's copies."""
        if (function := self._copied.get(variable)) is None:
            return [variable]
        offset = self.program.offsets[self.program.functions[function][0]]
        return [variable, *(base + variable - offset for base in self._copy_bases[function])]

    def _find_original(self, variable: int) -> int:
        """Return the function's own variable for one of a copy, others unchanged."""
        place = bisect_right(self._copy_ranges, variable, key=lambda one: one[0]) - 1
        first, last, shift = self._copy_ranges[place] if place >= 0 else (0, -1, 0)
        return variable + shift if first <= variable <= last else variable

    def elements_of(self, container: Value) -> set[Value]:
        """Return all elements of a list, a dict or an object."""
        node = self._fields.get(("element", self._find_merged(container.first), "<all>"))
        return self.values_of(node) if node is not None else set()

    def find_reached(self, variable: int) -> set[int] | None:
        """Return the variables that what a variable holds is copied to, itself included. None if they are many."""
        found = set(left := self._with_copies(variable))
        while left:
            following = self._next.get(left.pop(), {}).keys() - found
            if len(found) > MAX_REACHED:
                return None
            left += following
            found |= following
        return {self._find_original(one) for one in found}

    def find_copies(self, variable: int) -> set[int] | None:
        """Return a variable with those that it is copied to. None if they are many, or a value is used in one."""
        found, left = {variable}, [variable]
        while left:
            node = left.pop()
            if self._uses.get(node) or len(found) > MAX_DROPPED:
                return None
            left += self._next.get(node, {}).keys() - found
            found.update(left)
        return found

    def find_attribute_values(self) -> set[Value]:
        """Return the values that attributes, and elements of containers, are known to hold."""
        nodes = (node for key, node in self._fields.items() if key[0] in _ATTRIBUTES)
        return self._decode_all(set().union(*(self._held.get(node, ()) for node in nodes)))

    def find_field_values(self) -> Iterator[tuple[str, set[Value]]]:
        """Return the values of attributes that instances, classes and functions were given, each with its name."""
        for key, node in self._fields.items():
            if key[0] in ("field", "class", "function"):
                yield str(key[-1]), self.values_of(node)

    def edges_at(self, file: int, *, call: CallFact) -> list[tuple[int, int, int, SymbolKey]]:
        """Return the edges of one call, as keys."""
        if not self._by_place:
            for key in self.edges:
                self._by_place[key[:3]].append(key)
        return self._by_place.get((file, call.line, call.character), [])

    # the graph

    def _put(self, node: int, *, values: Iterable[Value]) -> None:
        self._add(node, numbers={self._number(value) for value in values})

    def _number(self, value: Value) -> int:
        """Return the number of a value, a new one if it was not seen before."""
        number = self._numbers.get(value)
        if number is None:
            number = self._numbers[value] = len(self._values)
            self._values.append(value)
            if value.kind is Kind.CONTAINER:
                self._containers.add(number)
                self._merged |= {number} if value.first in self._merged_into else set()
            elif value.kind in (Kind.FUNCTION, Kind.BOUND, Kind.CLASS):
                self._callables.add(number)
        return number

    def _add(self, node: int, *, numbers: set[int]) -> None:
        """Add values to a variable, and record which of them are new to it."""
        if node < 0:
            return
        known = self._held.setdefault(node, set())
        new = numbers - known
        if not new:
            return
        if not self._containers.isdisjoint(new):
            new = self._find_representatives(new) - known
            meeting = ((known | new) & self._containers) - self._merged
            if len(meeting) > MAX_CONTAINERS:
                self._meeting.append(meeting)
        if len(known) + len(new) > MAX_VALUES:
            new = self._saturate(node, numbers=new) - known
        if not new:
            return
        known |= new
        if node in self._waiting:
            self._waiting[node] |= new
        else:
            self._waiting[node] = new
            self._queue.append(node)

    def _saturate(self, node: int, *, numbers: set[int]) -> set[int]:
        """Replace the values of a variable that holds too many by one unknown value."""
        for value in self._decode(numbers & (self._callables | self._containers)):
            if self.lost.setdefault(value, node) >= self.program.variables:
                self.lost[value] = node
        return self._outside

    def _merge(self, numbers: set[int]) -> None:
        """Merge containers of one kind that meet in one variable: an element of one may be in any."""
        firsts: dict[int | str, int | str] = {}
        for value in self._decode(numbers):
            first = self._find_merged(value.first)
            into = self._find_merged(firsts.setdefault(value.second, first))
            if into == first:
                continue
            self._merged_into[first] = into
            for other in (first, value.first):
                self._merged.add(self._number(Value(Kind.CONTAINER, other, value.second)))
            for key in sorted(self._keys[first], key=str):
                theirs, ours = self._node("element", first, key), self._element_node(into, key=key)
                self._connect(theirs, to=ours)
                self._connect(ours, to=theirs)

    def _find_representatives(self, numbers: set[int]) -> set[int]:
        """Return values with merged ones replaced by their representatives."""
        merged = numbers & self._merged
        if not merged:
            return numbers
        return (numbers - merged) | {
            self._number(Value(Kind.CONTAINER, self._find_merged(value.first), value.second))
            for value in self._decode(merged)
        }

    def _find_merged(self, first: int | str) -> int | str:
        while (into := self._merged_into.get(first)) is not None:
            first = into
        return first

    def _element_node(self, first: int | str, *, key: str | None) -> int:
        """Return the variable of a container's elements at a key."""
        first = self._find_merged(first)
        self._keys[first].add(key)
        return self._node("element", first, key)

    def _decode(self, numbers: Collection[int]) -> list[Value]:
        ordered = sorted(numbers) if len(numbers) > 1 else numbers
        return [self._values[number] for number in ordered]

    def _decode_all(self, numbers: Iterable[int]) -> set[Value]:
        return {self._values[number] for number in numbers}

    def _carry(self) -> None:
        """Propagate a variable's new values to where it flows, and to those that use it."""
        while self._meeting:
            self._merge(self._meeting.pop())
        node = self._queue.popleft()
        new = self._waiting.pop(node)
        for to in list(self._next.get(node, ())):
            self._add(to, numbers=new)
        if node in self._uses:
            values = self._decode(new)
            for use in list(self._uses[node]):
                for value in values:
                    use(value)

    def _connect(self, source: int, *, to: int) -> None:
        if source < 0 or to < 0 or source == to or to in self._next[source]:
            return
        self._next[source][to] = None
        self._add(to, numbers=self._held.get(source, _NOTHING))

    def _watch(self, node: int, *, use: Use) -> None:
        if node < 0:
            return
        self._uses[node].append(use)
        for value in self._decode(self._held.get(node, _NOTHING)):
            use(value)

    def _node(self, *key: Any) -> int:
        if key not in self._fields:
            self._fields[key] = self._extra
            self._extra += 1
        return self._fields[key]

    def _is_new(self, *key: Any) -> bool:
        if key in self._done:
            return False
        self._done.add(key)
        return True

    # edges

    def _way(self, owner: Value | None, *, function: int, fact: CallFact | None = None) -> str:
        """Return how a function was reached: by its name, through a value, or as an override of a declaration."""
        file, callee = self.program.functions[function]
        if owner is None:
            return "name" if fact is not None and fact.base < 0 else "value"
        number = self.program.class_of_symbol.get((file, callee.owner))
        if owner.kind is not Kind.DECLARED or number is None:
            return "value"
        return "value" if number in self.program.classes[int(owner.first)].ancestors else "hierarchy"

    def _note(self, file: int, *, call: CallFact, function: int, way: str, owner: Value | None = None) -> None:
        at, callee = self.program.functions[function]
        if callee.symbol < 0:
            return
        target = (at, callee.symbol)
        key = (file, call.line, call.character, target)
        known = self.edges.get(key)
        if known is None or _WAYS.index(way) < _WAYS.index(known.way):
            declared = int(owner.first) if owner and owner.kind is Kind.DECLARED and owner.second == -1 else -1
            self.edges[key] = Edge(file, call, target, way, declared)


_NOTHING: set[int] = set()
_WAYS = ("name", "value", "hierarchy", "handed on")


def get_made(function: int) -> Value:
    """Return what `new` makes by a function. Its prototype counts as the same."""
    return Value(Kind.CONTAINER, f"made {function}", "object")


def get_class(value: Value) -> Value:
    """Return the class of an instance, and any subclass for a declared value."""
    return Value(Kind.CLASS, value.first, "any" if value.kind is Kind.DECLARED else -1)


def code_of(value: Value) -> str:
    """Encode a value as text, to be part of another."""
    return f"{int(value.kind)}|{value.first}|{value.second}"


@lru_cache(maxsize=100_000)
def value_of(code: int | str) -> Value:
    """Decode a value that is part of another."""
    kind, first, second = str(code).split("|", 2)
    return Value(Kind(int(kind)), _number(first), _number(second))


def _number(text: str) -> int | str:
    return int(text) if _NUMBER.fullmatch(text) else text
