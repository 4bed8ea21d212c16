"""MCP resources of this domain: root causes and workspace files, with completions, each for those who may see it."""

import asyncio
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Annotated

from devassist import resource_queries
from devassist.contracts.vector_search_db import UNVALIDATED
from devassist.entries.root_cause import Entry
from devassist.slots import files_of
from devassist.tools import toolkit
from devassist.workspace_files import text_of
from devassist.workspaces import workspace_for, workspaces_of
from toolbox.contract.client_channel import ClientChannel
from toolbox.contract.encoding import encode
from toolbox.contract.resources import CompletionRequest

ROOT_CAUSE = "devassist://root-causes/{entry}"
FILE = "devassist://workspaces/{workspace}/files/{path}"
JSON = "application/json"
KEEP_SECONDS = 60.0
MAX_VALUES = 101


async def _entries(typed: CompletionRequest) -> list[str]:
    return await resource_queries.entries(typed.text)


async def _workspaces(typed: CompletionRequest) -> list[str]:
    return _filter_by_start(typed.text, names=[workspace.name for workspace in await workspaces_of(typed.caller)])


async def _files(typed: CompletionRequest) -> list[str]:
    workspace = await workspace_for(typed.caller, named=typed.chosen.get("workspace") or None)
    return _filter_by_start(typed.text, names=await files_of(workspace))


toolkit.completers.update(root_cause=_entries, workspace=_workspaces, file=_files)


@toolkit.resource(
    ROOT_CAUSE, title="A past root cause", mime_type=JSON, ttl_seconds=KEEP_SECONDS, completes={"entry": _entries}
)
async def root_cause(entry: Annotated[str, "The entry's id, as vector_search_db gives it."]) -> str | None:
    """Show one past error whole: how it was met, why it happened, what fixed it, and whether a person stands by it."""
    row = await resource_queries.entry(entry)
    if row is None:
        return None
    warning = {} if row["status"] == "validated" else {"unvalidated": UNVALIDATED}
    return encode(warning | Entry(**row).as_json()).decode()


@toolkit.resource(
    FILE, title="A file of a workspace", ttl_seconds=0, completes={"workspace": _workspaces, "path": _files}
)
async def workspace_file(
    *,
    workspace: Annotated[str, "The workspace's name."],
    path: Annotated[str, "The file's path from the workspace's root, its slashes written %2F."],
    client: ClientChannel,
) -> str:
    """Give a text file of a workspace whole; read_file gives a range of lines of a larger one."""
    known = await workspace_for(client.caller, named=workspace)
    return await asyncio.to_thread(text_of, path, workspace=known)


def _filter_by_start(typed: str, *, names: Iterable[str]) -> list[str]:
    """Return those that begin with a text. A path also matches by its file name."""
    wanted = typed.lower()
    found = [name for name in names if name.lower().startswith(wanted)]
    by_file = [name for name in names if PurePosixPath(name).name.lower().startswith(wanted)]
    return list(dict.fromkeys((*found, *by_file)))[:MAX_VALUES]
