"""Follow-up questions: "and for HARBOR?", "only bugs", "what about last month?", "by person"."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import regex

from sprints.linking.folding import normalise, words
from sprints.linking.link import MAX_QUESTION, link
from sprints.linking.names import Name, NameIndex, sprint_numbers
from sprints.semantics.describe import join_conditions, split_conditions
from sprints.semantics.enums import Operator
from sprints.semantics.model import SemanticModel
from sprints.semantics.query import (
    And,
    Comparison,
    Condition,
    Has,
    InPeriod,
    MetricQuery,
    NamedCondition,
    Not,
    Or,
    Reference,
    TimeRange,
    Value,
)
from sprints.semantics.questions.assembly import Fragment, assemble_fragment
from sprints.semantics.questions.context_changes import change_rows
from sprints.semantics.questions.grammar import ANAPHOR, Parse, parse_question
from sprints.semantics.questions.lexicon import Lexicon
from sprints.semantics.questions.phrase import Phrase
from sprints.semantics.questions.phrases import read_phrases
from sprints.semantics.questions.spelling import correct_words
from sprints.semantics.questions.terms import FATES, Unbound
from sprints.semantics.questions.tokens import (
    MAX_TOKENS,
    PRONOUNS,
    Token,
    cut,
    find_anaphor,
    find_unread_sign,
    spell_signs,
)

_JOINING = frozenset({"follow", "and"})
_OWNERS = frozenset({"team", "assignee", "reporter", "person", "sprint", "epic"})
_STANDS_FOR = regex.compile(
    r"(?<=^how (?:many|much) \w+(?: \w+)?) (?:is|are|was|were) (?:that|those|these|they|it)"
    r"(?: in total| in all| altogether)?(?=\W*$)", regex.IGNORECASE,
)  # fmt: skip
"""What stands for the rows of the question before: how many points | is that."""
NO_CHANGE = "I cannot tell how that changes the question before. Ask it with all that it should say."
OF_ALL = "Asked anew: it is not limited to what the question before named."
_SUBJECTS = frozenset({"they", "he", "she"})
_LEADS = frozenset({"follow", "and", "only", "except", "without", "not"})
_HEADS = frozenset({"what", "which", "who", "how_many", "how_much", "when", "share", "compare"})


def parse_follow_up(
    question: str, *, context: MetricQuery, index: NameIndex, today: date, lexicon: Lexicon
) -> Parse | None:
    """Change a query as a question says. None if the question is complete or does not fit the query."""
    question = _STANDS_FOR.sub("", question)
    text = spell_signs(normalise(question)[:MAX_QUESTION])
    text, corrected = correct_words(text, found=words(text), lexicon=lexicon, index=index)
    linked = link(text, index=index, today=today)
    teams = frozenset(one.key for one in _list_values(context, field="team") if isinstance(one, Reference))
    tokens = cut(linked, lexicon=lexicon, index=index, teams=teams)
    if not tokens or len(tokens) > MAX_TOKENS or not all(token.is_known for token in tokens):
        return None
    phrases = read_phrases(tokens)
    if linked.unclear or find_unread_sign(linked):
        return None
    named = _name_antecedent(linked.text, tokens=tokens, context=context)
    parse = parse_question(named or question, index=index, today=today, lexicon=lexicon)
    if parse.query is not None and (settled := _settle_pronoun(parse, named=named, tokens=tokens)):
        return settled
    anaphor = find_anaphor(tokens)
    changed = _widen_query(context, tokens=tokens, model=lexicon.model)
    changed = changed or change_rows(context, tokens=tokens, lexicon=lexicon, index=index)
    is_lost = anaphor.lower() in _SUBJECTS and not _list_owners(context, model=lexicon.model) - {"sprint", "epic"}
    if changed is not None or is_lost:
        why = ANAPHOR.format(said=anaphor) if changed is None else ""
        return Parse(linked=linked, query=changed, assumptions=(*corrected,), phrases=tuple(phrases), why=why)
    if _asks_for_rows(phrases, tokens=tokens):
        rows = list_counted_rows(context, model=lexicon.model)
        return Parse(linked=linked, query=rows, why="" if rows else NO_CHANGE, phrases=tuple(phrases))
    leading = next((token.marks for token in tokens if token.marks or not token.is_free), set())
    is_joined = bool(leading & _JOINING) or tokens[0].is_preposition
    is_of_rows = _ranks_rows(phrases)
    if not (is_of_rows or anaphor or _is_follow_up(leading | tokens[-1].marks & {"follow"}, phrases=phrases)):
        return _refuse_less(parse, is_joined=False, phrases=phrases, context=context, model=lexicon.model)
    if is_of_rows:
        context = list_counted_rows(context, model=lexicon.model) or context
    phrases = [phrase for phrase in phrases if "anaphor" not in phrase.marks]
    is_part = bool(anaphor) and anaphor.lower() not in PRONOUNS
    is_swap = any(token.said.lower() == "instead" for token in tokens)
    try:
        query, assumed = _change_parts(
            context, phrases=phrases, index=index, lexicon=lexicon, is_part=is_part, is_swap=is_swap
        )
    except (Unbound, ValueError):
        if not anaphor:
            return _refuse_less(parse, is_joined=is_joined, phrases=phrases, context=context, model=lexicon.model)
        return Parse(linked=linked, why=ANAPHOR.format(said=anaphor), anaphor=anaphor)
    return Parse(
        linked=linked, query=query, assumptions=(*corrected, *linked.assumptions, *assumed), phrases=tuple(phrases)
    )


def _settle_pronoun(parse: Parse, *, named: str, tokens: Sequence[Token]) -> Parse | None:
    """Return a whole question with what its pronoun stands for, or why that is not known. None if it has none."""
    if named:
        return replace(parse, assumptions=(*parse.assumptions, f"Read as '{named}'."))
    said = _find_pronoun(tokens)
    return replace(parse, query=None, why=ANAPHOR.format(said=said), anaphor=said) if said else None


def _find_pronoun(tokens: Sequence[Token]) -> str:
    """Return the subject that stands for somebody of the question before: how many issues do | they | have."""
    at = next((place for place, one in enumerate(tokens) if one.said.lower() in _SUBJECTS), 0)
    named = any(one.kind in ("team", "person", "sprint") or one.key or one.reference for one in tokens[:at])
    said = {sense.name for one in tokens[:at] for sense in one.senses if sense.kind == "entity"}
    return tokens[at].said if at and not named and not said & {"team", "person", "sprint"} else ""


def _change_parts(
    context: MetricQuery, *, phrases: Sequence[Phrase], index: NameIndex, lexicon: Lexicon, is_part: bool, is_swap: bool
) -> tuple[MetricQuery, tuple[str, ...]]:
    """Return the query with what the phrases say, and what is assumed. Raises Unbound where they do not fit it."""
    entity = context.rows_of or lexicon.model.measures[context.measures[0]].entity
    fragment = assemble_fragment(phrases, entity=entity, lexicon=lexicon, context=context)
    moved = _swap_sprints(context, fragment=fragment, index=index)
    query = _apply_fragment(moved, fragment=fragment, model=lexicon.model, is_part=is_part, is_swap=is_swap)
    _refuse_unchanged(query, context=context, phrases=phrases)
    _refuse_fates(query, index=index, model=lexicon.model)
    asked = next((phrase for phrase in phrases if not phrase.marks & {"and"}), None)
    if asked is not None and asked.marks == {"which"} and query.measures and not query.group_by:
        query = list_counted_rows(query, model=lexicon.model) or query
    return query, fragment.assumptions


def _name_antecedent(text: str, *, tokens: Sequence[Token], context: MetricQuery) -> str:
    """Return the text with the one issue of the question before in place of "it". Empty if it has none or names one."""
    keys = [str(value) for value in _list_values(context, field="issue")]
    if len(keys) != 1 or any(token.names or token.key or token.reference for token in tokens):
        return ""
    named = text
    for token in reversed(tokens):
        if (said := token.said.lower()) in ("it", "its"):
            named = named[: token.start] + keys[0] + "'s" * (said == "its") + named[token.end :]
    return named if named != text else ""


def _refuse_unchanged(query: MetricQuery, *, context: MetricQuery, phrases: Sequence[Phrase]) -> None:
    """Refuse what changes nothing, and a time that is relative to that of the question before: the previous month."""
    has_time = any(isinstance(part, TimeRange) for part in split_conditions(context.where))
    is_relative = any(phrase.period and "previous" in phrase.said.lower().split() for phrase in phrases)
    if query == context or (has_time and is_relative):
        raise Unbound(None)


def _refuse_fates(query: MetricQuery, *, index: NameIndex, model: SemanticModel) -> None:
    """Refuse two fates of an issue in one sprint, and what is carried over of a sprint that is not closed."""
    said = query.where.model_dump_json() if query.where else ""
    named = {one for one in FATES if f'"predicate":"{one}"' in said and '"kind":"not"' not in said}
    fates = named | (FATES & {one for name in query.measures for one in model.measures[name].where})
    keys = {
        value.key for part in split_conditions(query.where) if isinstance(part, Comparison) and part.field == "sprint"
        for value in part.values if isinstance(value, Reference)
    }  # fmt: skip
    is_open = any(name.value in keys and name.state != "closed" for name in index.sprints)
    if len(fates) > 1 or (is_open and "carried_over" in fates):
        raise Unbound(None)


def _refuse_less(
    parse: Parse, *, is_joined: bool, phrases: Sequence[Phrase], context: MetricQuery, model: SemanticModel
) -> Parse | None:
    """
    Refuse a question that is only whole because less is said than before. None if it is whole, or not read either.

    It does not say what is counted: "who closed the most?". Or it is joined and drops whose it is: "and how many bugs?"
    after the velocity of a team.
    """
    query = parse.query
    if query is None:
        return None
    if _is_elliptic(phrases) or all(one.kind in ("mark", "rank") for one in phrases):
        return replace(parse, query=None, why=NO_CHANGE)
    counted = {sense.name for one in phrases for sense in one.senses if sense.form == "noun"}
    is_less = bool(query.measures) and not counted & {*query.measures, "issue", "points", "hours"}
    is_less = is_less and not any(one.name_kind == "type" for one in phrases)
    if is_joined:
        before, after = (_list_owners(one, model=model) for one in (context, query))
        asks = bool(query.measures) or any(one.marks & _HEADS for one in phrases)
        is_less = is_less or not asks or bool(before - after) or (query.where is None and not query.group_by)
    is_order = bool(phrases) and "rank" in phrases[0].marks and not query.group_by  # of the rows before
    is_of_kind = isinstance(query.where, Comparison) and query.where.field == "issue_type"
    is_bare = query.rows_of is not None and len(phrases) == 2 and (query.where is None or is_of_kind)  # noqa: PLR2004 - which | epic
    is_bare = is_bare and not any(one.said.lower().endswith("s") for one in phrases)
    if is_less or is_order or is_bare:
        return replace(parse, query=None, why=NO_CHANGE)
    is_of_all = not _list_owners(query, model=model) and not query.group_by and bool(_list_owners(context, model=model))
    return replace(parse, assumptions=(*parse.assumptions, OF_ALL)) if is_of_all else None


def _list_owners(query: MetricQuery, *, model: SemanticModel) -> set[str]:
    """Return the kinds of owners that a query names."""
    parts = [part for part in split_conditions(query.where) if not isinstance(part, Comparison) or part.values]
    return {_subject(part, model=model) for part in parts} & _OWNERS


def _is_follow_up(leading: set[str], *, phrases: Sequence[Phrase]) -> bool:
    """Return whether the question is a follow-up: it begins as one, or is incomplete."""
    if leading & _LEADS or _is_elliptic(phrases):
        return True
    asks = any(phrase.marks & _HEADS and phrase.kind == "mark" for phrase in phrases)
    names = any(phrase.kind == "term" and phrase.has("measure", "entity", form="noun") for phrase in phrases)
    return bool(phrases) and not asks and (not names or _is_unit(phrases))


def _is_elliptic(phrases: Sequence[Phrase]) -> bool:
    """Return whether the noun is missing, or only a unit is said: which is oldest, how many are p0, how many points."""
    marks = [phrase.marks for phrase in phrases[:2]]
    if marks[1:] and "which" in marks[0] and "be" in marks[1]:
        return True
    if not marks or "how_many" not in marks[0]:
        return False
    is_noun = len(phrases) == 2 and (phrases[1].is_of_issues or phrases[1].has("entity", form="noun"))  # noqa: PLR2004 - how many, and a noun
    return len(phrases) == 1 or "be" in marks[1] or is_noun or _is_unit(phrases[1:])


def _is_unit(phrases: Sequence[Phrase]) -> bool:
    """Return whether only a unit is said: "in points"."""
    return len(phrases) == 1 and phrases[0].has("measure", form="noun") and phrases[0].is_plural


def _asks_for_rows(phrases: Sequence[Phrase], *, tokens: Sequence[Token]) -> bool:
    """Return whether only the rows are requested: "which ones?", "list them"."""
    is_asking = any(sense.name == "asking" for token in tokens for sense in token.senses)
    return (bool(phrases) or is_asking) and all(
        phrase.kind == "mark" and phrase.marks <= {"which", "what", "be", "who"} for phrase in phrases
    )


def _ranks_rows(phrases: Sequence[Phrase]) -> bool:
    """Return whether the rows of the question before are ranked: "the oldest?", "which is the largest one?"."""
    ranks = [one for one in phrases if one.kind == "rank" and one.has("dimension")]
    return bool(ranks) and all(one in ranks or one.kind == "mark" for one in phrases)


def _widen_query(context: MetricQuery, *, tokens: Sequence[Token], model: SemanticModel) -> MetricQuery | None:
    """Return the query without conditions on a kind of which all are meant: "for all teams". None if it says more."""
    said = [token for token in tokens if not token.marks & {"follow", "and"}]
    is_all = bool(said) and any(token.said.lower().endswith("all") or "our" in token.marks for token in said)
    kinds = {sense.name for token in said for sense in token.senses if sense.kind == "entity" and sense.is_plural}
    kinds |= {"team", "person"} if any("our" in token.marks for token in said) else set()
    others = [
        token for token in said
        if not (token.is_free or token.marks & {"whole", "our"} or token.said.lower() == "in all")
    ]  # fmt: skip
    fields = {field for kind in kinds for field in {"person": ("assignee", "reporter")}.get(kind, (kind,))}
    if not is_all or any(not any(one.kind == "entity" for one in token.senses) for token in others):
        return None
    kept = [part for part in split_conditions(context.where) if _subject(part, model=model) not in fields]
    is_wider = len(kept) < len(split_conditions(context.where))
    return context.model_copy(update={"where": join_conditions(kept)}) if is_wider else None


def list_counted_rows(query: MetricQuery, *, model: SemanticModel) -> MetricQuery | None:
    """Return the list of rows that a query counts. None if it counts none, or only some of its groups."""
    measures = [model.measures[name] for name in query.measures]
    is_plain = not (query.rank or query.having or query.share or query.compare)
    if not is_plain or len({(one.entity, one.where, one.time) for one in measures}) != 1 or measures[0].ratio:
        return None
    time, entity = measures[0].time, model.entities[measures[0].entity]
    parts = [
        part.model_copy(update={"role": time}) if isinstance(part, TimeRange) and part.role is None else part
        for part in split_conditions(query.where)
    ]
    where = join_conditions((*parts, *(NamedCondition(predicate=name) for name in measures[0].where)))
    return MetricQuery(rows_of=entity.id, where=where) if entity.columns else None


def _list_values(query: MetricQuery, *, field: str) -> list[Value]:
    """List the values that a query restricts a dimension to."""
    said = [part for part in split_conditions(query.where) if isinstance(part, Comparison) and part.field == field]
    return [value for part in said if part.op in (Operator.EQ, Operator.IN) for value in part.values]


def _swap_sprints(context: MetricQuery, *, fragment: Fragment, index: NameIndex) -> MetricQuery:
    """
    Replace sprints by the other team's of the same number and position if the question changes the team.

    Raises Unbound where these differ, because nobody said which of the two was meant.
    """
    team = next((one for one in fragment.conditions if isinstance(one, Comparison) and one.field == "team"), None)
    if team is None:
        return context
    ids = {value.key for value in team.values if isinstance(value, Reference)}
    parts = [_swap_sprint(part, teams=ids, index=index) for part in split_conditions(context.where)]
    return context.model_copy(update={"where": join_conditions(tuple(parts))})


def _swap_sprint(part: Condition, *, teams: set[str], index: NameIndex) -> Condition:
    if isinstance(part, InPeriod):
        return part.model_copy(update={"where": _swap_sprint(part.where, teams=teams, index=index)})
    if not isinstance(part, Comparison) or part.field != "sprint":
        return part
    named = {value.key for value in part.values if isinstance(value, Reference)}
    old = [name for name in index.sprints if name.value in named]
    new = {_counterpart(name, team=team, index=index) for name in old for team in teams}
    values = tuple(Reference(key=name.value, label=name.text) for name in sorted(new, key=lambda name: name.text))
    return Comparison(field="sprint", op=Operator.IN, values=values)


def _counterpart(name: Name, *, team: str, index: NameIndex) -> Name:
    ours, theirs = (_in_order(one, state=name.state, index=index) for one in (name.team_id, team))
    place = ours.index(name)
    same = theirs[place] if place < len(theirs) else None
    if same is None or sprint_numbers(same.text) != sprint_numbers(name.text):
        raise Unbound(None, why=f"Which sprint of the other team corresponds to {name.text}?")
    return same


def _in_order(team: str, *, state: str, index: NameIndex) -> list[Name]:
    ours = [name for name in index.sprints if name.team_id == team and name.state == state]
    return sorted(ours, key=lambda name: (name.ended_at is None, name.ended_at, name.text), reverse=state == "closed")


def _apply_fragment(
    context: MetricQuery, *, fragment: Fragment, model: SemanticModel, is_part: bool, is_swap: bool
) -> MetricQuery:
    """
    Replace the conditions on the same subject, and the groups.

    What is said of a part of the rows ("of those") is added; raises Unbound where it contradicts what is known of all.
    It raises Unbound too where a swap ("instead") finds nothing to replace.
    """
    new = [part for condition in fragment.conditions for part in split_conditions(condition)]
    subjects = {_subject(part, model=model) for part in new}
    if subjects - _OWNERS and any(_is_related(part) for part in split_conditions(context.where)):
        raise Unbound(None)  # of the epics, or of the bugs that they have
    kept = [part for part in split_conditions(context.where) if is_part or _subject(part, model=model) not in subjects]
    replaces = len(kept) < len(split_conditions(context.where)) or fragment.measures != context.measures
    is_rate = any(model.measures[one].ratio for one in fragment.measures)
    if context.rows_of is not None and is_rate and not fragment.groups:
        raise Unbound(None)  # the progress of each row, or of all
    if is_swap and not (replaces or fragment.groups or fragment.rank):
        raise Unbound(None)
    if is_part and any(_subject(part, model=model) in subjects and part not in new for part in kept):
        raise Unbound(None)
    if "status_category" in subjects:
        kept = [part for part in kept if not (isinstance(part, TimeRange) and part.role == "resolved")]
    changes: dict[str, object] = {"where": join_conditions((*kept, *(part for part in new if part not in kept)))}
    if fragment.measures != context.measures:
        changes |= dict.fromkeys(("rows_of", "limit", "rank"))
        changes |= {"measures": fragment.measures, "columns": (), "order": ()}
    if fragment.groups:
        changes |= {"group_by": fragment.groups, "trend": False, "order": (), "rank": None}
    if fragment.rank or fragment.order:
        changes |= {"rank": fragment.rank, "order": fragment.order, "limit": None}
    return MetricQuery.model_validate(dict(context) | changes)


def _is_related(condition: Condition) -> bool:
    return isinstance(condition.part if isinstance(condition, Not) else condition, Has)


_FATE = "fate"


def _subject(condition: Condition, *, model: SemanticModel) -> str:
    """Return the subject of a condition. Conditions on the same subject replace each other."""
    match condition:
        case Comparison(field=field):
            return "sprint" if field.startswith("sprint") else field
        case NamedCondition(predicate=name):
            known = model.predicates.get(name)
            comparison = known.comparison if known else None
            return comparison.field if comparison else _FATE if name in (*FATES, "added_late") else name
        case TimeRange():
            return "time"
        case InPeriod():
            return "sprint"
        case Not(part=part):
            return _subject(part, model=model)
        case And(parts=parts) | Or(parts=parts):
            return _subject(parts[0], model=model)
    return condition.kind
