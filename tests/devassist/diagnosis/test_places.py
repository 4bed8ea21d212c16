"""Which files frames mean; what is not clear is not guessed."""

import json
from pathlib import Path

import pytest

from devassist.diagnosis.places import FileIndex
from devassist.diagnosis.source_maps import map_place
from devassist.diagnosis.traces import parse_trace
from devassist.workspaces import KnownWorkspace

TILL = "class Till:\n    def ring(self, item):\n        return item.price\n"
OTHER = "import os\n\n\ndef close():\n    os.remove('till')\n"


def _workspace(root: Path, *, number: int = 1) -> KnownWorkspace:
    return KnownWorkspace(
        id=number, name=f"shop-{number}", root=str(root), is_open=True, is_default=False, shows_secrets=False,
        key_ids=frozenset(), owner_ids=frozenset(),
    )  # fmt: skip


def _write(root: Path, **files: str) -> None:
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_py", ".py").replace("_kt", ".kt").replace("_ts", ".ts")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def _python(path: str, line: int, function: str = "ring", code: str = "return item.price") -> str:
    return f'Traceback (most recent call last):\n  File "{path}", line {line}, in {function}\n    {code}\nKeyError: 1\n'


def _place_frame(root: Path, trace: str) -> tuple[str | None, int | None, str]:
    placement = FileIndex([_workspace(root)]).place(parse_trace(trace).frames[0])
    chosen = placement.chosen
    return (chosen.path if chosen else None, chosen.line if chosen else None, placement.note)


@pytest.mark.parametrize(
    "path", ["/usr/src/app/shop/till.py", "C:\\build\\renamed\\shop\\till.py", "shop/till.py", "/elsewhere/till.py"]
)
def test_a_file_is_found_whatever_the_root_was(tmp_path: Path, path: str) -> None:
    _write(tmp_path, src__shop__till_py=TILL, src__bank__till_py=OTHER)

    assert _place_frame(tmp_path, _python(path, 3)) == ("src/shop/till.py", 3, "")


def test_code_that_has_moved_is_found_and_said(tmp_path: Path) -> None:
    _write(tmp_path, shop__till_py="# a new line\n\n" + TILL)

    path, line, note = _place_frame(tmp_path, _python("/app/shop/till.py", 3))

    assert (path, line) == ("shop/till.py", 5)
    assert "line 3 stands at line 5 now" in note


def test_another_version_is_said(tmp_path: Path) -> None:
    _write(tmp_path, shop__till_py=TILL)

    assert "not the one that ran" in _place_frame(tmp_path, _python("/app/shop/till.py", 3, code="return 7"))[2]


def test_twins_are_ambiguous_and_none_is_chosen(tmp_path: Path) -> None:
    _write(tmp_path, a__till_py=TILL, b__till_py=TILL)

    placement = FileIndex([_workspace(tmp_path)]).place(parse_trace(_python("/app/till.py", 3)).frames[0])

    assert placement.chosen is None
    assert {one.path for one in placement.candidates} == {"a/till.py", "b/till.py"}
    assert "not known which" in placement.note


def test_a_bare_name_without_evidence_is_not_chosen(tmp_path: Path) -> None:
    _write(tmp_path, other__till_py=OTHER)

    path, _, note = _place_frame(tmp_path, _python("/app/shop/till.py", 3, code="return item.price"))

    assert path is None
    assert "neither its folder nor what it holds" in note


def test_several_workspaces_with_the_same_file_are_ambiguous(tmp_path: Path) -> None:
    _write(tmp_path / "one", shop__till_py=TILL)
    _write(tmp_path / "two", shop__till_py=TILL)
    index = FileIndex([_workspace(tmp_path / "one"), _workspace(tmp_path / "two", number=2)])

    placement = index.place(parse_trace(_python("/app/shop/till.py", 3)).frames[0])

    assert placement.chosen is None
    assert {one.workspace.name for one in placement.candidates} == {"shop-1", "shop-2"}


def test_kotlin_without_package_folders_is_found_by_its_package(tmp_path: Path) -> None:
    _write(tmp_path, app__Till_kt="package com.example.shop\n\nclass Till {\n    fun ring() = error(1)\n}\n")
    _write(tmp_path, other__Till_kt="package com.example.bank\n\nclass Till {\n    fun ring() = error(1)\n}\n")

    trace = "java.lang.RuntimeException: 1\n\tat com.example.shop.Till.ring(Till.kt:4)\n"

    assert _place_frame(tmp_path, trace)[:2] == ("app/Till.kt", 4)


def test_nothing_outside_or_secret_is_a_candidate(tmp_path: Path) -> None:
    (tmp_path / "outside.py").write_text(TILL)
    root = tmp_path / "root"
    _write(root, shop__till_py=OTHER)
    (root / "link.py").symlink_to("../outside.py")
    (root / ".env").write_text(TILL)

    for path in ("../outside.py", "link.py", ".env", "/etc/passwd"):
        assert _place_frame(root, _python(path, 3))[0] is None, path


SOURCE = "export function ring(item: Item) {\n  return item.price.toFixed(2)\n}\n"


def test_a_source_map_leads_to_the_source(tmp_path: Path) -> None:
    """The mapping is worked out by hand: column 0 of line 1 is line 1, column 28 of line 1 is line 2, column 2."""
    _write(tmp_path, src__till_ts=SOURCE)
    (tmp_path / "dist").mkdir()
    (tmp_path / ".gitignore").write_text("dist/\n")
    (tmp_path / "dist" / "till.js").write_text(
        "function ring(t){return t.price.toFixed(2)}\n//# sourceMappingURL=till.js.map\n"
    )
    content = {"version": 3, "sources": ["../src/till.ts"], "names": ["ring"], "mappings": "AAAAA,4BACE"}
    (tmp_path / "dist" / "till.js.map").write_text(json.dumps(content))
    trace = "TypeError: Cannot read properties of undefined\n    at ring (/srv/app/dist/till.js:1:33)\n"

    placement = FileIndex([_workspace(tmp_path)]).place(parse_trace(trace).frames[0])

    assert placement.is_mapped
    assert placement.chosen is not None
    assert (placement.chosen.path, placement.chosen.line, placement.chosen.function) == ("src/till.ts", 2, "ring")


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '{"mappings": "!!", "sources": []}', '{"mappings": "AAAA", "sources": []}',
             '{"mappings": "A", "sources": ["a"]}', '{"mappings": 1, "sources": 2}', "[" * 100_000]
)  # fmt: skip
def test_a_broken_source_map_says_nothing(text: str) -> None:
    assert map_place("a.js", line=1, column=1, read={"a.js.map": text}.get) is None
