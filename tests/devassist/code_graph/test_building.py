"""Graphs of folders: built, brought up to date by what changed, and whole however files are broken."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from devassist.code_graph import queries
from devassist.code_graph.building import build
from devassist.code_graph.facts import FileFacts
from devassist.models import GraphFile, GraphSymbol, Workspace
from tests.devassist.conftest import MakeWorkspace
from tests.graphql_proxy.conftest import in_a_thread

SHOP = {
    "shop.py": "class Store:\n    def save(self):\n        pass\n\n\n"
    "class Cache(Store):\n    def save(self):\n        pass\n",
    "till.py": "from shop import Store\n\n\ndef ring(store: Store):\n    store.save()\n",
}


class Graph:
    """A folder with its graph."""

    def __init__(self, root: Path, *, workspace: int) -> None:
        self.root, self.workspace = root, workspace

    def write(self, files: dict[str, str]) -> None:
        for path, text in files.items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text(text)

    def build(self) -> None:
        assert build(self.workspace, root=str(self.root))

    async def callers(self, name: str) -> set[tuple[str, int, str]]:
        symbols = await queries.find_symbols(name, workspace_id=self.workspace)
        calls = await queries.find_callers(*symbols)
        return {(call.caller.qualified_name if call.caller else "", call.line, call.found_by) for call in calls}


@pytest.fixture
def graph(make_workspace: MakeWorkspace, tmp_path: Path) -> Graph:
    name = make_workspace(tmp_path)
    found = Graph(tmp_path, workspace=in_a_thread(lambda: Workspace.objects.get(name=name).pk))
    found.write(SHOP)
    found.build()
    return found


async def test_an_override_is_called_through_what_it_overrides(graph: Graph) -> None:
    assert await graph.callers("Cache.save") == {("ring", 5, "hierarchy")}
    assert await graph.callers("Store.save") == {("ring", 5, "syntax")}


async def test_a_changed_file_changes_its_rows_and_symbols_that_stay_keep_their_ids(graph: Graph) -> None:
    (before,) = await queries.find_symbols("Cache.save", workspace_id=graph.workspace)
    graph.write({"till.py": "from shop import Cache\n\n\ndef close():\n    Cache().save()\n"})
    graph.write({"shop.py": "# a line\n" + SHOP["shop.py"]})

    graph.build()

    (after,) = await queries.find_symbols("Cache.save", workspace_id=graph.workspace)
    assert (after.id, after.line) == (before.id, before.line + 1)
    assert await graph.callers("Cache.save") == {("close", 5, "syntax")}
    assert await graph.callers("Store.save") == set()


async def test_a_deleted_file_takes_its_symbols_and_calls_with_it(graph: Graph) -> None:
    (graph.root / "shop.py").unlink()

    graph.build()

    assert await queries.find_symbols("save", workspace_id=graph.workspace) == []
    build_row = await queries.read_build(graph.workspace)
    assert build_row
    assert build_row.state == "ready"


def test_unchanged_files_are_not_read_again(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    from devassist.code_graph import building, reading

    read: list[str] = []
    real = reading.read_facts

    def read_facts(data: bytes, *, path: str) -> FileFacts:
        read.append(path)
        return real(data, path=path)

    monkeypatch.setattr(building, "read_facts", read_facts)
    os.utime(graph.root / "shop.py")
    graph.write({"till.py": SHOP["till.py"] + "\n"})

    graph.build()

    assert read == ["till.py"]


HOSTILE: dict[str, Callable[[], bytes]] = {
    "is no text in UTF-8": lambda: b"\x00\x01\x02binary",
    "is larger than 2 MB": lambda: b"#" * 2_100_000,
    "has syntax errors: calls in them are not seen": lambda: b"def broken(:\n    store.save(\n",
    "takes too long to parse: it is very large, deeply nested or broken in many places": lambda: (
        b"x = " + b"(" * 20_000
    ),
    "": lambda: b"x = '" + b"a" * 1_000_000 + b"'\n",
}


@pytest.mark.parametrize("problem", HOSTILE)
async def test_what_cannot_be_read_is_said_in_words_and_the_rest_is_read(graph: Graph, problem: str) -> None:
    (graph.root / "odd.py").write_bytes(HOSTILE[problem]())

    graph.build()

    problems = in_a_thread(lambda: GraphFile.objects.get(workspace=graph.workspace, path="odd.py").problem)
    assert problems == problem
    assert ("ring", 5, "syntax") in await graph.callers("Store.save")


def test_links_out_of_the_folder_and_in_circles_are_not_followed(
    graph: Graph, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "secret.py").write_text("def secret(): pass\n")
    (graph.root / "loop").symlink_to(graph.root)
    (graph.root / "away.py").symlink_to(outside / "secret.py")
    (graph.root / "folder").symlink_to(outside)

    graph.build()

    names = in_a_thread(
        lambda: set(GraphSymbol.objects.filter(workspace=graph.workspace).values_list("name", flat=True))
    )
    assert names == {"Store", "Cache", "save", "ring"}
