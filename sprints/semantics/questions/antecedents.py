"""
Pronouns whose antecedent stands in the question itself: what % of what | they | committed did HARBOR deliver.

What a sentence beside the question names may be it too: code review is slow on ACCEL, how long do tickets sit | there.
The name is put in place of the pronoun, and the sentence is left out, if it says nothing else of what is asked. The
speaker is "I"; the one person that is named beside the question is "he" or "she".
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import regex

from sprints.linking.folding import normalise
from sprints.linking.link import MAX_QUESTION, link
from sprints.linking.names import NameIndex
from sprints.semantics.questions.lexicon import ASKING, Lexicon
from sprints.semantics.questions.signs import spell_signs
from sprints.semantics.questions.tokens import PERSONAL, YES_OR_NO, Token, cut

_BREAK = regex.compile(r"(?:[.!?]|\.{2,}|\u2026|,|;|:|\s[-\u2013\u2014])\s*(?:so |and |but )?(?=\w)", regex.IGNORECASE)
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
_HEADS = ASKING | {"how_long", "how_often"}
_DONE = regex.compile(
    r"^(?:did|has|have) (?P<team>.+?) (?P<verb>[a-z]+) (?:all (?:of )?|everything )?(?:what|that)? ?(?:it|they)"
    r"(?: had)? (?:committed|planned|promised|signed up)(?: (?:to|for))?(?P<rest>\b.*?)[ ?.!]*$", regex.IGNORECASE,
)  # fmt: skip
"""Whether all was done that was planned, which the part that was done answers."""
_OF_WHAT = regex.compile(
    r"(?P<lead>\b(?:of|all|everything)(?: of)? what) (?:they|it) (?:had )?(?:committed|planned|promised)(?: to)?"
    r"(?= (?:did|has|have) )", regex.IGNORECASE,
)  # fmt: skip
_PLACES = frozenset({"team", "status"})


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
    idioms = [(one.start, one.end) for one in tokens if one.is_free and " " in one.said]  # show me, I want
    found = _find_outside([*skipped, *idioms], text=text, pronouns=pronouns)
    if not found and pronouns is _THIRD:
        found = _find_outside(skipped, text=text, pronouns=pronouns)  # what is on his plate
    for one in reversed(found):
        ending = next((ending for part, ending in _ENDINGS.items() if one.groupdict().get(part)), "")
        text = text[: one.start()] + name + ending + text[one.end() :]
    return text, f"Took '{found[0][0]}' as {name}." if found else ""


def _find_outside(
    skipped: Sequence[tuple[int, int]], *, text: str, pronouns: regex.Pattern[str]
) -> list[regex.Match[str]]:
    """Return the pronouns outside some parts of a text."""
    return [one for one in pronouns.finditer(text) if not any(start <= one.start() < end for start, end in skipped)]


def name_antecedents(question: str, *, index: NameIndex, today: date, lexicon: Lexicon) -> str:
    """Return the question with a name in place of a pronoun. Empty if that stands for nothing in it, or for several."""
    text = spell_signs(normalise(question)[:MAX_QUESTION], index=index)
    tokens = cut(link(text, index=index, today=today, reserved=lexicon.reserved_phrases), lexicon=lexicon, index=index)
    return _name_planner(text, tokens=tokens) or _name_from_sentence(text, tokens=tokens)


def _name_planner(text: str, *, tokens: Sequence[Token]) -> str:
    """Name the team that planned what it did or did not do."""
    teams = [one for one in tokens if one.kind == "team"]
    if len({name.value for one in teams for name in one.names}) != 1:
        return ""
    team = teams[0].said
    if (found := _DONE.match(text)) and found["team"].lower() == team.lower():
        return f"what share of what {team} committed to did {team} {found['verb']}{found['rest']}"
    return _OF_WHAT.sub(rf"\g<lead> {team} committed to", text) if _OF_WHAT.search(text) else ""


def _name_from_sentence(text: str, *, tokens: Sequence[Token]) -> str:
    """Name what the sentence before the question tells of, and leave it out."""
    for found in _BREAK.finditer(text):
        told = [one for one in tokens if one.end <= found.start()]
        asked = [one for one in tokens if one.start >= found.end()]
        if not (told and asked) or _asks(told[0]) or any(one.marks & _HEADS for one in told) or not _asks(asked[0]):
            continue
        named = _name_pronoun(text[found.end() :], at=found.end(), told=told, asked=asked)
        if named:
            return named
        named = _name_team(text[found.end() :], at=found.end(), told=told, asked=asked)
        if named:
            return f"{text[: found.end()]}{named}"  # what else the sentence says is judged with the question
    return ""


def _name_team(text: str, *, at: int, told: Sequence[Token], asked: Sequence[Token]) -> str:
    """Name the one team that is told of, and with "there" its sprint: bugs annoy ORBIT, how many do | they | have."""
    teams = {name.value for one in told for name in one.names if one.kind == "team"}
    if len(teams) != 1 or any(one.kind in ("person", "team", "sprint", "epic") for one in asked):
        return ""
    team = next(one.said for one in told if one.kind == "team")
    sprints = list(dict.fromkeys(one.said for one in told if one.reference or one.kind == "sprint"))
    for place, token in enumerate(asked):
        word, lead = token.said.lower(), asked[place - 1].said.lower() if place else ""
        following = asked[place + 1] if place + 1 < len(asked) else None
        if word == "there" and lead not in YES_OR_NO and len(sprints) <= 1:
            where = " in ".join([f"at {team}", *sprints])
            return _put(where, text=text, at=at, token=token, owns=False)
        if word in ("they", "their", "its"):
            return _put(team, text=text, at=at, token=token, owns=word != "they")
        if word in ("that", "this") and following is not None and following.said.lower() == "team":
            return _put(team, text=text, at=at, token=replace(token, end=following.end), owns=False)
    return ""


def _asks(token: Token) -> bool:
    return bool(token.marks & _HEADS) or token.said.lower().split()[0] in YES_OR_NO | {"since", "why"}


def _name_pronoun(text: str, *, at: int, told: Sequence[Token], asked: Sequence[Token]) -> str:
    known = [one for one in told if one.names or one.key or one.reference]
    keys, people = [one for one in known if one.key], [one for one in known if one.kind == "person"]
    is_plain = not any(one.kind in ("type", "priority", "label") or _is_noun(one) for one in told)
    for place, token in enumerate(asked):
        word, lead = token.said.lower(), asked[place - 1].said.lower() if place else ""
        if word in ("it", "its", "that", "this") and len(keys) == len(known) == 1:
            state = next((one.said for one in told if one.start > keys[0].start and _is_state(one)), "")
            is_bare = token is asked[-1] or (word in ("that", "this") and "and" in asked[place + 1].marks)
            name = f"{keys[0].key} {state}" if is_bare and lead in YES_OR_NO else keys[0].key
            return _put(name, text=text, at=at, token=token, owns=word == "its")
        if word in PERSONAL and len(people) == len(known) == 1 and is_plain:
            return _put(people[0].said, text=text, at=at, token=token, owns=word in ("his", "her", "hers"))
        if word == "there" and lead not in YES_OR_NO and is_plain and {one.kind for one in known} <= _PLACES:
            statuses, teams = ([one.said for one in known if one.kind == kind] for kind in ("status", "team"))
            if len(statuses) == 1 and len(teams) <= 1:
                return _put(" on ".join([f"in {statuses[0]}", *teams]), text=text, at=at, token=token, owns=False)
    return ""


def _is_noun(token: Token) -> bool:
    return any(one.form == "noun" and one.kind in ("entity", "measure") for one in token.senses)


def _is_state(token: Token) -> bool:
    return any(one.kind == "predicate" for one in token.senses)


def _put(name: str, *, text: str, at: int, token: Token, owns: bool) -> str:
    return f"{text[: token.start - at]}{name}{chr(39) + 's' if owns else ''}{text[token.end - at :]}"
