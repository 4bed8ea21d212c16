"""
Changes of a question, part by part: "Without: team ORBIT", or "Instead of team ORBIT: HARBOR".

Such a line names a part of the query before it in the very words in which describe_query says the part. A question
that was changed is the lines that lead to it, so that it asks the same whatever was asked in between.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from sprints.contracts import MAX_PREVIOUS, MAX_QUESTION
from sprints.linking.names import Kind, Name, NameIndex
from sprints.linking.periods import find_periods
from sprints.semantics.compile import compile_query
from sprints.semantics.describe import Chip, describe_query, join_conditions, remove_chip, split_conditions
from sprints.semantics.enums import Grain
from sprints.semantics.errors import SemanticError
from sprints.semantics.model import SemanticModel
from sprints.semantics.query import (
    Comparison,
    Condition,
    DimensionGroup,
    InPeriod,
    MetricQuery,
    Not,
    Reference,
    TimeGroup,
    TimeRange,
    Value,
)
from toolbox.contract.answerer import Part

WITHOUT, INSTEAD = "Without: ", "Instead of "
NO_SUCH_PART = "The question before does not have that part. Ask the whole question instead."
MAX_VALUES = 60
_KINDS: dict[str, Kind] = {
    "team": "team", "assignee": "person", "reporter": "person", "person": "person", "sprint": "sprint",
    "status": "status", "priority": "priority", "issue_type": "type", "label": "label",
}  # fmt: skip
_WITH_KEYS = frozenset({"team", "person", "sprint"})
_PERIODS = (
    "this week", "last week", "this month", "last month", "this quarter", "last quarter", "this year", "last year",
    "the last 30 days", "the last 90 days",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """What the values of a part are read with."""

    index: NameIndex
    today: date
    model: SemanticModel


def is_change(line: str) -> bool:
    """Return whether a line changes the question before it, part by part."""
    return line.startswith(WITHOUT) or (line.startswith(INSTEAD) and ": " in line)


def split_lines(question: str) -> tuple[str, ...]:
    """Return the lines of a question that ends with a change, each without surplus spaces; else the question."""
    lines = tuple(" ".join(line.split()) for line in question.splitlines() if line.strip())
    is_chain = len(lines) > 1 and is_change(lines[-1])
    return lines if is_chain else (question,)


def change_query(query: MetricQuery, *, line: str, names: Names) -> MetricQuery | None:
    """Change a query as a line says. None if the query does not have the part, or the part not the value."""
    for chip in sorted(describe_query(query, model=names.model).chips, key=lambda chip: -len(chip.text)):
        if line == f"{WITHOUT}{chip.text}":
            return _accept(remove_chip(query, chip.position), before=query, model=names.model)
        if line.startswith(start := f"{INSTEAD}{chip.text}: "):
            said = line.removeprefix(start)
            return next(
                (changed for value, changed in _list_changed(query, chip=chip, names=names) if value == said), None
            )
    return None


def list_parts(query: MetricQuery, *, lines: Sequence[str], names: Names) -> list[Part]:
    """
    Return the parts of a query, with the lines that change it. `lines` are those that led to it.

    Parts in the same words are left out: a line could not say which of them it means.
    """
    chips = describe_query(query, model=names.model).chips
    texts = [chip.text for chip in chips]
    asked = "\n".join(" ".join(line.split()) for line in lines)
    if len(lines) >= MAX_PREVIOUS:
        return []
    parts = []
    for chip in chips:
        if texts.count(chip.text) > 1 or len(chip.text) > MAX_QUESTION // 2:
            continue
        rest = _accept(remove_chip(query, chip.position), before=query, model=names.model)
        values = tuple(value for value, changed in _list_changed(query, chip=chip, names=names) if changed != query)
        part = Part(
            text=chip.text, without=f"{asked}\n{WITHOUT}{chip.text}" if rest else "",
            instead=f"{asked}\n{INSTEAD}{chip.text}:" if values else "", values=values,
        )  # fmt: skip
        parts.append(part)
    return parts


def _accept(query: MetricQuery, *, before: MetricQuery, model: SemanticModel) -> MetricQuery | None:
    """Return a changed query if it is another one whose terms fit together."""
    try:
        compile_query(query, model=model)
    except SemanticError:
        return None
    return query if query != before else None


def _list_changed(query: MetricQuery, *, chip: Chip, names: Names) -> Iterator[tuple[str, MetricQuery]]:
    """Yield the other values that a part may have, each with the query that it makes."""
    conditions = split_conditions(query.where)
    if chip.position < len(conditions):
        for value, condition in _list_conditions(conditions[chip.position], names=names):
            kept = (*conditions[: chip.position], condition, *conditions[chip.position + 1 :])
            yield value, query.model_copy(update={"where": join_conditions(kept)})
        return
    place = chip.position - len(conditions)
    if chip.kind == "group" and isinstance(group := query.group_by[place], TimeGroup):
        for grain in Grain:
            groups = (*query.group_by[:place], group.model_copy(update={"grain": grain}), *query.group_by[place + 1 :])
            changed = query.model_copy(update={"group_by": groups, "order": ()})
            if accepted := _accept(changed, before=query, model=names.model):
                yield str(grain), accepted
    elif chip.kind == "group":
        yield from _list_other_groups(query, place=place, model=names.model)


def _list_other_groups(query: MetricQuery, *, place: int, model: SemanticModel) -> Iterator[tuple[str, MetricQuery]]:
    """Yield the dimensions that may be grouped by in place of one; ranks and orders by it are left out."""
    for dimension in model.dimensions.values():
        group = DimensionGroup(dimension=dimension.id)
        if not dimension.groupable or group in query.group_by:
            continue
        groups = (*query.group_by[:place], group, *query.group_by[place + 1 :])
        changed = query.model_copy(update={"group_by": groups, "trend": False, "order": ()})
        if accepted := _accept(changed, before=query, model=model):
            yield dimension.label, accepted


def _list_conditions(condition: Condition, *, names: Names) -> Iterator[tuple[str, Condition]]:
    """Yield the values that a condition may have, each with the condition that it makes."""
    match condition:
        case Not():
            for value, inner in _list_conditions(condition.part, names=names):
                yield value, Not(part=inner)
        case InPeriod():
            for value, inner in _list_conditions(condition.where, names=names):
                yield value, condition.model_copy(update={"where": inner})
        case Comparison() if condition.values:
            for text, other in _list_values(condition, names=names):
                yield text, condition.model_copy(update={"values": (other,)})
        case TimeRange():
            for text in _PERIODS:
                (period,) = find_periods(text, today=names.today)
                span = period.span
                yield text, condition.model_copy(update={"start": span.start, "end": span.end})


def _list_values(comparison: Comparison, *, names: Names) -> list[tuple[str, Value]]:
    """List the known values of a comparison's dimension, each with the text that it is chosen by."""
    dimension = names.model.dimensions[comparison.field]
    if comparison.op not in ("eq", "ne", "in", "not_in"):
        return []
    if dimension.values:
        return [(str(value), value) for value in dimension.values]
    kind = _KINDS.get(comparison.field)
    if kind is None:
        return []
    known = names.index.of_kind(kind)
    if kind == "sprint":
        known = _list_sprints(comparison, known=known)
    texts = [name.text for name in known]
    labelled = [(name.label if texts.count(name.text) > 1 else name.text, name) for name in known[:MAX_VALUES]]
    return [
        (text, Reference(key=name.value, label=name.text) if kind in _WITH_KEYS else name.text)
        for text, name in sorted(labelled, key=lambda one: one[0] if kind != "sprint" else "")
    ]  # fmt: skip


def _list_sprints(comparison: Comparison, *, known: Sequence[Name]) -> list[Name]:
    """List the sprints of the team whose sprint is named, the latest first; of every team if several are named."""
    keys = {value.key for value in comparison.values if isinstance(value, Reference)}
    teams = {name.team_id for name in known if name.value in keys}
    ours = [name for name in known if name.team_id in teams or not teams]
    return sorted(ours, key=lambda name: (name.ended_at is None, name.ended_at), reverse=True)
