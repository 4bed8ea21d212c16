"""Build systems, without running them: calls are resolved across source roots, references and packages."""

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from devassist.code_graph import queries
from devassist.code_graph.building import build
from devassist.code_graph.linking import link
from devassist.code_graph.modules import BUILD_FILES, Modules
from devassist.code_graph.reading import language_of, read_facts
from devassist.models import Workspace
from tests.devassist.conftest import MakeWorkspace
from tests.graphql_proxy.conftest import in_a_thread

SAMPLE = Path(__file__).parents[3] / "devassist" / "samples" / "trailnotes"

PROJECTS: dict[str, tuple[dict[str, str], tuple[str, str], set[tuple[str, str]]]] = {
    "a src layout, with tests beside it": (
        {
            "pyproject.toml": "[project]\nname = 'shop'\n",
            "src/shop/__init__.py": "from .prices import price\n",
            "src/shop/prices.py": "def price(item):\n    return 1\n",
            "tests/test_shop.py": "from shop import price\nimport shop.prices\n\n\n"
            "def test_it():\n    price(1)\n\n\ndef test_whole():\n    shop.prices.price(2)\n",
        },
        ("src/shop/prices.py", "price"),
        {("tests/test_shop.py", "test_it"), ("tests/test_shop.py", "test_whole")},
    ),
    "two packages of one name in a monorepo": (
        {
            "a/src/util.py": "def go():\n    pass\n",
            "a/src/main.py": "from util import go\n\n\ndef run():\n    go()\n",
            "b/src/util.py": "def go():\n    pass\n",
            "b/src/main.py": "from util import go\n\n\ndef run():\n    go()\n",
        },
        ("b/src/util.py", "go"),
        {("b/src/main.py", "run")},
    ),
    "tsconfig's paths": (
        {
            "tsconfig.json": '{ // comments are allowed\n'
            ' "compilerOptions": {"baseUrl": ".", "paths": {"@lib/*": ["lib/*"],}}}',
            "lib/price.ts": "export function price(n: number) { return n; }\n",
            "app/main.ts": 'import { price } from "@lib/price";\nexport function run() { return price(1); }\n',
        },
        ("lib/price.ts", "price"),
        {("app/main.ts", "run")},
    ),
    "built declarations of a referenced project": (
        {
            "core/tsconfig.json": '{"compilerOptions": {"composite": true, "outDir": "dist", "rootDir": "src"}}',
            "core/src/price.ts": "export function price(n: number) { return n; }\n",
            "app/tsconfig.json": '{"references": [{"path": "../core"}]}',
            "app/src/main.ts": 'import { price } from "../../core/dist/price";\n'
            "export function run() { return price(1); }\n",
        },
        ("core/src/price.ts", "price"),
        {("app/src/main.ts", "run")},
    ),
    "a package of the same repository, by its name": (
        {
            "packages/core/package.json": '{"name": "@shop/core", "main": "dist/index.js", "types": "dist/index.d.ts"}',
            "packages/core/tsconfig.json": '{"compilerOptions": {"outDir": "dist"}}',
            "packages/core/src/index.ts": 'export * from "./price";\n',
            "packages/core/src/price.ts": "export const price = (n: number) => n;\n",
            "packages/app/main.ts": 'import { price } from "@shop/core";\nexport function run() { return price(1); }\n',
        },
        ("packages/core/src/price.ts", "price"),
        {("packages/app/main.ts", "run")},
    ),
    "Kotlin and Java under Gradle, through an interface": (
        {
            "settings.gradle.kts": "include(':app')\n",
            "app/build.gradle.kts": "plugins { kotlin(\"jvm\") }\n",
            "app/src/main/kotlin/com/shop/Store.kt": "package com.shop\n\n"
            "interface Store {\n    fun save(n: Int)\n}\n",
            "app/src/main/kotlin/com/shop/Disk.kt": "package com.shop\n\nclass Disk : Store {\n"
            "    override fun save(n: Int) { }\n}\n",
            "app/src/main/java/com/shop/Main.java": "package com.shop;\n\nclass Main {\n"
            "    private final Store store;\n"
            "    Main(Store store) { this.store = store; }\n    void run() { store.save(1); }\n}\n",
        },
        ("app/src/main/kotlin/com/shop/Disk.kt", "Disk.save"),
        {("app/src/main/java/com/shop/Main.java", "Main.run")},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PROJECTS)
def test_callers_across_a_build_system(name: str) -> None:
    files, (path, function), callers = PROJECTS[name]

    assert find_callers(files, path=path, function=function) == callers


def find_callers(files: Mapping[str, str], *, path: str, function: str) -> set[tuple[str, str]]:
    facts = {name: read_facts(text.encode(), path=name) for name, text in files.items() if language_of(name)}
    builds = [name for name in files if Path(name).name in BUILD_FILES]
    found = link(facts, modules=Modules.find_all(facts, builds=builds, read=files.get)).calls
    return {
        (at, facts[at].symbols[row.caller].qualified_name if row.caller >= 0 else "")
        for at, rows in found.items()
        for row in rows
        if row.target and row.target[0] == path and facts[path].symbols[row.target[1]].qualified_name == function
    }


async def test_the_shipped_sample_has_its_callers_though_it_has_gradle_files(
    make_workspace: MakeWorkspace, tmp_path: Path
) -> None:
    root = tmp_path / "trailnotes"
    shutil.copytree(SAMPLE, root)
    name = make_workspace(root)
    workspace = in_a_thread(lambda: Workspace.objects.get(name=name).pk)

    assert build(workspace, root=str(root))

    found = {}
    for function in ("showNotes", "refresh", "onNoteSaved"):
        (symbol,) = await queries.find_symbols(function, workspace_id=workspace)
        calls = await queries.find_callers(symbol)
        found[function] = {(call.caller.name if call.caller else "", call.line) for call in calls}
    assert found == {
        "showNotes": {("refresh", 51)},
        "refresh": {("onViewCreated", 33), ("onViewCreated", 34), ("onNoteSaved", 44)},
        "onNoteSaved": {("noteSaved", 25)},
    }
