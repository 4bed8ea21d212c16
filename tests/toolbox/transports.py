"""Ways to call a tool for tests: every transport, with answers in one form."""

import asyncio
import re
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, TextContent

from toolbox.catalogue.registry import registry
from toolbox.contract.caller import LOCAL_OPERATOR, Caller
from toolbox.contract.tool import Tool
from toolbox.mcp.server import mcp_server

CATALOGUE = list(registry.tools())
"""Every tool of the catalogue."""
TOOLS = [tool for tool in CATALOGUE if tool.name != "ask_agent"]
"""
What is parametrised over it holds each later domain to it for nothing.

Without the one tool whose call leaves something for a worker to do, each time anew: tests/agents/test_ask_agent.py.
"""


A_TOOL = next(tool for tool in TOOLS if tool.name == "query_linescore_data")
"""The tool that tests of the kernel call where any would do; bob may use it."""

ONE_OF_EACH_ENVELOPE = list({id(tool.envelope): tool for tool in reversed(TOOLS)}.values())
"""A tool for every way of saying no: enough where the kernel decides and the tool's own code is never reached."""


PLAIN_HTTP = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""For the `verify` of clients in tests: to read the machine's authorities costs each client 20 ms and more."""


def address(tool: Tool) -> str:
    """Return the tool's path on REST."""
    return f"/api/tools/{tool.domain}/{tool.name}"


def tool_id(tool: Tool) -> str:
    """Return the tool's name, for a test's id."""
    return f"{tool.domain}.{tool.name}"


def without_timings(body: Any) -> Any:
    """Return an answer without measured times (`..._ms`), which differ between calls."""
    if isinstance(body, dict):
        return {name: without_timings(part) for name, part in body.items() if not re.search(r"(_ms|Ms)$", name)}
    return [without_timings(part) for part in body] if isinstance(body, list) else body


async def until(condition: Callable[[], bool]) -> None:
    """Poll in threads until the condition, which must not use the ORM, holds; TimeoutError after a minute."""
    async with asyncio.timeout(60):
        while not await asyncio.to_thread(condition):  # noqa: ASYNC110 - it happens in the database, or a thread
            await asyncio.sleep(0)


def text_of(told: CallToolResult) -> str:
    """Return the text of a tool's result over MCP, its only content except links."""
    part, *links = told.content
    assert isinstance(part, TextContent)
    assert all(link.type == "resource_link" for link in links)
    return part.text


@asynccontextmanager
async def mcp_over_http(server: str, *, key: str, path: str = "/mcp", mode: str = "auto") -> AsyncIterator[Client]:
    """Connect the official SDK's client to a running server."""
    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=30, verify=PLAIN_HTTP) as http:
        transport = streamable_http_client(f"{server}{path}", http_client=http)
        async with Client(transport, mode=mode) as client:
            yield client


@asynccontextmanager
async def mcp_in_memory(caller: Caller = LOCAL_OPERATOR, *, mode: str = "legacy") -> AsyncIterator[Client]:
    """Connect the official SDK's client to the catalogue without a network."""
    async with Client(mcp_server(registry, transport="memory", credential_of=lambda _: caller), mode=mode) as client:
        yield client
