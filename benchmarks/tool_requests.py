"""The HTTP requests to measure, one per transport, and single calls of them over one kept connection."""

import http.client
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

from benchmarks.questions import DOMAIN, TOOL, BenchmarkQuestion
from benchmarks.servers import HOST

JSON = {"Content-Type": "application/json"}
MCP = JSON | {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
TIMEOUT_SECONDS = 30


class WrongAnswer(RuntimeError):
    """A server answered, but not the question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRequest:
    """A POST that calls the tool on one transport of one server."""

    path: str
    body: str
    headers: Mapping[str, str] = field(default_factory=lambda: JSON)


def rest_request(question: BenchmarkQuestion, *, key: str) -> ToolRequest:
    """Build the call for Toolroom's REST transport."""
    return ToolRequest(path=f"/api/tools/{DOMAIN}/{TOOL}", body=question.arguments, headers=JSON | _bearer(key))


def mcp_request(arguments: str, *, key: str = "") -> ToolRequest:
    """Build a bare JSON-RPC `tools/call`, as an MCP server without sessions accepts it."""
    call = {"name": TOOL, "arguments": json.loads(arguments)}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
    return ToolRequest(path="/mcp", body=body, headers=MCP | (_bearer(key) if key else {}))


class KeptConnection:
    """One HTTP connection, used for every call."""

    def __init__(self, *, port: int) -> None:
        self._connection = http.client.HTTPConnection(HOST, port, timeout=TIMEOUT_SECONDS)

    def call(self, request: ToolRequest) -> bytes:
        """Send the request and return the body; raises WrongAnswer for any status but 200."""
        self._connection.request("POST", request.path, body=request.body, headers=dict(request.headers))
        response = self._connection.getresponse()
        body = response.read()
        if response.status != HTTPStatus.OK:
            raise WrongAnswer(f"{request.path} answered {response.status}: {body[:300]!r}")
        return body

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def rows_answered(body: bytes) -> int:
    """Count the rows in an answer, however it is wrapped; MCP servers may send each twice, as text and as data."""
    return body.count(b"period_number")


def _bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}
