"""FastMCP's client, with its tasks, on its walk: run by an interpreter that has them, from the project's folder."""

from dataclasses import dataclass
from typing import Any

import fastmcp_tasks  # type: ignore[import-not-found, unused-ignore]  # noqa: F401 - clients know tasks from then on
from fastmcp import Client  # type: ignore[import-not-found, unused-ignore]
from fastmcp.client.transports import (  # type: ignore[import-not-found, unused-ignore]
    StdioTransport,
    StreamableHttpTransport,
)

from tests.clients.walks.walk import Hear, Step, Walk, main, reference


@dataclass(frozen=True)
class FastMcp:
    """FastMCP's client."""

    client: Any

    async def call(self, name: str, arguments: dict[str, Any], progress: Hear | None = None) -> Any:
        """Call a tool; waits for a task's result."""
        return await self.client.call_tool_mcp(name, arguments, progress_handler=progress)

    async def tools(self, _: Step) -> Any:
        """List the tools."""
        return await self.client.list_tools_mcp()

    async def resources(self, _: Step) -> Any:
        """List the documents."""
        return await self.client.list_resources_mcp()

    async def templates(self, _: Step) -> Any:
        """List the templates of addresses."""
        return await self.client.list_resource_templates_mcp()

    async def read(self, step: Step) -> Any:
        """Read a document."""
        return await self.client.read_resource_mcp(step["uri"])

    async def prompts(self, _: Step) -> Any:
        """List the prompts."""
        return await self.client.list_prompts_mcp()

    async def prompt(self, step: Step) -> Any:
        """Get a prompt."""
        return await self.client.get_prompt_mcp(step["name"], step["arguments"])

    async def complete(self, step: Step) -> Any:
        """Complete an argument."""
        return await self.client.complete_mcp(reference(step), step["argument"])


def _transport(server: dict[str, Any]) -> Any:
    if "url" in server:
        return StreamableHttpTransport(server["url"], headers={"Authorization": f"Bearer {server['key']}"})
    return StdioTransport(**server, keep_alive=False)


async def _walked(walk: Walk) -> dict[str, Any]:
    async def elicited(message: str, response_type: Any, params: Any, context: Any) -> dict[str, Any]:
        return walk.ask_form(params)

    async with Client(_transport(walk.server), mode=walk.mode, elicitation_handler=elicited) as client:
        return {"version": client.session.protocol_version, "told": await walk.run(FastMcp(client))}


if __name__ == "__main__":
    main(_walked)
