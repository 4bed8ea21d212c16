"""
Reduction of tokens to phrases: negated states, comparisons with numbers, groups, ranks, intervals of sprints.

Each rule replaces adjacent phrases by fewer ones or advances, so reading takes at most as many steps as there are
tokens.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sprints.linking.calendar import Span
from sprints.linking.periods import EARLIEST
from sprints.semantics.enums import Operator
from sprints.semantics.questions.alternatives import (
    read_alternatives,
    read_either,
    repeat_link,
    repeat_sides,
    share_negation,
)
from sprints.semantics.questions.constructions import (
    read_average_size,
    read_best_sprint,
    read_counted_sides,
    read_cycle_time,
    read_dated_noun,
    read_distinct,
    read_duration,
    read_each_row,
    read_inclusion,
    read_lateness,
    read_latest,
    read_locative,
    read_nobody_relative,
    read_noun_of_list,
    read_number_behind,
    read_overrun,
    read_present_sprint,
    read_ratio,
    read_span,
    read_start_of_work,
    read_time_in_status,
    read_when_of_sprint,
    read_wholly,
)
from sprints.semantics.questions.contrasts import (
    read_all_but,
    read_change,
    read_closing_clause,
    read_degree_first,
    read_depictive,
    read_leaver,
    read_obligation,
    read_possessives,
    read_progressive,
    read_second_number,
    read_swapped_group,
    read_than,
    read_whole,
    read_workers,
)
from sprints.semantics.questions.existence import EXISTENCE, read_only
from sprints.semantics.questions.histories import HISTORIES
from sprints.semantics.questions.lexicon import Sense
from sprints.semantics.questions.naming import (
    join_compared,
    list_names,
    read_current_value,
    read_epic_key,
    read_key_property,
    read_noun_of_name,
    read_owner,
    read_parent_key,
    read_passive_link,
    read_people_of_team,
    read_role_of_person,
    read_same_person,
    read_whole_of_parts,
)
from sprints.semantics.questions.negations import (
    negate,
    negate_owner,
    negate_prefixed,
    read_absence,
    read_acts,
    read_anybody,
    read_ever,
    read_idle,
    read_nobody,
    read_presence,
    read_related,
)
from sprints.semantics.questions.phrase import (
    NOTHING,
    SILENT_MARKS,
    Found,
    Phrase,
    Rule,
    degree_of,
    is_sprints,
    leave_out,
    look_at,
    phrase_at,
)
from sprints.semantics.questions.quantifiers import affirm_existence, count_totals, find_quantifier, name_people
from sprints.semantics.questions.restatements import RESTATEMENTS
from sprints.semantics.questions.speeds import read_speed
from sprints.semantics.questions.sprint_events import SPRINT_EVENTS
from sprints.semantics.questions.tokens import YES_OR_NO, Token
from sprints.semantics.questions.turns import TURNS
from sprints.semantics.questions.verbs import keep_verbs, put_still_first, read_infinitives

_OPERATORS_BEHIND = {"or_more": Operator.GE, "or_less": Operator.LE}
_OPERATORS = {"gt": Operator.GT, "ge": Operator.GE, "lt": Operator.LT, "le": Operator.LE, "eq": Operator.EQ}
_EDGES = ("since", "after", "before", "until")
_ANY = frozenset({"at least one", "a", "an", "any", "a single", "single", "even one"})
_ONE = frozenset({"a single", "single", "even one"})
_DEFINITE = frozenset({"the", "our", "its", "their", "s"})
_ROUGHLY = frozenset({"about", "around"})
_TOWARD = {
    **dict.fromkeys(("to", "into", "back to", "back into"), "to_status"),
    **dict.fromkeys(("from", "out", "out of", "back from", "back out of"), "from_status"),
}
_SPRINT = (Sense("entity", "sprint", "noun", is_plural=True), Sense("dimension", "sprint", "noun"))
_AGE = (Sense("dimension", "age_days", "comparative"),)
_AMONG = frozenset({"among", "amongst", "out of", "among all", "among all of", "of all", "of all of"})
_TERMS = frozenset({"entity", "measure", "dimension", "predicate", "time"})


def read_phrases(tokens: Sequence[Token]) -> list[Phrase]:
    """Convert tokens to phrases: one each, then combine neighbours, rule by rule."""
    tokens = name_people(affirm_existence(read_infinitives(put_still_first(tokens))))
    tokens = count_totals(_put_whole_first(keep_verbs(tokens)))
    placed = (
        _place(
            token,
            before=tokens[at - 1] if at else None,
            lead=tokens[at - 2].said.lower() if at > 1 else "",
            quantifier=find_quantifier(tokens[:at], following=tokens[at + 1 : at + 2]),
        )
        for at, token in enumerate(tokens)
        if not (token.is_preposition and _leads_to_name(tokens[at + 1 :]))  # under an epic, not less
    )
    phrases = [phrase for phrase in placed if phrase is not None]
    _find_unanswerable(tokens, phrases=phrases)
    for rule in (
        join_compared, *TURNS, read_speed, *RESTATEMENTS, *HISTORIES, *EXISTENCE, *SPRINT_EVENTS, read_same_person,
        read_each_row, read_cycle_time, read_time_in_status, read_overrun, read_lateness, read_present_sprint,
    ):  # fmt: skip
        _apply(rule, phrases)
    for rule in (read_when_of_sprint, read_best_sprint, read_average_size, read_start_of_work, read_ratio):
        _apply(rule, phrases)
    _apply(read_latest, phrases)
    _apply(repeat_link, phrases)
    _apply(read_passive_link, phrases)
    _apply(read_number_behind, phrases)
    _apply(read_span, phrases)
    _apply(read_obligation, phrases)
    _apply(read_owner, phrases)
    if not any(sense.name == "carried_over" for phrase in phrases for sense in phrase.senses):
        phrases = [phrase for phrase in phrases if phrase.marks != {"to"}]
    phrases = read_alternatives(phrases)
    for rule in _RULES:
        _apply(rule, phrases)
    return phrases


def _put_whole_first(tokens: Sequence[Token]) -> Sequence[Token]:
    """Put the whole of a share before its part: the share of | bugs | among | open issues."""
    at = next((n for n, one in enumerate(tokens) if "share" in one.marks), len(tokens))
    among = next((n for n, one in enumerate(tokens) if n > at + 1 and one.said.lower() in _AMONG), None)
    if among is None or any("be" in one.marks for one in tokens[at:]):
        return tokens
    end = next((n for n in range(among, len(tokens)) if "per" in tokens[n].marks), len(tokens))
    verb = replace(tokens[among], senses=(Sense("mark", "be", "word"),))
    return [*tokens[: at + 1], *tokens[among + 1 : end], verb, *tokens[at + 1 : among], *tokens[end:]]


def _leads_to_name(behind: Sequence[Token]) -> bool:
    """Return whether a name follows, perhaps with an article."""
    first = next((one for one in behind if not any(sense.name == "articles" for sense in one.senses)), None)
    return first is not None and bool(first.names)


def _find_unanswerable(tokens: Sequence[Token], *, phrases: list[Phrase]) -> None:
    """Mark what no list of rows answers: did they finish | all stories; the velocities | and the average."""
    is_yes_or_no = bool(tokens) and tokens[0].said.lower() in YES_OR_NO
    for place, token in enumerate(tokens[:-1]):
        if is_yes_or_no and token.said.lower() in ("all", "every"):
            at = next((n for n, one in enumerate(phrases) if one.start >= tokens[place + 1].start), None)
            if at is not None:
                said = f"{token.said} {phrases[at].said}"
                phrases[at] = replace(phrases[at], kind="unknown", said=said, senses=(), marks=frozenset())
    link, last = look_at(phrases, place=len(phrases) - 2, size=2)
    if last.marks & {"average", "median"} and "and" in link.marks:
        phrases[-1] = replace(last, kind="unknown", senses=(), marks=frozenset())


def _place(token: Token, *, before: Token | None, lead: str, quantifier: str) -> Phrase | None:
    """Convert a token, noting what the word before says of it: an article, a preposition, that it is not exact."""
    phrase, word = _phrase(token), before.said.lower() if before else ""
    if before and "and" in before.marks and "total" in token.marks:  # by team and in total
        return Phrase(kind="unknown", said=f"{before.said} {token.said}", start=before.start)
    if phrase is None:
        return None
    if word == "still" and "have" in token.marks:
        phrase = replace(phrase, marks=phrase.marks | {"still"})
    if before and before.is_free and word == "all" and token.said.lower() == "but":
        return replace(phrase, marks=frozenset({"except"}))  # all | but | ACCEL
    if before and word in _ROUGHLY and (token.number is not None or token.days is not None):
        return replace(phrase, kind="unknown", said=f"{before.said} {phrase.said}", start=before.start)
    if word == "within" and token.days is not None:
        phrase = replace(phrase, kind="bound", op=Operator.LE, edge="within", said=f"{word} {phrase.said}")
    if word == "the" and phrase.kind == "term" and not token.said.lower().endswith(("ed", "ing")):
        nouns = tuple(one for one in phrase.senses if one.form != "verb")
        phrase = replace(phrase, senses=nouns, kind=phrase.kind if nouns else "unknown")  # at the | end of
    is_property = phrase.has("dimension", form="noun") and not phrase.has("entity")
    if word in _ANY and lead in ("in", "inside", "within", "under", "part of") and is_property:
        said = f"{lead} {word} {phrase.said}"
        return replace(phrase, kind="missing", names=(), name_kind="", is_negated=True, said=said)  # in an epic
    return replace(
        phrase, is_any=word in _ANY or token.said.lower().startswith("any"), is_one=word in _ONE,
        is_owned=word in ("their", "its"), quantifier=quantifier,
        is_definite=word in _DEFINITE or bool(before and before.kind == "team"),
        is_ongoing=word == "being" or (word == "been" and token.said.lower().endswith("ing")),
        is_apart=bool(before and (before.is_preposition or word in _TOWARD)), is_perfect="been" in (word, lead),
        toward=_TOWARD.get(word, "") if token.kind == "status" else "",
    )  # fmt: skip


def _apply(rule: Rule, phrases: list[Phrase]) -> None:
    place = 0
    while place < len(phrases):
        found = rule(phrases, place=place)
        if found is None:
            place += 1
        else:
            replacement, size = found
            phrases[place : place + size] = replacement
            place += len(replacement) if len(replacement) >= size else 0


def _phrase(token: Token) -> Phrase | None:
    """Convert one token to a phrase. None if it has no meaning."""
    base = Phrase(kind="unknown", said=token.said, start=token.start, senses=token.senses, marks=frozenset(token.marks))
    if token.names:
        link = "or" if token.names[1:] and token.kind in ("status", "title") else ""
        return replace(base, kind="names", names=token.names, name_kind=str(token.kind), joined_by=link)
    if token.period:
        return replace(base, kind="period", period=token.period)
    if token.reference:
        is_vague = token.reference.position == "past" and token.reference.count == 1 and token.said.endswith("s")
        return replace(base, kind="sprints", names=token.sprints, is_vague=is_vague)
    if token.key:
        return replace(base, kind="key", keys=(token.key,))
    if token.top is not None:
        return replace(base, kind="top", number=token.top)
    if token.days is not None:
        return replace(base, kind="days", number=token.days, is_days=True)
    if token.number is not None:
        return replace(base, kind="number", number=token.number)
    if any(sense.kind in _TERMS or sense.kind in ("grain", "unit") for sense in token.senses):
        return replace(base, kind="term", is_plural=any(sense.is_plural for sense in token.senses))
    if base.marks - {"total"}:
        return replace(base, kind="mark")
    return None if token.is_free or base.marks else base


def _read_ago(phrases: list[Phrase], *, place: int) -> Found:
    """Read everything before a day that is so long ago: more than | 3 weeks ago. Any other bound of it has no place."""
    first, second = look_at(phrases, place=place, size=2)
    if not first.marks & {"gt", "lt", "ge", "le"} or not second.period or not second.said.lower().endswith("ago"):
        return None
    if "gt" not in first.marks or second.period.edge:
        return [leave_out(second, lead=first)], 2
    before = replace(second.period, span=Span(EARLIEST, second.period.span.start), edge="before")
    return [replace(second, period=before, said=f"{first.said} {second.said}", start=first.start)], 2


def _sprint_edges(phrases: list[Phrase], *, place: int) -> Found:
    """Read an interval of sprints: since sprint 5; before ACCEL Sprint 3."""
    first, second = look_at(phrases, place=place, size=2)
    edge = next((one for one in _EDGES if one in first.marks), "")
    if not is_sprints(second) or not edge or (edge == "since" and first.said.lower() == "from"):
        return None
    return [replace(second, kind="sprints", edge=edge, said=f"{first.said} {second.said}", start=first.start)], 2


def _bounds(phrases: list[Phrase], *, place: int) -> Found:
    """Read a bound: more than 5 points; at least 3; 5 or more; over 10 days; more than twice."""
    first, second, third, fourth = look_at(phrases, place=place, size=4)
    said = f"{first.said} {second.said}"
    if op := _find_operator(first, _OPERATORS):
        bound = replace(second, kind="bound", op=op, said=said, start=first.start)
        if second.kind in ("number", "days"):
            return [bound], 2
        if second.marks & {"once", "twice"}:
            return [replace(bound, number=1.0 if "once" in second.marks else 2.0, edge="times")], 2
    if "several" in first.marks and (second.has_entity("sprint") or second.has("dimension")):
        return [replace(first, kind="bound", op=Operator.GE, number=2.0, marks=frozenset(), senses=())], 1
    if first.kind in ("number", "days") and (op := _find_operator(second, _OPERATORS_BEHIND)):
        return [replace(first, kind="bound", op=op, said=said)], 2
    is_split = first.kind == "number" and second.kind == "term" and second.has("dimension")
    if is_split and (op := _find_operator(third, _OPERATORS_BEHIND)):
        said = f"{said} {third.said}"
        return [replace(first, kind="bound", op=op, said=said, senses=second.senses, is_plural=True)], 3
    if "between" in first.marks and second.kind == fourth.kind == "number" and "and" in third.marks:
        low = replace(second, kind="bound", op=Operator.GE, said=f"{said} and {fourth.said}", start=first.start)
        high = replace(low, op=Operator.LE, number=fourth.number)
        return [replace(low, alternatives=(high,))], 4
    if "twice" in first.marks and "than" not in second.marks:
        return [replace(first, kind="bound", op=Operator.GE, number=2.0, edge="times")], 1
    return None


def _find_operator(phrase: Phrase, operators: Mapping[str, Operator]) -> Operator | None:
    return next((operators[mark] for mark in operators if mark in phrase.marks), None)


def _repeated_how_often(phrases: list[Phrase], *, place: int) -> Found:
    """Read how many | times."""
    first, second = look_at(phrases, place=place, size=2)
    if "how_many" not in first.marks or "times" not in second.marks:
        return None
    return [replace(first, said=f"{first.said} {second.said}", marks=first.marks | {"how_often"})], 2


def _comparative(phrases: list[Phrase], *, place: int) -> Found:
    """Read a comparative: older than 30 days; larger than 5 points; bigger than 8."""
    first, than, value, unit = look_at(phrases, place=place, size=4)
    degrees = tuple(one for one in first.senses if one.form == "comparative")
    if not degrees or "than" not in than.marks or value.kind not in ("number", "days"):
        return None
    has_unit = unit.kind == "term" and unit.has("measure", form="noun") and not unit.has("entity")
    op = Operator.GT if degrees[0].is_descending else Operator.LT
    said = f"{first.said} than {value.said}"
    return [replace(value, kind="bound", op=op, said=said, start=first.start, senses=degrees)], 3 + has_unit


def _bound_age(phrases: list[Phrase], *, place: int) -> Found:
    """Read how old rows are: over 14 days | old; 30 days | old."""
    first, second = look_at(phrases, place=place, size=2)
    if first.kind not in ("bound", "days") or not first.is_days or "aged" not in second.marks:
        return None
    said = f"{first.said} {second.said}"
    return [replace(first, kind="bound" if first.op else "unknown", senses=_AGE, said=said)], 2


def _bound_units(phrases: list[Phrase], *, place: int) -> Found:
    """Read the unit of a bound: more than 5 | points; 8 | point | stories; reopened | more than 2 | times."""
    first, second = look_at(phrases, place=place, size=2)
    if first.kind not in ("bound", "number") or first.is_days or first.senses:
        return None
    bound = replace(first, kind="bound", op=first.op or Operator.EQ)
    if "times" in second.marks:
        return [replace(bound, edge="times")], 2
    is_unit = second.has("dimension", form="noun") or (first.kind == "bound" and second.has("measure", form="noun"))
    is_counted = second.has("entity") or "which" in phrase_at(phrases, place=place - 1).marks
    behind = phrases[place + 2 :]
    is_ranked = is_counted and any(degree_of(one) is not None or one.marks & {"best", "worst"} for one in behind)
    if second.kind != "term" or not is_unit or is_ranked:
        return None  # which two | labels | are on the most bugs
    return [replace(bound, senses=second.senses, said=f"{first.said} {second.said}", is_plural=True)], 2


def _read_bound_after(phrases: list[Phrase], *, place: int) -> Found:
    """Read a bound after its unit: cycle time | over 10 days; points | above 5."""
    first, second, third = look_at(phrases, place=place, size=3)
    size, bound = (3, third) if second.marks & SILENT_MARKS else (2, second)
    is_bounded = first.has("dimension", form="noun") or (first.has("measure", form="noun") and not bound.is_days)
    if first.kind != "term" or not is_bounded or first.has("entity", "unit"):
        return None
    names = {one.name for one in first.senses if one.kind == "dimension"}
    is_same = bound is second and any(one.name in names for one in bound.senses)
    behind = phrase_at(phrases, place=place + size)
    is_counted = behind.name_kind == "type" or (behind.kind == "term" and behind.has("entity", "predicate"))
    if bound.kind != "bound" or bound.edge or not (is_same or not bound.senses) or is_counted:
        return None  # labels | have | fewer than 5 | open | issues
    return [replace(bound, senses=first.senses, said=f"{first.said} {bound.said}", start=first.start)], size


def _agent(phrases: list[Phrase], *, place: int) -> Found:
    """Find no place for who or what it was done by, nor for a unit: blocked | by | anything; hours | per | point."""
    first, second = look_at(phrases, place=place, size=2)
    is_agent = first.said.lower() == "by" and second.is_any
    is_unit = first.said.lower() == "per" and second.said.lower() in ("point", "story point", "hour")
    return ([leave_out(second, lead=first)], 2) if is_agent or is_unit else None


def _groups(phrases: list[Phrase], *, place: int) -> Found:
    """Read a group: by team; per month; for each person; weekly; team by team; month by month."""
    first, second, third = look_at(phrases, place=place, size=3)
    word, said = first.said.lower(), f"{first.said} {second.said}"
    is_grain = first.kind == "term" and all(sense.kind == "grain" for sense in first.senses)
    if first.kind == "term" and second.said.lower() == "by" and third.senses == first.senses:
        return [replace(first, kind="group", said=f"{said} {third.said}")], 3
    if first.marks & {"which", "what"} and second.kind == "term" and all(one.kind == "grain" for one in second.senses):
        return [replace(second, kind="group", said=said)], 2
    if is_grain and (word.endswith("ly") or " by " in word):
        return [replace(first, kind="group")], 1
    if "per" not in first.marks:
        return None
    is_compared = any("compare" in one.marks for one in phrases[:place]) and second.has("measure", form="noun")
    if word == "by" and is_compared and not second.has("entity"):
        return [second], 2  # compare ACCEL and ORBIT | by | points
    is_list = word == "by" and second.is_plural and "except" in third.marks
    if is_list or (third and second.marks & {"per"}):
        return [second], 2
    at = 3 if third.name_kind == "team" else 2
    noun = phrase_at(phrases, place=place + at) if second.has("predicate") or second.name_kind == "team" else NOTHING
    if word != "by" and noun.has("entity", form="noun"):
        group = replace(noun, kind="group", said=f"{first.said} {noun.said}", start=first.start)
        return [*phrases[place + 1 : place + at], group], at + 1
    is_noun = second.kind == "term" or (second.name_kind == "type" and second.has("dimension", form="noun"))
    if is_noun and (second.has("entity", "dimension", "measure", form="noun") or second.has("grain")):
        return [replace(second, kind="group", said=said, start=first.start, names=(), name_kind="")], 2
    if word == "by" and second.kind == "names" and second.name_kind in ("person", "team"):
        return [replace(second, by=True)], 2
    return None


def _group_each(phrases: list[Phrase], *, place: int) -> Found:
    """Read each of several: in each of | ORBIT's | epics; in each of | the last three sprints."""
    first, second, third = look_at(phrases, place=place, size=3)
    if "per" not in first.marks or first.said.lower().rpartition(" ")[2] not in ("each", "every"):
        return None
    is_of_others = first.said.lower() == "each" and second.is_apart  # Levi and Zoë | each | in sprint 8
    if is_sprints(second) and len(second.names) > 1 and not is_of_others:
        return [second, replace(second, kind="group", names=(), name_kind="", senses=_SPRINT)], 2
    is_noun = third.said.lower().endswith("s") and third.has("entity", "dimension", form="noun")
    if second.name_kind != "team" or not is_noun:
        return None
    group = replace(third, kind="group", names=(), name_kind="", said=f"{first.said} {third.said}", start=first.start)
    return [second, replace(first, marks=frozenset({"have"}), senses=()), group], 3  # not those that have none


def _ranks(phrases: list[Phrase], *, place: int) -> Found:
    """Read a rank: top 5; 5 oldest; most; oldest; longest cycle time; fewest."""
    first, second = look_at(phrases, place=place, size=2)
    degree = degree_of(first)
    if first.kind in ("top", "number") and degree_of(second) is not None:
        return [replace(second, kind="rank", number=first.number, is_descending=bool(degree_of(second)))], 2
    if first.kind == "top" or (first.kind in ("mark", "term") and first.marks & {"best", "worst", "rank"}):
        is_order = "rank" in first.marks
        is_descending = "worst" not in first.marks or is_order
        rank = replace(first, kind="rank", senses=(), is_descending=is_descending, is_plural=is_order)
        measure = [replace(first, marks=frozenset())] if first.kind == "term" else []  # closest to done
        return [rank, *measure], 1
    if degree is None:
        return None
    if first.kind == "mark" and "how_many" in second.marks:
        return [first], 2  # the highest | number of
    has_count = second.kind == "number" and bool(first.marks & {"top", "bottom"})
    number = second.number if has_count else None
    return [replace(first, kind="rank", number=number, is_descending=degree)], 1 + has_count


def _merge_ranks(phrases: list[Phrase], *, place: int) -> Found:
    """Combine a rank with its order, or with the number at the end: top 5 | oldest; most points in Q3 | top 5."""
    first, second = look_at(phrases, place=place, size=2)
    is_behind = place == len(phrases) - 1 and first.said.lower().startswith("top ") and not first.has("dimension")
    at = next((n for n, one in enumerate(phrases[:place]) if one.kind == "rank" and one.is_descending), None)
    if is_behind and at is not None and phrases[at].number is None:
        phrases[at] = replace(phrases[at], number=first.number)
        return [], 1
    if not first.kind == second.kind == "rank" or first.has("dimension"):
        return None
    return [replace(second, number=first.number if first.number is not None else second.number)], 2


def _counted_rank(phrases: list[Phrase], *, place: int) -> Found:
    """Read a counted rank: which three | people have resolved the | most issues."""
    first = phrases[place]
    behind = (one for one in phrases[place + 1 :] if not one.has("predicate") and one.name_kind != "team")
    noun = next(behind, NOTHING)
    is_kind = noun.name_kind == "type" and noun.said.lower().endswith("s")
    if first.kind != "number" or not (is_kind or (noun.is_plural and noun.has("entity", "dimension", form="noun"))):
        return None
    ranks = [one for one in phrases if one.kind == "rank"]
    if any(one.said.lower() in ("is", "was") for one in phrases):
        return None  # which of the 5 | was updated last: one
    if len(ranks) != 1 or ranks[0].number is not None or ranks[0].start < first.start:
        return None
    rest = [replace(one, number=first.number) if one is ranks[0] else one for one in phrases[place + 1 :]]
    return rest, len(rest) + 1


_RULES: tuple[Rule, ...] = (
    negate_prefixed, read_noun_of_list, read_dated_noun, read_locative, read_distinct, read_counted_sides,
    read_nobody_relative, read_wholly, read_inclusion, read_anybody, read_progressive, read_leaver,
    read_possessives, read_change, read_current_value, read_noun_of_name, read_epic_key, read_parent_key,
    read_key_property, read_depictive, read_people_of_team, read_second_number,
    read_closing_clause,
    repeat_sides, read_all_but, _read_ago, list_names, read_whole, read_workers,
    _repeated_how_often, _sprint_edges, _bounds, read_duration, read_than, _comparative, _agent,
    _group_each, _groups, read_whole_of_parts, read_swapped_group, _bound_age, _bound_units, _read_bound_after,
    read_absence, read_idle, read_related, read_acts, read_ever, read_nobody, negate_owner, negate, share_negation,
    read_presence, read_degree_first, _ranks, _merge_ranks, _counted_rank, read_either, read_only, read_role_of_person,
)  # fmt: skip
