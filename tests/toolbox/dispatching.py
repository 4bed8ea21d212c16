"""A client of the official SDK whose person answers every form the same way; in memory."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from mcp.client import Client
from mcp_types import ElicitRequestFormParams, ElicitResult

from toolbox.catalogue.registry import registry
from toolbox.contract.caller import LOCAL_OPERATOR, Caller
from toolbox.mcp.server import mcp_server

Fills = Callable[[dict[str, Any]], dict[str, Any] | None]
"""Gives what the person enters, from the form's entries by name; None declines."""


@asynccontextmanager
async def connect_answering(
    fills: Fills, *, mode: str = "auto", caller: Caller = LOCAL_OPERATOR
) -> AsyncIterator[Client]:
    """Connect a client that can be asked; `asked` records the messages."""
    asked: list[str] = []

    async def answer_elicitation(context: Any, params: Any) -> ElicitResult:
        assert isinstance(params, ElicitRequestFormParams)
        asked.append(params.message)
        content = fills(dict(params.requested_schema)["properties"])
        return ElicitResult(action="decline" if content is None else "accept", content=content)

    server = mcp_server(registry, transport="memory", credential_of=lambda _: caller)
    async with Client(server, mode=mode, elicitation_callback=answer_elicitation) as client:
        client.asked = asked  # type: ignore[attr-defined]
        yield client


def first_choice(entries: dict[str, Any]) -> dict[str, Any]:
    """Choose the first option of every entry."""
    return {name: entry["enum"][0] for name, entry in entries.items()}
