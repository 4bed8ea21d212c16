"""The drill's tools: one reads, one writes; both write a line to the journal and wait while it is held."""

import asyncio

from pydantic import Field

from config.drill.journal import Journal
from config.drill.settings import TOOLROOM_DRILL_FOLDER
from toolbox.contract.models import ToolInput, ToolOutput
from toolbox.contract.tool import Toolkit

toolkit = Toolkit(domain="drill", summary="What a drill calls, and nobody else.")
_LOOK_SECONDS = 0.1
_DEADLINE_SECONDS = 120.0


class Mark(ToolInput):
    """What the drill knows the call by."""

    token: str = Field(max_length=200, description="The drill's name for the call.")
    waits: bool = Field(default=False, description="Whether the call waits while the drill holds calls.")


_EXAMPLE = Mark(token="example")  # noqa: S106 - a name


class MarkAnswer(ToolOutput):
    """The call is in the journal."""

    token: str = Field(description="The same name.")


@toolkit.tool(example=_EXAMPLE, queries=0, deadline_seconds=_DEADLINE_SECONDS)
async def drill_read(ask: Mark) -> MarkAnswer:
    """Note in the drill's journal that something was read; changes nothing else."""
    return await _note("read", ask=ask)


@toolkit.tool(example=_EXAMPLE, queries=0, writes=True, deadline_seconds=_DEADLINE_SECONDS)
async def drill_write(ask: Mark) -> MarkAnswer:
    """Note in the drill's journal that something was written; a second line for one token is a violation."""
    return await _note("write", ask=ask)


async def _note(verb: str, *, ask: Mark) -> MarkAnswer:
    journal = Journal(TOOLROOM_DRILL_FOLDER)
    await asyncio.to_thread(journal.note, f"{verb} {ask.token}")
    while ask.waits and await asyncio.to_thread(lambda: journal.is_held):  # noqa: ASYNC110 - another process releases it
        await asyncio.sleep(_LOOK_SECONDS)
    return MarkAnswer(token=ask.token)
