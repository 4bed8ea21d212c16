"""The answerer of this domain: reads questions without a model, and calls ask_sprints."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import regex

from sprints.asking.changes import is_change, list_parts, split_lines
from sprints.asking.chat import read_context
from sprints.asking.drafts import NEAR, Draft, draft_without_model
from sprints.asking.reading import QuestionReading, load_names, read_question
from sprints.contracts import MAX_PREVIOUS
from sprints.semantics.model import shipped_model
from sprints.semantics.query import MetricQuery
from toolbox.contract.answerer import AnswerText, Choice, Interpretation, Outcome, Part, PlannedCall
from toolbox.database.pools import reader

DOMAIN, TOOL = "sprints", "ask_sprints"
CORRECTION_COST = 0.05
"""Subtracted from the score for each word that was corrected or skipped."""
UNCLEAR_SCORE = 0.75
"""The score of a question whose words are known but which is unclear."""
KNOWN_WORD_SHARE = 0.5
"""The maximum score of a question with unknown words."""
_DOUBTED = regex.compile(r"Left aside: |Read '")


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """
    The context of the next question: the questions that led to a query, and the query.

    Behind a question that was asked back there is none, or an empty one if that only changed another question.
    """

    questions: tuple[str, ...]
    query: MetricQuery | None


class SprintsAnswerer:
    """Answers what the grammar or a verified query can read."""

    domain = DOMAIN
    tools = frozenset({TOOL})

    def __init__(self, *, clock: Callable[[], datetime]) -> None:
        self._clock = clock

    async def read(self, question: str, *, before: Interpretation | None = None) -> Interpretation:
        """Draft the answer without running it. Everything except names and verified queries is in memory."""
        now = self._clock()
        if is_change((lines := split_lines(question))[-1]):
            return await self._read_changed(lines, now=now)
        subject = before.subject if before and isinstance(before.subject, Subject) else None
        context = subject.query if subject else None
        asked = before.question if before and before.state == "unclear" and subject is None else ""
        lost = asked if before is not None and context is None else None
        alone = await read_question(question, now=now, reader=reader)
        reading = alone
        if context is not None or lost is not None:
            reading = await read_question(question, now=now, reader=reader, context=context, lost=lost)
        leans = reading.parse.query != alone.parse.query or reading.parse.why != alone.parse.why
        said_before = subject.questions if subject else (asked,) if asked and reading.parse.query else ()
        earlier = said_before if leans else ()
        return _rate(reading, draft=draft_without_model(reading), earlier=earlier)

    async def _read_changed(self, lines: Sequence[str], *, now: datetime) -> Interpretation:
        """Read a question with the changes of its parts, each on a line. It says all, whatever was asked before."""
        earlier = tuple(lines[-MAX_PREVIOUS - 1 : -1])
        context = await read_context(earlier, now=now, reader=reader)
        reading = await read_question(lines[-1], now=now, reader=reader, context=context.query)
        return _rate(reading, draft=draft_without_model(reading), earlier=earlier)

    async def list_parts(self, alone: str) -> Sequence[Part]:
        """Return the parts of a question, which is given in the lines that led to it."""
        lines, now = alone.splitlines(), self._clock()
        query = (await read_context(lines, now=now, reader=reader)).query
        if query is None:
            return ()
        return list_parts(query, lines=lines, names=await load_names(now=now, reader=reader, model=shipped_model()))

    def word(self, reading: Interpretation, *, answers: Sequence[Any]) -> AnswerText | PlannedCall:
        """Return the text of the chat's answer."""
        answer = answers[-1]
        if answer["isAmbiguous"]:
            return AnswerText(text=answer["answer"], outcome="asked_back")
        outcome: Outcome = "failed" if answer.get("error") else "answered"
        return AnswerText(text=answer["answer"], outcome=outcome, assumptions=tuple(answer["assumptions"]))


def _rate(reading: QuestionReading, *, draft: Draft, earlier: tuple[str, ...]) -> Interpretation:
    """Return the confidence that the question belongs to this domain: 1 if the draft uses each of its words."""
    question, leans = reading.question, bool(earlier)
    if draft.sql is not None:
        described = reading.write_question(draft.verified) if draft.verified else question
        understood = draft.meaning.text if draft.meaning else described
        arguments = {"question": question} | ({"previous": list(earlier)} if earlier else {})
        doubts = sum(bool(_DOUBTED.match(one)) for one in draft.assumptions)
        return Interpretation(
            domain=DOMAIN, state="covered", question=question, score=max(1.0 - CORRECTION_COST * doubts, 0.0),
            understood=understood, call=PlannedCall(tool=TOOL, arguments=arguments), leans=leans,
            subject=Subject(questions=(*earlier, question), query=draft.query),
            alone="\n".join(" ".join(one.split()) for one in (*earlier, question)) if draft.query else "",
        )  # fmt: skip
    asked = draft.clarification or ""
    is_about_sprints = is_change(question) or _is_about_sprints(reading)
    if not reading.parse.unbound and not reading.parse.anaphor and is_about_sprints:
        return Interpretation(
            domain=DOMAIN, state="unclear", question=question, score=UNCLEAR_SCORE, clarification=asked, leans=leans,
            choices=_write_choices(reading, draft=draft), nearest=draft.suggestions,
            subject=None if reading.find_lost() else Subject(questions=(), query=None),
        )  # fmt: skip
    return Interpretation(
        domain=DOMAIN, state="not_covered", question=question, score=_score_unknown(reading),
        clarification=asked.partition(NEAR)[0], nearest=draft.suggestions,
    )  # fmt: skip


def _is_about_sprints(reading: QuestionReading) -> bool:
    """Return whether a question contains a term or a name of the data besides common words."""
    return bool(reading.linked.unclear or reading.parse.readings) or any(
        phrase.kind == "term" or phrase.names or phrase.keys for phrase in reading.parse.phrases
    )


def _score_unknown(reading: QuestionReading) -> float:
    """Return half the share of known words. 0 if the question names nothing of the data."""
    count = len(reading.linked.words)
    known = count - len(reading.parse.unbound)
    return KNOWN_WORD_SHARE * known / count if count and _is_about_sprints(reading) else 0.0


def _write_choices(reading: QuestionReading, *, draft: Draft) -> tuple[Choice, ...]:
    """Return the whole question for each choice of the first doubt, else similar questions."""
    text = reading.linked.text
    choices = [
        Choice(label=choice, question=text.replace(doubt.said, choice, 1))
        for doubt in draft.doubts[:1] if doubt.said
        for choice in doubt.choices
    ]  # fmt: skip
    return tuple(choices) or tuple(Choice(label=one, question=one) for one in draft.suggestions)
