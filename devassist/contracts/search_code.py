"""Input and output models of our own tools `search_code` and `list_files`."""

from typing import Annotated

from pydantic import ConfigDict, Field, StringConstraints
from pydantic.alias_generators import to_camel

from devassist.contracts.budget import ALL_WORKSPACES, CURSOR, GLOBS, MAX_TOKENS, Cursor, Glob, MaxTokens
from devassist.contracts.places import FilePath, WorkspaceName
from toolbox.contract.models import ToolInput, ToolOutput, WholeNumber

MAX_GLOBS = 20


class SearchCodeQuestion(ToolInput):
    """What to search for, and where."""

    pattern: Annotated[str, StringConstraints(min_length=1, max_length=500)] = Field(
        description="Text to find in a line; a regular expression with isRegex."
    )
    is_regex: bool = Field(default=False, description="Read pattern as a regular expression (Python's syntax).")
    ignore_case: bool = Field(default=False, description="Take capital and small letters as the same.")
    whole_word: bool = Field(default=False, description="Only where no letter, digit or underscore stands beside it.")
    globs: list[Glob] = Field(default_factory=list, max_length=MAX_GLOBS, description=GLOBS)
    context_lines: Annotated[WholeNumber, Field(ge=0, le=10)] = Field(
        0, description="Lines to show before and after each."
    )
    max_matches: Annotated[WholeNumber, Field(ge=1, le=500)] = Field(50, description="Lines found at most.")
    max_tokens: MaxTokens = Field(3_000, description=MAX_TOKENS)
    cursor: Cursor | None = Field(None, description=CURSOR)
    workspace: WorkspaceName | None = Field(None, description=ALL_WORKSPACES)


class _Camel(ToolOutput):
    model_config = ConfigDict(alias_generator=to_camel)


class CodeMatch(_Camel):
    """A line that was found."""

    workspace: str = Field(description="Its workspace.")
    file_path: str = Field(description="Its file, from the workspace's root.")
    line: int = Field(description="Its number, from 1.")
    column: int = Field(description="Where the first match in it begins, from 1.")
    text: str = Field(description="The line, cut where it is long.")
    before: list[str] | None = Field(None, description="The lines before it.")
    after: list[str] | None = Field(None, description="The lines after it.")


class SkippedFiles(_Camel):
    """Files that were not searched, by reason."""

    binary: int = Field(0, description="No text.")
    too_large: int = Field(0, description="Over 2 MB.")
    refused: int = Field(0, description="Secrets by their name, links to outside, or not readable.")
    too_slow: int = Field(0, description="The pattern took too long in them: write it without nested repetition.")


class CodeMatches(_Camel):
    """The lines that were found, by workspace, path and line. Without nextCursor and incomplete there are no others."""

    matches: list[CodeMatch] = Field(description="Lines in the order of their paths.")
    files_searched: int = Field(description="Files searched for this answer.")
    skipped: SkippedFiles | None = Field(None, description="Files that were not searched; left out if there are none.")
    next_cursor: str | None = Field(None, description="There is more: pass it as cursor.")
    incomplete: str | None = Field(None, description="Why there may be more.")

    def row_count(self) -> int:
        """Count the matches."""
        return len(self.matches)


class ListFilesQuestion(ToolInput):
    """Which files to list."""

    globs: list[Glob] = Field(default_factory=list, max_length=MAX_GLOBS, description=GLOBS)
    folder: FilePath = Field("", description="Only files below this folder, from the workspace's root; no link.")
    max_files: Annotated[WholeNumber, Field(ge=1, le=2_000)] = Field(200, description="Files at most.")
    max_tokens: MaxTokens = Field(3_000, description=MAX_TOKENS)
    cursor: Cursor | None = Field(None, description=CURSOR)
    workspace: WorkspaceName | None = Field(None, description=ALL_WORKSPACES)


class ListedFile(_Camel):
    """A file."""

    workspace: str = Field(description="Its workspace.")
    file_path: str = Field(description="Its path from the workspace's root, as read_file takes it.")
    size_bytes: int = Field(description="Its size.")


class FileListing(_Camel):
    """Files in the order of their paths. Ignored files, installed packages, links and secrets are left out."""

    files: list[ListedFile] = Field(description="Files in the order of their paths.")
    next_cursor: str | None = Field(None, description="There is more: pass it as cursor.")
    hidden_secrets: int | None = Field(None, description="Files left out because their names look like secrets.")
    incomplete: str | None = Field(None, description="Why there may be more.")

    def row_count(self) -> int:
        """Count the files."""
        return len(self.files)
