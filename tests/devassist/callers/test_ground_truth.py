"""Callers of small projects, worked out by hand, as real language servers find them."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from django.conf import settings

from devassist.callers.languages import DEFAULTS, LanguageServer, NoCommand
from devassist.callers.session import Machine
from tests.devassist.callers.conftest import ENVIRONMENT, Ask, Asker

PROJECTS = Path(__file__).with_name("projects")
PLACES = {"servers": str(settings.DEVASSIST_SERVERS_DIR), "bin": str(Path(os.sys.executable).parent)}  # type: ignore[attr-defined]
JVM_SECONDS = 240

Truth = dict[str, set[tuple[str, int, int]]]

PYTHON: Truth = {
    "price": {
        ("Basket.save", 26, 1),
        ("by_alias", 9, 1),
        ("by_module", 13, 1),
        ("by_namespace", 17, 1),
        ("by_lambda", 21, 1),
        ("handed_on", 25, 1),
        ("hands_alias_on", 6, 1),
        ("hands_caller_on", 10, 2),
        ("LATER", 43, 1),
        ("(top level)", 44, 1),
        ("outer.inner", 30, 2),
        ("saves", 36, 2),
        ("outer", 32, 3),
    },
    "rebate": {("rebate", 13, 1)},
    "even": {("odd", 21, 1), ("even", 17, 2)},
    "never": set(),
}

TYPESCRIPT: Truth = {
    "fetchUserData": {
        ("UserProfile.loadData", 5, 1),
        ("Dashboard.init", 5, 1),
        ("Dashboard.again", 7, 1),
        ("(top level)", 18, 1),
        ("old.go", 5, 1),
        ("checks", 4, 1),
        ("UserProfile.render", 8, 2),
    },
    "over": {("both", 12, 1)},
    "twice": {("twice", 11, 1)},
    "Repo.save": {("Repo.saveAll", 18, 1), ("both", 14, 1)},
    "Cache.save": {("both", 15, 1)},
    "never": set(),
}

KOTLIN: Truth = {
    "Repo.save": {
        ("Repo.slow", 7, 1),
        ("Screen.onCreate", 13, 1),
        ("Screen.onClick", 17, 1),
        ("Screen.make", 29, 1),
        ("Bridge.go", 8, 1),
        ("start", 34, 2),
        ("Other.run", 10, 2),
    },
    "price": {
        ("Screen.total", 10, 1),
        ("Screen.onCreate", 13, 1),
        ("Bridge.go", 9, 1),
        ("start", 34, 2),
        ("Other.run", 10, 2),
    },
    "over": {("start", 35, 1)},
    "countdown": {("countdown", 21, 1)},
    "never": set(),
}

BY_ALIAS = {("Screen.total", 10, 1), ("Screen.onCreate", 13, 1)}
"""Calls of `price` as `cost`, which the server misses at times; the code graph beside it does not."""

JAVA: Truth = {
    "helper": {("Bridge.go", 10, 1), ("Bridge.helper", 19, 1), ("Other.run", 11, 1), ("Other.run", 10, 2)},
    "recurse": {("Bridge.recurse", 23, 1)},
}


@pytest.fixture
def project(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """Unpack the project of the parameter's name."""
    root = tmp_path / "project"
    for path, text in read_files((PROJECTS / f"{request.param}.txt").read_text()):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


@pytest.mark.parametrize("project", ["python"], indirect=True)
async def test_python(project: Path, asker: Ask) -> None:
    ask = asker(project, server=_server("ty"))

    assert await _find_callers(ask, PYTHON, path="shop/prices.py") == PYTHON


@pytest.mark.parametrize("project", ["python"], indirect=True)
async def test_a_call_on_something_of_unknown_type_is_neither_counted_nor_kept_back(project: Path, asker: Ask) -> None:
    found = await asker(project, server=_server("ty"))("Basket.save", path="shop/prices.py")

    assert [(caller.name, caller.lines) for caller in found.callers] == [("saves", [36])]
    assert "shop/alias.py:40" in (found.reason or "")


@pytest.mark.parametrize("project", ["typescript"], indirect=True)
async def test_typescript(project: Path, asker: Ask) -> None:
    ask = asker(project, server=_server("typescript"))

    assert await _find_callers(ask, TYPESCRIPT, path="src/api/user.ts") == TYPESCRIPT


@pytest.mark.parametrize("project", ["typescript"], indirect=True)
async def test_typescript_without_a_project_file(project: Path, asker: Ask) -> None:
    """Callers in files that nobody opened would be left out."""
    (project / "tsconfig.json").unlink()
    ask = asker(project, server=_server("typescript"))

    found = await _find_callers(ask, {"fetchUserData": set()}, path="src/api/user.ts")

    assert found["fetchUserData"] == TYPESCRIPT["fetchUserData"]


@pytest.mark.slow
@pytest.mark.parametrize("project", ["kotlin"], indirect=True)
async def test_kotlin_and_java(project: Path, asker: Ask) -> None:
    ask = asker(project, server=_server("jdtls"))
    repo, bridge = "app/src/main/kotlin/com/example/data/Repo.kt", "app/src/main/java/com/example/Bridge.java"

    for truth, path in ((KOTLIN, repo), (JAVA, bridge)):
        for name, callers in truth.items():
            await _never_wrong(ask, name, path=path, truth=callers)
    unsure = await ask("String.shout", path="app/src/main/kotlin/com/example/data/Texts.kt", seconds=JVM_SECONDS)
    assert "Screen.kt:25" in (unsure.reason or "") or [caller.name for caller in unsure.callers] == ["Screen.loud"]


async def _never_wrong(ask: Asker, name: str, *, path: str, truth: set[tuple[str, int, int]]) -> None:
    """Require nothing false, every direct caller or its line in the note, and a note about others that are missing."""
    answer = await ask(name, path=path, depth=3, seconds=JVM_SECONDS)
    found = {(caller.name, caller.lines[0], caller.depth) for caller in answer.callers}

    assert found <= truth
    missing = {row for row in truth - found - BY_ALIAS if row[2] == 1}
    assert [row for row in missing if f":{row[1]}" not in (answer.reason or "")] == [], answer.reason
    assert found == truth or answer.reason, name


async def _find_callers(ask: Asker, truth: Truth, *, path: str) -> Truth:
    found: Truth = {}
    for name in truth:
        answer = await ask(name, path=path, depth=3, seconds=JVM_SECONDS)
        assert answer.reason is None, (name, answer.reason)
        found[name] = {(caller.name, caller.lines[0], caller.depth) for caller in answer.callers}
    return found


def _server(name: str) -> LanguageServer:
    """Return a default server with its placeholders filled in; skips if it is not installed."""
    server = next(server for server in DEFAULTS if server.name == name)
    filled = tuple(
        part.replace("{servers}", PLACES["servers"]).replace("{bin}", PLACES["bin"]) for part in server.command
    )
    try:
        Machine(places=PLACES, environment=ENVIRONMENT, data=Path()).command(server, data="")
    except NoCommand as missing:
        pytest.skip(f"{name} is not installed ({missing}); get it by: {server.install}")
    return replace(server, command=filled)


def read_files(text: str) -> Iterator[tuple[str, str]]:
    """Read the files of a project that is kept in one text."""
    for part in text.split("=== ")[1:]:
        path, _, content = part.partition("\n")
        yield path, content
