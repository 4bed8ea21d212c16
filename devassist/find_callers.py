"""The `find_callers_of_function` tool, with the language servers of this process on its event loop."""

import asyncio
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Literal

from django.conf import settings

from devassist.bounds import Bounds
from devassist.callers.caller_search import CallerSearch, FoundCallers
from devassist.callers.code import Code, Function
from devassist.callers.declarations import find_functions, names
from devassist.callers.languages import LanguageServer, NoCommand, read_settings, server_for
from devassist.callers.search import CallerQuestion, join_reasons
from devassist.callers.servers import NotNow, Servers
from devassist.callers.session import Machine
from devassist.callers.traversal import Caller, FoundBy, Place
from devassist.code_graph.freshness import ensure_graph
from devassist.contracts.find_callers import CallerFound, CallersFound, FindCallersQuestion, FunctionMatch
from devassist.error_envelope import FUNCTION_NOT_FOUND, LSP_UNAVAILABLE
from devassist.files.read_lines import read_source
from devassist.files.safe_open import open_file
from devassist.syntax.parse import MAX_BYTES
from devassist.workspaces import KnownWorkspace
from toolbox.contract.errors import ToolError
from toolbox.database import event_loop

ANSWER_SECONDS = 1.6
"""The contract allows 2 s. The answer comes earlier, with what is known."""
GRAPH_SHARE = 0.6
"""The share of that time for updating a stale graph."""
MAX_MEANT = 50
"""The maximum functions of one name in a file whose callers are looked for."""
_LISTED = 12

_caller_search: CallerSearch | None = None
_servers: tuple[LanguageServer, ...] | None = None


async def find_callers(ask: FindCallersQuestion, *, workspace: KnownWorkspace) -> CallersFound:
    """Find the callers in time. Raises ToolError: the codes of files, FUNCTION_NOT_FOUND, LSP_UNAVAILABLE."""
    started = asyncio.get_running_loop().time()
    root = await asyncio.to_thread(os.path.realpath, workspace.root)
    functions = await asyncio.to_thread(_find_targets, ask, root=root, shows_secrets=workspace.shows_secrets)
    bounds = Bounds()
    functions = bounds.take(functions, most=MAX_MEANT, what="functions of that name in the file")
    server = None if ask.syntactic else server_of(ask.file_path)
    graph = await ensure_graph(
        workspace.id, root=root, shows_secrets=workspace.shows_secrets, seconds=ANSWER_SECONDS * GRAPH_SHARE
    )
    usable = workspace.id if graph.is_current or graph.changed is not None else None
    asked = CallerQuestion(
        targets=_targets(ask, functions=functions), depth=ask.max_depth, server=server, graph=usable,
        changed=graph.changed,
    )  # fmt: skip
    left = ANSWER_SECONDS - (asyncio.get_running_loop().time() - started)
    reasons = [*filter(None, [graph.reason]), *bounds.reasons]
    try:
        found = await event_loop.run_on_loop(partial(_search, asked, root=root, seconds=max(left, 0.1)))
    except (NoCommand, NotNow) as missing:
        refusal = (
            _not_installed(server, program=str(missing))
            if isinstance(missing, NoCommand)
            else _refuse_failing(server, error=missing)
        )
        if usable is None:
            raise refusal from missing
        reasons.append(f"{refusal.message} These callers are the code graph's.")
        left = ANSWER_SECONDS - (asyncio.get_running_loop().time() - started)
        alone = replace(asked, server=None)
        found = await event_loop.run_on_loop(partial(_search, alone, root=root, seconds=max(left, 0.1)))
    return _answer(
        ask, found=replace(found, reason=join_reasons([*filter(None, [found.reason]), *reasons])), functions=functions
    )


def server_of(path: str) -> LanguageServer:
    """Return the server that supports the file's language. Raises ToolError."""
    server = server_for(path, servers=known_servers())
    if server is None:
        raise _unavailable(
            f"No language server is set for files like '{path[-100:]}'.",
            suggestion="Add one to the setting DEVASSIST_LANGUAGE_SERVERS, or search by name with syntactic true.",
        )
    return server


def known_servers() -> tuple[LanguageServer, ...]:
    """Return the language servers of the settings."""
    global _servers
    if _servers is None:
        _servers = read_settings(settings.DEVASSIST_LANGUAGE_SERVERS)
    return _servers


def list_installed() -> dict[str, bool]:
    """Return whether the program of each configured language server is installed. Only looks at files."""
    return {server.name: _is_installed(server) for server in known_servers()}


def get_caller_search() -> CallerSearch:
    """Return the caller search of this process, created on first use. Call it on the server's event loop only."""
    global _caller_search
    if _caller_search is None:
        servers = Servers(
            _machine(), most=settings.DEVASSIST_MOST_SERVERS, idle_seconds=settings.DEVASSIST_IDLE_MINUTES * 60
        )
        _caller_search = CallerSearch(servers)
    return _caller_search


async def close() -> None:
    """Stop this process's language servers. The next search starts them again with the settings of that time."""
    global _caller_search, _servers
    closing, _caller_search, _servers = _caller_search, None, None
    if closing:
        await closing.close()


def _forget() -> None:
    """Forget the parent's servers in a forked child."""
    global _caller_search
    _caller_search = None


event_loop.on_shutdown(close)
os.register_at_fork(after_in_child=_forget)


def _machine() -> Machine:
    return Machine(
        places={"servers": str(settings.DEVASSIST_SERVERS_DIR), "bin": str(Path(sys.executable).parent)},
        environment=settings.DEVASSIST_SERVER_ENVIRONMENT,
        data=Path(settings.DEVASSIST_SERVERS_DIR) / "data",
    )


def _is_installed(server: LanguageServer) -> bool:
    try:
        _machine().command(server, data="")
    except NoCommand:
        return False
    return True


async def _search(asked: CallerQuestion, *, root: str, seconds: float) -> FoundCallers:
    return await get_caller_search().ask(asked, root=root, seconds=seconds)


def _find_targets(ask: FindCallersQuestion, *, root: str, shows_secrets: bool) -> list[Function]:
    """Return the functions that the name means in its file."""
    with open_file(ask.file_path, root=root, shows_secrets=shows_secrets) as descriptor:
        text = read_source(descriptor, path=ask.file_path, limit=MAX_BYTES)
    code = Code.parse(text, path=ask.file_path)
    if code is None:
        raise ToolError(
            LSP_UNAVAILABLE,
            f"Callers are not known in files like '{ask.file_path[-100:]}'.",
            suggestion="Ask about a Kotlin, Java, TypeScript, JavaScript or Python file.",
            field="filePath",
        )
    return find_functions(ask.function_name, code=code) or _no_function(ask, code=code)


def _targets(ask: FindCallersQuestion, *, functions: Sequence[Function]) -> tuple[tuple[Place, str], ...]:
    """Return each function with the name that ends its chains: the requested one, unless it is ambiguous."""
    path = os.path.normpath(ask.file_path)
    places = [Place(path=path, function=function) for function in functions]
    if ask.syntactic:
        return ((places[0], ask.function_name),)
    is_one = len({function.qualified for function in functions}) == 1
    return tuple((place, ask.function_name if is_one else place.function.qualified) for place in places)


def _answer(ask: FindCallersQuestion, *, found: FoundCallers, functions: Sequence[Function]) -> CallersFound:
    several = len(functions) > 1 and not ask.syntactic
    return CallersFound(
        function_name=ask.function_name,
        file_path=ask.file_path,
        callers=[_row(caller) for caller in found.callers[: ask.max_callers]],
        total_callers=len(found.callers),
        incomplete=found.reason is not None,
        incomplete_reason=found.reason,
        definitions=[FunctionMatch(name=one.qualified, line=one.line + 1) for one in functions] if several else None,
    )


def _row(caller: Caller) -> CallerFound:
    first, *others = caller.lines
    return CallerFound(
        caller_name=caller.name,
        file_path=caller.path,
        line=first,
        call_chain=caller.chain,
        depth=caller.depth,
        found_by=_FOUND_BY[caller.found_by],
        confidence=round(caller.confidence, 2),
        other_lines=others[:_LISTED] or None,
    )


_FOUND_BY: dict[FoundBy, Literal["server", "hierarchy", "syntax"]] = {
    FoundBy.CALL_HIERARCHY: "server",
    FoundBy.REFERENCE: "server",
    FoundBy.HIERARCHY: "hierarchy",
    FoundBy.SYNTAX: "syntax",
}


def _no_function(ask: FindCallersQuestion, *, code: Code) -> list[Function]:
    known = names(code)
    near = get_close_matches(ask.function_name, known, n=_LISTED, cutoff=0.4) or known[:_LISTED]
    listed = f"It defines: {', '.join(near)}." if near else "It defines none; name the file that does."
    raise ToolError(
        FUNCTION_NOT_FOUND,
        f"'{ask.file_path[:200]}' defines no function '{ask.function_name}'",
        suggestion=listed,
        field="functionName",
        details={"functions": near},
    )


def _not_installed(server: LanguageServer | None, *, program: str) -> ToolError:
    name, install = (server.name, server.install) if server else ("", "")
    return _unavailable(
        f"The language server '{name}' is not installed: there is no {Path(program).name}.",
        suggestion=f"The operator of this server installs it by: {install}. Until then search with syntactic true.",
    )


def _refuse_failing(server: LanguageServer | None, *, error: NotNow) -> ToolError:
    return _unavailable(
        f"The language server '{server.name if server else ''}' does not stay up: {error}.",
        suggestion=f"Ask again in {error.seconds:.0f} s, or search by name with syntactic true.",
        retry_after_seconds=int(error.seconds) + 1,
    )


def _unavailable(message: str, *, suggestion: str, retry_after_seconds: int | None = None) -> ToolError:
    return ToolError(
        LSP_UNAVAILABLE,
        message,
        suggestion=suggestion,
        field="filePath",
        retry_with={"syntactic": True},
        retry_after_seconds=retry_after_seconds,
    )
