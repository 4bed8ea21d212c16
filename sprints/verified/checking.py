"""Running verified queries to see that they work: every form of the SQL, and every wording by way of a question."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import regex

from sprints.contracts import QueryResult
from sprints.linking.link import Linked, link
from sprints.linking.names import Name, NameIndex
from sprints.schema.view_catalog import ViewCatalog
from sprints.sql_sandbox import guard
from sprints.sql_sandbox.execution import try_execute
from sprints.verified.matching import Library, Verified, clear_winner, match
from sprints.verified.slots import NAMED, Unfillable, fill, fill_with_samples, mistakes, slots_of

_SLOT = regex.compile(r"\{(\w+)(?:\.\w+)?\}")
_SAID = {
    "sprint": "last sprint",
    "period": "in the last 60 days",
    "days": "14 days",
    "top": "top 5",
    "unit": "per week",
    "number": "3",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """One statement of a verified query: what was run and what came, or a wording that finds another query."""

    slug: str
    form: str
    sql: str = ""
    result: QueryResult | None = None
    problem: str = ""

    @property
    def is_broken(self) -> bool:
        """Tell whether the statement did not run."""
        return bool(self.problem) or bool(self.result and self.result.error)

    @property
    def said(self) -> str:
        """Say what is wrong, or how many rows came."""
        if self.problem:
            return self.problem
        assert self.result is not None  # noqa: S101 - a check has a result or a problem
        return self.result.error or f"{self.result.count} rows in {self.result.runtime_ms:.1f} ms"


async def check(query: Verified, *, index: NameIndex, today: date) -> list[Checked]:
    """Run a query with the slots it needs alone, then with each further one, then with all of them."""
    wrong = mistakes(query.sql, defaults=query.slots)
    if wrong:
        return [Checked(slug=query.slug, form="slots", problem=" ".join(wrong))]
    optional = sorted(slots_of(query.sql) - query.needed)
    forms = [(), *((slot,) for slot in optional), tuple(optional)]
    return [await _run(query, index=index, today=today, slots=(*sorted(query.needed), *form)) for form in
            dict.fromkeys(forms)]  # fmt: skip


def find_refusals(sql: str, *, catalog: ViewCatalog) -> list[str]:
    """Say why the guard would refuse the statement, whatever its slots are filled with."""
    refusals = []
    for form in fill_with_samples(sql):
        try:
            guard.check(form, catalog=catalog)
        except guard.Refused as refused:
            refusals.append(f"{refused.message} {refused.suggestion}")
    return list(dict.fromkeys(refusals))


def wordings_astray(query: Verified, *, library: Library, index: NameIndex, today: date) -> list[Checked]:
    """Ask each wording as a question, with names in its slots, and name those that find no query or another."""
    found = []
    for wording in query.wordings:
        linked = link(_SLOT.sub(lambda slot: _example(slot[1], index), wording.text), index=index, today=today)
        winner = clear_winner(match(linked, library=library))
        if winner is None or winner.query.slug != query.slug:
            instead = f"finds {winner.query.slug}" if winner else "finds nothing that is clear"
            found.append(Checked(slug=query.slug, form=wording.text, problem=instead))
    return found


def example_question(slots: Sequence[str], *, index: NameIndex) -> str:
    """Say the slots with names of the data, as a question would."""
    return ", ".join(_example(slot, index) for slot in slots)


async def _run(query: Verified, *, index: NameIndex, today: date, slots: Sequence[str]) -> Checked:
    form = f"with {', '.join(slots)}" if slots else "bare"
    linked = _only(link(example_question(slots, index=index), index=index, today=today), slots)
    try:
        filled = fill(query.sql, linked=linked, index=index, defaults=query.slots)
    except Unfillable as lacking:
        return Checked(slug=query.slug, form=form, problem=f"The data has nothing for {{{lacking.slot}}}.")
    return Checked(slug=query.slug, form=form, sql=filled.sql, result=await try_execute(filled.sql))


def _only(linked: Linked, slots: Sequence[str]) -> Linked:
    """Forget what the example's words happen to name beside the slots meant."""
    linked.spotted = [one for one in linked.spotted if one.kind in slots]
    linked.sprints = linked.sprints if "sprint" in slots else []
    return linked


def _example(slot: str, index: NameIndex) -> str:
    if slot in _SAID:
        return _SAID[slot]
    if slot == "key":
        return f"{_first(index.of_kind('team'), 'TEAM')}-1"
    return _first(index.of_kind(slot) if slot in NAMED else [], slot)


def _first(names: Sequence[Name], otherwise: str) -> str:
    return names[0].text if names else otherwise
