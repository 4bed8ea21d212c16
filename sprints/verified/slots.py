"""Slots in questions and SQL in place of names: detection, filling and creation. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import regex

from sprints.linking.link import LinkedQuestion, link
from sprints.linking.names import Kind, NameIndex
from sprints.linking.periods import Period
from sprints.semantics.questions.lexicon import shipped_lexicon
from sprints.sql_sandbox.literals import quote_literal

NAMED: tuple[Kind, ...] = ("team", "person", "sprint", "status", "priority", "label", "type")
KINDS = (*NAMED, "key", "period", "days", "top", "number", "unit")
FIELDS = ("start", "end")
EXAMPLES = {
    "sprint": "the last sprint", "period": "in the last 60 days", "days": "14 days", "top": "top 10",
    "unit": "per week", "number": "5", "label": "backend", "status": "In Progress", "priority": "p0",
    "type": "bugs", "key": "TEAM-1",
}  # fmt: skip
"""Example values of each slot, if the data has no better name."""
SLOT = regex.compile(r"\{([a-z_]+)(?:\.([a-z]+))?\}")
_OPTIONAL = regex.compile(r"\[\[(.*?)\]\]", regex.DOTALL)
MAX_VALUES = 200


class UnfilledSlotError(Exception):
    """A required slot is not filled. `slot` names it."""

    def __init__(self, slot: str) -> None:
        super().__init__(slot)
        self.slot = slot


@dataclass(frozen=True, slots=True)
class FilledStatement:
    """A statement ready to run, and the defaults that were assumed."""

    sql: str
    assumptions: tuple[str, ...]


def list_slots(sql: str) -> set[str]:
    """Return the slots of a statement."""
    return {found[1] for found in SLOT.finditer(sql)}


def list_needed_slots(sql: str) -> set[str]:
    """Return the required slots: those outside double brackets."""
    return list_slots(_OPTIONAL.sub("", sql))


def is_window(slot: str, *, default: str) -> bool:
    """Return whether a default is several sprints or days, as "last 6 sprints"."""
    return slot in ("sprint", "period") and any(letter.isdigit() for letter in default)


def find_mistakes(sql: str, *, defaults: Mapping[str, object]) -> list[str]:
    """Return the problems of a statement's slots and their defaults."""
    found = [f"There is no slot {{{slot}}}; use one of {', '.join(KINDS)}." for slot in list_slots(sql) - set(KINDS)]
    found += [f"{{{one[1]}.{one[2]}}} is not a slot; a period has start and end." for one in SLOT.finditer(sql)
              if (one[1] == "period") != (one[2] in FIELDS)]  # fmt: skip
    found += [f"slots names {slot}, which the SQL does not have." for slot in set(defaults) - list_slots(sql)]
    return found


def fill(sql: str, *, linked: LinkedQuestion, index: NameIndex, defaults: Mapping[str, object]) -> FilledStatement:
    """
    Fill the slots from a question's names, else from the defaults. Unfilled optional parts are removed.

    Values become literals with quotes doubled. Raises UnfilledSlotError.
    """
    values, assumptions = {}, []
    for slot in sorted(list_slots(sql)):
        given = find_literals(slot, linked=linked)
        if not given and slot in defaults:
            given, assumed = _read_default(slot, str(defaults[slot]), linked=linked, index=index)
            assumptions += assumed
        if given:
            values[slot] = given
    text = _OPTIONAL.sub(lambda part: part[1] if list_slots(part[1]) <= set(values) else "", sql)
    sql = SLOT.sub(lambda one: _write_slot(one, values), text).strip()
    return FilledStatement(sql=sql, assumptions=tuple(assumptions))


def fill_with_samples(sql: str) -> list[str]:
    """Fill every slot with a literal of its kind, without the optional parts and with them, to check the SQL."""
    literals = {slot: {"": "('x')"} for slot in (*NAMED, "key")}
    literals |= {slot: {"": "1"} for slot in ("days", "top", "number")}
    literals |= {"unit": {"": "'week'"}, "period": dict.fromkeys(FIELDS, "DATE '2025-01-01'")}
    forms = dict.fromkeys((_OPTIONAL.sub("", sql), _OPTIONAL.sub(r"\1", sql)))
    return [SLOT.sub(lambda one: _write_slot(one, literals), form) for form in forms]


def _write_slot(found: regex.Match[str], values: Mapping[str, Mapping[str, str]]) -> str:
    slot, part = found[1], found[2] or ""
    if slot not in values:
        raise UnfilledSlotError(slot)
    return values[slot][part]


def find_literals(slot: str, *, linked: LinkedQuestion) -> dict[str, str]:
    """Return the literals of a slot that the question fills. Empty if it does not."""
    if slot in NAMED:
        return _list_literals([name.value for name in linked.of_kind(slot)])
    if slot == "key":
        return _list_literals([place.said for place in linked.keys])
    if slot == "period":
        return _write_period(linked.periods[0]) if linked.periods else {}
    if slot == "unit":
        return {"": quote_literal(linked.unit)} if linked.unit else {}
    amount = next((one for one in linked.amounts if one.kind == slot), None)
    return {"": f"{amount.value:g}"} if amount else {}


def _read_default(
    slot: str, said: str, *, linked: LinkedQuestion, index: NameIndex
) -> tuple[dict[str, str], list[str]]:
    """Read a default as if the question had said it, for the teams that it names."""
    if slot in ("days", "top", "number"):
        return {"": f"{float(said):g}"}, [f"Took {said} {'days' if slot == 'days' else 'rows at most'}."]
    if slot == "unit":
        return {"": quote_literal(said)}, [f"Counted by {said}."]
    teams = " ".join(name.text for name in linked.of_kind("team"))
    read = link(f"{said} {teams}", index=index, today=linked.today)
    why = "The question names no " + {"sprint": "sprint", "period": "period"}.get(slot, slot) + "."
    return find_literals(slot, linked=read), [f"{why} {sentence}" for sentence in read.assumptions if said in sentence]


def _list_literals(values: Sequence[str]) -> dict[str, str]:
    return {"": f"({', '.join(quote_literal(value) for value in values[:MAX_VALUES])})"} if values else {}


def _write_period(period: Period) -> dict[str, str]:
    return {"start": _write_day(period.span.start), "end": _write_day(period.span.end)}


def _write_day(day: date) -> str:
    return f"DATE '{day.isoformat()}'"


def make_template(question: str, *, sql: str, index: NameIndex, today: date) -> tuple[str, str]:
    """Replace names in the question by slots, and the lists of exactly the named rows in the SQL."""
    linked = link(question, index=index, today=today, reserved=shipped_lexicon().reserved_phrases)
    text = linked.text
    for start, end, slot in sorted(_find_slot_positions(linked), reverse=True):
        text = f"{text[:start]}{{{slot}}}{text[end:]}"
    for slot in NAMED:
        values = [name.value for name in linked.of_kind(slot)]
        if values:
            listed = f"({', '.join(quote_literal(value) for value in values)})"
            sql = sql.replace(f"IN {listed}", f"IN {{{slot}}}")
            sql = sql.replace(f"= {quote_literal(values[0])}", f"IN {{{slot}}}") if len(values) == 1 else sql
    for period in linked.periods:
        sql = sql.replace(_write_day(period.span.start), "{period.start}")
        sql = sql.replace(_write_day(period.span.end), "{period.end}")
    return text.strip(), sql


def _find_slot_positions(linked: LinkedQuestion) -> list[tuple[int, int, str]]:
    """Return the range of text that each slot replaces, the first for each slot."""
    found = [
        (one.start, one.end, str(one.kind)) for one in linked.spotted if len(one.names) == 1 or one.kind == "sprint"
    ]
    found += [(one.start, one.end, "sprint") for one in linked.sprint_references]
    found += [(one.start, one.end, "period") for one in linked.periods]
    found += [(one.start, one.end, "key") for one in linked.keys]
    first: dict[str, tuple[int, int, str]] = {}
    for stretch in sorted(found):
        first.setdefault(stretch[2], stretch)
    return list(first.values())
