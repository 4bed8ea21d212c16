"""Input and output models of `find_callers_of_function`."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, StringConstraints
from pydantic.alias_generators import to_camel

from devassist.contracts.places import WORKSPACE, FilePath, WorkspaceName
from toolbox.contract.models import ToolInput, ToolOutput, WholeNumber

DEFAULT_CALLERS = 100
MAX_CALLERS = 1_000

FunctionName = Annotated[str, StringConstraints(max_length=300)]


class FindCallersQuestion(ToolInput):
    """Which function, and how far to follow its callers."""

    function_name: FunctionName = Field(
        description="Name of the function to find callers for; Class.method where several have the name."
    )
    file_path: FilePath = Field(description="File where the function is defined, from the workspace's root.")
    max_depth: Annotated[WholeNumber, Field(ge=1, le=5)] = Field(
        2, description="Maximum call chain depth to traverse: 1 for direct callers only."
    )
    syntactic: bool = Field(
        default=False,
        description="Ask the code graph alone, without a language server: quick. While it is built, by name alone.",
    )
    max_callers: Annotated[WholeNumber, Field(ge=1, le=MAX_CALLERS)] = Field(
        DEFAULT_CALLERS, description="How many callers to list at most, nearest first; totalCallers counts all."
    )
    workspace: WorkspaceName | None = WORKSPACE


class CallerFound(ToolOutput):
    """One function that calls the one asked about, itself or through others."""

    model_config = ConfigDict(alias_generator=to_camel)

    caller_name: str = Field(description="The calling function, with its class; '(top level)' for code outside of any.")
    file_path: str = Field(description="Its file.")
    line: int = Field(description="Line of its first call of the next function in callChain.")
    call_chain: list[str] = Field(description="From this caller down to the function asked about.")
    depth: int = Field(description="How many calls lie between: 1 for a direct caller.")
    found_by: Literal["server", "hierarchy", "syntax"] = Field(
        description="server: a language server says it calls, or hands it on; hierarchy: it calls what this overrides "
        "or implements; syntax: resolved from the text, or a call of something of that name."
    )
    confidence: float = Field(description="0 to 1, of the least sure call in callChain; below 0.6 it is a candidate.")
    other_lines: list[int] | None = Field(None, description="Further lines of the same caller, 12 at most.")


class FunctionMatch(ToolOutput):
    """One of several functions that a name means."""

    name: str = Field(description="The function, with its class; callChain ends with it.")
    line: int = Field(description="Where it is defined.")


class CallersFound(ToolOutput):
    """Who calls a function. No callers means that there are none only if incomplete is false."""

    model_config = ConfigDict(alias_generator=to_camel)

    function_name: str = Field(description="The function as it was asked for.")
    file_path: str = Field(description="The file as it was asked for.")
    callers: list[CallerFound] = Field(description="Each once, by its shortest chain; nearest first.")
    total_callers: int = Field(description="How many were found, listed or not.")
    incomplete: bool = Field(description="True where there may be more; incompleteReason says why.")
    incomplete_reason: str | None = Field(None, description="Why there may be more callers, and what to do.")
    definitions: list[FunctionMatch] | None = Field(
        None, description="What the name means, where it means several functions."
    )
