"""A model behind a server that speaks OpenAI's Chat Completions."""

import asyncio
import logging
import random
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace

from pydantic import ValidationError

from toolbox.contract.tool import Tool
from toolbox.model.capabilities import Abilities, ToolMode
from toolbox.model.chunks import JsonText, Step
from toolbox.model.events import ModelEvent, Retrying
from toolbox.model.failures import AskAgain, Declined, ModelMisbehaved, ModelUnavailable
from toolbox.model.messages import Message
from toolbox.model.openai_client import ModelServer, Wire
from toolbox.model.protocol import Shape
from toolbox.model.requests import Request, characters, shape_request, step_request
from toolbox.model.text_calls import written_object

logger = logging.getLogger(__name__)

FIRST_PAUSE_SECONDS, MAX_PAUSE_SECONDS = 0.5, 8.0
MAX_ASKED_SECONDS = 60.0
"""A server that wants a longer pause than this is not waited for."""
_MAX_PROBLEMS = 5


class ChatModel:
    """One model of one server. What server and model can do is found out once, and kept."""

    def __init__(self, name: str, *, server: ModelServer, tool_mode: ToolMode = "auto") -> None:
        self.name = name
        self.abilities = Abilities(mode=tool_mode)
        self._retries = server.retries
        self._wire = Wire(server)

    async def turn(
        self, messages: Sequence[Message], *, tools: Sequence[Tool] = ()
    ) -> AsyncGenerator[ModelEvent, None]:
        """Take one step; see Model."""
        failed = 0
        while True:
            asked = replace(self.abilities)
            try:
                async with aclosing(self._once(messages, tools=tools)) as events:
                    async for event in events:
                        yield event
            except Declined as declined:
                self._learn(declined, asked=asked, with_tools=bool(tools))
            except AskAgain as again:
                failed += 1
                pause = self._pause(again, failed=failed)
                yield Retrying(reason=again.reason, delay_seconds=pause, attempt=failed + 1)
                await asyncio.sleep(pause)
            else:
                return

    async def structured(self, messages: Sequence[Message], *, schema: type[Shape], deadline_seconds: float) -> Shape:
        """Give an answer of a shape; see Model."""
        try:
            async with asyncio.timeout(deadline_seconds):
                return await self._fitting(messages, schema=schema)
        except TimeoutError as late:
            raise ModelUnavailable(f"The model did not answer within {deadline_seconds:g} s.") from late

    async def _once(self, messages: Sequence[Message], *, tools: Sequence[Tool]) -> AsyncGenerator[ModelEvent, None]:
        request = step_request(messages, tools=tools, abilities=self.abilities)
        is_json, is_native = "response_format" in request, "tools" in request
        taken = (call.id for message in messages for call in message.calls)
        step = Step(tools=tools, taken_ids=taken, text=JsonText() if is_json else None, was_told=not is_native)
        async with aclosing(self._wire.stream(request | {"model": self.name})) as chunks:
            async for chunk in chunks:
                for event in step.take(chunk):
                    yield event
        for event in step.end(prompt_characters=characters(request)):
            yield event
        if step.made_calls and is_native:
            self.abilities.saw_call(is_written=step.wrote_its_call)

    async def _fitting(self, messages: Sequence[Message], *, schema: type[Shape]) -> Shape:
        said = await self._said(messages, schema=schema)
        try:
            return _read(said, schema=schema)
        except ValueError as unfit:
            told = Message.user(f"That does not fit: {_problems(unfit)}. Answer again, with JSON and nothing else.")
            said = await self._said([*messages, Message.assistant(said), told], schema=schema)
        try:
            return _read(said, schema=schema)
        except ValueError as unfit:
            raise ModelMisbehaved(
                f"The model's answer was not of the form asked for, twice: {_problems(unfit)}."
            ) from unfit

    async def _said(self, messages: Sequence[Message], *, schema: type[Shape]) -> str:
        failed = 0
        while True:
            form = self.abilities.schema
            request: Request = shape_request(messages, schema=schema, form=form)
            try:
                return await self._wire.whole(request | {"model": self.name})
            except Declined as declined:
                if not self.abilities.learn_shape(asked=form):
                    raise _declined(declined) from declined
            except AskAgain as again:
                failed += 1
                await asyncio.sleep(self._pause(again, failed=failed))

    def _learn(self, declined: Declined, *, asked: Abilities, with_tools: bool) -> None:
        """Go on with a weaker form of the request, or raise ModelUnavailable."""
        if not self.abilities.learn(declined, asked=asked, with_tools=with_tools):
            raise _declined(declined) from declined
        logger.info("%s: %s; tools by %s from now on", self.name, declined.said, self.abilities.tools)

    def _pause(self, again: AskAgain, *, failed: int) -> float:
        """Give the seconds to wait, what the server asked for or ever longer; raises the failure where that is over."""
        if failed > self._retries:
            times = f" It was asked {failed} times." if failed > 1 else ""
            raise again.failure(again.reason + times) from again
        if again.after_seconds is not None:
            if again.after_seconds > MAX_ASKED_SECONDS:
                raise again.failure(f"{again.reason} It wants {again.after_seconds:.0f} s of rest.") from again
            return max(again.after_seconds, 0.0)
        longest: float = min(MAX_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** (failed - 1))
        return longest * random.uniform(0.75, 1)  # noqa: S311 - keeps many runs from asking in step, hides nothing


def _declined(declined: Declined) -> ModelUnavailable:
    return ModelUnavailable(f"The model server refuses the request ({declined.status}): {declined.said}")


def _read(said: str, *, schema: type[Shape]) -> Shape:
    """Read an object of the shape out of a text; raises ValueError."""
    found = written_object(said)
    if found is None:
        raise ValueError("there is no JSON object in it")
    return schema.model_validate(found)


def _problems(unfit: ValueError) -> str:
    if not isinstance(unfit, ValidationError):
        return str(unfit)
    told = unfit.errors(include_url=False, include_context=False)[:_MAX_PROBLEMS]
    return "; ".join(f"{'.'.join(map(str, problem['loc'])) or 'the object'}: {problem['msg']}" for problem in told)
