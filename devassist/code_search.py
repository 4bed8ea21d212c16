"""The `search_code` and `list_files` tools, paginated, with limits on time and length."""

import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

import regex
from pathspec import GitIgnoreSpec
from pydantic import Field, TypeAdapter

from devassist.contracts.budget import BYTES_PER_TOKEN
from devassist.contracts.search_code import (
    CodeMatch,
    CodeMatches,
    FileListing,
    ListedFile,
    ListFilesQuestion,
    SearchCodeQuestion,
    SkippedFiles,
)
from devassist.error_envelope import BINARY_FILE, INVALID_PARAMETERS, TOO_LARGE
from devassist.files.walking import FoundFile, WalkReport, walk_files
from devassist.workspace_files import search_text_of, split_lines
from devassist.workspaces import KnownWorkspace
from toolbox.contract.errors import ToolError

MAX_LINE_SHOWN = 300
MAX_FILE_SECONDS = 0.15
"""The CPU time limit of a pattern in one file. The answer counts the files that exceed it."""
MATCH_BYTES = 60
"""The JSON overhead of a match besides its texts."""
_SKIPPED_AS = {BINARY_FILE: "binary", TOO_LARGE: "too_large"}
_OUT_OF_TIME = "Time ran out; go on with nextCursor, or narrow globs."
_NARROWER = "Give globs such as '*.kt' or 'app/src/**'."
_LINE_BY_LINE = ("*+", "++", "?+", "}+", "\\A", "\\Z", "\\z", "\\G", "(?", "\\R", "\\n")
"""Patterns that may match in a single line but not in the whole text."""


@dataclass(frozen=True, slots=True)
class _Position:
    """The position where an answer ended. The next page starts after it."""

    workspace: str
    path: str = ""
    line: Annotated[int, Field(ge=0)] = 0

    def encode(self) -> str:
        return urlsafe_b64encode(_POSITION.dump_json(self)).decode()


_POSITION = TypeAdapter(_Position)


def search_code(
    ask: SearchCodeQuestion, *, workspaces: Sequence[KnownWorkspace], seconds: float
) -> CodeMatches:  # fmt: skip
    """Search line by line, for some seconds. Raises ToolError INVALID_PARAMETERS for a bad pattern or cursor."""
    search = _Search(ask, workspaces=workspaces, until=time.monotonic() + seconds)
    search.run()
    return search.answer()


def list_files(
    ask: ListFilesQuestion, *, workspaces: Sequence[KnownWorkspace], seconds: float
) -> FileListing:  # fmt: skip
    """List files by path, for some seconds. Raises ToolError INVALID_PARAMETERS for a bad cursor or folder."""
    if ask.folder.startswith("/") or ".." in ask.folder.split("/"):
        raise _invalid("folder", "folder leaves the workspace", "Give a folder from the workspace's root.")
    walk = _Walk(workspaces, globs=ask.globs, start=_decode(ask.cursor), until=time.monotonic() + seconds)
    listed: list[ListedFile] = []
    left, last, position = ask.max_tokens * BYTES_PER_TOKEN, walk.start, None
    for workspace, found in walk.files(under=ask.folder):
        left -= len(found.path) + len(workspace.name) + MATCH_BYTES
        if listed and (left < 0 or len(listed) >= ask.max_files):
            position = last
            break
        last = _Position(workspace.name, found.path)
        listed.append(ListedFile(workspace=workspace.name, file_path=found.path, size_bytes=found.size))
    if ask.folder and not walk.report.has_folder:
        raise _invalid(
            "folder",
            f"no folder '{ask.folder[:200]}' is listed: it is not there, a link, ignored, or of installed packages",
            "List the files without folder to see which there are.",
            retry_with={"folder": ""},
        )
    position = position or walk.stopped_at
    return FileListing(
        files=listed,
        next_cursor=position.encode() if position else None,
        hidden_secrets=walk.report.secrets or None,
        incomplete=walk.problem,
    )


class _Walk:
    """The files of some workspaces that globs select, from a position on, in order, until a time. Raises ToolError."""

    def __init__(
        self, workspaces: Sequence[KnownWorkspace], *, globs: Sequence[str], start: _Position | None, until: float
    ) -> None:
        self.start = start
        self.report = WalkReport()
        self.stopped_at: _Position | None = None
        """Where time ran out."""
        self._workspaces = [one for one in workspaces if start is None or one.name >= start.workspace]
        self._selects = _Globs(globs)
        self._until = until

    def files(self, *, under: str = "") -> Iterator[tuple[KnownWorkspace, FoundFile]]:
        """Yield each with its workspace."""
        for workspace in self._workspaces:
            if workspace is not self._workspaces[0] and time.monotonic() > self._until:
                self.stopped_at = _Position(workspace.name)
                return
            after = self.start.path if self.start and workspace.name == self.start.workspace else ""
            walked = walk_files(
                workspace.root, shows_secrets=workspace.shows_secrets, under=under, after=after, until=self._until,
                report=self.report,
            )  # fmt: skip
            yield from ((workspace, found) for found in walked if self._selects(found.path))
            if self.report.is_late:
                self.stopped_at = _Position(workspace.name, self.report.reached)
                return

    @property
    def problem(self) -> str | None:
        """Say why there may be more."""
        return " ".join(filter(None, [_OUT_OF_TIME if self.stopped_at else None, self.report.problem])) or None


class _Globs:
    """
    The path filter: paths that match a plain glob, if there are any, and no glob with '!'.

    Stars backtrack, so each glob has a time limit, and other threads run meanwhile. Raises ToolError.
    """

    def __init__(self, globs: Sequence[str]) -> None:
        self._has_wanted = any(not one.startswith("!") for one in globs)
        self._wanted = self._compile(one for one in globs if not one.startswith("!"))
        self._unwanted = self._compile(one[1:] for one in globs if one.startswith("!"))

    def __call__(self, path: str) -> bool:
        try:
            return (not self._has_wanted or self._match(self._wanted, path)) and not self._match(self._unwanted, path)
        except TimeoutError as slow:
            raise _invalid("globs", "a glob takes too long: it has too many stars in a name", _NARROWER) from slow

    @staticmethod
    def _compile(globs: Iterable[str]) -> "list[regex.Pattern[str]]":
        try:
            patterns = GitIgnoreSpec.from_lines(globs).patterns
        except ValueError as bad:
            raise _invalid("globs", f"no glob: {bad}", _NARROWER) from bad
        return [regex.compile(one.regex.pattern) for one in patterns if one.include and one.regex]

    @staticmethod
    def _match(patterns: "Iterable[regex.Pattern[str]]", path: str) -> bool:
        return any(one.match(path, timeout=MAX_FILE_SECONDS, concurrent=True) for one in patterns)


class _Search:
    """A running search."""

    def __init__(self, ask: SearchCodeQuestion, *, workspaces: Sequence[KnownWorkspace], until: float) -> None:
        self._ask = ask
        self._pattern = _compile(ask)
        self._is_line_by_line = ask.is_regex and any(mark in ask.pattern for mark in _LINE_BY_LINE)
        self._walk = _Walk(workspaces, globs=ask.globs, start=_decode(ask.cursor), until=until)
        self._started = {workspace.name: workspace for workspace in workspaces}
        self._left = ask.max_tokens * BYTES_PER_TOKEN
        self._matches: list[CodeMatch] = []
        self._skipped = {"binary": 0, "too_large": 0, "refused": 0, "too_slow": 0}
        self._searched = 0
        self._next: _Position | None = None

    def run(self) -> None:
        """Search from the cursor on: first the rest of the file in which the page before ended."""
        start = self._walk.start
        began = self._started.get(start.workspace) if start and start.line else None
        if start and began and not self._in_file(start.path, workspace=began, after=start.line):
            return
        for workspace, found in self._walk.files():
            if not self._in_file(found.path, workspace=workspace, after=0):
                return
        self._next = self._walk.stopped_at

    def answer(self) -> CodeMatches:
        """Return the results."""
        self._skipped["refused"] += self._walk.report.secrets
        return CodeMatches(
            matches=self._matches,
            files_searched=self._searched,
            skipped=SkippedFiles(**self._skipped) if any(self._skipped.values()) else None,
            next_cursor=self._next.encode() if self._next else None,
            incomplete=self._walk.problem,
        )

    def _in_file(self, path: str, *, workspace: KnownWorkspace, after: int) -> bool:
        """Add the matches in a file after a line. Returns False if the answer is full."""
        try:
            text = search_text_of(path, workspace=workspace)
        except ToolError as refused:
            self._skipped[_SKIPPED_AS.get(refused.code, "refused")] += 1
            return True
        self._searched += not after
        try:
            return self._in_text(text, path=path, workspace=workspace, after=after)
        except TimeoutError:
            self._skipped["too_slow"] += 1
            return True

    def _in_text(self, text: str, *, path: str, workspace: KnownWorkspace, after: int) -> bool:
        until = time.monotonic() + MAX_FILE_SECONDS
        if not self._is_line_by_line and self._find(text, until=until) is None:
            return True
        lines = split_lines(text)
        for number, line in enumerate(lines[after:], start=after + 1):
            found = self._find(line, until=until)
            if found is None:
                continue
            match = self._match(lines, number=number, column=found.start() + 1, place=(workspace.name, path))
            size = len(match.model_dump_json(by_alias=True, exclude_none=True))
            if self._matches and (size > self._left or len(self._matches) >= self._ask.max_matches):
                previous = self._matches[-1]
                self._next = _Position(previous.workspace, previous.file_path, previous.line)
                return False
            self._left -= size
            self._matches.append(match)
        return True

    def _find(self, text: str, *, until: float) -> "regex.Match[str] | None":
        left = until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return self._pattern.search(text, timeout=left, concurrent=True)

    def _match(self, lines: Sequence[str], *, number: int, column: int, place: tuple[str, str]) -> CodeMatch:
        around = self._ask.context_lines
        start = max(number - 1 - around, 0)
        return CodeMatch(
            workspace=place[0],
            file_path=place[1],
            line=number,
            column=column,
            text=_shorten(lines[number - 1], column=column),
            before=[_shorten(line) for line in lines[start : number - 1]] if around else None,
            after=[_shorten(line) for line in lines[number : number + around]] if around else None,
        )


def _compile(ask: SearchCodeQuestion) -> "regex.Pattern[str]":
    written = ask.pattern if ask.is_regex else regex.escape(ask.pattern)
    written = rf"(?<!\w)(?:{written})(?!\w)" if ask.whole_word else written
    flags = regex.MULTILINE | regex.VERSION0 | (regex.IGNORECASE if ask.ignore_case else 0)
    try:
        return regex.compile(written, flags=flags)
    except (regex.error, OverflowError, RecursionError) as bad:
        raise _invalid(
            "pattern",
            f"pattern is no regular expression: {bad}",
            "Escape special characters with a backslash, or search for plain text with isRegex false.",
            retry_with={"isRegex": False},
        ) from bad


def _shorten(line: str, *, column: int = 1) -> str:
    start = max(column - MAX_LINE_SHOWN // 2, 0) if len(line) > MAX_LINE_SHOWN else 0
    shown = line[start : start + MAX_LINE_SHOWN]
    return f"{'…' if start else ''}{shown}{'…' if start + MAX_LINE_SHOWN < len(line) else ''}"


def _decode(cursor: str | None) -> _Position | None:
    """Decode a cursor and refuse invalid ones. It names a position in the order, so it gives no access."""
    if cursor is None:
        return None
    try:
        return _POSITION.validate_json(urlsafe_b64decode(cursor.encode()), strict=True)
    except ValueError as bad:
        message = "cursor is none that this tool gave"
        raise _invalid("cursor", message, "Leave cursor out to begin anew.", retry_with={"cursor": None}) from bad


def _invalid(field: str, message: str, suggestion: str, *, retry_with: dict[str, object] | None = None) -> ToolError:
    return ToolError(INVALID_PARAMETERS, message, suggestion=suggestion, field=field, retry_with=retry_with)
