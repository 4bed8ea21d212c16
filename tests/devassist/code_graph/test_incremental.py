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
OTHER_FILES = {
    ".ts": {
        "store.ts": "export class Store {\n  save(item: number) {\n    return item;\n  }\n}\n\n"
        "export class Cache extends Store {\n  save(item: number) {\n    return super.save(item);\n  }\n}\n",
        "tools.ts": "import { Store } from './store';\n\nexport function price(store: Store) {\n"
        "  return store.save(1);\n}\n\nexport const apply = (f: Function) => f(2);\n",
        "till.ts": "import { Cache } from './store';\nimport { apply, price } from './tools';\n\n"
        "export function ring() {\n  apply(price);\n  return price(new Cache());\n}\n",
    },
    ".java": {
        "shop/Store.java": "package shop;\n\nclass Store {\n  int save(int item) {\n    return item;\n  }\n}\n",
        "shop/Cache.java": "package shop;\n\nclass Cache extends Store {\n  int save(int item) {\n"
        "    return super.save(item);\n  }\n}\n",
        "shop/Till.java": "package shop;\n\nclass Till {\n  static int price(Store store) {\n"
        "    return store.save(1);\n  }\n\n  int ring() {\n    return price(new Cache());\n  }\n}\n",
    },
    ".kt": {
        "app/Store.kt": "package app\n\nopen class Store {\n  open fun save(item: Int): Int {\n"
        "    return item\n  }\n}\n",
        "app/Cache.kt": "package app\n\nclass Cache : Store() {\n  override fun save(item: Int): Int {\n"
        "    return super.save(item)\n  }\n}\n",
        "app/Till.kt": "package app\n\nfun price(store: Store): Int {\n  return store.save(1)\n}\n\n"
        "fun ring(): Int {\n  listOf(1).map { price(Cache()) }\n  return price(Cache())\n}\n",
    },
}
LINES = {
    ".py": (
        "# a note",
        "",
        "print(1)",
        "from store import Store",
        "def more(item):\n    item.cost()\n",
        "class Other(Item):\n    def cost(self):\n        return price(self)\n",
        "from tools import price\nfrom items import Item\n",
        "price(Item())",
        "handlers = [price, ring]\nhandlers[0](1)",
    ),
    ".ts": (
        "// a note",
        "import { Store } from './store';",
        "export function more(store: Store) { return store.save(2); }",
        "class Other extends Store { save(item: number) { return price(this); } }",
        "const handlers = [price, ring]; handlers[0](1);",
    ),
    ".java": (
        "// a note",
        "class Other extends Store { int save(int item) { return Till.price(this); } }",
        "  int more(Store store) { return store.save(2); }",
        "  int save(int item, int more) { return save(item); }",
    ),
    ".kt": (
        "// a note",
        "class Other : Store() { override fun save(item: Int): Int { return price(this) } }",
        "fun more(store: Store): Int { return store.save(2) }",
        "fun price(item: Int): Int { return item }",
    ),
}
NAMES = {"price": "worth", "save": "keep", "Store": "Shelf", "cost": "price"}
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
@pytest.mark.parametrize("ending", LINES)
@pytest.mark.parametrize("seed", range(2))
def test_after_random_edits_the_rows_are_those_of_a_first_build(
    graph: Graph, make_workspace: MakeWorkspace, ending: str, seed: int
) -> None:
    graph.write(OTHER_FILES.get(ending, {}))
    dice = random.Random(seed)
    for _ in range(12):
        _edit(graph.root, ending=ending, dice=dice)
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


def _edit(root: Path, *, ending: str, dice: random.Random) -> None:
    """Change a file of a language: lines more or less, another name, another base, moved, deleted, or copied."""
    paths = sorted(root.rglob(f"*{ending}"))
    path = dice.choice(paths)
    lines = path.read_text().splitlines(keepends=True)
    kind = dice.choice(("insert", "insert", "insert", "comment", "drop", "rename", "move", "delete", "copy"))
    if kind in ("insert", "comment"):
        outer = [place for place in range(len(lines) + 1) if _is_between(lines, place=place)]
        line = dice.choice(LINES[ending]) if kind == "insert" else LINES[ending][0]
        lines.insert(dice.choice(outer), f"{line}\n")
    elif kind == "drop" and lines:
        del lines[dice.randrange(len(lines))]
    elif kind == "rename":
        old = dice.choice(sorted(NAMES))
        lines = [line.replace(old, NAMES[old]) if dice.random() < 0.7 else line for line in lines]
    elif kind == "move":
        path.rename(path.with_name(f"new_{dice.randrange(3)}{ending}"))
        return
    elif kind == "delete" and len(paths) > 2:
        path.unlink()
        return
    elif kind == "copy":
        path = path.with_name(f"new_{dice.randrange(3)}{ending}")
    path.write_text("".join(lines))


def _is_between(lines: list[str], *, place: int) -> bool:
    """Return whether a statement can begin at a line without splitting a block or a decorated function."""
    return not (0 < place < len(lines) and (lines[place][:1] in " }" or lines[place - 1].startswith("@")))


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
