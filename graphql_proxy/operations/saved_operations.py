"""The DynamicTools of this domain: rows of SavedOperation. What makes tools of them is imported by the first look."""

from collections.abc import Sequence
from typing import Protocol

from toolbox.contract.tool import SkippedRow, Tool, Toolkit


class ToolkitOf(Protocol):
    """Gives the toolkit that the tools belong to; asked late, because the toolkit holds this source."""

    def __call__(self) -> Toolkit:
        """Give it."""


class SavedOperations:
    """Enabled rows that are not documents of the contract's own tools."""

    def __init__(self, toolkit_of: ToolkitOf) -> None:
        self._toolkit_of = toolkit_of

    async def load(self) -> Sequence[Tool | SkippedRow]:
        """Make tools of all rows; what this process remembers of the domain's tables is forgotten first."""
        from graphql_proxy.operations.dynamic_tools import load_tools  # noqa: PLC0415

        return await load_tools(self._toolkit_of())
