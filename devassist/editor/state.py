"""Parsing of pushed editor and terminal states: limits and cleaning. Pure."""

from typing import Annotated, Any, NoReturn, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator
from pydantic.alias_generators import to_camel

from devassist.contracts.get_user_error_context import Severity
from devassist.editor.terminal_text import last_lines, readable
from devassist.error_envelope import INVALID_PARAMETERS, PERMISSION_DENIED, TOO_LARGE
from devassist.files.secrets import looks_secret
from toolbox.contract.errors import ToolError
from toolbox.text.redaction import MaskedText, mask_pem_blocks, mask_secrets

MAX_PUSH = 262_144
MAX_DIAGNOSTICS = 200
MAX_SELECTION = 20_000
MAX_MESSAGE = 2_000
MAX_PATH = 1_000
_EXAMPLE = '{"activeFile": "src/app.ts", "cursorPosition": {"line": 12, "character": 5}}'

Place = Annotated[int, Field(ge=1, le=2_000_000_000)]


class _PushedPart(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid", strict=True, frozen=True)


class PushedCursor(_PushedPart):
    """The cursor position, from 1."""

    line: Place = Field(description="From 1.")
    character: Place = Field(1, description="From 1.")


class PushedDiagnostic(_PushedPart):
    """A diagnostic of a language server or linter."""

    severity: Severity = Field(description="error, warning or info.")
    message: str = Field(description="What is wrong.", max_length=MAX_MESSAGE)
    line: Place = Field(description="From 1.")
    column: Place = Field(1, description="From 1.")
    source: str = Field("", description="Who says so.", max_length=100)


class PushedState(_PushedPart):
    """
    The state of an editor, of a terminal, or of both.

    With `activeFile` the whole editor's part is replaced, with `terminalOutput` the terminal's; the other part stays.
    `activeFile: null` with `window` drops the editor's part, if that window pushed it.
    """

    active_file: Annotated[str, StringConstraints(min_length=1, max_length=MAX_PATH)] | None = Field(
        None, description="Path from the workspace's root, with slashes; null where the window shows none to share."
    )
    cursor_position: PushedCursor = Field(PushedCursor(line=1), description="Where the cursor stands.")
    selected_text: str = Field("", description="The selection.", max_length=MAX_SELECTION)
    diagnostics: list[PushedDiagnostic] = Field(
        [], description="Of the active file, the worst first.", max_length=MAX_DIAGNOSTICS
    )
    terminal_output: str | None = Field(None, description="The end of the terminal; its last 50 lines are kept.")
    window: Annotated[str, StringConstraints(max_length=100)] = Field(
        "", description="Names the editor's window: what it clears or forgets is its own."
    )
    workspace: Annotated[str, StringConstraints(max_length=60)] = Field(
        "", description="The workspace that the file lies in, by its name here."
    )

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.active_file is None and self.terminal_output is None and not self.clears_editor:
            _refuse("Neither activeFile nor terminalOutput was sent.", field="activeFile")
        return self

    @property
    def clears_editor(self) -> bool:
        """Return whether the window shows no file any more that may be shared."""
        return bool(self.window) and self.active_file is None and "active_file" in self.model_fields_set

    def parts(self) -> dict[str, dict[str, Any]]:
        """
        Return the stored form of each part that was sent, in the contract's words, with secrets masked.

        Raises ToolError where the file is none of a workspace, or one that holds secrets.
        """
        kept: dict[str, dict[str, Any]] = {}
        if self.active_file is not None:
            kept["editor"] = {
                "workspace": self.workspace.replace("\0", ""),
                "activeFile": _clean_path(self.active_file),
                "cursorPosition": self.cursor_position.model_dump(),
                "selectedText": MaskedText(_quote(self.selected_text)),
                "diagnostics": [one.model_dump() | {"message": MaskedText(_quote(one.message)),
                                                    "source": _quote(one.source)} for one in self.diagnostics],
            }  # fmt: skip
        if self.terminal_output is not None:
            kept["terminal"] = {
                "terminalOutput": mask_secrets(last_lines(mask_pem_blocks(readable(self.terminal_output))))
            }
        window = {"window": _quote(self.window)} if self.window else {}
        return {part: content | window for part, content in kept.items()}


def read_state(body: bytes) -> PushedState:
    """Parse a push. Raises ToolError."""
    if len(body) > MAX_PUSH:
        raise ToolError(
            TOO_LARGE,
            f"The state has {len(body):,} bytes; at most {MAX_PUSH:,} are taken.",
            suggestion="Send the end of the terminal and fewer diagnostics.",
        )
    try:
        return PushedState.model_validate_json(body or b"{}")
    except ValidationError as invalid:
        problem = invalid.errors(include_url=False, include_context=False, include_input=False)[0]
        field = ".".join(map(str, problem["loc"]))
        _refuse(f"{field or 'The body'}: {problem['msg']}.", field=field or None)


def _refuse(message: str, *, field: str | None) -> NoReturn:
    raise ToolError(INVALID_PARAMETERS, message, suggestion=f"Send a JSON object such as {_EXAMPLE}.", field=field)


def _clean_path(path: str) -> str:
    segments = path.replace("\\", "/").split("/")
    is_drive = len(segments[0]) == 2 and segments[0].endswith(":")  # noqa: PLR2004 - C:
    if not path.isprintable() or is_drive or any(segment in ("", ".", "..") for segment in segments):
        _refuse("activeFile is no path from the workspace's root.", field="activeFile")
    if looks_secret(segments):
        raise ToolError(
            PERMISSION_DENIED,
            "The active file looks like one that holds secrets; nothing of it is kept.",
            suggestion="Send the state of another file.",
            field="activeFile",
        )
    return "/".join(segments)


def _quote(text: str) -> str:
    return text.replace("\0", "")
