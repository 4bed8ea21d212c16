"""
Questions that only say something together with the one before them: and for HARBOR; only bugs; the urgent ones.

Behind a question that was asked back they may be what it lacked: whose bugs are mine || Levi.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import date

import regex

from sprints.linking.folding import normalise
from sprints.linking.link import MAX_QUESTION, link
from sprints.linking.names import NameIndex
from sprints.semantics.questions.follow_up_words import LEADS
from sprints.semantics.questions.grammar import Parse
from sprints.semantics.questions.inherited_scope import asks_for_bare_rows, names_no_subject
from sprints.semantics.questions.lexicon import ASKING, Lexicon
from sprints.semantics.questions.phrases import read_phrases
from sprints.semantics.questions.references import find_reference
from sprints.semantics.questions.signs import spell_signs
from sprints.semantics.questions.tokens import cut, find_anaphor
from sprints.semantics.questions.unreadable import find_unnamed_team

LOST = "I cannot tell what that changes: the question before has no query here. Ask it with all that it should say."
_LINKS = ("", "in ", "for ", "of ", "by ")
READ_AS = "Read as '{said}'."


def parse_answer(
    answer: str, *, asked: str, index: NameIndex, today: date, lexicon: Lexicon, parse_whole: Callable[[str], Parse]
) -> Parse | None:  # fmt: skip
    """
    Parse a question that was asked back, with the answer to that. None if no query, or more than one, comes of it.

    The answer takes the place of a name that is not clear, says who the speaker is, or stands behind the question.
    """
    text = spell_signs(normalise(asked)[:MAX_QUESTION], index=index).rstrip(" ?.!")
    said = answer.strip().rstrip(" ?.!")
    linked = link(text, index=index, today=today, reserved=lexicon.reserved_phrases)
    tokens = cut(linked, lexicon=lexicon, index=index)
    open_names = [*(one.said for one in linked.unclear), find_anaphor(tokens), find_unnamed_team(tokens)]
    if places := [one for one in open_names if one and one in text]:
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
    text = spell_signs(normalise(question)[:MAX_QUESTION], index=index)
    linked = link(text, index=index, today=today, reserved=lexicon.reserved_phrases)
    tokens = cut(linked, lexicon=lexicon, index=index)
    if not tokens:
        return False
    phrases = read_phrases([token for token in tokens if token.is_known])
    leading = next((token.marks for token in tokens if token.marks or not token.is_free), set())
    is_change = bool((leading | tokens[-1].marks) & {*LEADS, "swap"}) or tokens[0].is_preposition
    is_change |= "which" in tokens[0].marks and "be" in tokens[1].marks if tokens[1:] else False  # which were p0 bugs
    is_fragment = len(phrases) < 2 and not leading & ASKING  # noqa: PLR2004 - stories; HARBOR
    is_of_before = bool(find_reference(tokens)) or names_no_subject(phrases) or asks_for_bare_rows(phrases)
    is_of_rows = any(one.is_of_issues or one.has("entity") or one.name_kind == "type" for one in phrases)
    is_change |= "per" in tokens[0].marks and not is_of_rows  # by points completed
    return is_change or is_fragment or is_of_before
