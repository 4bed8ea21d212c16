"""Reading of a question without a model: names, days, its parse, verified queries."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from weakref import WeakKeyDictionary

import regex

from sprints.asking.changes import NO_SUCH_PART, Names, change_query, is_change
from sprints.asking.near_questions import NearQuestion, list_near_questions, list_values
from sprints.linking.link import LinkedQuestion, link
from sprints.linking.name_cache import data_as_of, load_name_index
from sprints.linking.names import NameIndex
from sprints.linking.titles import TitledIssues, find_titled_issues, replace_title
from sprints.semantics.model import SemanticModel
from sprints.semantics.query import MetricQuery
from sprints.semantics.questions.follow_up import parse_follow_up
from sprints.semantics.questions.follow_up_checks import check_follow_up
from sprints.semantics.questions.grammar import Parse, parse_question
from sprints.semantics.questions.lexicon import Lexicon, shipped_lexicon
from sprints.semantics.questions.lost_context import LOST, leans_on_context, parse_answer
from sprints.semantics.questions.two_parts import parse_parts
from sprints.verified.library import Library, VerifiedStatement, load_library
from sprints.verified.slots import EXAMPLES, NAMED, SLOT, list_slots
from sprints.verified.synonyms import load_lexicon
from toolbox.database.pools import Pool

MAX_NEAREST = 3
WHICH_ISSUE = "Several issues have the title '{said}': {keys}. Which one do you mean?"
STALE_AFTER = timedelta(days=7)
_EXAMPLES = EXAMPLES | {"top": "10", "unit": "week"}
_DETERMINERS = frozenset({"the", "our", "their", "its", "this", "that"})
_MAX_PARSES = 1_000
_parses: WeakKeyDictionary[NameIndex, dict[tuple[Lexicon, date, str], Parse]] = WeakKeyDictionary()
"""Parses of suggested questions, by the names that they were read with. Most answers suggest the same ones."""
IS_NAMED_PERIOD = regex.compile(r"(?:[A-Z][a-z]+|Q[1-4])(?: \d{4})?|\d{4}")


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionReading:
    """A question, its names, and its query if the grammar reads it completely."""

    question: str
    linked: LinkedQuestion
    parse: Parse
    index: NameIndex
    library: Library
    lexicon: Lexicon
    assumptions: tuple[str, ...] = ()
    context: MetricQuery | None = None
    is_follow_up: bool = False

    def find_lost(self) -> str:
        """
        Return the question if the next one may complete it. Empty if it is one only with what was asked before.

        Behind what changes another question, which was asked back, nobody knows which of both the next one is about.
        """
        leans = self.is_follow_up and leans_on_context(
            self.question, index=self.index, today=self.linked.today, lexicon=self.lexicon
        )
        return "" if leans else self.question

    def list_near(self) -> list[NearQuestion]:
        """Return questions that say the same as this one with the fewest changes."""
        named = [name for one in self.linked.spotted if one.is_hard and one.is_exact for name in one.names]
        return list_near_questions(
            self.question, readings=self.parse.readings, parts=self.parse.parts, index=self.index,
            today=self.linked.today, lexicon=self.lexicon, context=self.context, named=(*self.linked.sprints, *named),
        )  # fmt: skip

    def find_verified(self) -> VerifiedStatement | None:
        """Return the verified query with the question among its wordings."""
        return self.library.find(
            self.linked, index=self.index, lexicon=self.lexicon, is_follow_up=self.is_follow_up
        )  # fmt: skip

    def rank_verified(self) -> list[VerifiedStatement]:
        """Rank the verified queries by similarity."""
        return self.library.rank(self.linked, index=self.index, lexicon=self.lexicon)

    def list_nearest(self, *, topic: str = "", without: str = "") -> tuple[str, ...]:
        """Return similar questions that can be answered, those of a topic first, with the names of the question."""
        ranked = sorted(self.rank_verified(), key=lambda query: query.topic != topic) if topic else self.rank_verified()
        found: dict[str, None] = {}
        for query in ranked:
            if len(found) == MAX_NEAREST:
                break
            if query.slug != without and (worded := self._suggest_question(query)):
                found[worded] = None
        return tuple(found)

    def list_about_same(self) -> tuple[str, ...]:
        """Return verified questions about exactly what this one names, and about nothing else."""
        named, terms = list_values(self.linked), _list_terms(self.parse)
        if not named | terms:
            return ()
        found = [self._suggest_question(one) for one in self.rank_verified()]
        return tuple(
            one for one in found
            if one and list_values(self._parse(one).linked) == named and _list_terms(self._parse(one)) <= terms
        )[:MAX_NEAREST]  # fmt: skip

    def can_answer(self, question: str) -> bool:
        """Return whether the grammar reads a question completely."""
        parse = self._parse(question)
        return parse.query is not None and not parse.linked.unclear

    def keeps_names(self, question: str) -> bool:
        """Return whether another question names all that this one does: names, sprints, days and numbers."""
        return list_values(self.linked) <= list_values(self._parse(question).linked)

    def _parse(self, question: str) -> Parse:
        known, key = _parses.setdefault(self.index, {}), (self.lexicon, self.linked.today, question)
        if key not in known:
            if len(known) >= _MAX_PARSES:
                known.clear()
            known[key] = parse_question(question, index=self.index, today=self.linked.today, lexicon=self.lexicon)
        return known[key]

    def write_question(self, query: VerifiedStatement) -> str:
        """Write a query's question with the names of this question, or with others of the data."""
        return SLOT.sub(lambda found: self._find_example(found[1]) or found[1], query.question)

    def _suggest_question(self, query: VerifiedStatement) -> str:
        """Write a query's question. Empty if no such name is known, or if it does not say which sprints it means."""
        if not all(self._find_example(slot) for slot in list_slots(query.question)):
            return ""
        text = self.write_question(query)
        parse = self._parse(text)
        if parse.is_final:
            return ""  # it would be asked back: what a running sprint carried over
        is_hidden = query.is_shipped and query.find_hidden_default(parse.linked, lexicon=self.lexicon) is not None
        return "" if is_hidden and not self.can_answer(text) else text

    def _find_example(self, slot: str) -> str:
        kind = next((kind for kind in NAMED if kind == slot and kind != "sprint"), None)
        named = self.linked.of_kind(kind) if kind else []
        if len(named) == 1:
            return named[0].text
        if slot == "sprint":
            return self._find_sprint_example()
        if slot == "period":
            before = self.linked.today.replace(day=1) - timedelta(days=1)
            periods = [one.said for one in self.linked.periods if one.unit in ("month", "quarter", "year")]
            said = [one for one in periods if IS_NAMED_PERIOD.fullmatch(one)]
            return next(iter(said), f"{before:%B}")
        if slot == "key":
            return next((one.said for one in self.linked.keys), "")
        known = self.index.of_kind(kind) if kind and kind != "type" else []
        return known[0].text if known else "" if kind and kind != "type" else _EXAMPLES.get(slot, slot)

    def _find_sprint_example(self) -> str:
        unclear = {one.said for one in self.linked.unclear}
        for one in self.linked.sprint_references:
            if one.said not in unclear and len(one.numbers) <= 1:
                is_bare = one.position != "numbers" and one.said.lower().split()[0] not in _DETERMINERS
                return f"the {one.said}" if is_bare else one.said
        return _EXAMPLES["sprint"]


def _list_terms(parse: Parse) -> set[str]:
    """Return the terms that a question names, besides issues."""
    return {sense.name for one in parse.phrases for sense in one.senses if sense.kind != "mark"} - {"issue", "issues"}


async def read_question(
    question: str, *, now: datetime, reader: Pool, meant: Mapping[str, str] | None = None,
    context: MetricQuery | None = None, lost: str | None = None, lexicon: Lexicon | None = None,
    library: Library | None = None,
) -> QuestionReading:  # fmt: skip
    """
    Read a question. If everything is cached, a statement runs only for titles, where nothing else reads the question.

    `meant` says which of several a name means, `context` what the question before this one meant. `lost` is given if
    it has no query that could be changed: the question, if it was asked back, else an empty text. `lexicon` and
    `library` replace the stored ones, to try what is not saved yet.
    """
    lexicon = lexicon or await load_lexicon(reader=reader)
    names, as_of = await load_names(now=now, reader=reader, model=lexicon.model), await data_as_of(reader=reader)
    index, today = names.index, names.today

    def parse_whole(text: str) -> Parse:
        parse: Parse | None = None
        if context is not None:
            parse = parse_follow_up(text, context=context, index=index, today=today, lexicon=lexicon)
        elif lost is not None:
            parse = parse_after_lost(text)
        is_whole = parse is None
        parse = parse or parse_question(text, index=index, today=today, lexicon=lexicon, meant=meant or {})
        if context is not None:
            parse = check_follow_up(parse, context=context, index=index, lexicon=lexicon, is_whole=is_whole)
        return parse_parts(
            text, whole=parse, index=index, today=today, lexicon=lexicon, meant=meant or {}, context=context
        ) or parse  # fmt: skip

    def parse_alone(text: str) -> Parse:
        return parse_question(text, index=index, today=today, lexicon=lexicon, meant=meant or {})

    def parse_after_lost(text: str) -> Parse | None:
        """Parse what answers the question that was asked back. None if it is complete without it."""
        leans = leans_on_context(text, index=index, today=today, lexicon=lexicon)
        if lost and (leans or parse_alone(text).query is None):
            answered = parse_answer(
                text, asked=lost, index=index, today=today, lexicon=lexicon, parse_whole=parse_alone
            )  # fmt: skip
            if answered is not None:
                return answered
        linked = link(text, index=index, today=today, reserved=lexicon.reserved_phrases)
        return Parse(linked=linked, why=LOST, is_final=True) if leans else None

    parse = _parse_change(question, context=context, names=names) if is_change(question) else parse_whole(question)
    reading = QuestionReading(
        question=question, linked=parse.linked, parse=parse, index=index, lexicon=lexicon,
        library=library or await load_library(reader=reader),
        assumptions=tuple(_explain_days(parse.linked, now=now.date(), as_of=as_of.date() if as_of else None)),
        context=context, is_follow_up=context is not None or lost is not None,
    )  # fmt: skip
    if parse.query is not None or is_change(question) or reading.find_verified() is not None:
        return reading
    titled = await find_titled_issues(question, reader=reader)
    named = _parse_titled(question, titled=titled, parse_whole=parse_whole) if titled else None
    return replace(reading, parse=named, linked=named.linked) if named else reading


async def load_names(*, now: datetime, reader: Pool, model: SemanticModel) -> Names:
    """Load what names and days are read with. Days are counted from the data's last one, if that is long ago."""
    index, as_of = await load_name_index(reader=reader), await data_as_of(reader=reader)
    today = as_of.date() if as_of and now - as_of > STALE_AFTER else now.date()
    return Names(index=index, today=today, model=model)


def _parse_titled(question: str, *, titled: TitledIssues, parse_whole: Callable[[str], Parse]) -> Parse | None:
    """Parse a question with the key of an issue for its title. Of several it asks which is meant. None if it fails."""
    asked = [replace_title(question, titled=titled, key=key) for key in titled.keys]
    parses = {text: parse for text in asked if (parse := parse_whole(text)).query is not None}
    if not parses:
        return None
    first = next(iter(parses.values()))
    if len(titled.keys) == 1:
        return replace(first, assumptions=(f"Took '{titled.said}' as {titled.keys[0]}.", *first.assumptions))
    listed = ", ".join(titled.keys)
    return replace(
        first, query=None, why=WHICH_ISSUE.format(said=titled.said, keys=listed), parts=tuple(parses),
        readings=tuple(one.query for one in parses.values() if one.query is not None), is_final=True,
    )  # fmt: skip


def _parse_change(line: str, *, context: MetricQuery | None, names: Names) -> Parse:
    """Parse a line that changes the question before it. Its words name a part of that, so none of them is linked."""
    query = change_query(context, line=line, names=names) if context else None
    linked = link("", index=names.index, today=names.today)
    return Parse(linked=linked, query=query, why="" if query else NO_SUCH_PART)


def read_without_data(question: str, *, today: date) -> QuestionReading:
    """Read a question about a database whose names are unknown."""
    index, lexicon = NameIndex.from_names([]), shipped_lexicon()
    parse = parse_question(question, index=index, today=today, lexicon=lexicon)
    return QuestionReading(
        question=question, linked=parse.linked, parse=parse, index=index, library=Library(), lexicon=lexicon
    )


async def suggest_questions(question: str, *, now: datetime, reader: Pool) -> tuple[str, ...]:
    """Suggest follow-up questions. Empty if nothing answers the question."""
    reading = await read_question(question, now=now, reader=reader)
    verified = reading.find_verified()
    if verified is None and reading.parse.query is None:
        return ()
    return reading.list_nearest(topic=verified.topic if verified else "", without=verified.slug if verified else "")


def _explain_days(linked: LinkedQuestion, *, now: date, as_of: date | None) -> list[str]:
    """Say from which day days are counted, and where the data ends before the requested days."""
    said = []
    if linked.periods and linked.today != now:
        said.append(f"Counted days from {linked.today}, the latest that the data tells of.")
    last_days = [period.span.last for period in linked.periods if period.span.last < linked.today]
    if as_of is not None and any(day > as_of for day in last_days):
        said.append(f"The data ends on {as_of}; of later days it tells nothing.")
    return said
