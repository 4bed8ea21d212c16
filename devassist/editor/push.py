"""Storing of a pushed editor state."""

import asyncio

from devassist.editor import queries
from devassist.editor.state import MAX_PUSH, read_state
from devassist.error_envelope import TOO_LARGE
from toolbox.contract.errors import UNAUTHENTICATED, Refusal, ToolError
from toolbox.database.pools import writer


async def push(body: bytes | None, *, owner_id: int, seconds: int) -> object:
    """Replace the stored state. Raises ToolError and DatabaseUnavailable."""
    if body is None:
        raise ToolError(
            TOO_LARGE,
            f"The state is larger than {MAX_PUSH:,} bytes.",
            suggestion="Send the end of the terminal and fewer diagnostics.",
        )
    state = await asyncio.to_thread(read_state, body)
    parts = await asyncio.to_thread(state.parts)
    cleared = state.window.replace("\0", "") if state.clears_editor else None
    try:
        await queries.push(owner_id, parts=parts, cleared=cleared, seconds=seconds, writer=writer)
    except queries.OwnerIsGone as gone:
        raise Refusal(UNAUTHENTICATED, "The key's owner is gone.", suggestion="Use another key.") from gone
    return {"success": True, "data": {"kept": sorted(parts), "seconds": seconds}}


async def clear(owner_id: int, *, window: str | None = None) -> object:
    """Delete the state of a user, or of one of the user's windows. Raises DatabaseUnavailable."""
    await queries.clear(owner_id, window=window, writer=writer)
    return {"success": True, "data": {"kept": [], "seconds": 0}}
