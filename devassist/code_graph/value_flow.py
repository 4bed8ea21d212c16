"""Values that flow between variables until nothing changes, and the calls that were seen to reach functions."""

from collections import defaultdict, deque
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass
from typing import Any

from devassist.code_graph.facts import CallFact
from devassist.code_graph.program import Program, SymbolKey
from devassist.code_graph.values import (
    Kind,
    Value,
)  # fmt: skip

MAX_HOPS = 3

Use = Callable[[Value], None]


@dataclass(frozen=True, slots=True, eq=False)
class Site:
    """A call as it is analysed: `node` numbers its variables; small functions are copied for each."""

    file: int
    fact: CallFact
    node: Callable[[int], int]
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Edge:
    """A call that may reach a function; `way` is what led there: name, value, hierarchy or handed on."""

    file: int
    call: CallFact
    target: SymbolKey
    way: str
    declared: int = -1
    """The class that the call's receiver is declared of, where that is all that is known of it."""


class ValueFlow:
    """Variables with the values they hold. `edges` are calls with the functions that they reach."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._held: dict[int, set[Value]] = defaultdict(set)
        self._next: dict[int, dict[int, None]] = defaultdict(dict)
        self._uses: dict[int, list[Use]] = defaultdict(list)
        self._waiting: dict[int, list[Value]] = {}
        self._queue: deque[int] = deque()
        self._extra = program.variables
        self._fields: dict[tuple[Any, ...], int] = {}
        self._field_reads: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self._field_writes: dict[str, dict[int, int]] = defaultdict(dict)
        self._done: set[tuple[Any, ...]] = set()
        self._steps = 0
        self.edges: dict[tuple[int, int, int, SymbolKey], Edge] = {}
        self.made: set[int] = set()
        self._by_place: dict[tuple[int, int, int], list[tuple[int, int, int, SymbolKey]]] = defaultdict(list)
        self.open_reads: list[tuple[int, tuple[Any, ...]]] = []
        self.is_cut = False

    def values_of(self, variable: int) -> set[Value]:
        """Give the values of a variable by its number in the program."""
        return self._held.get(variable, set())

    def reaches(self, source: int, *, among: Container[int]) -> bool:
        """Tell whether what a variable holds is copied to one of some variables, within a few steps."""
        level = {source}
        for _ in range(MAX_HOPS):
            if any(node in among for node in level):
                return True
            level = {following for node in level for following in self._next.get(node, ())}
        return any(node in among for node in level)

    def edges_at(self, file: int, *, call: CallFact) -> list[tuple[int, int, int, SymbolKey]]:
        """Give the edges of one call, as keys."""
        if not self._by_place:
            for key in self.edges:
                self._by_place[key[:3]].append(key)
        return self._by_place.get((file, call.line, call.character), [])

    # the graph

    def _put(self, node: int, *, values: Iterable[Value]) -> None:
        if node < 0:
            return
        known = self._held[node]
        new = [value for value in values if value not in known]
        if not new:
            return
        known.update(new)
        if node in self._waiting:
            self._waiting[node] += new
        else:
            self._waiting[node] = new
            self._queue.append(node)

    def _connect(self, source: int, *, to: int) -> None:
        if source < 0 or to < 0 or source == to or to in self._next[source]:
            return
        self._next[source][to] = None
        if source in self._held:
            self._put(to, values=list(self._held[source]))

    def _watch(self, node: int, *, use: Use) -> None:
        if node < 0:
            return
        self._uses[node].append(use)
        for value in list(self._held.get(node, ())):
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
        """Tell how a function was reached: by its name, through a value, or as an override of what is declared."""
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


_WAYS = ("name", "value", "hierarchy", "handed on")


def get_made(function: int) -> Value:
    """Give what `new` makes by a function; its prototype counts as the same."""
    return Value(Kind.CONTAINER, f"made {function}", "object")


def code_of(value: Value) -> str:
    """Write a value as text, to be part of another."""
    return f"{int(value.kind)}|{value.first}|{value.second}"


def value_of(code: int | str) -> Value:
    """Read a value that is part of another."""
    kind, first, second = str(code).split("|", 2)
    return Value(Kind(int(kind)), _number(first), _number(second))


def _number(text: str) -> int | str:
    return int(text) if text.lstrip("-").isdigit() else text
