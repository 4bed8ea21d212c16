"""Input and output models of our own tools `find_symbol`, `find_implementations` and `go_to_definition`."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, StringConstraints
from pydantic.alias_generators import to_camel

from devassist.contracts.budget import ALL_WORKSPACES
from devassist.contracts.places import WORKSPACE, FilePath, WorkspaceName
from toolbox.contract.models import ToolInput, ToolOutput, WholeNumber

SymbolName = Annotated[str, StringConstraints(min_length=1, max_length=300, pattern=r"\S")]
Line = Annotated[WholeNumber, Field(ge=1, le=2**31 - 1)]
FoundBy = Literal["server", "hierarchy", "syntax"]


class FindSymbolQuestion(ToolInput):
    """Which symbol to find, and where."""

    name: SymbolName = Field(description="Its name; Class.method where several have the name.")
    kind: Literal["function", "class"] | None = Field(None, description="Only functions and methods, or only classes.")
    max_symbols: Annotated[WholeNumber, Field(ge=1, le=200)] = Field(30, description="Definitions at most.")
    workspace: WorkspaceName | None = Field(None, description=ALL_WORKSPACES)


class _Camel(ToolOutput):
    model_config = ConfigDict(alias_generator=to_camel)


class SymbolFound(_Camel):
    """Where a function, a method, a class or an interface is defined."""

    workspace: str = Field(description="Its workspace.")
    file_path: str = Field(description="Its file, from the workspace's root.")
    line: int = Field(description="Line of its name.")
    end_line: int = Field(description="Its last line.")
    name: str = Field(description="With the classes around it, as NoteList.refresh.")
    kind: str = Field(description="function, class (interfaces too), or variable.")
    signature: str = Field(description="Its declaration up to the body.")
    found_by: FoundBy = Field(
        description="server: a language server resolved it; hierarchy: by class and base; syntax: by its name alone."
    )


class SymbolsFound(_Camel):
    """Definitions. Without incomplete there are no others of that name, ignored files and installed packages apart."""

    symbols: list[SymbolFound] = Field(description="By workspace, path and line.")
    total: int = Field(description="How many there are, listed or not.")
    incomplete: str | None = Field(None, description="Why there may be more.")

    def row_count(self) -> int:
        """Count the definitions."""
        return len(self.symbols)


class FindImplementationsQuestion(ToolInput):
    """Which class, interface or method."""

    name: SymbolName = Field(description="A class, an interface, or Class.method.")
    file_path: FilePath = Field(description="File where it is defined, from the workspace's root.")
    max_symbols: Annotated[WholeNumber, Field(ge=1, le=200)] = Field(50, description="Implementations at most.")
    workspace: WorkspaceName | None = WORKSPACE


class GoToDefinitionQuestion(ToolInput):
    """Where a name is used."""

    file_path: FilePath = Field(description="File in which the name is used, from the workspace's root.")
    line: Line = Field(description="The line, from 1.")
    symbol: SymbolName | None = Field(None, description="The name as it stands in the line.")
    column: Line | None = Field(None, description="Where it stands in the line, from 1; instead of symbol.")
    workspace: WorkspaceName | None = WORKSPACE


class DefinitionsFound(_Camel):
    """Where a name is defined. With several definitions it is not known which is meant."""

    symbol: str = Field(description="The name that was looked up.")
    definitions: list[SymbolFound] = Field(description="Its definitions in the workspace.")
    is_outside: bool = Field(
        description="A language server says that it is defined outside the workspace: in a library."
    )
    incomplete: str | None = Field(None, description="Why the definitions may be wrong or missing.")

    def row_count(self) -> int:
        """Count the definitions."""
        return len(self.definitions)
