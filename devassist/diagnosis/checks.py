"""Suggestions of next checks from what is known about a trace. Pure."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from devassist.contracts.diagnose import NextCheck, OwnFrame, SimilarCauses, ToolCall
from devassist.diagnosis.traces import Trace

MAX_CHECKS = 3
_MIN_LITERAL = 8


def suggest_checks(trace: Trace, *, frames: Sequence[OwnFrame], similar: SimilarCauses | None) -> list[NextCheck]:
    """Return three checks at most, the most useful first. Each is a complete call."""
    found: dict[str, NextCheck] = {}
    for check in _checks(trace, frames=frames, similar=similar):
        found.setdefault(check.source.model_dump_json(), check)
    return list(islice(found.values(), MAX_CHECKS))


def _checks(trace: Trace, *, frames: Sequence[OwnFrame], similar: SimilarCauses | None) -> Iterator[NextCheck]:
    placed = [frame for frame in frames if frame.file_path]
    unplaced = next((frame for frame in frames if frame.candidates), None)
    if unplaced and (not placed or frames[0] is unplaced) and unplaced.candidates:
        yield _check(
            f"Which of these files {unplaced.printed} means: compare the line with the trace.", "read_file",
            filePath=unplaced.candidates[0].file_path, workspace=unplaced.candidates[0].workspace,
        )  # fmt: skip
    if similar and placed and similar.causes:
        cause = similar.causes[0]
        yield _check(
            f"Whether the code does what past root cause {cause.id} says: {_first_sentence(cause.root_cause)}",
            "read_file", filePath=placed[0].file_path, workspace=placed[0].workspace,
        )  # fmt: skip
    for frame in placed:
        outside = [one for one in frame.callers.callers if not one.is_in_trace] if frame.callers else []
        if frame.callers and frame.code and frame.code.function and (outside or frame.callers.incomplete):
            others = f"{len(outside)} other callers" if len(outside) > 1 else "another caller" if outside else "callers"
            yield _check(
                f"Whether {others} of {frame.code.function} can reach the same state, as a language server knows them.",
                "find_callers_of_function",
                functionName=frame.code.function, filePath=frame.file_path, workspace=frame.workspace,
            )  # fmt: skip
            break
    for frame in placed:
        if frame.history and frame.code:
            commit = frame.history.commits[0] if frame.history.commits else None
            said = (
                f"commit {commit.hash} ({commit.date}: {commit.subject})" if commit else "the change not yet committed"
            )
            yield _check(
                f"Whether {said} brought the error: it touched these lines last.", "get_code_context",
                filePath=frame.file_path, line=frame.line, workspace=frame.workspace,
            )  # fmt: skip
            break
    yield from _searches(trace, placed=placed)


def _searches(trace: Trace, *, placed: Sequence[OwnFrame]) -> Iterator[NextCheck]:
    root = trace.root
    literal = max(re.split(r"['\"`\d:=<>\[\](){}#@]+", root.message), key=len).strip() if root else ""
    if len(literal) >= _MIN_LITERAL:
        yield _check("Where the code makes this message, and on which condition.", "search_code", pattern=literal[:200])
    for frame in placed[1:3]:
        yield _check(
            f"What {frame.printed} hands on to the failing call.", "get_code_context",
            filePath=frame.file_path, line=frame.line, workspace=frame.workspace,
        )  # fmt: skip
    if root and root.kind:
        said = f"{root.kind}: {root.message}"[:300] if root.message else root.kind
        yield _check("Whether it was met before, in other words or unvalidated.", "vector_search_db", query=said)
    if placed:
        yield _check(
            "The rest of the file that failed.",
            "read_file",
            filePath=placed[0].file_path,
            workspace=placed[0].workspace,
        )


def _check(check: str, tool: str, **arguments: object) -> NextCheck:
    return NextCheck(check=check, source=ToolCall(tool=tool, arguments=arguments))


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=[.!?])\s", text, maxsplit=1)[0][:200]
