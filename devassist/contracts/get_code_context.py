"""Input and output models of `get_code_context`."""

from typing import Annotated

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from devassist.contracts.places import WORKSPACE, FilePath, WorkspaceName
from toolbox.contract.models import ToolInput, ToolOutput, WholeNumber


class CodeContextQuestion(ToolInput):
    """Which line of which file, and how much around it."""

    file_path: FilePath = Field(description="File containing the error, relative to the workspace root.")
    line: Annotated[WholeNumber, Field(ge=1, le=2**53)] = Field(description="Error line number, from 1.")
    context_lines: Annotated[WholeNumber, Field(ge=5, le=100)] = Field(
        50, description="Number of lines to include before the error line, and as many after it."
    )
    include_function_def: bool = Field(
        default=True, description="Whether to tell of the function containing the error."
    )
    workspace: WorkspaceName | None = WORKSPACE


class _Camel(ToolOutput):
    model_config = ConfigDict(alias_generator=to_camel)


class Surroundings(_Camel):
    """The error line and the lines around it."""

    before: str = Field(description="Code before the error line.")
    error_line: str = Field(description="The error line itself.")
    after: str = Field(description="Code after the error line.")


class Lambda(_Camel):
    """An anonymous function around the error line, inside of the function."""

    start_line: int = Field(description="Its first line.")
    end_line: int = Field(description="Its last line.")
    passed_to: str = Field(description="The call that it is an argument of, such as 'lifecycleScope.launch'.")


class FunctionDefinition(_Camel):
    """The innermost function with a name around the error line."""

    name: str = Field(description="Its name; '<anonymous>' where only a function without one is there.")
    qualified_name: str = Field(description="With the classes and functions around it, as 'NoteList.refresh'.")
    start_line: int = Field(description="Its first line, decorators and annotations included.")
    end_line: int = Field(description="Its last line.")
    signature: str = Field(description="Its declaration up to the body.")
    inside_lambda: Lambda | None = Field(None, description="Where the error line is in a lambda inside of it.")


class RelevantImport(ToolOutput):
    """An import that the function, or else the line, uses."""

    module: str = Field(description="What is imported from.")
    imported: list[str] = Field(description="The names used, as 'preview as firstLine'; '*' where all are imported.")
    line: int = Field(description="Where the import stands.")


class CodeContext(_Camel):
    """Code around an error."""

    file_path: str = Field(description="The path as it was asked for.")
    error_line: int = Field(description="The line as it was asked for.")
    context: Surroundings = Field(description="The lines around it.")
    function_definition: FunctionDefinition | None = Field(
        None, description="The function containing the error; left out at the top level of a file."
    )
    relevant_imports: list[RelevantImport] = Field(description="Imports that matter there.")
    incomplete: str | None = Field(
        None, description="Why function and imports may be missing; left out where the file was read whole."
    )
