"""Servers that are started before anybody asks, by the process that serves and by command."""

import sys
from collections.abc import AsyncIterator, Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from devassist import find_callers, warmer
from devassist.workspaces import KnownWorkspace
from tests.devassist.callers.conftest import FAKE
from toolbox.database import event_loop

Known = Callable[..., None]


@pytest.fixture
async def workspaces(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Known]:
    """Set the folders that are workspaces; Python's server is one that starts at once."""
    await event_loop.run_on_loop(find_callers.close)  # a test before may have read the settings of that time
    command = [sys.executable, "-I", "-S", str(FAKE), "none"]
    settings.DEVASSIST_LANGUAGE_SERVERS = {
        "fake": {"command": command, "languages": {".py": "python"}},
        "absent": {"command": ["no-such-server"], "languages": {".zz": "zz"}, "install": "magic"},
    }
    settings.DEVASSIST_SERVERS_DIR = tmp_path / "servers"
    rows: list[KnownWorkspace] = []

    async def list_workspaces() -> list[KnownWorkspace]:
        return rows

    monkeypatch.setattr(warmer, "workspaces", list_workspaces)
    monkeypatch.setattr("devassist.management.commands.warm_workspace.workspaces", list_workspaces)
    yield lambda *roots: rows.extend(_workspace(root, number=number) for number, root in enumerate(roots))
    await event_loop.run_on_loop(find_callers.close)


async def test_a_workspace_is_warmed_once_when_it_is_first_seen(workspaces: Known, shop: Path) -> None:
    one = warmer.Warmer()
    await event_loop.run_on_loop(one.look)
    assert await _list_running() == []

    workspaces(shop)
    await event_loop.run_on_loop(one.look)
    first = await _list_running()
    await event_loop.run_on_loop(one.look)

    assert [root for root, _ in first] == [str(shop)]
    assert await _list_running() == first


async def test_no_more_servers_are_warmed_than_may_run(workspaces: Known, shop: Path, settings: Any) -> None:
    settings.DEVASSIST_MOST_SERVERS = 1
    other = shop.parent / "other"
    other.mkdir()
    (other / "one.py").write_text("def one():\n    pass\n")
    workspaces(shop, other)

    await event_loop.run_on_loop(warmer.Warmer().look)

    assert [root for root, _ in await _list_running()] == [str(shop)]


@pytest.mark.django_db
def test_the_command_says_how_each_server_fared(workspaces: Known, shop: Path) -> None:
    (shop / "a.zz").write_text("zz\n")
    workspaces(shop)
    out = StringIO()

    call_command("warm_workspace", "shop-0", stdout=out)

    absent, fake = sorted(out.getvalue().splitlines())
    assert absent == "shop-0: absent, 1 files: not installed; get it by: magic"
    assert fake.startswith("shop-0: fake, 2 files: ready in ")


async def _list_running() -> list[tuple[str, int | None]]:
    async def list_running() -> list[tuple[str, int | None]]:
        running = find_callers.get_caller_search().servers.list_running()
        return [(session.root, session.process_id) for session in running]

    return await event_loop.run_on_loop(list_running)


def _workspace(root: Path, *, number: int) -> KnownWorkspace:
    return KnownWorkspace(
        id=number, name=f"shop-{number}", root=str(root), is_open=True, is_default=number == 0, shows_secrets=False,
        key_ids=frozenset(), owner_ids=frozenset(),
    )  # fmt: skip
