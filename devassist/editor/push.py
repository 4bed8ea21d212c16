"""What is kept of an editor's state that was pushed."""

import asyncio

from devassist.editor import queries
from devassist.editor.state import MAX_PUSH, read_state
from devassist.error_envelope import TOO_LARGE
from toolbox.contract.errors import UNAUTHENTICATED, Refusal, ToolError
from toolbox.database.pools import writer


async def push(body: bytes | None, *, owner_id: int, seconds: int) -> object:
    """Keep what is sent in place of what was; raises ToolError and DatabaseUnavailable."""
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
    """Forget what is kept of a user, or of one window of theirs; raises DatabaseUnavailable."""
    await queries.clear(owner_id, window=window, writer=writer)
    return {"success": True, "data": {"kept": [], "seconds": 0}}
