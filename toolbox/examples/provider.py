"""The examples provider: answers where no language model is configured, as any Model does."""

import json
import secrets
from collections.abc import AsyncGenerator, Sequence
from typing import Any

from toolbox.contract.tool import Tool
from toolbox.examples.cache import KnownExample, find_examples_for_tools, find_slots
from toolbox.examples.matching import ExampleMatch, NotCovered, Outcome, Unclear, fill_example, match
from toolbox.examples.templates import CannotFill, fill_question, make_arguments, render_answer
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
NOTICE = "No language model is configured here, so curated examples answer."
NO_EXAMPLES = "There are no examples for the tools of this conversation; add some in the admin, or configure a model."
_CLARIFYING = "Which "
_CALL = "example"
_MAX_NAMED = 8


class ExamplesModel:
    """Matches a question to a curated example, asks for its tool, and words what the tool answers."""

    name = NAME

    def estimate_tokens(self, messages: Sequence[Message], *, tools: Sequence[Tool] = ()) -> int:
        """Say that examples read no tokens."""
        return 0

    async def turn(
        self, messages: Sequence[Message], *, tools: Sequence[Tool] = (), max_tokens: int | None = None
    ) -> AsyncGenerator[ModelEvent, None]:
        """
        Take one step; see Model. Raises no failure of its own.

        Queries: the examples, at most once in some seconds, and what the slots of the likeliest ask.
        """
        said, call = await _next_step(messages, tools=tools)
        if said and not any(NOTICE in message.text for message in messages if message.role == "assistant"):
            said = f"{NOTICE}\n\n{said}"
        for piece in said.splitlines(keepends=True):
            yield TextDelta(text=piece)
        if call:
            yield CallRequested(request=call)
        yield Used(prompt_tokens=0, completion_tokens=0)
        yield StepEnd(reason="calls" if call else "stop")

    async def complete_structured(
        self, messages: Sequence[Message], *, schema: type[Shape], deadline_seconds: float
    ) -> Shape:
        """Refuse: examples cannot make an answer of a shape."""
        raise ModelUnavailable("No language model is configured; set AGENT_MODEL and OPENAI_BASE_URL.")


async def _next_step(messages: Sequence[Message], *, tools: Sequence[Tool]) -> tuple[str, ToolRequest | None]:
    """Give the text of the next step and the call it asks for."""
    examples = await find_examples_for_tools(tool.name for tool in tools)
    asked = _join_question(messages)
    if messages and messages[-1].role == "tool":
        return await _continue_after(_tool_messages(messages), asked=asked, examples=examples)
    if not examples:
        return NO_EXAMPLES, None
    outcome = await match(asked, examples=examples)
    if not isinstance(outcome, ExampleMatch):
        return await _explain_no_call(outcome), None
    return "", _make_request(outcome, answers=[])


def _make_request(matched: ExampleMatch, *, answers: Sequence[Any]) -> ToolRequest:
    """Give the call that follows these answers; raises CannotFill."""
    example = matched.example
    given = make_arguments(example, answers=answers, values=matched.values)
    call_id = f"{_CALL}-{example.id}-{secrets.token_hex(4)}"
    return ToolRequest(id=call_id, name=example.tools[len(answers)], arguments=json.dumps(given, ensure_ascii=False))


def _tool_messages(messages: Sequence[Message]) -> list[Message]:
    """Give what tools have told since the question."""
    asked_at = max((at for at, message in enumerate(messages) if message.role == "user"), default=-1)
    return [message for message in messages[asked_at + 1 :] if message.role == "tool"]


def _join_question(messages: Sequence[Message]) -> str:
    """Give what was asked; a question that was answered by asking back, together with the reply to that."""
    said = [message for message in messages if message.role in ("user", "assistant") and not message.calls]
    users = [at for at, message in enumerate(said) if message.role == "user"]
    if not users:
        return ""
    parts = [said[users[-1]].text]
    for at in reversed(users[:-1]):
        if at + 1 >= len(said) or _CLARIFYING not in said[at + 1].text.rpartition("\n\n")[2][: len(_CLARIFYING)]:
            break
        parts.insert(0, said[at].text)
    return "\n".join(parts)


async def _explain_no_call(outcome: Outcome) -> str:
    if isinstance(outcome, Unclear):
        return await _ask_back(outcome)
    return await _list_nearest(outcome) if isinstance(outcome, NotCovered) else ""


async def _ask_back(unclear: Unclear) -> str:
    labels = list(dict.fromkeys(candidate.label for candidate in unclear.candidates))
    if labels:
        render_question = ", ".join(labels[:_MAX_NAMED]) + (", …" if len(labels) > _MAX_NAMED else "")
        return f"{_CLARIFYING}{unclear.slot.noun} do you mean: {render_question}?"
    load_sample_texts = [text for text in (await unclear.slot.samples())[:2] if text]
    such = f" Say it as {' or '.join(load_sample_texts)}." if load_sample_texts else ""
    return f"{_CLARIFYING}{unclear.slot.noun} do you mean?{such}"


async def _list_nearest(outcome: NotCovered) -> str:
    listed = [f"- {await render_question(example)}" for example in outcome.nearest]
    return "\n".join(("None of the examples covers that question. The nearest are:", *listed))


async def render_question(example: KnownExample) -> str:
    """Give an example's question with real things in its slots."""
    return fill_question(example.question, samples=await load_sample_texts(example))


async def load_sample_texts(example: KnownExample) -> dict[str, str]:
    """Give a text for each placeholder of an example; two of one slot differ where the data has two."""
    slots = find_slots(example.domain)
    given: dict[str, int] = {}
    texts: dict[str, str] = {}
    for placeholder in example.placeholders:
        slot = slots.get(placeholder.slot)
        real = await slot.samples() if slot else ()
        number = given[placeholder.slot] = given.get(placeholder.slot, -1) + 1
        if real:
            texts[placeholder.name] = real[min(number, len(real) - 1)]
    return texts


async def _continue_after(
    said: Sequence[Message], *, asked: str, examples: Sequence[KnownExample]
) -> tuple[str, ToolRequest | None]:
    """Put what tools answered into words, or give the example's next call."""
    told = said[-1]
    if told.is_refusal:
        return _render_refusal(told.answer), None
    if told.edited_arguments:  # the question's names are no longer what was asked
        return f"With {told.edited_arguments}: {_render_raw_answer(told)}", None
    used = next((example for example in examples if told.call_id.startswith(f"{_CALL}-{example.id}-")), None)
    outcome = await fill_example(asked, example=used, examples=examples) if used else None
    if not isinstance(outcome, ExampleMatch):
        return _render_raw_answer(told), None
    answers = [message.answer for message in said]
    try:
        if len(answers) < len(outcome.example.tools):
            return "", _make_request(outcome, answers=answers)
        return render_answer(outcome.example.answer, answers=answers, values=outcome.values), None
    except CannotFill:
        return _render_raw_answer(told), None


def _render_raw_answer(told: Message) -> str:
    written = json.dumps(told.answer, ensure_ascii=False) if told.answer is not None else told.text
    return f"The tool {told.tool} answered: {written[:1_000]}"


def _render_refusal(answer: Any) -> str:
    """Put a refusal into words, in whichever dialect it is."""
    message, suggestion = _find_text(answer, name="message"), _find_text(answer, name="suggestion")
    return " ".join(part for part in (message or "The tool refused the question.", suggestion) if part)


def _find_text(answer: Any, *, name: str) -> str:
    """Give the first text of that name, however deep a refusal's form puts it."""
    if not isinstance(answer, dict):
        return ""
    if isinstance(answer.get(name), str):
        return str(answer[name])
    return next(filter(None, (_find_text(part, name=name) for part in answer.values())), "")
