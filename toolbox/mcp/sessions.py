"""
Sessions of the 2025 protocols, kept by the client: the id is a signed token of the declared capabilities.

So no process holds a session, and any process serves it. Later changes are stored in a row: the lowest log level, and
the resources that the client watches.
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
MAX_SESSION_SECONDS = 7 * 86_400
DEFAULT_LOG_LEVEL = "info"
_PURPOSE = "mcp-session"
_KNOWN_CAPABILITIES = ("elicitation", "sampling", "roots")
_READ = "SELECT log_level, watched FROM toolbox_mcp_sessions WHERE id = %s"
_SET_LOG_LEVEL = """
INSERT INTO toolbox_mcp_sessions (id, log_level, watched, changed_at) VALUES (%s, %s, '{}', now())
ON CONFLICT (id) DO UPDATE SET log_level = excluded.log_level, changed_at = now()
"""
_SUBSCRIBE = """
INSERT INTO toolbox_mcp_sessions AS kept (id, log_level, watched, changed_at)
VALUES (%s, 'info', ARRAY[%s], now())
ON CONFLICT (id) DO UPDATE SET changed_at = now(),
  watched = array_remove(kept.watched, excluded.watched[1]) || excluded.watched
  WHERE cardinality(kept.watched) < 100
"""
_UNSUBSCRIBE = "UPDATE toolbox_mcp_sessions SET watched = array_remove(watched, %s), changed_at = now() WHERE id = %s"
_DELETE_EXPIRED = "DELETE FROM toolbox_mcp_sessions WHERE changed_at < now() - make_interval(secs => %s)"

_log_levels: TtlCache[str] = TtlCache()


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A client's capabilities from `initialize`, and the row of what it changed since."""

    id: str
    capabilities: dict[str, Any]

    async def read_log_level(self) -> str:
        """Return the lowest level of messages that the client wants; at most one query in 4 s."""
        return await _log_levels.get(self.id, self._fetch_log_level)

    async def set_log_level(self, level: str) -> None:
        """Store the level for every process; one statement. Other processes see it within 4 s."""
        await self._execute(_SET_LOG_LEVEL, [self._row_id, level])
        _log_levels.clear()

    async def subscribe(self, uri: str) -> None:
        """Watch a resource: send its changes on the session's stream; one statement, at most 100 resources."""
        await self._execute(_SUBSCRIBE, [self._row_id, uri])

    async def unsubscribe(self, uri: str) -> None:
        """Stop watching a resource; one statement."""
        await self._execute(_UNSUBSCRIBE, [uri, self._row_id])

    async def watches(self, uri: str) -> bool:
        """Return whether the session watches the resource; one query."""
        found = await owner_pool.fetch(_READ, [self._row_id])
        return bool(found.rows) and uri in found.rows[0]["watched"]

    async def _fetch_log_level(self) -> str:
        found = await owner_pool.fetch(_READ, [self._row_id])
        return str(found.rows[0]["log_level"]) if found.rows else DEFAULT_LOG_LEVEL

    @property
    def _row_id(self) -> str:
        return hashlib.sha256(self.id.encode()).hexdigest()

    async def _execute(self, statement: str, values: list[str]) -> None:
        await writer.run(lambda connection: connection.execute(statement, values))


def create_session_id(declared: Any, *, caller: Caller) -> str:
    """Create the id of a new session; capabilities that no tool uses are left out."""
    declared = declared if isinstance(declared, dict) else {}
    capabilities: dict[str, Any] = {}
    for name in _KNOWN_CAPABILITIES:
        if name in declared:
            modes = declared[name] if isinstance(declared[name], dict) else {}
            capabilities[name] = {mode: {} for mode in ("form", "url") if mode in modes}
    token = {"c": capabilities, "who": [caller.name, caller.key_id], "n": secrets.token_hex(8)}
    return sign_token(token, purpose=_PURPOSE)


def find_session(session_id: str, *, caller: Caller) -> Session | None:
    """Return the session of this id; None if it is another caller's, forged or expired."""
    token = read_token(session_id, purpose=_PURPOSE, seconds=MAX_SESSION_SECONDS)
    if not isinstance(token, dict) or token.get("who") != [caller.name, caller.key_id]:
        return None
    return Session(id=session_id, capabilities=token["c"])


async def forget_old() -> None:
    """Delete the rows of expired sessions."""
    await writer.run(lambda connection: connection.execute(_DELETE_EXPIRED, [MAX_SESSION_SECONDS]))
