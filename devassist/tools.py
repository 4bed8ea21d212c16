"""What an agent may ask about code and its errors; functions in the order of the contract."""

import asyncio

from devassist.code_context import context_of
from devassist.contracts.get_code_context import CodeContext, CodeContextQuestion
from devassist.contracts.get_user_error_context import ErrorContext, ErrorContextQuestion
from devassist.contracts.read_file import FileText, ReadFileQuestion
from devassist.contracts.web_search_wiki import WebResults, WebSearchQuestion
from devassist.dialect import (
    DEADLINE_SECONDS,
    FILE_CODES,
    LINE_OUT_OF_RANGE,
    NO_ACTIVE_EDITOR,
    NO_DIAGNOSTICS,
    DevassistDialect,
)
from devassist.editor.context import error_context
from devassist.slots import SLOTS
from devassist.web import searching
from devassist.web.configured import configured
from devassist.web.refusals import ERRORS as WEB_ERRORS
from devassist.workspace_files import read
from devassist.workspaces import workspace_for
from toolbox.callers import CallContext
from toolbox.tool import Toolkit

toolkit = Toolkit(
    domain="devassist",
    summary="Reading code, finding callers, remembering past root causes.",
    dialect=DevassistDialect(),
    slots=SLOTS,
)

_CRASHED = "app/src/main/kotlin/com/example/trailnotes/ui/NoteListFragment.kt"


@toolkit.tool(
    example=ReadFileQuestion(file_path=_CRASHED, line_start=1, line_end=20),
    errors=FILE_CODES,
    queries=0,
    deadline_seconds=DEADLINE_SECONDS,
)
async def read_file(ask: ReadFileQuestion, call: CallContext) -> FileText:
    """
    Read a text file of the workspace, whole or a range of lines.

    Paths are relative to the workspace's root. For the code around an error use get_code_context, which also names the
    enclosing function and the imports.
    """
    workspace = await workspace_for(call.caller, named=ask.workspace)
    return await asyncio.to_thread(read, ask, workspace=workspace)


@toolkit.tool(
    example=WebSearchQuestion(query="Fragment binding NullPointerException after onDestroyView", sources=["docs"]),
    errors=WEB_ERRORS,
    deadline_seconds=DEADLINE_SECONDS,
)
async def web_search_wiki(ask: WebSearchQuestion) -> WebResults:
    """
    Search documentation outside the code: Stack Overflow, GitHub issues, MDN, and docs pages ingested here.

    Send an error's name and message, a function's name or a concept; not a whole stack trace.
    """
    return await searching.search(ask, rules=configured())


@toolkit.tool(
    example=CodeContextQuestion(file_path=_CRASHED, line=56, context_lines=10),
    errors=(*FILE_CODES, LINE_OUT_OF_RANGE),
    queries=0,
    deadline_seconds=DEADLINE_SECONDS,
)
async def get_code_context(ask: CodeContextQuestion, call: CallContext) -> CodeContext:
    """
    Extract the code around an error: lines before and after, the function that the line is in, and its imports.

    Use it with file and line of a stack trace's first own frame. The whole function is read_file from startLine to
    endLine; who calls it is find_callers_of_function.
    """
    workspace = await workspace_for(call.caller, named=ask.workspace)
    return await asyncio.to_thread(context_of, ask, workspace=workspace)


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
    return await error_context(ask, caller=call.caller)
