"""Checks of verified queries: every form of the SQL runs, and no wording is shared."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from sprints.contracts import QueryResult
from sprints.linking.link import link
from sprints.linking.names import Name, NameIndex
from sprints.schema.view_catalog import ViewCatalog
from sprints.sql_sandbox import guard
from sprints.sql_sandbox.execution import try_execute
from sprints.verified.library import Library, VerifiedStatement
from sprints.verified.slots import (
    EXAMPLES,
    NAMED,
    UnfilledSlotError,
    fill,
    fill_with_samples,
    find_mistakes,
    list_slots,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementCheck:
    """One statement of a verified query: its SQL and rows, or the problem of it or of a wording."""

    slug: str
    form: str
    sql: str = ""
    result: QueryResult | None = None
    problem: str = ""

    @property
    def is_broken(self) -> bool:
        """Return whether the statement failed."""
        return bool(self.problem) or bool(self.result and self.result.error)

    @property
    def summary(self) -> str:
        """Return the problem, or the number of rows."""
        if self.problem or self.result is None:
            return self.problem
        return self.result.error or f"{self.result.count} rows in {self.result.runtime_ms:.1f} ms"


async def check_statements(query: VerifiedStatement, *, index: NameIndex, today: date) -> list[StatementCheck]:
    """Run a query with its required slots alone, then with each further one, then with all of them."""
    if wrong := find_mistakes(query.sql, defaults=query.defaults):
        return [StatementCheck(slug=query.slug, form="slots", problem=" ".join(wrong))]
    needed, optional = sorted(query.needed), sorted(list_slots(query.sql) - query.needed)
    forms = [(), *((slot,) for slot in optional), tuple(optional)]
    return [await _run(query, slots=(*needed, *form), index=index, today=today) for form in dict.fromkeys(forms)]


def find_refusals(sql: str, *, catalog: ViewCatalog) -> list[str]:
    """Return why the guard refuses the statement for any values of its slots."""
    refusals = []
    for form in fill_with_samples(sql):
        try:
            guard.check(form, catalog=catalog)
        except guard.Refused as refused:
            refusals.append(f"{refused.message} {refused.suggestion}")
    return list(dict.fromkeys(refusals))


def find_shared_wordings(query: VerifiedStatement, *, library: Library) -> list[StatementCheck]:
    """Return the wordings shared with another query with the same slots. Such a question is ambiguous."""
    return [
        StatementCheck(slug=query.slug, form=text, problem=f"is a wording of {other.slug} too")
        for text, wording in query.wordings.items()
        for other, its in library.by_terms.get(wording.terms, ())
        if other.slug != query.slug and its == wording and other.can_fill(wording.slots)
    ]


async def _run(
    query: VerifiedStatement, *, slots: Sequence[str], index: NameIndex, today: date
) -> StatementCheck:  # fmt: skip
    form = f"with {', '.join(slots)}" if slots else "bare"
    named: dict[str, list[Name]] = {slot: index.of_kind(slot) for slot in NAMED}
    said = [named[slot][0].text if named.get(slot) else EXAMPLES.get(slot, slot) for slot in slots]
    linked = link(", ".join(said), index=index, today=today)
    linked.spotted = [one for one in linked.spotted if one.kind in slots]
    linked.sprints = linked.sprints if "sprint" in slots else []
    try:
        filled = fill(query.sql, linked=linked, index=index, defaults=query.defaults)
    except UnfilledSlotError as unfilled:
        return StatementCheck(slug=query.slug, form=form, problem=f"The data has nothing for {{{unfilled.slot}}}.")
    return StatementCheck(slug=query.slug, form=form, sql=filled.sql, result=await try_execute(filled.sql))
