"""Nothing outside of the root is ever opened, whatever the path says and wherever links lead."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from devassist.files.safe_open import open_file
from toolbox.contract.errors import ToolError

CANARY = b"outside"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a workspace with a file, folders and links of every kind, beside a file that must not be read."""
    base = tmp_path_factory.mktemp("place")
    (base / "outside.txt").write_bytes(CANARY)
    (base / "rootless").mkdir()
    (base / "rootless" / "outside.txt").write_bytes(CANARY)
    root = base / "root"
    (root / "src" / "deep").mkdir(parents=True)
    (root / "src" / "a.kt").write_bytes(b"inside")
    (root / "src" / "%2e%2e").write_bytes(b"inside")
    (root / ".env").write_bytes(b"inside")
    (root / "id_rsa").write_bytes(b"inside")
    links = {
        "file_in": "src/a.kt", "folder_in": "src", "up_and_in": "src/../src/a.kt",
        "absolute_in": str(root / "src/a.kt"),
        "file_out": "../outside.txt", "folder_out": "..", "absolute_out": str(base / "outside.txt"),
        "beside": str(base / "rootless"), "loop": "loop", "loop_a": "loop_b", "loop_b": "loop_a", "dangling": "missing",
        "device": "/dev/zero", "process": "/proc/self/environ", "hidden_secret": ".env", "to_root": ".",
    }  # fmt: skip
    for name, target in links.items():
        (root / name).symlink_to(target)
    os.mkfifo(root / "fifo")
    with socket.socket(socket.AF_UNIX) as server:
        here = Path.cwd()
        os.chdir(root)
        server.bind("socket")
        os.chdir(here)
    return root


def _read(path: str, root: Path, *, shows_secrets: bool = False) -> bytes:
    with open_file(path, root=str(root), shows_secrets=shows_secrets) as descriptor:
        return os.read(descriptor, 100)


@pytest.mark.parametrize(
    "path",
    ["src/a.kt", "src//a.kt", "./src/./a.kt", "src/%2e%2e", "file_in", "folder_in/a.kt", "up_and_in", "absolute_in",
     "to_root/src/a.kt", "src/a.kt/"],
)  # fmt: skip
def test_what_lies_inside_is_opened(root: Path, path: str) -> None:
    assert _read(path, root) == b"inside"


OUTSIDE = ["..", "../outside.txt", "src/../../outside.txt", "/etc/passwd", "//etc/passwd", "file_out", "absolute_out",
           "folder_out/outside.txt", "beside/outside.txt", "device", "process", "src/../src/a.kt"]  # fmt: skip
ABSENT = ["nothing.kt", "src/nothing/a.kt", "src/a.kt/b", "dangling", "src", "folder_in", "to_root", "", ".", "a\0b",
          "x" * 5000, "a/" * 300 + "b", "src/a.kt ", "src/a.kt.", "SRC/a.kt", "src\\a.kt", "%2e%2e/outside.txt",
          "src/\u0430.kt", "\udcff"]  # fmt: skip
UNREADABLE = ["fifo", "socket", "loop", "loop_a", "loop_a/x", ".env", "id_rsa", "hidden_secret"]


@pytest.mark.parametrize(
    ("path", "code"),
    [(path, "PERMISSION_DENIED") for path in (*OUTSIDE, *UNREADABLE)] + [(path, "FILE_NOT_FOUND") for path in ABSENT],
)
def test_the_rest_is_refused_by_its_code(root: Path, path: str, code: str) -> None:
    with pytest.raises(ToolError) as refused:
        _read(path, root)

    assert refused.value.code.code == code
    assert refused.value.suggestion


@pytest.mark.parametrize("path", [".env", "id_rsa", "hidden_secret"])
def test_secrets_are_shown_where_the_workspace_allows_it(root: Path, path: str) -> None:
    assert _read(path, root, shows_secrets=True) == b"inside"


def test_a_refusal_does_not_tell_whether_something_is_there(root: Path) -> None:
    told = set()
    for path in ("../outside.txt", "../no_such_file", "/etc/passwd", "/no/such/file"):
        with pytest.raises(ToolError) as refused:
            _read(path, root)
        told.add((refused.value.message.replace(path, ""), refused.value.suggestion))

    assert len(told) == 1


def test_an_unreadable_file_is_denied(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def deny(*_: object, **__: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("devassist.files.safe_open.os.open", deny)

    with pytest.raises(ToolError) as refused:
        _read("src/a.kt", root)

    assert refused.value.code.code == "PERMISSION_DENIED"


def test_a_file_swapped_for_a_link_out_while_it_is_opened_is_not_followed(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    victim = root / "swapped.kt"
    victim.write_bytes(b"inside")
    look = os.stat

    def look_then_swap(*args: object, **options: object) -> os.stat_result:
        seen = look(*args, **options)  # type: ignore[arg-type]
        if args[0] == "swapped.kt":
            victim.unlink()
            victim.symlink_to("../outside.txt")
        return seen

    monkeypatch.setattr("devassist.files.safe_open.os.stat", look_then_swap)

    with pytest.raises(ToolError) as refused:
        _read("swapped.kt", root)

    assert refused.value.code.code == "PERMISSION_DENIED"


def test_every_descriptor_is_closed(root: Path) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))

    for path in ("folder_in/a.kt", "src/nothing", "loop", "file_out"):
        try:
            _read(path, root)
        except ToolError:
            continue

    assert len(list(Path("/proc/self/fd").iterdir())) == before


PIECES = st.sampled_from(
    ["..", ".", "", "src", "a.kt", "outside.txt", "root", "rootless", "folder_out", "file_out", "absolute_out",
     "beside", "loop_a", "to_root", "folder_in", "deep", "dangling", "process", "\0", "~", "%2e%2e", "\uff0e\uff0e",
     "/", "\\"]
)  # fmt: skip


@given(pieces=st.lists(PIECES | st.text(max_size=5), max_size=8), lead=st.sampled_from(["", "/", "//", "./", "../"]))
@settings(max_examples=400)
def test_no_path_reads_what_lies_outside(root: Path, pieces: list[str], lead: str) -> None:
    try:
        outcome: bytes | str = _read(lead + "/".join(pieces), root, shows_secrets=True)
    except ToolError as refusal:
        outcome = refusal.code.code

    assert outcome in (b"inside", "FILE_NOT_FOUND", "PERMISSION_DENIED")


@pytest.fixture(autouse=True)
def _nothing_outside_changed(root: Path) -> Iterator[None]:
    yield
    assert (root.parent / "outside.txt").read_bytes() == CANARY


def test_a_hard_link_to_outside_or_to_a_secret_is_refused(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "deep").mkdir(parents=True)
    (tmp_path / "outside.txt").write_text("outside")
    for name in (".env", "a.kt"):
        (root / name).write_text(name)
    for link, target in (("out.kt", tmp_path / "outside.txt"), ("env.kt", root / ".env"), ("deep/b.kt", root / "a.kt")):
        (root / link).hardlink_to(target)

    for name in ("out.kt", "env.kt"):
        with pytest.raises(ToolError, match="hard link"), open_file(name, root=str(root)):
            pass
    with open_file("deep/b.kt", root=str(root)) as descriptor:
        assert os.read(descriptor, 10) == b"a.kt"
    with open_file("out.kt", root=str(root), shows_secrets=True) as descriptor:
        assert os.read(descriptor, 10) == b"outside"
