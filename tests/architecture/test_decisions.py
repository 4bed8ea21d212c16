"""The index of decisions is up to date, and each number is taken once."""

from collections import Counter

from tests.architecture.decisions import FOLDER, INDEX, render_index


def test_the_index_lists_every_decision() -> None:
    assert INDEX.read_text(encoding="utf-8") == render_index()


def test_each_number_is_taken_once() -> None:
    counts = Counter(path.name[:4] for path in FOLDER.glob("[0-9]*.md"))

    assert [number for number, count in counts.items() if count > 1] == []
