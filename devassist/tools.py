"""Tools of devassist, in the order of the contract."""

import asyncio
from pathlib import Path

from devassist.contracts.diagnose import DiagnoseQuestion, Diagnosis
from devassist.contracts.find_callers import CallersFound, FindCallersQuestion
from devassist.contracts.get_code_context import CodeContext, CodeContextQuestion
from devassist.contracts.get_user_error_context import ErrorContext, ErrorContextQuestion
from devassist.contracts.propose_rca import Proposal, StoredProposal
from devassist.contracts.read_file import FileText, ReadFileQuestion
from devassist.contracts.search_code import CodeMatches, FileListing, ListFilesQuestion, SearchCodeQuestion
from devassist.contracts.symbols import (
    DefinitionsFound,
    FindImplementationsQuestion,
    FindSymbolQuestion,
    GoToDefinitionQuestion,
    SymbolsFound,
)
from devassist.contracts.vector_search_db import PastErrors, PastErrorsQuestion
from devassist.contracts.warm_workspace import WARMING_SECONDS, WarmQuestion, WarmWorkspace
from devassist.contracts.web_search_wiki import WebResults, WebSearchQuestion
from devassist.error_envelope import (
    DEADLINE_SECONDS,
    EMBEDDING_FAILED,
    FILE_CODES,
    FUNCTION_NOT_FOUND,
    LINE_OUT_OF_RANGE,
    LSP_UNAVAILABLE,
    NO_ACTIVE_EDITOR,
    NO_DIAGNOSTICS,
    NO_RESULTS,
    PERMISSION_DENIED,
    UNKNOWN_WORKSPACE,
    DevassistErrorEnvelope,
)
from devassist.root_causes.refusals import SEARCH_ERRORS
from devassist.slots import SLOTS
from devassist.web.refusals import ERRORS as WEB_ERRORS
from devassist.workspaces import readable_workspaces, workspace_of_file
from toolbox.contract.caller import CallContext
from toolbox.contract.client_channel import ClientChannel
from toolbox.contract.tool import Toolkit

toolkit = Toolkit(
    domain="devassist",
    summary="Reading code, finding callers, remembering past root causes.",
    envelope=DevassistErrorEnvelope(),
    slots=SLOTS,
)

SEARCH_SHARE = 0.75
"""The share of a call's time for looking at files. Then the answer says what is left."""
SAMPLES = Path(__file__).parent / "samples"
_CRASHED = "app/src/main/kotlin/com/example/trailnotes/ui/NoteListFragment.kt"
_REPOSITORY = "app/src/main/kotlin/com/example/trailnotes/data/NoteRepository.kt"


@toolkit.tool(
    example=ReadFileQuestion(file_path=_CRASHED, line_start=1, line_end=20),
    errors=FILE_CODES,
    queries=0,
    deadline_seconds=DEADLINE_SECONDS,
    version=2,
)
async def read_file(ask: ReadFileQuestion, client: ClientChannel) -> FileText:
    """
    Read a text file of the workspace, whole or a range of lines.

    Paths are relative to the workspace's root. For the code around an error use get_code_context, which also names the
    enclosing function and the imports.
    """
    from devassist.workspace_files import read

    workspace = await workspace_of_file(client, path=ask.file_path, named=ask.workspace)
    return await asyncio.to_thread(read, ask, workspace=workspace)


@toolkit.tool(
    example=WebSearchQuestion(query="Fragment binding NullPointerException after onDestroyView", sources=["docs"]),
    errors=WEB_ERRORS,
    deadline_seconds=DEADLINE_SECONDS,
    is_open_world=True,
)
async def web_search_wiki(ask: WebSearchQuestion) -> WebResults:
    """
    Search documentation outside the code: Stack Overflow, GitHub issues, MDN, and docs pages ingested here.

    Send an error's name and message, a function's name or a concept; not a whole stack trace.
    """
    from devassist.web import search
    from devassist.web.rules import read_rules

    return await search.search(ask, rules=read_rules())


@toolkit.tool(
    example=CodeContextQuestion(file_path=_CRASHED, line=56, context_lines=10),
    errors=(*FILE_CODES, LINE_OUT_OF_RANGE),
    queries=0,
    deadline_seconds=DEADLINE_SECONDS,
)
async def get_code_context(ask: CodeContextQuestion, client: ClientChannel) -> CodeContext:
    """
    Extract the code around an error: lines before and after, the function that the line is in, and its imports.

    Use it with file and line of a stack trace's first own frame. The whole function is read_file from startLine to
    endLine; who calls it is find_callers_of_function.
    """
    from devassist.code_context import context_of

    workspace = await workspace_of_file(client, path=ask.file_path, named=ask.workspace)
    return await asyncio.to_thread(context_of, ask, workspace=workspace)


@toolkit.tool(
    example=FindCallersQuestion(function_name="NoteRepository.save", file_path=_REPOSITORY, syntactic=True),
    errors=(*FILE_CODES, FUNCTION_NOT_FOUND, LSP_UNAVAILABLE),
    queries=1,
    deadline_seconds=DEADLINE_SECONDS,
)
async def find_callers_of_function(ask: FindCallersQuestion, client: ClientChannel) -> CallersFound:
    """
    Find the functions that call a function, and their callers in turn, by a language server.

    Trace with it how an error got where it was seen. With incomplete true there may be more callers than listed: read
    incompleteReason, and ask again where it says so. Works for Kotlin, Java, TypeScript, JavaScript, Python.
    """
    from devassist.find_callers import find_callers

    workspace = await workspace_of_file(client, path=ask.file_path, named=ask.workspace)
    return await find_callers(ask, workspace=workspace)


@toolkit.tool(
    example=PastErrorsQuestion(
        query="kotlin.UninitializedPropertyAccessException: lateinit property adapter has not been initialized",
        language="kotlin",
        limit=3,
    ),
    errors=SEARCH_ERRORS,
    queries=3,
    deadline_seconds=DEADLINE_SECONDS,
)
async def vector_search_db(ask: PastErrorsQuestion) -> PastErrors:
    """
    Find past errors like this one, with their root causes and what fixed them.

    Send the message or the whole stack trace as query; the lines that matter are found. Filters are strict: leave
    language and errorType out unless sure. NO_RESULTS means that nothing relevant is known; nothing is made up.
    """
    from devassist.root_causes.search import find

    return await find(ask)


@toolkit.tool(
    example=Proposal(
        error_description="IllegalStateException: Fragment TrailMapFragment not attached to a context, when the map "
        "tiles arrive after the user went back",
        root_cause="The download's callback calls requireContext() after the fragment was detached.",
        solution="Collect the download in viewLifecycleOwner.lifecycleScope, which ends with the view.",
        language="kotlin",
        error_type="IllegalStateException",
        fixed_in="app/src/main/kotlin/com/example/trailnotes/ui/TrailMapFragment.kt",
    ),
    errors=(EMBEDDING_FAILED,),
    queries=3,
    version=2,
    writes=True,
    deadline_seconds=DEADLINE_SECONDS,
)
async def propose_rca(ask: Proposal, call: CallContext) -> StoredProposal:
    """
    Keep what was learned from a solved error as a proposal, for a person to validate.

    Use it once an error is understood and fixed; say it generally, without secrets or names of people. It needs a key
    that may write, and in conversations a person's approval.
    """
    from devassist.root_causes.proposals import propose

    return await propose(ask, proposer=call.caller.name)


@toolkit.tool(
    example=ErrorContextQuestion(capture_terminal=True),
    errors=(NO_ACTIVE_EDITOR, NO_DIAGNOSTICS),
    queries=0,
    deadline_seconds=DEADLINE_SECONDS,
)
async def get_user_error_context(ask: ErrorContextQuestion, call: CallContext) -> ErrorContext:
    """
    See what the user sees: the open file, cursor, selection, diagnostics and, if asked, the terminal's last lines.

    Use it first when somebody says "this error" without pasting it.
    """
    from devassist.editor.context import error_context

    return await error_context(ask, caller=call.caller)


@toolkit.tool(
    example=SearchCodeQuestion(pattern="viewLifecycleOwner", globs=["*.kt"], context_lines=1),
    errors=(UNKNOWN_WORKSPACE, PERMISSION_DENIED),
    queries=0,
    deadline_seconds=DEADLINE_SECONDS,
)
async def search_code(ask: SearchCodeQuestion, client: ClientChannel) -> CodeMatches:
    """
    Search the text of every workspace line by line, for plain text or a regular expression.

    Ignored files, installed packages and secrets are left out. Narrow by globs; go on with nextCursor. For where a
    function or class is defined use find_symbol.
    """
    from devassist import code_search

    workspaces = await readable_workspaces(client.caller, named=ask.workspace)
    seconds = _search_seconds(client)
    return await asyncio.to_thread(code_search.search_code, ask, workspaces=workspaces, seconds=seconds)


@toolkit.tool(
    example=ListFilesQuestion(globs=["*.kt"], folder="app/src/main"),
    errors=(UNKNOWN_WORKSPACE, PERMISSION_DENIED),
    queries=0,
    deadline_seconds=DEADLINE_SECONDS,
)
async def list_files(ask: ListFilesQuestion, client: ClientChannel) -> FileListing:
    """
    List the files of every workspace by path, filtered by globs and folder.

    Use it to learn what there is before read_file. Ignored files, installed packages, links and secrets are left out.
    """
    from devassist import code_search

    workspaces = await readable_workspaces(client.caller, named=ask.workspace)
    seconds = _search_seconds(client)
    return await asyncio.to_thread(code_search.list_files, ask, workspaces=workspaces, seconds=seconds)


@toolkit.tool(
    example=FindSymbolQuestion(name="NoteListFragment.showNotes"),
    errors=(UNKNOWN_WORKSPACE, PERMISSION_DENIED, NO_RESULTS),
    queries=0,
    deadline_seconds=DEADLINE_SECONDS,
)
async def find_symbol(ask: FindSymbolQuestion, client: ClientChannel) -> SymbolsFound:
    """
    Find where a function, method, class or interface is defined, by name, in every workspace.

    Kotlin, Java, TypeScript, JavaScript and Python, in the files as they are now. For a name in a known line use
    go_to_definition; variables and constants are found by search_code.
    """
    from devassist import symbols

    workspaces = await readable_workspaces(client.caller, named=ask.workspace)
    return await symbols.find_symbols(ask, workspaces=workspaces, seconds=_search_seconds(client))


@toolkit.tool(
    example=FindImplementationsQuestion(
        name="NoteApi", file_path="app/src/main/kotlin/com/example/trailnotes/data/NoteApi.kt"
    ),
    errors=(*FILE_CODES, FUNCTION_NOT_FOUND),
    queries=3,
    deadline_seconds=DEADLINE_SECONDS,
)
async def find_implementations(ask: FindImplementationsQuestion, client: ClientChannel) -> SymbolsFound:
    """
    Find what implements an interface, extends a class, or overrides a method.

    It is answered from the workspace's code graph; incomplete says where that is still being built.
    """
    from devassist import symbols

    workspace = await workspace_of_file(client, path=ask.file_path, named=ask.workspace)
    return await symbols.find_implementations(ask, workspace=workspace)


@toolkit.tool(
    example=GoToDefinitionQuestion(file_path=_CRASHED, line=51, symbol="showNotes"),
    errors=(*FILE_CODES, LINE_OUT_OF_RANGE),
    queries=0,
    deadline_seconds=DEADLINE_SECONDS,
)
async def go_to_definition(ask: GoToDefinitionQuestion, client: ClientChannel) -> DefinitionsFound:
    """
    Find where a name that is used in a line is defined.

    A language server resolves it where one is ready; else definitions of that name are listed, and incomplete says so.
    """
    from devassist import symbols

    workspace = await workspace_of_file(client, path=ask.file_path, named=ask.workspace)
    return await symbols.go_to_definition(ask, workspace=workspace, seconds=_search_seconds(client))


@toolkit.tool(
    example=DiagnoseQuestion(trace=(SAMPLES / "crash.txt").read_text()),
    errors=(UNKNOWN_WORKSPACE, PERMISSION_DENIED, NO_ACTIVE_EDITOR),
    queries=5,
    deadline_seconds=DEADLINE_SECONDS,
    is_open_world=True,
)
async def diagnose(ask: DiagnoseQuestion, client: ClientChannel) -> Diagnosis:
    """
    Bring together what is known about a stack trace, in one call: begin here when something crashed.

    Own frames with their code, callers and last commits, past root causes like it, what is unknown, three next checks.
    Without trace it reads the user's editor and terminal. It names no cause by itself; each part says which tool gives
    more.
    """
    from devassist.diagnosis import diagnose as diagnosis
    from devassist.web.rules import read_rules

    workspaces = await readable_workspaces(client.caller, named=ask.workspace)
    return await diagnosis.diagnose(ask, caller=client.caller, workspaces=workspaces, rules=read_rules())


@toolkit.tool(example=WarmQuestion(), errors=(UNKNOWN_WORKSPACE,), queries=1, deadline_seconds=WARMING_SECONDS)
async def warm_workspace(ask: WarmQuestion, client: ClientChannel) -> WarmWorkspace:
    """
    Start a workspace's language servers, build its code graph, wait for both, and say what is ready or missing.

    Use it when find_callers_of_function said incomplete because a server was cold, then ask again.
    """
    from devassist.warm_workspace import warm_workspace

    return await warm_workspace(ask, client=client)


def _search_seconds(client: ClientChannel) -> float:
    left = client.seconds_left
    return SEARCH_SHARE * (DEADLINE_SECONDS if left is None else left)
