"""Tense and number: whether a state is said of now or of the past, and a superlative of one row or of several."""

from collections.abc import Sequence

from sprints.semantics.questions.phrase import NOTHING, Phrase, is_sprints, phrase_at

AS_OF_THEN = "It is as of the end of the day; all else about these issues is as it is now."
_VERBS = frozenset({"is", "are", "was", "were", "has", "have", "had", "do", "does", "did"})
_PAST = frozenset({"was", "were", "had", "did"})


def find_verb(phrases: Sequence[Phrase], *, place: int) -> str:
    """Return the last auxiliary up to a phrase, without its negation. Empty if there is none."""
    said = " ".join(one.said for one in phrases[: place + 1]).lower().replace("\u2019", "'")
    verbs = [verb for word in said.split() if (verb := word.removesuffix("n't")) in _VERBS]
    return verbs[-1] if verbs else ""


def is_said_of_now(phrases: Sequence[Phrase], *, place: int) -> bool:
    """Return whether the verb before a state is in the present: is not finished, have not been finished."""
    present = {"is", "are", "has", "have"} if phrases[place].is_negated else {"is", "are"}
    return find_verb(phrases, place=place) in present


def is_said_of_past(phrases: Sequence[Phrase], *, place: int) -> bool:
    """Return whether the verb before a state is in the past, or the perfect: was blocked, have been blocked."""
    verb, behind = find_verb(phrases, place=place), phrase_at(phrases, place=place + 1)
    of_noun = behind.has("entity", form="noun") or behind.name_kind == "type"
    return verb in _PAST or (verb in ("has", "have") and phrases[place].kind in ("term", "bound") and not of_noun)


def tells_of_past_sprints(phrases: Sequence[Phrase], *, place: int) -> bool:
    """Return whether a state is said of sprints in their time: in the past, or without a verb of none that runs."""
    if is_said_of_past(phrases, place=place):
        return True
    named = {name.state for one in phrases if is_sprints(one) for name in one.names}
    is_running = any(one.predicate == "sprint_active" or any(
        sense.name == "sprint_active" for sense in one.senses) for one in phrases)  # fmt: skip
    is_of_sprints = bool(named) or any(
        (one.kind == "group" and one.has_entity("sprint")) or any(sense.name == "sprint_closed" for sense in one.senses)
        for one in phrases
    )
    return is_of_sprints and not (find_verb(phrases, place=place) or is_running or named & {"active", "future"})


def find_number(phrases: Sequence[Phrase], *, place: int) -> bool | None:
    """
    Return whether a superlative is of several rows. None if neither a noun nor a verb says.

    Its noun follows it. Behind "which" it is the verb before it that says how many: which of the issues | has | been
    blocked the longest.
    """
    noun = find_ranked_noun(phrases, place=place)
    if noun:
        return noun.is_plural or (noun.kind == "names" and noun.said.lower().endswith("s"))
    is_asked = any(one.marks & {"which", "what"} for one in phrases[:place])
    is_of_subject = any("our" in one.marks for one in phrases[:place])  # which ticket have | we | worked on
    verb = find_verb(phrases, place=place) if is_asked and not is_of_subject else ""
    if verb in ("is", "are", "was", "were", "has", "have"):
        return verb in ("are", "were", "have")
    types = [one for one in phrases if one.name_kind == "type" and not one.is_negated]
    return any(one.said.lower().endswith("s") for one in types) if types else None


def find_ranked_noun(phrases: Sequence[Phrase], *, place: int) -> Phrase:
    """Return the noun that follows a superlative: the oldest | open | p0. `NOTHING` if there is none."""
    noun = NOTHING
    for one in phrases[place + 1 :]:
        if one.kind == "group" and noun:
            break  # the biggest story | each team | finished
        if one.name_kind in ("priority", "label", "type") or one.has("entity", form="noun"):
            noun = one
        elif not (one.name_kind == "team" or (one.kind == "term" and one.has("predicate"))):
            break
    return noun


def find_copula(phrases: Sequence[Phrase], *, own: Sequence[int], is_membership: bool) -> float | None:
    """
    Return the verb that precedes the part of a share: what share of bugs | are | open. None if there is none.

    Of issues in sprints it may be a place between what tells of the whole and of the part: committed points |
    completed; the points that it had committed to | did ORBIT complete. `own` are the places of their states.
    """
    at = next(place for place, one in enumerate(phrases) if "share" in one.marks)
    verbs = {"be", "have", "do"} if is_membership else {"be", "have"}
    verb = next((place for place, one in enumerate(phrases) if place > at and one.marks & verbs), None)
    told = [place for place in own if place > at]
    if not is_membership and verb is None:
        return _find_part_behind(phrases)
    if not is_membership or not told or (verb is not None and (verb > told[-1] or told[:-1] != [verb + 1])):
        return verb
    if told[1:]:
        return told[1] - 0.5
    noun = next((place for place in range(at + 1, told[0]) if phrases[place].has("measure", form="noun")), None)
    return verb if noun is None else noun


def _find_part_behind(phrases: Sequence[Phrase]) -> float | None:
    """Return the end of the whole of a share if its part stands right behind it, at the end: percent of bugs | done."""
    at = len(phrases) - 1
    while at > 0 and (phrases[at].kind == "group" or phrases[at].name_kind == "team"):
        at -= 1
    noun, part = phrase_at(phrases, place=at - 1), phrases[at]
    is_adjacent = part.start == noun.start + len(noun.said) + 1
    is_state = part.kind == "missing" or (part.kind == "term" and part.has("predicate") and not part.has("entity"))
    is_whole = noun.kind in ("names", "term") and noun.is_of_issues
    return at - 0.5 if is_adjacent and is_state and is_whole else None
