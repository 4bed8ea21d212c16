"""The wire to a model server: one client a loop, and the openai library's errors in our words."""

import asyncio
import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any
from weakref import WeakKeyDictionary

import openai
from openai import AsyncOpenAI

from toolbox.database import event_loop
from toolbox.model.failures import AskAgain, ContextOverrun, Declined, ModelFailure, ModelMisbehaved, ModelUnavailable
from toolbox.text.redaction import redact

MAX_SAID = 300
_NO_KEY = "none"
_PASSING = (408, 409, 425, HTTPStatus.TOO_MANY_REQUESTS)
_OVERRUN = re.compile(
    r"context[_ ](length|window|size)|maximum context|too many tokens|prompt is too long|exceeds? the (\w+ )?context",
    re.I,
)
_A_KEY = re.compile(r"\b(sk|pk|gsk|key|hf|xai)[-_][A-Za-z0-9*_.-]{6,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelServer:
    """A server that speaks OpenAI's Chat Completions, and how patiently it is asked."""

    base_url: str
    api_key: str = field(repr=False)
    connect_seconds: float = 5.0
    silence_seconds: float = 120.0
    retries: int = 3


class Wire:
    """Requests to one server. Connections belong to the loop that asks, and go when the home closes."""

    def __init__(self, server: ModelServer) -> None:
        self._server = server
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncOpenAI] = WeakKeyDictionary()
        event_loop.on_shutdown(self.close)

    async def stream(self, request: Mapping[str, Any]) -> AsyncGenerator[Any, None]:
        """Give the chunks of a streamed answer; raises AskAgain, Declined and ModelFailure."""
        try:
            stream = await self._client().chat.completions.create(**_untyped(request), stream=True)
            async with aclosing(stream):
                async for chunk in stream:
                    yield chunk
        except (openai.OpenAIError, ValueError) as error:
            raise self._translated(error) from None  # its words may hold the key

    async def whole(self, request: Mapping[str, Any]) -> str:
        """Give the text of an answer that is not streamed; raises as `stream` does."""
        try:
            answer = await self._client().chat.completions.create(**_untyped(request))
        except (openai.OpenAIError, ValueError) as error:
            raise self._translated(error) from None  # its words may hold the key
        choices = getattr(answer, "choices", None)
        if not choices:
            raise AskAgain("The model server answered nothing.", failure=ModelMisbehaved)
        return choices[0].message.content or ""

    async def close(self) -> None:
        """Let go of this loop's connections."""
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
                max_retries=0,  # retried by whoever asks, who can say so meanwhile
            )
        return self._clients[loop]

    def _translated(self, error: openai.OpenAIError | ValueError) -> Exception:
        """Put a failure in our words; what the server said is shown only where it cannot hold the key."""
        match error:
            case openai.APITimeoutError():
                return AskAgain(f"The model server said nothing for {self._server.silence_seconds:g} s.")
            case openai.APIConnectionError():
                return AskAgain("The model server cannot be reached, or broke the connection off.")
            case openai.APIStatusError():
                return self._of_status(error)
            case openai.APIError():
                said = self._harmless(error.message)
                return _overrun(said) or AskAgain(f"The model server failed while it answered: {said}")
        return AskAgain("The model server sent something that is not JSON.", failure=ModelMisbehaved)

    def _of_status(self, error: openai.APIStatusError) -> Exception:
        status, said = error.status_code, self._harmless(error.message)
        if status in (401, 403):
            return ModelUnavailable(f"The model server refuses the key ({status}); see OPENAI_API_KEY.")
        if error.code == "insufficient_quota":
            return ModelUnavailable("The model server says that the account's quota is used up (429).")
        if status in _PASSING or (status >= HTTPStatus.INTERNAL_SERVER_ERROR and not is_about_tools(said)):
            why = "asks for a pause" if status == HTTPStatus.TOO_MANY_REQUESTS else "failed"
            return AskAgain(f"The model server {why} ({status}).", after_seconds=_retry_after(error.response.headers))
        return _overrun(f"{error.code} {said}") or Declined(status, said=said)

    def _harmless(self, said: str) -> str:
        key = self._server.api_key
        said = said.replace(key, "[key]") if key else said
        return _A_KEY.sub("[key]", redact(said))[:MAX_SAID]


def _untyped(request: Mapping[str, Any]) -> dict[str, Any]:
    """Put the request past the library, which would hold every part of it to its types: 10 ms for twenty tools."""
    return {"model": request["model"], "messages": [], "extra_body": request}


def is_about_tools(said: str) -> bool:
    """Tell whether a server's words refuse tools: Ollama, vLLM, llama.cpp and routers each say it their way."""
    return bool(re.search(r"\btool|function.?call", said, re.I))


def _overrun(said: str) -> ModelFailure | None:
    if _OVERRUN.search(said):
        return ContextOverrun("The conversation is longer than the model can read.")
    return None


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Read how long the server wants to be left alone; a date counts from the answer's own."""
    with suppress(KeyError, ValueError):
        return float(headers["retry-after-ms"]) / 1000
    with suppress(KeyError, ValueError):
        return float(headers["retry-after"])
    with suppress(KeyError, ValueError):
        until, now = (parsedate_to_datetime(headers[name]) for name in ("retry-after", "date"))
        return (until - now).total_seconds()
    return None
