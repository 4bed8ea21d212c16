"""Lines of files: ranges, encodings, and what is no text."""

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from devassist.files.read_lines import MAX_FILE, Encoding, Lines, read_lines
from toolbox.contract.errors import ToolError


def _lines(path: Path, *, encoding: Encoding = "utf-8", first: int = 1, last: int | None = None) -> Lines:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return read_lines(descriptor, path=path.name, encoding=encoding, first=first, last=last)
    finally:
        os.close(descriptor)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "file.kt"


def test_a_whole_file_is_as_it_is(file: Path) -> None:
    file.write_bytes("fun a() {}\r\n\n// é 🏒\n".encode())

    assert _lines(file) == Lines(text="fun a() {}\r\n\n// é 🏒\n", count=3, encoding="utf-8", file_size=24)


@pytest.mark.parametrize(
    ("first", "last", "text", "count"),
    [(1, 1, "one", 1), (2, 3, "two\nthree", 2), (3, None, "three\nfour", 2), (4, 9, "four", 1), (5, 9, "", 0),
     (2, 2, "two", 1), (1, 4, "one\ntwo\nthree\nfour", 4)],
)  # fmt: skip
def test_a_range_is_its_lines(file: Path, first: int, last: int | None, text: str, count: int) -> None:
    file.write_bytes(b"one\ntwo\nthree\nfour")

    lines = _lines(file, first=first, last=last)

    assert (lines.text, lines.count) == (text, count)


ENCODED: list[tuple[bytes, Encoding, Encoding]] = [
    (b"\xef\xbb\xbfh\xc3\xa9\n", "utf-8", "utf-8"),
    ("hé\n".encode("utf-16"), "utf-16", "utf-16"),
    ("hé\n".encode("utf-16"), "utf-8", "utf-16"),
    (b"\xfe\xff" + "hé\n".encode("utf-16-be"), "ascii", "utf-16"),
]


@pytest.mark.parametrize(("written", "asked", "found"), ENCODED)
def test_a_mark_at_the_start_decides_the_encoding(file: Path, written: bytes, asked: Encoding, found: Encoding) -> None:
    file.write_bytes(written)

    lines = _lines(file, encoding=asked)

    assert (lines.text, lines.count, lines.encoding) == ("hé\n", 1, found)


NO_TEXT: list[tuple[bytes, Encoding]] = [
    (b"\x7fELF\0\0", "utf-8"), (b"caf\xe9", "utf-8"), (b"caf\xc3\xa9", "ascii"), (b"abc", "utf-16"),
    (b"a" * 300_000 + b"\xff", "utf-8"),
]  # fmt: skip


@pytest.mark.parametrize(("written", "encoding"), NO_TEXT)
def test_bytes_that_are_no_text_are_refused(file: Path, written: bytes, encoding: Encoding) -> None:
    file.write_bytes(written)

    with pytest.raises(ToolError) as refused:
        _lines(file, encoding=encoding)

    assert refused.value.code.code == "BINARY_FILE"


def test_ten_megabytes_are_read_and_one_byte_more_is_refused(file: Path) -> None:
    with file.open("wb") as sparse:
        sparse.write(b"x\n")
        sparse.truncate(MAX_FILE + 1)

    with pytest.raises(ToolError) as refused:
        _lines(file)
    os.truncate(file, 2)

    assert refused.value.code.code == "TOO_LARGE"
    assert _lines(file).count == 1


def test_an_empty_file_has_no_lines(file: Path) -> None:
    file.touch()

    assert _lines(file) == Lines(text="", count=0, encoding="utf-8", file_size=0)


@given(
    text=st.lists(st.sampled_from(["a", "é", "\n", "\r", "\r\n", "x" * 50]), max_size=60).map("".join),
    first=st.integers(1, 30),
    length=st.none() | st.integers(0, 30),
)
@settings(max_examples=300)
def test_ranges_are_those_of_splitlines_however_the_file_is_cut_into_chunks(
    tmp_path_factory: pytest.TempPathFactory, text: str, first: int, length: int | None
) -> None:
    path = tmp_path_factory.getbasetemp() / "ranges.txt"
    path.write_bytes(text.encode())
    last = None if length is None else first + length

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("devassist.files.read_lines._CHUNK", 7)
        lines = _lines(path, first=first, last=last)

    expected = [part.decode() for part in text.encode().splitlines(keepends=True)][first - 1 : last]
    assert lines.count == len(expected)
    whole = "".join(expected)
    assert lines.text in (whole, whole.removesuffix("\n").removesuffix("\r"))


@pytest.mark.parametrize(
    ("content", "encoding", "said"),
    [
        (b"caf\xe9\n", "utf-8", "search_code shows its lines"),
        (b"caf\xc3\xa9\n", "ascii", "read_file and encoding 'utf-8'"),
        (b"a\x00b\x00", "utf-8", "read_file and encoding 'utf-16'"),
        (b"a", "utf-16", "read_file and encoding 'utf-8'"),
    ],
)
def test_a_refusal_names_what_can_read_the_file(file: Path, content: bytes, encoding: Encoding, said: str) -> None:
    file.write_bytes(content)

    with pytest.raises(ToolError) as refused:
        _lines(file, encoding=encoding)

    assert said in (refused.value.suggestion or "")
