"""Questions that only say something together with the one before them: and for HARBOR; only bugs; the urgent ones."""

from datetime import date

from sprints.linking.folding import normalise
from sprints.linking.link import MAX_QUESTION, link
from sprints.linking.names import NameIndex
from sprints.semantics.questions.follow_up_words import LEADS
from sprints.semantics.questions.inherited_scope import asks_for_bare_rows, names_no_subject
from sprints.semantics.questions.lexicon import ASKING, Lexicon
from sprints.semantics.questions.phrases import read_phrases
from sprints.semantics.questions.references import find_reference
from sprints.semantics.questions.signs import spell_signs
from sprints.semantics.questions.tokens import cut

LOST = "I cannot tell what that changes: the question before has no query here. Ask it with all that it should say."


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
    return is_change or is_fragment or is_of_before
