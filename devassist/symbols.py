"""The `find_symbol`, `find_implementations` and `go_to_definition` tools."""

import asyncio
import os
import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import PurePosixPath

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
from devassist.error_envelope import FUNCTION_NOT_FOUND, INVALID_PARAMETERS, NO_RESULTS
from devassist.files.walking import WalkReport, walk_files
from devassist.find_callers import get_caller_search, known_servers
from devassist.refusals import line_out_of_range
from devassist.syntax.functions import Kind, Scope, scopes
from devassist.syntax.grammars import grammar_of
from devassist.syntax.parse import ParseOverdue, parse
from devassist.workspace_files import text_of
from devassist.workspaces import KnownWorkspace
from toolbox.contract.errors import ToolError
from toolbox.database import event_loop

SERVER_SECONDS = 1.2
HEAD_START_SECONDS = 0.3
"""How long a language server is waited for before the search by name begins beside it."""
MAX_READ = 300
"""The maximum files read for one name. Only the most common words are in more files."""
_ServerAnswer = tuple[list[tuple[str | None, int, int]] | None, str]
"""Path, line and column of definitions, or None and why the server gave none."""
_NAME = re.compile(r"[^\W\d][\w$]*")
_BY_NAME = "They were found by name alone: check which is meant."
_CUT = "The workspace has more files than are looked at."
_TOO_COMMON = f"The name stands in more than {MAX_READ} files; only those were read."


async def find_symbols(ask: FindSymbolQuestion, *, workspaces: Sequence[KnownWorkspace]) -> SymbolsFound:
    """Find definitions by name in the current files. Raises ToolError NO_RESULTS."""
    found: list[SymbolFound] = []
    reasons: list[str] = []
    for workspace in workspaces:
        symbols, reason = await _by_name(ask.name, workspace=workspace)
        found += [one for one in symbols if ask.kind in (None, one.kind)]
        reasons += [reason] if reason else []
    if not found:
        raise await _no_symbol(ask.name, workspaces=workspaces)
    return SymbolsFound(
        symbols=found[: ask.max_symbols], total=len(found), incomplete=" ".join(dict.fromkeys(reasons)) or None
    )


async def find_implementations(ask: FindImplementationsQuestion, *, workspace: KnownWorkspace) -> SymbolsFound:
    """Find subclasses of a class, or overrides of a method. Raises ToolError: codes of files, FUNCTION_NOT_FOUND."""
    text = await asyncio.to_thread(text_of, ask.file_path, workspace=workspace)
    path = str(PurePosixPath(ask.file_path))
    declared = await asyncio.to_thread(lambda: list(_find_declarations(ask.name, text=text, path=path)))
    if not declared:
        raise ToolError(
            FUNCTION_NOT_FOUND,
            f"'{ask.file_path[:200]}' defines no class, interface or method '{ask.name[:100]}'",
            suggestion="Find where it is defined with find_symbol.",
            field="name",
        )
    known = await graph.find_symbols(ask.name, workspace_id=workspace.id, path=path)
    build = await graph.read_build(workspace.id)
    found = {row.id: row for symbol in known for row in await graph.find_implementations(symbol)}
    symbols = [
        SymbolFound(
            workspace=workspace.name, file_path=row.path, line=row.line, end_line=row.end_line,
            name=row.qualified_name, kind=_kind(row.kind), signature=row.signature, found_by="hierarchy",
        )
        for row in sorted(found.values(), key=lambda row: (row.path, row.line))
    ]  # fmt: skip
    return SymbolsFound(
        symbols=symbols[: ask.max_symbols], total=len(symbols), incomplete=_graph_problem(build, is_known=bool(known))
    )


async def go_to_definition(ask: GoToDefinitionQuestion, *, workspace: KnownWorkspace) -> DefinitionsFound:
    """Find the definition of a name in a line, by a ready language server, else by name. Raises ToolError."""
    text = await asyncio.to_thread(text_of, ask.file_path, workspace=workspace)
    lines = text.split("\n")
    if ask.line > len(lines):
        raise line_out_of_range(ask.file_path, line=ask.line, count=len(lines))
    name, start = _name_at(ask, line=lines[ask.line - 1])
    path = str(PurePosixPath(ask.file_path))
    units = len(lines[ask.line - 1][:start].encode("utf-16-le")) // 2
    question = partial(_ask_server, path, line=ask.line - 1, character=units, root=workspace.root)
    server = asyncio.create_task(event_loop.run_on_loop(question))
    search = asyncio.create_task(_by_name_meanwhile(server, name=name, workspace=workspace))
    try:
        locations, problem = await server
        if locations is None:
            symbols, reason = await search
            said = " ".join(part for part in (problem, _BY_NAME, reason) if part)
            return DefinitionsFound(symbol=name, definitions=symbols[:50], is_outside=False, incomplete=said)
    finally:
        server.cancel()
        search.cancel()
    inside = [place for place in locations if place[0]]
    described = await asyncio.to_thread(lambda: [_describe(place, workspace=workspace) for place in inside])
    definitions = [one for one in described if one]
    return DefinitionsFound(
        symbol=name, definitions=definitions, is_outside=bool(locations) and not inside, incomplete=None
    )


async def _by_name_meanwhile(
    server: "asyncio.Task[_ServerAnswer]", *, name: str, workspace: KnownWorkspace
) -> tuple[list[SymbolFound], str | None]:
    """Search by name as soon as the language server has not answered for a moment, so that both keep to the time."""
    await asyncio.wait({server}, timeout=HEAD_START_SECONDS)
    if server.done() and server.result()[0] is not None:
        return [], None
    return await _by_name(name, workspace=workspace)


async def _by_name(name: str, *, workspace: KnownWorkspace) -> tuple[list[SymbolFound], str | None]:
    root = await asyncio.to_thread(os.path.realpath, workspace.root)
    reading = await event_loop.run_on_loop(partial(_source_files, root))
    return await asyncio.to_thread(_search, name, workspace=workspace, reading=reading)


def _search(name: str, *, workspace: KnownWorkspace, reading: SourceFiles) -> tuple[list[SymbolFound], str | None]:
    report = WalkReport()
    walked = walk_files(workspace.root, shows_secrets=workspace.shows_secrets, report=report)
    files = {one.path: (one.changed_at_ns, one.size) for one in walked if grammar_of(one.path)}
    paths = sorted(reading.find_mentioning([_split(name)[-1]], files=files))
    found = []
    for path in paths[:MAX_READ]:
        text = (reading.text(path) or b"").decode("utf-8-sig", "replace")
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        found += [
            _symbol(scope, path=path, workspace=workspace) for scope in _find_declarations(name, text=text, path=path)
        ]
    return found, report.problem or (_TOO_COMMON if len(paths) > MAX_READ else None)


def _find_declarations(name: str, *, text: str, path: str) -> Iterator[Scope]:
    """Return the functions and classes of a file whose qualified name ends with the name."""
    wanted = _split(name)
    try:
        code = parse(text, path=path)
    except ParseOverdue:
        code = None
    for scope in scopes(code) if code else ():
        if (
            scope.is_named
            and scope.kind is not Kind.INITIALIZER
            and scope.qualified_name.split(".")[-len(wanted) :] == wanted
        ):
            yield scope


def _split(name: str) -> list[str]:
    plain = name.strip().removesuffix("()").replace("::", ".").replace("#", ".").replace("$", ".")
    return [part for part in plain.split(".") if part] or [plain]


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
        last = _split(ask.symbol)[-1]
        found = re.search(rf"(?<![\w$]){re.escape(last)}(?![\w$])", line)
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
        code = parse(text, path=path)
    except (ToolError, ParseOverdue):
        return None
    lines = text.split("\n")
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


async def _no_symbol(name: str, *, workspaces: Sequence[KnownWorkspace]) -> ToolError:
    near: list[str] = []
    for workspace in workspaces:
        rows = await graph.find_symbols(name, workspace_id=workspace.id, is_prefix=True, limit=10)
        near += [row.qualified_name for row in rows]
    near = list(dict.fromkeys(near))[:10]
    return ToolError(
        NO_RESULTS,
        f"No function, method or class '{name[:100]}' is defined in the workspaces of this key.",
        suggestion=f"These begin so: {', '.join(near)}." if near else "Search for text with search_code.",
        field="name",
        details={"near": near} if near else None,
    )


async def _source_files(root: str) -> SourceFiles:
    return get_caller_search().get_source_files(root)
