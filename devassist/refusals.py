"""Errors about workspaces and lines."""

from collections.abc import Iterable
from difflib import get_close_matches

from devassist.error_envelope import (
    FILE_NOT_FOUND,
    INVALID_PARAMETERS,
    LINE_OUT_OF_RANGE,
    PERMISSION_DENIED,
    UNKNOWN_WORKSPACE,
)
from toolbox.contract.errors import ToolError

_ASK_A_PERSON = "The operator of this server can open a workspace to this key in the admin, under Workspaces."
_LISTED = 20


def unknown_workspace(given: str, *, usable: Iterable[str]) -> ToolError:
    """Say that the caller sees no such workspace, whether it exists or not."""
    names = sorted(usable)
    near = get_close_matches(given[:60], names, n=1, cutoff=0.7)
    return _refusal(
        f"There is no workspace {given[:60]!r} that this key sees.", names=names, fix=near[0] if near else None
    )


def lost_default(given: str) -> ToolError:
    """Say that the key's own default workspace does not exist or is not open to it."""
    message = f"This key reads {given[:60]!r} by default, which it does not see."
    return ToolError(PERMISSION_DENIED, message, suggestion=_ASK_A_PERSON, field="workspace")


def no_workspace() -> ToolError:
    """Say that the key sees no workspace."""
    return ToolError(PERMISSION_DENIED, "This key sees no workspace.", suggestion=_ASK_A_PERSON, field="workspace")


def in_no_workspace(path: str, *, usable: Iterable[str]) -> ToolError:
    """Say that none of several workspaces has the file."""
    shown = sorted(usable)[:_LISTED]
    return ToolError(
        FILE_NOT_FOUND,
        f"File '{path[:200]}' does not exist in any workspace of this key",
        suggestion=f"Give the path from the root of one of: {', '.join(shown)}.",
        field="filePath",
        details={"workspaces": shown},
    )


def in_several_workspaces(path: str, *, names: list[str]) -> ToolError:
    """Say that several workspaces have the file and that the caller cannot be asked which is meant."""
    shown = names[:_LISTED]
    return ToolError(
        INVALID_PARAMETERS,
        f"Several workspaces have a file '{path[:200]}'",
        suggestion=f"Name one as workspace: {', '.join(shown)}.",
        field="workspace",
        details={"workspaces": shown},
    )


def no_default(*, usable: Iterable[str]) -> ToolError:
    """Say that no workspace was named and that the default is ambiguous."""
    names = sorted(usable)
    return _refusal("No workspace was named, and none is the default." if names else "This key sees no workspace.",
                    names=names)  # fmt: skip


def line_out_of_range(path: str, *, line: int, count: int) -> ToolError:
    """Say that a line is after the file's last."""
    return ToolError(
        LINE_OUT_OF_RANGE,
        f"'{path[:200]}' has {count:,} lines; there is no line {line:,}",
        suggestion=f"Give a line from 1 to {count:,}." if count else "The file is empty; name another.",
        field="line",
        details={"lineCount": count},
        retry_with={"line": count} if count else None,
    )


def _refusal(message: str, *, names: list[str], fix: str | None = None) -> ToolError:
    shown = names[:_LISTED]
    return ToolError(
        UNKNOWN_WORKSPACE,
        message,
        suggestion=f"Name one as workspace: {', '.join(shown)}." if names else _ASK_A_PERSON,
        field="workspace",
        details={"workspaces": shown},
        retry_with={"workspace": fix} if fix else None,
    )
