"""Pronouns for the one person that a question names beside itself: the speaker is "I", anybody else "he" or "she"."""

from collections.abc import Sequence

import regex

from sprints.semantics.questions.tokens import Token

_SPEAKER = regex.compile(
    r"(?:^|[.!?:,;] +|\b(?:hi|hello|hey|ok|okay|so) +)"
    r"(?P<said>(?:i['\u2019]?m|i am|this is|it['\u2019]?s|my name is) +)$",
    regex.IGNORECASE,
)
_BEHIND_SPEAKER = regex.compile(r"(?P<here> +here)? *(?:[,;:.!\u2013\u2014]|-(?= )|$) *", regex.IGNORECASE)
_CLAUSE_END = regex.compile(r"[.!?:,;\u2013\u2014]")
_FIRST = regex.compile(
    r"\b(?:(?P<own>my|mine)|i(?P<has>['\u2019]ve)|i(?P<is>['\u2019]m)|i|me|myself)(?![\w'\u2019])", regex.IGNORECASE
)
_THIRD = regex.compile(
    r"\b(?:(?P<own>his|hers|her(?= +\p{L})(?! +(?:in|on|at|for|since|to|by|of|and|or|so|but|last|this)\b))"
    r"|s?he(?P<is>['\u2019]s)?|him|her)(?![\w'\u2019])",
    regex.IGNORECASE,
)
_ENDINGS = {"own": "'s", "has": " has", "is": " is"}


def name_person(text: str, *, tokens: Sequence[Token]) -> tuple[str, str]:
    """Write the name for each pronoun that stands for it. Returns the text, and the pronoun and name as assumed."""
    people = [one for one in tokens if one.kind == "person"]
    if len({name.value for one in people for name in one.names}) != 1:
        return text, ""
    person, name = people[0], people[0].names[0].text
    before, behind = _SPEAKER.search(text[: person.start]), _BEHIND_SPEAKER.match(text, person.end)
    is_here = behind is not None and behind["here"] and not text[: person.start].strip()
    if behind is not None and (before or is_here):
        pronouns, skipped = _FIRST, [(before.start("said") if before else 0, behind.end())]
        text = text[: skipped[0][0]] + " " * (skipped[0][1] - skipped[0][0]) + text[skipped[0][1] :]
    else:
        end = _CLAUSE_END.search(text, person.end)
        pronouns, skipped = _THIRD, [(0, end.end() if end else len(text))]
    skipped += [(one.start, one.end) for one in tokens if one.is_free and " " in one.said]  # show me, I want
    found = [one for one in pronouns.finditer(text) if not any(start <= one.start() < end for start, end in skipped)]
    for one in reversed(found):
        ending = next((ending for part, ending in _ENDINGS.items() if one.groupdict().get(part)), "")
        text = text[: one.start()] + name + ending + text[one.end() :]
    return text, f"Took '{found[0][0]}' as {name}." if found else ""
