"""Input and output models of `read_file`."""

from typing import Annotated, Self

from pydantic import ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from devassist.contracts.places import WORKSPACE, FilePath, WorkspaceName
from devassist.error_envelope import INVALID_PARAMETERS
from devassist.files.read_lines import Encoding
from toolbox.contract.errors import ToolError
from toolbox.contract.models import RefusesNull, ToolInput, ToolOutput, WholeNumber

Line = Annotated[Annotated[WholeNumber, Field(ge=1, le=2**53)] | None, RefusesNull()]
"""A line number. It may be left out; null is refused, because a lost number would read as the whole file."""


class ReadFileQuestion(ToolInput):
    """Which file, and which lines of it."""

    file_path: FilePath = Field(description="Relative path from workspace root, such as 'src/utils/helper.ts'.")
    line_start: Line = Field(None, description="First line, from 1; the file's first if not given.")
    line_end: Line = Field(None, description="Last line, inclusive; the file's last if not given.")
    encoding: Encoding = Field("utf-8", description="File encoding; a byte order mark in the file decides over it.")
    workspace: WorkspaceName | None = WORKSPACE

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.line_start and self.line_end and self.line_start > self.line_end:
            raise ToolError(
                INVALID_PARAMETERS,
                f"lineStart {self.line_start} is after lineEnd {self.line_end}",
                suggestion="Exchange lineStart and lineEnd.",
                field="lineStart",
                retry_with={"lineStart": self.line_end, "lineEnd": self.line_start},
            )
        return self


class FileText(ToolOutput):
    """Lines of a file."""

    model_config = ConfigDict(alias_generator=to_camel)

    file_path: str = Field(description="The path as it was asked for.")
    content: str = Field(description="The lines; empty past the end of the file.")
    line_count: int = Field(description="How many lines content holds.")
    encoding: str = Field(description="The encoding that the file was read in.")
    file_size: int = Field(description="Bytes of the whole file.")
