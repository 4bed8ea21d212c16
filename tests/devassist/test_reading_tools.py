"""search_code, list_files, find_symbol, go_to_definition and find_implementations; what they must not show."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from devassist import code_search, find_callers, tools
from tests.devassist.conftest import MakeReader, MakeWorkspace
from toolbox.database import event_loop

REST = "/api/tools/devassist/"
SECRET = "hunter2 beside the workspace"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a workspace's root with sources, ignored files, secrets and links, beside a secret."""
    (tmp_path / "outside.txt").write_text(SECRET)
    root = tmp_path / "root"
    for folder in ("src/sub", "build", "node_modules/x", "logs"):
        (root / folder).mkdir(parents=True)
    (root / ".gitignore").write_text("build/\n*.log\n!keep.log\n")
    (root / "src/.gitignore").write_text("generated.py\n")
    (root / "src/a.py").write_text("class Shop:\n    def price(self):\n        return 41 + 1\n")
    (root / "src/b.py").write_text("from a import Shop\n\n\ndef total():\n    return Shop().price()\n")
    (root / "src/generated.py").write_text("needle = 'price'\n")
    (root / "src/sub/c.kt").write_text("fun price() = 42 // Price\n")
    (root / "build/out.py").write_text("price\n")
    (root / "node_modules/x/i.js").write_text("price\n")
    (root / "logs/a.log").write_text("price\n")
    (root / "logs/keep.log").write_text("price\n")
    (root / ".env").write_text("price=hunter2\n")
    (root / "src/image.py").write_bytes(b"price\0\0")
    (root / "src/link.txt").symlink_to("../../outside.txt")
    (root / "src/up").symlink_to("../..")
    os.link(tmp_path / "outside.txt", root / "src/hard.txt")
    return root


@pytest.fixture(autouse=True)
def end_language_servers() -> Iterator[None]:
    """Stop servers that a request for a definition started."""
    yield
    event_loop.run(find_callers.close())


@pytest.fixture
def ask(fast_client: httpx.AsyncClient, make_workspace: MakeWorkspace, place: Path) -> Any:
    """Return a function that calls a tool on the workspace."""
    name = make_workspace(place, is_open=True)

    async def call(tool: str, **arguments: Any) -> dict[str, Any]:
        answer = await fast_client.post(f"{REST}{tool}", json={"workspace": name} | arguments)
        body: dict[str, Any] = answer.json()
        return body.get("data") or body

    return call


async def test_a_search_finds_lines_and_nothing_ignored_secret_or_outside(ask: Any) -> None:
    found = await ask("search_code", pattern="price", contextLines=1)

    places = [(one["filePath"], one["line"], one["column"]) for one in found["matches"]]
    assert places == [("logs/keep.log", 1, 1), ("src/a.py", 2, 9), ("src/b.py", 5, 19), ("src/sub/c.kt", 1, 5)]
    assert found["matches"][1]["before"] == ["class Shop:"]
    assert found["skipped"] == {"binary": 1, "tooLarge": 0, "refused": 2, "tooSlow": 0}
    assert "nextCursor" not in found
    outside = await ask("search_code", pattern="hunter2")
    assert outside["matches"] == []


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        ({"pattern": "PRICE", "ignoreCase": True, "globs": ["*.kt"]}, 1),
        ({"pattern": r"def \w+\(", "isRegex": True}, 2),
        ({"pattern": r"\Aclass", "isRegex": True}, 1),
        ({"pattern": r"price$", "isRegex": True}, 1),
        ({"pattern": "pric", "wholeWord": True}, 0),
        ({"pattern": "price", "globs": ["src/**", "!*.kt"]}, 2),
        ({"pattern": "return 41 + 1"}, 1),
        ({"pattern": r"1\n", "isRegex": True}, 0),
        ({"pattern": r"last$", "isRegex": True, "globs": ["dos.py"]}, 1),
        ({"pattern": r"last[^x]*+$", "isRegex": True, "globs": ["dos.py"]}, 1),
        ({"pattern": r"^$", "isRegex": True, "globs": ["dos.py"]}, 1),
    ],
)
async def test_patterns_are_read_line_by_line(ask: Any, place: Path, arguments: dict[str, Any], lines: int) -> None:
    if "dos.py" in arguments.get("globs", ()):
        (place / "dos.py").write_bytes(b"the last\r\n\r\nx\r\n")
    assert len((await ask("search_code", **arguments))["matches"]) == lines


@pytest.mark.parametrize("bounds", [{"maxMatches": 1}, {"maxTokens": 200}])
async def test_pages_join_to_the_whole_answer(ask: Any, place: Path, bounds: dict[str, int]) -> None:
    (place / "src" / "many.py").write_text("price\n" * 20)
    whole = await ask("search_code", pattern="price")
    pages, cursor = [], None
    while True:
        page = await ask("search_code", pattern="price", cursor=cursor, **bounds)
        pages += page["matches"]
        cursor = page.get("nextCursor")
        if cursor is None:
            break

    assert pages == whole["matches"]
    assert len(pages) == 24


async def test_a_pattern_without_end_stops_and_says_so(ask: Any, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code_search, "MAX_FILE_SECONDS", 0.01)
    (place / "src" / "slow.py").write_text("a" * 40 + "!\n")

    found = await ask("search_code", pattern=r"(a|aa)+$", isRegex=True, globs=["slow.py"])

    assert found["matches"] == []
    assert found["skipped"]["tooSlow"] == 1


async def test_a_glob_of_many_stars_is_answered_in_time(ask: Any, place: Path) -> None:
    (place / ("e" * 60)).write_text("price\n")

    assert (await ask("search_code", pattern="price", globs=["*e" * 20 + "[yz]"]))["matches"] == []
    assert "e" * 60 in {one["filePath"] for one in (await ask("list_files", globs=["!" + "*e" * 20 + "[yz]"]))["files"]}


async def test_a_rule_of_an_ignore_file_that_backtracks_does_not_count(ask: Any, place: Path) -> None:
    (place / ".ignore").write_text("*e" * 20 + "[yz]\n" + "**/" * 12 + "z\n*.kt\n")
    (place / ("e" * 60)).write_text("price\n")

    listed = [one["filePath"] for one in (await ask("list_files"))["files"]]

    assert "e" * 60 in listed
    assert "src/sub/c.kt" not in listed


async def test_a_listing_whose_globs_select_nothing_keeps_to_its_time_and_goes_on(
    ask: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tools, "SEARCH_SHARE", -1.0)
    found, cursor, pages = [], None, 0
    while pages == 0 or cursor:
        page = await ask("list_files", globs=["c.kt"], cursor=cursor)
        assert ("nextCursor" in page) == ("incomplete" in page)
        found += [one["filePath"] for one in page["files"]]
        cursor, pages = page.get("nextCursor"), pages + 1

    assert found == ["src/sub/c.kt"]
    assert pages > 3


async def test_a_folder_that_cannot_be_read_is_said(
    fast_client: httpx.AsyncClient, make_workspace: MakeWorkspace, tmp_path: Path
) -> None:
    name = make_workspace(tmp_path / "gone", is_open=True)

    for tool, arguments in (("search_code", {"pattern": "x"}), ("list_files", {})):
        data = (await fast_client.post(f"{REST}{tool}", json=arguments | {"workspace": name})).json()["data"]
        assert "could not be read" in data["incomplete"]


async def test_bad_patterns_globs_and_cursors_are_refused_with_a_fix(ask: Any) -> None:
    for arguments, field in (
        ({"pattern": "(", "isRegex": True}, "pattern"),
        ({"pattern": "x", "cursor": "made up"}, "cursor"),
        ({"pattern": "x", "cursor": "WzEsMiwzXQ=="}, "cursor"),
    ):
        error = (await ask("search_code", **arguments))["error"]
        assert (error["code"], error["details"]["field"]) == ("INVALID_PARAMETERS", field)
        assert error["details"]["retryWith"]


async def test_files_are_listed_by_path_page_by_page(ask: Any) -> None:
    listed = await ask("list_files", folder="src")
    first = await ask("list_files", maxFiles=2)
    second = await ask("list_files", maxFiles=50, cursor=first["nextCursor"])

    assert [one["filePath"] for one in listed["files"]] == [
        "src/.gitignore", "src/a.py", "src/b.py", "src/hard.txt", "src/image.py", "src/sub/c.kt",
    ]  # fmt: skip
    assert [one["filePath"] for one in first["files"]] == [".gitignore", "logs/keep.log"]
    assert first.get("hiddenSecrets") == 1
    assert [one["filePath"] for one in second["files"]] == [one["filePath"] for one in listed["files"]]
    assert (await ask("list_files", folder="../"))["error"]["code"] == "INVALID_PARAMETERS"
    assert (await ask("list_files", folder="src/up"))["error"]["code"] == "INVALID_PARAMETERS"


async def test_a_key_sees_its_own_workspaces_alone(
    fast_client: httpx.AsyncClient, make_workspace: MakeWorkspace, make_reader: MakeReader, place: Path, tmp_path: Path
) -> None:
    row, key = make_reader()
    _, stranger = make_reader(owner="bob")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "z.py").write_text("price\n")
    mine = sorted((make_workspace(place, keys=(row,)), make_workspace(tmp_path / "other", keys=(row,))))

    async def workspaces(credential: str) -> set[str]:
        headers = {"Authorization": f"Bearer {credential}"}
        answer = await fast_client.post(f"{REST}search_code", json={"pattern": "price"}, headers=headers)
        return {one["workspace"] for one in answer.json().get("data", {}).get("matches", ())}

    assert await workspaces(key) >= set(mine)
    assert not await workspaces(stranger) & set(mine)
    named = await fast_client.post(
        f"{REST}list_files", json={"workspace": mine[0]}, headers={"Authorization": f"Bearer {stranger}"}
    )
    assert named.json()["error"]["code"] == "UNKNOWN_WORKSPACE"


async def test_symbols_are_found_by_name_and_by_class(ask: Any) -> None:
    every = await ask("find_symbol", name="price")
    one = await ask("find_symbol", name="Shop.price")
    kind = await ask("find_symbol", name="Shop", kind="class")
    none = await ask("find_symbol", name="discount")

    assert [(found["filePath"], found["line"], found["name"]) for found in every["symbols"]] == [
        ("src/a.py", 2, "Shop.price"), ("src/sub/c.kt", 1, "price"),
    ]  # fmt: skip
    assert (one["total"], one["symbols"][0]["signature"]) == (1, "def price(self)")
    assert kind["symbols"][0]["kind"] == "class"
    assert none["error"]["code"] == "NO_RESULTS"


async def test_a_definition_by_name_says_that_it_is_one(ask: Any) -> None:
    found = await ask("go_to_definition", filePath="src/b.py", line=5, symbol="price")
    wrong = await ask("go_to_definition", filePath="src/b.py", line=5, symbol="cost")
    secret = await ask("go_to_definition", filePath=".env", line=1, symbol="price")

    assert {one["filePath"] for one in found["definitions"]} >= {"src/a.py"}
    assert "incomplete" in found or found["definitions"][0]["foundBy"] == "server"
    assert wrong["error"]["details"]["names"] == ["return", "Shop", "price"]
    assert secret["error"]["code"] == "PERMISSION_DENIED"


async def test_implementations_say_where_the_graph_is_missing(ask: Any) -> None:
    found = await ask("find_implementations", filePath="src/a.py", name="Shop")
    none = await ask("find_implementations", filePath="src/a.py", name="Market")

    assert found["symbols"] == []
    assert "code graph" in found["incomplete"]
    assert none["error"]["code"] == "FUNCTION_NOT_FOUND"


async def test_implementations_that_are_not_read_are_said(
    ask: Any, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place / "src/more.py").write_text("from a import Shop\n\n\nclass One(Shop): ...\n\n\nclass Two(Shop): ...\n")
    await ask("warm_workspace")
    found = await ask("find_implementations", filePath="src/a.py", name="Shop")
    monkeypatch.setattr("devassist.code_graph.queries.MAX_ROWS", 1)
    cut = await ask("find_implementations", filePath="src/a.py", name="Shop")

    assert (found["total"], "incomplete" in found) == (2, False)
    assert cut["incomplete"] == "There are 2 implementations, or more; 1 were looked at."


def test_ignore_files_are_read_as_git_reads_them(place: Path) -> None:
    from devassist.files.walking import walk_files

    subprocess.run(["git", "init", "-q", str(place)], check=True)
    command = ["git", "-C", str(place), "ls-files", "-co", "--exclude-standard"]
    known = set(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())

    ours = {found.path for found in walk_files(str(place), shows_secrets=True)}

    assert ours == {path for path in known if not path.startswith("node_modules/")} - {"src/link.txt", "src/up"}
