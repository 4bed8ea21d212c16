"""SQL with slots: which it has, and how they are filled with literals. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import regex

from sprints.linking.link import Linked, link
from sprints.linking.names import Kind, Name, NameIndex
from sprints.linking.periods import Period
from sprints.sql_sandbox.literals import quote_literal

NAMED: tuple[Kind, ...] = ("team", "person", "sprint", "status", "priority", "label", "type")
KINDS = (*NAMED, "key", "period", "days", "top", "number", "unit")
FIELDS = ("start", "end")
_SLOT = regex.compile(r"\{([a-z]+)(?:\.([a-z]+))?\}")
_OPTIONAL = regex.compile(r"\[\[(.*?)\]\]", regex.DOTALL)
MAX_VALUES = 200


class Unfillable(Exception):
    """A slot that must be filled is not; `slot` names it."""

    def __init__(self, slot: str) -> None:
        super().__init__(slot)
        self.slot = slot


@dataclass(frozen=True, slots=True)
class Filled:
    """A statement ready to run, and what was assumed where the question was silent."""

    sql: str
    assumptions: tuple[str, ...]


def slots_of(sql: str) -> set[str]:
    """Give the slots of a statement."""
    return {found[1] for found in _SLOT.finditer(sql)}


def needed_slots(sql: str) -> set[str]:
    """Give the slots that must be filled: those outside double brackets."""
    return slots_of(_OPTIONAL.sub("", sql))


def mistakes(sql: str, *, defaults: Mapping[str, object]) -> list[str]:
    """Say what is wrong with a statement's slots, and with the defaults for them."""
    found = [f"There is no slot {{{slot}}}; use one of {', '.join(KINDS)}." for slot in slots_of(sql) - set(KINDS)]
    found += [f"{{{one[1]}.{one[2]}}} is no part of a slot; a period has start and end." for one in _SLOT.finditer(sql)
              if (one[1] == "period") != (one[2] in FIELDS)]  # fmt: skip
    found += [f"slots names {slot}, which the SQL does not have." for slot in set(defaults) - slots_of(sql)]
    return found


def fill(sql: str, *, linked: Linked, index: NameIndex, defaults: Mapping[str, object]) -> Filled:
    """
    Fill the slots from what a question names, else from the defaults; parts in double brackets go where nothing is.

    Values become literals with quotes doubled. Raises Unfillable.
    """
    values, assumptions = {}, []
    for slot in sorted(slots_of(sql)):
        given = _given(slot, linked)
        if not given and slot in defaults:
            given, assumed = _default(slot, str(defaults[slot]), linked=linked, index=index)
            assumptions += assumed
        if given:
            values[slot] = given
    text = _OPTIONAL.sub(lambda part: part[1] if slots_of(part[1]) <= set(values) else "", sql)
    return Filled(sql=_SLOT.sub(lambda one: _literal(one, values), text).strip(), assumptions=tuple(assumptions))


def fill_with_samples(sql: str) -> list[str]:
    """Fill every slot with a literal of its kind: without the optional parts, and with them; for a look at the SQL."""
    literals = {slot: {"": "('x')"} for slot in (*NAMED, "key")}
    literals |= {slot: {"": "1"} for slot in ("days", "top", "number")}
    literals |= {"unit": {"": "'week'"}, "period": dict.fromkeys(FIELDS, "DATE '2025-01-01'")}
    forms = dict.fromkeys((_OPTIONAL.sub("", sql), _OPTIONAL.sub(r"\1", sql)))
    return [_SLOT.sub(lambda one: _literal(one, literals), form) for form in forms]


def _literal(found: regex.Match[str], values: Mapping[str, Mapping[str, str]]) -> str:
    slot, part = found[1], found[2] or ""
    if slot not in values:
        raise Unfillable(slot)
    return values[slot][part]


def _given(slot: str, linked: Linked) -> dict[str, str]:
    """Give the literals for a slot that the question fills; nothing where it does not."""
    if slot in NAMED:
        return _listed([name.value for name in _names(slot, linked)])
    if slot == "key":
        return _listed([place.said for place in linked.keys])
    if slot == "period":
        return _days(linked.periods[0]) if linked.periods else {}
    if slot == "unit":
        return {"": quote_literal(linked.unit)} if linked.unit else {}
    amount = next((one for one in linked.amounts if one.kind == slot), None)
    return {"": f"{amount.value:g}"} if amount else {}


def _default(slot: str, said: str, *, linked: Linked, index: NameIndex) -> tuple[dict[str, str], list[str]]:
    """Read a default as if the question had said it, for the teams that it names."""
    if slot in ("days", "top", "number"):
        return {"": f"{float(said):g}"}, [f"Took {said} {'days' if slot == 'days' else 'rows at most'}."]
    if slot == "unit":
        return {"": quote_literal(said)}, [f"Counted by {said}."]
    teams = " ".join(name.text for name in linked.of_kind("team"))
    read = link(f"{said} {teams}", index=index, today=linked.today)
    why = "The question names no " + {"sprint": "sprint", "period": "period"}.get(slot, slot) + "."
    return _given(slot, read), [f"{why} {sentence}" for sentence in read.assumptions if said in sentence]


def _names(slot: str, linked: Linked) -> Sequence[Name]:
    return linked.of_kind(slot)  # type: ignore[arg-type]


def _listed(values: Sequence[str]) -> dict[str, str]:
    return {"": f"({', '.join(quote_literal(value) for value in values[:MAX_VALUES])})"} if values else {}


def _days(period: Period) -> dict[str, str]:
    return {"start": _day(period.span.start), "end": _day(period.span.end)}


def _day(day: date) -> str:
    return f"DATE '{day.isoformat()}'"
