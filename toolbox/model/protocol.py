"""What every provider of answers can do, be it a server's model or the curated examples."""

from collections.abc import AsyncGenerator, Sequence
from typing import Protocol, TypeVar

from pydantic import BaseModel

from toolbox.contract.tool import Tool
from toolbox.model.events import ModelEvent
from toolbox.model.messages import Message

Shape = TypeVar("Shape", bound=BaseModel)


class Model(Protocol):
    """Something that takes the next step of a conversation."""

    @property
    def name(self) -> str:
        """The model's name, as a person may see it."""
        ...

    def turn(self, messages: Sequence[Message], *, tools: Sequence[Tool] = ()) -> AsyncGenerator[ModelEvent, None]:
        """
        Take one step: events as they come, Finished last.

        Raises a ModelFailure. The wire is let go of when the iteration ends or is cancelled, whichever comes first;
        close an iterator that is left early (`contextlib.aclosing`). Waiting for the server is bounded by
        AGENT_MODEL_SILENCE_SECONDS between two pieces, not in whole: put `asyncio.timeout` around it.
        """
        ...

    async def structured(self, messages: Sequence[Message], *, schema: type[Shape], deadline_seconds: float) -> Shape:
        """
        Give an answer of the given shape, for domains: one question, no tools, nothing streamed.

        An answer that does not fit is sent back once with what is wrong. Raises a ModelFailure, ModelUnavailable
        also when the deadline passes.
        """
        ...
