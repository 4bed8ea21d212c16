"""Input and output models of `get_user_error_context`."""

from typing import Literal

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from toolbox.contract.models import ToolInput, ToolOutput

Severity = Literal["error", "warning", "info"]


class ErrorContextQuestion(ToolInput):
    """What to tell of the user's editor."""

    capture_selection: bool = Field(default=True, description="Include currently selected text.")
    capture_diagnostics: bool = Field(default=True, description="Include the editor's error and warning diagnostics.")
    capture_terminal: bool = Field(default=False, description="Include recent terminal output (last 50 lines).")


class CursorPosition(ToolOutput):
    """Where the cursor stands."""

    line: int = Field(description="From 1, as get_code_context takes it; 0 where no file is open.")
    character: int = Field(description="From 1; 0 where no file is open.")


class Diagnostic(ToolOutput):
    """What a language server or linter says about the file."""

    severity: Severity = Field(description="How bad it is.")
    message: str = Field(description="What is wrong.")
    line: int = Field(description="From 1.")
    column: int = Field(description="From 1.")
    source: str = Field(description="Who says so: typescript, eslint, kotlin.")


class ErrorContext(ToolOutput):
    """What the user's editor showed when it told so last."""

    model_config = ConfigDict(alias_generator=to_camel)

    active_file: str = Field(description="Path from the workspace's root; empty where only a terminal told its output.")
    cursor_position: CursorPosition = Field(description="Where the cursor stands in it.")
    selected_text: str | None = Field(None, description="The selection, if there is one and it was asked for.")
    diagnostics: list[Diagnostic] = Field(description="Diagnostics of the file; empty where none were asked for.")
    terminal_output: str | None = Field(None, description="The terminal's last 50 lines, if it was asked for.")
    workspace: str | None = Field(None, description="The workspace that the file lies in, if the editor names it.")
    age_seconds: int = Field(description="How long ago the editor or terminal told it.")
    is_sample: bool | None = Field(None, description="True: the example that ships, no editor of the user's.")

    def row_count(self) -> int:
        """Count the diagnostics."""
        return len(self.diagnostics)
