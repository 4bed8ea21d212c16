"""go_to_definition beside a language server, a real process, that is slow or does not answer."""

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from devassist import find_callers, symbols
from devassist.callers.languages import server_for
from devassist.contracts.symbols import DefinitionsFound, GoToDefinitionQuestion
from devassist.workspaces import KnownWorkspace
from tests.devassist.callers.conftest import FAKE
from toolbox.database import event_loop

CALL = GoToDefinitionQuestion(file_path="till.py", line=5, symbol="price")


@pytest.fixture
def has_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a file that is there once a search by name has begun."""
    mark, search = tmp_path / "has-begun", symbols._NameSearch._search

    def note(*arguments: Any, **more: Any) -> Any:
        mark.touch()
        return search(*arguments, **more)

    monkeypatch.setattr(symbols._NameSearch, "_search", note)
    return mark


@pytest.fixture
async def close_servers() -> AsyncIterator[None]:
    await event_loop.run_on_loop(find_callers.close)  # a test before may have read the settings of that time
    yield
    await event_loop.run_on_loop(find_callers.close)


async def test_the_search_by_name_begins_while_a_slow_server_is_waited_for(
    shop: Path, has_begun: Path, settings: Any, close_servers: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(symbols, "SERVER_SECONDS", 20)
    found = await _ask(shop, settings=settings, fault="defines", mark=has_begun)

    assert [(one.file_path, one.line, one.found_by) for one in found.definitions] == [("shop.py", 1, "server")]
    assert found.incomplete is None


async def test_a_server_that_does_not_answer_leaves_the_search_by_name(
    shop: Path, settings: Any, close_servers: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(symbols, "SERVER_SECONDS", 0.6)
    found = await _ask(shop, settings=settings, fault="hides", mark=shop.parent / "asked")

    assert [(one.file_path, one.line, one.found_by) for one in found.definitions] == [("shop.py", 1, "syntax")]
    assert "gave no answer" in (found.incomplete or "")


async def _ask(shop: Path, *, settings: Any, fault: str, mark: Path) -> DefinitionsFound:
    """Ask once the server is ready."""
    command = [sys.executable, "-I", "-S", str(FAKE), fault, str(mark)]
    settings.DEVASSIST_LANGUAGE_SERVERS = {"fake": {"command": command, "languages": {".py": "python"}}}
    settings.DEVASSIST_SERVERS_DIR = shop.parent / "servers"
    workspace = KnownWorkspace(
        id=0, name="shop", root=str(shop), is_open=True, is_default=False, shows_secrets=False,
        key_ids=frozenset(), owner_ids=frozenset(),
    )  # fmt: skip

    async def start() -> None:
        search = find_callers.get_caller_search()
        server = server_for("till.py", servers=find_callers.known_servers())
        assert server
        read = search.get_source_files(str(shop)).text
        await asyncio.wait_for(asyncio.shield(search.servers.session(server, root=str(shop), read=read).ready), 60)

    await event_loop.run_on_loop(start)
    return await symbols.go_to_definition(CALL, workspace=workspace, seconds=30)
