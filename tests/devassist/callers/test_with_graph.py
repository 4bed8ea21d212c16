"""What the code graph adds to a language server's answer: callers it does not know, and what nobody can resolve."""

import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from devassist import find_callers
from devassist.code_graph.freshness import ensure_graph
from devassist.contracts.find_callers import CallersFound, FindCallersQuestion
from devassist.ingest.samples import SAMPLE_ROOT
from devassist.workspaces import workspace_for
from tests.devassist.callers.test_ground_truth import KOTLIN, PROJECTS, read_files
from tests.devassist.conftest import MakeWorkspace
from toolbox.contract.caller import LOCAL_OPERATOR
from toolbox.contract.errors import DatabaseUnavailable
from toolbox.database import event_loop

FRAGMENT = "app/src/main/kotlin/com/example/trailnotes/ui/NoteListFragment.kt"
PRICE = "def price(item):\n    return 1\n"
STORE = "class Store:\n    def save(self):\n        pass\n\n\nclass Cache(Store):\n    def save(self):\n        pass\n"
FOUND = {
    "through its base type": (
        {"shop.py": STORE, "till.py": "from shop import Store\n\n\ndef ring(store: Store):\n    store.save()\n"},
        "Cache.save",
        ("ring", 5, "hierarchy"),
    ),
    "through a dict": (
        {
            "shop.py": PRICE,
            "till.py": "from shop import price\n\nBY = {'a': price}\n\n\ndef ring(key):\n    BY[key](1)\n",
        },
        "price",
        ("ring", 7, "syntax"),
    ),
    "through an argument": (
        {
            "shop.py": PRICE,
            "till.py": "from shop import price\n\n\ndef ring(f):\n    f(1)\n\n\ndef day():\n    ring(f=price)\n",
        },
        "price",
        ("ring", 5, "syntax"),
    ),
}  # fmt: skip
UNRESOLVED = {
    "a computed name": (
        {
            "shop.py": STORE,
            "till.py": "def ring(store, name):\n    getattr(store, name)()\n\n\nring(input(), input())\n",
        },
        "Cache.save",
    ),
    "a caller's common name on something unknown": (
        {
            "shop.py": PRICE,
            "till.py": "def ring(box):\n    box.get()\n",
            "box.py": "from shop import price\n\n\nclass Box:\n    def get(self):\n        price(1)\n",
        },
        "price",
    ),
}  # fmt: skip

Find = Callable[..., Awaitable[CallersFound]]


@pytest.fixture
async def find(make_workspace: MakeWorkspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Find]:
    """Yield a function that asks about files in a workspace of its own, with the real server of their language."""
    monkeypatch.setattr(find_callers, "ANSWER_SECONDS", 60)
    root = tmp_path / "project"
    root.mkdir()

    async def is_current() -> bool:
        graph = await ensure_graph(workspace.id, root=str(root), shows_secrets=False, seconds=60)
        return graph.is_current

    workspace = await workspace_for(LOCAL_OPERATOR, named=make_workspace(root))

    async def ask(
        files: dict[str, str], name: str, *, path: str = "shop.py", has_graph: bool = True, **more: Any
    ) -> CallersFound:
        for file, text in files.items():
            (root / file).parent.mkdir(parents=True, exist_ok=True)
            (root / file).write_text(text)
        while has_graph and not await is_current():  # a server of another test may be building it
            continue
        ask = FindCallersQuestion(function_name=name, file_path=path, **more)
        return await find_callers.find_callers(ask, workspace=workspace)

    yield ask
    await event_loop.run_on_loop(find_callers.close)


@pytest.mark.parametrize("way", FOUND)
async def test_a_call_that_the_server_does_not_see_is_found(find: Find, way: str) -> None:
    files, name, caller = FOUND[way]

    found = await find(files, name)

    assert caller in {(one.caller_name, one.line, one.found_by) for one in found.callers}


@pytest.mark.parametrize("way", UNRESOLVED)
async def test_a_call_that_nobody_resolves_is_named_and_the_answer_is_incomplete(find: Find, way: str) -> None:
    files, name = UNRESOLVED[way]

    found = await find(files, name)

    assert found.incomplete
    assert "till.py:2" in (found.incomplete_reason or "")


async def test_an_answer_in_which_all_calls_are_resolved_is_complete(find: Find) -> None:
    found = await find(FOUND["through its base type"][0], "Cache.save")

    assert (found.total_callers, found.incomplete_reason) == (1, None)


async def test_what_was_not_looked_at_is_not_complete(find: Find) -> None:
    calls = "".join(f"def caller_{number}():\n    price({number})\n\n\n" for number in range(25))

    found = await find({"shop.py": PRICE, "till.py": f"from shop import price\n\n\n{calls}"}, "price")

    assert found.total_callers == 25
    assert "There are 26 functions followed" in (found.incomplete_reason or "")


async def test_callers_that_the_graph_is_not_asked_for_are_said(find: Find, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("devassist.callers.graph_finder.MAX_SITES", 2, raising=False)
    calls = "".join(f"def caller_{number}():\n    price({number})\n\n\n" for number in range(3))

    found = await find({"shop.py": PRICE, "till.py": f"from shop import price\n\n\n{calls}"}, "price", syntactic=True)

    assert found.total_callers == 2
    assert "more than 2 calls" in (found.incomplete_reason or "")


async def test_a_graph_that_leaves_something_out_makes_no_answer_complete(
    find: Find, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, name, _ = FOUND["through its base type"]
    monkeypatch.setattr("devassist.code_graph.points_to.MAX_STEPS", 1)

    found = await find(files, name)

    assert "left something out" in (found.incomplete_reason or "")


async def test_a_file_too_large_to_be_searched_is_said(find: Find) -> None:
    large = f"from shop import price\n{'x = 1' * 10}\n" * 50_000 + "def ring():\n    price(1)\n"

    found = await find({"shop.py": PRICE, "large.py": large}, "price", syntactic=True)

    assert found.callers == []
    assert "large.py" in (found.incomplete_reason or "")


async def test_functions_of_one_name_beyond_those_asked_about_are_said(
    find: Find, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("devassist.find_callers.MAX_MEANT", 2, raising=False)
    classes = "".join(f"class C{number}:\n    def save(self):\n        pass\n\n\n" for number in range(3))

    found = await find({"shop.py": classes}, "save")

    assert "There are 3 functions of that name in the file; 2 were looked at." in (found.incomplete_reason or "")
    assert len(found.definitions or ()) == 2


async def test_without_the_graph_an_answer_is_not_complete(find: Find, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: object) -> None:
        raise DatabaseUnavailable("away")

    monkeypatch.setattr("devassist.code_graph.freshness.queries.read_build", fail)

    found = await find(FOUND["through its base type"][0], "Cache.save", has_graph=False)

    assert found.callers == []
    assert "could not be read" in (found.incomplete_reason or "")


@pytest.mark.parametrize("more", [{}, {"syntactic": True}])
async def test_until_a_changed_file_is_linked_the_other_calls_are_found_and_the_answer_says_so(
    find: Find, monkeypatch: pytest.MonkeyPatch, more: dict[str, Any]
) -> None:
    files, name, caller = FOUND["through its base type"]
    await find(files, name)
    monkeypatch.setattr("devassist.code_graph.freshness.MAX_FILES_HERE", 0)
    monkeypatch.setattr("devassist.code_graph.freshness._tell_workers", lambda _: None)
    changed = {"late.py": "from shop import Cache\n\n\ndef late():\n    Cache().save()\n"}

    found = await find(changed, name, has_graph=False, **more)

    assert {caller[0], "late"} <= {one.caller_name for one in found.callers}
    assert found.incomplete
    assert "for files that have changed: late.py." in (found.incomplete_reason or "")


async def test_a_call_that_stood_in_a_changed_file_is_not_told_of(find: Find, monkeypatch: pytest.MonkeyPatch) -> None:
    files, name, _ = FOUND["through its base type"]
    await find(files, name)
    monkeypatch.setattr("devassist.code_graph.freshness.MAX_FILES_HERE", 0)
    monkeypatch.setattr("devassist.code_graph.freshness._tell_workers", lambda _: None)

    found = await find({"till.py": "# nothing is called here\n"}, name, has_graph=False)

    assert found.callers == []
    assert found.incomplete


async def test_callers_of_the_shipped_sample_are_found_beside_its_gradle_files(find: Find, tmp_path: Path) -> None:
    """That line 51 calls it is in the sample's own stack trace."""
    shutil.copytree(SAMPLE_ROOT, tmp_path / "project", dirs_exist_ok=True)

    found = await find({}, "showNotes", path=FRAGMENT, syntactic=True)

    assert ("NoteListFragment.refresh", 51) in {(one.caller_name, one.line) for one in found.callers}


BUILDS = {
    "build.gradle.kts": 'plugins { kotlin("jvm") version "2.2.0" }\nerror("this build was run")\n',
    "pom.xml": "<project><modelVersion>4.0.0</modelVersion><groupId>a</groupId><artifactId>b</artifactId>"
    "<version>1</version></project>\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("build", BUILDS)
async def test_beside_a_build_file_every_caller_of_kotlin_is_found_with_its_server_running(
    find: Find, build: str
) -> None:
    """That server alone says less beside a build file, which it does not import; the truth was worked out by hand."""
    if not find_callers.list_installed()["jdtls"]:
        pytest.skip("jdtls is not installed; get it by: manage.py install_language_servers kotlin")
    files = dict(read_files((PROJECTS / "kotlin.txt").read_text())) | {build: BUILDS[build]}

    for name in ("Repo.save", "price"):
        found = await find(files, name, path="app/src/main/kotlin/com/example/data/Repo.kt", max_depth=1)

        direct = {(caller, line) for caller, line, depth in KOTLIN[name] if depth == 1}
        assert {(one.caller_name, one.line) for one in found.callers} >= direct
