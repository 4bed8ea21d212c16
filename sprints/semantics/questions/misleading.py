"""
Constructions that a nearby reading would turn into something else: negated questions, all of them, the other row.

Each finds the words that make it so, in the tokens of a question, and is asked back with them.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise

from sprints.semantics.questions.epic_keys import find_rows_beside_key, list_beside_key, stands_behind_of
from sprints.semantics.questions.tokens import YES_OR_NO, Token

_ALL = frozenset({"all", "every", "all of"})
_PEOPLE = frozenset({"person", "team", "assignee", "reporter"})
_PART_OF_SPRINT = frozenset({"first", "last", "second", "third", "final"})
_UNKNOWN_ACTS = frozenset({"added_late", "removed", "committed", "carried_over", "assigned"})
_ACTS = ("predicate", "time", "dimension")
_AUXILIARIES = frozenset({"do", "does", "did", "has", "have", "had"})
_LINKS = frozenset({"or", "versus", "than"})
_TOPICS = frozenset({"about", "regarding", "concerning"})
_LISTS = frozenset({"list", "pile", "stack", "heap", "bunch"})  # words that say nothing of rows
_LENGTHS = frozenset({"longest", "shortest", "biggest", "largest", "smallest"})
_BACK = frozenset({"back from", "back out of"})
_WEEKDAYS = frozenset(
    {"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "weekday", "weekend"}
)


def find_misleading(tokens: Sequence[Token]) -> str:
    """Return the words of the first such construction. Empty if there is none."""
    if not tokens:
        return ""
    readers: tuple[Callable[[Sequence[Token]], str], ...] = (
        _find_negative_question, _find_never, _find_all, _find_condition_of_parent, _find_parts_of_types,
        _find_epic_of_rows, _find_second_sprint, _find_part_of_sprint, _find_state_since, _find_days_of_sprint,
        _find_change_of_sprint,
        _find_unknown_actor, _find_topic, _find_exclusion, _find_crossed_pairs, _find_best_of_each,
        _find_any_weekday, _find_relative_what, _find_row_beside_key, _find_joined_key, _find_length_of_list,
        _find_return, _find_still_in_sprint, _find_slip, _find_second_act, _find_both,
        _find_stuck,
    )  # fmt: skip
    return next((said for read in readers if (said := read(tokens))), "")


def _find_negative_question(tokens: Sequence[Token]) -> str:
    """Find a negation whose verb is another: isn't X | done; what hasn't | Zoë | started; are | no | bugs open."""
    for place, token in enumerate(tokens):
        said = token.said.lower().replace("\u2019", "").replace("'", "")
        is_contracted = "not" in token.marks and said.endswith("nt")
        following = next((one for one in tokens[place + 1 :] if not one.is_free), None)
        is_subject = following is not None and (following.kind in ("person", "team") or bool(following.key))
        is_contracted |= said == "not" and place > 0 and tokens[place - 1].said.lower() in _AUXILIARIES
        if is_contracted and (place == 0 or is_subject):
            return token.said
    verb, subject = tokens[0], tokens[min(1, len(tokens) - 1)]
    is_nobody = "nobody" in subject.marks or subject.said.lower() == "no"
    return f"{verb.said} {subject.said}" if verb.said.lower() in YES_OR_NO and is_nobody else ""


def _find_never(tokens: Sequence[Token]) -> str:
    """Find people or teams that never did something, which says more than that a row is not so."""
    at = next((place for place, one in enumerate(tokens) if one.said.lower() == "never"), 0)
    asks_people = any("who" in one.marks or _names(one, *_PEOPLE, form="noun") for one in tokens[:at])
    return tokens[at].said if asks_people else ""


def _find_all(tokens: Sequence[Token]) -> str:
    """Find what is asked of all rows, of which those that are so are no answer: are | all | p0 issues done."""
    is_told = len(tokens) > 1 and tokens[0].said.lower() in _ALL and _has(tokens[-1], "predicate", "time")
    is_told = is_told and not any("nobody" in one.marks for one in tokens)  # of a list: | that nobody started
    asks = tokens[0].said.lower() in YES_OR_NO
    return next((one.said for one in tokens if one.said.lower() in _ALL), "") if asks or is_told else ""


def _find_condition_of_parent(tokens: Sequence[Token]) -> str:
    """Find a condition on the parent of rows: sub-tasks whose | parent | is blocked."""
    parent = next((one for one in tokens if _names(one, "parent", form="noun")), None)
    is_told = any(
        one.kind in ("person", "status", "priority", "sprint") or one.reference or _has(one, "predicate", "time")
        or (one.kind == "type" and parent is not None and one.start > parent.start) for one in tokens
    )  # fmt: skip
    return parent.said if parent is not None and is_told else ""


def _find_parts_of_types(tokens: Sequence[Token]) -> str:
    """Find parts of rows that are told of: sub-tasks | of | blocked | stories."""
    for place, token in enumerate(tokens):
        is_part = _is_part(token)
        behind = tokens[place + 1 : place + 5]
        of = next((one for one in behind if one.said.lower() == "of"), None)
        other = next((one for one in behind if of and one.start > of.start and one.kind == "type"), None)
        if is_part and other is not None:
            return f"{token.said} of {other.said}"
    return ""


def _is_part(token: Token) -> bool:
    """Return whether it is the type of what is a part of another row."""
    return token.kind == "type" and token.said.lower().startswith(("sub-task", "subtask", "sub task"))


def _find_epic_of_rows(tokens: Sequence[Token]) -> str:
    """Find what is said of the epic of rows: issues in | epics | with p0; bugs in all | epics; belongs to an | epic."""
    epic = next((one for one in tokens if one.kind == "type" and one.said.lower() in ("epic", "epics")), None)
    if epic is None or any(one.kind == "epic" for one in tokens):
        return ""
    is_of_issue = any(one.key for one in tokens) and tokens[0].said.lower() in YES_OR_NO
    is_in = any(_names(one, "issue", form="noun") and one.start < epic.start for one in tokens)
    behind = [one for one in tokens if one.start > epic.start]
    others = [one for one in behind if one.kind == "priority" or "without" in one.marks]
    types = [one for one in tokens if one.kind == "type" and one is not epic]
    is_best = bool(types) and any(sense.form == "superlative" for one in tokens for sense in one.senses)
    lead = " ".join(one.said.lower() for one in tokens if one.start < epic.start).split()[-2:]
    is_of_each = lead == ["in", "all"] and (is_in or bool(types))
    return epic.said if is_of_issue or (is_in and others) or is_best or is_of_each else ""


def _find_second_sprint(tokens: Sequence[Token]) -> str:
    """Find rows in one sprint that are also in another: were in sprint 8 | and | are | in sprint 9."""
    sprints = [place for place, one in enumerate(tokens) if one.reference or one.kind == "sprint"]
    for first, second in pairwise(sprints):
        between = tokens[first + 1 : second]
        is_also = any(one.said.lower() in ("also", "that", "which") for one in between)
        is_clause = any("be" in one.marks for one in between) and any(
            "and" in one.marks or one.said.lower() in ("that", "which") for one in between
        )
        links = {mark for one in between for mark in one.marks}
        is_verb = "be" in links and not links & {"not", "and", "or", "without"}  # from sprint 8 | are | in sprint 9
        is_compared = any(one.marks & {"than", "versus"} for one in tokens) or "how_many" in links
        is_counted = any("how_many" in one.marks for one in tokens)
        if ((is_also or is_clause) and not (is_compared or is_counted)) or (is_verb and not is_compared):
            return f"{tokens[first].said} {tokens[second].said}"
    return ""


def _find_state_since(tokens: Sequence[Token]) -> str:
    """Find since when rows are in a state, which is no sprint they are in, nor starts in: blocked | since | Monday."""
    is_counted = any("how_many" in one.marks for one in tokens)
    for verb, state, behind, sprint in zip(tokens, tokens[1:], tokens[2:], (*tokens[3:], None), strict=False):
        names = {sense.name for sense in state.senses if sense.kind == "predicate"}
        is_adjective = any(sense.kind == "predicate" and sense.form == "adjective" for sense in state.senses)
        is_state = is_adjective and not names & {"done", "completed"}
        is_blocked = "blocked" in names
        is_link = behind.said.lower() == "since" or (behind.said.lower() == "from" and is_blocked)
        is_verb = "be" in verb.marks or verb.said.lower() == "been"
        is_since = behind.period is not None and behind.said.lower().startswith("since")
        if is_state and is_link and sprint is not None and _is_sprint(sprint):
            return f"{state.said} {behind.said} {sprint.said}"
        if is_counted and is_blocked and is_verb and is_since:
            return f"{state.said} {behind.said}"
    return ""


def _find_days_of_sprint(tokens: Sequence[Token]) -> str:
    """Find days before now that are those of a sprint: in sprint 8 | in its | last 2 days."""
    for place, token in enumerate(tokens):
        before = [one for one in tokens[:place] if not one.is_free][-1:]
        is_last = token.period is not None and {*token.said.lower().split()} & {"last", "past", "final", "first"}
        if not (is_last and before and _is_sprint(before[0])):
            continue
        is_over = any(name.state == "closed" for name in (*before[0].sprints, *before[0].names))
        if is_over or tokens[place - 1].said.lower() in ("its", "their"):
            return f"{before[0].said} {token.said}"
    return ""


def _find_change_of_sprint(tokens: Sequence[Token]) -> str:
    """Find a number of a sprint that changes in a time, which no issue does: the scope of sprint 9 | change."""
    change = next((one for one in tokens if any((s.kind, s.name) == ("time", "updated") for s in one.senses)), None)
    is_timed = any(one.period for one in tokens) and any(_is_sprint(one) or _names(one, "sprint") for one in tokens)
    if change is None or not is_timed or any(_names(one, "issue", form="noun") for one in tokens):
        return ""
    numbers = [one for one in tokens if any(sense.kind == "measure" and sense.form == "noun" for sense in one.senses)]
    own = next((one for one in numbers if not _has(one, "entity")), None)
    return f"{own.said} {change.said}" if own is not None else ""


def _is_sprint(token: Token) -> bool:
    return bool(token.reference) or token.kind == "sprint"


def _find_part_of_sprint(tokens: Sequence[Token]) -> str:
    """Find a part of a sprint, which is no day or week of the calendar: the last day | of | sprint 7."""
    for place, token in enumerate(tokens):
        words = token.said.lower().split()
        behind = [one for one in tokens[place + 1 : place + 5] if one.kind != "team"]
        is_of = bool(behind) and behind[0].said.lower().split()[0] == "of"
        sprint = next((one for one in behind[1:] if not one.is_free), None)
        is_sprint = sprint is not None and (
            bool(sprint.reference) or sprint.kind == "sprint" or _names(sprint, "sprint")
        )
        if token.period and is_of and is_sprint and _PART_OF_SPRINT & {*words}:
            return f"{token.said} of"
    return ""


def _find_unknown_actor(tokens: Sequence[Token]) -> str:
    """Find by whom something was done that is known of the rows alone: added to sprint 9 | by | Priya."""
    content = [one for one in tokens if not one.is_free or one.said.lower() == "by"]
    for by, person in pairwise(content):
        is_person = person.kind == "person" or _names(person, "reporter", "assignee", form="noun")
        if by.said.lower() != "by" or not is_person:
            continue
        verb = next((one for one in content[::-1] if one.start < by.start and _has(one, *_ACTS)), None)
        names = {sense.name for sense in verb.senses} if verb is not None else set()
        is_assigned = verb is not None and verb.said.lower() == "assigned"
        is_own = person.kind != "person" and bool(names & {"done", "created", "completed"})
        is_own = is_own and not ("reporter" in names and _is_definite(person, tokens=tokens))  # by their assignee
        is_own = is_own and person.said.lower() != "person"  # closed | by person: a number for each
        if names & _UNKNOWN_ACTS or is_own or is_assigned:
            return f"{by.said} {person.said}"
    return ""


def _is_definite(noun: Token, *, tokens: Sequence[Token]) -> bool:
    return any(one.end + 1 == noun.start and one.said.lower() in ("the", "its", "their") for one in tokens)


def _find_topic(tokens: Sequence[Token]) -> str:
    """Find a topic that no name says: sprints | about | pilot; what is the sprint | about."""
    for place, token in enumerate(tokens):
        if token.said.lower() not in _TOPICS:
            continue
        behind = [one for one in tokens[place + 1 :] if not any(sense.name == "articles" for sense in one.senses)]
        if place and (not behind or behind[0].is_free):
            return token.said if not behind else f"{token.said} {behind[0].said}"
    return ""


def _find_exclusion(tokens: Sequence[Token]) -> str:
    """Find a difference and a split that are written as an exclusion: fixed | minus | created; with | and | without."""
    for place, token in enumerate(tokens):
        behind = tokens[place + 1 :]
        lead, link = tokens[max(place - 2, 0)], tokens[max(place - 1, 0)]
        is_but_one = token.said.lower() == "but" and bool(behind) and behind[0].said.lower() == "one"
        is_minus = token.said.lower() == "minus" and any(_has(one, "predicate", "time") for one in behind)
        is_split = "without" in token.marks and "and" in link.marks and "have" in lead.marks
        is_apart = place > 0 and link.end + len(", ") == token.start
        is_no_part = token.said.lower() == "no" and is_apart and bool(behind) and _is_part(behind[0])
        if is_no_part:
            return f"{token.said} {behind[0].said}"  # issues per person, | no sub-tasks: none of them, or without any
        if is_minus or is_split or is_but_one:
            return token.said
    return ""


def _find_return(tokens: Sequence[Token]) -> str:
    """Find a move to an earlier status, as these have no order, except from Done: moved | back from | QA."""
    for before, back, status in zip(tokens, tokens[1:], tokens[2:], strict=False):
        is_sure = status.said == "Done" and "be" not in before.marks  # is | back from | Done
        if back.said.lower() in _BACK and status.kind == "status" and not is_sure:
            return f"{back.said} {status.said}"
    return ""


def _find_still_in_sprint(tokens: Sequence[Token]) -> str:
    """Find what is still in a sprint, which is all of it or what is left to do: how many bugs are | still | in it."""
    is_told = any(
        _has(one, "predicate", "time") or one.kind == "status" or one.key or one.marks & {"have", "not", "without"}
        for one in tokens
    )
    is_of_sprint = any(_is_sprint(one) or _names(one, "sprint", form="noun") for one in tokens)
    return next((one.said for one in tokens if one.said.lower() == "still" and is_of_sprint and not is_told), "")


def _find_slip(tokens: Sequence[Token]) -> str:
    """Find what slipped out of, or into, what it names: slipped in | ORBIT; slipped in | sprint 8."""
    for token, owner in pairwise(tokens):
        said = token.said.lower()
        if said.startswith("slip") and said.endswith(" in") and (owner.kind == "team" or _is_sprint(owner)):
            return token.said
    return ""


def _find_crossed_pairs(tokens: Sequence[Token]) -> str:
    """Find pairs of which each is true of other rows: p0 in ACCEL | or | p1 in HARBOR."""
    compared: set[str] = set()
    for at, token in enumerate(tokens):
        if not token.marks & _LINKS:
            continue
        sides = [_list_values(tokens[:at]), _list_values(tokens[at + 1 :])]
        shared = {kind for kind in sides[0].keys() & sides[1].keys() if sides[0][kind] != sides[1][kind]}
        shared -= {"team"} if "sprint" in shared and _have_own_teams(tokens) else set()
        compared |= shared
        if len(compared) > 1:
            return token.said
    return ""


def _have_own_teams(tokens: Sequence[Token]) -> bool:
    """Return whether each sprint has a team of its own."""
    return all(one.reference.team for one in tokens if one.reference)


def _list_values(tokens: Sequence[Token]) -> dict[str, object]:
    """Return the values of a side of a comparison by what they are."""
    found: dict[str, object] = {}
    for token in tokens:
        is_sprint = bool(token.reference) or token.kind == "sprint"
        kind = "sprint" if is_sprint else "period" if token.period else token.kind if token.names else None
        if kind:
            found[kind] = token.period.span if token.period else (*(name.value for name in token.names), token.said)
    return found


def _find_best_of_each(tokens: Sequence[Token]) -> str:
    """Find the best of some in each of a time, and those of all: the most bugs | each | month; in | every | sprint."""
    is_ranked = any(one.marks & {"top", "bottom", "best", "worst"} for one in tokens)
    is_counted = any("how_many" in one.marks for one in tokens)
    asks = any("who" in one.marks or _names(one, "person", "team", form="noun") for one in tokens)
    for first, second in pairwise(tokens if asks else ()):
        said = first.said.lower()
        is_time = any(sense.kind == "grain" for sense in second.senses) or _names(second, "sprint", form="noun")
        is_each = said.split()[-1] in ("each", "every")
        if is_time and ((is_ranked and is_each) or (said == "in every" and not is_counted)):
            return f"{first.said} {second.said}"
    return ""


def _find_any_weekday(tokens: Sequence[Token]) -> str:
    """Find a day of any week, which is not the last one: started on | a Monday."""
    for article, day in pairwise(tokens):
        is_any = article.said.lower() in ("a", "any", "some", "every", "each")
        if is_any and day.period is not None and day.said.lower().rstrip("s") in _WEEKDAYS:
            return f"{article.said} {day.said}"
    return ""


def _find_relative_what(tokens: Sequence[Token]) -> str:
    """Find what was to be done, of which the part that was done is no answer: did it finish | what it planned."""
    is_asked = tokens[0].said.lower() in ("did", "has", "have")
    return next((one.said for one in tokens[1:] if is_asked and one.said.lower() == "what"), "")


def _find_row_beside_key(tokens: Sequence[Token]) -> str:
    """Find what is said of other rows than a named issue: status of | X's epic; | X's open bugs."""
    content, place = list_beside_key(tokens)
    if place < 0:
        return ""
    key, before, behind = content[place], content[:place], content[place + 1 :]
    is_of = stands_behind_of(tokens, key=key)
    if rows := find_rows_beside_key(tokens):
        return f"{rows.said} of {key.said}"
    if behind and _is_place(behind[0]):
        owned, rest = behind[0], (*before[-1:], *behind[1:2])
    else:
        owned, rest = (before[-1], (*before[-2:-1], *behind[:1])) if is_of and before else (key, ())
    return f"{key.said} {owned.said}" if _is_place(owned) and any("and" not in one.marks for one in rest) else ""


def _find_joined_key(tokens: Sequence[Token]) -> str:
    """Find an issue joined to what is none, of which it would be a part: issues of sprint 9 | and | ACCEL-1."""
    content = [one for one in tokens if not one.is_free]
    for first, link, second in zip(content, content[1:], content[2:], strict=False):
        is_key, is_other = bool(second.key) and not first.key, bool(first.key) and bool(second.names)
        if link.marks & {"and", "or"} and (is_key or is_other):
            return f"{link.said} {(second if is_key else first).said}"
    return ""


def _find_second_act(tokens: Sequence[Token]) -> str:
    """Find a second act of those who are asked for: a bug | they | reported; who created X and | also | finished it."""
    acts = [one for one in tokens if any(sense.form == "verb" for sense in one.senses)]
    asks_people = any("who" in one.marks or _names(one, *_PEOPLE, form="noun") for one in tokens)
    for verb in acts if asks_people else ():
        is_role = _names(verb, "reporter", "assignee", form="verb")
        lead = [one for one in tokens if one.start < verb.start and not one.marks & {"be", "have"}][-2:]
        said = lead[-1].said.lower() if lead else ""
        is_second = verb is not acts[0] or any("have" in one.marks for one in tokens if one.start < verb.start)
        if is_second and (said == "also" or (said in ("they", "he", "she") and is_role)):
            return f"{said} {verb.said}"
        is_relative = bool(lead) and _names(lead[0], "person", form="noun") and "who" in lead[-1].marks
        if is_relative and is_role and verb is not acts[0] and not _names(acts[0], "assignee", form="verb"):
            return f"{lead[0].said} who {verb.said}"  # fixed by | the person who reported them
    return ""


def _find_both(tokens: Sequence[Token]) -> str:
    """Find rows that two are said to share, each of which is one's: which did Levi and Zoë | both | work on."""
    at = next((place for place, one in enumerate(tokens) if one.said.lower() == "both"), 0)
    names, behind = tokens[max(at - 3, 0) : at], tokens[at + 1 : at + 2]
    is_pair = len(names) == 3 and names[0].kind == names[2].kind in ("person", "team") and "and" in names[1].marks  # noqa: PLR2004
    is_number = tokens[0].said.lower() in YES_OR_NO or any("how_many" in one.marks for one in tokens)
    return f"both {behind[0].said}" if is_pair and behind and not is_number else ""


def _find_stuck(tokens: Sequence[Token]) -> str:
    """Find how long rows are stuck in a status, which is not how long they are blocked: stuck | in QA | for 3 days."""
    content, is_long = [one for one in tokens if not one.is_free], any(one.days is not None for one in tokens)
    found = ((first.said, second) for first, second in pairwise(content) if is_long and first.said.lower() == "stuck")
    return next((said for said, one in found if one.kind == "status" or _names(one, "in_progress")), "")


def _is_place(token: Token) -> bool:
    is_epic = token.kind == "type" and token.said.lower().startswith("epic")
    return is_epic or _names(token, "sprint", "epic", "team", "parent", form="noun")


def _has(token: Token, *kinds: str) -> bool:
    return any(sense.kind in kinds for sense in token.senses)


def _names(token: Token, *names: str, form: str = "") -> bool:
    return any(sense.name in names and (not form or sense.form == form) for sense in token.senses)


def _find_length_of_list(tokens: Sequence[Token]) -> str:
    """Find a superlative of a list, which is no property of its rows: whose | pile | is the | biggest."""
    said = [word for one in tokens for word in one.said.lower().split()]
    if not _LISTS & {*said}:
        return ""
    for place, token in enumerate(tokens):
        before = [one for one in tokens[:place] if not one.is_free]
        is_verb = bool(before) and "be" in before[-1].marks and "whose" in tokens[0].marks
        if token.said.lower() in _LENGTHS and is_verb:
            return token.said
    return ""
