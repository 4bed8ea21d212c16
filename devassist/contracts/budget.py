"""The length limit of an answer, and where it continues."""

from typing import Annotated

from pydantic import Field, StringConstraints

from toolbox.contract.models import WholeNumber

BYTES_PER_TOKEN = 4
"""An estimate: code has some 3 to 4 bytes a token."""

MaxTokens = Annotated[WholeNumber, Field(ge=200, le=20_000)]
Cursor = Annotated[str, StringConstraints(max_length=6_000)]
Glob = Annotated[str, StringConstraints(min_length=1, max_length=300)]

MAX_TOKENS = "Length of the answer at most, estimated at 4 bytes a token."
CURSOR = "nextCursor of the answer before, to go on after it; the other parameters stay as they were."
GLOBS = "Only paths that fit, as '*.kt' or 'app/src/**'; with '!' before it, only those that do not."
ALL_WORKSPACES = "Only this workspace, by name; every one that the key sees if not given."
