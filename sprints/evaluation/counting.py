"""A model wrapper that counts tokens. Without a count of the server, four characters are one token."""

from collections.abc import Sequence
from typing import Any

from toolbox.model import Message, Model

CHARACTERS_A_TOKEN = 4


class CountingModel:
    """Wraps a model and adds up the tokens of its input and output."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._characters = 0
        self.name = getattr(model, "name", "model")

    def tokens(self) -> int:
        """Return the estimated tokens so far."""
        return self._characters // CHARACTERS_A_TOKEN

    def estimate_tokens(self, messages: Sequence[Message], *, tools: Sequence[Any] = ()) -> int:
        """Estimate what a step reads; see Model."""
        return self._model.estimate_tokens(messages, tools=tools)

    def turn(self, messages: Sequence[Message], *, tools: Sequence[Any] = (), max_tokens: int | None = None) -> Any:
        """Take one step without counting it."""
        return self._model.turn(messages, tools=tools, max_tokens=max_tokens)

    async def complete_structured(
        self, messages: Sequence[Message], *, schema: type[Any], deadline_seconds: float
    ) -> Any:
        """Ask for a shape; see Model."""
        self._characters += sum(len(message.text) for message in messages)
        given = await self._model.complete_structured(messages, schema=schema, deadline_seconds=deadline_seconds)
        self._characters += len(given.model_dump_json())
        return given
