"""read_file and get_code_context over REST and MCP, with what agents and attackers send."""

import os
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from tests.conftest import running_server
from tests.devassist.conftest import MakeWorkspace
from toolbox.contract.slots import Candidate

REST = "/api/tools/devassist/"
OUTSIDE = "PERMISSION_DENIED"
GONE = "FILE_NOT_FOUND"
SECRET = "the secret beside the workspace"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a workspace's root with every odd file in it, beside a secret."""
    (tmp_path / "outside.txt").write_text(SECRET)
    root = tmp_path / "root"
    (root / "src").mkdir(parents=True)
    (root / "src" / "a.kt").write_text("fun a() {\n    b()\n}\n")
    (root / "src" / "utf16.kt").write_bytes("fun é() {\r\n  x()\r\n}\r\n".encode("utf-16"))
    (root / "src" / "bom.kt").write_bytes(b"\xef\xbb\xbfval a = 1\n")
    (root / "src" / "image.kt").write_bytes(b"\x89PNG\0\0\0")
    (root / "src" / "latin.kt").write_bytes(b"val a = '\xe9'\n")
    (root / "empty.kt").write_bytes(b"")
    (root / "local.properties").write_text(SECRET)
    (root / "out").symlink_to("..")
    (root / "out.txt").symlink_to("../outside.txt")
    (root / "loop").symlink_to("loop")
    (root / "device").symlink_to("/dev/zero")
    (root / "environ").symlink_to("/proc/self/environ")
    os.mkfifo(root / "fifo")
    with (root / "sparse.kt").open("wb") as sparse:
        sparse.truncate(11 * 1024 * 1024)
    return root


BAD_PATHS = [
    ("../outside.txt", OUTSIDE), ("src/../../outside.txt", OUTSIDE), ("/etc/passwd", OUTSIDE),
    ("//etc/passwd", OUTSIDE),
    ("out/outside.txt", OUTSIDE), ("out.txt", OUTSIDE), ("out/nothing.txt", OUTSIDE), ("environ", OUTSIDE),
    ("device", OUTSIDE), ("/proc/self/environ", OUTSIDE), ("../nothing.txt", OUTSIDE), ("loop", OUTSIDE),
    ("fifo", OUTSIDE), ("local.properties", OUTSIDE), ("%2e%2e/outside.txt", GONE), ("..%2foutside.txt", GONE),
    ("src\\..\\..\\outside.txt", GONE), ("\uff0e\uff0e/outside.txt", GONE), ("\u2024\u2024/outside.txt", GONE),
    ("src/a.kt.", GONE), ("src/a.kt ", GONE), ("src/", GONE), ("src", GONE), (".", GONE), ("~/x", GONE),
    ("file:///etc/passwd", GONE), ("a" * 4_000, GONE), ("a/" * 1_500 + "b", GONE), ("src/\uff41.kt", GONE),
    ("src/a.kt\0", "INVALID_PARAMETERS"), ("src/a.kt\0.txt", "INVALID_PARAMETERS"),
    ("sparse.kt", "TOO_LARGE"), ("src/image.kt", "BINARY_FILE"), ("src/latin.kt", "BINARY_FILE"),
    ("", "FILE_NOT_FOUND"), ("a" * 5_000, "INVALID_PARAMETERS"), (7, "INVALID_PARAMETERS"),
]  # fmt: skip


def _over_mcp(client: httpx.Client, tool: str, arguments: dict[str, Any]) -> Any:
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    answer = client.post("/mcp", json=call, headers={"Accept": "application/json, text/event-stream"})
    return answer.json()["result"]["structuredContent"]


@pytest.mark.slow
def test_no_path_leads_outside_on_any_face(cast: SimpleNamespace, make_workspace: MakeWorkspace, place: Path) -> None:
    """On a server of its own: one that runs already may take 4 s to know of the workspace."""
    name = make_workspace(place, is_open=True)
    wrong = []

    with (
        running_server() as address,
        httpx.Client(base_url=address, headers={"Authorization": f"Bearer {cast.alice}"}, timeout=60) as client,
    ):
        for tool, more in (("read_file", {}), ("get_code_context", {"line": 1})):
            for path, expected in BAD_PATHS:
                arguments = {"filePath": path, "workspace": name, **more}
                answer = client.post(REST + tool, json=arguments)
                over_mcp = _over_mcp(client, tool, arguments)
                code = answer.json().get("error", {}).get("code")
                if code != expected or over_mcp != answer.json() or answer.status_code >= 500 or SECRET in answer.text:
                    wrong.append((tool, path, answer.status_code, answer.text[:200]))

    assert wrong == []


async def test_what_is_outside_is_refused_in_the_same_words_whether_it_is_there(
    fast_client: httpx.AsyncClient, make_workspace: MakeWorkspace, place: Path
) -> None:
    name = make_workspace(place, is_open=True)

    said = [
        (await fast_client.post(REST + "read_file", json={"filePath": path, "workspace": name})).text.replace(path, "X")
        for path in ("out/outside.txt", "out/no-such-file", "../outside.txt", "../no-such-file")
    ]

    assert len(set(said)) == 1


async def test_secrets_are_shown_where_the_workspace_allows_them(
    fast_client: httpx.AsyncClient, make_workspace: MakeWorkspace, place: Path
) -> None:
    name = make_workspace(place, is_open=True, shows_secrets=True)

    answer = await fast_client.post(REST + "read_file", json={"filePath": "local.properties", "workspace": name})

    assert answer.json()["data"]["content"] == SECRET


async def test_a_link_that_is_swapped_while_reading_never_shows_the_outside(
    fast_client: httpx.AsyncClient, make_workspace: MakeWorkspace, place: Path
) -> None:
    name = make_workspace(place, is_open=True)
    (place / "inside").mkdir()
    (place / "inside" / "outside.txt").write_text("inside")
    said = set()

    with _LinkSwapper(place / "swap", "inside", ".."):
        for _ in range(150):
            ask = {"filePath": "swap/outside.txt", "workspace": name}
            answer = (await fast_client.post(REST + "read_file", json=ask)).json()
            said.add(answer["data"]["content"] if answer["success"] else answer["error"]["code"])

    assert said <= {"inside", OUTSIDE, GONE}


class _LinkSwapper:
    """Turns a link back and forth between two targets, as fast as a thread can."""

    def __init__(self, link: Path, *targets: str) -> None:
        self._link, self._targets, self._over = link, targets, threading.Event()
        self._thread = threading.Thread(target=self._swap)

    def __enter__(self) -> None:
        self._link.symlink_to(self._targets[0])
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _swap(self) -> None:
        draft = self._link.with_name("draft")
        while not self._over.is_set():
            for target in self._targets:
                draft.symlink_to(target)
                draft.replace(self._link)
            self._over.wait(0.0005)


async def test_ranges_encodings_and_ends(
    fast_client: httpx.AsyncClient, make_workspace: MakeWorkspace, place: Path
) -> None:
    name = make_workspace(place, is_open=True)

    async def read(path: str, **more: object) -> tuple[str, int, str]:
        answer = await fast_client.post(REST + "read_file", json={"filePath": path, "workspace": name, **more})
        data = answer.json()["data"]
        return data["content"], data["lineCount"], data["encoding"]

    assert await read("src/a.kt", lineStart=2, lineEnd=2) == ("    b()", 1, "utf-8")
    assert await read("src/a.kt", lineStart=9) == ("", 0, "utf-8")
    assert await read("src/utf16.kt", lineEnd=1) == ("fun é() {", 1, "utf-16")
    assert await read("src/bom.kt", encoding="ascii") == ("val a = 1\n", 1, "utf-8")
    reversed_range = {"filePath": "src/a.kt", "lineStart": 3, "lineEnd": 1, "workspace": name}
    refused = (await fast_client.post(REST + "read_file", json=reversed_range)).json()["error"]
    assert refused["code"] == "INVALID_PARAMETERS"
    fixed = await read("src/a.kt", **refused["details"]["retryWith"])
    assert fixed[1] == 3


async def test_the_context_of_the_sample_s_crash(fast_client: httpx.AsyncClient) -> None:
    from devassist.ingest.samples import SAMPLE_ROOT

    path = "app/src/main/kotlin/com/example/trailnotes/ui/NoteListFragment.kt"
    lines = (SAMPLE_ROOT / path).read_text().splitlines()

    asked = {"filePath": path, "line": 51, "contextLines": 5, "workspace": "trailnotes"}
    data = (await fast_client.post(REST + "get_code_context", json=asked)).json()["data"]

    assert data["context"] == {
        "before": "\n".join(lines[45:50]),
        "errorLine": "            showNotes(notes)",
        "after": "\n".join(lines[51:56]),
    }
    assert data["functionDefinition"] == {
        "name": "refresh",
        "qualifiedName": "NoteListFragment.refresh",
        "startLine": 47,
        "endLine": 53,
        "signature": "private fun refresh()",
        "insideLambda": {"startLine": 49, "endLine": 52, "passedTo": "lifecycleScope.launch"},
    }
    assert data["relevantImports"] == [
        {"module": "androidx.lifecycle", "imported": ["lifecycleScope"], "line": 9},
        {"module": "kotlinx.coroutines", "imported": ["launch"], "line": 15},
    ]


async def test_lines_that_are_not_there_and_files_that_cannot_be_parsed(
    fast_client: httpx.AsyncClient, make_workspace: MakeWorkspace, place: Path
) -> None:
    (place / "deep.ts").write_text("(" * 60_000 + "\n")
    (place / "notes.md").write_text("# a\nb\n")
    (place / "broken.kt").write_text("class A {\n    fun ok() {\n        b()\n    }\n    fun broken( {\n")
    name = make_workspace(place, is_open=True)

    async def context(path: str, line: int, **more: object) -> Any:
        asked = {"filePath": path, "line": line, "workspace": name, **more}
        answer = (await fast_client.post(REST + "get_code_context", json=asked)).json()
        return answer.get("data") or answer["error"]

    past = await context("src/a.kt", 4)
    assert (past["code"], past["details"]["retryWith"]) == ("LINE_OUT_OF_RANGE", {"line": 3})
    assert (await context("empty.kt", 1))["code"] == "LINE_OUT_OF_RANGE"
    assert (await context("src/a.kt", 1, contextLines=4))["code"] == "INVALID_PARAMETERS"
    deep, plain, broken = await context("deep.ts", 1), await context("notes.md", 2), await context("broken.kt", 3)
    assert "too large or too broken" in deep["incomplete"]
    assert (plain["context"]["before"], "functionDefinition" in plain) == ("# a", False)
    assert (broken["functionDefinition"]["name"], "not parse cleanly" in broken["incomplete"]) == ("ok", True)
    utf16 = await context("src/utf16.kt", 2)
    assert (utf16["context"]["errorLine"], utf16["functionDefinition"]["signature"]) == ("  x()", "fun é()")
    without = await context("src/a.kt", 2, includeFunctionDef=False)
    assert "functionDefinition" not in without


async def test_a_place_named_in_a_question_is_found_in_open_workspaces(
    make_workspace: MakeWorkspace, place: Path
) -> None:
    from devassist.slots import SLOTS

    (place / "src" / "Hidden.kt").write_text("class Hidden\n")
    make_workspace(place)
    (resolve,) = [slot.resolve for slot in SLOTS if slot.name == "place"]
    assert resolve is not None

    found = await resolve("Why at ui.NoteListFragment.access$x(NoteListFragment.kt:56)?")
    hidden = await resolve("Why at Hidden.kt:1?")

    path = "app/src/main/kotlin/com/example/trailnotes/ui/NoteListFragment.kt"
    assert [(one.value, one.parts["line"], one.parts["workspace"]) for one in found] == [(path, "56", "trailnotes")]
    assert isinstance(found[0], Candidate)
    assert list(hidden) == []
