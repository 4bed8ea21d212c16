"""Matching of frames with files of workspaces, by the longest matching path and the content of the files."""

import re
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import PurePosixPath

from devassist.bounds import Bounds
from devassist.diagnosis.source_maps import MAX_MAP_BYTES, map_place
from devassist.diagnosis.traces import Frame, Language
from devassist.files.safe_open import open_file
from devassist.files.walking import WalkReport, walk_files
from devassist.syntax.functions import Kind, find_enclosing, functions
from devassist.syntax.parse import Code, ParseOverdue, parse
from devassist.workspace_files import text_of
from devassist.workspaces import KnownWorkspace
from toolbox.contract.errors import ToolError

MAX_CANDIDATES = 20
MAX_SHOWN = 5
MAX_SECONDS = 0.7
"""The time limit of the file walk, enough for some 10,000 files."""
_MAX_SUFFIXES = 10
_PACKAGE = re.compile(r"^\s*package\s+([\w.]+)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A possible file of a frame. `segments` of the path match; the other fields are evidence from the content."""

    workspace: KnownWorkspace
    path: str
    segments: int
    has_line: bool = False
    has_function: bool = False
    has_code: bool = False
    has_package: bool = False
    line: int | None = None
    function: str = ""
    is_callable: bool = True

    @property
    def evidence(self) -> tuple[int, int]:
        """The rank: content counts for more than one more matching folder."""
        return (4 * self.has_code + 3 * self.has_function + 2 * self.has_package + self.has_line, self.segments)

    @property
    def is_convincing(self) -> bool:
        """Return whether it can be chosen alone. A bare file name needs evidence from the content."""
        if not self.has_line and not self.has_code:
            return False
        return self.segments > 1 or self.has_code or self.has_function


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """The file of a frame, or the reason why there is none. `frame` is the target of a source map."""

    frame: Frame
    chosen: Candidate | None = None
    candidates: tuple[Candidate, ...] = ()
    note: str = ""
    is_mapped: bool = False


class FileIndex:
    """An index of the files of workspaces by name, walked once for a diagnosis. Texts and trees are read once too."""

    def __init__(self, workspaces: Sequence[KnownWorkspace]) -> None:
        self._workspaces = workspaces
        self._by_name: dict[str, list[tuple[KnownWorkspace, tuple[str, ...]]]] = defaultdict(list)
        self._texts: dict[tuple[int, str], str | None] = {}
        self._codes: dict[tuple[int, str], Code | None] = {}
        problems = []
        until = time.monotonic() + MAX_SECONDS
        for workspace in workspaces:
            report = WalkReport()
            walked = walk_files(workspace.root, shows_secrets=workspace.shows_secrets, until=until, report=report)
            for found in walked:
                parts = tuple(found.path.split("/"))
                self._by_name[parts[-1].lower()].append((workspace, parts))
            late = f"Those after {report.reached} were not looked at in {MAX_SECONDS:g} s." if report.is_late else None
            problems += [f"Files of {workspace.name}: {problem}" for problem in (late, report.problem) if problem]
        self.problem = " ".join(problems)

    def place(self, frame: Frame) -> Placement:
        """Return the file of a frame. Among several equal candidates none is chosen."""
        mapped = self._map(frame) if frame.language is Language.JAVASCRIPT else None
        frame = mapped or frame
        is_mapped = mapped is not None
        bounds = Bounds()
        known = sorted(
            self._candidates(frame, bounds=bounds), key=lambda one: (-one.evidence[0], -one.segments, one.path)
        )
        if not known:
            return Placement(
                frame=frame, is_mapped=is_mapped, note="No file of the workspaces has this name, ignored files apart."
            )
        said = "".join(f" {reason}" for reason in bounds.reasons)
        best = [one for one in known if one.evidence == known[0].evidence]
        shown = tuple(known[:MAX_SHOWN])
        if len(best) > 1:
            note = f"{len(best)} files fit equally well: it is not known which is meant.{said}"
            return Placement(frame=frame, candidates=shown, note=note, is_mapped=is_mapped)
        if not best[0].is_convincing:
            note = f"A file has this name, but neither its folder nor what it holds fits.{said}"
            return Placement(frame=frame, candidates=shown, note=note, is_mapped=is_mapped)
        note = f"{self._differences(best[0], frame=frame)}{said}".strip()
        return Placement(frame=frame, chosen=best[0], candidates=shown, note=note, is_mapped=is_mapped)

    def text(self, path: str, *, workspace: KnownWorkspace) -> str | None:
        """Read a file once. Returns None if it may not be read."""
        key = (workspace.id, path)
        if key not in self._texts:
            try:
                self._texts[key] = text_of(path, workspace=workspace)
            except ToolError:
                self._texts[key] = None
        return self._texts[key]

    def code(self, path: str, *, workspace: KnownWorkspace) -> Code | None:
        """Parse a file once. Returns None if that fails."""
        key = (workspace.id, path)
        if key not in self._codes:
            try:
                self._codes[key] = parse(self.text(path, workspace=workspace) or "", path=path)
            except ParseOverdue:
                self._codes[key] = None
        return self._codes[key]

    def _candidates(self, frame: Frame, *, bounds: Bounds) -> list[Candidate]:
        parts = tuple(part for part in PurePosixPath(frame.path).parts if part not in ("/", ".", ".."))
        if not parts:
            return []
        found = [
            Candidate(workspace=workspace, path="/".join(path), segments=_count_matching(path, parts))
            for workspace, path in self._by_name.get(parts[-1].lower(), ())
        ]
        found.sort(key=lambda one: -one.segments)
        examined = bounds.take(found, most=MAX_CANDIDATES, what=f"files named {parts[-1]}")
        return [self._examine(one, frame=frame) for one in examined]

    def _examine(self, candidate: Candidate, *, frame: Frame) -> Candidate:
        """Look in a candidate for the frame's line, function, printed code and package."""
        text = self.text(candidate.path, workspace=candidate.workspace)
        if text is None or frame.line is None:
            return candidate
        lines = text.removesuffix("\n").split("\n")
        line = _line_of_code(frame, lines=lines)
        at = line or (frame.line if frame.line <= len(lines) else None)
        code = self.code(candidate.path, workspace=candidate.workspace)
        around = find_enclosing(functions(code), code=code, line=at) if code and at else None
        name = around.qualified_name if around else ""
        package = _PACKAGE.search(text) if frame.language is Language.JVM else None
        folder = frame.path.rpartition("/")[0].replace("/", ".")
        return replace(
            candidate, has_line=at is not None, line=at, function=name,
            is_callable=around is None or around.kind is not Kind.ACCESSOR, has_code=line is not None,
            has_function=_is_same(frame, name=name),
            has_package=bool(package and package[1] == folder),
            segments=candidate.segments + (package[1].count(".") + 1 if package and package[1] == folder else 0),
        )  # fmt: skip

    def _differences(self, chosen: Candidate, *, frame: Frame) -> str:
        if chosen.line != frame.line:
            return f"The code that ran at line {frame.line} stands at line {chosen.line} now."
        if frame.code and not chosen.has_code:
            return "The line is not the one that ran: the file has changed, or the trace is of another version."
        if frame.function and chosen.function and not chosen.has_function and frame.language is not Language.JAVASCRIPT:
            return f"The line is in {chosen.function} now, not in {frame.function}: the versions may differ."
        return ""

    def _map(self, frame: Frame) -> Frame | None:
        """Follow a source map beside the generated file. Ignore files usually hide it."""
        if frame.line is None:
            return None
        parts = [part for part in frame.path.split("/") if part not in ("", ".", "..")][-_MAX_SUFFIXES:]
        for workspace in self._workspaces:
            for start in range(len(parts)):
                path = "/".join(parts[start:])
                place = map_place(
                    path, line=frame.line, column=frame.column or 1, read=partial(_read, workspace=workspace)
                )
                if place:
                    return replace(
                        frame, path=place.path, line=place.line, column=None,
                        function=place.function or frame.function, is_library="node_modules/" in place.path,
                    )  # fmt: skip
        return None


def _read(path: str, *, workspace: KnownWorkspace) -> str | None:
    """Read a generated file or its map, even if ignored, by the same safe opening."""
    try:
        with (
            open_file(path, root=workspace.root, shows_secrets=workspace.shows_secrets) as descriptor,
            open(descriptor, "rb", closefd=False) as file,
        ):
            content = file.read(MAX_MAP_BYTES + 1)
    except (ToolError, OSError):
        return None
    return content.decode(errors="replace") if len(content) <= MAX_MAP_BYTES else None


def _count_matching(path: Sequence[str], parts: Sequence[str]) -> int:
    """Count the equal trailing segments, ignoring case as Windows does."""
    count = 0
    for ours, theirs in zip(reversed(path), reversed(parts), strict=False):
        if ours.lower() != theirs.lower():
            break
        count += 1
    return count


def _line_of_code(frame: Frame, *, lines: Sequence[str]) -> int | None:
    """Return the line with the printed source code: the frame's own line, or the only place that has it."""
    if not frame.code or frame.line is None:
        return None
    if frame.line <= len(lines) and lines[frame.line - 1].strip() == frame.code:
        return frame.line
    places = [number for number, line in enumerate(lines, start=1) if line.strip() == frame.code]
    return places[0] if len(places) == 1 else None


def _is_same(frame: Frame, *, name: str) -> bool:
    """Return whether the function at the line is the frame's. Python gives a module's top level a name of its own."""
    printed = re.sub(r"<locals>|<lambda>|<listcomp>|<genexpr>", "", frame.function).strip(".")
    if not name:
        return frame.function == "<module>"
    last = printed.rpartition(".")[2] or printed
    getter = re.sub(r"^(?:get|set|is)(?=[A-Z])", "", last)
    parts = name.split(".")
    return bool(last) and (
        last in parts or getter[:1].lower() + getter[1:] in parts or (last == "<init>" and len(parts) > 1)
    )
