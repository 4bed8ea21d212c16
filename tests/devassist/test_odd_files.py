"""Files that nobody prepared, before every reading tool: no crash, no hang, nothing from outside, true line numbers."""

import os
import socket
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from devassist import find_callers, symbols, tools
from devassist.callers.source_files import SourceFiles
from devassist.files import safe_open, walking
from devassist.files.read_lines import read_lines
from devassist.syntax.parse import ParseOverdue
from tests.devassist.conftest import MakeWorkspace
from toolbox.contract.errors import ToolError
from toolbox.database import event_loop

REST = "/api/tools/devassist/"
SECRET = "hunter2 beside the workspace"
Ask = Callable[..., Awaitable[tuple[int, dict[str, Any]]]]

ENCODINGS = {"plain": "utf-8", "marked": "utf-8-sig", "wide": "utf-16", "latin": "latin-1"}
BREAKS = {"lf": "\n", "crlf": "\r\n", "cr": "\r"}
LINES = ["# \x0c é \x85 one line", "", "def {name}():", "    return 1", ""]
"""A form feed and U+0085 break no line."""
PATHS = ["nul.py", "late_nul.py", "empty.py", "returns.py", "invalid.py", "half.py", "one_line.py", "large.py",
         "largest.py", "fifo.py", "socket.py", "folder.py", "loop.py", "loop/loop.py", "out.py", "out/outside.txt",
         "dangling.py", "denied.py", "line\nbreak.py", "\ud800.py", "\udcff.py", "deep/" * 70 + "a.py",
         "n" * 250 + ".py", "n" * 300 + ".py", "nothing.py", ".", "..", ""]  # fmt: skip


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a workspace's root with every encoding and line break, and every odd file, beside a secret."""
    base = tmp_path_factory.mktemp("odd")
    (base / "outside.txt").write_text(SECRET)
    root = base / "root"
    root.mkdir()
    for encoding, codec in ENCODINGS.items():
        for name, line_break in BREAKS.items():
            text = line_break.join(LINES).format(name=f"{encoding}_{name}")
            (root / f"{encoding}_{name}.py").write_bytes(text.encode(codec))
    for name, content in {
        "nul.py": b"def target():\n\0\n", "late_nul.py": b"#\n" * 9_000 + b"def target():\n    return '\0'\n",
        "empty.py": b"", "returns.py": b"\r\r\r", "invalid.py": b"def target():\n    return '\xff\xfe\xc0'\n",
        "half.py": b"\xff\xfed\0e\0f", "one_line.py": b"target = '" + b"a" * 1_500_000 + b"'\n",
        "large.py": b"#" * 79 + b"\n" + b"x = 1\n" * 400_000 + b"def target():\n    return 1\n",
        "n" * 250 + ".py": b"def target():\n    return 1\n",
    }.items():  # fmt: skip
        (root / name).write_bytes(content)
    with (root / "largest.py").open("wb") as one_line:
        one_line.write(b"target" + b"a" * 50_000_000)
    os.mkfifo(root / "fifo.py")
    here = Path.cwd()
    with socket.socket(socket.AF_UNIX) as server:
        os.chdir(root)
        server.bind("socket.py")
        os.chdir(here)
    (root / "folder.py").mkdir()
    links = {"loop.py": "loop.py", "loop": ".", "out.py": "../outside.txt", "out": "..", "dangling.py": "no"}
    for link, target in links.items():
        (root / link).symlink_to(target)
    (root / "denied.py").write_text("def target():\n    return 1\n")
    (root / "denied.py").chmod(0)
    for name in ("line\nbreak.py", os.fsdecode(b"\xff.py")):
        (root / name).write_text("def target():\n    return 1\n")
    deep = root.joinpath(*["deep"] * 70)
    deep.mkdir(parents=True)
    (deep / "a.py").write_text("def target():\n    return 1\n")
    return root


@pytest.fixture(autouse=True)
def end_language_servers() -> Iterator[None]:
    """Stop servers that a request for a definition started."""
    yield
    event_loop.run(find_callers.close())


@pytest.fixture
def ask(fast_client: httpx.AsyncClient, make_workspace: MakeWorkspace, place: Path) -> Ask:
    """Return a function that calls a tool on the workspace and returns status and body."""
    return _asker(fast_client, make_workspace(place, is_open=True))


def _asker(client: httpx.AsyncClient, name: str) -> Ask:
    async def call(tool: str, **arguments: Any) -> tuple[int, dict[str, Any]]:
        answer = await client.post(f"{REST}{tool}", json={"workspace": name} | arguments)
        assert SECRET not in answer.text
        body: dict[str, Any] = answer.json()
        return answer.status_code, body.get("data") or body

    return call


async def _read_pages(ask: Ask, tool: str, **arguments: Any) -> list[dict[str, Any]]:
    """Read pages of an answer until there is no next one, a hundred at most."""
    pages: list[dict[str, Any]] = []
    while not pages or ("nextCursor" in pages[-1] and len(pages) < 100):
        cursor = pages[-1]["nextCursor"] if pages else None
        pages.append((await ask(tool, **arguments, cursor=cursor))[1])
    return pages


QUESTIONS: dict[str, Callable[[str], dict[str, Any]]] = {
    "read_file": lambda path: {"filePath": path, "lineEnd": 2},
    "get_code_context": lambda path: {"filePath": path, "line": 1},
    "go_to_definition": lambda path: {"filePath": path, "line": 1, "symbol": "target"},
    "find_implementations": lambda path: {"filePath": path, "name": "target"},
    "find_callers_of_function": lambda path: {"filePath": path, "functionName": "target", "syntactic": True},
    "list_files": lambda path: {"folder": path},
    "search_code": lambda path: {"pattern": "target", "globs": [path[:300] or "*"]},
    "diagnose": lambda path: {"trace": f'Traceback:\n  File "{path}", line 1, in target\nValueError: odd'},
}


@pytest.mark.slow
@pytest.mark.parametrize("tool", QUESTIONS)
async def test_no_tool_crashes_or_hangs_on_an_odd_file(ask: Ask, tool: str) -> None:
    for path in PATHS:
        asked = QUESTIONS[tool](path)
        try:
            status, body = await ask(tool, **asked)
        except UnicodeEncodeError:  # the client cannot send it
            continue
        assert status < 500, (path[:50], body)


@pytest.mark.parametrize("line_break", BREAKS)
@pytest.mark.parametrize("encoding", ENCODINGS)
async def test_every_tool_numbers_lines_alike(ask: Ask, encoding: str, line_break: str) -> None:
    name = f"{encoding}_{line_break}"
    path = f"{name}.py"

    _, found = await ask("search_code", pattern=f"def {name}(")
    _, symbol = await ask("find_symbol", name=name)
    _, callers = await ask("find_callers_of_function", filePath=path, functionName=name, syntactic=True)
    statuses = {}
    for tool, asked in (
        ("read_file", {"lineStart": 3, "lineEnd": 3}), ("get_code_context", {"line": 3}),
        ("go_to_definition", {"line": 3, "symbol": name}),
    ):  # fmt: skip
        status, body = await ask(tool, filePath=path, **asked)
        statuses[tool] = status if status != 200 else _line_of(body)

    assert [(one["filePath"], one["line"]) for one in found["matches"]] == [(path, 3)]
    assert [(one["filePath"], one["line"]) for one in symbol["symbols"]] == [(path, 3)]
    assert "error" not in callers
    line = f"def {name}():"
    wanted: dict[str, object] = {"read_file": line, "get_code_context": line, "go_to_definition": 3}
    if encoding == "latin":  # the lines asked for are UTF-8, the file is not
        wanted |= {"get_code_context": 415, "go_to_definition": 415}
    assert statuses == wanted


def _line_of(body: dict[str, Any]) -> object:
    if "context" in body:
        return body["context"]["errorLine"]
    return body["content"] if "content" in body else body["definitions"][0]["line"]


async def test_find_symbol_says_which_files_it_could_not_read(ask: Ask) -> None:
    _, found = await ask("find_symbol", name="target")

    assert {one["filePath"] for one in found["symbols"]} >= {"invalid.py", "late_nul.py", "n" * 250 + ".py"}
    assert "large.py" in found["incomplete"]
    assert "could not be read or named" in found["incomplete"]


async def test_a_file_that_is_not_parsed_is_said(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    def give_up(*_: object, **__: object) -> None:
        raise ParseOverdue

    monkeypatch.setattr(symbols, "parse", give_up)
    _, found = await ask("find_symbol", name="plain_lf")

    assert found["error"]["code"] == "NO_RESULTS"
    assert "plain_lf.py" in found["error"]["message"]


async def test_find_symbol_keeps_to_its_time_and_says_so(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "SEARCH_SHARE", -1.0)

    _, found = await ask("find_symbol", name="no_such_name")

    assert found["error"]["code"] == "TOOL_TIMEOUT"
    assert "Ask again" in found["error"]["suggestion"]


async def test_find_symbol_reads_on_where_time_ran_out(
    fast_client: httpx.AsyncClient, make_workspace: MakeWorkspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(9):
        (tmp_path / f"f{number}.py").write_text(f"def wanted_{number}():\n    return 1\n")
    ask = _asker(fast_client, make_workspace(tmp_path, is_open=True))
    clock: Any = SimpleNamespace(now=0.0)
    clock.monotonic = lambda: clock.now
    read = SourceFiles.text

    def read_slowly(self: SourceFiles, path: str) -> bytes | None:
        clock.now += 0.5
        return read(self, path)

    monkeypatch.setattr(tools, "_search_seconds", lambda _: 1.2)
    monkeypatch.setattr(SourceFiles, "text", read_slowly)
    for module in (symbols, walking):
        monkeypatch.setattr(module, "time", clock)

    answers = [(await ask("find_symbol", name="wanted_8"))[1] for _ in range(4)]

    assert answers[0]["error"]["code"] == "TOOL_TIMEOUT"
    assert answers[-1]["symbols"][0]["filePath"] == "f8.py"
    assert "incomplete" not in answers[-1]


async def test_a_search_whose_globs_select_nothing_keeps_to_its_time_and_goes_on(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tools, "SEARCH_SHARE", -1.0)

    pages = await _read_pages(ask, "search_code", pattern="plain_lf", globs=["plain_lf.py"])

    assert all(("nextCursor" in page) <= ("incomplete" in page) for page in pages)
    assert [one["filePath"] for page in pages for one in page["matches"]] == ["plain_lf.py"]
    assert 10 < len(pages) < 100


async def test_folders_that_are_ignored_keep_to_the_time_as_well(
    fast_client: httpx.AsyncClient, make_workspace: MakeWorkspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        (tmp_path / f"ignored{number}" / "below").mkdir(parents=True)
        (tmp_path / f"empty{number}" / "below").mkdir(parents=True)
    (tmp_path / "z.py").write_text("x = 1\n")
    (tmp_path / ".gitignore").write_text("ignored*\n.gitignore\n")
    ask = _asker(fast_client, make_workspace(tmp_path, is_open=True))
    monkeypatch.setattr(tools, "SEARCH_SHARE", -1.0)

    pages = await _read_pages(ask, "list_files")

    assert [one["filePath"] for page in pages for one in page["files"]] == ["z.py"]
    assert 5 < len(pages) < 50


async def test_a_long_ignore_file_is_cut_between_rules_and_said(
    fast_client: httpx.AsyncClient, make_workspace: MakeWorkspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walking, "MAX_IGNORE_BYTES", 9)
    (tmp_path / ".gitignore").write_text("a.py\n*.py[co]\n")  # nine bytes end in '*.py'
    (tmp_path / ".ignore").write_text("c.py\n")
    for name in ("a.py", "b.py", "c.py"):
        (tmp_path / name).write_text("x = 1\n")
    ask = _asker(fast_client, make_workspace(tmp_path, is_open=True))

    _, listed = await ask("list_files")

    assert [one["filePath"] for one in listed["files"]] == [".gitignore", ".ignore", "b.py"]
    assert "ignore" in listed["incomplete"]


@pytest.mark.parametrize("folder", ["nothing", "out", "plain_lf.py", "loop", "../root", "a\0b"])
async def test_a_folder_that_is_not_there_is_refused_rather_than_empty(ask: Ask, folder: str) -> None:
    _, listed = await ask("list_files", folder=folder)

    assert (listed["error"]["code"], listed["error"]["details"]["field"]) == ("INVALID_PARAMETERS", "folder")


async def test_definitions_that_are_not_listed_are_said(
    fast_client: httpx.AsyncClient, make_workspace: MakeWorkspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(symbols, "MAX_DEFINITIONS", 2, raising=False)
    for number in range(3):
        (tmp_path / f"f{number}.kt").write_text("fun same() = 1\n")
    ask = _asker(fast_client, make_workspace(tmp_path, is_open=True))

    _, found = await ask("go_to_definition", filePath="f0.kt", line=1, symbol="same")

    assert len(found["definitions"]) == 2
    assert "3 definitions" in found["incomplete"]


def test_what_cannot_be_read_to_its_end_is_refused() -> None:
    """The kernel refuses to read this file, which opens like any other."""
    with (
        pytest.raises(ToolError) as refused,
        safe_open.open_file("mem", root="/proc/self") as descriptor,
    ):
        read_lines(descriptor, path="mem", encoding="utf-8")

    assert refused.value.code.code == "PERMISSION_DENIED"


@pytest.mark.parametrize("change", ["shrink", "link", "folder", "fifo", "gone"])
def test_a_file_that_changes_while_it_is_read_shows_what_was_opened(tmp_path: Path, change: str) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "outside.txt").write_text(SECRET)
    file = root / "a.py"
    file.write_text("inside\n" * 3)

    with safe_open.open_file("a.py", root=str(root)) as descriptor:
        if change == "shrink":
            os.truncate(file, 7)
        else:
            file.unlink()
            _replace(file, by=change)
        text = read_lines(descriptor, path="a.py", encoding="utf-8").text

    assert text in ("inside\n", "inside\n" * 3)


def _replace(file: Path, *, by: str) -> None:
    if by == "link":
        file.symlink_to("../outside.txt")
    elif by == "folder":
        file.mkdir()
    elif by == "fifo":
        os.mkfifo(file)


def test_a_file_that_grows_past_the_limit_while_it_is_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.py"
    file.write_text("x\n")

    small = file.stat()
    monkeypatch.setattr("devassist.files.read_lines.os.fstat", lambda _: small)
    file.write_bytes(b"x\n" * 6_000_000)

    with safe_open.open_file("a.py", root=str(tmp_path)) as descriptor, pytest.raises(ToolError) as refused:
        read_lines(descriptor, path="a.py", encoding="utf-8")

    assert refused.value.code.code == "TOO_LARGE"


@pytest.mark.parametrize("tool", ["get_code_context", "go_to_definition"])
async def test_no_line_is_counted_after_the_last_break(ask: Ask, tool: str) -> None:
    symbol = {"symbol": "x"} if tool == "go_to_definition" else {}
    status, body = await ask(tool, filePath="n" * 250 + ".py", line=3, **symbol)

    assert (status, body["error"]["code"]) == (400, "LINE_OUT_OF_RANGE")


@pytest.mark.parametrize("name", ["$price", "price$", "a$b", "Shop$total"])
async def test_a_dollar_in_a_name_is_a_letter_or_a_dot(
    fast_client: httpx.AsyncClient, make_workspace: MakeWorkspace, tmp_path: Path, name: str
) -> None:
    (tmp_path / "a.js").write_text("function $price() {}\nfunction price$() {}\nfunction a$b() {}\n")
    (tmp_path / "b.kt").write_text("class Shop {\n    fun total() = 1\n}\n")
    ask = _asker(fast_client, make_workspace(tmp_path, is_open=True))

    _, found = await ask("find_symbol", name=name)

    assert [one["name"] for one in found["symbols"]] == [name.replace("Shop$", "Shop.")]


async def test_a_page_may_end_beside_a_name_that_no_answer_can_say(
    fast_client: httpx.AsyncClient, make_workspace: MakeWorkspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.py", os.fsdecode(b"\xff.py"), "\uffee.py", "z\n.py", "zz.py"):
        (tmp_path / name).write_text("x = 1\n")
    ask = _asker(fast_client, make_workspace(tmp_path, is_open=True))
    monkeypatch.setattr(tools, "SEARCH_SHARE", -1.0)
    files, cursor, pages = [], None, 0
    while (pages == 0 or cursor) and pages < 20:
        _, page = await ask("list_files", cursor=cursor)
        files += [one["filePath"] for one in page["files"]]
        cursor, pages = page.get("nextCursor"), pages + 1

    assert files == ["a.py", "zz.py", "\uffee.py"]


async def test_a_folder_of_one_workspace_is_listed_where_time_ran_out_before_it(
    fast_client: httpx.AsyncClient, make_workspace: MakeWorkspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for workspace, folder in (("one", "only"), ("two", "other")):
        (tmp_path / workspace / folder).mkdir(parents=True)
        (tmp_path / workspace / folder / "a.py").write_text("x = 1\n")
        make_workspace(tmp_path / workspace, is_open=True)
    monkeypatch.setattr(tools, "SEARCH_SHARE", -1.0)

    for folder in ("only", "other"):
        files, cursor, pages = [], None, 0
        while (pages == 0 or cursor) and pages < 20:
            answer = await fast_client.post(f"{REST}list_files", json={"folder": folder, "cursor": cursor})
            page = answer.json()["data"]
            files += [one["filePath"] for one in page["files"]]
            cursor, pages = page.get("nextCursor"), pages + 1
        assert files == [f"{folder}/a.py"]
