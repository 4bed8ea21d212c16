"""Follow-up questions: "and for HARBOR?", "only bugs", "what about last month?", "by person"."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from sprints.linking.folding import normalise
from sprints.linking.link import link
from sprints.linking.names import NameIndex
from sprints.linking.references import SprintReference
from sprints.semantics.describe import join_conditions, split_conditions
from sprints.semantics.lookup import get_entity
from sprints.semantics.model import SemanticModel
from sprints.semantics.query import (
    Condition,
    DimensionGroup,
    MetricQuery,
    NamedCondition,
    Reference,
    TimeRange,
)
from sprints.semantics.questions.assembly import assemble_fragment
from sprints.semantics.questions.context_changes import (
    change_rows,
    compare_times,
    describe_lost_groups,
    is_noun_alone,
    shorten_ranking,
    show_columns,
    swap_part,
)
from sprints.semantics.questions.follow_up_words import (
    HEADS,
    JOINING,
    LIMITING,
    FollowUp,
    asks_for_list,
    asks_for_rows,
    is_follow_up,
    is_of_other_rows,
    list_lost,
    loses_time,
    ranks_rows,
    read_follow_up,
    read_mode,
    restates_count,
    says_less,
    tells_of_present,
)
from sprints.semantics.questions.grammar import ANAPHOR, Parse, parse_question
from sprints.semantics.questions.inherited_scope import (
    asks_for_bare_rows,
    decides_share,
    drop_groups,
    drop_people,
    has_own_scope,
    is_noun,
    keeps_conditions,
    list_scope,
    list_shared_rows,
    names_no_subject,
    read_agent,
    refuse_count_of_rate,
    says_all,
    write_scope,
)
from sprints.semantics.questions.lexicon import Lexicon
from sprints.semantics.questions.merging import ChangeMode, get_subject, is_state, merge_fragment
from sprints.semantics.questions.phrase import Phrase
from sprints.semantics.questions.ranks import UNTIL_DONE
from sprints.semantics.questions.references import (
    OWNING,
    describe_rows,
    find_reference,
    find_sprint_before,
    find_team_before,
    has_owner,
    is_selection,
    list_values,
    name_issue,
    name_owner,
    name_person,
    name_subject,
    tells_of_issue,
)
from sprints.semantics.questions.team_sprints import refuse_fates, widen_sprints
from sprints.semantics.questions.terms import Unbound

NO_CHANGE = "I cannot tell how that changes the question before. Ask it with all that it should say."
OF_ALL = "Asked anew: it is not limited to what the question before named."
_OF_ROWS = frozenset({"they", "their", "theirs"})
_OPEN = (NamedCondition(predicate="open"), NamedCondition(predicate="left_in_sprint"))
_PAST = frozenset({"was", "were", "wasn't", "weren't"})


def parse_follow_up(
    question: str, *, context: MetricQuery, index: NameIndex, today: date, lexicon: Lexicon
) -> Parse | None:
    """
    Change a query as a question says. None if the question is complete or does not fit the query.

    A pronoun stands for the issue, the owner or the rows of the query, whose conditions all stay, or is asked about.
    """
    if sprint := find_sprint_before(question, context=context, index=index):
        return _follow_sprint(question, sprint=sprint, context=context, index=index, today=today, lexicon=lexicon)
    question = shorten_ranking(question, context=context)
    said, team = find_team_before(question, context=context)
    if said:
        named = question.replace(said, team, 1)
        parse = parse_follow_up(named, context=context, index=index, today=today, lexicon=lexicon)
        parse = parse or _parse_anew(named, index=index, today=today, lexicon=lexicon)
        return replace(parse, assumptions=(f"Took '{said}' as {team}.", *parse.assumptions))
    asked = read_follow_up(question, context=context, index=index, today=today, lexicon=lexicon)
    if asked is None:
        return None
    if (found := _ask_about_issue(asked)) or (found := _ask_of_then(asked)) or (found := _follow_person(asked)):
        return found
    model, tokens = lexicon.model, asked.tokens
    if wider := _widen_query(asked):
        return wider
    changed = change_rows(context, tokens=tokens, lexicon=lexicon, index=index)
    rows = list_counted_rows(context, model=model) if context.measures and not is_noun_alone(tokens) else None
    if changed is None and rows is not None:
        changed = show_columns(rows, tokens=tokens, lexicon=asked.lexicon)  # who has them
    if changed is not None or is_noun_alone(tokens):
        return asked.make_parse(changed, why=NO_CHANGE)
    if anaphor := find_reference(tokens):
        return _follow_reference(asked, anaphor=anaphor)
    if asks_for_rows(asked.phrases, tokens=tokens):
        rows = list_counted_rows(context, model=model)
        has_people = rows is not None and rows.rows_of in ("issue", "membership", "person")
        is_shown = has_people or not any("who" in one.marks for one in asked.phrases)
        return asked.make_parse(rows if is_shown else None, why=NO_CHANGE)
    return _follow_plainly(asked)


def _parse_anew(question: str, *, index: NameIndex, today: date, lexicon: Lexicon) -> Parse:
    return replace(parse_question(question, index=index, today=today, lexicon=lexicon), is_anew=True)


def _follow_sprint(
    question: str, *, sprint: SprintReference, context: MetricQuery, index: NameIndex, today: date, lexicon: Lexicon
) -> Parse:  # fmt: skip
    """Read "the sprint" as the one that the question before names. Of several, ask which."""
    text = normalise(question)
    known = [one.label for one in list_values(context, field="sprint") if isinstance(one, Reference)]
    if len(known) > 1:
        why = ANAPHOR.format(said=sprint.said)
        linked = link(text, index=index, today=today, reserved=lexicon.reserved_phrases)
        return Parse(linked=linked, why=why, anaphor=sprint.said, is_final=True)
    named = f"{text[: sprint.start]}{known[0]}{text[sprint.end :]}"
    parse = parse_follow_up(named, context=context, index=index, today=today, lexicon=lexicon)
    parse = parse or _parse_anew(named, index=index, today=today, lexicon=lexicon)
    return replace(parse, assumptions=(f"Took '{sprint.said}' as {known[0]}.", *parse.assumptions))


def _ask_about_issue(asked: FollowUp) -> Parse | None:
    """Ask a question whole with the one issue that its pronoun stands for. None if it has none."""
    key, named = name_issue(asked.linked.text, tokens=asked.tokens, context=asked.context)
    if not named:
        return None
    whole = asked.parse_whole(named)
    if whole.query is not None and tells_of_issue(
        whole.query, key=key, text=asked.linked.text, model=asked.lexicon.model
    ):
        return replace(whole, assumptions=(*whole.assumptions, f"Read as '{named}'."))
    changed = change_rows(asked.context, tokens=asked.tokens, lexicon=asked.lexicon, index=asked.index)
    return asked.make_parse(changed, why=NO_CHANGE)


def _ask_of_then(asked: FollowUp) -> Parse | None:
    """Ask whole what the issues of a sprint that is over were in it: which of them | were not finished."""
    rows = describe_rows(asked.context, index=asked.index)
    verb = next((at for at, one in enumerate(asked.tokens) if one.said.lower() in _PAST), len(asked.tokens))
    lead, told = asked.tokens[:verb], asked.tokens[verb + 1 :]
    is_clause = bool(told) and all(one.is_free or one.marks & (JOINING | {"which", "what", "anaphor"}) for one in lead)
    if not rows or not is_clause or any(one.period or one.reference or one.names for one in told):
        return None
    whole = asked.parse_whole(f"{rows} that were {asked.linked.text[told[0].start :]}")
    return whole if whole.query is not None else replace(whole, is_final=True)


def _follow_reference(asked: FollowUp, *, anaphor: str) -> Parse:
    """Change the query by a question that refers to its rows or their owner. All its conditions stay."""
    context, lost, word = asked.context, asked.ask_about(anaphor), anaphor.lower()
    if is_selection(context):
        return lost  # the rows of an answer, which no query names
    if (found := _ask_about_owner(asked)) or (found := _ask_of_person_now(asked)):
        return found
    is_owner = word in OWNING | {"their"} and has_owner(context, word=word)
    is_rows = context.rows_of is not None and word == "they" and "be" in asked.tokens[0].marks  # are | they | done
    if (word in OWNING and not (is_owner or is_rows)) or (is_owner and _asks_for_other_rows(asked)):
        return lost
    if asks_for_rows(asked.phrases, tokens=asked.tokens):
        return asked.make_parse(list_counted_rows(context, model=asked.lexicon.model), why=NO_CHANGE)
    is_part = not is_owner or (context.rows_of is not None and word in _OF_ROWS)  # their bugs, of listed epics
    is_part = is_part or tells_of_present(asked)
    changed = _change_query(asked, mode=ChangeMode(is_part=is_part, verb=asked.find_verb())) or lost
    is_number = changed.query is not None and changed.query.measures == context.measures != ()
    if is_number and "what" in asked.phrases[0].marks:
        return lost  # a number before, and a list now: what is he working on
    return changed


def _asks_for_other_rows(asked: FollowUp) -> bool:
    """Return whether rows are requested of an owner of which something else was measured: its bugs, of its velocity."""
    counts = {entity.count for entity in asked.lexicon.model.entities.values()}
    is_rows = any(one.is_of_issues or one.has("entity", form="noun") for one in asked.phrases)
    return is_rows and bool({*asked.context.measures} - counts)


def _follow_person(asked: FollowUp) -> Parse | None:
    """Change the query by what one person of it does: reported | by her. None if it says no such thing."""
    named = name_person(asked.linked.text, tokens=asked.tokens, context=asked.context)
    if not named or is_selection(asked.context):
        return None
    again = read_follow_up(
        named, context=asked.context, index=asked.index, today=asked.today, lexicon=asked.lexicon
    )  # fmt: skip
    is_swap = any(token.said.lower() == "instead" for token in asked.tokens)
    changed = _change_query(again, mode=ChangeMode(is_part=not is_swap, is_swap=is_swap)) if again else None
    return changed or asked.ask_about(find_reference(asked.tokens))


def _ask_about_owner(asked: FollowUp) -> Parse | None:
    """Ask a question whole with the owner that is all that limits the query. None if it is not, or is not read."""
    key, named = name_owner(asked.linked.text, tokens=asked.tokens, context=asked.context)
    whole = asked.parse_whole(named) if named else None
    if whole is None or whole.query is None or key not in whole.query.model_dump_json():
        return None
    return replace(whole, assumptions=(*whole.assumptions, f"Read as '{named}'."))


def _ask_of_person_now(asked: FollowUp) -> Parse | None:
    """Ask whole what the person of a query about the past does at present: what is he doing now."""
    named = name_subject(asked.linked.text, tokens=asked.tokens, context=asked.context)
    is_still = any(token.said.lower() == "still" for token in asked.tokens)  # of the rows before
    whole = asked.parse_whole(named) if named and tells_of_present(asked) and not is_still else None
    if whole is None or whole.query is None:
        return None
    return replace(whole, is_anew=True, assumptions=(*whole.assumptions, f"Read as '{named}'."))


def _follow_plainly(asked: FollowUp) -> Parse | None:
    """Change the query by a question without a pronoun. None if it is complete."""
    context, tokens, phrases, model = asked.context, asked.tokens, asked.phrases, asked.lexicon.model
    leading = next((token.marks for token in tokens if token.marks or not token.is_free), set())
    whole = asked.parse_whole(asked.question)
    is_of_rows = ranks_rows(phrases)
    is_begun = is_follow_up(leading | tokens[-1].marks & {"follow"}, phrases=phrases, tokens=tokens)
    if not (is_of_rows or is_begun or restates_count(asked)):
        if names_no_subject(phrases) or asks_for_bare_rows(phrases):
            return _keep_scope(asked)
        return _refuse_less(asked, whole=whole, is_joined=False)
    if is_of_other_rows(asked, leading=leading):
        return asked.make_parse(None, why=NO_CHANGE)
    if is_of_rows:
        asked = replace(asked, context=list_counted_rows(context, model=model) or context)
    mode = read_mode(asked, leading=leading)
    changed = _change_query(asked, mode=mode)
    if changed is not None:
        return changed
    if mode.is_more or mode.names_replaced or leading & LIMITING:
        return asked.make_parse(None, why=NO_CHANGE)
    if whole.query is None:
        return replace(whole, is_final=True)  # no other query knows what it leaves unsaid
    if not any(one.marks & HEADS or is_noun(one) for one in phrases):
        return _ask_with_all(asked)
    return _refuse_less(asked, whole=whole, is_joined=mode.is_joined or tokens[0].is_preposition)


def _keep_scope(asked: FollowUp) -> Parse | None:
    """
    Change the rows of the question before by a question that names none, or ask it whole with what these belong to.

    None if nothing limits the question before.
    """
    context, model = asked.context, asked.lexicon.model
    if context.where is None and not is_selection(context):
        return None
    refused = asked.make_parse(None, why=NO_CHANGE)
    is_order = all(one.kind in ("mark", "rank") for one in asked.phrases)
    if is_order or is_selection(context) or list_values(context, field="issue"):
        return refused
    counted = list_counted_rows(drop_groups(context), model=model) if context.measures else context
    rows = counted or list_shared_rows(context, model=model)
    if rows is None or rows.rows_of not in ("issue", "membership"):
        return _ask_with(asked, parts=split_conditions(context.where)) or refused
    if asks_for_bare_rows(asked.phrases):
        return asked.make_parse(counted if context.measures else None, why=NO_CHANGE)
    changed = _change_query(replace(asked, context=rows), mode=ChangeMode(is_filter=True))
    if changed is not None and changed.query is not None:
        return _ask_which_state(asked, before=rows, changed=changed)
    parts = split_conditions(rows.where)
    if changed is not None and not any(isinstance(part, TimeRange) for part in parts) and (
        anew := _ask_with(asked, parts=[part for part in parts if not is_state(part, model=model)])
    ):  # fmt: skip
        return anew  # no row is both: what was added, | what was removed
    if rows.rows_of == "issue" or (changed is not None and context.rows_of):
        return changed or refused
    return _ask_with(asked, parts=split_conditions(context.where)) or refused


def _ask_which_state(asked: FollowUp, *, before: MetricQuery, changed: Parse) -> Parse:
    """Ask whether a state or a time is said of rows in another state than open, or in its place."""
    model, query = asked.lexicon.model, changed.query
    parts, after = split_conditions(before.where), split_conditions(query.where) if query is not None else ()
    new = [part for part in after if part not in parts and is_state(part, model=model)]
    is_timed = any(isinstance(part, TimeRange) for part in new)
    old = [part for part in parts if part in after and is_state(part, model=model)]
    old = [part for part in old if is_timed or part not in _OPEN]
    if NamedCondition(predicate="in_backlog") in after:
        new, old = list(after), [part for part in parts if get_subject(part, model=model) == "sprint"]
    if not new or not old or query is None:
        return changed
    anew = _ask_with(asked, parts=[part for part in parts if part not in old])
    if anew is None or anew.query is None:
        return asked.make_parse(None, why=NO_CHANGE)
    return Parse(linked=asked.linked, readings=(query, anew.query), phrases=tuple(asked.phrases), is_final=True)


def _ask_with_all(asked: FollowUp) -> Parse:
    """
    Ask what happened to the rows in a sprint with all conditions of the question before: bugs of ORBIT, | added to it.

    Refused if that is a list after a number, or is of the same rows as before, to which it could not be added.
    """
    kept = _ask_with(asked, parts=split_conditions(asked.context.where))
    query = kept.query if kept is not None else None
    model = asked.lexicon.model
    is_same = query is not None and bool(query.measures) == bool(asked.context.measures)
    is_other = query is not None and get_entity(query, model=model) != get_entity(asked.context, model=model)
    return kept if kept is not None and is_same and is_other else asked.make_parse(None, why=NO_CHANGE)


def _ask_with(asked: FollowUp, *, parts: Sequence[Condition]) -> Parse | None:
    """Ask a question whole with conditions of the question before. None if it is not read with all of them."""
    said = asked.linked.text.rstrip(" ?.!") + write_scope(parts, model=asked.lexicon.model)
    whole = asked.parse_whole(said)
    if whole.query is None or not keeps_conditions(whole.query, parts=parts):
        return None
    model = asked.lexicon.model
    units = [{model.measures[one].unit for one in query.measures} for query in (whole.query, asked.context)]
    if all(units) and units[0] != units[1] and not any(is_noun(one) for one in asked.phrases):
        return None  # points before, and nobody said that issues are counted now
    return replace(whole, assumptions=(*whole.assumptions, f"Read as '{said}'."))


def _change_query(asked: FollowUp, *, mode: ChangeMode) -> Parse | None:
    """Return the query with what the phrases say, or why what they say is unclear. None if they do not fit it."""
    context, model = asked.context, asked.lexicon.model
    if any(one.said.lower() in ("everyone", "everybody") for one in asked.tokens):
        context = drop_people(context, model=model)
    phrases = [phrase for phrase in asked.phrases if "anaphor" not in phrase.marks]
    entity = get_entity(context, model=model)
    try:
        fragment = assemble_fragment(phrases, entity=entity, lexicon=asked.lexicon, context=context,
                                     is_part=mode.is_part)  # fmt: skip
        fragment = read_agent(fragment, context=context, phrases=phrases, model=model)
        if fragment.measures == context.measures and decides_share(context, parts=fragment.conditions, model=model):
            rows = list_shared_rows(context, model=model)
            return _change_query(replace(asked, context=rows), mode=mode) if rows else None
        beside = compare_times(context, new=fragment.conditions) if mode.is_more else None
        if mode.is_joined and not mode.is_more:
            beside = swap_part(context, new=fragment.conditions, model=model)
        if beside is not None:
            return asked.make_parse(beside, assumed=asked.list_assumptions(instead=fragment.assumptions))
        refuse_count_of_rate(context, fragment=fragment, tokens=asked.tokens, model=model)
        query = merge_fragment(context, fragment=fragment, model=model, index=asked.index, mode=mode)
        _refuse_unchanged(query, context=context, phrases=phrases)
        _refuse_unknown_times(query)
        refuse_fates(query, index=asked.index, model=model)
    except Unbound as unbound:
        return asked.make_parse(None, why=unbound.why) if unbound.is_final and unbound.why else None
    except ValueError:
        return None
    told = next((phrase for phrase in phrases if not phrase.marks & {"and"}), None)
    is_list = asks_for_list(asked.tokens) and fragment.measures == context.measures
    is_list = is_list or (told is not None and told.marks == {"which"})
    if is_list and query.measures:
        listed = list_counted_rows(drop_groups(query), model=model)
        if listed is None and query.group_by and asks_for_list(asked.tokens):
            return None  # the team with the most, | list the blocked issues
        query = listed or query
    lost = () if mode.is_swap else describe_lost_groups(context, query=query, model=model)
    return asked.make_parse(query, assumed=(*asked.list_assumptions(instead=fragment.assumptions), *lost))


def _refuse_unchanged(query: MetricQuery, *, context: MetricQuery, phrases: Sequence[Phrase]) -> None:
    """Refuse what changes nothing, and a time that is relative to that of the question before: the previous month."""
    has_time = any(isinstance(part, TimeRange) for part in split_conditions(context.where))
    is_relative = any(phrase.period and "previous" in phrase.said.lower().split() for phrase in phrases)
    if query == context or (has_time and is_relative):
        raise Unbound(None)


def _refuse_unknown_times(query: MetricQuery) -> None:
    """Refuse to rank by how long it took what is not done: what is blocked, | longest."""
    said = query.where.model_dump_json() if query.where else ""
    is_over = any(name in said for name in ('"done"', '"resolved"', '"has_cycle_time"', '"has_lead_time"'))
    if query.rows_of == "issue" and query.rank and query.rank.by in UNTIL_DONE and not is_over:
        raise Unbound(None)


def _refuse_less(asked: FollowUp, *, whole: Parse, is_joined: bool) -> Parse | None:
    """
    Refuse a question that is only whole because less is said than before. None if it is whole, or not read either.

    One that does not say what its rows belong to is of those before, or of all.
    """
    query, context, phrases, model = whole.query, asked.context, asked.phrases, asked.lexicon.model
    if query is None:
        return None
    if says_less(asked, query=query, is_joined=is_joined):
        return asked.make_parse(None, why=NO_CHANGE)
    if lost := list_lost(asked, query=query):
        either = _ask_either(asked, kept=_ask_with(asked, parts=lost), query=query)
        if either or query.measures:
            return either or asked.make_parse(None, why=NO_CHANGE)
    if loses_time(asked, query=query):
        times = [part for part in split_conditions(context.where) if isinstance(part, TimeRange)]
        kept = _change_query(asked, mode=ChangeMode()) or _ask_with(asked, parts=times)
        if either := _ask_either(asked, kept=kept, query=query):
            return either
    scope = list_scope(context, model=model)
    is_bare = not (scope or query.where or any(one.marks & HEADS for one in phrases))
    if context.where is not None and is_bare:
        return replace(whole, assumptions=(*whole.assumptions, OF_ALL))
    if not scope or says_all(asked.tokens) or has_own_scope(query, scope=scope, tokens=asked.tokens, model=model):
        return None
    if names_no_subject(phrases) or asks_for_bare_rows(phrases):
        return _keep_scope(asked)
    either = _ask_either(asked, kept=_ask_with(asked, parts=scope), query=query)
    return either or replace(whole, assumptions=(*whole.assumptions, OF_ALL))


def _ask_either(asked: FollowUp, *, kept: Parse | None, query: MetricQuery) -> Parse | None:
    """Ask whether it is of the rows before or of all. None if it is only of all."""
    if kept is None or kept.query in (None, query):
        return None
    readings = tuple(one for one in (kept.query, query) if one is not None)
    return Parse(linked=asked.linked, readings=readings, phrases=tuple(asked.phrases), is_final=True)


def _widen_query(asked: FollowUp) -> Parse | None:
    """Return the query without conditions on a kind of which all are meant: "for all teams". None if it says more."""
    context, model = asked.context, asked.lexicon.model
    said = [token for token in asked.tokens if not token.marks & {"follow", "and"}]
    is_all = bool(said) and any(token.said.lower().endswith("all") or "our" in token.marks for token in said)
    nouns = [(token, sense) for token in said for sense in token.senses if sense.kind == "entity"]
    kinds = {sense.name for _, sense in nouns if sense.is_plural}
    kinds |= {"team", "person"} if any("our" in token.marks for token in said) else set()
    names_one = any(not sense.is_plural and not token.marks & {"whole", "our"} for token, sense in nouns)
    if is_all and kinds and names_one:
        return asked.make_parse(None, why=NO_CHANGE)  # everyone in the team
    others = [
        token for token in said
        if not (token.is_free or token.marks & {"whole", "our"} or token.said.lower() == "in all")
    ]  # fmt: skip
    if not is_all or any(not any(one.kind == "entity" for one in token.senses) for token in others):
        return None
    fields = {field for kind in kinds for field in {"person": ("assignee", "reporter")}.get(kind, (kind,))}
    if context.rank and any(isinstance(one, DimensionGroup) and one.dimension in fields for one in context.group_by):
        return asked.make_parse(context.model_copy(update={"rank": None, "limit": None}))
    kept = [part for part in split_conditions(context.where) if get_subject(part, model=model) not in fields]
    if len(kept) == len(split_conditions(context.where)):
        return None
    wider = context.model_copy(update={"where": join_conditions(kept)})
    try:
        return asked.make_parse(widen_sprints(wider, model=model, index=asked.index) if "team" in fields else wider)
    except Unbound as unbound:
        return asked.make_parse(None, why=unbound.why or NO_CHANGE)


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
