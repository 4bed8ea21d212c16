"""However a project was edited, its graph is the one that a first build of the same files makes."""

import random
from pathlib import Path

import pytest
from django.db import connection

from devassist.code_graph import building, linking
from devassist.code_graph.moves import find_moves
from devassist.code_graph.reading import read_facts
from devassist.models import Workspace
from tests.devassist.code_graph.test_building import Graph
from tests.devassist.conftest import MakeWorkspace
from tests.graphql_proxy.conftest import in_a_thread

PROJECT = {
    "store.py": "class Store:\n    def save(self, item):\n        return item\n\n    @property\n    def size(self):\n"
    "        return 1\n\n\nclass Cache(Store):\n    def save(self, item):\n        return super().save(item)\n",
    "tools.py": "from library import register\n\n\ndef price(item):\n    'Say.'\n    return item.cost()\n\n\n"
    "@register\ndef hook():\n    price(1)\n\n\ndef apply(f):\n    return f(2)\n",
    "till.py": "from store import Cache, Store\nfrom tools import apply, price\n\nBY = {'a': price}\n\n\n"
    "def ring(store: Store, key):\n    store.save(BY[key](3))\n    return store.size\n\n\ndef day(name):\n"
    "    ring(Cache(), 'a')\n    getattr(name, 'sa' + name)()\n    return apply(lambda one: price(one))\n",
    "items.py": "class Item:\n    def cost(self):\n        return 1\n\n\nclass Gift(Item):\n    def cost(self):\n"
    "        return 0\n\n\ndef all_items():\n    yield Item()\n    yield Gift()\n",
    "web/view.ts": "import { draw } from './draw';\n\nexport class View {\n  show() { return draw(this); }\n}\n",
    "web/draw.ts": "import { View } from './view';\n\nexport function draw(view: View) { return view.show(); }\n",
}
LINES = (
    "# a note",
    "",
    "print(1)",
    "from store import Store",
    "def more(item):\n    item.cost()\n",
    "class Other(Item):\n    def cost(self):\n        return price(self)\n",
    "from tools import price\nfrom items import Item\n",
    "price(Item())",
    "handlers = [price, ring]\nhandlers[0](1)",
)
_ROWS = (
    """SELECT f.path, s.qualified_name, s.number, c.qualified_name, s.kind, s.line, s.character, s.start_line,
      s.end_line, s.signature, s.handed_to
    FROM devassist_graph_symbols AS s JOIN devassist_graph_files AS f ON f.id = s.file_id
    LEFT JOIN devassist_graph_symbols AS c ON c.id = s.container_id WHERE s.workspace_id = %s LIMIT 100000""",
    """SELECT f.path, s.qualified_name, c.callee_name, c.receiver, c.line, c.character, t.qualified_name, t.number,
      tf.path, c.found_by, c.confidence, c.is_open
    FROM devassist_graph_calls AS c JOIN devassist_graph_files AS f ON f.id = c.file_id
    LEFT JOIN devassist_graph_symbols AS s ON s.id = c.caller_id
    LEFT JOIN devassist_graph_symbols AS t ON t.id = c.target_id
    LEFT JOIN devassist_graph_files AS tf ON tf.id = t.file_id WHERE c.workspace_id = %s LIMIT 100000""",
    """SELECT s.qualified_name, f.path, b.base_name, t.qualified_name FROM devassist_graph_bases AS b
    JOIN devassist_graph_symbols AS s ON s.id = b.symbol_id JOIN devassist_graph_files AS f ON f.id = s.file_id
    LEFT JOIN devassist_graph_symbols AS t ON t.id = b.base_id WHERE b.workspace_id = %s LIMIT 100000""",
    """SELECT f.path, i.line, i.module, i.name, i.local_name, t.path FROM devassist_graph_imports AS i
    JOIN devassist_graph_files AS f ON f.id = i.file_id LEFT JOIN devassist_graph_files AS t ON t.id = i.target_id
    WHERE i.workspace_id = %s LIMIT 100000""",
    """SELECT path, language, content_hash, size, is_test, problem, facts FROM devassist_graph_files
    WHERE workspace_id = %s LIMIT 100000""",
)


@pytest.fixture
def graph(make_workspace: MakeWorkspace, tmp_path: Path) -> Graph:
    found = Graph(tmp_path, workspace=_workspace(make_workspace, root=tmp_path))
    found.write(PROJECT)
    found.build()
    return found


@pytest.fixture
def links(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list to which each linking adds its number of files."""
    found: list[int] = []
    real = linking.link

    def link(facts: dict[str, object], **more: object) -> object:
        found.append(len(facts))
        return real(facts, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(building, "link", link)
    return found


MOVED = {
    "a comment above": ("tools.py", "\n\ndef price", "\n# why\n\n\ndef price"),
    "a docstring of two lines": ("tools.py", "'Say.'", '"""Say\n    more."""'),
    "a longer line": ("till.py", "    return store.size", "    return (  store.size )"),
    "a comment in TypeScript": ("web/view.ts", "\nexport", "// a view\n\nexport"),
}


@pytest.mark.parametrize("name", MOVED)
def test_an_edit_that_only_moves_code_moves_the_rows_and_links_nothing(
    graph: Graph, links: list[int], make_workspace: MakeWorkspace, name: str
) -> None:
    path, before, after = MOVED[name]
    text = (graph.root / path).read_text()
    assert before in text
    graph.write({path: text.replace(before, after, 1)})

    graph.build()

    assert links == []
    assert _rows(graph.workspace) == _rows_of_a_first_build(graph, make_workspace=make_workspace)


def test_a_touched_file_links_nothing_and_a_changed_build_file_links_all(graph: Graph, links: list[int]) -> None:
    (graph.root / "till.py").touch()
    graph.build()
    assert links == []

    graph.write({"web/tsconfig.json": "{}"})
    graph.build()
    assert links == [len(PROJECT)]


def test_a_build_that_did_not_end_is_made_up_for_by_the_next(
    graph: Graph, make_workspace: MakeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The edit that follows only moves code, and still the one before it is linked."""
    graph.write({"till.py": PROJECT["till.py"].replace("ring(Cache(), 'a')", "price(Cache())")})
    with monkeypatch.context() as broken:
        broken.setattr(building, "link", _interrupt)
        with pytest.raises(KeyboardInterrupt):
            graph.build()
    graph.write({"till.py": "# a note\n" + (graph.root / "till.py").read_text()})

    graph.build()

    assert _rows(graph.workspace) == _rows_of_a_first_build(graph, make_workspace=make_workspace)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_after_random_edits_the_rows_are_those_of_a_first_build(
    graph: Graph, make_workspace: MakeWorkspace, seed: int
) -> None:
    dice = random.Random(seed)
    for _ in range(12):
        _edit(graph.root, dice=dice)
        graph.build()

        assert _rows(graph.workspace) == _rows_of_a_first_build(graph, make_workspace=make_workspace)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("f()\n", "g()\n"),
        ("x.f()\n", "y.f()\n"),
        ("f(1)\n", "f()\n"),
        ("def f(): pass\n", "class f: pass\n"),
        ("f(); f()\n", "f()\nf()\n"),
    ],
)
def test_an_edit_that_changes_a_fact_is_no_move(old: str, new: str) -> None:
    before, after = (read_facts(text.encode(), path="a.py") for text in (old, new))

    assert find_moves(before, new=after) is None


def _interrupt(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def _edit(root: Path, *, dice: random.Random) -> None:
    """Change one file: a line more, a line less, two lines exchanged, another name, gone, or new."""
    paths = sorted(path for path in root.rglob("*.py"))
    path = dice.choice(paths)
    lines = path.read_text().splitlines(keepends=True)
    kind = dice.choice(("insert", "insert", "insert", "comment", "comment", "drop", "rename", "delete", "create"))
    place = dice.randrange(len(lines) + 1)
    if kind in ("insert", "comment"):
        while 0 < place < len(lines) and (lines[place].startswith(" ") or lines[place - 1].startswith("@")):
            place += 1
        lines.insert(place, (dice.choice(LINES) if kind == "insert" else "# a note\n") + "\n")
    elif kind == "drop" and lines:
        del lines[dice.randrange(len(lines))]
    elif kind == "rename":
        lines = [line.replace("price", dice.choice(("price", "worth"))) for line in lines]
    elif kind == "delete" and len(paths) > 3:
        path.unlink()
        return
    elif kind == "create":
        path = root / f"new_{dice.randrange(3)}.py"
        lines = [PROJECT[dice.choice(sorted(one for one in PROJECT if one.endswith(".py")))]]
    path.write_text("".join(lines))


def _workspace(make_workspace: MakeWorkspace, *, root: Path) -> int:
    name = make_workspace(root)
    return int(in_a_thread(lambda: Workspace.objects.get(name=name).pk))


def _rows_of_a_first_build(graph: Graph, *, make_workspace: MakeWorkspace) -> list[list[tuple[object, ...]]]:
    first = Graph(graph.root, workspace=_workspace(make_workspace, root=graph.root))
    first.build()
    return _rows(first.workspace)


def _rows(workspace: int) -> list[list[tuple[object, ...]]]:
    """Return all rows of a graph, sorted, without their ids."""

    def read() -> list[list[tuple[object, ...]]]:
        found = []
        with connection.cursor() as cursor:
            for statement in _ROWS:
                cursor.execute(statement, [workspace])
                found.append(sorted(tuple(map(str, row)) for row in cursor.fetchall()))
        return found  # type: ignore[return-value]

    found: list[list[tuple[object, ...]]] = in_a_thread(read)
    return found
