"""The `get_code_context` tool."""

from devassist import refusals
from devassist.contracts.get_code_context import (
    CodeContext,
    CodeContextQuestion,
    FunctionDefinition,
    Lambda,
    RelevantImport,
    Surroundings,
)
from devassist.syntax.functions import Scope, find_enclosing, functions, innermost_lambda
from devassist.syntax.imports import Import, imports, keep_used
from devassist.syntax.parse import Code, ParseOverdue, line_span, parse
from devassist.workspace_files import split_lines, text_of
from devassist.workspaces import KnownWorkspace

TOO_MUCH = "The file is too large or too broken to be parsed: function and imports are unknown."
NOT_WHOLE = "The file does not parse cleanly: function and imports are as well as could be told."
UNREAD = "Functions and imports are told of Kotlin, Java, TypeScript, JavaScript and Python."


def context_of(ask: CodeContextQuestion, *, workspace: KnownWorkspace) -> CodeContext:
    """Read the lines around the requested one, with the function and imports there. Raises ToolError."""
    text = text_of(ask.file_path, workspace=workspace)
    lines = split_lines(text)
    if ask.line > len(lines):
        raise refusals.line_out_of_range(ask.file_path, line=ask.line, count=len(lines))
    at, around = ask.line - 1, ask.context_lines
    function, found, incomplete = _syntax(text, ask=ask)
    return CodeContext(
        file_path=ask.file_path,
        error_line=ask.line,
        context=Surroundings(
            before="\n".join(lines[max(at - around, 0) : at]),
            error_line=lines[at],
            after="\n".join(lines[at + 1 : at + 1 + around]),
        ),
        function_definition=function if ask.include_function_def else None,
        relevant_imports=[
            RelevantImport(module=one.module, imported=[name.shown for name in one.names], line=one.line)
            for one in found
        ],
        incomplete=incomplete,
    )


def _syntax(text: str, *, ask: CodeContextQuestion) -> tuple[FunctionDefinition | None, list[Import], str | None]:
    """Return function and imports, or the reason why they may be missing."""
    try:
        code = parse(text, path=ask.file_path)
    except ParseOverdue:
        return None, [], TOO_MUCH
    if code is None:
        return None, [], UNREAD
    known = functions(code)
    function = find_enclosing(known, code=code, line=ask.line)
    start, end = (function.start, function.end) if function else line_span(code, line=ask.line)
    found = keep_used(imports(code), code=code, start=start, end=end)
    described = _describe(function, known=known, code=code, line=ask.line) if function else None
    return described, found, None if code.is_whole else NOT_WHOLE


def _describe(function: Scope, *, known: list[Scope], code: Code, line: int) -> FunctionDefinition:
    inner = innermost_lambda(known, code=code, line=line, within=function)
    return FunctionDefinition(
        name=function.name,
        qualified_name=function.qualified_name,
        start_line=function.start_line,
        end_line=function.end_line,
        signature=function.signature,
        inside_lambda=Lambda(start_line=inner.start_line, end_line=inner.end_line, passed_to=inner.passed_to)
        if inner
        else None,
    )
