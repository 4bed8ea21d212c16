"""Small workspaces, and searches with servers of their own that end with the test."""

import os
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from devassist.callers.caller_search import CallerSearch, FoundCallers
from devassist.callers.declarations import find_functions
from devassist.callers.languages import LanguageServer
from devassist.callers.search import CallerQuestion
from devassist.callers.servers import Servers
from devassist.callers.session import Machine, Patience
from devassist.callers.traversal import Place

FAKE = Path(__file__).with_name("fake_server.py")
ENVIRONMENT = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8"}

SHOP = {
    "shop.py": "def price(item):\n    return 1\n",
    "till.py": "from shop import price\n\n\ndef ring(item):\n    return price(item)\n\n\ndef day():\n    ring(1)\n",
}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    root.mkdir()
    for name, text in SHOP.items():
        (root / name).write_text(text)
    return root


class Asker:
    """Asks one CallerSearch about one workspace, with one server."""

    def __init__(self, root: Path, *, server: LanguageServer, data: Path, patience: Patience) -> None:
        machine = Machine(places={}, environment=ENVIRONMENT, data=data, patience=patience)
        self.caller_search = CallerSearch(Servers(machine, most=4, idle_seconds=600))
        self.root, self.server = os.path.realpath(root), server

    def make_question(self, name: str, *, path: str, depth: int = 2) -> CallerQuestion:
        code = self.caller_search.get_source_files(self.root).code(path)
        assert code
        targets = tuple((Place(path=path, function=one), name) for one in find_functions(name, code=code))
        return CallerQuestion(targets=targets, depth=depth, server=self.server)

    async def __call__(
        self, name: str = "price", *, path: str = "shop.py", depth: int = 2, seconds: float = 60
    ) -> FoundCallers:
        return await self.caller_search.ask(
            self.make_question(name, path=path, depth=depth), root=self.root, seconds=seconds
        )

    async def ask_whole(
        self, name: str = "price", *, path: str = "shop.py", depth: int = 2
    ) -> set[tuple[str, int, int]]:
        """Ask, require a whole answer, and return callers with line and depth."""
        found = await self(name, path=path, depth=depth)
        assert found.reason is None, found.reason
        return {(caller.name, caller.lines[0], caller.depth) for caller in found.callers}


Ask = Callable[..., Asker]


@pytest.fixture
async def asker(tmp_path: Path) -> AsyncIterator[Ask]:
    """Yield a function that creates askers; their servers must have ended after the test."""
    made: list[Asker] = []

    def make(root: Path, *, server: LanguageServer, patience: Patience | None = None) -> Asker:
        made.append(Asker(root, server=server, data=tmp_path / "data", patience=patience or Patience()))
        return made[-1]

    yield make
    for one in made:
        processes = [session.process_id for session in one.caller_search.servers.list_running()]
        await one.caller_search.close()
        assert not [process for process in processes if process and lives(process)]


def fake(fault: str, *, mark: Path | None = None, **changes: object) -> LanguageServer:
    """Return a server that behaves as `fault` says, until the file `mark` is there."""
    command = (sys.executable, "-I", "-S", str(FAKE), fault, *([str(mark)] if mark else []))
    server = LanguageServer(name="fake", command=command, languages={".py": "python"}, install="magic", opens="nothing")
    return replace(server, **changes)  # type: ignore[arg-type]


def lives(process: int) -> bool:
    """Return whether a process exists and is not a zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
