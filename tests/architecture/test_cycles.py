"""No two modules import each other, directly or through others."""

import ast

from tests.architecture.cycles import build_graph, find_cycles
from tests.architecture.sources import name_of, python, tree

PENDING = [
    ["toolbox.audit.log", "toolbox.audit.tracing"],
]


def test_a_cycle_through_an_import_in_a_function_is_found() -> None:
    assert _find({"a.b": "import a.c", "a.c": "from a import d", "a.d": "def f():\n    from a.b import g"}) == [
        ["a.b", "a.c", "a.d"]
    ]


def test_two_cycles_are_two_findings() -> None:
    assert _find({"a": "import b", "b": "import a", "c": "from d import x", "d": "from c import y"}) == [
        ["a", "b"], ["c", "d"],
    ]  # fmt: skip


def test_modules_in_layers_make_no_cycle() -> None:
    assert _find({"a": "import b\nimport c", "b": "import c", "c": "import json", "a.c": "import a"}) == []


def test_the_repository_has_no_import_cycle() -> None:
    trees = {_module_name(name_of(path)): tree(path) for path in python()}

    assert [cycle for cycle in find_cycles(build_graph(trees)) if cycle not in PENDING] == []


def _find(sources: dict[str, str]) -> list[list[str]]:
    return find_cycles(build_graph({name: ast.parse(source) for name, source in sources.items()}))


def _module_name(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
