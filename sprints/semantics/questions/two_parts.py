"""
Questions of two parts, of which the second is a follow-up of the first: which are open, | and who has them.

Both are answered by one query, or neither is: two rows of numbers, a list with the properties that either asks for, the
whole and the part. Where no query says both, each is offered as a question of its own.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise

import regex

from sprints.linking.folding import normalise, words
from sprints.linking.link import MAX_QUESTION, link
from sprints.linking.names import NameIndex
from sprints.semantics.describe import join_conditions, split_conditions
from sprints.semantics.model import SemanticModel
from sprints.semantics.query import DimensionGroup, MetricQuery
from sprints.semantics.questions.antecedents import name_antecedents
from sprints.semantics.questions.combining import combine, list_differences
from sprints.semantics.questions.context_changes import find_state
from sprints.semantics.questions.follow_up import parse_follow_up
from sprints.semantics.questions.grammar import Parse, parse_question
from sprints.semantics.questions.inherited_scope import decides_share, has_own_scope, list_scope
from sprints.semantics.questions.lexicon import ASKING, Lexicon
from sprints.semantics.questions.references import find_reference
from sprints.semantics.questions.signs import spell_signs
from sprints.semantics.questions.tokens import MAX_TOKENS, YES_OR_NO, Token, cut

MAX_PARTS = 3
TWO = "Those are two questions, and no one query answers both. Ask them one by one."
_HEADS = ASKING | {"how_long", "how_often"}
_PRONOUNS = frozenset({"it", "they", "them", "those", "these", "their", "its", "he", "she", "his", "her"})
_ANY = frozenset({"any", "all", "somebody", "someone", "that", "there", "the", "anything", "something"})
_LIMITS = frozenset({"team", "person", "epic", "sprint", "label"})
_PASSIVE = regex.compile(r"^(?:was|were|is|are|has been|have been) (.+) (\w+)$", regex.IGNORECASE)
_INVERTED = regex.compile(r"^(is|are|was|were) (\S+)(?= )", regex.IGNORECASE)
_THING = regex.compile(r"(?:for )?(?:what|anything|everything)\b", regex.IGNORECASE)
_IT = regex.compile(r"\bit\b", regex.IGNORECASE)
_ENDS = regex.compile(r"[\s,;:.?!\u2013\u2014-]+$")
_BREAK = regex.compile(r"[,;?!:]|\.\s|\.\.|\u2026|\s[-\u2013\u2014]\s")
_ASKING_WORDS = regex.compile(
    r"(?:\band|[,;?!.:\u2026-]) *(?:\w+ )?(?:wh\w+|how|is|are|was|were|do|does|did|has|have)\b", regex.IGNORECASE
)
"""What may begin a second question. Texts without it are not cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reader:
    """What the parts of a question are read with. `context` is the query before the first."""

    index: NameIndex
    today: date
    lexicon: Lexicon
    meant: Mapping[str, str]
    context: MetricQuery | None

    @property
    def model(self) -> SemanticModel:
        return self.lexicon.model

    def parse(self, text: str, *, context: MetricQuery | None) -> Parse:
        """Parse a text as a follow-up of a query, or as a question of its own."""
        parse: Parse | None = None
        if context is not None:
            parse = parse_follow_up(text, context=context, index=self.index, today=self.today, lexicon=self.lexicon)
        return parse or self.parse_alone(text)

    def parse_alone(self, text: str) -> Parse:
        """Parse a text as a question of its own."""
        return parse_question(text, index=self.index, today=self.today, lexicon=self.lexicon, meant=self.meant)

    def asks_number(self, text: str) -> bool:
        """Return whether a text begins with how many or how much."""
        return bool({"how_many", "how_much"} & {mark for token in self.cut(text)[:1] for mark in token.marks})

    def cut(self, text: str) -> list[Token]:
        """Return the tokens of a text."""
        linked = link(text, index=self.index, today=self.today, reserved=self.lexicon.reserved_phrases)
        return cut(linked, lexicon=self.lexicon, index=self.index)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """
    One part of a question, with its words: those of the question, with a name in place of a pronoun.

    `is_alone`: it is read as a question of its own, though it may be meant of the other.
    """

    text: str
    parse: Parse
    query: MetricQuery
    is_alone: bool = False


def parse_parts(
    question: str, *, whole: Parse, index: NameIndex, today: date, lexicon: Lexicon, meant: Mapping[str, str],
    context: MetricQuery | None = None,
) -> Parse | None:  # fmt: skip
    """
    Parse a question as two of which the second follows the first, or say that they are two. None if it is one.

    `whole` is what it means as one question. It stays, if it says what the first part asks for.
    """
    text = spell_signs(normalise(question)[:MAX_QUESTION], index=index)
    if len(words(text)) > MAX_TOKENS:
        return None
    reader = _Reader(index=index, today=today, lexicon=lexicon, meant=meant, context=context)
    if whole.query is None and (named := name_antecedents(text, index=index, today=today, lexicon=lexicon)):
        parse = reader.parse_alone(named)
        if parse.query is None:
            parse = _parse_parts(named, whole=parse, reader=reader, size=MAX_PARTS) or parse
        if parse.query is not None:
            return replace(parse, assumptions=(*parse.assumptions, f"Read as '{named}'."))
    return _parse_parts(text, whole=whole, reader=reader, size=MAX_PARTS) if _ASKING_WORDS.search(text) else None


def _parse_parts(text: str, *, whole: Parse, reader: _Reader, size: int) -> Parse | None:
    alone: Parse | None = None
    for lead, rest, is_joined in _list_splits(text, tokens=reader.cut(text)) if size > 1 else ():
        asked = [place for place, one in enumerate(reader.cut(lead)) if _asks(one)]
        is_told = whole.query is not None and len(whole.query.measures) > 1 and reader.asks_number(rest)
        if is_told or (whole.query is not None and not (asked or is_joined)):
            continue  # a number for each already; of the bugs that are open, | how many
        if end := _find_shared_end(lead, rest=rest, reader=reader):
            shared = _read_first(f"{lead} {end}", reader=reader, size=1)
            is_time = all(one.period or one.is_free for one in reader.cut(end))
            first = shared or (_read_first(lead, reader=reader, size=1) if is_time else None)
        else:
            first = _read_first(lead, reader=reader, size=size - 1)
        if first is None:
            is_lost = whole.query is not None and asked[:1] == [0] and is_joined
            alone = alone or (_refuse(whole, rest=lead) if is_lost else None)
            continue
        if whole.query is not None and _covers_part(whole.query, part=first.query, model=reader.model):
            continue
        second = _read_second(rest, first=first, reader=reader)
        if second is None or any(_is_decided(one.query, model=reader.model) for one in (first, second)):
            alone = alone or (_refuse(whole, rest=rest) if whole.query is not None else None)
            continue
        is_sure = not (second.is_alone or _may_be_of_all(first, second=second, reader=reader))
        both = combine(first.query, second=second.query, model=reader.model) if is_sure else None
        both = first.query if second is first else both
        if both is not None:
            return _join(first, second=second, query=both, whole=whole)
        alone = alone or _offer_both(first, second=second, whole=whole, reader=reader)
    return alone


def _list_splits(text: str, *, tokens: Sequence[Token]) -> Iterator[tuple[str, str, bool]]:
    """Yield the two parts of a text at each further interrogative, and whether "and" joins them: | and who has them."""
    for place, token in reversed([*enumerate(tokens)][1:]):
        is_verb = token.said.lower() in YES_OR_NO and any(map(_is_subject, tokens[place + 1 : place + 2]))
        if not (is_verb or token.marks & _HEADS or token.said.lower().split()[0] in ("since", "why", "whom", "how")):
            continue
        at = place - 1 if _leads(tokens[place - 1]) and not is_verb else place  # by | what
        lead = tokens[at - 1] if at else token
        is_joined = at > 0 and "and" in lead.marks
        if not is_joined and not (at and _BREAK.search(text[lead.end : tokens[at].start])):
            continue
        first = _ENDS.sub("", text[: lead.start if is_joined else lead.end])
        if first:
            yield first, text[tokens[at].start :], is_joined


def _find_shared_end(lead: str, *, rest: str, reader: _Reader) -> str:
    """
    Return what stands behind both numbers and limits both: how many are done and how many are left | in Sprint 9.

    Empty if the first has a limit of its own, or if it is all that the second says.
    """
    tokens = reader.cut(rest)
    start = len(tokens)
    while start and (_is_limit(tokens[start - 1]) or tokens[start - 1].is_free or _has(tokens[start - 1], "entity")):
        start -= 1
    start += next((n for n, one in enumerate(tokens[start:]) if one.is_preposition or one.period), len(tokens))
    before, end = tokens[:start], tokens[start:]
    is_number = any("how_many" in one.marks for one in before[:1])
    tells = any(_has(one, "predicate", "time", "measure") or one.kind == "status" for one in before)
    is_own = any(map(_is_limit, reader.cut(lead)))
    return rest[end[0].start :] if end and is_number and tells and not is_own else ""


def _is_limit(token: Token) -> bool:
    return bool(token.reference or token.period or token.key) or token.kind in _LIMITS


def _is_subject(token: Token) -> bool:
    """Return whether it may be the subject behind a verb that asks: and are | they; and is | anybody."""
    is_name = bool(token.names or token.key or token.reference) and token.kind not in ("status", "priority", "type")
    return is_name or token.said.lower() in _PRONOUNS or "anybody" in token.marks or token.said.lower() in _ANY


def _asks(token: Token) -> bool:
    return bool(token.marks & _HEADS) or token.said.lower() in YES_OR_NO or any(
        one.name == "asking" for one in token.senses
    )  # fmt: skip


def _leads(token: Token) -> bool:
    return token.is_preposition or token.said.lower() in ("by", "from")


def _read_first(text: str, *, reader: _Reader, size: int) -> _Part | None:
    parse = reader.parse(text, context=reader.context)
    if parse.query is None:
        parse = _parse_parts(text, whole=parse, reader=reader, size=size) or parse
    return _Part(text=text, parse=parse, query=parse.query) if parse.query is not None else None


def _read_second(text: str, *, first: _Part, reader: _Reader) -> _Part | None:
    """Read the second part: what it says of the first, or its own question."""
    tokens = reader.cut(text)
    if _repeats_number(first.query, tokens=tokens):
        return first
    if (wide := _count_all(first.query, tokens=tokens, model=reader.model)) is not None:
        return _Part(text=text, parse=Parse(linked=first.parse.linked, query=wide), query=wide)
    if (shown := _show_columns(first.query, tokens=tokens, model=reader.model)) is not None:
        return _Part(text=text, parse=Parse(linked=first.parse.linked, query=shown), query=shown)
    if said := _put_limit_before(text, tokens=tokens, first=first, reader=reader):
        parse = reader.parse_alone(said)
        if parse.query is not None:
            return _Part(text=said, parse=parse, query=parse.query)
    for said in (*_complete(text, tokens=tokens, first=first, reader=reader), text):
        parse = reader.parse(said, context=first.query)
        is_share = parse.query is not None and any(reader.model.measures[one].ratio for one in parse.query.measures)
        if parse.query is not None and not (is_share and reader.asks_number(text)):
            return _Part(text=_name_parts(parse, said=said), parse=parse, query=parse.query)
    is_whole = any(one.kind == "type" or one.key or _has(one, "entity", "measure") for one in tokens)
    parse = reader.parse_alone(text) if is_whole and not _points_back(tokens) else first.parse
    is_read = parse is not first.parse and parse.query is not None
    return _Part(text=text, parse=parse, query=parse.query, is_alone=True) if is_read and parse.query else None


def _put_limit_before(text: str, *, tokens: Sequence[Token], first: _Part, reader: _Reader) -> str:
    """
    Return a second number with the noun of the first, and what stands before both: in October, how many were fixed.

    Empty if nothing does.
    """
    told = reader.cut(first.text)
    at = next((place for place, one in enumerate(told) if "how_many" in one.marks), 0)
    is_number = "how_many" in tokens[0].marks and len(tokens) > 1 and not _points_back(tokens)
    if not (is_number and any(map(_is_limit, told[:at]))):
        return ""
    end = next((place for place, one in enumerate(told) if place > at and _is_verb(one)), at + 1)
    is_named = tokens[1].kind == "type" or _has(tokens[1], "entity")
    noun = "" if is_named else first.text[told[at + 1].start : told[end].start]
    return f"{first.text[: told[at].start]}{tokens[0].said} {noun}{text[tokens[1].start :]}"


def _is_decided(query: MetricQuery, *, model: SemanticModel) -> bool:
    """Return whether a share is all or nothing by its own conditions: the progress of what is done."""
    return decides_share(query, parts=split_conditions(query.where), model=model)


def _repeats_number(query: MetricQuery, *, tokens: Sequence[Token]) -> bool:
    """Return whether a part only asks for the number that a ranking shows: the most bugs, | and how many was it."""
    is_number = bool(tokens) and bool(tokens[0].marks & {"how_many", "how_much"})
    others = [one for one in tokens[1:] if not (one.is_free or one.marks & {"be", "have", "our"})]
    return bool(is_number and query.rank and query.measures) and not others


def _is_verb(token: Token) -> bool:
    return bool(token.marks & {"be", "have", "past"}) or token.said.lower() in YES_OR_NO | {"got", "get"}


def _count_all(query: MetricQuery, *, tokens: Sequence[Token], model: SemanticModel) -> MetricQuery | None:
    """Return the number of all rows, of which the query counts a part: | how many in all. None if not asked."""
    marks = {mark for token in tokens for mark in token.marks}
    is_asked = {"how_many", "total"} <= marks and all(one.is_free or one.marks for one in tokens)
    state = find_state(query, model=model)
    if not is_asked or marks - {"how_many", "total", "be", "and", "have"} or state is None or query.rows_of:
        return None
    kept = [one for one in split_conditions(query.where) if one != state]
    return query.model_copy(update={"where": join_conditions(kept)})


def _show_columns(query: MetricQuery, *, tokens: Sequence[Token], model: SemanticModel) -> MetricQuery | None:
    """Return the rows with their own properties that a part only names: and | why. None if it says anything else."""
    own = model.entities[query.rows_of].columns if query.rows_of else ()
    names = [
        next((one.name for one in token.senses if one.form == "noun" and one.name in own), "")
        for token in tokens if not token.is_free
    ]  # fmt: skip
    if not names or not all(names):
        return None
    return query.model_copy(update={"columns": tuple(dict.fromkeys((*(query.columns or own), *names)))})


def _complete(text: str, *, tokens: Sequence[Token], first: _Part, reader: _Reader) -> Iterator[str]:
    """Yield a part that is only an interrogative with the clause of the first: and | by what; and | why."""
    is_bare = bool(tokens) and all(
        _leads(one) or one.marks & _HEADS or one.said.lower() in ("why", "since when", "whom") for one in tokens
    )
    if not is_bare:
        is_thing = first.query.rows_of is not None and bool(_THING.match(first.text))
        if is_thing and len(_IT.findall(text)) == 1:
            yield _IT.sub("they", text)  # what was removed, and where is | it
        return
    said = _ENDS.sub("", text)
    before = reader.cut(first.text)
    clause = first.text[before[0].end :].strip() if before[0].marks & _HEADS else first.text
    clause = f"{clause[:1].lower()}{clause[1:]}"
    if tokens[0].said.lower() == "by" and (told := _PASSIVE.match(clause)):
        yield f"who {told[2]} {told[1]}"  # when was it created, and | by whom
    if _leads(tokens[0]) and tokens[1:]:
        yield _INVERTED.sub(r"\2 \1", clause) + f" {said}"  # is it blocked, and | by what
    yield f"{said} {clause}"


def _name_parts(parse: Parse, *, said: str) -> str:
    """Return the words of a part with the name that its pronoun was read as."""
    named = next((one for one in parse.assumptions if one.startswith("Read as '")), "")
    return named.removeprefix("Read as '").removesuffix("'.") if named else said


def _covers_part(query: MetricQuery, *, part: MetricQuery, model: SemanticModel) -> bool:
    """Return whether a query shows what a part of its question asks for: all of its rows, or its numbers."""
    own, other = list_differences(part, second=query, model=model)
    if part.rows_of is not None:
        is_grouped = any(isinstance(one, DimensionGroup) and one.dimension == part.rows_of for one in query.group_by)
        return is_grouped or (
            query.rows_of == part.rows_of and {*part.columns} <= {*query.columns} and not (own or other)
        )
    is_shown = {*part.measures} <= {*query.measures} and {*part.group_by} <= {*query.group_by}
    is_whole = bool(query.compare or query.group_by) or not (own or other)
    is_whole = is_whole or (not own and len(query.measures) > len(part.measures))  # the sprint that the second names
    return is_shown and is_whole and part.share in (None, query.share)


def _join(first: _Part, *, second: _Part, query: MetricQuery, whole: Parse) -> Parse:
    """Return one query for both parts, with what either assumes."""
    said = [one for part in (first, second) for one in part.parse.assumptions if not one.startswith("Read as ")]
    unclear = list(dict.fromkeys((*first.parse.linked.unclear, *second.parse.linked.unclear)))
    return Parse(linked=replace(whole.linked, unclear=unclear), query=query, assumptions=tuple(dict.fromkeys(said)),
                 phrases=whole.phrases)  # fmt: skip


def _may_be_of_all(first: _Part, *, second: _Part, reader: _Reader) -> bool:
    """
    Return whether the second part may be meant of all rows, not of those that the first tells of: are open | and p0.

    With a pronoun it is not, nor where the first tells nothing of its rows but whose they are.
    """
    own, other = list_differences(first.query, second=second.query, model=reader.model)
    said = reader.cut(second.text)
    acting = {two.start for one, two in pairwise(said) if one.said.lower() in YES_OR_NO}  # how many did | they | close
    is_of_them = _points_back([one for one in said if one.start not in acting])
    return bool(other) and not (own or is_of_them) and _tells_of_rows(reader.cut(first.text))


def _points_back(tokens: Sequence[Token]) -> bool:
    return bool(find_reference(tokens)) or any(one.said.lower() in _PRONOUNS for one in tokens)


def _tells_of_rows(tokens: Sequence[Token]) -> bool:
    """Return whether a verb, a state or a type stands behind the noun: bugs | are open, as opposed to open bugs."""
    nouns = (at for at, one in enumerate(tokens) if one.kind == "type" or _has(one, "entity"))
    return any(
        _has(one, "predicate", "time") or one.kind in ("status", "priority", "type") or one.period
        for one in tokens[next(nouns, -1) + 1 :]
    )


def _has(token: Token, *kinds: str) -> bool:
    return any(one.kind in kinds for one in token.senses)


def _offer_both(first: _Part, *, second: _Part, whole: Parse, reader: _Reader) -> Parse:
    """Say that they are two questions, and offer each: the second of what the first belongs to, and as it is."""
    texts = [_write(part.text) for part in (first, second)]
    offered = list(zip((first.query, second.query), texts, strict=True))
    scope = list_scope(first.query, model=reader.model)
    tokens = reader.cut(second.text)
    if second.is_alone and scope and not has_own_scope(second.query, scope=scope, tokens=tokens, model=reader.model):
        where = join_conditions([*split_conditions(second.query.where), *scope])
        offered.insert(1, (second.query.model_copy(update={"where": where}), ""))
    parse = reader.parse_alone(second.text)
    if parse.query not in (None, second.query) and not second.is_alone and not _names_values(first.text, reader=reader):
        offered += [(parse.query, texts[1])] if parse.query is not None else []
    return replace(
        whole, query=None, why=TWO, readings=tuple(query for query, _ in offered), unbound=(), anaphor="",
        parts=tuple(text for _, text in offered), is_final=True,
    )  # fmt: skip


def _names_values(text: str, *, reader: _Reader) -> bool:
    """Return whether a part names something that the other one alone would lose: carried over from | sprint 7."""
    return any(one.names or one.key or one.reference or one.period for one in reader.cut(text))


def _refuse(whole: Parse, *, rest: str) -> Parse:
    """Refuse an answer to one part alone."""
    return replace(whole, query=None, unbound=(_ENDS.sub("", rest),), is_final=True)


def _write(text: str) -> str:
    said = _ENDS.sub("", text)
    return f"{said[:1].upper()}{said[1:]}?"
