"""The tool's own words: names that mean several, refusals, cuts; and that nothing outlives its process."""

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from devassist import find_callers
from devassist.contracts.find_callers import CallersFound, FindCallersQuestion
from devassist.workspaces import KnownWorkspace
from tests.devassist.callers.conftest import FAKE, lives
from toolbox.contract.errors import ToolError
from toolbox.database import event_loop

ROOT = Path(__file__).parents[3]


class Finder:
    """Calls the tool about one folder."""

    def __init__(self, root: Path) -> None:
        self.workspace = KnownWorkspace(
            id=0, name="shop", root=str(root), is_open=True, is_default=True, shows_secrets=False,
            key_ids=frozenset(), owner_ids=frozenset(),
        )  # fmt: skip

    async def __call__(self, name: str, path: str = "shop.py", **more: Any) -> CallersFound:
        ask = FindCallersQuestion(function_name=name, file_path=path, **more)
        return await find_callers.find_callers(ask, workspace=self.workspace)

    async def refusal_of(self, name: str, path: str = "shop.py", **more: Any) -> ToolError:
        with pytest.raises(ToolError) as refusal:
            await self(name, path, **more)
        return refusal.value


@pytest.fixture
async def find(shop: Path, settings: Any, tmp_path: Path) -> AsyncIterator[Finder]:
    use(settings, fault="none")
    settings.DEVASSIST_SERVERS_DIR = tmp_path / "servers"
    yield Finder(shop)
    await event_loop.run_on_loop(find_callers.close)


def use(settings: Any, *, fault: str) -> None:
    command = [sys.executable, "-I", "-S", str(FAKE), fault]
    settings.DEVASSIST_LANGUAGE_SERVERS = {"fake": {"command": command, "languages": {".py": "python"}}}


async def test_the_contract_s_answer(find: Finder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find_callers, "ANSWER_SECONDS", 60)

    found = await find("price")

    assert found.model_dump(by_alias=True, exclude_none=True) == {
        "functionName": "price",
        "filePath": "shop.py",
        "callers": [
            {"callerName": "ring", "filePath": "till.py", "line": 5, "callChain": ["ring", "price"], "depth": 1,
             "foundBy": "server", "confidence": 0.99},
            {"callerName": "day", "filePath": "till.py", "line": 9, "callChain": ["day", "ring", "price"], "depth": 2,
             "foundBy": "server", "confidence": 0.99},
        ],
        "totalCallers": 2,
        "incomplete": False,
    }  # fmt: skip


async def test_a_server_that_hangs_costs_no_more_than_the_time_allowed(
    find: Finder, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(settings, fault="hang-at-start")
    monkeypatch.setattr(find_callers, "ANSWER_SECONDS", 0.3)

    found = await asyncio.wait_for(find("price"), timeout=30)

    assert (found.callers, found.incomplete) == ([], True)
    assert "indexing" in (found.incomplete_reason or "")


async def test_a_name_that_means_several_is_answered_for_each(
    find: Finder, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(find_callers, "ANSWER_SECONDS", 60)
    (shop / "two.py").write_text("class A:\n    def go(self): pass\n\nclass B:\n    def go(self): pass\n\ngo()\n")

    both, one = await find("go", "two.py"), await find("A.go", "two.py")

    assert [(meant.name, meant.line) for meant in both.definitions or []] == [("A.go", 2), ("B.go", 5)]
    assert {caller.call_chain[-1] for caller in both.callers} <= {"A.go", "B.go"}
    assert one.definitions is None


async def test_many_callers_are_cut_and_all_counted(find: Finder, shop: Path) -> None:
    calls = "".join(f"def caller_{number}():\n    price({number})\n\n\n" for number in range(3_000))
    (shop / "many.py").write_text("from shop import price\n\n\n" + calls)
    ask = FindCallersQuestion(function_name="price", file_path="shop.py", max_depth=1, max_callers=5)

    found = await until_complete(find, ask)

    assert (len(found.callers), found.total_callers) == (5, 3_001)


async def until_complete(find: Finder, ask: FindCallersQuestion) -> CallersFound:
    """Ask again as long as the answer says to."""
    for _ in range(60):
        found = await find_callers.find_callers(ask, workspace=find.workspace)
        if not found.incomplete:
            return found
        assert found.total_callers <= 3_001
    raise AssertionError(found.incomplete_reason)


async def test_a_search_by_name_says_that_it_is_one(find: Finder) -> None:
    found = await find("price", syntactic=True)

    assert {caller.found_by for caller in found.callers} == {"syntax"}
    assert found.incomplete
    assert "by name alone" in (found.incomplete_reason or "")


async def test_a_file_whose_name_is_no_utf8_is_left_out_and_the_answer_says_that_files_are(
    find: Finder, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(find_callers, "ANSWER_SECONDS", 60)
    (shop / "till.py").rename(shop / os.fsdecode(b"caf\xe9.py"))

    found = await find("price")

    assert found.callers == []
    assert "more source files than are looked at" in (found.incomplete_reason or "")


@pytest.mark.parametrize(
    ("name", "path", "code", "said"),
    [
        ("pric", "shop.py", "FUNCTION_NOT_FOUND", "price"),
        ("price", "absent.py", "FILE_NOT_FOUND", "root"),
        ("price", "../shop/shop.py", "PERMISSION_DENIED", "without '..'"),
        ("price", "/etc/passwd", "PERMISSION_DENIED", "without a leading slash"),
        ("price", "notes.txt", "LSP_UNAVAILABLE", "Kotlin"),
        ("price", "made.py", "TOO_LARGE", "made by a tool"),
    ],
)
async def test_refusals(find: Finder, shop: Path, *, name: str, path: str, code: str, said: str) -> None:
    (shop / "notes.txt").write_text("price\n")
    (shop / "made.py").write_text("#" * 2_100_000)

    refusal = await find.refusal_of(name, path)

    assert refusal.code.code == code
    assert said in refusal.suggestion
    assert not refusal.retry_with  # a search by name would be refused in the same words


async def test_a_server_that_is_not_installed_is_named_with_its_command(find: Finder, shop: Path) -> None:
    (shop / "Main.kt").write_text("fun main() {}\n")

    refusal = await find.refusal_of("main", "Main.kt")

    assert refusal.code.code == "LSP_UNAVAILABLE"
    assert "install_language_servers kotlin" in refusal.suggestion
    assert refusal.retry_with == {"syntactic": True}
    assert (await find("main", "Main.kt", **refusal.retry_with)).callers == []


def test_no_server_outlives_a_process_that_was_killed(shop: Path, tmp_path: Path) -> None:
    mark = tmp_path / "child"
    program = f"""
        import asyncio, os
        from pathlib import Path
        from tests.devassist.callers.conftest import Asker, fake
        from devassist.callers.session import Patience

        async def main():
            ask = Asker(Path({str(shop)!r}), server=fake("child", mark=Path({str(mark)!r})),
                        data=Path({str(tmp_path / "data")!r}), patience=Patience())
            await ask()
            print(ask.caller_search.servers.list_running()[0].process_id, flush=True)
            await asyncio.sleep(600)

        asyncio.run(main())
    """
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)],
        cwd=ROOT, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as process:  # fmt: skip
        assert process.stdout
        watchdog, child = int(process.stdout.readline()), int(mark.read_text())
        assert lives(watchdog)
        assert lives(child)

        process.send_signal(signal.SIGKILL)

    wait_until_ended(watchdog)
    wait_until_ended(child)


def wait_until_ended(process: int) -> None:
    """Wait until the process is gone; a server that stays makes the test fail by its own limit."""
    while lives(process):
        os.sched_yield()
