"""A client of the 2026 protocol that knows tasks, over a running server."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
from mcp_types import CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY, PROTOCOL_VERSION_META_KEY

from tests.toolbox.transports import PLAIN_HTTP

MODERN = "2026-07-28"
CAPABILITIES: dict[str, Any] = {"extensions": {"io.modelcontextprotocol/tasks": {}}, "elicitation": {"form": {}}}


class TaskClient:
    """Calls tools that may become tasks, and looks after the tasks."""

    def __init__(self, http: httpx.Client) -> None:
        self.http = http

    def request(self, method: str, *, about: str, **params: Any) -> dict[str, Any]:
        """Send a request; return its result."""
        headers = {
            "accept": "application/json, text/event-stream", "mcp-protocol-version": MODERN, "mcp-method": method,
            "mcp-name": about,
        }  # fmt: skip
        meta = {
            PROTOCOL_VERSION_META_KEY: MODERN, CLIENT_CAPABILITIES_META_KEY: CAPABILITIES,
            CLIENT_INFO_META_KEY: {"name": "tests", "version": "1"},
        }  # fmt: skip
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params | {"_meta": meta}}
        answered = self.http.post("/mcp", json=message, headers=headers).json()
        assert "result" in answered, answered
        result: dict[str, Any] = answered["result"]
        return result

    def begin_task(self, tool: str, /, **arguments: Any) -> str:
        """Call a tool that becomes a task; return the task's id."""
        called = self.request("tools/call", about=tool, name=tool, arguments=arguments)
        assert called["resultType"] == "task", called
        return str(called["taskId"])

    def read_task(self, task_id: str) -> dict[str, Any]:
        """Return the task as it is."""
        return self.request("tasks/get", about=task_id, taskId=task_id)

    def wait_until(self, task_id: str, is_so: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Poll, as the protocol asks for, for a minute at most."""
        for _ in range(600):
            if is_so(task := self.read_task(task_id)):
                return task
            time.sleep(0.1)
        raise TimeoutError(str(task))


@contextmanager
def connect_task_client(address: str, *, key: str) -> Iterator[TaskClient]:
    """Connect with a key to a running server."""
    headers = {"Authorization": f"Bearer {key}"}
    with httpx.Client(base_url=address, headers=headers, timeout=60, verify=PLAIN_HTTP) as http:
        yield TaskClient(http)
