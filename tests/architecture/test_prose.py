"""Rule 11, held to examples of its own and to the repository."""

import pytest

from tests.architecture.prose import EXEMPT, check_file, check_python, check_text, is_checked
from tests.architecture.sources import ROOT, files, name_of


@pytest.mark.parametrize(
    "text",
    [
        "errors that say how to mend the call",
        "where the mend is certain",
        "Whoever comes by OAuth",
        "40,000 were wanted",
        "a statement that is dear",
        "For instance: which team?",
        "Let it in",
        "clients that were let in",
        "a fast lane for calls",
        "A bell says that there is something to look up",
        "the answer has grown old",
        "Where the text is wrapped, whoever\n    reads it",
        "# a set in\n    # which none is",
    ],
)
def test_a_phrase_that_nobody_would_say_is_refused(text: str) -> None:
    assert len(check_text(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "errors that say how to fix the call",
        "target: 5x",
        "an expensive query",
        "Try asking",
        "Allow access",
        "a firewall, an interface and a planet",
        "Dearborn",
        "letters in a name",
    ],
)
def test_plain_english_passes(text: str) -> None:
    assert check_text(text) == []


def test_the_phrase_is_found_in_docstrings_messages_and_comments() -> None:
    source = '''"""Mend it."""\n\n# through the door, and\n# thereby on\nMESSAGE = f"{1} lanes"\n'''

    assert [(line, phrase) for line, phrase, _ in check_python(source)] == [
        (1, "Mend"), (3, "door"), (4, "thereby"), (5, "lanes"),
    ]  # fmt: skip


def test_code_is_not_prose() -> None:
    assert check_python("wall = bells[door]\nwall = wall.mend(lane=1)\n") == []


def test_documents_pages_and_messages_are_plain_english() -> None:
    offences = [
        f"{name_of(path)}:{line}: {phrase!r}: {plain}"
        for path in files()
        if is_checked(path)
        for line, phrase, plain in check_file(path)
    ]

    assert offences == []


def test_every_kind_of_text_is_looked_at() -> None:
    names = {name_of(path) for path in files() if is_checked(path)}

    assert {"README.md", "docs/operations.md", "console/templates/403.html", "toolbox/checks.py"} <= names
    assert all((ROOT / name).exists() for name in EXEMPT)
