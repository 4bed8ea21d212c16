"""Errors of reading files, with the contract's codes."""

from devassist.error_envelope import BINARY_FILE, FILE_NOT_FOUND, PERMISSION_DENIED, TOO_LARGE
from toolbox.contract.errors import ErrorCode, ToolError

SHOWN = 200


def _refusal(code: ErrorCode, *, message: str, suggestion: str) -> ToolError:
    return ToolError(code, message, suggestion=suggestion, field="filePath")


def not_found(path: str) -> ToolError:
    """Say that the workspace has no such file, in the contract's words."""
    return _refusal(
        FILE_NOT_FOUND,
        message=f"File '{path[:SHOWN]}' does not exist in workspace",
        suggestion="Give the path from the workspace's root, with slashes, spelt exactly as in the stack trace.",
    )


def is_folder(path: str) -> ToolError:
    """Say that it is a folder."""
    return _refusal(
        FILE_NOT_FOUND, message=f"'{path[:SHOWN]}' is a folder, not a file", suggestion="Name a file in it."
    )


def outside(path: str) -> ToolError:
    """Say that the path leaves the workspace. The words do not depend on what is there."""
    return _refusal(
        PERMISSION_DENIED,
        message=f"'{path[:SHOWN]}' is not inside the workspace",
        suggestion="Give a path from the workspace's root, without a leading slash and without '..'.",
    )


def unreadable(path: str) -> ToolError:
    """Say that the file exists and cannot be read: its permissions, or not a regular file."""
    return _refusal(
        PERMISSION_DENIED,
        message=f"'{path[:SHOWN]}' may not be read",
        suggestion="Name an ordinary source file of the workspace.",
    )


def refuse_linked(path: str) -> ToolError:
    """Say that the file has another name outside of the workspace, or one of a secret."""
    return _refusal(
        PERMISSION_DENIED,
        message=f"'{path[:SHOWN]}' is a hard link to a file outside the workspace or to a secret",
        suggestion="Do without it; the operator of the server can allow secrets and such links for the workspace.",
    )


def secret(path: str) -> ToolError:
    """Say that the file looks like a secret."""
    return _refusal(
        PERMISSION_DENIED,
        message=f"'{path[:SHOWN]}' looks like a secret, and this workspace does not show those",
        suggestion="Do without it; the operator of the server can allow secrets for the workspace.",
    )


def too_large(path: str, *, size: int, limit: str = "10 MB") -> ToolError:
    """Say that the file exceeds the limit."""
    return _refusal(
        TOO_LARGE,
        message=f"'{path[:SHOWN]}' has {size:,} bytes; the limit is {limit}",
        suggestion="Read another file: one so large is made by a tool, not written.",
    )


def binary(path: str, *, encoding: str, has_one_byte_letters: bool = False) -> ToolError:
    """Say that the file is no text in the encoding, and which tool can read it."""
    other = "utf-16" if encoding == "utf-8" else "utf-8"
    suggestion = f"If it is text at all, read it with read_file and encoding '{other}'; else read another file."
    if has_one_byte_letters:
        suggestion = (
            "It may be text in Latin-1 or another encoding of one byte, which is not read here. search_code shows its "
            "lines, with what is not UTF-8 replaced."
        )
    return _refusal(BINARY_FILE, message=f"'{path[:SHOWN]}' is not text in {encoding}", suggestion=suggestion)
