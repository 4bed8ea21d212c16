"""Which workspace a call means, remembered for 4 s, so that a change in the admin needs no restart."""

from dataclasses import dataclass

from devassist import refusals
from devassist.queries import workspaces as queries
from toolbox.contract.caller import Caller
from toolbox.database.caches import TtlCache
from toolbox.database.pools import owner_pool


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownWorkspace:
    """A row of Workspace, with the keys chosen for it and the users whom they belong to."""

    id: int
    name: str
    root: str
    is_open: bool
    is_default: bool
    shows_secrets: bool
    key_ids: frozenset[int]
    owner_ids: frozenset[int]

    def is_seen_by(self, caller: Caller) -> bool:
        """
        Tell whether the caller may read it.

        A conversation has no key, and a client that a person let in is the person's, so any of the owner's counts. Who
        is neither runs this machine and sees all.
        """
        if self.is_open or (caller.key_id is None and caller.owner_id is None):
            return True
        if caller.key_id is not None and not caller.issuer:
            return caller.key_id in self.key_ids
        return caller.key_id in self.key_ids or caller.owner_id in self.owner_ids


_known: TtlCache[list[KnownWorkspace]] = TtlCache()


async def workspaces() -> list[KnownWorkspace]:
    """Give every workspace by name; one statement in 4 s."""
    return await _known.get("all", _read)


async def workspaces_of(caller: Caller) -> list[KnownWorkspace]:
    """Give the workspaces that the caller sees, by name."""
    return [workspace for workspace in await workspaces() if workspace.is_seen_by(caller)]


async def workspace_for(caller: Caller, *, named: str | None) -> KnownWorkspace:
    """
    Give the workspace that a call means, if the caller sees it.

    The named one; else the key's own default; else the default of all; else the only one. Raises ToolError
    UNKNOWN_WORKSPACE, in the same words for one of others and one that is not there.
    """
    seen = {workspace.name: workspace for workspace in await workspaces_of(caller)}
    if named is not None:
        if named not in seen:
            raise refusals.unknown_workspace(named, usable=seen)
        return seen[named]
    if caller.default_workspace:
        if caller.default_workspace not in seen:
            raise refusals.lost_default(caller.default_workspace, usable=seen)
        return seen[caller.default_workspace]
    return _meant(seen)


def _meant(seen: dict[str, KnownWorkspace]) -> KnownWorkspace:
    chosen = [workspace for workspace in seen.values() if workspace.is_default] or list(seen.values())
    if len(chosen) != 1:
        raise refusals.no_default(usable=seen)
    return chosen[0]


async def _read() -> list[KnownWorkspace]:
    rows = await queries.workspaces(ledger=owner_pool)
    return [KnownWorkspace(**row | {name: frozenset(row[name]) for name in ("key_ids", "owner_ids")}) for row in rows]
