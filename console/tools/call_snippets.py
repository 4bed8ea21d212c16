"""A tool call as text for other programs: each text can be copied, and works with this server."""

import shlex
from dataclasses import dataclass

import orjson

from toolbox.contract.tool import Tool

KEY = "TOOLROOM_KEY"
_PYTHON = """
import json, os, urllib.error, urllib.request

request = urllib.request.Request(
    "{address}",
    data=json.dumps({arguments}).encode(),
    headers={{"Authorization": "Bearer " + os.environ["{key}"], "Content-Type": "application/json"}},
)
try:
    answer = json.load(urllib.request.urlopen(request, timeout=60))
except urllib.error.HTTPError as refused:  # its body says what to do
    answer = json.load(refused)
print(json.dumps(answer, indent=2))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SameCall:
    """The call in one form."""

    name: str
    id: str
    text: str


def render_snippets(tool: Tool, *, arguments: bytes, server: str) -> list[SameCall]:
    """Return the call for a shell, for Python, and for MCP clients."""
    address = f"{server}/api/tools/{tool.domain}/{tool.name}"
    curl = "\n".join(
        [
            f"curl -X POST {shlex.quote(address)} \\",
            f'  -H "Authorization: Bearer ${KEY}" -H "Content-Type: application/json" \\',
            f"  -d {shlex.quote(arguments.decode())}",
        ]
    )
    python = _PYTHON.strip().format(address=address, arguments=repr(orjson.loads(arguments)), key=KEY)
    # Without a type, clients take the entry for a program to start, and fail.
    client = {"type": "http", "url": f"{server}/mcp/{tool.domain}", "headers": {"Authorization": f"Bearer <{KEY}>"}}
    configuration = orjson.dumps({"mcpServers": {"toolroom": client}}, option=orjson.OPT_INDENT_2).decode()
    message = {"name": tool.name, "arguments": orjson.loads(arguments)}
    return [
        SameCall(name="curl", id="same-curl", text=curl),
        SameCall(name="Python", id="same-python", text=python),
        SameCall(name="MCP client configuration", id="same-mcp", text=configuration),
        SameCall(
            name="MCP tools/call", id="same-call", text=orjson.dumps(message, option=orjson.OPT_INDENT_2).decode()
        ),
    ]
