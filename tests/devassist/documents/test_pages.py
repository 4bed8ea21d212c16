"""Files of documentation into pages, and folders into collections."""

import os
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from devassist.documents.folder import FolderReport, pages_below
from devassist.documents.load import store_pages
from devassist.documents.pages import MAX_SECTION, NotAPage, read_page
from devassist.models import DocPage, DocSection

NOW = datetime(2026, 11, 22, tzinfo=UTC)
MARKDOWN = """---
title: "Guide"
url: https://docs.example.org/guide
---
Before.

# First *part*

```sh
# no heading
```

Second
------
Text of two.
"""
HTML = """<!doctype html><html><head><title>T &amp; U</title><style>p{}</style></head><body><nav><h2>Menu</h2>no</nav>
<h1 id="top">Top</h1><p>One<p>two <b>bold</b><script>no()</script><h2>Next &lt;T&gt;<a href="#n">¶</a></h2>
<pre>a
  b</pre></body></html>"""


def test_markdown_in_sections() -> None:
    page = read_page("guide.md", data=b"\xef\xbb\xbf" + MARKDOWN.encode())

    assert (page.title, page.url) == ("Guide", "https://docs.example.org/guide")
    assert [(one.heading, one.anchor, one.text) for one in page.sections] == [
        ("", "", "Before."),
        ("First part", "first-part", "```sh\n# no heading\n```"),
        ("Second", "second", "Text of two."),
    ]


def test_html_in_sections_without_what_is_around() -> None:
    page = read_page("a/b.html", data=HTML.encode())

    assert page.title == "T & U"
    assert [(one.heading, one.anchor, one.text) for one in page.sections] == [
        ("Top", "top", "One\ntwo bold"),
        ("Next <T>", "next-t", "a\nb"),
    ]


@pytest.mark.parametrize("data", [b"", b"   \n", b"\xff\xfe\x00a", b"a\0b", b"x" * 3_000_000])
def test_what_is_no_page_is_refused(data: bytes) -> None:
    with pytest.raises(NotAPage):
        read_page("a.md", data=data)


def test_a_long_section_is_cut_and_odd_files_are_read() -> None:
    long = read_page("a.md", data=("word " * 5_000).encode())

    assert all(len(one.text) <= MAX_SECTION for one in long.sections)
    assert " ".join(one.text for one in long.sections) == ("word " * 5_000).strip()
    for odd in ("---\nno end", "#", "```\n# open fence", "<h1>x", "</nav>a<nav>b", "<" * 5_000, "===\n---\n"):
        for name in ("a.md", "a.html"):
            try:
                assert read_page(name, data=odd.encode()).title
            except NotAPage:
                continue


def _command(folder: Path, **options: object) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command("ingest_docs", str(folder), stdout=out, stderr=err, **options)
    return out.getvalue(), err.getvalue()


@pytest.mark.django_db
def test_a_folder_is_stored_and_stored_again(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a b.md").write_text("# A\nfrobnicate")
    (tmp_path / "gone.html").write_text("<h1>Gone</h1>text")
    (tmp_path / ".hidden.md").write_bytes(b"\xff")
    (tmp_path / "pipe.md").mkdir()
    os.mkfifo(tmp_path / "fifo.md")
    (tmp_path / "link.md").symlink_to("/etc/hostname")

    first, complaints = _command(tmp_path, name="mine", base_url="https://docs.example.org/x/")
    (tmp_path / "gone.html").unlink()
    (tmp_path / "sub" / "a b.md").write_text("# A\nchanged")
    second, _ = _command(tmp_path, name="mine", base_url="https://docs.example.org/x/")
    third, _ = _command(tmp_path, name="mine", base_url="https://docs.example.org/x/")

    assert "2 added, 0 changed, 0 unchanged, 0 removed, 1 left out" in first
    assert ".hidden.md: it is not UTF-8 text" in complaints
    assert "0 added, 1 changed, 0 unchanged, 1 removed" in second
    assert "0 added, 0 changed, 1 unchanged, 0 removed" in third
    page = DocPage.objects.get(collection="mine")
    assert page.url == "https://docs.example.org/x/sub/a%20b.md"
    assert DocSection.objects.get(page=page).text == "changed"


@pytest.mark.django_db
def test_a_wrong_folder_removes_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\ntext")
    _command(tmp_path, name="mine")
    (tmp_path / "a.md").unlink()

    with pytest.raises(CommandError, match="no page"):
        _command(tmp_path, name="mine")
    with pytest.raises(CommandError, match="no folder"):
        _command(tmp_path / "missing", name="mine")
    with pytest.raises(CommandError, match="name"):
        _command(tmp_path, name="../x")

    assert DocPage.objects.filter(collection="mine").count() == 1
    assert "1 pages removed" in _command(tmp_path, name="mine", remove=True)[0]


@pytest.mark.django_db
def test_a_part_of_a_name_of_code_finds_it(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# kotlin.UninitializedPropertyAccessException\nsee snake_case_name")
    store_pages(pages_below(tmp_path, report=FolderReport()), collection="mine", base_url="", now=NOW)

    found = DocSection.objects.filter(page__collection="mine")
    assert found.filter(words="uninitializedpropertyaccessexception").exists()
    assert found.filter(words="snake").exists()
