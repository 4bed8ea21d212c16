"""Questions near one that is asked back: each is read by the grammar as the query that it was written for."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import regex

from sprints.asking.alternatives import SENTENCE_END, Alternative, find_alternatives, list_owners, make_key
from sprints.asking.question_text import word_questions
from sprints.linking.link import LinkedQuestion
from sprints.linking.names import Name, NameIndex
from sprints.semantics.compile import compile_query, keep_ties
from sprints.semantics.describe import join_conditions, split_conditions
from sprints.semantics.errors import SemanticError
from sprints.semantics.query import MetricQuery, NamedCondition
from sprints.semantics.questions.grammar import parse_question
from sprints.semantics.questions.lexicon import Lexicon

MAX_NEAR = 3
MAX_PARSES = 24
_FRAGMENT = regex.compile(
    r"\b(?:of|the|a|an|per|by|with|had|than|and|or|in|on|to|for|from|how many)$|\b(?:by|of|the) (?:by|of|in|on|at)\b"
    r"|\b(?:of|the|a|an|per) (?:do|does|did|is|are|was|were|has|have)\b"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NearQuestion:
    """A question that can be answered, and the words of the asked one that it leaves out."""

    text: str
    query: MetricQuery
    left_out: tuple[str, ...] = ()


@dataclass(slots=True, kw_only=True)
class Writer:
    """Writes queries as questions, and reads each back. The number of questions that it reads is bounded."""

    index: NameIndex
    today: date
    lexicon: Lexicon
    owners: Mapping[str, str]
    parses: int = 0

    def write(self, query: MetricQuery, *, also: Sequence[str] = (), first: str = "") -> str:
        """Write a query as a question. Empty if none of its wordings is read as that query."""
        opened = join_conditions((*split_conditions(query.where), NamedCondition(predicate="open")))
        shown = query.model_copy(update={"where": opened})  # what is asked of open work only, and says so
        keys = [make_key(one, owners=self.owners) for one in (query, shown)]
        texts = (*([first] if first else []), *_take(word_questions(query, model=self.lexicon.model), 3), *also)
        for text in texts:
            if self.parses >= MAX_PARSES:
                return ""
            self.parses += 1
            parse = parse_question(text, index=self.index, today=self.today, lexicon=self.lexicon)
            is_read = parse.query is not None and not parse.linked.unclear
            if is_read and parse.query and _shows(parse.query, as_query=query) and (
                make_key(parse.query, owners=self.owners) in keys
            ):  # fmt: skip
                return text
        return ""

    def can_compile(self, query: MetricQuery) -> bool:
        """Return whether the terms of a query fit together."""
        try:
            compile_query(keep_ties(query), model=self.lexicon.model)
        except SemanticError:
            return False
        return True


def list_near_questions(
    question: str, *, readings: Sequence[MetricQuery], index: NameIndex, today: date, lexicon: Lexicon,
    context: MetricQuery | None, parts: Sequence[str] = (), named: Sequence[Name] = (),
) -> list[NearQuestion]:  # fmt: skip
    """
    List questions near one: its parts or readings if it has two, then what it says with the fewest changes.

    A part is offered in its own words, if these say it alone. One without words is written. Each is about the rows
    that a question of one sentence names.
    """
    writer = Writer(index=index, today=today, lexicon=lexicon, owners=list_owners(index))
    if parts:
        worded = [writer.write(one, first=text) for one, text in zip(readings, parts, strict=True)]
        return [NearQuestion(text=text, query=one) for text, one in zip(worded, readings, strict=True) if text]
    found = [Alternative(query=one, cost=0.0, left_out=(), text="") for one in readings]
    if not found:
        found = find_alternatives(question, index=index, today=today, lexicon=lexicon, context=context)
    if context is None and not SENTENCE_END.search(question.strip()[:-1]):
        found = [one for one in found if all(name.value in str(one.query) for name in named)]
    near: dict[str, NearQuestion] = {}
    said: set[str] = set()
    same = [one for one in found if _rows_of(one.query, seen=said)]
    for one in [one for one in found if one not in same] + same:
        if len(near) == MAX_NEAR:
            break
        if not writer.can_compile(one.query):
            continue
        end = "?" if question.rstrip().endswith("?") else ""
        own = [f"{one.text}{end}"] if _is_whole(one, question=question) and not context else []
        if text := writer.write(one.query, also=own):
            near.setdefault(text, NearQuestion(text=text, query=one.query, left_out=one.left_out))
    return list(near.values())


def list_values(linked: LinkedQuestion) -> frozenset[object]:
    """Return what a question names: rows of the data, sprints, days and numbers."""
    named = [name.value for one in linked.spotted for name in one.names]
    days = [(one.span.start, one.span.end) for one in linked.periods]
    keys = [one.said.upper() for one in linked.keys]
    return frozenset((*named, *(one.value for one in linked.sprints), *days, *keys, *map(str, linked.amounts)))


def _rows_of(query: MetricQuery, *, seen: set[str]) -> bool:
    """Return whether the rows of a query were already counted, or listed."""
    if query.group_by or query.rank or query.share or len(query.measures) > 1:
        return False
    rows = str(sorted(str(part) for part in split_conditions(query.where)))
    is_seen = rows in seen and (bool(query.rows_of) or query.measures[0] == "issues")
    if query.rows_of or query.measures[0] == "issues":
        seen.add(rows)
    return is_seen


def _shows(query: MetricQuery, *, as_query: MetricQuery) -> bool:
    """Return whether a list shows the columns that another one asks for. A ranked one shows what it is ranked by."""
    return not as_query.columns or bool(as_query.rank) or set(as_query.columns) <= set(query.columns)


def _is_whole(alternative: Alternative, *, question: str) -> bool:
    """Return whether the question is still a sentence: it begins as it began, and only one word of it is left out."""
    text = alternative.text
    if not {*text.lower().split()} <= {*regex.sub(r"[.,;:?!]", " ", question.lower()).split()}:
        return False
    return bool(text) and text[0].isupper() and len(alternative.left_out) <= 1 and not _FRAGMENT.search(text)


def _take(texts: Iterator[str], size: int) -> Iterator[str]:
    return (text for text, _ in zip(texts, range(size), strict=False))
