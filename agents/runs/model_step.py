"""A step that calls the model: its text is streamed as events as it arrives, and stored when it is complete."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from types import TracebackType
from typing import Any, Self

from django.conf import settings

from agents.budgets import MIN_ANSWER_TOKENS, ModelCall
from agents.queries import conversations
from agents.queries.findings import has_findings
from agents.queries.leases import append_event
from agents.queries.rows import ClaimedRun, ModelReply, StepRow, clean
from agents.queries.steps import begin_model
from agents.runs import transcript
from toolbox.answering.name_aliases import explain_aliases
from toolbox.answering.provider import AnswererModel
from toolbox.audit.spans import Value, record
from toolbox.contract.errors import DatabaseUnavailable
from toolbox.contract.tool import Tool
from toolbox.examples.few_shot import shots
from toolbox.model import (
    CallRequested,
    ContextOverrun,
    Message,
    Model,
    ModelMisbehaved,
    RetryNotice,
    StepEnd,
    TextDelta,
    ToolRequest,
    Used,
    configured_model,
)
from toolbox.work.lease import Lease, LeaseLost

GATHER_SECONDS = 0.05
LAST_ANSWER_TOKENS = 512
PROVIDER = "openai"
"""In spans: the API's format, not who answers."""
FINISH_REASONS = {"calls": "tool_calls", "filtered": "content_filter"}
"""In spans: OpenAI's names of ends that have other names here."""


def choose_model(name: str) -> Model:
    """Return the model that answers: the conversation's, the server's, or the answerers if none is configured."""
    return configured_model(name) or AnswererModel()


async def find_guidance(run: ClaimedRun, *, model: Model, tools: Sequence[Tool]) -> Sequence[Message]:
    """Return what curators know of the question: the nearest examples, and what aliases in it stand for."""
    if isinstance(model, AnswererModel):
        return ()
    said = await conversations.find_messages_until(run.conversation_id, question=run.question_number)
    asked = next(row["text"] for row in said if row["number"] == run.question_number)
    found = await shots(asked, tools=tools), await explain_aliases(asked, domains={tool.domain for tool in tools})
    return [message for message in found if message]


class ModelStep:
    """One model call; `guidance` is what curators know, and `last_turn` asks for a partial answer."""

    def __init__(
        self,
        run: ClaimedRun,
        *,
        number: int,
        model: Model,
        guidance: Sequence[Message],
        last_turn: Message | None = None,
    ) -> None:
        self._run = run
        self._guidance = guidance
        self._last_turn = [last_turn] if last_turn else []
        self._number = number
        self._model = model
        self._text: list[str] = []
        self._calls: list[ToolRequest] = []
        self._used = Used(prompt_tokens=0, completion_tokens=0)
        self._reason = "stop"
        self._details: Mapping[str, Any] | None = None

    @property
    def text(self) -> str:
        """Return what the model has written so far."""
        return clean("".join(self._text))

    async def execute(self, steps: Sequence[StepRow], *, tools: Sequence[Tool]) -> ModelReply:
        """
        Call the model; if the context is too long, again with less history and a shorter answer.

        Reserves the tokens first; raises BudgetUsedUp, ModelFailure, LeaseLost.
        """
        clock = asyncio.get_running_loop().time
        started = clock()
        messages = await self._messages(steps, most_bytes=transcript.HISTORY_BYTES[0])
        call = ModelCall(
            model=self._model.name,
            prompt_tokens=self._model.estimate_tokens(messages, tools=tools),
            max_tokens=settings.AGENT_MAX_COMPLETION_TOKENS,
            held_back=0 if self._last_turn or not has_findings(steps) else self._estimate_last_turn(messages),
        )
        max_tokens = await begin_model(self._run.lease, number=self._number, call=call)
        for shorter in (*transcript.HISTORY_BYTES[1:], None):
            try:
                with record(f"chat {call.model}", attributes=self._describe_span(max_tokens), is_client=True) as span:
                    try:
                        await self._ask(messages, tools=tools, max_tokens=max_tokens)
                    finally:
                        span.attributes |= self._describe_usage()
                break
            except ContextOverrun:
                if shorter is None:
                    raise
                messages = await self._messages(steps, most_bytes=shorter)
                max_tokens = max(min(MIN_ANSWER_TOKENS, max_tokens), max_tokens // 4)
        self._run.lease.progress = {}
        return ModelReply(
            text=self.text,
            calls=tuple(_serialize_call(call) for call in self._calls),
            reason=self._reason,
            prompt_tokens=self._used.prompt_tokens,
            completion_tokens=self._used.completion_tokens,
            milliseconds=(clock() - started) * 1000,
            is_estimated=self._used.is_estimated,
            model=self._model.name[:200],
            details=self._details,
        )

    def _describe_span(self, max_tokens: int) -> dict[str, str | int | bool]:
        """Return the span's attributes by OpenTelemetry's conventions for model calls."""
        return {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": PROVIDER,
            "gen_ai.request.model": self._model.name,
            "gen_ai.request.max_tokens": max_tokens,
            "gen_ai.request.stream": True,
            "gen_ai.conversation.id": str(self._run.conversation_id),
            "toolroom.run_id": str(self._run.lease.id),
            "toolroom.step": self._number,
        }

    def _describe_usage(self) -> dict[str, Value]:
        return {
            "gen_ai.usage.input_tokens": self._used.prompt_tokens,
            "gen_ai.usage.output_tokens": self._used.completion_tokens,
            "gen_ai.response.finish_reasons": [FINISH_REASONS.get(self._reason, self._reason)],
            "toolroom.usage_is_estimated": self._used.is_estimated,
        }

    def _estimate_last_turn(self, messages: Sequence[Message]) -> int:
        """Estimate the tokens of a last turn: the same messages without tools, and a short answer."""
        prompt_tokens = self._model.estimate_tokens(messages)
        return prompt_tokens + LAST_ANSWER_TOKENS if prompt_tokens else 0

    async def _messages(self, steps: Sequence[StepRow], *, most_bytes: int) -> list[Message]:
        run = self._run
        said = await conversations.find_messages_until(run.conversation_id, question=run.question_number)
        return [
            transcript.system_message(owner=run.owner_name, today=run.asked_on, run_id=run.lease.id),
            *self._guidance,
            *transcript.history(said, question=run.question_number, most_bytes=most_bytes),
            *transcript.build_step_messages(steps, run_id=run.lease.id, is_last=bool(self._last_turn)),
            *self._last_turn,
        ]

    async def _ask(self, messages: Sequence[Message], *, tools: Sequence[Tool], max_tokens: int) -> None:
        async with EventBatcher(self._run.lease, step=self._number) as batcher:
            self._text, self._calls = [], []
            async with aclosing(self._model.turn(messages, tools=tools, max_tokens=max_tokens)) as events:
                async for event in events:
                    match event:
                        case TextDelta(text=text):
                            self._text.append(text)
                            batcher.say(text)
                        case CallRequested(request=request):
                            self._calls.append(request)
                        case RetryNotice() as retrying:
                            self._text, self._calls = [], []
                            await batcher.discard(retrying)
                        case Used() as used:
                            self._used = used
                            self._run.lease.progress = {
                                "streamed_prompt_tokens": used.prompt_tokens,
                                "streamed_completion_tokens": used.completion_tokens,
                            }
                        case StepEnd(reason=reason, details=details):
                            self._reason, self._details = reason, details
                            return
        raise ModelMisbehaved("The model's answer ended without an end.")


class EventBatcher:
    """
    Streams one step's text as `text` events: the first piece at once, then what arrives within 50 ms together.

    Leaving the block sends the rest, unless it is left by an error. Raises LeaseLost from `discard` and at the end;
    until then the heartbeat notices a lost run.
    """

    def __init__(self, lease: Lease, *, step: int) -> None:
        self._lease = lease
        self._step = step
        self._waiting: list[str] = []
        self._sending: asyncio.Task[None] | None = None
        self._failure: Exception | None = None
        self._is_first = True

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            await self._flush()
        elif self._sending:
            self._sending.cancel()
            await asyncio.wait([self._sending])

    def say(self, text: str) -> None:
        """Add a piece of text, to be sent soon."""
        self._waiting.append(text)
        if self._sending is None or self._sending.done():
            delay, self._is_first = (0.0 if self._is_first else GATHER_SECONDS), False
            self._sending = asyncio.get_running_loop().create_task(self._send_soon(delay))

    async def discard(self, retrying: RetryNotice) -> None:
        """Send an event that this step's text is void, and why it is asked again."""
        await self._flush()
        data = {
            "step": self._step,
            "reason": retrying.reason,
            "delaySeconds": round(retrying.delay_seconds, 2),
            "attempt": retrying.attempt,
        }
        await append_event(self._lease, kind="model.retrying", data=data)
        self._is_first = True

    async def _flush(self) -> None:
        if self._sending:
            await self._sending
        if self._failure:
            raise self._failure
        await self._send()

    async def _send_soon(self, delay: float) -> None:
        await asyncio.sleep(delay)
        try:
            await self._send()
        except (LeaseLost, DatabaseUnavailable) as failure:  # raised again at the end
            self._failure = failure

    async def _send(self) -> None:
        pieces, self._waiting = self._waiting, []
        if pieces:
            await append_event(self._lease, kind="text", data={"step": self._step, "text": "".join(pieces)})


def _serialize_call(call: ToolRequest) -> dict[str, str]:
    return {"id": clean(call.id)[:200], "name": clean(call.name)[:200] or "?", "arguments": clean(call.arguments)}
