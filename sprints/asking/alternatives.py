"""
Queries near a question that the grammar does not read.

The question is searched for what it says with the fewest changes: a phrase without a place is left out, an unknown word
is replaced by one that it resembles, a pronoun by the one name that it can stand for. What is left is assembled like
any question. The fewer words, and the less important ones, are changed, the nearer is a query. Pure and bounded.
"""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import date
from heapq import heappop, heappush
from itertools import count, pairwise

import regex

from sprints.asking.composition import ComposedQuery, change_context, complete, compose, prepare
from sprints.asking.likely_words import list_likely, respell
from sprints.asking.question_text import BEGUN
from sprints.asking.variants import list_variants
from sprints.linking.folding import fold, normalise, words
from sprints.linking.link import MAX_QUESTION, LinkedQuestion, link
from sprints.linking.names import Name, NameIndex
from sprints.semantics.describe import split_conditions
from sprints.semantics.enums import Operator
from sprints.semantics.lookup import get_entity
from sprints.semantics.model import SemanticModel
from sprints.semantics.query import (
    And,
    Comparison,
    Condition,
    DimensionGroup,
    MetricQuery,
    NamedCondition,
    Or,
)
from sprints.semantics.questions.assembly import assemble
from sprints.semantics.questions.follow_up import parse_follow_up
from sprints.semantics.questions.lexicon import ASKING, Lexicon
from sprints.semantics.questions.phrase import Phrase
from sprints.semantics.questions.phrases import read_phrases
from sprints.semantics.questions.signs import spell_signs
from sprints.semantics.questions.terms import Unbound
from sprints.semantics.questions.tokens import MAX_TOKENS, PRONOUNS, Token, cut
from sprints.semantics.questions.topics import MAX_TOPIC_WORDS

MAX_READINGS = 14
MAX_FOUND = 12
COMPOSED_COST = 0.9
TITLE_BEHIND, TITLE_BEFORE = -0.5, 0.1
"""What it counts to search an unknown word in titles, compared with leaving it out: bugs in search, search bugs."""
MAX_FOLLOW_UPS = 4
MAX_COST_OVER_BEST = 4.0
_ASIDE, _ASIDE_IN_SENTENCE, _ASIDE_UNKNOWN = 0.4, 0.8, 0.2
_OF_ONESELF = regex.compile(r"\b(?:I|I'm|my|me)\b", regex.IGNORECASE)
"""What a word outside of the clause that asks counts, compared with one inside."""
_SUBORDINATE = frozenset(
    {"while", "once", "because", "although", "though", "if", "whether", "when", "where", "so", "but"}
)
_NEGATIVE = frozenset({"not", "nobody", "except", "without", "only", "nothing", "ever", "not_each", "swap"})
_EDGES = frozenset({"since", "after", "before", "until", "between"})
_SILENT = frozenset({"be", "have", "do", "and", "total", "past", "how", "to", "this"})
_STANDING = frozenset({"it", "its", "these", "those"}) | PRONOUNS
SENTENCE_END = regex.compile(r"[.!?:;\u2013\u2014]|\s-\s")
_BREAK = regex.compile(r"[.!?:;,()\u2013\u2014]|\s-\s")
_KEY = regex.compile(r"key='([^']*)'")
_CONTRADICTING = (
    ("done", "in_progress"), ("done", "to_do"), ("done", "open"), ("completed", "left_in_sprint"),
    ("completed", "open"), ("completed", "not_completed"), ("open", "in_progress"), ("open", "to_do"),
)  # fmt: skip
_EPIC_TITLE = DimensionGroup(dimension="epic_title")  # stands beside each epic


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative:
    """A query near a question: what it costs, which words it leaves out, and the question with the changes."""

    query: MetricQuery
    cost: float
    left_out: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _State:
    """Tokens that are still to be read as a question, about some of the entities."""

    tokens: tuple[Token, ...]
    text: str
    left_out: tuple[Token, ...] = ()
    entities: tuple[str, ...] = ()


def find_alternatives(
    question: str, *, index: NameIndex, today: date, lexicon: Lexicon, context: MetricQuery | None = None
) -> list[Alternative]:
    """Find queries near a question, the nearest first, each once."""
    search = _Search(index=index, today=today, lexicon=lexicon, context=context, owners=list_owners(index))
    text = spell_signs(normalise(question)[:MAX_QUESTION], index=index)
    for spelt, cost in respell(text, index=index, today=today, lexicon=lexicon):
        search.add_text(spelt, cost=cost)
    return search.run()


@dataclass(slots=True, kw_only=True)
class _Search:
    """A best-first search over shortened questions."""

    index: NameIndex
    today: date
    lexicon: Lexicon
    context: MetricQuery | None
    owners: Mapping[str, str]
    heap: list[tuple[float, int, _State]] = field(default_factory=list)
    seen: set[tuple[object, ...]] = field(default_factory=set)
    found: dict[object, Alternative] = field(default_factory=dict)
    ticks: Iterator[int] = field(default_factory=count)
    follow_ups: int = 0

    def add_text(self, text: str, *, cost: float) -> None:
        """Add a text: whole, and each clause of it that asks."""
        linked = link(text, index=self.index, today=self.today, reserved=self.lexicon.reserved_phrases)
        tokens = tuple(cut(linked, lexicon=self.lexicon, index=self.index))
        if len(tokens) > MAX_TOKENS:
            return
        clauses, edges = _list_clauses(tokens, linked=linked)
        for start, end in clauses:
            outside = [*tokens[:start], *tokens[end:]]
            is_sentence = {start, end} <= edges
            is_aside = is_sentence or (end in edges and _OF_ONESELF.search(text[: tokens[start].start]))
            lost = {one.said for one in outside if _is_value(one)} if not is_aside else set()
            known = _ASIDE if is_sentence else _ASIDE_IN_SENTENCE
            aside = sum(_weigh(one) * (known if one.is_known else _ASIDE_UNKNOWN) for one in outside)
            self._add_clause(tokens[start:end], outside=outside, lost=lost, text=text, cost=cost + aside)

    def _add_clause(
        self, tokens: Sequence[Token], *, outside: Sequence[Token], lost: AbstractSet[str], text: str, cost: float
    ) -> None:
        """Add a clause, unless it loses what the question names and no pronoun stands for it."""
        unknown = [one for one in tokens if not one.is_known]
        known = [one for one in tokens if one.is_known]
        cost += sum(map(_weigh, unknown))
        for kept, dropped, extra in _resolve_pronouns(known, outside=outside):
            if not lost <= {one.said for one in kept}:
                continue
            state = _State(
                tokens=tuple(kept),
                text=text,
                left_out=(*unknown, *dropped),
                entities=tuple(self.lexicon.model.entities),
            )
            self._push(state, cost=cost + extra)
            self._push(replace(state, entities=()), cost=cost + extra + COMPOSED_COST)

        for title, extra in _read_as_titles(tokens) if not lost else ():
            state = _State(tokens=tuple(title), text=text, entities=tuple(self.lexicon.model.entities))
            self._push(state, cost=cost + extra)

    def _push(self, state: _State, *, cost: float) -> None:
        key = (*((one.start, one.said) for one in state.tokens), *state.entities)
        if state.tokens and key not in self.seen:
            self.seen.add(key)
            heappush(self.heap, (cost, next(self.ticks), state))

    def run(self) -> list[Alternative]:
        """Read the cheapest state until enough is found."""
        for _ in range(MAX_READINGS):
            if not self.heap:
                break
            cost, _, state = heappop(self.heap)
            best = min((one.cost for one in self.found.values()), default=cost)
            if len(self.found) >= MAX_FOUND or cost > best + MAX_COST_OVER_BEST:
                break
            self._read(state, cost=cost)
        return sorted(self.found.values(), key=lambda one: one.cost)

    def _compose(self, state: _State, *, cost: float) -> None:
        """Compose the words in any order. Those that find no place are left out."""
        model = self.lexicon.model
        guesses = [one for one in map(self._find_likely, state.left_out) if not one.is_polite and one.senses]
        given = sorted((*state.tokens, *guesses), key=lambda one: one.start)
        tokens = prepare(given, sprints=self.index.sprints, model=model)
        changed = [change_context(self.context, tokens=tokens, model=model)] if self.context else []
        for one in (*changed, *compose(tokens, model=model)):
            if not one.used:
                continue
            left = [token for token in (*state.tokens, *state.left_out) if not _is_used(token, query=one)]
            kept = [token for token in state.tokens if token in left]
            guessed = [token for token in state.left_out if token not in left]
            words_cost = sum(0.1 if _says_little(token) or _says_rows(token, query=one.query, model=model)
                                else _weigh(token) for token in kept)  # fmt: skip
            self._keep(
                one.query,
                state=replace(state, left_out=tuple(left)),
                cost=cost - COMPOSED_COST * (one in changed) + words_cost - sum(_weigh(one) - 0.5 for one in guessed),
                is_whole=one in changed,
            )

    def _read(self, state: _State, *, cost: float) -> None:
        if not state.entities:
            self._compose(state, cost=cost)
            return
        if self.context is not None and self.follow_ups < MAX_FOLLOW_UPS:
            self.follow_ups += 1
            self._read_follow_up(state, context=self.context, cost=cost)
        phrases = read_phrases(state.tokens)
        failed: dict[tuple[Phrase, ...], list[str]] = {}
        for place, entity in enumerate(state.entities):
            try:
                found = assemble(phrases, entity=entity, lexicon=self.lexicon)
            except Unbound as unbound:
                if unbound.phrase is not None:
                    failed.setdefault((unbound.phrase,), []).append(entity)
                continue
            except ValueError:
                continue
            self._keep(found.query, state=state, cost=cost + 0.3 * found.cost + 0.01 * place)
        for (phrase,), entities in failed.items():
            self._shorten(state, phrase=phrase, entities=entities, cost=cost)

    def _shorten(self, state: _State, *, phrase: Phrase, entities: Sequence[str], cost: float) -> None:
        """Leave a phrase out. A number is also tried without the words around it."""
        inside = [one for one in state.tokens if phrase.start <= one.start < phrase.start + max(len(phrase.said), 1)]
        options = [inside] if inside else []
        if len(inside) > 1:
            options.append([one for one in inside if not _names(one)])
        for gone in options:
            if gone:
                kept = tuple(one for one in state.tokens if one not in gone)
                shorter = replace(state, tokens=kept, left_out=(*state.left_out, *gone), entities=tuple(entities))
                self._push(shorter, cost=cost + sum(map(_weigh, gone)))

    def _read_follow_up(self, state: _State, *, context: MetricQuery, cost: float) -> None:
        text = _write(state)
        parse = parse_follow_up(
            text,
            context=context,
            index=self.index,
            today=self.today,
            lexicon=self.lexicon,
        )
        if parse is not None and parse.query is not None:
            self._keep(parse.query, state=state, cost=cost, is_whole=True)

    def _lists_or_counts(self, query: MetricQuery) -> bool:
        """Return whether a query lists rows or counts them."""
        entities = self.lexicon.model.entities.values()
        return bool(query.rows_of) or query.measures[0] in {one.count for one in entities}

    def _find_likely(self, token: Token) -> Token:
        """Return a word with the meaning that it probably has."""
        if _names(token):
            return token
        known = [
            self.lexicon.phrases.get(tuple(word.folded for word in words(fold(one))), ())
            for one in (list_likely(token.said) or list_likely(token.said.split()[0]))
        ]
        senses = tuple(dict.fromkeys((*token.senses, *(sense for one in known for sense in one))))
        return replace(token, senses=senses)

    def _vary(self, query: MetricQuery, *, state: _State, cost: float) -> None:
        """Keep what the words that were left out add, and the same rows as a number or as a list."""
        tokens = sorted((*state.tokens, *state.left_out), key=lambda one: one.start)
        model = self.lexicon.model
        likely = {one.start: self._find_likely(one) for one in tokens if one in state.left_out or one.is_free}
        tokens = [likely.get(one.start, one) for one in tokens]
        more = complete(query, tokens=tokens, spare=list(likely.values()), model=model)
        if more.used:
            starts = {one.start for one in more.used}
            gain = sum(_weigh(one) for one in state.left_out if one.start in starts) - 0.3
            left = replace(state, left_out=tuple(one for one in state.left_out if one.start not in starts))
            self._keep(more.query, state=left, cost=cost - gain, is_whole=True, is_variant=True)
            query, cost = more.query, cost - gain
        for variant, extra in list_variants(query, tokens=tokens, model=model):
            self._keep(variant, state=state, cost=cost + extra, is_whole=True, is_variant=True)

    def _keep(
        self, query: MetricQuery, *, state: _State, cost: float, is_whole: bool = False, is_variant: bool = False
    ) -> None:
        cost += 3.0 * (self.context is not None and not is_whole)
        if not is_variant:
            self._vary(query, state=state, cost=cost)
        if any(map(_must_stay, state.left_out)):
            return
        asks_number = any(one.marks & {"how_many", "how_much"} for one in (*state.tokens, *state.left_out))
        is_plain = not (query.group_by or query.rank or query.share or len(query.measures) > 1)
        cost += 0.4 * (is_plain and bool(query.rows_of) == asks_number and self._lists_or_counts(query))
        cost += 1.5 * (query.where is None and not query.group_by and not query.rank)
        cost += 2.0 * ("dimension='issue'" in str(query.group_by))
        states = {one.predicate for one in split_conditions(query.where) if isinstance(one, NamedCondition)}
        said = self.lexicon.model.measures[query.measures[0]].where if query.measures else ()
        if states & {*said} or any({*states, *said}.issuperset(pair) for pair in _CONTRADICTING):
            return
        entity = query.rows_of or self.lexicon.model.measures[query.measures[0]].entity
        if entity == "sprint" and self._lists_or_counts(query) and "field='sprint'" in str(query.where):
            return  # which sprints are Sprint 8
        cost += 1.0 * (entity in ("sprint", "team", "person") and "velocity" not in query.measures)
        key = make_key(query, owners=self.owners)
        if key not in self.found or self.found[key].cost > cost:
            said = tuple(one.said for one in sorted(state.left_out, key=lambda one: one.start) if not _says_little(one))
            self.found[key] = Alternative(query=query, cost=cost, left_out=said, text=_write(state))


def _write(state: _State) -> str:
    """Return the text without what is left out."""
    text = state.text
    kept = sorted(state.tokens, key=lambda one: one.start)
    pieces = []
    for token, following in pairwise([*kept, Token(said="", start=len(text), end=len(text))]):
        between = text[token.end : following.start]
        pieces.append(token.said + ("'s" if between.startswith(("'s", "\u2019s")) else ""))
    return " ".join(pieces)


def _is_used(token: Token, *, query: ComposedQuery) -> bool:
    return any(one.start <= token.start < one.end for one in query.used)


def _says_rows(token: Token, *, query: MetricQuery, model: SemanticModel) -> bool:
    """Return whether a noun names the rows, or the unit, that a query is about anyway: issues in sprints, points."""
    entity = get_entity(query, model=model)
    rows = {"membership": ("issue", "sprint")}.get(entity, (entity,))
    if entity == "membership" and "sprint" not in str((query.where, query.group_by)):
        rows = ("issue",)
    unit = model.measures[query.measures[0]].unit if query.measures else ""
    return any((sense.kind == "entity" and sense.name in rows) or (sense.form == "noun" and sense.name == unit)
               for sense in token.senses)  # fmt: skip


def _names(token: Token) -> bool:
    """Return whether it is a name, a time or a number."""
    has_number = any(one is not None for one in (token.number, token.days, token.top))
    return bool(token.names or token.period or token.reference or token.key) or has_number


def _read_as_titles(tokens: Sequence[Token]) -> Iterator[tuple[list[Token], float]]:
    """Return the tokens with their only unknown words as those of a title, and the cost: bugs in | search."""
    places = [place for place, one in enumerate(tokens) if not one.is_known]
    if not places or places[-1] - places[0] != len(places) - 1 or len(places) > MAX_TOPIC_WORDS:
        return
    before, behind = tokens[: places[0]], tokens[places[-1] + 1 :]
    is_behind = len(before) > 1 and before[-1].is_preposition and _is_row(before[-2])
    if is_behind or (behind and _is_row(behind[0])):
        said = " ".join(tokens[place].said for place in places)
        name = Name(kind="title", value=said, text=said)
        title = replace(tokens[places[0]], kind="title", names=(name,))
        yield (
            [*before[: -1 if is_behind else None], title, *behind],
            TITLE_BEHIND if is_behind else TITLE_BEFORE,
        )


def _is_row(token: Token) -> bool:
    return token.kind == "type" or any(sense.kind == "entity" and sense.form == "noun" for sense in token.senses)


def _stands_for_name(token: Token) -> bool:
    return token.said.lower() in _STANDING or bool(token.marks & {"anaphor", "mine"})


def _must_stay(token: Token) -> bool:
    """Return whether a question without the word would say something else without a sign of it."""
    return _is_value(token) or bool(token.marks & _NEGATIVE)


def _is_value(token: Token) -> bool:
    """Return whether it names something of the data, a time or a number. Words of a title may be anything."""
    return _names(token) and token.kind != "title"


def _says_little(token: Token) -> bool:
    """Return whether it only says that something is asked, not what."""
    return token.is_free or (bool(token.marks) and token.marks <= ASKING | _SILENT and not _has_term(token))


def _has_term(token: Token) -> bool:
    return any(sense.kind not in ("mark", "free") for sense in token.senses)


def _weigh(token: Token) -> float:
    """Return what leaving a word out costs."""
    if _names(token):
        return 4.0
    if not token.is_known:
        return 1.0 if token.said[:1].islower() else 1.5
    if token.marks & _NEGATIVE:
        return 3.0
    if _has_term(token):
        return 2.0
    if token.is_free or token.marks <= _SILENT:
        return 0.05 if token.is_free else 0.2
    if token.marks & _EDGES:
        return 2.5
    return 0.6 if token.marks & (ASKING | {"anaphor", "mine", "our", "follow"}) else 1.5


def _list_clauses(tokens: Sequence[Token], *, linked: LinkedQuestion) -> tuple[list[tuple[int, int]], set[int]]:
    """
    Return where the question may begin and end: all of it, and from each word that asks to each end of a clause.

    The edges of sentences come with it: beside a sentence of its own, another one may be ignored with what it names.
    """
    size = len(tokens)
    between = [(place + 1, linked.text[one.end : other.start]) for place, (one, other) in enumerate(pairwise(tokens))]
    breaks = [
        place for place, text in between if _BREAK.search(text) or tokens[place].said.lower() in _SUBORDINATE
    ]  # fmt: skip
    edges = {0, size, *(place for place, text in between if SENTENCE_END.search(text))}
    heads = [place for place, one in enumerate(tokens) if one.marks & ASKING or "share" in one.marks]
    starts = sorted({0, *heads, *breaks})
    ends = sorted({size, *breaks})
    clauses = [(0, size), *((start, size) for start in starts[1:])]
    clauses += [(start, end) for start in starts for end in ends if start < end < size]
    return clauses[:16], edges


def _resolve_pronouns(
    tokens: Sequence[Token], *, outside: Sequence[Token]
) -> Iterator[tuple[list[Token], list[Token], float]]:
    """Yield the tokens without pronouns that stand for nothing, or with the one name that they can stand for."""
    pronouns = [one for one in tokens if _stands_for_name(one)]
    rest = [one for one in tokens if one not in pronouns]
    yield rest, pronouns, 0.2 * bool(pronouns)
    known = [one for one in outside if one.names or one.key or one.reference]
    if pronouns and len({one.said for one in known}) == 1:
        named = replace(known[0], start=pronouns[0].start, end=pronouns[0].end)
        yield (
            [named if one is pronouns[0] else one for one in tokens if one is pronouns[0] or one in rest],
            [],
            0.1 - 1.5,
        )


def make_key(query: MetricQuery, *, owners: Mapping[str, str]) -> object:
    """
    Return what is the same for two queries with the same rows: conditions in any order, none said twice, any columns.

    `owners` are the teams of the sprints, so that a sprint says its team.
    """
    parts = [_flatten(one) for one in split_conditions(query.where)]
    texts = [str(one) for one in parts]
    teams = {owners[key] for text in texts if "sprint" in text for key in _KEY.findall(text) if key in owners}
    groups = frozenset(str(one) for one in query.group_by if one != _EPIC_TITLE)
    grouped = {one.dimension for one in query.group_by if isinstance(one, DimensionGroup)}
    is_closed = any("'sprint_closed'" in text for text in texts)
    conditions = frozenset(
        text for part, text in zip(parts, texts, strict=True)
        if not (is_closed and part == BEGUN)
        and not ("'member_now'" in text and any("'completed'" in one for one in texts))
        and not (len(teams) == 1 and isinstance(part, Comparison) and part.field == "team" and part.op is Operator.EQ)
        and not (isinstance(part, Comparison) and part.op is Operator.IS_NOT_NULL and part.field in grouped)
    )  # fmt: skip
    rank = query.rank
    having, sides = frozenset(map(str, query.having)), frozenset(str(one.where) for one in query.compare)
    order = () if rank else tuple(map(str, query.order))
    kind = (query.rows_of, query.measures, query.limit, query.trend)
    return conditions, groups, kind, str(rank), order, having, sides, str(query.share)


def list_owners(index: NameIndex) -> Mapping[str, str]:
    """Return the team of each sprint."""
    return {name.value: name.team_id for name in index.sprints if name.team_id}


def _flatten(condition: Condition) -> Condition:
    """Return a list of one value as that value, and values in one order."""
    if isinstance(condition, Comparison) and condition.op in (Operator.IN, Operator.NOT_IN):
        values = tuple(sorted(condition.values, key=str))
        single = Operator.EQ if condition.op is Operator.IN else Operator.NE
        op = single if len(values) == 1 else condition.op
        return condition.model_copy(update={"op": op, "values": values})
    if isinstance(condition, Or) and (merged := _merge_values(condition)) is not None:
        return _flatten(merged)
    if isinstance(condition, And | Or):
        return condition.model_copy(update={"parts": tuple(sorted(map(_flatten, condition.parts), key=str))})
    return condition


def _merge_values(condition: Or) -> Comparison | None:
    """Return alternatives of one dimension as one comparison."""
    parts = [one for one in condition.parts if isinstance(one, Comparison) and one.op in (Operator.EQ, Operator.IN)]
    if len(parts) < len(condition.parts) or len({one.field for one in parts}) > 1:
        return None
    values = tuple(dict.fromkeys(value for one in parts for value in one.values))
    return Comparison(field=parts[0].field, op=Operator.IN, values=values)
