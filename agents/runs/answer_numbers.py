"""Mark the numbers of an answer that no tool of its run gave."""

from collections.abc import Sequence
from typing import Any

import orjson

from agents.models import Step
from agents.queries.rows import StepRow
from toolbox.text.numbers import KnownNumbers

MARK = "(Not certain: no answer of a tool in this run gives "
MAX_READ_CHARACTERS = 500_000
"""Limit of all answers of a run together; beyond it, only the part that the model saw is read."""


def mark_unfounded(said: str, *, steps: Sequence[StepRow], before: Sequence[dict[str, Any]], today: str) -> str:
    """
    Return a paragraph that lists the numbers of an answer without a source; "" if all have one.

    Numbers may come from what tools answered in this run, unchanged or by an operation that
    `toolbox.text.numbers.KnownNumbers` lists; from the arguments of answered calls; and from what was said `before` in
    the conversation (rows of `find_messages_until`), except marked numbers.
    """
    known = KnownNumbers()
    known.add_text(today)
    for message in before:
        text, _, marked = message["text"].partition(MARK)
        known.add_text(text, without=marked)
    left = MAX_READ_CHARACTERS
    for step in steps:
        if step.is_model or not step.is_over:
            continue
        if step.state == Step.State.ANSWERED:
            known.add_text(step.effective_arguments)
        answer = step.answer if len(step.answer) <= left else step.shown
        left -= len(answer)
        known.add_data(_read_answer(answer))
    unfounded = known.find_unfounded(said)
    if not unfounded:
        return ""
    return f"\n\n{MARK}{', '.join(unfounded)}.)"


def _read_answer(answer: str) -> Any:
    try:
        return orjson.loads(answer)
    except ValueError:
        return answer
