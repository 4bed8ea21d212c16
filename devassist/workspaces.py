"""Known workspaces and who may use them, cached for 4 s, so that a change in the admin needs no restart."""

import asyncio
from dataclasses import dataclass

from devassist import refusals
from devassist.error_envelope import FILE_NOT_FOUND
from devassist.files.safe_open import open_file
from devassist.queries import workspaces as queries
from toolbox.contract.caller import Caller
from toolbox.contract.client_channel import ClientChannel
from toolbox.contract.errors import ToolError
from toolbox.database.caches import TtlCache
from toolbox.database.pools import owner_pool


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownWorkspace:
    """A row of Workspace, with the keys chosen for it and their owners."""

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
        Return whether the caller may read it.

        A conversation has no key, and a client that a person allowed is the person's, so any of the owner's counts. Who
        is neither runs this machine and sees all.
        """
        if self.is_open or (caller.key_id is None and caller.owner_id is None):
            return True
        if caller.key_id is not None and not caller.issuer:
            return caller.key_id in self.key_ids
        return caller.key_id in self.key_ids or caller.owner_id in self.owner_ids


_known: TtlCache[list[KnownWorkspace]] = TtlCache()


async def workspaces() -> list[KnownWorkspace]:
    """Return every workspace by name. Runs one statement in 4 s."""
    return await _known.get("all", _read)


async def workspaces_of(caller: Caller) -> list[KnownWorkspace]:
    """Return the workspaces that the caller sees, by name."""
    return [workspace for workspace in await workspaces() if workspace.is_seen_by(caller)]


async def readable_workspaces(caller: Caller, *, named: str | None) -> list[KnownWorkspace]:
    """Return the named workspace, else every one that the caller sees. Raises ToolError as workspace_for does."""
    if named is not None:
        return [await workspace_for(caller, named=named)]
    seen = await workspaces_of(caller)
    if not seen:
        raise refusals.no_workspace()
    return sorted(seen, key=lambda workspace: workspace.name)


async def workspace_for(caller: Caller, *, named: str | None) -> KnownWorkspace:
    """
    Return the workspace of a call, if the caller sees it.

    The named one; else the key's own default; else the default of all; else the only one. Raises ToolError
    UNKNOWN_WORKSPACE, in the same words for one of others and one that is not there, and PERMISSION_DENIED for a
    default that the key does not see.
    """
    seen = {workspace.name: workspace for workspace in await workspaces_of(caller)}
    if named is not None:
        if named not in seen:
            raise refusals.unknown_workspace(named, usable=seen)
        return seen[named]
    if caller.default_workspace:
        if caller.default_workspace not in seen:
            raise refusals.lost_default(caller.default_workspace)
        return seen[caller.default_workspace]
    if chosen := _usual(seen):
        return chosen
    raise refusals.no_default(usable=seen)


async def workspace_of_file(client: ClientChannel, *, path: str, named: str | None) -> KnownWorkspace:
    """
    Return the workspace of a call about a file, if the caller sees it.

    As workspace_for; where that is not clear, the only one that has the file, else the one that a person picks. Raises
    ToolError: UNKNOWN_WORKSPACE only for a name that was given, else codes of the contract.
    """
    if named is not None or client.caller.default_workspace:
        return await workspace_for(client.caller, named=named)
    seen = {workspace.name: workspace for workspace in await workspaces_of(client.caller)}
    if not seen:
        raise refusals.no_workspace()
    if chosen := _usual(seen):
        return chosen
    holders = await asyncio.to_thread(_holders, path, known=list(seen.values()))
    if len(holders) == 1:
        return holders[0]
    if not holders:
        raise refusals.in_no_workspace(path, usable=seen)
    names = [workspace.name for workspace in holders]
    picked = await client.pick("workspace", message=f"Which workspace's {path[:200]} is meant?", options=names)
    if picked is None:
        raise refusals.in_several_workspaces(path, names=names)
    return seen[picked]


def _holders(path: str, *, known: list[KnownWorkspace]) -> list[KnownWorkspace]:
    """Return the workspaces that have the file: those that open it, else those that refuse it. Raises ToolError."""
    opens, refuses = [], []
    refusal: ToolError | None = None
    for workspace in known:
        try:
            with open_file(path, root=workspace.root, shows_secrets=workspace.shows_secrets):
                opens.append(workspace)
        except ToolError as error:
            if error.code != FILE_NOT_FOUND:
                refuses.append(workspace)
                refusal = error
    if refusal and not opens and len(refuses) > 1:
        raise refusal
    return opens or refuses


def _usual(seen: dict[str, KnownWorkspace]) -> KnownWorkspace | None:
    chosen = [workspace for workspace in seen.values() if workspace.is_default] or list(seen.values())
    return chosen[0] if len(chosen) == 1 else None


async def _read() -> list[KnownWorkspace]:
    rows = await queries.fetch_workspaces(owner_pool=owner_pool)
    return [KnownWorkspace(**row | {name: frozenset(row[name]) for name in ("key_ids", "owner_ids")}) for row in rows]
