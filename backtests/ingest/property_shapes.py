"""Shapes of properties: match properties like ones read before, and name the lists of their event. Pure."""

import re
from collections.abc import Callable
from operator import itemgetter
from typing import Any

import msgspec

from backtests.ingest.template import NotRegularError, ParsedLine, Path, Scalar, pattern
from backtests.store.lists import BY_TYPE, WHOLE, entity_value, is_name, lists_of, number_list
from backtests.store.orders import KINDS, OPEN, REJECTION, STATE, OrderStep
from backtests.store.values import is_guid
from backtests.vocabulary import TYPE_CODES

GUID = "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
NUMBER = r"-?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,17})?(?:[eE][-+]?[0-9]{1,2})?"
TEXT = r'[^"\\\x00-\x1f\x7f]*'
_CHOICES = {"Direction": ("Buy", "Sell"), "DataType": ("Candle", "Tick", "Level2")}
"""Patterns of the contract's enumerations; StateType is matched literally, because rules depend on it."""
_STATE = TYPE_CODES["StateChange"]
_SIDES = ("StateAfter", "StateBefore")
_STATUS: Path = ("StateAfter", "Status")
_ORDER: Path = ("StateAfter", "OrderId")
_ENTITIES = (*BY_TYPE, *WHOLE)
_MAX_REMEMBERED = 4096


Places = tuple[
    tuple[str, ...], str | None, tuple[str, ...], tuple[str, ...], tuple[str, ...], OrderStep | None
]  # fmt: skip
"""Where an event is stored: lists and symbol, which many events share, lists of its own, lists of its numbers, the
numbers, the step of its order."""


class PropertyShape:
    """The properties of valid events of one type: a pattern, and the meaning of its groups."""

    def __init__(self, line: ParsedLine, *, root: str, kind: int) -> None:
        start, end = line.containers[root,]
        maker = _Maker(kind)
        if any(maker.is_entity(path[1:]) for path in line.containers):
            raise NotRegularError
        scalars = [scalar for scalar in line.scalars if start <= scalar.start < end]
        compiled = pattern(line, start=start, end=end, scalars=scalars, written=maker.make_pattern)
        self.source = compiled.pattern
        self.match = compiled.fullmatch
        self.hits = 0
        self._kind, self._sample = kind, line.text[start:end]
        self._number_lists = tuple(number_list(kind, path=path) for path, _ in maker.numbers)
        self._number_texts = _getter([place for _, place in maker.numbers])
        self._paths = [path for path in maker.texts if path[-1] in BY_TYPE]
        self._named = _getter([maker.texts[path] for path in self._paths])
        self._ids = [
            (f"e:{path[-1]}:", place, maker.choose_naming(path))
            for path, place in maker.texts.items()
            if path[-1] in WHOLE
        ]
        self._step_kind = KINDS.get(kind, STATE)
        path: Path = ("OrderId",) if kind in KINDS else _ORDER
        self._order = maker.texts.get(path) if kind in KINDS or maker.state_type == "Order" else None
        self._order_named = maker.choose_naming(path)
        self._order_symbol = maker.texts.get(("StateAfter", "SecuritySymbol")) if kind not in KINDS else None
        self._status = maker.texts.get(_STATUS)
        quantity = "Quantity" if kind in KINDS else "StateAfter.Quantity"
        self._amount = dict(maker.numbers).get(quantity) if self._step_kind != REJECTION else None
        self._lists: dict[tuple[Any, ...], tuple[tuple[str, ...], str | None]] = {}

    def places(self, said: tuple[str, ...], *, severity: int) -> Places:
        """Return where to store an event with these properties; `said` are the groups of its match."""
        named = self._named(said)
        lists, symbol = self._lists.get((severity, named)) or self._remember(severity, named)
        own: tuple[str, ...] = ()
        if self._ids:
            own = tuple([prefix + named_by(said[place]) for prefix, place, named_by in self._ids])
            own = own if len(own) == 1 else tuple(dict.fromkeys(own))
        order = None if self._order is None else self._order_step(said, self._order)
        return lists, symbol, own, self._number_lists, self._number_texts(said), order

    def _order_step(self, said: tuple[str, ...], order: int) -> OrderStep:
        return OrderStep(
            self._order_named(said[order]),
            self._step_kind,
            self._status is not None and said[self._status] == OPEN,
            None if self._amount is None else said[self._amount],
            None if self._order_symbol is None else entity_value(said[self._order_symbol]),
        )

    def _remember(self, severity: int, named: tuple[str, ...]) -> tuple[tuple[str, ...], str | None]:
        """Compute and cache the names of lists, except those of orders and positions, which rarely repeat."""
        values = msgspec.json.decode(self._sample, type=dict[str, Any])
        for path, value in zip(self._paths, named, strict=True):
            _find_parent(values, path)[str(path[-1])] = value
        for side in (values, *(values.get(side) for side in _SIDES)):
            if isinstance(side, dict):
                for name in WHOLE:
                    side.pop(name, None)
        if len(self._lists) >= _MAX_REMEMBERED:
            self._lists.clear()
        symbol = values.get("SecuritySymbol")
        lists = tuple(lists_of(self._kind, severity=severity, values=values))
        known = self._lists[severity, named] = lists, symbol if isinstance(symbol, str) else None
        return known


class _Maker:
    """Makes the pattern of each scalar, and records which groups have a meaning."""

    def __init__(self, kind: int) -> None:
        self._entity_sides = _SIDES if kind == _STATE else ()
        self.texts: dict[Path, int] = {}
        self._guids: set[Path] = set()
        self.numbers: list[tuple[str, int]] = []
        self.state_type = ""
        self._groups = 0

    def make_pattern(self, scalar: Scalar, said: str) -> str:
        """Return the pattern of a scalar. Raises NotRegularError if shapes do not support its meaning."""
        path = scalar.path[1:]
        if scalar.kind == "text":
            return self._text(path, said)
        if self.is_entity(path) and said != "null":
            raise NotRegularError
        if scalar.kind == "literal":
            return said
        if not re.fullmatch(NUMBER, said):
            raise NotRegularError
        names = [name for name in path if name is not None and is_name(name)]
        if len(names) < len(path):
            return NUMBER
        self.numbers.append((".".join(names), self._next_group()))
        return f"({NUMBER})"

    def _text(self, path: Path, said: str) -> str:
        if path == ("StateType",):
            self.state_type = said
            return re.escape(said)
        if self.is_entity(path) or path == _STATUS:
            self.texts[path] = self._next_group()
            if is_guid(said):
                self._guids.add(path)
            return f"({GUID if is_guid(said) else TEXT})"
        choices = _CHOICES.get(str(path[-1]), ())
        if said in choices:
            return f"(?:{'|'.join(choices)})"
        return GUID if is_guid(said) else TEXT

    def choose_naming(self, path: Path) -> Callable[[str], str]:
        """Return the function that makes a list's name from the value at this path."""
        return str.lower if path in self._guids else entity_value

    def is_entity(self, path: Path) -> bool:
        """Return whether a value at this path names an entity."""
        if not path or path[-1] not in _ENTITIES:
            return False
        return len(path) == 1 or (len(path) == len(_STATUS) and path[0] in self._entity_sides)

    def _next_group(self) -> int:
        self._groups += 1
        return self._groups - 1


def _find_parent(values: dict[str, Any], path: Path) -> dict[str, Any]:
    for name in path[:-1]:
        values = values[str(name)]
    return values


def _getter(places: list[int]) -> Callable[[tuple[str, ...]], tuple[str, ...]]:
    """Return a function that selects some members of a tuple."""
    if not places:
        return lambda _: ()
    if len(places) == 1:
        only = places[0]
        return lambda said: (said[only],)
    return itemgetter(*places)
