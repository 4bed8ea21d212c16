"""Client of servers with OpenAI's Chat Completions API; translates the openai library's errors."""

import asyncio
import logging
import random
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any
from weakref import WeakKeyDictionary

import openai
from openai import AsyncOpenAI
from pydantic import ValidationError

from toolbox.contract.tool import Tool
from toolbox.database import event_loop
from toolbox.model.chunks import StreamedJsonAnswer, StreamedStep
from toolbox.model.protocol import (
    ContextOverrun,
    Message,
    ModelEvent,
    ModelFailure,
    ModelMisbehaved,
    ModelUnavailable,
    RequestRejected,
    RetryableFailure,
    RetryNotice,
    Shape,
    Used,
)
from toolbox.model.requests import (
    ModelCapabilities,
    Request,
    ToolMode,
    estimate_tokens,
    make_step_request,
    make_structured_request,
    refuses_tools,
)
from toolbox.model.text_calls import parse_object
from toolbox.text.redaction import MaskedText

logger = logging.getLogger(__name__)

FIRST_RETRY_SECONDS, MAX_RETRY_SECONDS = 0.5, 8.0
MAX_RETRY_AFTER_SECONDS = 60.0
"""If the server asks for a longer pause, the step fails at once."""
_MAX_PROBLEMS = 5
MAX_MESSAGE_CHARACTERS = 300
_NO_KEY = "none"
_NOTHING_USED = Used(prompt_tokens=0, completion_tokens=0)
_PASSING = (408, 409, 425, HTTPStatus.TOO_MANY_REQUESTS)
_OVERRUN = re.compile(
    r"context[_ ](length|window|size)|maximum context|too many tokens|prompt is too long|exceeds? the (\w+ )?context",
    re.I,
)
_A_KEY = re.compile(r"\b(sk|pk|gsk|key|hf|xai)[-_][A-Za-z0-9*_.-]{6,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelServer:
    """A server with OpenAI's Chat Completions API, and its timeouts and retries."""

    base_url: str
    api_key: str = field(repr=False)
    connect_seconds: float = 5.0
    silence_seconds: float = 120.0
    retries: int = 3


class OpenAIClient:
    """Requests to one server. Connections belong to the loop that uses them, and close at shutdown."""

    def __init__(self, server: ModelServer) -> None:
        self._server = server
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncOpenAI] = WeakKeyDictionary()
        event_loop.on_shutdown(self.close)

    async def stream(self, request: Mapping[str, Any]) -> AsyncGenerator[Any, None]:
        """Yield the chunks of a streamed answer; raises RetryableFailure, RequestRejected and ModelFailure."""
        try:
            stream = await self._client().chat.completions.create(**_bypass_validation(request), stream=True)
            async with aclosing(stream):
                async for chunk in stream:
                    yield chunk
        except (openai.OpenAIError, ValueError) as error:
            raise self._translate_error(error) from None  # its words may hold the key

    async def complete(self, request: Mapping[str, Any]) -> str:
        """Return the text of an answer that is not streamed; raises as `stream` does."""
        try:
            answer = await self._client().chat.completions.create(**_bypass_validation(request))
        except (openai.OpenAIError, ValueError) as error:
            raise self._translate_error(error) from None  # its words may hold the key
        choices = getattr(answer, "choices", None)
        if not choices:
            raise RetryableFailure("The model server answered nothing.", failure=ModelMisbehaved)
        return choices[0].message.content or ""

    async def close(self) -> None:
        """Close this loop's connections."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client:
            with suppress(RuntimeError):
                await client.close()

    def _client(self) -> AsyncOpenAI:
        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            server = self._server
            self._clients[loop] = AsyncOpenAI(
                base_url=server.base_url or None,
                api_key=server.api_key or _NO_KEY,
                timeout=openai.Timeout(server.silence_seconds, connect=server.connect_seconds),
                max_retries=0,  # the caller retries, and reports each attempt
            )
        return self._clients[loop]

    def _translate_error(self, error: openai.OpenAIError | ValueError) -> Exception:
        """Translate an error; what the server said is shown only if it cannot hold the key."""
        match error:
            case openai.APITimeoutError():
                silence = f"The model server said nothing for {self._server.silence_seconds:g} s."
                return RetryableFailure(silence, is_silence=True)
            case openai.APIConnectionError():
                return RetryableFailure("The model server cannot be reached, or broke the connection off.")
            case openai.APIStatusError():
                return self._translate_status(error)
            case openai.APIError():
                text = self._redact_message(error.message)
                return _find_overrun(text) or RetryableFailure(f"The model server failed while it answered: {text}")
        return RetryableFailure("The model server sent something that is not JSON.", failure=ModelMisbehaved)

    def _translate_status(self, error: openai.APIStatusError) -> Exception:
        status, text = error.status_code, self._redact_message(error.message)
        if status in (401, 403):
            return ModelUnavailable(f"The model server refuses the key ({status}); see OPENAI_API_KEY.")
        if error.code == "insufficient_quota":
            return ModelUnavailable("The model server says that the account's quota is used up (429).")
        if status in _PASSING or (status >= HTTPStatus.INTERNAL_SERVER_ERROR and not refuses_tools(text)):
            why = "asks for a pause" if status == HTTPStatus.TOO_MANY_REQUESTS else "failed"
            return RetryableFailure(
                f"The model server {why} ({status}).", after_seconds=_retry_after(error.response.headers)
            )
        return _find_overrun(f"{error.code} {text}") or RequestRejected(status, message=text)

    def _redact_message(self, text: str) -> str:
        key = self._server.api_key
        text = text.replace(key, "[key]") if key else text
        return _A_KEY.sub("[key]", MaskedText(text))[:MAX_MESSAGE_CHARACTERS]


def _bypass_validation(request: Mapping[str, Any]) -> dict[str, Any]:
    """Pass the request around the library's validation, which takes 10 ms for twenty tools."""
    return {"model": request["model"], "messages": [], "extra_body": request}


def _find_overrun(text: str) -> ModelFailure | None:
    if _OVERRUN.search(text):
        return ContextOverrun("The conversation is longer than the model can read.")
    return None


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Return how many seconds the server asks to wait; a date counts from the response's own."""
    with suppress(KeyError, ValueError):
        return float(headers["retry-after-ms"]) / 1000
    with suppress(KeyError, ValueError):
        return float(headers["retry-after"])
    with suppress(KeyError, ValueError):
        until, now = (parsedate_to_datetime(headers[name]) for name in ("retry-after", "date"))
        return (until - now).total_seconds()
    return None


class ChatModel:
    """One model of one server. What both can do is learned from refusals, and remembered."""

    def __init__(self, name: str, *, server: ModelServer, tool_mode: ToolMode = "auto") -> None:
        self.name = name
        self.capabilities = ModelCapabilities(mode=tool_mode)
        self._retries = server.retries
        self._client = OpenAIClient(server)

    def estimate_tokens(self, messages: Sequence[Message], *, tools: Sequence[Tool] = ()) -> int:
        """Estimate what a step reads; see Model."""
        return estimate_tokens(make_step_request(messages, tools=tools, capabilities=self.capabilities))

    async def turn(
        self, messages: Sequence[Message], *, tools: Sequence[Tool] = (), max_tokens: int | None = None
    ) -> AsyncGenerator[ModelEvent, None]:
        """Run one step; see Model."""
        failed, before = 0, _NOTHING_USED
        while True:
            asked, used, has_begun = replace(self.capabilities), _NOTHING_USED, False
            try:
                async with aclosing(self._stream_step(messages, tools=tools, max_tokens=max_tokens)) as events:
                    async for event in events:
                        if isinstance(event, Used):
                            has_begun, used = used is not _NOTHING_USED, event
                        yield before + event if isinstance(event, Used) else event
            except RequestRejected as declined:
                yield before
                self._learn(declined, asked=asked, with_tools=bool(tools))
            except ModelFailure:
                if not has_begun:
                    yield before
                raise
            except RetryableFailure as again:
                failed += 1
                before += used if has_begun or again.is_silence else _NOTHING_USED
                yield before
                pause = self._retry_delay(again, failed=failed)
                yield RetryNotice(reason=again.reason, delay_seconds=pause, attempt=failed + 1)
                await asyncio.sleep(pause)
            else:
                return

    async def complete_structured(
        self, messages: Sequence[Message], *, schema: type[Shape], deadline_seconds: float
    ) -> Shape:
        """Return an answer of a shape; see Model."""
        try:
            async with asyncio.timeout(deadline_seconds):
                return await self._ask_structured(messages, schema=schema)
        except TimeoutError as late:
            raise ModelUnavailable(f"The model did not answer within {deadline_seconds:g} s.") from late

    async def _stream_step(
        self, messages: Sequence[Message], *, tools: Sequence[Tool], max_tokens: int | None
    ) -> AsyncGenerator[ModelEvent, None]:
        request = make_step_request(messages, tools=tools, capabilities=self.capabilities, max_tokens=max_tokens)
        prompt_tokens = estimate_tokens(request)
        yield Used(prompt_tokens=prompt_tokens, completion_tokens=0, is_estimated=True)
        is_json, is_native = "response_format" in request, "tools" in request
        taken = (call.id for message in messages for call in message.calls)
        step = StreamedStep(
            tools=tools, prompt_tokens=prompt_tokens, max_tokens=max_tokens, used_ids=taken,
            text=StreamedJsonAnswer() if is_json else None, may_name_unknown=not is_native,
        )  # fmt: skip
        try:
            async with aclosing(self._client.stream(request | {"model": self.name})) as chunks:
                async for chunk in chunks:
                    for event in step.take(chunk):
                        yield event
                    if step.is_cut:
                        break
            for event in step.end():
                yield event
        except RetryableFailure:
            if step.has_begun:
                yield step.estimate()
            raise
        if step.made_calls and is_native:
            self.capabilities.record_call(is_written=step.wrote_its_call)

    async def _ask_structured(self, messages: Sequence[Message], *, schema: type[Shape]) -> Shape:
        text = await self._ask_for_text(messages, schema=schema)
        try:
            return _parse_shape(text, schema=schema)
        except ValueError as unfit:
            told = Message.user(
                f"That does not fit: {_describe_problems(unfit)}. Answer again, with JSON and nothing else."
            )
            text = await self._ask_for_text([*messages, Message.assistant(text), told], schema=schema)
        try:
            return _parse_shape(text, schema=schema)
        except ValueError as unfit:
            raise ModelMisbehaved(
                f"The model's answer was not of the form asked for, twice: {_describe_problems(unfit)}."
            ) from unfit

    async def _ask_for_text(self, messages: Sequence[Message], *, schema: type[Shape]) -> str:
        failed = 0
        while True:
            form = self.capabilities.schema
            request: Request = make_structured_request(messages, schema=schema, form=form)
            try:
                return await self._client.complete(request | {"model": self.name})
            except RequestRejected as declined:
                if not self.capabilities.downgrade_schema_form(asked=form):
                    raise _make_unavailable(declined) from declined
            except RetryableFailure as again:
                failed += 1
                await asyncio.sleep(self._retry_delay(again, failed=failed))

    def _learn(self, declined: RequestRejected, *, asked: ModelCapabilities, with_tools: bool) -> None:
        """Switch to a weaker form of the request, or raise ModelUnavailable."""
        if not self.capabilities.learn(declined, asked=asked, with_tools=with_tools):
            raise _make_unavailable(declined) from declined
        logger.info("%s: %s; tools by %s from now on", self.name, declined.message, self.capabilities.tools)

    def _retry_delay(self, again: RetryableFailure, *, failed: int) -> float:
        """Return the seconds to wait, as the server asked or growing; raises the failure after the last retry."""
        if failed > self._retries:
            times = f" It was asked {failed} times." if failed > 1 else ""
            raise again.failure(again.reason + times) from again
        if again.after_seconds is not None:
            if again.after_seconds > MAX_RETRY_AFTER_SECONDS:
                raise again.failure(f"{again.reason} It wants {again.after_seconds:.0f} s of rest.") from again
            return max(again.after_seconds, 0.0)
        longest: float = min(MAX_RETRY_SECONDS, FIRST_RETRY_SECONDS * 2 ** (failed - 1))
        return longest * random.uniform(0.75, 1)  # noqa: S311 - spreads the retries of many runs, hides nothing


def _make_unavailable(declined: RequestRejected) -> ModelUnavailable:
    return ModelUnavailable(f"The model server refuses the request ({declined.status}): {declined.message}")


def _parse_shape(text: str, *, schema: type[Shape]) -> Shape:
    """Parse an object of the shape from a text; raises ValueError."""
    found = parse_object(text)
    if found is None:
        raise ValueError("there is no JSON object in it")
    return schema.model_validate(found)


def _describe_problems(unfit: ValueError) -> str:
    if not isinstance(unfit, ValidationError):
        return str(unfit)
    told = unfit.errors(include_url=False, include_context=False)[:_MAX_PROBLEMS]
    return "; ".join(f"{'.'.join(map(str, problem['loc'])) or 'the object'}: {problem['msg']}" for problem in told)
