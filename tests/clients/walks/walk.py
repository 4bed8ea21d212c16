"""Run steps with a Python client: the request comes on standard input, the results go to standard output."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Protocol

from mcp_types import ElicitRequestFormParams, PromptReference, ResourceTemplateReference
from pydantic import BaseModel

Hear = Callable[[float, float | None, str | None], Awaitable[None]]
Step = dict[str, Any]


class Walker(Protocol):
    """A client with a method for each kind of step: `async def <kind>(step)`."""

    async def call(self, name: str, arguments: dict[str, Any], progress: Hear | None = None) -> Any:
        """Call a tool, as a task if the client and the tool support it."""
        ...


class Walk:
    """One request: how to reach the server, the steps, and what the person was asked."""

    def __init__(self, errand: dict[str, Any]) -> None:
        self.server: dict[str, Any] = errand["server"]
        self.mode = "legacy" if errand["legacy"] else "auto"
        self.steps: list[Step] = errand["steps"]
        self.asked: list[str] = []

    def ask_form(self, params: ElicitRequestFormParams) -> dict[str, Any]:
        """Answer as a person who takes the first choice of every field."""
        self.asked.append(params.message)
        return {name: entry["enum"][0] for name, entry in dict(params.requested_schema)["properties"].items()}

    async def run(self, client: Walker) -> list[dict[str, Any]]:
        """Do every step; a failure becomes an error in its result."""
        return [await self._told(client, step) for step in self.steps]

    async def _told(self, client: Walker, step: Step) -> dict[str, Any]:
        self.asked.clear()
        progress: list[float] = []
        try:
            came = {"result": _wire(await self._done(client, step, progress=progress))}
        except Exception as error:  # noqa: BLE001 - each client has errors of its own, and each is told
            came = {"error": f"{type(error).__name__}: {error}"}
        return came | {"asked": list(self.asked), "progress": progress}

    async def _done(self, client: Walker, step: Step, *, progress: list[float]) -> Any:
        kind = step["do"]
        if kind in ("progress", "cancelled"):
            return await self._heard(client, step, progress=progress)
        if kind in ("call", "task"):
            return await client.call(step["name"], step["arguments"])
        return await getattr(client, kind)(step)

    async def _heard(self, client: Walker, step: Step, *, progress: list[float]) -> Any:
        heard = asyncio.Event()

        async def hear(done: float, total: float | None = None, message: str | None = None) -> None:
            progress.append(done)
            heard.set()

        calling = asyncio.ensure_future(client.call(step["name"], step["arguments"], progress=hear))
        if step["do"] == "cancelled":
            await heard.wait()
            calling.cancel()
            await asyncio.wait([calling])
            raise TimeoutError("cancelled")
        return await calling


def reference(step: Step) -> PromptReference | ResourceTemplateReference:
    """Return the reference of a completion."""
    ref = step["ref"]
    return PromptReference(name=ref["name"]) if "name" in ref else ResourceTemplateReference(uri=ref["uri"])


def _wire(result: Any) -> Any:
    if isinstance(result, BaseModel):
        return result.model_dump(by_alias=True, mode="json", exclude_none=True)
    return result


def main(walked: Callable[[Walk], Coroutine[Any, Any, dict[str, Any]]]) -> None:
    """Run a request from standard input."""
    sys.stdout.write(json.dumps(asyncio.run(walked(Walk(json.load(sys.stdin))))))
