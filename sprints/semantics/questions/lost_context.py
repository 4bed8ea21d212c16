"""
Questions that only say something together with the one before them: and for HARBOR; only bugs; the urgent ones.

Behind a question that was asked back they may be what it lacked: whose bugs are mine || Levi.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date

import regex

from sprints.linking.folding import normalise, words
from sprints.linking.link import MAX_QUESTION, link
from sprints.linking.names import NameIndex
from sprints.semantics.questions.follow_up_words import HEADS, LEADS
from sprints.semantics.questions.grammar import Parse
from sprints.semantics.questions.inherited_scope import asks_for_bare_rows, is_elliptic, names_no_subject
from sprints.semantics.questions.lexicon import ASKING, Lexicon
from sprints.semantics.questions.phrase import Phrase, phrase_at
from sprints.semantics.questions.phrases import read_phrases
from sprints.semantics.questions.references import find_reference
from sprints.semantics.questions.signs import spell_signs
from sprints.semantics.questions.spelling import correct_words
from sprints.semantics.questions.tokens import Token, cut, find_anaphor
from sprints.semantics.questions.unreadable import find_unnamed_team

LOST = "I cannot tell what that changes: the question before has no query here. Ask it with all that it should say."
_LINKS = ("", "in ", "for ", "of ", "by ")
_SENTENCES = ASKING | HEADS | {"be", "do", "have"}
_OF_THINGS = frozenset({"what", "which", "how_many"})
READ_AS = "Read as '{said}'."


def parse_answer(
    answer: str, *, asked: str, index: NameIndex, today: date, lexicon: Lexicon, parse_whole: Callable[[str], Parse]
) -> Parse | None:  # fmt: skip
    """
    Parse a question that was asked back, with the answer to that. None if no query, or more than one, comes of it.

    The answer takes the place of a name that is not clear, says who the speaker is, or stands behind the question. It
    neither asks itself nor begins as a change, and what stands for a name has no preposition. A question that has a
    query alone lacks nothing: it was asked back for what came before it.
    """
    text = spell_signs(normalise(asked)[:MAX_QUESTION], index=index).rstrip(" ?.!")
    said = answer.strip().rstrip(" ?.!")
    linked = link(text, index=index, today=today, reserved=lexicon.reserved_phrases)
    tokens = cut(linked, lexicon=lexicon, index=index)
    told = _cut_text(said, index=index, today=today, lexicon=lexicon)
    if not told or _get_leading(told) & (ASKING | LEADS):
        return None
    before = parse_whole(asked)
    if before.query is not None and not before.linked.unclear:
        return None
    open_names = [*(one.said for one in linked.unclear), find_anaphor(tokens), find_unnamed_team(tokens)]
    if places := [one for one in open_names if one and one in text]:
        if told[0].is_preposition:
            return None  # who fixed them || in October
        written = [regex.sub(rf"\b{regex.escape(one)}(?!\w)", lambda _: said, text, count=1) for one in places]
    elif any("mine" in token.marks for token in tokens):
        written = [f"I'm {said}. {text}?", f"{said}. {text}?"]
    else:
        written = [f"{text} {lead}{said}" for lead in _LINKS]
    parses = {one: parse for one in written if (parse := parse_whole(one)).query is not None}
    if len({parse.query for parse in parses.values()}) != 1:
        return None
    read, parse = next(iter(parses.items()))
    return replace(parse, assumptions=(READ_AS.format(said=read), *parse.assumptions))


def leans_on_context(question: str, *, index: NameIndex, today: date, lexicon: Lexicon) -> bool:
    """
    Return whether a question says too little without the one before it.

    It begins as a change or refers to what was said, names no rows, or is a name alone. One that names its rows and
    anything else about them is complete: open bugs in ACCEL.
    """
    tokens = _cut_text(question, index=index, today=today, lexicon=lexicon)
    if not tokens:
        return False
    phrases = read_phrases([token for token in tokens if token.is_known])
    leading = _get_leading(tokens)
    is_change = bool((leading | tokens[-1].marks) & {*LEADS, "swap"}) or tokens[0].is_preposition
    is_change |= "which" in tokens[0].marks and "be" in tokens[1].marks if tokens[1:] else False  # which were p0 bugs
    names_rows = any(_names_rows(one) or one.kind == "key" for one in phrases)
    is_sentence = any(one.marks & _SENTENCES for one in tokens)
    is_fragment = (len(phrases) < 2 and not leading & ASKING) or not (names_rows or is_sentence)  # noqa: PLR2004
    is_of_speaker = any("mine" in one.marks for one in tokens)  # what am I working on
    is_unlimited = names_no_subject(phrases) or _asks_of_one_thing(phrases)
    is_of_before = bool(find_reference(tokens)) or (is_unlimited and not is_of_speaker) or asks_for_bare_rows(phrases)
    is_of_rows = any(one.is_of_issues or one.has("entity") or one.name_kind == "type" for one in phrases)
    is_change |= "per" in tokens[0].marks and not is_of_rows  # by points completed
    return is_change or is_fragment or is_of_before


def _asks_of_one_thing(phrases: Sequence[Phrase]) -> bool:
    """Return whether nothing limits what is asked for, or that is unsaid: how many points; how many in ORBIT."""
    marks = frozenset[str]().union(*(one.marks for one in phrases if one.kind == "mark"))
    if not marks & _OF_THINGS:
        return False
    said = [one for one in phrases if one.kind != "mark"]
    is_of_rows = any(one.has("entity") or one.name_kind == "type" for one in said)
    is_bare = len(said) < 2 and not (is_of_rows and "be" in marks)  # noqa: PLR2004 - a noun, and what limits it
    is_first = phrases[-1].kind == "rank" and all(one.kind == "mark" for one in phrases[-1].senses)
    is_bare |= is_first and len(said) == 3 and "be" not in marks  # noqa: PLR2004 - which | team | closed | the most
    is_of_priority = phrase_at(phrases, place=1).name_kind == "priority"  # how many p0s
    names_rows = is_of_priority or any(map(_names_rows, said))
    return is_bare or (("how_many" in marks or is_elliptic(phrases)) and not names_rows)


def _names_rows(phrase: Phrase) -> bool:
    """Return whether it is a noun: stories, wip, goals."""
    return phrase.name_kind == "type" or any(one.form == "noun" for one in phrase.senses)


def _cut_text(text: str, *, index: NameIndex, today: date, lexicon: Lexicon) -> list[Token]:
    spelt = spell_signs(normalise(text)[:MAX_QUESTION], index=index)
    spelt, _ = correct_words(spelt, found=words(spelt), lexicon=lexicon, index=index)
    linked = link(spelt, index=index, today=today, reserved=lexicon.reserved_phrases)
    return cut(linked, lexicon=lexicon, index=index)


def _get_leading(tokens: Sequence[Token]) -> set[str]:
    return next((token.marks for token in tokens if token.marks or not token.is_free), set())
