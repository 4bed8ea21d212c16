"""
Checks of the query that a follow-up was read as, whichever rule read it: what fails one is asked back.

A follow-up is short, and most of what it means stands in the question before. So it is answered only if it says what it
changes (provenance.py) and leaves nothing that contradicts (contradictions.py), adds nothing to what is one issue
already, says what it groups and counts, and is a sentence of its own where it drops what limited the question before.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import regex

from sprints.linking.names import NameIndex
from sprints.semantics.describe import split_conditions
from sprints.semantics.enums import Grain
from sprints.semantics.lookup import get_entity
from sprints.semantics.model import SemanticModel
from sprints.semantics.query import (
    Comparison,
    DimensionGroup,
    MetricQuery,
    NamedCondition,
    Not,
    TimeGroup,
    TimeRange,
)
from sprints.semantics.questions.contradictions import contradicts_context, contradicts_itself, list_named, list_new
from sprints.semantics.questions.follow_up import NO_CHANGE, OF_ALL
from sprints.semantics.questions.follow_up_words import HEADS
from sprints.semantics.questions.grammar import Parse
from sprints.semantics.questions.inherited_scope import has_own_scope, list_scope, says_all
from sprints.semantics.questions.lexicon import Lexicon
from sprints.semantics.questions.merging import get_subject
from sprints.semantics.questions.provenance import Change
from sprints.semantics.questions.sorting import list_content
from sprints.semantics.questions.terms import FATES
from sprints.semantics.questions.tokens import Token, cut

_IN_THEM = regex.compile(r"\b(?:in|to) (?:them|those|it)\b", regex.IGNORECASE)
_OWNED = frozenset({"teams", "people", "sprints", "epics"})
_PRONOUNS = frozenset({"it", "they", "them", "those", "these", "their", "its"})
_SIZES = frozenset({"biggest", "largest", "smallest", "greatest"})
_WEEKDAYS = frozenset({"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"})
_ROWS = frozenset({"team", "epic", "sprint", "issue", "person"})


def check_follow_up(
    parse: Parse, *, context: MetricQuery, index: NameIndex, lexicon: Lexicon, is_whole: bool
) -> Parse:  # fmt: skip
    """
    Return the parse of a follow-up, or ask for all that it should say if its query fails a check.

    `is_whole` says that the question was read as one of its own.
    """
    query, model = parse.query, lexicon.model
    if query is None:
        return parse
    tokens = cut(parse.linked, lexicon=lexicon, index=index)
    change = Change(query=query, context=context, tokens=tokens, model=model)
    if is_whole or parse.is_anew or OF_ALL in parse.assumptions:
        reason = change.find_unsaid_measure()
        is_misread = _loses_scope(query, context=context, tokens=tokens, parse=parse, model=model)
        is_misread = is_misread or _is_less_than_asked(query, context=context, tokens=tokens)
    else:
        reason = change.find_unexplained()
        is_misread = _misreads_change(
            query, context=context, tokens=tokens, text=parse.linked.text, index=index, lexicon=lexicon
        )
    if not (reason or is_misread or _lists_other_rows(query, context=context, tokens=tokens, model=model)):
        return parse
    why = f"{NO_CHANGE} {reason}".strip()
    return replace(parse, query=None, assumptions=(), why=why, is_final=True)


def _misreads_change(
    query: MetricQuery, *, context: MetricQuery, tokens: Sequence[Token], text: str, index: NameIndex, lexicon: Lexicon
) -> bool:  # fmt: skip
    model, entity = lexicon.model, get_entity(context, model=lexicon.model)
    is_of_sprints = entity == "sprint" and query.rows_of == "issue" and not list_new(query, context=context)
    return (
        query == context
        or is_of_sprints
        or contradicts_itself(query, index=index, model=model)
        or contradicts_context(query, context=context, tokens=tokens, index=index, model=model)
        or _commands_anew(query, context=context, tokens=tokens, model=model)
        or _is_bare_verb(tokens, lexicon=lexicon)
        or (entity == "issue" and _IN_THEM.search(text) is not None and "Epic" in str(context.where))
        or _limits_one_issue(query, context=context)
        or _counts_unsaid(query, context=context, tokens=tokens, model=model)
        or _adds_fate(query, context=context, tokens=tokens, model=model)
        or _completes_unit(query, context=context, tokens=tokens, lexicon=lexicon)
        or _tells_of_then(query, context=context, tokens=tokens)
        or _moves_time(query, context=context, tokens=tokens)
        or _is_beside_denied(query, context=context, tokens=tokens, model=model)
    )


def _lists_other_rows(
    query: MetricQuery, *, context: MetricQuery, tokens: Sequence[Token], model: SemanticModel
) -> bool:  # fmt: skip
    """Return whether issues are listed where something else was measured: days blocked last sprint, | which issues."""
    is_same = {get_entity(one, model=model) for one in (query, context)} <= {"issue", "membership"}
    is_of_issues = query.rows_of in ("issue", "membership") and bool(context.measures)
    is_bare = not any(sense.kind in ("predicate", "time") for one in tokens for sense in one.senses)
    return is_of_issues and not is_same and is_bare and not query.columns


def _commands_anew(
    query: MetricQuery, *, context: MetricQuery, tokens: Sequence[Token], model: SemanticModel
) -> bool:  # fmt: skip
    """Return whether rows are asked for as in a question of its own: closed in May, | show me the bugs labelled ux."""
    lead = [one for one in tokens if not one.is_polite][:2]
    is_command = any(sense.name == "asking" for one in lead for sense in one.senses)
    names_rows = any(name.kind == "type" for one in tokens for name in one.names) or any(
        sense.kind == "entity" and sense.is_plural for one in tokens for sense in one.senses
    )
    refers = any(one.said.lower().split()[-1] in (*_PRONOUNS, "only", "just") for one in tokens)
    is_all = any(one.said.lower() == "all" for one in tokens)
    is_command |= is_all and any(name.kind == "type" for one in tokens for name in one.names)  # all | stories
    before = split_conditions(context.where)
    subjects = {get_subject(one, model=model) for one in list_new(query, context=context)} - {"issue_type"}
    is_kept = any(one in before for one in split_conditions(query.where))
    is_epics = any(sense.name == "epic" for one in tokens for sense in one.senses) and query.rows_of == "issue"
    return is_command and names_rows and not refers and (bool(subjects) or is_all or is_epics) and is_kept


def _is_bare_verb(tokens: Sequence[Token], *, lexicon: Lexicon) -> bool:
    """Return whether it begins with a verb without a subject, as an order does, or a noun spelt like it: change."""
    said = list_content(tokens)
    first, stem = said[0] if said else None, said[0].said.lower().removesuffix("s") if said else ""
    is_verb = first is not None and bool(first.senses) and all(one.form == "verb" for one in first.senses)
    return is_verb and lexicon.is_infinitive(stem) and not stem.endswith("ed")


def _is_less_than_asked(query: MetricQuery, *, context: MetricQuery, tokens: Sequence[Token]) -> bool:
    """
    Return whether a question says less than one of its own would: a number, a rank or a kind of rows alone.

    Cycle time by type, | lead time; | which is the longest; open bugs in ACCEL, | any team.
    """
    asks = any(one.marks & HEADS for one in tokens) or any(s.name == "asking" for one in tokens for s in one.senses)
    is_bare = query.where is None and not (query.group_by or query.rank)
    is_total = any("total" in one.marks for one in tokens)
    if is_bare and not asks and not is_total and (context.group_by or query.rows_of):
        return True
    nouns = [sense for one in tokens for sense in one.senses if sense.form == "noun" and sense.name not in _OWNED]
    names = any(one.names and one.names[0].kind == "type" for one in tokens)
    names |= any(sense.kind == "measure" or sense.name == "issue" for sense in nouns)
    verbs = any(one.marks & {"be", "have", "do"} for one in tokens)
    is_elliptic = query.rows_of == "person" and not verbs  # who in ACCEL
    return is_elliptic or (bool(context.measures and query.rank) and not names)


def _limits_one_issue(query: MetricQuery, *, context: MetricQuery) -> bool:
    """Return whether a condition or a rank is added to a query of one issue, of which it can change nothing."""
    named = [one for one in split_conditions(context.where) if isinstance(one, Comparison) and one.field == "issue"]
    is_same = len(named) == 1 and len(named[0].values) == 1 and named[0] in split_conditions(query.where)
    is_ranked = query.rank is not None and context.rank is None
    is_several = "epic" in query.columns and {*query.columns} > {"issue", "title", "epic"}
    return is_same and (bool(list_new(query, context=context)) or is_ranked or is_several)


def _counts_unsaid(
    query: MetricQuery, *, context: MetricQuery, tokens: Sequence[Token], model: SemanticModel
) -> bool:  # fmt: skip
    """
    Return whether rows are counted, grouped or summed in a way that nothing says.

    Groups of a number or a date are an order or a unit as often: by points, by due date. A rank of rows is none of
    their number in each group: biggest per assignee.
    """
    marks = {mark for one in tokens for mark in one.marks}
    new = [one for one in query.group_by if one not in context.group_by]
    if any(isinstance(one, DimensionGroup) and _is_order(one, model=model) for one in new):
        return True
    if any(isinstance(one, TimeGroup) and one.grain is Grain.DAY for one in new) and (
        get_entity(context, model=model) in ("membership", "sprint_day")
    ):  # fmt: skip
        return True  # what is left | per day
    if len({*query.measures}) < len(query.measures):
        return True
    has_states = any(isinstance(one, NamedCondition) for one in list_new(query, context=context))
    is_choice = len(context.measures) > 1 and query.measures == context.measures and has_states
    is_list = bool(context.rows_of and query.measures) and not marks & HEADS
    is_sum = "total" in marks and any(model.entities[model.measures[one].entity].count == one for one in query.measures)
    is_size = query.rank is not None and bool(new) and any(one.said.lower() in _SIZES for one in tokens)
    is_difference = bool(context.measures) and any(one.said.lower() == "minus" for one in tokens)
    is_share = context.share is not None and "others" in marks
    is_one_sprint = DimensionGroup(dimension="sprint") in new and _is_one_sprint(query)
    is_unsaid = is_choice or is_size or is_difference or is_share or is_one_sprint
    return is_unsaid or (is_list and (query.rank is not None or is_sum))


def _is_one_sprint(query: MetricQuery) -> bool:
    named = [one for one in split_conditions(query.where) if isinstance(one, Comparison) and one.field == "sprint"]
    labels = [str(getattr(value, "label", value)) for one in named for value in one.values]
    return bool(labels) and len({label.rsplit(" ", 1)[-1] for label in labels}) == 1


def _is_order(group: DimensionGroup, *, model: SemanticModel) -> bool:
    return group.dimension == "issue" or model.dimensions[group.dimension].type in ("number", "date", "moment")


def _adds_fate(
    query: MetricQuery, *, context: MetricQuery, tokens: Sequence[Token], model: SemanticModel
) -> bool:  # fmt: skip
    """Return whether what else became of issues in a sprint is read as one of two: completed, | what was committed."""
    asks = bool(tokens) and any(one.marks & {"what", "how_much"} for one in tokens[:2])
    before = {name for one in context.measures for name in model.measures[one].where}
    before |= {one.predicate for one in split_conditions(context.where) if isinstance(one, NamedCondition)}
    new = {one.predicate for one in list_new(query, context=context) if isinstance(one, NamedCondition)}
    kept = {name for one in query.measures for name in model.measures[one].where}
    kept |= {one.predicate for one in split_conditions(query.where) if isinstance(one, NamedCondition)}
    fates = [names & (FATES | {"committed"}) for names in (before & kept, new)]
    return asks and all(fates)


def _completes_unit(
    query: MetricQuery, *, context: MetricQuery, tokens: Sequence[Token], lexicon: Lexicon
) -> bool:  # fmt: skip
    """Return whether a word limits rows that names a measure beside the unit: hours spent, | and remaining."""
    units = {lexicon.model.measures[one].unit for one in context.measures}
    is_of_rows = any("anaphor" in one.marks for one in tokens)  # how many of them were completed
    if query.measures != context.measures or len(units) != 1 or is_of_rows:
        return False
    [unit] = units
    said = [tuple(one.said.lower().split()) for one in tokens if any(s.kind == "predicate" for s in one.senses)]
    phrases = [lexicon.phrases.get((*words, unit), ()) for words in said]
    return unit != "issues" and any(sense.kind == "measure" for known in phrases for sense in known)


def _tells_of_then(query: MetricQuery, *, context: MetricQuery, tokens: Sequence[Token]) -> bool:
    """Return whether a property of now is shown where that of a past sprint or time is asked for."""
    is_past = any(one.said.lower() in ("was", "were", "then") for one in tokens)
    is_status = "status" in query.columns and "status" not in context.columns
    return is_past and is_status and "sprint" in str(context.where)


def _moves_time(query: MetricQuery, *, context: MetricQuery, tokens: Sequence[Token]) -> bool:
    """Return whether a time counted from today stands beside one of the question before: October, | next month."""
    times = [one for one in split_conditions(context.where) if isinstance(one, TimeRange)]
    periods = [one.period for one in tokens if one.period is not None]
    if not times or not periods:
        return False
    said = {word for one in periods for word in one.said.lower().split()}
    is_day_of_week = any(one.unit == "day" for one in periods) and bool(said & _WEEKDAYS)
    is_due = any(one.role == "due" for one in times)
    is_instant = "ago" in said and bool(said & {"week", "weeks", "month", "months", "year", "years"})
    is_next = "next" in said and not is_due and "due" not in str(query.where)
    return (is_due and is_day_of_week and not any("due" in one.said.lower() for one in tokens)) or is_instant or is_next


def _is_beside_denied(
    query: MetricQuery, *, context: MetricQuery, tokens: Sequence[Token], model: SemanticModel
) -> bool:  # fmt: skip
    """Return whether another sprint may be denied too: not in sprint 8, | and the previous one; but | in the next."""
    before, after = (
        [one for one in split_conditions(part.where) if get_subject(one, model=model) == "sprint"]
        for part in (context, query)
    )
    is_denied, is_denied_now = (any(isinstance(one, Not) for one in parts) for parts in (before, after))
    return is_denied and bool(after) and not (is_denied_now or tokens[0].is_preposition)


def _loses_scope(
    query: MetricQuery, *, context: MetricQuery, tokens: Sequence[Token], parse: Parse, model: SemanticModel
) -> bool:  # fmt: skip
    """
    Return whether a question drops what the one before was limited to without being a sentence of its own.

    Neither is a bare number (| what is the average cycle time), one of what a pronoun or "the team" stands for, and the
    share of all issues that are so (| what percentage are bugs).
    """
    lost = [one for one in split_conditions(context.where) if one not in split_conditions(query.where)]
    subjects = {get_subject(one, model=model) for one in split_conditions(query.where)}
    is_lost = any(get_subject(one, model=model) not in subjects for one in lost)
    is_vague = tokens[0].said.lower() in ("anything", "something")  # anything for Levi
    if _names_sprints_of_others(query, context=context, tokens=tokens) or (is_lost and is_vague):
        return True
    if says_all(tokens) or has_own_scope(query, scope=list_scope(context, model=model), tokens=tokens, model=model):
        return False
    refers = any(one.said.lower().split()[-1] in _PRONOUNS for one in tokens)
    refers = refers or bool(_list_definite(tokens, text=parse.linked.text))
    marks = {mark for one in tokens for mark in one.marks}
    asks = bool(marks & (HEADS - {"share"})) or any(sense.name == "asking" for one in tokens for sense in one.senses)
    is_of_all = query.where is None and not query.group_by and bool(query.measures or query.share)
    is_of_owners = context.rows_of in (
        "sprint",
        "team",
        "person",
    )  # which sprints are active, | how many points are left
    return is_lost and (refers or not asks or is_of_all or is_of_owners)


def _names_sprints_of_others(query: MetricQuery, *, context: MetricQuery, tokens: Sequence[Token]) -> bool:
    """Return whether sprints of all teams are taken where one was named: of HARBOR, | what is left in the sprint."""
    teams = list_named(context, field="team")
    names_team = any(name.kind == "team" for one in tokens for name in one.names)
    is_of_all = names_team or says_all(tokens) or "team" in {sense.name for one in tokens for sense in one.senses}
    return len(teams) == 1 and len(list_named(query, field="sprint")) > 1 and not is_of_all


def _list_definite(tokens: Sequence[Token], *, text: str) -> list[Token]:
    """List the nouns of one row that an article points to: who owns | the epic; not the epic Works offline."""
    found = []
    for token, following in pairwise([*tokens, None]):
        before = text[: token.start].lower().split()[-1:] if token is not None else []
        is_one = token is not None and any(
            one.kind in ("entity", "dimension") and one.form == "noun" and one.name in _ROWS and not one.is_plural
            for one in token.senses
        )
        if token is not None and is_one and before in (["the"], ["whole"]) and not (following and following.names):
            found.append(token)
    return found
