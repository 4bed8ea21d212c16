"""The `find_symbol`, `find_implementations` and `go_to_definition` tools."""

import asyncio
import os
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import PurePosixPath

from devassist.bounds import Bounds
from devassist.callers.client import Gone, Refused
from devassist.callers.languages import NoCommand, server_for
from devassist.callers.protocol import Location
from devassist.callers.server_finder import DEFINED
from devassist.callers.servers import NotNow
from devassist.callers.source_files import SourceFiles
from devassist.code_graph import queries as graph
from devassist.contracts.symbols import (
    DefinitionsFound,
    FindImplementationsQuestion,
    FindSymbolQuestion,
    FoundBy,
    GoToDefinitionQuestion,
    SymbolFound,
    SymbolsFound,
)
from devassist.error_envelope import FUNCTION_NOT_FOUND, INVALID_PARAMETERS, NO_RESULTS, TOOL_TIMEOUT
from devassist.files.refusals import too_large
from devassist.files.walking import WalkReport, walk_files
from devassist.find_callers import get_caller_search, known_servers
from devassist.refusals import line_out_of_range
from devassist.syntax.functions import Kind, Scope, scopes
from devassist.syntax.grammars import grammar_of
from devassist.syntax.parse import ParseOverdue, parse
from devassist.workspace_files import split_lines, text_of
from devassist.workspaces import KnownWorkspace
from toolbox.contract.errors import ToolError
from toolbox.database import event_loop

SERVER_SECONDS = 1.2
HEAD_START_SECONDS = 0.3
"""How long a language server is waited for before the search by name begins beside it."""
MAX_READ = 300
"""The maximum files read for one name. Only the most common words are in more files."""
MAX_DEFINITIONS = 50
_SHOWN = 5
_ServerAnswer = tuple[list[tuple[str | None, int, int]] | None, str]
"""Path, line and column of definitions, or None and why the server gave none."""
_NAME = re.compile(r"[^\W\d][\w$]*")
_BY_NAME = "They were found by name alone: check which is meant."
_CUT = "The workspace has more files than are looked at."
_OUT_OF_TIME = "Time ran out before every file was looked at; ask again to go on, or name the workspace."


@dataclass(slots=True)
class _NameSearch:
    """
    A search for definitions by name, in one workspace after the other, until time runs out.

    What was read of files is remembered, so that a repeated question comes further.
    """

    name: str
    until: float
    found: list[SymbolFound] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    is_late: bool = False

    @property
    def incomplete(self) -> str | None:
        """Say why there may be more."""
        return " ".join(dict.fromkeys(self.reasons)) or None

    async def run(self, workspaces: Sequence[KnownWorkspace]) -> None:
        """Search the workspaces."""
        for workspace in workspaces:
            root = await asyncio.to_thread(os.path.realpath, workspace.root)
            reading = await event_loop.run_on_loop(partial(_source_files, root))
            await asyncio.to_thread(self._search, workspace, reading=reading)

    def _search(self, workspace: KnownWorkspace, *, reading: SourceFiles) -> None:
        report = WalkReport()
        naming, unread = self._find_naming(workspace, reading=reading, report=report)
        bounds = Bounds()
        for number, path in enumerate(bounds.take(naming, most=MAX_READ, what="files with the name")):
            if number and time.monotonic() > self.until:
                self.is_late = True
                self.reasons.append(f"Time ran out when {number} of {len(naming)} files with the name were parsed.")
                break
            text = (reading.text(path) or b"").decode("utf-8-sig", "replace")
            text = text.replace("\r\n", "\n").replace("\r", "\n")
            declared = _find_declarations(self.name, text=text, path=path)
            if declared is None:
                unread.append(path)
            self.found += [_symbol(scope, path=path, workspace=workspace) for scope in declared or ()]
        if report.problem:
            self.reasons.append(report.problem)
        self.reasons += bounds.reasons
        if unread:
            more = f" and {len(unread) - _SHOWN} more" if len(unread) > _SHOWN else ""
            shown = ", ".join(sorted(unread)[:_SHOWN])
            self.reasons.append(f"Too large, not readable or not to be parsed, so not searched: {shown}{more}.")

    def _find_naming(
        self, workspace: KnownWorkspace, *, reading: SourceFiles, report: WalkReport
    ) -> tuple[list[str], list[str]]:
        """Return the source files that have the name as a word, and those that could not be read, by path."""
        words = {(_NAME.search(parts[-1]) or [parts[-1]])[0] for parts in _spellings(self.name)}
        naming, unread = [], []
        for file in walk_files(
            workspace.root, shows_secrets=workspace.shows_secrets, until=self.until, report=report
        ):  # fmt: skip
            if not grammar_of(file.path):
                continue
            known = reading.words_of(file.path, stamp=(file.changed_at_ns, file.size))
            if known is None:
                unread.append(file.path)
            elif not words.isdisjoint(known):
                naming.append(file.path)
        if report.is_late:
            self.is_late = True
            self.reasons.append(_OUT_OF_TIME)
        if report.secrets:
            self.reasons.append(f"{report.secrets} files whose names look like secrets were not searched.")
        return naming, unread


async def find_symbols(
    ask: FindSymbolQuestion, *, workspaces: Sequence[KnownWorkspace], seconds: float
) -> SymbolsFound:  # fmt: skip
    """Find definitions by name in the current files, for some seconds. Raises ToolError NO_RESULTS, TOOL_TIMEOUT."""
    search = _NameSearch(ask.name, time.monotonic() + seconds)
    await search.run(workspaces)
    found = [one for one in search.found if ask.kind in (None, one.kind)]
    if not found and search.is_late:
        raise ToolError(
            TOOL_TIMEOUT,
            f"Not every file was looked at for '{ask.name[:100]}' in {seconds:.1f} s, and none before had it.",
            suggestion="Ask again: what was read is remembered, so that it goes on; or name one workspace.",
            field="name",
        )
    if not found:
        raise await _no_symbol(ask, workspaces=workspaces, incomplete=search.incomplete)
    return SymbolsFound(symbols=found[: ask.max_symbols], total=len(found), incomplete=search.incomplete)


async def find_implementations(ask: FindImplementationsQuestion, *, workspace: KnownWorkspace) -> SymbolsFound:
    """Find subclasses of a class, or overrides of a method. Raises ToolError: codes of files, FUNCTION_NOT_FOUND."""
    text = await asyncio.to_thread(text_of, ask.file_path, workspace=workspace)
    path = str(PurePosixPath(ask.file_path))
    declared = await asyncio.to_thread(_find_declarations, ask.name, text=text, path=path)
    if declared is None:
        raise too_large(ask.file_path, size=len(text.encode()), limit="what can be parsed in time")
    if not declared:
        raise ToolError(
            FUNCTION_NOT_FOUND,
            f"'{ask.file_path[:200]}' defines no class, interface or method '{ask.name[:100]}'",
            suggestion="Find where it is defined with find_symbol.",
            field="name",
        )
    build = await graph.read_build(workspace.id)
    bounds = Bounds()
    known = await graph.find_symbols(ask.name, workspace_id=workspace.id, path=path, limit=MAX_DEFINITIONS + 1)
    found: dict[int, graph.SymbolRow] = {}
    for symbol in bounds.take(known, most=MAX_DEFINITIONS, what="definitions of the name in the file, or more"):
        rows = await graph.find_implementations(symbol, limit=graph.MAX_ROWS + 1)
        found |= {row.id: row for row in bounds.take(rows, most=graph.MAX_ROWS, what="implementations, or more")}
    symbols = [
        SymbolFound(
            workspace=workspace.name, file_path=row.path, line=row.line, end_line=row.end_line,
            name=row.qualified_name, kind=_kind(row.kind), signature=row.signature, found_by="hierarchy",
        )
        for row in sorted(found.values(), key=lambda row: (row.path, row.line))
    ]  # fmt: skip
    problem = _graph_problem(build, is_known=bool(known))
    said = " ".join([*filter(None, [problem]), *bounds.reasons]) or None
    return SymbolsFound(symbols=symbols[: ask.max_symbols], total=len(symbols), incomplete=said)


async def go_to_definition(
    ask: GoToDefinitionQuestion, *, workspace: KnownWorkspace, seconds: float
) -> DefinitionsFound:  # fmt: skip
    """Find the definition of a name in a line, by a ready language server, else by name. Raises ToolError."""
    until = time.monotonic() + seconds
    text = await asyncio.to_thread(text_of, ask.file_path, workspace=workspace)
    lines = split_lines(text)
    if ask.line > len(lines):
        raise line_out_of_range(ask.file_path, line=ask.line, count=len(lines))
    name, start = _name_at(ask, line=lines[ask.line - 1])
    path = str(PurePosixPath(ask.file_path))
    units = len(lines[ask.line - 1][:start].encode("utf-16-le")) // 2
    question = partial(_ask_server, path, line=ask.line - 1, character=units, root=workspace.root)
    server = asyncio.create_task(event_loop.run_on_loop(question))
    search = asyncio.create_task(_by_name_meanwhile(server, search=_NameSearch(name, until), workspace=workspace))
    try:
        locations, problem = await server
        if locations is None:
            by_name = await search
            bounds = Bounds()
            listed = bounds.take(by_name.found, most=MAX_DEFINITIONS, what="definitions")
            said = " ".join(part for part in (problem, _BY_NAME, *bounds.reasons, by_name.incomplete) if part)
            return DefinitionsFound(symbol=name, definitions=listed, is_outside=False, incomplete=said)
    finally:
        server.cancel()
        search.cancel()
    inside = [place for place in locations if place[0]]
    described = await asyncio.to_thread(lambda: [_describe(place, workspace=workspace) for place in inside])
    definitions = [one for one in described if one]
    hidden = len(described) - len(definitions)
    bounds = Bounds([f"{hidden} definitions are in files that may not be read."] if hidden else [])
    return DefinitionsFound(
        symbol=name,
        definitions=bounds.take(definitions, most=MAX_DEFINITIONS, what="definitions"),
        is_outside=bool(locations) and not inside,
        incomplete=" ".join(bounds.reasons) or None,
    )


async def _by_name_meanwhile(
    server: "asyncio.Task[_ServerAnswer]", *, search: _NameSearch, workspace: KnownWorkspace
) -> _NameSearch:
    """Search by name as soon as the language server has not answered for a moment, so that both keep to the time."""
    await asyncio.wait({server}, timeout=HEAD_START_SECONDS)
    if not server.done() or server.result()[0] is None:
        await search.run([workspace])
    return search


def _find_declarations(name: str, *, text: str, path: str) -> list[Scope] | None:
    """Return the functions and classes of a file whose qualified name ends with the name. None if it is not parsed."""
    try:
        code = parse(text, path=path)
    except ParseOverdue:
        return None
    spellings = _spellings(name)
    return [
        scope
        for scope in (scopes(code) if code else ())
        if scope.is_named
        and scope.kind is not Kind.INITIALIZER
        and any(scope.qualified_name.split(".")[-len(wanted) :] == wanted for wanted in spellings)
    ]


def _spellings(name: str) -> list[list[str]]:
    """Return the parts of a name. A dollar joins classes on the JVM, and is a letter in JavaScript."""
    plain = name.strip().removesuffix("()").replace("::", ".").replace("#", ".")
    found = []
    for spelled in (plain, plain.replace("$", ".")):
        parts = [part for part in spelled.split(".") if part] or [plain]
        found += [] if parts in found else [parts]
    return found


def _symbol(scope: Scope, *, path: str, workspace: KnownWorkspace, found_by: FoundBy = "syntax") -> SymbolFound:
    return SymbolFound(
        workspace=workspace.name, file_path=path, line=scope.name_line, end_line=scope.end_line,
        name=scope.qualified_name, kind=_kind(scope.kind), signature=scope.signature, found_by=found_by,
    )  # fmt: skip


def _kind(kind: str) -> str:
    return "class" if kind in (Kind.CONTAINER, "class", "interface") else "function"


def _name_at(ask: GoToDefinitionQuestion, *, line: str) -> tuple[str, int]:
    """Return the name in the line, and where it begins."""
    if ask.symbol:
        names_ = [re.escape(parts[-1]) for parts in _spellings(ask.symbol)]
        found = re.search(rf"(?<![\w$])(?:{'|'.join(names_)})(?![\w$])", line)
    else:
        at = (ask.column or 0) - 1
        found = next((one for one in _NAME.finditer(line) if one.start() <= at <= one.end()), None)
    if found is None:
        names = list(dict.fromkeys(_NAME.findall(line)))[:20]
        raise ToolError(
            INVALID_PARAMETERS,
            f"line {ask.line} has no such name" if ask.symbol or ask.column else "symbol or column is missing",
            suggestion=f"Give one of these as symbol: {', '.join(names)}." if names else "Give another line.",
            field="symbol",
            details={"names": names},
        )
    return found[0], found.start()


async def _ask_server(path: str, *, line: int, character: int, root: str) -> _ServerAnswer:
    """Ask the file's language server, on the event loop. None and the reason if it is not ready."""
    server = server_for(path, servers=known_servers())
    if server is None:
        return None, "No language server is set for such files."
    real = await asyncio.to_thread(os.path.realpath, root)
    try:
        search = get_caller_search()
        session = search.servers.session(server, root=real, read=search.get_source_files(real).text)
        if not session.is_ready:
            return None, f"The language server {server.name} is not ready; warm_workspace waits for it."
        async with asyncio.timeout(SERVER_SECONDS):
            await session.keep_up()
            at = await session.place(path, line=line, character=character)
            answer = await session.ask("textDocument/definition", params=at, answer=DEFINED)
    except (NoCommand, NotNow, Gone, Refused, TimeoutError) as failed:
        return None, f"The language server {server.name} gave no answer ({type(failed).__name__})."
    found = [answer] if isinstance(answer, Location) else answer or []
    return [(session.path(one.uri), one.range.start.line + 1, one.range.start.character) for one in found], ""


def _describe(place: tuple[str | None, int, int], *, workspace: KnownWorkspace) -> SymbolFound | None:
    """Describe a definition from a server. A file that may not be read is left out."""
    path, line, _ = place
    if path is None:
        return None
    try:
        text = text_of(path, workspace=workspace)
    except ToolError:
        return None
    try:
        code = parse(text, path=path)
    except ParseOverdue:
        code = None
    lines = split_lines(text)
    scope = next((one for one in scopes(code) if one.is_named and one.name_line == line), None) if code else None
    if scope:
        return _symbol(scope, path=path, workspace=workspace, found_by="server")
    written = lines[line - 1].strip()[:300] if line <= len(lines) else ""
    return SymbolFound(
        workspace=workspace.name, file_path=path, line=line, end_line=line, name=written, kind="variable",
        signature=written, found_by="server",
    )  # fmt: skip


def _graph_problem(build: graph.BuildRow | None, *, is_known: bool) -> str | None:
    if build is None:
        return "The code graph of this workspace is not built yet; ask again later, or search for the name."
    if build.state != "ready":
        return f"The code graph is {build.state}: {build.files_done} of {build.files_total} files; ask again later."
    if not is_known:
        return "The code graph does not know this symbol yet; ask again in some seconds."
    return _CUT if build.is_cut else None


async def _no_symbol(
    ask: FindSymbolQuestion, *, workspaces: Sequence[KnownWorkspace], incomplete: str | None
) -> ToolError:
    name, near = ask.name, list[str]()
    for workspace in workspaces:
        rows = await graph.find_symbols(name, workspace_id=workspace.id, is_prefix=True, limit=10)
        near += [row.qualified_name for row in rows]
    near = list(dict.fromkeys(near))[:10]
    return ToolError(
        NO_RESULTS,
        f"No {ask.kind or 'function, method or class'} '{name[:100]}' was found in these workspaces: "
        f"{', '.join(workspace.name for workspace in workspaces[:_SHOWN])}"
        f"{f' and {len(workspaces) - _SHOWN} more' if len(workspaces) > _SHOWN else ''}."
        + (f" {incomplete}" if incomplete else ""),
        suggestion=f"These begin so: {', '.join(near)}." if near else "Search for text with search_code.",
        field="name",
        details={"near": near} if near else None,
    )


async def _source_files(root: str) -> SourceFiles:
    return get_caller_search().get_source_files(root)
