"""
Queries near a question that the grammar does not read.

The question is searched for what it says with the fewest changes: a phrase without a place is left out, an unknown word
is replaced by one that it resembles, a pronoun by the one name that it can stand for. What is left is assembled like
any question. The fewer words, and the less important ones, are changed, the nearer is a query. Pure and bounded.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import lru_cache
from heapq import heappop, heappush
from importlib.resources import files
from itertools import count, pairwise
from tomllib import loads

import regex
from rapidfuzz import process
from rapidfuzz.distance import OSA

from sprints.asking.composition import complete, compose, list_variants
from sprints.linking.folding import fold, normalise, words
from sprints.linking.link import MAX_QUESTION, LinkedQuestion, link
from sprints.linking.names import NameIndex
from sprints.semantics.describe import join_conditions, split_conditions
from sprints.semantics.enums import Operator
from sprints.semantics.query import And, Comparison, Condition, DimensionGroup, MetricQuery, Or, TimeRange
from sprints.semantics.questions.assembly import assemble
from sprints.semantics.questions.follow_up import list_counted_rows, parse_follow_up
from sprints.semantics.questions.lexicon import ASKING, Lexicon
from sprints.semantics.questions.phrase import Phrase
from sprints.semantics.questions.phrases import read_phrases
from sprints.semantics.questions.terms import Unbound
from sprints.semantics.questions.tokens import MAX_TOKENS, PRONOUNS, Token, correct_words, cut, spell_signs

MAX_READINGS = 18
MAX_FOUND = 12
COMPOSED_COST = 0.9
MAX_FOLLOW_UPS = 4
MAX_COST_OVER_BEST = 4.0
SHORT_WORD_LETTERS, MEDIUM_WORD_LETTERS = 4, 6
_ASIDE, _ASIDE_UNKNOWN = 0.4, 0.2
"""What a word outside of the clause that asks counts, compared with one inside."""
_SUBORDINATE = frozenset({"while", "once", "because", "although", "though", "if", "whether", "when", "where", "so", "but"})
_NEGATIVE = frozenset({"not", "nobody", "except", "without", "only", "nothing", "ever", "not_each", "swap"})
_EDGES = frozenset({"since", "after", "before", "until", "between"})
_SILENT = frozenset({"be", "have", "do", "and", "total", "past", "how", "to", "this"})
_STANDING = frozenset({"it", "its", "these", "those"}) | PRONOUNS
_BREAK = regex.compile(r"[.!?:;,()\u2013\u2014]|\s-\s")
_KEY = regex.compile(r"key='([^']*)'")
_ENDINGS = ("ments", "ment", "ings", "ing", "ions", "ion", "ers", "er", "ed", "es", "s", "ly", "e")


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
    text = spell_signs(normalise(question)[:MAX_QUESTION])
    for spelt, cost in _respell(text, index=index, today=today, lexicon=lexicon):
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
        linked = link(text, index=self.index, today=self.today)
        tokens = tuple(cut(linked, lexicon=self.lexicon, index=self.index))
        if len(tokens) > MAX_TOKENS:
            return
        for start, end in _list_clauses(tokens, linked=linked):
            outside = [*tokens[:start], *tokens[end:]]
            aside = sum(_weigh(one) * (_ASIDE if one.is_known else _ASIDE_UNKNOWN) for one in outside)
            self._add_clause(tokens[start:end], outside=outside, text=text, cost=cost + aside)

    def _add_clause(self, tokens: Sequence[Token], *, outside: Sequence[Token], text: str, cost: float) -> None:
        unknown = [one for one in tokens if not one.is_known]
        known = [one for one in tokens if one.is_known]
        cost += sum(map(_weigh, unknown))
        for kept, dropped, extra in _resolve_pronouns(known, outside=outside):
            state = _State(
                tokens=tuple(kept), text=text, left_out=(*unknown, *dropped), entities=tuple(self.lexicon.model.entities)
            )
            self._push(state, cost=cost + extra)
            self._push(replace(state, entities=()), cost=cost + extra + COMPOSED_COST)

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
        for one in compose(state.tokens, model=self.lexicon.model):
            unused = [token for token in state.tokens if token not in one.used]
            left = replace(state, left_out=(*state.left_out, *unused))
            self._keep(one.query, state=left, cost=cost + sum(0.1 if _says_little(token) else _weigh(token) for token in unused))

    def _read(self, state: _State, *, cost: float) -> None:
        if not state.entities:
            self._compose(state, cost=cost)
            return
        if self.context is not None and self.follow_ups < MAX_FOLLOW_UPS:
            self.follow_ups += 1
            self._read_follow_up(state, cost=cost)
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
                if any(one.period and one.start > gone[0].start for one in kept):
                    self._push(self._cut_again(shorter), cost=cost + sum(map(_weigh, gone)) - 0.1)

    def _cut_again(self, state: _State) -> _State:
        """Read the words anew, without articles and prepositions beside what is left out: since | the first of | May."""
        gone = {one.start for one in state.left_out}
        ordered = sorted((*state.tokens, *state.left_out), key=lambda one: one.start)
        kept = []
        for place, token in enumerate(ordered):
            beside = ordered[max(place - 1, 0) : place + 2]
            is_joint = token.is_free and any(one.start in gone for one in beside)
            if token.start not in gone and not is_joint:
                kept.append(token)
        text = _write(replace(state, tokens=tuple(kept)))
        tokens = cut(link(text, index=self.index, today=self.today), lexicon=self.lexicon, index=self.index)
        return replace(state, tokens=tuple(one for one in tokens if one.is_known), text=text)

    def _read_follow_up(self, state: _State, *, cost: float) -> None:
        text = _write(state)
        parse = parse_follow_up(
            text, context=self.context, index=self.index, today=self.today, lexicon=self.lexicon  # type: ignore[arg-type]
        )
        if parse is not None and parse.query is not None:
            self._keep(parse.query, state=state, cost=cost, is_whole=True)

    def _find_likely(self, token: Token) -> Token:
        """Return a word with the meaning that it probably has."""
        if _names(token):
            return token
        known = [self.lexicon.phrases.get(_key(one), ()) for one in _list_likely(token.said)]
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
        if self.context is not None and not is_whole:
            merged = merge_queries(self.context, query, lexicon=self.lexicon)
            if merged is not None:
                self._keep(merged, state=state, cost=cost - 0.5, is_whole=True)
                cost += 1.0
        if not is_variant:
            self._vary(query, state=state, cost=cost)
        cost += 1.5 * (query.where is None and not query.group_by and not query.rank)
        cost += 2.0 * ("dimension='issue'" in str(query.group_by))
        key = make_key(query, owners=self.owners)
        if key not in self.found or self.found[key].cost > cost:
            said = tuple(one.said for one in sorted(state.left_out, key=lambda one: one.start) if not one.is_free)
            self.found[key] = Alternative(query=query, cost=cost, left_out=said, text=_write(state))


def _write(state: _State) -> str:
    """Return the text without what is left out."""
    text = state.text
    kept = sorted(state.tokens, key=lambda one: one.start)
    pieces = []
    for token, following in pairwise([*kept, Token(said="", start=len(text), end=len(text))]):
        said = token.said if text[token.start : token.end] != token.said else text[token.start : token.end]
        between = text[token.end : following.start]
        pieces.append(said + ("'s" if between.startswith(("'s", "’s")) else ""))
    return " ".join(pieces)


def _names(token: Token) -> bool:
    """Return whether it is a name, a time or a number."""
    has_number = any(one is not None for one in (token.number, token.days, token.top))
    return bool(token.names or token.period or token.reference or token.key) or has_number


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


def _list_clauses(tokens: Sequence[Token], *, linked: LinkedQuestion) -> list[tuple[int, int]]:
    """Return where the question may begin and end: all of it, and from each word that asks to each end of a clause."""
    size = len(tokens)
    breaks = [
        place + 1 for place, (one, other) in enumerate(pairwise(tokens))
        if _BREAK.search(linked.text[one.end : other.start]) or other.said.lower() in _SUBORDINATE
    ]  # fmt: skip
    heads = [place for place, one in enumerate(tokens) if one.marks & ASKING or "share" in one.marks]
    starts = sorted({0, *heads, *breaks})
    ends = sorted({size, *breaks})
    clauses = [(0, size), *((start, size) for start in starts[1:])]
    clauses += [(start, end) for start in starts for end in ends if start < end < size]
    return clauses[:16]


def _resolve_pronouns(
    tokens: Sequence[Token], *, outside: Sequence[Token]
) -> Iterator[tuple[list[Token], list[Token], float]]:
    """Yield the tokens without pronouns that stand for nothing, or with the one name that they can stand for."""
    pronouns = [one for one in tokens if one.said.lower() in _STANDING or one.marks & {"anaphor", "mine"}]
    rest = [one for one in tokens if one not in pronouns]
    yield rest, pronouns, 0.2 * bool(pronouns)
    known = [one for one in outside if one.names or one.key or one.reference]
    if pronouns and len({one.said for one in known}) == 1:
        named = replace(known[0], start=pronouns[0].start, end=pronouns[0].end)
        yield [named if one is pronouns[0] else one for one in tokens if one is pronouns[0] or one in rest], [], 0.1 - 1.5


def merge_queries(context: MetricQuery, query: MetricQuery, *, lexicon: Lexicon) -> MetricQuery | None:
    """Return a query with what the question before restricted, if both are about the same rows."""
    entities = [one.rows_of or lexicon.model.measures[one.measures[0]].entity for one in (context, query)]
    if entities[0] != entities[1]:
        return None
    said = split_conditions(query.where)
    subjects = {_subject(one) for one in said}
    before = list_counted_rows(context, model=lexicon.model) or context
    kept = [one for one in split_conditions(before.where) if _subject(one) not in subjects]
    return query.model_copy(update={"where": join_conditions([*kept, *said])}) if kept else None


def _subject(condition: Condition) -> str:
    if isinstance(condition, Comparison):
        return condition.field
    return "time" if isinstance(condition, TimeRange) else str(condition)


def make_key(query: MetricQuery, *, owners: Mapping[str, str]) -> object:
    """
    Return what is the same for two queries with the same rows: conditions in any order, and none said twice.

    `owners` are the teams of the sprints, so that a sprint says its team.
    """
    parts = [_flatten(one) for one in split_conditions(query.where)]
    texts = [str(one) for one in parts]
    teams = {owners[key] for text in texts if "sprint" in text for key in _KEY.findall(text) if key in owners}
    groups = frozenset(map(str, query.group_by))
    grouped = {one.dimension for one in query.group_by if isinstance(one, DimensionGroup)}
    conditions = frozenset(
        text for part, text in zip(parts, texts, strict=True)
        if not (len(teams) == 1 and isinstance(part, Comparison) and part.field == "team" and part.op is Operator.EQ)
        and not (isinstance(part, Comparison) and part.op is Operator.IS_NOT_NULL and part.field in grouped)
    )  # fmt: skip
    rank = query.rank
    having, sides = frozenset(map(str, query.having)), frozenset(str(one.where) for one in query.compare)
    order = () if rank else tuple(map(str, query.order))
    kind = (query.rows_of, query.measures, frozenset(query.columns), query.limit, query.trend)
    return conditions, groups, kind, str(rank), order, having, sides, str(query.share)


def list_owners(index: NameIndex) -> Mapping[str, str]:
    """Return the team of each sprint."""
    return {name.value: name.team_id for name in index.sprints if name.team_id}


def _flatten(condition: Condition) -> Condition:
    """Return a list of one value as that value, and values in one order."""
    if isinstance(condition, Comparison) and condition.op in (Operator.IN, Operator.NOT_IN):
        values = tuple(sorted(condition.values, key=str))
        op = condition.op
        if len(values) == 1:
            op = Operator.EQ if op is Operator.IN else Operator.NE
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


def _respell(text: str, *, index: NameIndex, today: date, lexicon: Lexicon) -> Iterator[tuple[str, float]]:
    """Yield the text with unknown words as they were probably meant, and what that costs."""
    text, _ = correct_words(text, found=words(text), lexicon=lexicon, index=index)
    linked = link(text, index=index, today=today)
    unknown = [one for one in cut(linked, lexicon=lexicon, index=index) if not one.is_known]
    spelt = text
    options: list[tuple[int, int, str]] = []
    for first, last in _list_runs(unknown, text=text):
        if likely := _list_likely(text[first.start : last.end]):
            options.append((first.start, last.end, likely[0]))
    for token in reversed(unknown):
        likely = _list_likely(token.said)[:2]
        is_name = token.said[:1].isupper() and token.start > 0
        if likely or is_name or (fold(token.said),) in lexicon.frames:
            options += [(token.start, token.end, one) for one in likely]
        elif near := _spell(fold(token.said), lexicon=lexicon):
            spelt = spelt[: token.start] + near + spelt[token.end :]
    if spelt != text:
        yield spelt, 0.4
        text = spelt if not options else text
    else:
        yield text, 0.0
    for start, end, likely in options[:4]:
        yield text[:start] + likely + text[end:], 0.8


def _list_runs(unknown: Sequence[Token], *, text: str) -> Iterator[tuple[Token, Token]]:
    """Yield the first and last of unknown words that stand together: how far along."""
    for place, first in enumerate(unknown):
        for last in unknown[place + 1 : place + 3]:
            if all(not text[one.end : other.start].strip() for one, other in pairwise(unknown[place : unknown.index(last) + 1])):
                yield first, last


def _spell(word: str, *, lexicon: Lexicon) -> str:
    """Return the one word of the vocabulary that is spelt most like an unknown one. Empty if none is near."""
    if len(word) < SHORT_WORD_LETTERS - 1 or not word.isalpha():
        return ""
    limit = 1 if len(word) <= MEDIUM_WORD_LETTERS else 2
    known = _list_spellings(lexicon)
    near = process.extract(word, known, scorer=OSA.distance, score_cutoff=limit, limit=6)
    same = [one for one, _, _ in near if sorted(one) == sorted(word)]
    if same:
        return str(same[0])
    stem = _stem(word)
    if len(stem) >= SHORT_WORD_LETTERS and (alike := [one for one in known if _stem(one) == stem]):
        return alike[0]
    first = [one for one in near if one[0][0] == word[0]]
    best = min((edits for _, edits, _ in first), default=None)
    closest = [one for one, edits, _ in first if edits == best]
    return str(closest[0]) if len(closest) == 1 else ""


@lru_cache(maxsize=4)
def _list_words(vocabulary: frozenset[str]) -> tuple[str, ...]:
    return tuple(sorted(one for one in vocabulary if len(one) >= SHORT_WORD_LETTERS - 1))


def _list_spellings(lexicon: Lexicon) -> tuple[str, ...]:
    return _list_words(lexicon.vocabulary)


@lru_cache(maxsize=4096)
def _stem(word: str) -> str:
    """Return a word without its endings, and with a doubled last letter once."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= SHORT_WORD_LETTERS - 1:
            word = word.removesuffix(ending)
            break
    return word[:-1] if len(word) > SHORT_WORD_LETTERS and word[-1] == word[-2] else word


@lru_cache(maxsize=1)
def _likely_words() -> Mapping[tuple[str, ...], tuple[str, ...]]:
    """Return the terms that a word may stand for, by the stems of its words."""
    text = (files("sprints.asking") / "likely_words.toml").read_text(encoding="utf-8")
    found: dict[tuple[str, ...], tuple[str, ...]] = {}
    for term, listed in loads(text).items():
        for said in listed:
            key = _stems(said)
            found[key] = (*found.get(key, ()), term)
    return found


def _key(said: str) -> tuple[str, ...]:
    return tuple(word.folded for word in words(fold(said)))


def _stems(said: str) -> tuple[str, ...]:
    return tuple(_stem(word.folded) for word in words(fold(said)))


def _list_likely(said: str) -> Sequence[str]:
    return _likely_words().get(_stems(said), ())
