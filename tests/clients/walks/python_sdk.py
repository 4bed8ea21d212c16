"""The official Python SDK's client on its walk: `python -m tests.clients.walks.python_sdk`."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ElicitRequestFormParams, ElicitResult

from tests.clients.walks.walk import Hear, Step, Walk, main, reference


@dataclass(frozen=True)
class Sdk:
    """The SDK's client."""

    client: Client

    async def call(self, name: str, arguments: dict[str, Any], progress: Hear | None = None) -> Any:
        """Call a tool."""
        heard: Any = progress
        return await self.client.call_tool(name, arguments, progress_callback=heard)

    async def tools(self, _: Step) -> Any:
        """List the tools."""
        return await self.client.list_tools()

    async def resources(self, _: Step) -> Any:
        """List the documents."""
        return await self.client.list_resources()

    async def templates(self, _: Step) -> Any:
        """List the templates of addresses."""
        return await self.client.list_resource_templates()

    async def read(self, step: Step) -> Any:
        """Read a document."""
        return await self.client.read_resource(step["uri"])

    async def prompts(self, _: Step) -> Any:
        """List the prompts."""
        return await self.client.list_prompts()

    async def prompt(self, step: Step) -> Any:
        """Get a prompt."""
        return await self.client.get_prompt(step["name"], step["arguments"])

    async def complete(self, step: Step) -> Any:
        """Complete an argument."""
        return await self.client.complete(reference(step), step["argument"])


@asynccontextmanager
async def _connected(walk: Walk) -> AsyncIterator[Client]:
    async def elicited(_: Any, params: Any) -> ElicitResult:
        assert isinstance(params, ElicitRequestFormParams)
        return ElicitResult(action="accept", content=walk.ask_form(params))

    known: dict[str, Any] = {"mode": walk.mode, "elicitation_callback": elicited}
    if "url" not in walk.server:
        async with Client(StdioServerParameters(**walk.server), **known) as client:
            yield client
        return
    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {walk.server['key']}"}, timeout=30) as http:
        transport = streamable_http_client(walk.server["url"], http_client=http)
        async with Client(transport, **known) as client:
            yield client


async def _walked(walk: Walk) -> dict[str, Any]:
    async with _connected(walk) as client:
        return {"version": client.protocol_version, "told": await walk.run(Sdk(client))}


if __name__ == "__main__":
    main(_walked)
