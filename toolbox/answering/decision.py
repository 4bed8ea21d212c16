"""
Decide which domain's answerer takes a question: the one with the highest score that the caller may use.

The thresholds were chosen on the held-out questions in tests/data/ask/questions.json. If two domains score about the
same, the person is asked. A follow-up question stays with the domain of the question before it.
"""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from toolbox.answering.name_aliases import expand_aliases
from toolbox.contract.answerer import Answerer, Choice, Interpretation
from toolbox.text.names import words

MIN_SCORE = 0.6
"""Below this score a question is not about the domain."""
NEAR_TIE = 0.05
"""Two domains whose scores differ by less are tied."""
MIN_EXPLAINED = 0.36
"""From this score on, a domain's reason for not covering a question is shown."""
MIN_NEAREST = 0.15
"""From this score on, a domain's similar questions are suggested."""
MAX_NEAREST = 3
MAX_EARLIER = 6
"""How many earlier questions are read again, since a question may refer to those before it."""
NOT_COVERED = "Nothing here covers that question."
READS_ONLY = "Questions are answered here; nothing is changed by them."
_COMMANDS = frozenset(
    word.plain
    for word in words(
        "add assign buy cancel close create delete drop fix insert merge move remove rename reopen resolve sell send "
        "set update write"
    )
)
_PRONOUN = re.compile(r"\b(?:they|them|he|she|him|it)\b", re.IGNORECASE)
_POSSESSIVE = re.compile(r"\b(?:their|his|its)\b", re.IGNORECASE)
_ADDRESSED = re.compile(r"\s*([a-z_]+)\s*:\s*(?=\S)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What to do with a question: `answerer` answers it, or `text` asks back or says that it is not covered."""

    question: str
    reading: Interpretation | None = None
    answerer: Answerer | None = None
    text: str = ""
    choices: tuple[Choice, ...] = ()
    is_covered: bool = False
    is_unclear: bool = False


async def decide_conversation(questions: Sequence[str], *, answerers: Sequence[Answerer]) -> Decision:
    """Decide about the last question of a conversation, oldest first; reads up to MAX_EARLIER questions."""
    decision: Decision | None = None
    before: Decision | None = None
    for question in questions[-MAX_EARLIER:]:
        decision = await decide(question, answerers=answerers, before=before)
        if decision.is_covered or decision.is_unclear:
            before = decision
        elif before is not None and _is_about_the_same(decision, before=before):
            before = _forget(before)
    return decision or _explain_not_covered("", readings=[])


def _is_about_the_same(decision: Decision, *, before: Decision) -> bool:
    """Return whether a question that is not covered speaks of the domain of the one before it."""
    reading, known = decision.reading, before.reading
    return bool(reading and known and reading.domain == known.domain and reading.score >= MIN_EXPLAINED)


def _forget(before: Decision) -> Decision:
    """Return a decision without what its question was about: another one, which was not understood, came behind it."""
    reading = before.reading and replace(before.reading, state="not_covered", names=(), period="", subject=None)
    return replace(before, reading=reading, choices=())


async def decide(question: str, *, answerers: Sequence[Answerer], before: Decision | None = None) -> Decision:
    """Decide about one question; `before` is the decision about the previous one."""
    question = _complete_reply(question, before=before)
    addressed = _ADDRESSED.match(question)
    if addressed and (named := [one for one in answerers if one.domain == addressed[1]]):
        answerers, question = named, question[addressed.end() :]
    if _is_command(question):
        return Decision(question=question, text=f"{NOT_COVERED} {READS_ONLY}")
    readings = await asyncio.gather(*(_read(one, question, before=before) for one in answerers))
    found = list(zip(answerers, readings, strict=True))
    candidates = sorted(
        ((one, reading) for one, reading in found if reading.state != "not_covered" and reading.score >= MIN_SCORE),
        key=_rank,
    )
    if not candidates:
        return _explain_not_covered(question, readings=readings)
    answerer, best = candidates[0]
    rivals = [reading for _, reading in candidates[1:] if _is_rival(reading, best=best)]
    if rivals:
        return _ask_which_domain(question, readings=[best, *rivals])
    return Decision(
        question=question, reading=best, answerer=answerer, text=best.clarification, choices=best.choices,
        is_covered=best.state == "covered", is_unclear=best.state == "unclear",
    )  # fmt: skip


async def _read(answerer: Answerer, question: str, *, before: Decision | None) -> Interpretation:
    """
    Read a question; only the answerers of the previous question's domain also get that question's reading.

    Aliases of the domain are read as the names that they stand for. A pronoun means the one thing that the question
    before was about, in every domain; what is said of it without a time is meant of the time before.
    """
    question = await expand_aliases(question, domain=answerer.domain)
    if before is None or before.reading is None:
        return await answerer.read(question)
    names = before.reading.names
    whole = question
    if len(names) == 1:
        whole = _POSSESSIVE.sub(lambda _: f"{names[0]}'s", _PRONOUN.sub(lambda _: names[0], question))
    if before.reading.domain != answerer.domain:
        return await answerer.read(whole)
    reading = await answerer.read(whole, before=before.reading)
    if whole == question or not before.reading.period or reading.period:
        return reading
    then = await answerer.read(f"{whole.rstrip('?!. ')} in {before.reading.period}?")
    return replace(then, leans=True) if then.state == "covered" and then.period else reading


def _is_command(question: str) -> bool:
    """Return whether a text asks to change something."""
    return next((word.plain in _COMMANDS for word in words(question)), False)


def _rank(candidate: tuple[Answerer, Interpretation]) -> tuple[bool, float, bool]:
    _, reading = candidate
    return (not reading.leans, -round(reading.score, 3), reading.state != "covered")


def _is_rival(reading: Interpretation, *, best: Interpretation) -> bool:
    """Return whether another domain's score ties with the best; a follow-up question has no rivals."""
    is_near = best.score - reading.score < NEAR_TIE
    return reading.domain != best.domain and is_near and not best.leans and reading.state == best.state == "covered"


def _complete_reply(question: str, *, before: Decision | None) -> str:
    """Return the question of the choice that a reply names, in full or by words that only one choice has."""
    said = {word.plain for word in words(question)}
    if before is None or not before.choices or not said:
        return question
    labels = [(choice, {word.plain for word in words(choice.label)}) for choice in before.choices]
    exact = [choice for choice, label in labels if label == said]
    near = exact or [choice for choice, label in labels if said - {"the"} and said - {"the"} <= label]
    return near[0].question if len(near) == 1 else question


def _ask_which_domain(question: str, *, readings: Sequence[Interpretation]) -> Decision:
    choices = tuple(
        Choice(label=f"{one.understood} ({one.domain})", question=f"{one.domain}: {one.understood}") for one in readings
    )
    listed = " or ".join(f"'{choice.label}'" for choice in choices)
    return Decision(question=question, text=f"Do you mean {listed}?", choices=choices, is_unclear=True)


def _explain_not_covered(question: str, *, readings: Sequence[Interpretation]) -> Decision:
    """Say that nothing covers the question, with a domain's reason if there is one, and suggest similar questions."""
    ranked = sorted(readings, key=lambda reading: -reading.score)
    best = ranked[0] if ranked else None
    reason = best.clarification if best and best.score >= MIN_EXPLAINED and best.state == "not_covered" else ""
    near = [reading for reading in ranked if reading.score >= MIN_NEAREST]
    nearest = tuple(dict.fromkeys(text for reading in near for text in reading.nearest))[:MAX_NEAREST]
    lines = [" ".join(filter(None, (NOT_COVERED, reason)))]
    if nearest:
        lines += ["The nearest questions that can be answered:", *(f"- {text}" for text in nearest)]
    choices = tuple(Choice(label=text, question=text) for text in nearest)
    return Decision(question=question, reading=best, text="\n".join(lines), choices=choices)
