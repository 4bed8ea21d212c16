"""
Speed: who is faster at getting issues done is who has the lower average cycle time.

A comparative stands between two sides, a superlative asks for one of the groups. What is said beside it must be which
issues, whose, when, and that they get done: at anything else nobody knows who is faster.
"""

from collections.abc import Sequence
from dataclasses import replace

from sprints.semantics.questions.constructions import TAKING
from sprints.semantics.questions.lexicon import Sense
from sprints.semantics.questions.phrase import NOTHING, Phrase, of_whole_question, phrase_at

TAKEN_AS = "Took '{said}' as the {measure}, from the start of work until it is done."
_SIDES = frozenset({"team", "person", "priority", "type", "label", "epic"})
_GROUPS = frozenset({"team", "person", "assignee", "priority", "issue_type", "label", "epic"})
_SAID = frozenset({
    "who", "which", "what", "be", "have", "do", "to", "average", "median", "or", "and", "than", "gt", "lt", "versus",
    "our", "degree", "differs", "whose",
})  # fmt: skip
_DONE, _OF_ROWS, _DAYS = ("done", "completed"), ("urgent",), ("cycle_time", "average_cycle_time", "lead_time")
_THAN = frozenset({"longer than", "shorter than", "faster than", "slower than", "quicker than"})
_LENGTHS = ("longer", "longest", "shorter", "shortest")


@of_whole_question
def read_speed(phrases: list[Phrase]) -> list[Phrase] | None:
    """Read who is faster as the average cycle time: bugs fixed | faster at | ACCEL than | ORBIT; team | is fastest."""
    at = next((n for n in range(len(phrases)) if _is_speed(phrases, place=n)), -1)
    rest = [one for n, one in enumerate(phrases) if n != at]
    if at < 0 or not all(_is_plain(rest, place=n) for n in range(len(rest))):
        return None
    word = phrases[at]
    named = next((replace(one, marks=frozenset({"said"})) for one in rest if _names(one, *_DAYS)), None)
    measure = named or _make_measure(word, is_median=any("median" in one.marks for one in rest))
    asked = _find_group(phrases, at=at)
    kept = _list_filters(rest)
    found = _set_sides(kept, asked=asked, word=word)
    is_told = not word.said.lower().startswith(_LENGTHS) or any(
        _names(one, *_DONE) or "whose" in one.marks for one in rest
    )
    if not found and asked and is_told and any(one.form == "superlative" for one in word.senses):
        is_slow = any(one.form == "superlative" and one.is_descending for one in word.senses)
        rank = replace(word, kind="mark", marks=frozenset({"worst" if is_slow else "best"}), senses=())
        is_which = "who" not in asked[0].marks
        return [*asked[:1], *(asked[1:] if is_which else ()), rank, measure, *kept]
    return [measure, *found] if found and not named else None


def find_speed_word(phrases: Sequence[Phrase]) -> str:
    """Return the word that says who is faster, if it stands for a measure. Empty if there is none."""
    return next((one.said for one in phrases if "speed" in one.marks), "")


def _is_speed(phrases: Sequence[Phrase], *, place: int) -> bool:
    """Return whether a word compares how fast: faster, the quickest, more slowly; takes | longer."""
    phrase, behind = phrases[place], phrase_at(phrases, place=place + 1)
    is_length = phrase.said.lower().startswith(_LENGTHS)
    is_taken = any(one.said.lower() in TAKING for one in phrases)
    degrees = [one for one in phrase.senses if one.form in ("comparative", "superlative")]
    is_known = any(one.name == "cycle_time_days" for one in degrees)
    is_known |= phrase.said.lower() in _THAN  # one word, as a contrast of any two numbers
    return is_known and (is_taken if is_length else True) and behind.said.lower() != "first"


def _is_plain(rest: Sequence[Phrase], *, place: int) -> bool:
    """Return whether it says which issues are meant, whose they are, when they got done, or only asks."""
    one, before, behind = (phrase_at(rest, place=at) for at in (place, place - 1, place + 1))
    if one.is_negated:
        return False
    if one.kind == "mark":
        is_by = one.said.lower() == "by" and (behind.name_kind in ("team", "person") or _names(behind, *_DAYS))
        return one.marks <= _SAID or is_by
    if one.kind == "names":
        return one.name_kind in _SIDES
    if one.kind == "number":
        return "which" in before.marks
    is_row = one.has_entity("issue") or _names(one, *_GROUPS)
    return one.kind == "period" or (one.kind == "term" and (is_row or _names(one, *_DONE, *_OF_ROWS, *_DAYS)))


def _find_group(phrases: Sequence[Phrase], *, at: int) -> list[Phrase]:
    """Return what is asked for: which | three | people; who; the fastest | team. Empty if it is none of the groups."""
    for place, one in enumerate(phrases):
        if one.marks & {"who", "whose"}:
            return [replace(one, marks=frozenset({"who"}))]  # whose | bugs | take the longest
        if one.marks & {"which", "what"}:
            size = 1 + (phrase_at(phrases, place=place + 1).kind == "number")
            noun = phrase_at(phrases, place=place + size)
            if _is_group(noun):
                return list(phrases[place : place + size + 1])
    noun = phrase_at(phrases, place=at + 1)
    which = replace(phrases[at], kind="mark", said="which", marks=frozenset({"which"}), senses=())
    return [which, noun] if _is_group(noun) else []


def _is_group(phrase: Phrase) -> bool:
    return phrase.kind == "term" and _names(phrase, *_GROUPS) and not phrase.has_entity("issue")


def _list_filters(rest: Sequence[Phrase]) -> list[Phrase]:
    """Return the names, times and adjectives that say which issues are meant, each once."""
    kept: list[Phrase] = []
    for one in rest:
        is_said = one.kind == "names" and any(one.names == other.names for other in kept)
        if one.kind in ("names", "period") or _names(one, *_OF_ROWS):
            kept += [] if is_said else [one]
    return kept


def _set_sides(kept: Sequence[Phrase], *, asked: Sequence[Phrase], word: Phrase) -> list[Phrase]:
    """Return what is kept with the two sides, or more, next to each other. Empty if there are none."""
    several = {kind for kind in _SIDES if sum(len(one.names) for one in kept if one.name_kind == kind) > 1}
    periods = [one for one in kept if one.kind == "period"]
    versus = replace(word, kind="mark", marks=frozenset({"versus"}), senses=())
    noun = asked[-1] if asked else NOTHING
    if len(several) == 1 and not periods[1:]:
        [kind] = several
        if noun and not ("who" in noun.marks or _names(noun, kind, *(("assignee",) if kind == "person" else ()))):
            return []
        sides = [one for one in kept if one.name_kind == kind]
        names = tuple(dict.fromkeys(name for one in sides for name in one.names))
        said = ", ".join(one.said for one in sides)
        both = replace(sides[0], names=names, joined_by="" if kind == "label" else "and", said=said)
        return [*(one for one in kept if one not in sides), both, versus]
    if several or noun or len(periods) != 2:  # noqa: PLR2004 - both sides
        return []
    return [*(one for one in kept if one not in periods), periods[0], versus, periods[1]]


def _make_measure(word: Phrase, *, is_median: bool) -> Phrase:
    sense = Sense("measure", "cycle_time" if is_median else "average_cycle_time", "noun")
    return replace(word, kind="term", said=word.said.removesuffix(" than"), senses=(sense,), marks=frozenset({"speed"}))


def _names(phrase: Phrase, *terms: str) -> bool:
    return any(sense.name in terms for sense in phrase.senses)
