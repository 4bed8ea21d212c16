"""
Constructions that ask how something was at a moment which the data does not keep, or how it is now of what is over.

Each finds the words that make it so, in the tokens of a question, and is asked back with them.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise

from sprints.semantics.questions.tokens import Token

_CLAUSES = frozenset({"when", "as", "once"})
_AT = frozenset({"at", "on", "upon"})
_ACTS = frozenset({"creation", "closing", "closure", "completion", "resolution"})
_PRONOUNS = frozenset({"they", "it", "he", "she"})
_GETS = frozenset({"get", "gets", "got"})
_NOW = frozenset({"right now", "at the moment", "at present", "currently", "presently", "rn", "atm", "as of now"})
_STATES_OF_ISSUE = frozenset({"created", "resolved", "started", "updated", "done", "open", "overdue", "in_progress"})
_PAST = frozenset({"was", "were", "got", "had", "been"})
_NEVER = frozenset({"never", "not ever"})
_WEEKDAYS = frozenset({"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"})
_DAYS = frozenset({"today", "yesterday"})
_DEGREES = frozenset({"top", "bottom"})
_HOLDERS = ("person", "team", "assignee")


def find_lost_moment(tokens: Sequence[Token]) -> str:
    """Return the words of the first such construction. Empty if there is none."""
    readers: tuple[Callable[[Sequence[Token]], str], ...] = (
        _find_clause_of_then, _find_act_of_then, _find_age_of_then, _find_time_of_blocker, _find_most_blocked,
        _find_blocked_before, _find_missing_reason, _find_not_yet, _find_done_elsewhere, _find_days_into_sprint,
        _find_length_of_now, _find_empty_time, _find_whose_all, _find_weekday_of_sprint,
    )  # fmt: skip
    return next((said for read in readers if (said := read(tokens))), "")


def _find_clause_of_then(tokens: Sequence[Token]) -> str:
    """Find as of when something is asked: older than 30 days | when | they were | closed. It is known as of now."""
    for place, token in enumerate(tokens[:-1]):
        subject, verb = tokens[place + 1], _find_act(tokens[place + 2 :])
        if token.said.lower() not in _CLAUSES or not any(map(_says_something, tokens[:place])):
            continue
        if token.said.lower() == "when" and _has(subject, "time"):
            return f"{token.said} {subject.said}"  # when | closed
        if verb is not None and (subject.said.lower() in _PRONOUNS or _is_row(subject)):
            return f"{token.said} {subject.said} {verb.said}"
    return ""


def _find_act_of_then(tokens: Sequence[Token]) -> str:
    """Find as of which act something is asked: p0 | at | creation; older than 30 days | at | closing."""
    said = is_degree = False
    for token, act in pairwise(tokens):
        if said and token.said.lower() in _AT and act.said.lower() in _ACTS and not is_degree:
            return f"{token.said} {act.said}"
        said, is_degree = said or _says_something(token), _is_degree(token)  # faster | at | closing bugs
    return ""


def _is_degree(token: Token) -> bool:
    return any(one.form in ("comparative", "superlative") for one in token.senses)


def _find_act(tokens: Sequence[Token]) -> Token | None:
    """Return what was done, behind the auxiliary of a passive clause: was | added; got | closed."""
    is_passive = bool(tokens) and ("be" in tokens[0].marks or tokens[0].said.lower() in _GETS)
    act = next((one for one in tokens[1:] if not one.is_free), None)
    return act if is_passive and act is not None and _has(act, "predicate", "time") else None


def _find_age_of_then(tokens: Sequence[Token]) -> str:
    """Find how old done rows were, whose age is known as of now: fixed bugs that | were | older than a month."""
    is_done = any(_names(one, "done") for one in tokens) and not any("not" in one.marks for one in tokens)
    for place, token in enumerate(tokens):
        is_older = any((one.name, one.form) == ("age_days", "comparative") for one in token.senses)
        if is_done and is_older and place and tokens[place - 1].said.lower() in ("was", "were"):
            return f"{tokens[place - 1].said} {token.said}"
    return ""


def _find_time_of_blocker(tokens: Sequence[Token]) -> str:
    """Find when blockers began or ended, or whether they last, said as of an issue: | new | blockers this week."""
    blocker = next((one for one in tokens if _is_entity(one, "blocked_period")), None)
    if blocker is None or any(_is_row(one) for one in tokens):
        return ""
    has_sprint = any(one.reference or one.kind == "sprint" or _names(one, "sprint", form="noun") for one in tokens)
    said = next((one.said for one in tokens if _is_time_of_issue(one)), "")
    ended = "" if has_sprint else next((one.said for one in tokens if _names(one, "sprint_ends", form="verb")), "")
    return f"{said or ended} {blocker.said}" if said or ended else ""


def _is_time_of_issue(token: Token) -> bool:
    """Return whether it says when an issue was created or done, how old it is, or whether it is done."""
    is_older = any((one.name, one.form) == ("age_days", "comparative") for one in token.senses)
    return is_older or any(one.name in _STATES_OF_ISSUE and one.form in ("verb", "adjective") for one in token.senses)


def _find_most_blocked(tokens: Sequence[Token]) -> str:
    """Find who was blocked most, of which only who is blocked now is known: who was | blocked | the most."""
    is_past = any(one.said.lower() in _PAST for one in tokens)
    content = [one for one in tokens if not one.is_free]
    for first, second in pairwise(content if is_past and _asks_holders(tokens) else ()):
        state, rank = (first, second) if _is_blocked(first) else (second, first)
        if _is_blocked(state) and rank.marks & _DEGREES:
            return f"{first.said} {second.said}"
    return ""


def _find_blocked_before(tokens: Sequence[Token]) -> str:
    """Find whose issues had been blocked: hasn't | had | a ticket blocked. Blocked means as of now."""
    content = [one for one in tokens if one.said.lower() == "had" or not (one.is_free or one.marks & _DEGREES)]
    is_past = any(one.said.lower() in ("had", "did") for one in tokens)
    is_told = is_past and _asks_holders(tokens) and not any(one.period or one.reference for one in tokens)
    for verb, first, second in zip(content, content[1:], content[2:], strict=False):
        is_had = is_told and verb.said.lower() in ("had", "have")
        are_both = (_is_row(first) and _is_blocked(second)) or (_is_blocked(first) and _is_row(second))
        if is_had and are_both:
            return f"{verb.said} {first.said} {second.said}"
    return ""


def _find_missing_reason(tokens: Sequence[Token]) -> str:
    """Find blockages without a reason, which is never empty: blocked | without | reason."""
    content = [one for one in tokens if not one.is_free]
    for lack, noun in pairwise(content):
        if lack.marks & {"without", "not"} and any(one.name == "blocked_reason" for one in noun.senses):
            return f"{lack.said} {noun.said}"
    return ""


def _find_not_yet(tokens: Sequence[Token]) -> str:
    """Find what has not come to a status, while what is past it is not there either: | not yet | in review."""
    for place, status in enumerate(tokens):
        is_place = status.kind == "status" and status.said.lower() != "done"
        if not is_place and not (_names(status, "in_progress") and status.said.lower().startswith("in ")):
            continue
        start = next((at for at in range(place, 0, -1) if not _is_between(tokens[at - 1])), 0)
        before, behind = tokens[start:place], tokens[place + 1 : place + 2]
        said = {one.said.lower() for one in before}
        is_to = any(one.split()[0] == "to" for one in said)  # yet to reach
        negation = next((one.said for one in before if "not" in one.marks or (one.said.lower() == "yet" and is_to)), "")
        is_yet = bool(said & {"yet", "still"}) or any(one.said.lower() == "yet" for one in behind)
        if negation and is_yet and not said & _NEVER:
            return f"{negation} {status.said}"
    return ""


def _find_done_elsewhere(tokens: Sequence[Token]) -> str:
    """Find done rows that are not in a status, which says nothing, as they are in Done: done but | not in QA."""
    content = [one for one in tokens if one.said.lower() == "been" or not (one.is_free or one.marks == {"be"})]
    is_done = False
    for before, negation, status in zip(content, content[1:], content[2:], strict=False):
        is_first = negation is content[1] and _names(before, "done")
        is_not = bool(negation.marks & {"not", "except"}) and "ever" not in negation.marks
        if (is_done or is_first) and is_not and status.kind == "status":
            return f"{negation.said} {status.said}"
        is_done = is_done or is_first or (_names(negation, "done") and "not" not in before.marks)
    return ""


def _is_between(token: Token) -> bool:
    """Return whether it may stand between a negation and a state: | yet been in |; yet | to reach |."""
    return token.is_free or bool(token.marks & {"not", "have", "be", "to", "move"}) or token.said.lower() == "to go"


def _find_days_into_sprint(tokens: Sequence[Token]) -> str:
    """Find how far a sprint has come, which is not its length: how many days | into | the sprint are we."""
    is_length = any("how_long" in one.marks for one in tokens)
    leads = enumerate(pairwise(tokens), start=1)
    into = next((at for at, (lead, one) in leads if one.said.lower() == "into" or _is_where(lead, place=one)), 0)
    behind = next((one for one in tokens[into + 1 :] if not one.is_free), None)
    is_sprint = behind is not None and (behind.reference or behind.kind == "sprint" or _names(behind, "sprint"))
    return f"{tokens[into].said} {behind.said}" if is_length and into and behind is not None and is_sprint else ""


def _is_where(subject: Token, *, place: Token) -> bool:
    return subject.said.lower() == "we" and place.said.lower() == "in"


def _find_length_of_now(tokens: Sequence[Token]) -> str:
    """Find how long it takes now, while only what has ended is measured: in QA | right now; the longest | currently."""
    now = next((one.said for one in tokens if one.said.lower() in _NOW), "")
    if not now or any(one.said.lower() in ("been", "since") or one.key for one in tokens):
        return ""
    status = next((one.start for one in tokens if one.kind == "status"), -1)
    is_state = status >= 0 or any(_has(one, "predicate") for one in tokens)
    for token in tokens:
        is_rank = any((one.name, one.form) == ("cycle_time_days", "superlative") for one in token.senses)
        is_length = "how_long" in token.marks or "time" in token.said.lower().split()
        if (is_rank and not is_state) or (is_length and token.start < status):
            return f"{token.said} {now}"
    return ""


def _find_empty_time(tokens: Sequence[Token]) -> str:
    """Find days on which nothing was so, which have no rows: on which days did | nobody | close anything."""
    for place, (which, grain) in enumerate(pairwise(tokens)):
        is_asked = bool(which.marks & {"which", "what"}) and any(one.kind == "grain" for one in grain.senses)
        is_ranked = any(one.marks & _DEGREES for one in tokens)
        negation = next((one.said for one in tokens[place + 2 :] if _is_none(one)), "")
        if is_asked and negation and not is_ranked:
            return f"{grain.said} {negation}"
    return ""


def _is_none(token: Token) -> bool:
    return bool(token.marks & {"nobody", "not"}) or token.said.lower() == "no"


def _find_whose_all(tokens: Sequence[Token]) -> str:
    """Find whose rows are all so, of which those that are so are no answer: whose tickets were | all | finished."""
    for token, state in pairwise(tokens):
        if "whose" in tokens[0].marks and token.said.lower() == "all" and _has(state, "predicate", "time"):
            return f"{token.said} {state.said}"
    return ""


def _find_weekday_of_sprint(tokens: Sequence[Token]) -> str:
    """
    Find a day of the week beside a sprint that is over: done | by Wednesday | in sprint 8.

    It may be a day of that sprint, of which the last such day is none; what is done since is done in another sprint.
    """
    content = [one for one in tokens if not one.is_free and one.kind != "team"]
    sprint = next((at for at, one in enumerate(content) if _is_closed_sprint(one)), -2)
    is_done = any(_names(one, "done") for one in content)
    is_compared = any(one.marks & {"compare", "versus", "than"} for one in content)
    for place, day in enumerate(content if sprint >= 0 else ()):
        said = {*day.said.lower().split()} if day.period is not None else set()
        is_other = (is_done and bool(said & _WEEKDAYS)) or abs(place - sprint) == 1
        if said & (_WEEKDAYS | _DAYS) and (is_other or is_compared):
            return f"{day.said} {content[sprint].said}"
    return ""


def _is_closed_sprint(token: Token) -> bool:
    is_sprint = bool(token.reference) or token.kind == "sprint"
    return is_sprint and any(name.state == "closed" for name in (*token.sprints, *token.names))


def _asks_holders(tokens: Sequence[Token]) -> bool:
    """Return whether people or teams are asked for."""
    return any(one.marks & {"who", "whose", "anybody"} or _names(one, *_HOLDERS, form="noun") for one in tokens)


def _says_something(token: Token) -> bool:
    """Return whether it says something of rows, more than which issue is meant."""
    return not token.is_free and bool(token.names or token.number is not None or _has_term(token))


def _has_term(token: Token) -> bool:
    return _has(token, "entity", "measure", "dimension", "predicate", "time")


def _is_row(token: Token) -> bool:
    return token.kind == "type" or _is_entity(token, "issue")


def _is_blocked(token: Token) -> bool:
    return any((one.kind, one.name) == ("predicate", "blocked") for one in token.senses)


def _is_entity(token: Token, name: str) -> bool:
    return any((one.kind, one.name, one.form) == ("entity", name, "noun") for one in token.senses)


def _has(token: Token, *kinds: str) -> bool:
    return any(sense.kind in kinds for sense in token.senses)


def _names(token: Token, *names: str, form: str = "") -> bool:
    return any(sense.name in names and (not form or sense.form == form) for sense in token.senses)
