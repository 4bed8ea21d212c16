"""
Bring together what is known about a stack trace, in parts that are asked at the same time.

Each part is what another tool answers, and names that tool with its arguments; a part that is late or fails is named in
`unknown`. The text is cut and its secrets are masked before anything else sees it.
"""

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from devassist.bounds import Bounds
from devassist.contracts.diagnose import (
    CandidateFile,
    CommitFound,
    DiagnoseQuestion,
    Diagnosis,
    FrameCaller,
    FrameCallers,
    FrameCode,
    FrameHistory,
    OwnFrame,
    PublicAnswer,
    PublicAnswers,
    SimilarCause,
    SimilarCauses,
    ToolCall,
    TracedError,
)
from devassist.contracts.find_callers import FindCallersQuestion
from devassist.contracts.get_user_error_context import ErrorContextQuestion
from devassist.contracts.vector_search_db import PastErrorsQuestion
from devassist.contracts.web_search_wiki import WebSearchQuestion
from devassist.diagnosis.budget import fit_budget
from devassist.diagnosis.checks import suggest_checks
from devassist.diagnosis.history import Commit, NoHistory, Repository
from devassist.diagnosis.places import Candidate, FileIndex, Placement
from devassist.diagnosis.traces import MAX_ERRORS, MAX_FRAMES, MAX_MESSAGE, Language, RaisedError, Trace, parse_trace
from devassist.editor.context import error_context
from devassist.error_envelope import EMBEDDING_FAILED, INVALID_PARAMETERS, NO_ACTIVE_EDITOR, NO_RESULTS
from devassist.find_callers import find_callers
from devassist.past_errors.explain import explain
from devassist.root_causes.search import search_uncounted
from devassist.syntax.functions import find_enclosing, functions
from devassist.web import search
from devassist.web.source_search import WebRules
from devassist.workspaces import KnownWorkspace
from toolbox.contract.caller import Caller
from toolbox.contract.errors import ToolError
from toolbox.text.redaction import MaskedText, mask_pem_blocks

PART_SECONDS = 1.2
"""The time limit of a part. The whole answer takes at most 1.5 s."""
MEANING_SECONDS = 0.6
"""The time limit for the embedding model. While it is loading, the search uses words alone."""
WEB_SECONDS = 0.9
MAX_OWN_FRAMES = 6
MAX_HISTORIES = 3
MAX_SIMILAR = 3
MAX_CHARACTERS = 200_000
CODE_LINES = 6
_CUT_MARK = "\n… (cut here) …\n"
_NO_FUNCTION = ("<module>", "<anonymous>", "")

Part = TypeVar("Part")
_LANGUAGES = {Language.PYTHON: "python", Language.JAVASCRIPT: "javascript", Language.JVM: "java"}


@dataclass(frozen=True, slots=True)
class _PlacedFrame:
    """A frame with its error and its file."""

    error: RaisedError
    placement: Placement

    @property
    def is_own(self) -> bool:
        """Return whether it is the user's own code: a file of a workspace, or a path outside of libraries."""
        if self.placement.chosen or self.placement.candidates:
            return True
        return bool(self.placement.frame.path) and not self.placement.frame.is_library


@dataclass(slots=True)
class _Unknowns:
    """What could not be found out."""

    reasons: list[str] = field(default_factory=list)

    async def wait(self, part: Awaitable[Part], *, name: str, seconds: float | None = None) -> Part | None:
        """Wait for a part. A refusal or a timeout becomes a reason."""
        seconds = PART_SECONDS if seconds is None else seconds
        try:
            async with asyncio.timeout(seconds):
                return await part
        except TimeoutError:
            self.reasons.append(f"{name}: took longer than {seconds:g} s.")
        except ToolError as refused:
            self.reasons.append(f"{name}: {refused.message}")
        return None


async def diagnose(
    ask: DiagnoseQuestion, *, caller: Caller, workspaces: Sequence[KnownWorkspace], rules: WebRules
) -> Diagnosis:
    """Diagnose a stack trace. Raises ToolError if there is no trace."""
    unknown = _Unknowns()
    text, read_from = await _read(ask, caller=caller)
    trace = await asyncio.to_thread(parse_trace, text)
    if not trace.errors:
        raise _no_trace(read_from)
    index = await asyncio.to_thread(FileIndex, workspaces)
    placed = await asyncio.to_thread(_place, trace, index=index)
    bounds = Bounds()
    own = bounds.take([one for one in placed if one.is_own], most=MAX_OWN_FRAMES, what="own frames")
    frames, similar, public = await asyncio.gather(
        _describe_all(own, index=index, unknown=unknown, bounds=bounds),
        unknown.wait(_similar(text), name="Past root causes"),
        unknown.wait(_public(trace, rules=rules), name="Public answers", seconds=WEB_SECONDS)
        if ask.public_answers
        else _skip(),
    )
    unknown.reasons += [index.problem] if index.problem else []
    unknown.reasons += [*bounds.reasons, *_gaps(trace, own=own, is_text_cut=_CUT_MARK in text)]
    diagnosis = Diagnosis(
        fingerprint=trace.fingerprint(),
        read_from="trace" if read_from == "trace" else "editor",
        language=trace.language,
        errors=[TracedError(kind=one.kind, message=one.message, relation=one.relation) for one in trace.errors],
        frames=frames,
        library_frames=sum(not one.is_own for one in placed),
        similar=similar,
        public=public,
        unknown=list(dict.fromkeys(unknown.reasons)),
        next_checks=suggest_checks(trace, frames=frames, similar=similar),
        proposal=_proposal(trace, frames=frames),
    )
    return fit_budget(diagnosis, max_tokens=ask.max_tokens)


async def _read(ask: DiagnoseQuestion, *, caller: Caller) -> tuple[str, str]:
    """Return the text to read, cut and masked, and its source. Raises ToolError NO_ACTIVE_EDITOR."""
    if ask.trace is not None:
        return _mask(ask.trace), "trace"
    seen = await error_context(ErrorContextQuestion(capture_terminal=True), caller=caller)
    texts = [seen.selected_text or "", seen.terminal_output or ""]
    text = next((one for one in map(_mask, texts) if parse_trace(one).frames), "")
    return text or _mask("\n".join(one.message for one in seen.diagnostics if one.severity == "error")), "editor"


def _mask(text: str) -> str:
    """Cut a paste to the part that is read, and mask its secrets. A key at the cut is masked first."""
    text = mask_pem_blocks(text.replace("\x00", " "))
    half = MAX_CHARACTERS // 2
    return MaskedText(text if len(text) <= MAX_CHARACTERS else text[:half] + _CUT_MARK + text[-half:])


def _no_trace(read_from: str) -> ToolError:
    if read_from == "editor":
        return ToolError(
            NO_ACTIVE_EDITOR,
            "The user's editor and terminal show no stack trace.",
            suggestion="Ask the user to paste the stack trace, and send it as trace.",
            field="trace",
        )
    return ToolError(
        INVALID_PARAMETERS,
        "trace holds no stack trace of Python, JavaScript or the JVM",
        suggestion="Send the trace whole, with its frames; search for a bare message with vector_search_db.",
        field="trace",
    )


def _place(trace: Trace, *, index: FileIndex) -> list[_PlacedFrame]:
    """Find the file of every frame once, those of the root cause first."""
    root = trace.root
    ordered = sorted(trace.errors, key=lambda error: error is not root)
    placed: dict[object, _PlacedFrame] = {}
    for error in ordered:
        for frame in error.frames:
            key = (frame.path, frame.line, frame.function)
            if not frame.is_synthetic and key not in placed:
                is_foreign = frame.is_library or not frame.path
                placement = Placement(frame=frame) if is_foreign else index.place(frame)
                placed[key] = _PlacedFrame(error, placement)
    return list(placed.values())


async def _describe_all(
    own: Sequence[_PlacedFrame], *, index: FileIndex, unknown: _Unknowns, bounds: Bounds
) -> list[OwnFrame]:
    """Describe own frames: code of each, callers of each function once, history of the first."""
    known = [one for one in own if one.placement.chosen]
    in_trace = {_caller_key(one.placement.chosen) for one in known if one.placement.chosen}
    firsts: dict[tuple[str, str], _PlacedFrame] = {}
    for one in known:
        firsts.setdefault(_caller_key(one.placement.chosen), one)
    dated = bounds.take(known, most=MAX_HISTORIES, what="own frames whose history counts")
    callers, histories, codes = await asyncio.gather(
        asyncio.gather(*(_callers(one, in_trace=in_trace, unknown=unknown) for one in firsts.values())),
        unknown.wait(asyncio.to_thread(_histories, dated, index=index), name="History"),
        asyncio.to_thread(lambda: [_code(one, index=index) for one in own]),
    )
    found_callers = dict(zip(map(id, firsts.values()), callers, strict=True))
    found_histories, problem = histories or ({}, "")
    unknown.reasons += [problem] if problem else []
    return [
        _frame(one, code=code, callers=found_callers.get(id(one)), history=found_histories.get(id(one)))
        for one, code in zip(own, codes, strict=True)
    ]


def _frame(
    one: _PlacedFrame, *, code: FrameCode | None, callers: FrameCallers | None, history: FrameHistory | None
) -> OwnFrame:
    frame, chosen = one.placement.frame, one.placement.chosen
    shown = one.placement.candidates if not chosen else ()
    scope = f"{frame.scope}." if frame.scope else ""
    place = f"{frame.path}:{frame.line}" if frame.line else frame.path
    note = " ".join(
        part for part in ("By a source map." if one.placement.is_mapped else "", one.placement.note) if part
    )
    return OwnFrame(
        printed=f"{place} in {scope}{frame.function}" if frame.function else place,
        error=one.error.kind,
        workspace=chosen.workspace.name if chosen else None,
        file_path=chosen.path if chosen else None,
        line=chosen.line if chosen else None,
        note=note or None,
        candidates=[
            CandidateFile(workspace=each.workspace.name, file_path=each.path, matching_segments=each.segments)
            for each in shown
        ]
        or None,
        code=code,
        callers=callers,
        history=history,
    )


def _code(one: _PlacedFrame, *, index: FileIndex) -> FrameCode | None:
    chosen = one.placement.chosen
    text = index.text(chosen.path, workspace=chosen.workspace) if chosen else None
    if chosen is None or text is None or chosen.line is None:
        return None
    lines = text.split("\n")
    start = max(chosen.line - 1 - CODE_LINES, 0)
    code = index.code(chosen.path, workspace=chosen.workspace)
    around = find_enclosing(functions(code), code=code, line=chosen.line) if code else None
    arguments = {"filePath": chosen.path, "line": chosen.line, "workspace": chosen.workspace.name}
    return FrameCode(
        start_line=start + 1,
        text="\n".join(line[:300] for line in lines[start : chosen.line + CODE_LINES]),
        function=around.qualified_name if around else None,
        signature=around.signature if around else None,
        source=ToolCall(tool="get_code_context", arguments=arguments),
    )


async def _callers(one: _PlacedFrame, *, in_trace: set[tuple[str, str]], unknown: _Unknowns) -> FrameCallers | None:
    """Find the callers of the frame's function by name, which is fast and incomplete."""
    chosen = one.placement.chosen
    if chosen is None or not chosen.is_callable or chosen.function.rpartition(".")[2] in _NO_FUNCTION:
        return None
    ask = FindCallersQuestion(
        function_name=chosen.function, file_path=chosen.path, max_depth=1, max_callers=5, syntactic=True
    )
    source = ToolCall(
        tool="find_callers_of_function",
        arguments={
            "functionName": chosen.function, "filePath": chosen.path, "maxDepth": 1, "maxCallers": 5, "syntactic": True,
            "workspace": chosen.workspace.name,
        },
    )  # fmt: skip
    found = await unknown.wait(find_callers(ask, workspace=chosen.workspace), name=f"Callers of {chosen.function}")
    if found is None:
        return None
    return FrameCallers(
        callers=[
            FrameCaller(
                caller_name=each.caller_name, file_path=each.file_path, line=each.line,
                is_in_trace=(each.file_path, each.caller_name) in in_trace,
            )
            for each in found.callers
        ],
        total=found.total_callers, incomplete=found.incomplete_reason, source=source,
    )  # fmt: skip


def _caller_key(chosen: Candidate | None) -> tuple[str, str]:
    return (chosen.path, chosen.function) if chosen else ("", "")


def _histories(known: Sequence[_PlacedFrame], *, index: FileIndex) -> tuple[dict[int, FrameHistory], str]:
    """Read who changed the lines of frames, or the reason why that is unknown."""
    found: dict[int, FrameHistory] = {}
    problem = ""
    for one in known:
        chosen = one.placement.chosen
        text = index.text(chosen.path, workspace=chosen.workspace) if chosen else None
        if chosen is None or text is None or chosen.line is None:
            continue
        try:
            with Repository(chosen.workspace.root) as repository:
                code = index.code(chosen.path, workspace=chosen.workspace)
                around = find_enclosing(functions(code), code=code, line=chosen.line) if code else None
                span = (around.start_line, around.end_line) if around else None
                told = repository.history_of(chosen.path, line=chosen.line, text=text, around=span)
        except NoHistory as missing:
            problem = f"History of {chosen.path}: {missing}."
            continue
        found[id(one)] = FrameHistory(
            blamed=_commit(told.blamed) if told.blamed else None,
            commits=[_commit(commit) for commit in told.commits],
            note=told.note or None,
        )
    return found, problem


def _commit(commit: Commit) -> CommitFound:
    return CommitFound(hash=commit.hash, author=commit.author, date=commit.date, subject=commit.subject)


async def _similar(text: str) -> SimilarCauses:
    """Find past errors, by words alone if the embedding model is unavailable."""
    ask = PastErrorsQuestion(query=text, limit=MAX_SIMILAR)
    try:
        async with asyncio.timeout(MEANING_SECONDS):
            found = await search_uncounted(ask)
    except (TimeoutError, ToolError) as failed:
        if isinstance(failed, ToolError) and failed.code != EMBEDDING_FAILED:
            raise
        ask = PastErrorsQuestion(query=text, limit=MAX_SIMILAR, mode="words")
        found = await search_uncounted(ask)
    if not found.rows:
        by = "by words alone, for the model is not ready" if ask.mode else "by meaning and by words"
        raise ToolError(NO_RESULTS, f"none is like this error, {by}.", suggestion="Search in other words.")
    arguments: dict[str, Any] = {"query": found.paste.words, "limit": MAX_SIMILAR}
    by_words = "By words alone. " if ask.mode else ""
    return SimilarCauses(
        causes=[
            SimilarCause(
                id=row["entry_name"], error_description=row["error_description"], root_cause=row["root_cause"],
                solution=row["solution"], confidence=row["confidence"], similarity=round(row["similarity"], 4),
                why=by_words + why.sentence, shared_words=list(why.words),
            )
            for row, why in await explain(found, rows=found.rows)
        ],
        source=ToolCall(tool="vector_search_db", arguments=arguments | ({"mode": ask.mode} if ask.mode else {})),
    )  # fmt: skip


async def _public(trace: Trace, *, rules: WebRules) -> PublicAnswers | None:
    root = trace.root
    query = f"{root.kind} {root.message}".strip()[:200] if root else ""
    if root is None or not root.kind:
        return None
    found = await search.search(WebSearchQuestion(query=query, max_results=3), rules=rules)
    return PublicAnswers(
        answers=[PublicAnswer(title=one.title, url=one.url, snippet=one.snippet) for one in found.results],
        source=ToolCall(tool="web_search_wiki", arguments={"query": query, "maxResults": 3}),
    )


async def _skip() -> None:
    """Stand in for a part that was not requested."""


def _gaps(trace: Trace, *, own: Sequence[_PlacedFrame], is_text_cut: bool) -> list[str]:
    """List what the answer does not know."""
    gaps = ["The values of variables when it failed: a trace does not hold them."]
    gaps += [f"Only the first and last {MAX_CHARACTERS // 2:,} characters were read."] if is_text_cut else []
    gaps += [f"Only the first {MAX_FRAMES} frames, of at most {MAX_ERRORS} errors, were read."] if trace.is_cut else []
    gaps += [f"Messages were cut to {MAX_MESSAGE:,} characters."] if trace.has_cut_message else []
    gaps += ["No frame is of the user's own code."] if not own else []
    unplaced = [one for one in own if one.placement.chosen is None]
    if unplaced:
        gaps.append(f"Which files {len(unplaced)} of {len(own)} own frames mean: see their notes.")
    return gaps


def _proposal(trace: Trace, *, frames: Sequence[OwnFrame]) -> dict[str, str]:
    """Return the arguments for propose_rca. Cause and solution stay empty."""
    root = trace.root
    first = next((frame for frame in frames if frame.file_path), None)
    language = _LANGUAGES.get(trace.language, "unknown") if trace.language else "unknown"
    if first and first.file_path and first.file_path.endswith((".kt", ".kts")):
        language = "kotlin"
    if first and first.file_path and first.file_path.endswith((".ts", ".tsx", ".mts", ".cts")):
        language = "typescript"
    function = f" in {first.code.function}" if first and first.code and first.code.function else ""
    message = f": {root.message}" if root and root.message else ""
    kind = root.kind if root and root.kind else "unknown"
    return {"errorDescription": f"{kind}{message}{function}"[:4_000], "errorType": kind[:200], "language": language}
