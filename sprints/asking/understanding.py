"""What a question is about: names and days of the data in it, and the verified queries nearest to it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

import regex

from sprints.linking.kept import data_as_of, name_index
from sprints.linking.link import Linked
from sprints.linking.names import NameIndex
from sprints.semantics.query import MetricQuery
from sprints.semantics.questions.follow_up import parse_follow_up
from sprints.semantics.questions.grammar import Parse, parse_question
from sprints.semantics.questions.lexicon import shipped_lexicon
from sprints.verified.library import library
from sprints.verified.matching import Library, Match, Verified, clear_winner, match
from toolbox.database.pools import Pool

STALE = timedelta(days=7)
MAX_NEAREST = 3
_SLOT = regex.compile(r"\{(\w+)\}")
_USUAL = {
    "sprint": "last sprint", "period": "last month", "days": "14 days", "top": "10", "unit": "week", "number": "5",
    "label": "backend", "status": "In Progress", "priority": "p0", "type": "bugs", "key": "an issue's key",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """A question with everything that was found for it without a model."""

    linked: Linked
    index: NameIndex
    library: Library
    matches: Sequence[Match]
    assumptions: tuple[str, ...]
    parse: Parse | None = None
    question: str = ""

    def nearest(self, *, most: int = MAX_NEAREST) -> list[str]:
        """Name questions like this one that work, with the names that it says."""
        ranked = sorted(self.matches, key=lambda one: -one.score)
        return list(dict.fromkeys(self.worded(one.query) for one in ranked))[:most]

    def related(self, query: Verified, *, most: int = MAX_NEAREST) -> list[str]:
        """Name other questions of the same topic, then of others, for what to ask next."""
        scores = {one.query.slug: one.score for one in self.matches}
        others = [other for other in self.library.queries if other.slug != query.slug]
        ranked = sorted(others, key=lambda other: (other.topic != query.topic, -scores.get(other.slug, 0)))
        return [self.worded(other) for other in ranked[:most]]

    def can_answer(self, question: str) -> bool:
        """Tell whether the grammar reads a question whole."""
        lexicon = shipped_lexicon()
        parse = parse_question(question, index=self.index, today=self.linked.today, lexicon=lexicon)
        return parse.query is not None and not parse.linked.unclear

    def worded(self, query: Verified) -> str:
        """Write a query's question with the names of this question, or with others of the data."""
        return _SLOT.sub(lambda found: self._said(found[1]), query.question)

    def _said(self, slot: str) -> str:
        named = self.linked.of_kind(slot) if slot in ("team", "person", "status", "priority", "type", "label") else []  # type: ignore[arg-type]
        if len(named) == 1:
            return named[0].text
        if slot == "sprint" and self.linked.sprint_references:
            return self.linked.sprint_references[0].said
        if slot == "period" and self.linked.periods:
            return self.linked.periods[0].said
        known = self.index.of_kind(slot) if slot in ("team", "person") else []  # type: ignore[arg-type]
        return known[0].text if known else _USUAL.get(slot, slot)


async def understand(
    question: str, *, now: datetime, reader: Pool, meant: Mapping[str, str] | None = None,
    context: MetricQuery | None = None,
) -> Understood:  # fmt: skip
    """
    Link the question to the data and rank the verified queries; no statement where all is in memory.

    `meant` says which of several a name means, `context` what the question before this one meant.
    """
    index = await name_index(reader=reader)
    held = await library(reader=reader)
    moment = await data_as_of(reader=reader)
    today = _today(now, as_of=moment)
    lexicon = shipped_lexicon()
    parse = (
        parse_follow_up(question, context=context, index=index, today=today, lexicon=lexicon) if context else None
    ) or parse_question(question, index=index, today=today, lexicon=lexicon, meant=meant or {})
    linked = parse.linked
    return Understood(
        linked=linked, index=index, library=held, matches=match(linked, library=held),
        parse=parse, question=question,
        assumptions=(*_about_today(linked, now=now), *_beyond_the_data(linked, as_of=moment)),
    )  # fmt: skip


def _today(now: datetime, *, as_of: datetime | None) -> date:
    """Give the day that "last month" is counted from: of data that ended a while ago, its own last day."""
    return as_of.date() if as_of and now - as_of > STALE else now.date()


def _about_today(linked: Linked, *, now: datetime) -> tuple[str, ...]:
    if not linked.periods or linked.today == now.date():
        return ()
    return (f"Counted days from {linked.today}, the latest that the data tells of.",)


def _beyond_the_data(linked: Linked, *, as_of: datetime | None) -> tuple[str, ...]:
    """Say where the data ends, if a day is asked about that it does not tell of: none there is no zero."""
    ends = [period.span.last for period in linked.periods if period.span.last < linked.today]
    if as_of is None or not any(end > as_of.date() for end in ends):
        return ()
    return (f"The data ends on {as_of.date()}; of later days it tells nothing.",)


async def suggest(question: str, *, now: datetime, reader: Pool) -> tuple[str, ...]:
    """Name questions to ask after this one; none where no verified query is like it."""
    understood = await understand(question, now=now, reader=reader)
    winner = clear_winner(understood.matches)
    return tuple(understood.related(winner.query)) if winner else ()
