"""What is joined: two things that are compared, whichever is larger, and the items of what "and" and "or" join."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sprints.semantics.questions.phrase import SILENT_MARKS, Found, Phrase, is_sprints, leave_out, look_at, phrase_at

_THAN = frozenset({"than", "gt", "lt", "differs"})
_LINKS = _THAN | {"or", "versus", "or_more", "or_less"}
_MORE = frozenset({"more", "fewer", "as_many"})
SIZES = frozenset({"bigger", "larger", "smaller", "higher", "lower", "greater"})
DEGREES = frozenset({"longer", "shorter", "better", "worse", "faster", "slower", "quicker"}) | SIZES
_SILENT = SILENT_MARKS | {"past"}
_STATE = ("predicate", "adjective")
MASS = frozenset({"work", "stuff"})  # of which points or issues may be meant
_REPORTS = frozenset({"reporter", "created", "created_issues"})
_ASKS_MUCH = frozenset({"how_many", "how_much"})
_SIDES = ("names", "term", "bound", "missing")


def read_alternatives(phrases: list[Phrase]) -> list[Phrase]:
    """
    Read two alternatives of which one has more as both, side by side.

    ACCEL | more open bugs than | ORBIT; more bugs | or | more stories; which is | longer, | that of bugs or of stories;
    how many more points | in sprint 7 | than | in sprint 8; more bugs | created | or | resolved.
    """
    phrases = _skip_between(phrases)
    degrees = [one for place, one in enumerate(phrases) if _says_degree(phrases, place=place)]
    if any(one.said.lower() in MASS for one in phrases):
        return phrases  # more work: points or issues
    for at, link in enumerate(phrases):
        is_link = link.kind == "mark" and bool(link.marks & _LINKS)
        said = degrees or [link] * bool(link.marks & (_THAN - {"than"}))
        if not is_link or not said or any(one.said.lower() != said[0].said.lower() for one in said):
            continue
        if link.marks & _THAN and not _asks_for_both(phrases, degree=said[0]):
            continue
        found = _find_pair(phrases, at=at, degree=said[0])
        if found is not None:
            return _set_side_by_side(phrases, first=found[0], link=at, second=found[1], degrees=said)
    return phrases


def _skip_between(phrases: list[Phrase]) -> list[Phrase]:
    """Skip "between" before the two sides of a comparison: the difference in velocity | between | ACCEL and ORBIT."""
    at = next((place for place, one in enumerate(phrases) if "between" in one.marks), len(phrases))
    pair = phrases[at + 1 : at + 4 : 2]
    is_pair = len(pair) == 2 and _is_alike(*pair) and "and" in phrases[at + 2].marks  # noqa: PLR2004 - both sides
    is_pair = is_pair and any("compare" in one.marks for one in phrases)
    return [*phrases[:at], *phrases[at + 1 :]] if is_pair else phrases


def _says_degree(phrases: list[Phrase], *, place: int) -> bool:
    """Return whether it says that one side has more, as opposed to a property of rows: bigger stories; more urgent."""
    phrase, behind, noun = look_at(phrases, place=place, size=3)
    if phrase.marks & _MORE and phrase.kind == "mark":
        is_state = any((one.kind, one.form) == _STATE for one in behind.senses)
        if "than" in noun.marks and _is_left(behind) and any("have" in one.marks for one in phrases[:place]):
            return True  # has | more | to do | than
        return not is_state or _describes_next(behind, noun=noun)
    is_of_rows = behind.name_kind == "type" or behind.has("entity", form="noun")
    return phrase.said.lower() in DEGREES and not is_of_rows


def _is_left(phrase: Phrase) -> bool:
    """Return whether it says what is not done yet, of which one has more than another: to do; left."""
    return {"open", "left_in_sprint"} <= {one.name for one in phrase.senses}


def _describes_next(adjective: Phrase, *, noun: Phrase) -> bool:
    if noun.start > adjective.start + len(adjective.said) + 1:
        return False
    return noun.name_kind in ("type", "label", "priority") or noun.has("entity", "measure", form="noun")


def _asks_for_both(phrases: list[Phrase], *, degree: Phrase) -> bool:
    """Return whether than stands between two sides, as opposed to a limit for rows: teams with more than ORBIT."""
    of_each = any(one.is_plural and one.has("entity") and not one.has_entity("issue") for one in phrases)
    asked = [one for one in phrases if one.marks & {"which", "who", *_ASKS_MUCH}]
    at = phrases.index(degree)
    is_difference = bool(at) and asked == [phrases[at - 1]] and bool(asked[0].marks & _ASKS_MUCH)
    return not of_each and (not asked or is_difference)


def _find_pair(phrases: list[Phrase], *, at: int, degree: Phrase) -> tuple[int, int] | None:
    """Return the places of the two sides of a link. Between it and the second stands only what is repeated."""
    for second in range(at + 1, len(phrases)):
        other = phrases[second]
        first = next((place for place in range(at - 1, -1, -1) if _is_alike(phrases[place], other)), None)
        if first is not None:
            if _mixes_acts(phrases, first=first, second=second):
                return None
            is_measured = any(
                one.name_kind == "type" or one.has("measure", form="noun") or one.has("predicate", "time")
                for one in phrases
            )
            return (first, second) if is_measured else None
        is_repeated = other.said.lower() == degree.said.lower() or any(
            other.senses and (one.kind, one.senses) == (other.kind, other.senses) for one in phrases[:at]
        )
        if not (is_repeated or (other.kind == "mark" and other.marks <= _SILENT)):
            return None
    return None


def _mixes_acts(phrases: list[Phrase], *, first: int, second: int) -> bool:
    """
    Return whether each side has an act, a time or a person of its own: bugs resolved | or | stories created.

    What a person reported and what they resolved are issues of two roles.
    """
    acts = [one for one in phrases if one.kind == "term" and one.has("predicate", "time", form="verb")]
    if phrases[first].kind != "term":
        return len({one.senses for one in acts}) > 1
    said = [any(sense.name == "reporter" for sense in phrases[at].senses) for at in (first, second)]
    is_of_person = any(one.name_kind == "person" or "who" in one.marks for one in phrases)
    if phrases[first].name_kind == "person" and any(sense.name in _REPORTS for one in acts for sense in one.senses):
        return True  # whom the rows are counted for is the reporter then
    return (is_of_person and said[0] != said[1]) or sum(one.kind == "period" for one in phrases) > 1


def _is_alike(first: Phrase, second: Phrase) -> bool:
    """Return whether both are names of one kind, periods, sprints or acts, so that they can be compared."""
    if is_sprints(first) or is_sprints(second):
        return is_sprints(first) and is_sprints(second)
    if first.kind != second.kind or first.is_negated or second.is_negated:
        return False
    is_act = first.kind == "term" and all(one.has("predicate", "time", form="verb") for one in (first, second))
    is_act = is_act and first.senses != second.senses
    return first.kind == "period" or is_act or (first.kind == "names" and first.name_kind == second.name_kind)


def _set_side_by_side(
    phrases: list[Phrase], *, first: int, link: int, second: int, degrees: list[Phrase]
) -> list[Phrase]:  # fmt: skip
    left, right = phrases[first], phrases[second]
    degree = degrees[0]
    versus = replace(degree, kind="mark", marks=frozenset({"versus"}), senses=())
    lead = phrases[:link]
    asks = [one for place, one in enumerate(lead[:-1]) if one.marks & _ASKS_MUCH and lead[place + 1] is degree]
    rest = [one for one in lead if one not in degrees and one not in asks]
    behind = [one for one in phrases[second + 1 :] if one not in degrees]
    if left.kind == "names" and not is_sprints(left):
        names = tuple(dict.fromkeys((*left.names, *right.names)))
        joined = "" if left.name_kind == "label" else "and"  # of which one row may have both
        both = replace(left, names=names, joined_by=joined, said=f"{left.said}, {right.said}")
        return [*(both if one is left else one for one in rest), versus, *behind]
    if left.kind == "term":
        return [*rest, versus, right, *behind]
    at = rest.index(left)  # the two spans next to each other
    return [*rest[:at], *rest[at + 1 :], left, versus, right, *behind]


def read_either(phrases: list[Phrase], *, place: int) -> Found:
    """Read an alternative: blocked or overdue."""
    before, first, link, third, behind = look_at(phrases, place=place - 1, size=5)
    if link.kind != "mark" or "or" not in link.marks:
        return None
    if is_sprints(first) and (is_sprints(third) or (third.name_kind == "team" and is_sprints(behind))):
        return [first], 2  # several sprints are one or the other anyway: ACCEL Sprint 8 | or | ACCEL | Sprint 7
    for side in (first, third):
        is_side = side.kind in _SIDES and (side.kind != "term" or side.has("predicate"))
        if not is_side or side.is_negated or is_sprints(side):
            return None
    if third.kind == "term" and first.name_kind and behind.name_kind == first.name_kind:
        return None  # bugs or blocked | stories: an adjective of the second kind alone
    if before.is_negated and before.kind in _SIDES and before.has("predicate"):
        return [replace(one, is_negated=True) for one in (first, third)], 3  # not blocked, done | or | in progress
    said = f"{first.said} or {third.said}"
    return [replace(first, alternatives=(*first.alternatives, third), joined_by="or", said=said)], 3


def share_negation(phrases: list[Phrase], *, place: int) -> Found:
    """Read a name joined to one that is left out as left out too: without p4 | and | HARBOR; not p4 | and | HARBOR."""
    first, link, second = look_at(phrases, place=place, size=3)
    is_link = link.kind == "mark" and bool(link.marks & {"and", "or"}) and link.said.lower() != "but"
    is_other = second.kind == "names" and second.name_kind != first.name_kind and not second.is_negated
    if not (first.kind == "names" and first.is_negated and is_link and is_other) or second.is_apart:
        return None
    if first.said.lower().split()[0] in ("not", "no"):
        return [first, leave_out(second, lead=link)], 3  # not both, or not the first
    return [first, replace(second, is_negated=True)], 3


def repeat_link(phrases: list[Phrase], *, place: int) -> Found:
    """Repeat the link of a list of states between all of them: added, | removed | or | carried over."""
    first, second = look_at(phrases, place=place, size=2)
    is_list = _is_state(first) and _is_state(second) and first.start + len(first.said) + len(", ") == second.start
    link = phrase_at(phrases, place=place + 2)
    is_link = link.kind == "mark" and "or" in link.marks and _is_state(phrase_at(phrases, place=place + 3))
    if phrase_at(phrases, place=place - 1).marks & {"not", "without", "except"}:
        return None  # not in progress, | done or blocked: none of them
    if is_list and not is_link and (longer := repeat_link(phrases, place=place + 1)):
        return [first, longer[0][1], *longer[0]], 1 + longer[1]
    return ([first, link, second], 2) if is_list and is_link else None


def _is_state(phrase: Phrase) -> bool:
    return phrase.kind == "term" and phrase.has("predicate")


def list_shortened(phrases: Sequence[Phrase]) -> Iterator[tuple[Phrase, list[Phrase]]]:
    """Yield each item of what "and" and "or" join, and the phrases without it."""
    for place, phrase in enumerate(phrases):
        before, behind = phrases[:place], phrases[place + 1 :]
        if phrase.joined_by == "or":
            items = [replace(phrase, alternatives=(), joined_by=""), *phrase.alternatives]
            for lost in items if phrase.alternatives else ():
                first, *rest = [one for one in items if one is not lost]
                short = replace(first, alternatives=tuple(rest), joined_by="or" if rest else "")
                yield replace(lost, said=phrase.said), [*before, short, *behind]
        if not (phrase.kind == "mark" and phrase.marks & {"and", "or"}):
            continue
        if behind and behind[0].names and any(one.names == behind[0].names for one in before):
            continue  # in ORBIT Sprint 6 | and | in ORBIT Sprint 8
        if before and before[-1].kind != "mark":
            yield before[-1], [*before[:-1], *behind]
        size = 1 + bool(behind and "how_many" in behind[0].marks)
        if behind[size - 1 :] and behind[size - 1].kind != "mark":
            yield behind[size - 1], [*before, *behind[size:]]
        at = next((n for n, one in enumerate(behind) if not _is_state(one) or one.has("entity", form="noun")), 0)
        if at and before and before[-1].has("measure", form="noun") and behind[at].has("entity", form="noun"):
            yield behind[at], [*before, *behind[:at], *behind[at + 1 :]]  # points | and | reopened | issues


def repeat_sides(phrases: list[Phrase], *, place: int) -> Found:
    """Repeat for both sides what is said once: open p0 versus open p1."""
    state, name, link, other_state, other_name = look_at(phrases, place=place, size=5)
    is_same = state.kind == other_state.kind == "term" and state.senses == other_state.senses
    if not is_same or not link.marks & {"versus", "and", "or"} or name.kind != "names":
        return None
    return ([state, name, link, other_name], 5) if other_name.name_kind == name.name_kind else None
