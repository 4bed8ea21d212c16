"""The `get_user_error_context` tool."""

from typing import Any

from devassist.contracts.get_user_error_context import (
    CursorPosition,
    Diagnostic,
    ErrorContext,
    ErrorContextQuestion,
)
from devassist.editor import queries
from devassist.error_envelope import NO_ACTIVE_EDITOR, NO_DIAGNOSTICS
from toolbox.contract.caller import Caller
from toolbox.contract.errors import ToolError
from toolbox.database.pools import owner_pool

_NO_FILE: dict[str, Any] = {
    "activeFile": "", "cursorPosition": {"line": 0, "character": 0}, "selectedText": "", "diagnostics": [],
    "workspace": "",
}  # fmt: skip


async def error_context(ask: ErrorContextQuestion, *, caller: Caller) -> ErrorContext:
    """
    Return the newest state of the caller's own editor. The operator of this machine gets the newest of all.

    Raises ToolError NO_ACTIVE_EDITOR, and NO_DIAGNOSTICS where diagnostics alone were asked for and there are none.
    """
    rows = {row["part"]: row for row in await _rows(caller)}
    editor, terminal = rows.get("editor"), rows.get("terminal") if ask.capture_terminal else None
    if editor is None and terminal is None:
        raise _no_editor(has_terminal="terminal" in rows)
    shown = editor["content"] if editor else _NO_FILE
    if ask.capture_diagnostics and not (ask.capture_selection or ask.capture_terminal or shown["diagnostics"]):
        raise _no_diagnostics(shown)
    used = [row for row in (editor, terminal) if row]
    return ErrorContext(
        active_file=shown["activeFile"],
        cursor_position=CursorPosition(**shown["cursorPosition"]),
        selected_text=(shown["selectedText"] or None) if ask.capture_selection else None,
        diagnostics=[Diagnostic(**one) for one in shown["diagnostics"]] if ask.capture_diagnostics else [],
        terminal_output=terminal["content"]["terminalOutput"] if terminal else None,
        workspace=shown["workspace"] or None,
        age_seconds=min(row["age_seconds"] for row in used),
        is_sample=True if any(row["is_sample"] for row in used) else None,
    )


async def _rows(caller: Caller) -> list[queries.Row]:
    """Read the caller's rows. A key and its conversations are known by their owner."""
    owner = caller.owner_id
    if owner is None:
        owner = await queries.find_last_owner(owner_pool=owner_pool)
    return [] if owner is None else await queries.fetch_state(owner, owner_pool=owner_pool)


def _no_editor(*, has_terminal: bool) -> ToolError:
    if has_terminal:
        return ToolError(
            NO_ACTIVE_EDITOR,
            "No editor has told its state lately; a terminal has.",
            suggestion="Ask with captureTerminal true.",
            retry_with={"captureTerminal": True},
        )
    return ToolError(
        NO_ACTIVE_EDITOR,
        "No editor of this user has told its state lately.",
        suggestion="Ask the user to paste the error, or to turn on the Toolroom extension or `toolroom-run`.",
    )


def _no_diagnostics(shown: dict[str, Any]) -> ToolError:
    return ToolError(
        NO_DIAGNOSTICS,
        f"The editor has no diagnostics for {shown['activeFile']}.",
        suggestion="Ask with captureTerminal true: the error may stand in the terminal.",
        details={"activeFile": shown["activeFile"], "cursorPosition": shown["cursorPosition"]},
        retry_with={"captureTerminal": True},
    )
