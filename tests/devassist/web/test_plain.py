"""What sources send, as plain text; expectations are written by hand."""

import time

import pytest

from devassist.web.plain import cut, excerpt, from_html, from_markdown, from_text


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        ('use <span class="highlight">map</span>() &amp; <b>List&lt;String&gt;</b>', "use map() & List<String>"),
        ("a<!-- secret -->b <script>alert(1)</script>c", "a b c"),
        ("it&#39;s\n\n  &quot;fine&quot; &#128512;", "it's \"fine\" \U0001f600"),
        ("&lt;script&gt;x&lt;/script&gt;", "<script>x</script>"),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
        ("torn <a href='x", "torn <a href='x"),
        ("nul \x00 ring \x07 turned \u202e end", "nul ring turned end"),
    ],
)  # fmt: skip
def test_html(sent: str, read: str) -> None:
    assert " ".join(from_html(sent).split()) == read


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        ("The <a> HTML element is an anchor.", "The <a> HTML element is an anchor."),
        ("The <code>map()</code> &amp; <mark>flat</mark>", "The map() & flat"),
        ("a Map<String, List<Int>> of Int", "a Map<String, List<Int>> of Int"),
    ],
)
def test_text_keeps_what_is_no_markup(sent: str, read: str) -> None:
    assert from_text(sent) == read


def test_markdown_loses_its_signs_and_keeps_generics() -> None:
    sent = (
        "<!-- template: fill in -->\n### Steps\n- [x] open **it**\n> said [the docs](https://x.y/z \"t\")\n```kotlin\n"
        "val a: List<String> = b!!\n```\n<details><summary>Log</summary>crash<br>here</details>\n---\n![pic](a.png)"
    )  # fmt: skip

    assert from_markdown(sent) == "Steps open it said the docs val a: List<String> = b!! Logcrashhere pic"


def test_a_cut_ends_with_a_word_and_fits() -> None:
    text = "word " * 100

    assert cut(text) == "word " * 39 + "word…"
    assert len(cut("x" * 500)) == 200
    assert cut("short") == "short"


def test_an_excerpt_is_where_the_words_stand_together() -> None:
    text = "lateinit once. " + "filler " * 100 + "lateinit property adapter has not been initialized. " + "more " * 100

    found = excerpt(text, words=["lateinit", "adapter", "initialized"])

    assert "lateinit property adapter has not been initialized." in found
    assert found.startswith("…")
    assert len(found) <= 200


@pytest.mark.parametrize("clean", [from_html, from_text, from_markdown])
@pytest.mark.parametrize("piece", ["<", "<!--", "<a ", "[", "![](", "**", "`", "&", "<script>", "\u0130", "((", "- "])
def test_nothing_takes_long_to_read(clean: object, piece: str) -> None:
    started = time.process_time()
    excerpt(clean(piece * 200_000), words=["a", "b"])  # type: ignore[operator]

    assert time.process_time() - started < 2.0
