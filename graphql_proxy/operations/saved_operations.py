"""The DynamicTools of this domain: rows of SavedOperation. The first load imports the code that makes tools."""

from collections.abc import Sequence
from typing import Protocol

from toolbox.contract.tool import SkippedRow, Tool, Toolkit


class ToolkitOf(Protocol):
    """Returns the toolkit of the tools. Called late, because the toolkit holds this source."""

    def __call__(self) -> Toolkit:
        """Return the toolkit."""


class SavedOperations:
    """Enabled rows that are not documents of the contract's own tools."""

    def __init__(self, toolkit_of: ToolkitOf) -> None:
        self._toolkit_of = toolkit_of

    async def load(self) -> Sequence[Tool | SkippedRow]:
        """Make tools of all rows. Clears the caches of the domain's tables first."""
        from graphql_proxy.operations.dynamic_tools import load_tools  # noqa: PLC0415

        return await load_tools(self._toolkit_of())
