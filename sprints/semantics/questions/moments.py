"""
Constructions that ask how something was at a moment which the data does not keep, or how it is now of what is over.

Each finds the words that make it so, in the tokens of a question, and is asked back with them.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise

from sprints.semantics.questions.tokens import Token

_CLAUSES = frozenset({"when", "as", "once"})
_PRONOUNS = frozenset({"they", "it", "he", "she"})
_GETS = frozenset({"get", "gets", "got"})
_NOW = frozenset({"right now", "at the moment", "at present", "currently", "presently", "rn", "atm", "as of now"})
_SINCE_THEN = frozenset({"created", "resolved", "started", "updated", "done", "open", "overdue", "in_progress"})
_PAST = frozenset({"was", "were", "got", "had", "been"})
_SPARED = frozenset({"never", "not ever"})
_WEEKDAYS = frozenset({"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"})
_DEGREES = frozenset({"top", "bottom"})
_UP_TO = frozenset({"by", "until", "till", "before"})
_HOLDERS = ("person", "team", "assignee")


def find_lost_moment(tokens: Sequence[Token]) -> str:
    """Return the words of the first such construction. Empty if there is none."""
    readers: tuple[Callable[[Sequence[Token]], str], ...] = (
        _find_clause_of_then, _find_age_of_then, _find_time_of_blocker, _find_most_blocked, _find_blocked_before,
        _find_missing_reason, _find_not_yet, _find_days_into_sprint, _find_length_of_now, _find_empty_time,
        _find_whose_all, _find_weekday_of_sprint,
    )  # fmt: skip
    return next((said for read in readers if (said := read(tokens))), "")


def _find_clause_of_then(tokens: Sequence[Token]) -> str:
    """Find as of when something is asked: older than 30 days | when | they were | closed. It is known as of now."""
    for place, token in enumerate(tokens):
        subject, verb = (*tokens[place + 1 : place + 2], token)[0], _find_act(tokens[place + 2 :])
        is_clause = token.said.lower() in _CLAUSES and any(map(_says_something, tokens[:place]))
        if is_clause and verb is not None and (subject.said.lower() in _PRONOUNS or _is_row(subject)):
            return f"{token.said} {subject.said} {verb.said}"
    return ""


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
    said = next((one.said for one in tokens if _is_time_of_issue(one)), "")
    return f"{said} {blocker.said}" if said else ""


def _is_time_of_issue(token: Token) -> bool:
    """Return whether it says when an issue was created or done, how old it is, or whether it is done."""
    is_older = any((one.name, one.form) == ("age_days", "comparative") for one in token.senses)
    return is_older or any(one.name in _SINCE_THEN and one.form in ("verb", "adjective") for one in token.senses)


def _find_most_blocked(tokens: Sequence[Token]) -> str:
    """Find who was blocked most, of which only who is blocked now is known: who was | blocked | the most."""
    is_past = any(one.said.lower() in _PAST for one in tokens)
    content = [one for one in tokens if not one.is_free]
    for state, rank in pairwise(content):
        if is_past and _asks_holders(tokens) and _is_blocked(state) and rank.marks & _DEGREES:
            return f"{state.said} {rank.said}"
    return ""


def _find_blocked_before(tokens: Sequence[Token]) -> str:
    """Find whose issues had been blocked: hasn't | had | a ticket blocked. Blocked means as of now."""
    content = [one for one in tokens if one.said.lower() == "had" or not (one.is_free or one.marks & _DEGREES)]
    is_timed = any(one.period or one.reference for one in tokens)
    for verb, first, second in zip(content, content[1:], content[2:], strict=False):
        is_had = verb.said.lower() == "had" and not is_timed and _asks_holders(tokens)
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
        negation = next((one.said for one in before if "not" in one.marks), "")
        said = {one.said.lower() for one in before}
        is_yet = bool(said & {"yet", "still"}) or any(one.said.lower() == "yet" for one in behind)
        if negation and is_yet and not said & _SPARED:
            return f"{negation} {status.said}"
    return ""


def _is_between(token: Token) -> bool:
    """Return whether it may stand between a negation and a state: | yet been in |."""
    return token.is_free or bool(token.marks & {"not", "have", "be"})


def _find_days_into_sprint(tokens: Sequence[Token]) -> str:
    """Find how far a sprint has come, which is not its length: how many days | into | the sprint are we."""
    is_length = any("how_long" in one.marks for one in tokens)
    into = next((at for at, one in enumerate(tokens) if one.said.lower() == "into"), len(tokens))
    behind = next((one for one in tokens[into + 1 :] if not one.is_free), None)
    is_sprint = behind is not None and (behind.reference or behind.kind == "sprint" or _names(behind, "sprint"))
    return f"{tokens[into].said} {behind.said}" if is_length and behind is not None and is_sprint else ""


def _find_length_of_now(tokens: Sequence[Token]) -> str:
    """Find how long it takes now, while only what has ended is measured: in QA | right now; the longest | currently."""
    now = next((one.said for one in tokens if one.said.lower() in _NOW), "")
    if not now or any(one.said.lower() in ("been", "since") or one.key for one in tokens):
        return ""
    is_status = any(one.kind == "status" for one in tokens)
    is_state = is_status or any(_has(one, "predicate") for one in tokens)
    for token in tokens:
        is_rank = any((one.name, one.form) == ("cycle_time_days", "superlative") for one in token.senses)
        is_length = "how_long" in token.marks or "time" in token.said.lower().split()
        if (is_rank and not is_state) or (is_length and is_status):
            return f"{token.said} {now}"
    return ""


def _find_empty_time(tokens: Sequence[Token]) -> str:
    """Find days on which nothing was so, which have no rows: on which days did | nobody | close anything."""
    for place, (which, grain) in enumerate(pairwise(tokens)):
        is_asked = bool(which.marks & {"which", "what"}) and any(one.kind == "grain" for one in grain.senses)
        negation = next((one.said for one in tokens[place + 2 :] if one.marks & {"nobody", "not", "without"}), "")
        if is_asked and negation:
            return f"{grain.said} {negation}"
    return ""


def _find_whose_all(tokens: Sequence[Token]) -> str:
    """Find whose rows are all so, of which those that are so are no answer: whose tickets were | all | finished."""
    for token, state in pairwise(tokens):
        if "whose" in tokens[0].marks and token.said.lower() == "all" and _has(state, "predicate", "time"):
            return f"{token.said} {state.said}"
    return ""


def _find_weekday_of_sprint(tokens: Sequence[Token]) -> str:
    """Find a day of the week beside a sprint that is over, in which it may be another: by Wednesday | in sprint 8."""
    content = [one for one in tokens if not one.is_free and one.kind != "team"]
    sprint = next((at for at, one in enumerate(content) if _is_closed_sprint(one)), -2)
    for place, day in enumerate(content if sprint >= 0 else ()):
        words = {*day.said.lower().split()}
        is_weekday = day.period is not None and bool(_WEEKDAYS & words)
        if is_weekday and (words & _UP_TO or abs(place - sprint) == 1):
            return f"{day.said} {content[sprint].said}"
    return ""


def _is_closed_sprint(token: Token) -> bool:
    is_sprint = bool(token.reference) or token.kind == "sprint"
    return is_sprint and any(name.state == "closed" for name in (*token.sprints, *token.names))


def _asks_holders(tokens: Sequence[Token]) -> bool:
    """Return whether people or teams are asked for."""
    return any(one.marks & {"who", "whose"} or _names(one, *_HOLDERS, form="noun") for one in tokens)


def _says_something(token: Token) -> bool:
    return not token.is_free and bool(token.names or token.key or token.number is not None or _has_term(token))


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
