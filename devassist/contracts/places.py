"""Parameters for workspace, file and line that every tool on files takes."""

from typing import Annotated

from pydantic import Field, StringConstraints

MAX_PATH = 4_096

FilePath = Annotated[str, StringConstraints(max_length=MAX_PATH)]
"""Empty paths are valid by the contract. No file has such a path."""
WorkspaceName = Annotated[str, StringConstraints(min_length=1, max_length=60)]

WORKSPACE = Field(
    None, description="Which workspace, by name; if not given, the default, or the only one that has the file."
)
