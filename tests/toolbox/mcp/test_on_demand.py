"""MCP is loaded by its first request, once, and tried again if that fails."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from toolbox.mcp.on_demand import McpOnDemand


class FakeMiddleware:
    """Records what it serves, and whether it runs."""

    def __init__(self) -> None:
        self.served: list[str] = []
        self.is_running = False

    @asynccontextmanager
    async def run_session_managers(self) -> AsyncIterator[None]:
        self.is_running = True
        yield
        self.is_running = False

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        assert self.is_running
        self.served.append(scope["path"])


class Loader:
    """Replaces the import; fails as often as configured."""

    def __init__(self, *, failures: int = 0) -> None:
        self.middleware = FakeMiddleware()
        self.failures = failures
        self.calls = 0

    def __call__(self) -> FakeMiddleware:
        self.calls += 1
        if self.calls <= self.failures:
            raise ImportError("no memory left")
        return self.middleware


async def _nobody() -> Any:
    raise NotImplementedError


async def _ask(application: Any, path: str, *, kind: str = "http") -> None:
    await application({"type": kind, "path": path}, _nobody, _nobody)


@pytest.fixture
def behind() -> list[str]:
    return []


@pytest.fixture
def loader() -> Loader:
    return Loader()


def _application(behind: list[str], *, loader: Loader, freezes: list[int] | None = None) -> McpOnDemand:
    async def application(scope: Any, receive: Any, send: Any) -> None:
        behind.append(scope["path"])

    noted = freezes if freezes is not None else []
    return McpOnDemand(application, load=loader, when_loaded=lambda: noted.append(1))


async def test_other_requests_pass_and_load_nothing(loader: Loader, behind: list[str]) -> None:
    application = _application(behind, loader=loader)

    async with application.run():
        await _ask(application, "/api/tools")
        await _ask(application, "/mcpx")
        await _ask(application, "/mcp", kind="websocket")

    assert behind == ["/api/tools", "/mcpx", "/mcp"]
    assert loader.calls == 0


async def test_requests_that_come_at_once_load_it_once_and_the_end_closes_it(loader: Loader, behind: list[str]) -> None:
    freezes: list[int] = []
    application = _application(behind, loader=loader, freezes=freezes)

    async with application.run():
        await asyncio.gather(*(_ask(application, path) for path in ("/mcp", "/mcp/linescore", "/mcp")))
        await _ask(application, "/mcp/compact")

    assert loader.calls == len(freezes) == 1
    assert sorted(loader.middleware.served) == ["/mcp", "/mcp", "/mcp/compact", "/mcp/linescore"]
    assert not loader.middleware.is_running


async def test_what_failed_to_load_is_tried_again(loader: Loader, behind: list[str]) -> None:
    loader.failures = 1
    application = _application(behind, loader=loader)

    async with application.run():
        with pytest.raises(ImportError, match="no memory left"):
            await _ask(application, "/mcp")
        await _ask(application, "/mcp")

    assert loader.middleware.served == ["/mcp"]


async def test_a_request_that_leaves_does_not_stop_the_loading(loader: Loader, behind: list[str]) -> None:
    application = _application(behind, loader=loader)

    async with application.run():
        first = asyncio.create_task(_ask(application, "/mcp"))
        await asyncio.sleep(0)
        first.cancel()
        await _ask(application, "/mcp")

    assert loader.calls == 1
    assert loader.middleware.served == ["/mcp"]
