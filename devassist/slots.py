"""Slots of question patterns on code: places such as `NoteListFragment.kt:56`, in workspaces open to all."""

import asyncio
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import PurePosixPath

from devassist.workspaces import KnownWorkspace, workspaces
from toolbox.contract.errors import DatabaseUnavailable
from toolbox.contract.slots import Candidate, Slot
from toolbox.database.caches import TtlCache

MEMORY_SECONDS = 60.0
MAX_FILES = 5_000
_PLACE = re.compile(r"(?<![\w/.-])((?:[\w.-]+/)*[\w.-]+\.[a-z]{2,3})(?::(\d{1,7}))?\b")
_files: TtlCache[list[str]] = TtlCache(seconds=MEMORY_SECONDS)


async def _open_workspaces() -> list[KnownWorkspace]:
    """Return the workspaces whose file names are public, since a slot does not know who asks."""
    try:
        return [workspace for workspace in await workspaces() if workspace.is_open]
    except DatabaseUnavailable:
        return []


async def files_of(workspace: KnownWorkspace) -> list[str]:
    """Return the source files that tools list, cached for a minute."""
    return await _files.get(workspace.root, lambda: asyncio.to_thread(_source_files, workspace.root))


def _source_files(root: str) -> list[str]:
    from devassist.files.walking import walk_files  # noqa: PLC0415 - loaded by the first question
    from devassist.syntax.grammars import grammar_of  # noqa: PLC0415 - as above

    return list(islice((found.path for found in walk_files(root) if grammar_of(found.path)), MAX_FILES))


async def _find_places(text: str) -> Sequence[Candidate]:
    mentions = [found for found in _PLACE.finditer(text) if found[2]]
    return [one for found in mentions for one in await _candidates(found)]


async def _find_files(text: str) -> Sequence[Candidate]:
    return [one for found in _PLACE.finditer(text) for one in await _candidates(found)]


async def _candidates(found: "re.Match[str]") -> list[Candidate]:
    known = [(workspace, path) for workspace in await _open_workspaces() for path in await files_of(workspace)]
    return [_candidate(workspace, path, found=found) for workspace, path in _like(found[1], known=known)]


def _like(name: str, *, known: Sequence[tuple[KnownWorkspace, str]]) -> Iterator[tuple[KnownWorkspace, str]]:
    """Return the files whose path ends with the name, by whole segments."""
    wanted = PurePosixPath(name).parts
    return ((workspace, path) for workspace, path in known if PurePosixPath(path).parts[-len(wanted) :] == wanted)


def _candidate(workspace: KnownWorkspace, path: str, *, found: "re.Match[str]") -> Candidate:
    return Candidate(
        value=path,
        label=found[0],
        start=found.start(),
        end=found.end(),
        parts={"line": found[2] or "1", "workspace": workspace.name},
    )


async def _place_samples() -> list[str]:
    return ["NoteListFragment.kt:56", "NoteListFragment.kt:51"]


async def _file_samples() -> list[str]:
    return ["NoteListFragment.kt", "NoteRepository.kt"]


SLOTS: tuple[Slot, ...] = (
    Slot(name="place", noun="file and line", resolve=_find_places, samples=_place_samples),
    Slot(name="file", noun="file", resolve=_find_files, samples=_file_samples),
)
