"""Try a lesson: answer the question with rows that are not saved yet, as the person who teaches it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from console.tools.calls import send_call
from console.tools.result_picture import Picture, draw_answer
from console.tools.result_table import format_json, parse_json
from toolbox.answering.decision import Decision, decide_conversation
from toolbox.answering.provider import load_answerers
from toolbox.catalogue.dynamic_tools import dynamic_tools
from toolbox.catalogue.registry import registry
from toolbox.contract.answerer import AnswerText
from toolbox.contract.caller import Caller
from toolbox.database import event_loop
from toolbox.examples.cache import KnownExample
from toolbox.examples.templates import MISSING_MARK, CannotFill

MAX_CALLS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """
    The answer to the question with the draft.

    `problem` says why there is none; `notes` are further results of checks, `raw` is the last answer as JSON.
    """

    text: str = ""
    problem: str = ""
    understood: str = ""
    sql: str = ""
    raw: str = ""
    notes: tuple[str, ...] = ()
    picture: Picture = field(default_factory=Picture)

    @property
    def is_answered(self) -> bool:
        """Return whether the question is answered."""
        return not self.problem


def answer_question(
    question: str, *, caller: Caller, drafts: Sequence[KnownExample] = (), expected: KnownExample | None = None
) -> Trial:
    """
    Answer a question with drafts beside the stored examples.

    It is a problem if another example than `expected`, where one is given, would answer.
    """
    event_loop.run(dynamic_tools.wait_until_loaded())
    decision = event_loop.run(_decide(question, caller=caller, drafts=drafts))
    if not decision.is_covered or decision.reading is None:
        return Trial(problem=decision.text or "The question does not lead to it.")
    subject = getattr(decision.reading.subject, "example", None)
    if expected is not None and subject is not expected:
        return Trial(problem=f"The question is taken for another one: {decision.reading.understood}")
    return _call_tools(decision, caller=caller)


async def _decide(question: str, *, caller: Caller, drafts: Sequence[KnownExample]) -> Decision:
    answerers = await load_answerers(registry.visible_to(caller), drafts=drafts)
    return await decide_conversation([question], answerers=answerers)


def _call_tools(decision: Decision, *, caller: Caller) -> Trial:
    """Call the tools that a covered question needs, and word their answers; calls no tool that writes."""
    reading, answerer = decision.reading, decision.answerer
    answers: list[Any] = []
    picture, raw = Picture(), ""
    planned = reading.call if reading else None
    while reading and answerer and planned and len(answers) < MAX_CALLS:
        tool = registry.find(planned.tool)
        if tool is None or tool.writes:
            return Trial(problem=f"{planned.tool} writes, or there is none of that name; it is not called here.")
        reply = send_call(planned.tool, arguments=orjson.dumps(planned.arguments), caller=caller)
        if reply.is_refusal:
            said = f"{reply.error.message} {reply.error.suggestion}" if reply.error else reply.code
            return Trial(problem=f"{planned.tool} refused the call: {said}".strip())
        answers.append(parse_json(reply.body.decode()))
        picture, raw = draw_answer(answers[-1], tool=tool, arguments=planned.arguments), format_json(answers[-1])
        try:
            worded = answerer.word(reading, answers=answers)
        except CannotFill as cannot:
            return Trial(problem=f"{str(cannot).capitalize()}.", picture=picture, raw=raw)
        if isinstance(worded, AnswerText):
            return _end(worded, understood=reading.understood, picture=picture, raw=raw)
        planned = worded
    return Trial(problem="It makes too many calls.", picture=picture, raw=raw)


def _end(worded: AnswerText, *, understood: str, picture: Picture, raw: str) -> Trial:
    if worded.outcome != "answered":
        return Trial(problem=worded.text, picture=picture, raw=raw)
    if MISSING_MARK in worded.text:
        problem = f"The answer names what the tool does not say: {worded.text}"
        return Trial(problem=problem, picture=picture, raw=raw)
    return Trial(text=worded.text, understood=understood, picture=picture, raw=raw)
