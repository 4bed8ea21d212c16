"""Freshness of a workspace's graph. A stale graph is built here if it is small, else by a worker."""

import asyncio
import logging
import os
from dataclasses import dataclass
from functools import partial

from devassist import jobs
from devassist.code_graph import building, queries
from devassist.code_graph.facts import VERSION
from devassist.code_graph.queries import BuildRow
from devassist.files.sources import Sources
from toolbox.contract.errors import DatabaseUnavailable
from toolbox.database import event_loop

logger = logging.getLogger(__name__)

MAX_FILES_HERE = 400
"""The maximum source files of a graph that this process builds itself. More would slow down other calls."""
TELL_WORKERS_SECONDS = 10.0
_SHOWN = 5
_CUT = "The code graph left something out: there are more files, or more ways of values, than it follows."
_NOT_READ = "The code graph could not be read; calls through base types are missing. Ask again in a few seconds."


@dataclass(frozen=True, slots=True, kw_only=True)
class Freshness:
    """
    Whether the graph is current, and the reason why callers may be missing.

    `changed` are the files that it does not know as they are now; calls in the others can be used, but are not sure.
    None where it cannot be used at all.
    """

    is_current: bool
    reason: str = ""
    changed: frozenset[str] | None = None


_builds: dict[int, asyncio.Task[bool]] = {}
_told: dict[int, float] = {}


async def ensure_graph(workspace_id: int, *, root: str, shows_secrets: bool, seconds: float) -> Freshness:
    """Ensure that the graph is current, waiting at most some seconds."""
    try:
        found = await asyncio.to_thread(building.look, root)
        row = await queries.read_build(workspace_id)
        if row is not None and _is_current(row, found=found, root=root):
            return Freshness(is_current=True, reason=_CUT if row.is_cut else "")
        if len(found.files) > MAX_FILES_HERE:
            _tell_workers(workspace_id)
        else:
            work = partial(_build_here, workspace_id, root=root, shows_secrets=shows_secrets, seconds=seconds)
            is_done = await event_loop.run_on_loop(work)
            row = await queries.read_build(workspace_id)
            if row is not None and _is_current(row, found=found, root=root):
                return Freshness(is_current=True, reason=_CUT if row.is_cut else "")
            if is_done and row is None:  # a workspace without a row has no graph
                return Freshness(is_current=False)
        row = await queries.read_build(workspace_id)
        changed = await _find_changed(row, workspace_id=workspace_id, found=found, root=root)
        reason = describe_progress(row, files=len(found.files)) + _describe_changed(changed)
        return Freshness(is_current=False, reason=reason, changed=changed)
    except DatabaseUnavailable:
        return Freshness(is_current=False, reason=_NOT_READ)


def describe_progress(row: BuildRow | None, *, files: int) -> str:
    """Describe the progress of the build."""
    if row is None:
        return (
            f"The code graph of this workspace is not built yet ({files} files); calls through base types are missing."
        )
    if row.state == "failed":
        return f"The code graph could not be built ({row.note[:120]}); calls through base types are missing."
    step = {"reading": "files read", "linking": "files linked"}.get(row.state, "files")
    how_far = f" ({row.files_done:,} of {row.files_total:,} {step})" if row.state != "ready" else ""
    return f"The code graph is being brought up to date{how_far}; ask again in a few seconds."


async def _find_changed(
    row: BuildRow | None, *, workspace_id: int, found: Sources, root: str
) -> frozenset[str] | None:  # fmt: skip
    """Return the files that changed since a whole build by this version. None if there was none."""
    if row is None or not _is_whole(row, root=root):
        return None
    stamps = {path: stamp for path, stamp in found.files.items() if building.is_source(path)}
    return await queries.find_changed_files(workspace_id, stamps=stamps)


def _describe_changed(changed: frozenset[str] | None) -> str:
    if not changed:
        return ""
    more = f" and {len(changed) - _SHOWN} more" if len(changed) > _SHOWN else ""
    shown = ", ".join(sorted(changed)[:_SHOWN])
    return f" Until then it is used as it was, but for files that have changed: {shown}{more}."


def _is_current(row: BuildRow, *, found: Sources, root: str) -> bool:
    return row.state == "ready" and _is_whole(row, root=root) and row.content_hash == building.digest_of(found)


def _is_whole(row: BuildRow, *, root: str) -> bool:
    """Return whether the folder's graph was once built to its end by this version."""
    return row.version == VERSION and row.root == os.path.realpath(root)


async def _build_here(workspace_id: int, *, root: str, shows_secrets: bool, seconds: float) -> bool:
    """Build in a thread that further callers join. Returns True when it has ended."""
    task = _builds.get(workspace_id)
    if task is None or task.done():
        work = asyncio.to_thread(building.build, workspace_id, root=root, shows_secrets=shows_secrets)
        task = _builds[workspace_id] = asyncio.ensure_future(work)
        task.add_done_callback(_log_failure)
    done, _ = await asyncio.wait({task}, timeout=seconds)
    return bool(done)


def _log_failure(task: asyncio.Task[bool]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        logger.error("a code graph could not be built", exc_info=error)


def _tell_workers(workspace_id: int) -> None:
    """Have a worker build the graph. Not repeated within some seconds."""
    now = asyncio.get_running_loop().time()
    if now - _told.get(workspace_id, -TELL_WORKERS_SECONDS) < TELL_WORKERS_SECONDS:
        return
    _told[workspace_id] = now
    jobs.build_graph_soon(workspace_id)
