"""
Sessions of the 2025 protocols, kept by the client: the id is the sealed account of what it declared.

So no process holds a session, and any process serves it. What changes later is a row: the least level of log messages,
and the documents whose changes the client wants to hear of.
"""

import hashlib
import secrets
from dataclasses import dataclass
from typing import Any

from toolbox.access.signed_tokens import read_token, sign_token
from toolbox.contract.caller import Caller
from toolbox.database.caches import TtlCache
from toolbox.database.pools import owner_pool, writer

HEADER = b"mcp-session-id"
SESSION_SECONDS = 7 * 86_400
USUAL_LOG_LEVEL = "info"
_PURPOSE = "mcp-session"
_KNOWN = ("elicitation", "sampling", "roots")
_READ = "SELECT log_level, watched FROM toolbox_mcp_sessions WHERE id = %s"
_KEEP = """
INSERT INTO toolbox_mcp_sessions (id, log_level, watched, changed_at) VALUES (%s, %s, '{}', now())
ON CONFLICT (id) DO UPDATE SET log_level = excluded.log_level, changed_at = now()
"""
_WATCH = """
INSERT INTO toolbox_mcp_sessions AS kept (id, log_level, watched, changed_at)
VALUES (%s, 'info', ARRAY[%s], now())
ON CONFLICT (id) DO UPDATE SET changed_at = now(),
  watched = array_remove(kept.watched, excluded.watched[1]) || excluded.watched
  WHERE cardinality(kept.watched) < 100
"""
_UNWATCH = "UPDATE toolbox_mcp_sessions SET watched = array_remove(watched, %s), changed_at = now() WHERE id = %s"
_FORGET = "DELETE FROM toolbox_mcp_sessions WHERE changed_at < now() - make_interval(secs => %s)"

_levels: TtlCache[str] = TtlCache()


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """What a client said of itself when it came."""

    id: str
    capabilities: dict[str, Any]

    async def log_level(self) -> str:
        """Give the least level of messages that it wants; one query in 4 s."""
        return await _levels.get(self.id, self._read)

    async def keep_log_level(self, level: str) -> None:
        """Keep the level for every process; one statement. Those that looked just now see it within 4 s."""
        row = _row(self.id)
        await writer.run(lambda connection: connection.execute(_KEEP, [row, level]))
        _levels.clear()

    async def watch(self, uri: str) -> None:
        """Have changes of the document told on the session's stream; one statement, and no more than 100 documents."""
        row = _row(self.id)
        await writer.run(lambda connection: connection.execute(_WATCH, [row, uri]))

    async def unwatch(self, uri: str) -> None:
        """Tell of it no more; one statement."""
        row = _row(self.id)
        await writer.run(lambda connection: connection.execute(_UNWATCH, [uri, row]))

    async def watches(self, uri: str) -> bool:
        """Tell whether changes of the document are to be told; one query."""
        found = await owner_pool.fetch(_READ, [_row(self.id)])
        return bool(found.rows) and uri in found.rows[0]["watched"]

    async def _read(self) -> str:
        found = await owner_pool.fetch(_READ, [_row(self.id)])
        return str(found.rows[0]["log_level"]) if found.rows else USUAL_LOG_LEVEL


def begin(declared: Any, *, caller: Caller) -> str:
    """Make the id of a new session; what we never ask of a client is left out."""
    known = declared if isinstance(declared, dict) else {}
    capabilities: dict[str, Any] = {name: _modes(known[name]) for name in _KNOWN if name in known}
    return sign_token({"c": capabilities, "who": _who(caller), "n": secrets.token_hex(8)}, purpose=_PURPOSE)


def resume(session_id: str, *, caller: Caller) -> Session | None:
    """Give the session of this id; None for one that is another caller's, forged or too old."""
    kept = read_token(session_id, purpose=_PURPOSE, seconds=SESSION_SECONDS)
    if not isinstance(kept, dict) or kept.get("who") != _who(caller):
        return None
    return Session(id=session_id, capabilities=kept["c"])


def _modes(declared: Any) -> dict[str, Any]:
    """Keep in which ways it can be asked, as `form`."""
    return {name: {} for name in ("form", "url") if isinstance(declared, dict) and name in declared}


async def forget_old() -> None:
    """Delete what was kept of sessions that have ended."""
    await writer.run(lambda connection: connection.execute(_FORGET, [SESSION_SECONDS]))


def _who(caller: Caller) -> list[Any]:
    return [caller.name, caller.key_id]


def _row(session_id: str) -> str:
    return hashlib.sha256(session_id.encode()).hexdigest()
