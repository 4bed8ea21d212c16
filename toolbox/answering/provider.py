"""Model provider that answers from the domains' answerers when no language model is configured."""

import json
import secrets
from collections.abc import AsyncGenerator, Sequence
from typing import Any

from toolbox.answering.decision import MIN_NEAREST, Decision, decide_conversation
from toolbox.catalogue.registry import registry
from toolbox.contract.answerer import Answerer, AnswerText, Choice, Interpretation, Outcome, PlannedCall
from toolbox.contract.tool import Tool
from toolbox.examples.answerer import make_answerers
from toolbox.examples.cache import KnownExample
from toolbox.examples.templates import CannotFill
from toolbox.model.protocol import (
    CallRequested,
    Message,
    ModelEvent,
    ModelUnavailable,
    Shape,
    StepEnd,
    TextDelta,
    ToolRequest,
    Used,
)

NAME = "examples"
NOTICE = "No language model is configured here, so curated questions and the domains' own grammars answer."
NO_EXAMPLES = "Nothing can answer with the tools of this conversation; add examples in the admin, or configure a model."
_CALL = "ask"


class AnswererModel:
    """Model that reads a question with every answerer, requests the winner's tools and words their answers."""

    name = NAME

    def estimate_tokens(self, messages: Sequence[Message], *, tools: Sequence[Tool] = ()) -> int:
        """Return 0: answerers use no tokens."""
        return 0

    async def turn(
        self, messages: Sequence[Message], *, tools: Sequence[Tool] = (), max_tokens: int | None = None
    ) -> AsyncGenerator[ModelEvent, None]:
        """
        Run one step; see Model. Raises no failure of its own.

        Queries: the examples, at most once in some seconds, and what the answerers need to read a question.
        """
        step = await _next_step(messages, tools=tools)
        if isinstance(step, ToolRequest):
            yield CallRequested(request=step)
            yield Used(prompt_tokens=0, completion_tokens=0)
            yield StepEnd(reason="calls")
            return
        text, details = step
        if not any(NOTICE in message.text for message in messages if message.role == "assistant"):
            text = f"{NOTICE}\n\n{text}"
        for piece in text.splitlines(keepends=True):
            yield TextDelta(text=piece)
        yield Used(prompt_tokens=0, completion_tokens=0)
        yield StepEnd(reason="stop", details=details)

    async def complete_structured(
        self, messages: Sequence[Message], *, schema: type[Shape], deadline_seconds: float
    ) -> Shape:
        """Raise ModelUnavailable: answerers cannot produce structured output."""
        raise ModelUnavailable("No language model is configured; set AGENT_MODEL and OPENAI_BASE_URL.")


_ANSWERS = ("answered", "failed")
_End = tuple[str, dict[str, Any]]


async def load_answerers(tools: Sequence[Tool], *, drafts: Sequence[KnownExample] = ()) -> list[Answerer]:
    """
    Return the answerers that need only these tools: those that domains declare, then curated examples.

    `drafts` are examples to try that are not saved yet.
    """
    names = {tool.name for tool in tools}
    declared = [toolkit.answerer() for toolkit in registry.toolkits() if toolkit.answerer]
    usable = [one for one in declared if one.tools <= names]
    return [*usable, *await make_answerers(tools, exact={one.domain for one in usable}, drafts=drafts)]


async def _next_step(messages: Sequence[Message], *, tools: Sequence[Tool]) -> ToolRequest | _End:
    """Return the next call, or the final text with the details that a page shows beside it."""
    answerers = await load_answerers(tools)
    answers = _find_tool_answers(messages)
    if answers and answers[-1].is_refusal:
        return _end(AnswerText(text=_render_refusal(answers[-1].answer), outcome="refused"))
    if answers and answers[-1].edited_arguments:  # the answer is no longer about the question's names
        told = answers[-1]
        return _end(AnswerText(text=f"With {told.edited_arguments}: {_render_raw_answer(told)}"))
    if not answerers:
        return _end(AnswerText(text=NO_EXAMPLES, outcome="not_covered"))
    questions = [message.text for message in messages if message.role == "user"]
    decision = await decide_conversation(questions, answerers=answerers)
    if answers:
        return _continue_after(answers, decision=decision)
    if decision.is_covered and decision.reading and decision.reading.call:
        return _request(decision.reading.call, reading=decision.reading)
    outcome: Outcome = "asked_back" if decision.is_unclear else "not_covered"
    return _end(AnswerText(text=decision.text, outcome=outcome, choices=decision.choices), decision=decision)


def _continue_after(answers: Sequence[Message], *, decision: Decision) -> ToolRequest | _End:
    """Word the tools' answers or return the next call; show calls that another provider requested as they are."""
    reading, answerer = decision.reading, decision.answerer
    is_own = reading is not None and answers[-1].call_id.startswith(f"{_CALL}-{reading.domain}-")
    if reading is None or answerer is None or not decision.is_covered or not is_own:
        return _end(AnswerText(text=_render_raw_answer(answers[-1])))
    if isinstance(answers[-1].answer, dict) and answers[-1].answer.get("errors"):
        return _end(AnswerText(text=_render_errors(answers[-1].answer["errors"]), outcome="failed"), decision=decision)
    try:
        worded = answerer.word(reading, answers=[message.answer for message in answers])
    except CannotFill:
        return _end(AnswerText(text=_render_raw_answer(answers[-1])), decision=decision)
    if isinstance(worded, PlannedCall):
        return _request(worded, reading=reading)
    return _end(worded, decision=decision)


def _request(call: PlannedCall, *, reading: Interpretation) -> ToolRequest:
    call_id = f"{_CALL}-{reading.domain}-{secrets.token_hex(4)}"
    return ToolRequest(id=call_id, name=call.tool, arguments=json.dumps(call.arguments, ensure_ascii=False))


def _end(worded: AnswerText, *, decision: Decision | None = None) -> _End:
    """Return the text with its outcome, how the question was understood, and possible replies."""
    details: dict[str, Any] = {"outcome": worded.outcome, "choices": [_describe_choice(one) for one in worded.choices]}
    if decision:
        reading = decision.reading
        is_near = reading is not None and (reading.state != "not_covered" or reading.score >= MIN_NEAREST)
        details |= {
            "question": decision.question if reading else "",
            "domain": reading.domain if reading and is_near else "",
            "understood": reading.understood if reading and worded.outcome in _ANSWERS else "",
            "alone": reading.alone if reading and worded.outcome in _ANSWERS else "",
        }
    return worded.text, details | {"assumptions": list(worded.assumptions)}


def _describe_choice(choice: Choice) -> dict[str, str]:
    return {"label": choice.label, "question": choice.question}


def _find_tool_answers(messages: Sequence[Message]) -> list[Message]:
    """Return the tools' answers since the last question."""
    asked_at = max((at for at, message in enumerate(messages) if message.role == "user"), default=-1)
    return [message for message in messages[asked_at + 1 :] if message.role == "tool"]


def _render_raw_answer(told: Message) -> str:
    written = json.dumps(told.answer, ensure_ascii=False) if told.answer is not None else told.text
    return f"The tool {told.tool} answered: {written[:1_000]}"


def _render_refusal(answer: Any) -> str:
    """Word a refusal, whatever its envelope."""
    message, suggestion = _find_text(answer, name="message"), _find_text(answer, name="suggestion")
    parts = (message or "The tool refused the question", suggestion)
    return " ".join(part if part.endswith((".", "!", "?")) else f"{part}." for part in parts if part)


def _render_errors(errors: Any) -> str:
    """Word the errors that an upstream sent with its answer."""
    first = errors[0] if isinstance(errors, list) else errors
    return f"The upstream answered with errors: {_find_text(first, name='message') or first}"


def _find_text(answer: Any, *, name: str) -> str:
    """Return the first text of that name at any depth of a refusal."""
    if not isinstance(answer, dict):
        return ""
    if isinstance(answer.get(name), str):
        return str(answer[name])
    return next(filter(None, (_find_text(part, name=name) for part in answer.values())), "")
