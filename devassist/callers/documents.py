"""Open documents of a language server: opened on demand, kept up to date, least recently used closed first."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from pathlib import PurePosixPath
from typing import Any

from devassist.callers.languages import LanguageServer

MAX_OPEN = 400
MAX_OPEN_BYTES = 2 * 1024 * 1024
PROJECT_FILES = ("tsconfig.json", "jsconfig.json")

Tell = Callable[[str, dict[str, Any]], None]


class Documents:
    """The documents open at one server. `tell` notifies it, `uri` returns a file's address."""

    def __init__(
        self,
        server: LanguageServer,
        *,
        tell: Tell,
        uri: Callable[[str], str],
        read: Callable[[str], bytes | None],
    ) -> None:
        self._server = server
        self._tell, self._uri, self._read = tell, uri, read
        self._open: OrderedDict[str, None] = OrderedDict()

    async def show(self, paths: Sequence[str]) -> None:
        """Open the files at the server if they are not open. Closes the least recently used if there are many."""
        new = [path for path in paths if path not in self._open]
        for path in paths:
            if path in self._open:
                self._open.move_to_end(path)
        texts = await asyncio.to_thread(lambda: [self._read(path) for path in new]) if new else []
        for path, text in zip(new, texts, strict=True):
            language = self._server.language_of(path)
            if text is None or language is None or len(text) > MAX_OPEN_BYTES or path in self._open:
                continue
            shown = {"uri": self._uri(path), "languageId": language, "version": 1}
            self._tell("textDocument/didOpen", {"textDocument": {**shown, "text": text.decode(errors="replace")}})
            self._open[path] = None
        while len(self._open) > MAX_OPEN:
            self._close(next(iter(self._open)))

    async def refresh(self, changed: Iterable[str], *, deleted: Iterable[str]) -> None:
        """Update the open documents to the current files."""
        stale = [path for path in changed if path in self._open]
        for path in [*stale, *(path for path in deleted if path in self._open)]:
            self._close(path)
        await self.show(stale)

    def _close(self, path: str) -> None:
        del self._open[path]
        self._tell("textDocument/didClose", {"textDocument": {"uri": self._uri(path)}})


def is_wanted(path: str, *, server: LanguageServer) -> bool:
    """Return whether the server has to know of the file."""
    return server.language_of(path) is not None or PurePosixPath(path).name in PROJECT_FILES


def choose_representatives(made: Iterable[str], *, among: Iterable[str], server: LanguageServer) -> list[str]:
    """
    Choose the new files to show to a server that works by project files, so that it knows every project.

    One file of each project, and every file that no project file stands above.
    """
    if server.opens != "project":
        return []
    paths = [PurePosixPath(path) for path in among]
    projects = {path.parent for path in paths if path.name in PROJECT_FILES}
    chosen: list[str] = []
    represented: set[PurePosixPath] = set()
    for path in filter(server.language_of, made):
        above = next((folder for folder in PurePosixPath(path).parents if folder in projects), None)
        if above is None or above not in represented:
            chosen.append(path)
        represented |= {above} if above else set()
    return chosen[:MAX_OPEN]
