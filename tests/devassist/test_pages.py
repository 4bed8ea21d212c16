"""Past errors are searched as agents search them, and the page says why each was found."""

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import settings
from django.template.loader import render_to_string
from django.test import Client

from devassist.entries.bm25 import place_of, sparse
from devassist.models import RootCause
from devassist.past_errors.why import Reason, name_words, spelt, weights_in
from devassist.root_causes.ranking import floor_among
from devassist.root_causes.uses import uses
from tests.pages import as_user, counted

pytestmark = pytest.mark.django_db
PAGE = "/devassist/"
SAMPLES = Path(settings.BASE_DIR) / "devassist" / "samples"
LATEINIT = "UninitializedPropertyAccessException: lateinit property adapter has not been initialized"


def entries() -> dict[str, dict[str, Any]]:
    lines = (SAMPLES / "root_causes.jsonl").read_text(encoding="utf-8").splitlines()
    return {entry["id"]: entry for entry in map(json.loads, lines)}


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record the queries of this domain's tables while a page is rendered."""
    return counted(monkeypatch, which=lambda _, statement: "devassist_" in statement)


def list_entries(page: str) -> list[str]:
    """Return the entries that the page lists, in order."""
    return re.findall(r'<h3><a href="/devassist/([^/]+)/">', page)


def test_a_message_finds_its_entry_with_the_words_that_both_have(statements: list[str]) -> None:
    page = as_user("curator").post(PAGE, {"q": LATEINIT}).content.decode()

    assert list_entries(page)[0] == "kotlin-lateinit-not-initialized"
    card = page[page.index('class="card past"') : page.index("</li>", page.index('class="card past"'))]
    words = re.findall(r"<code>([^<]+)</code>", card[card.index("Shared:") : card.index("</p>", card.index("Shared:"))])
    entry = entries()["kotlin-lateinit-not-initialized"]
    text = " ".join(str(value) for value in entry.values()).lower()
    assert words
    assert all(word.lower()[:5] in text for word in words)
    assert "lateinit" in words
    assert "Found by its meaning, and by the words it shares." in card
    assert ("style=" in page, "<svg" in page, "Scores as a table" in page) == (False, True, True)
    assert len(statements) == 3  # words that are counted, languages, what stands beside; the search is one more


def test_a_pasted_crash_is_searched_by_its_telling_lines(statements: list[str]) -> None:
    page = as_user("curator").post(PAGE, {"q": (SAMPLES / "crash.txt").read_text()}).content.decode()

    assert list_entries(page)[0] == "android-binding-after-destroy-view"
    told = page[page.index('class="told"') : page.index("</details>", page.index('class="told"'))]
    assert ("NoteListFragment.getBinding" in told, "Looper.loop" in told) == (True, False)


def test_nothing_relevant_is_explained_by_the_floor_and_what_came_nearest() -> None:
    page = as_user("curator").get(PAGE, {"q": "the soup was cold and the waiter rude"}).content.decode()

    assert "No past root cause is like this error." in page
    known = RootCause.objects.exclude(status="retired").count()  # the shipped ones, and what other tests proposed
    assert f"An entry is relevant from a score of {floor_among(known):.2f}" in page
    assert 1 <= len(list_entries(page)) <= 3
    assert page.count("Below the floor") == len(list_entries(page))


def test_filters_that_leave_nothing_out_of_something_say_so() -> None:
    page = as_user("curator").post(PAGE, {"q": LATEINIT, "language": "python"}).content.decode()

    assert "without them something does" in page
    assert "<details open>" in page


@pytest.mark.parametrize("sent", [{"q": ""}, {"q": "x", "min_confidence": "nan"}, {"q": "\x00"}, {"q": " "}])
def test_what_cannot_be_searched_for_is_said(sent: dict[str, str]) -> None:
    page = as_user("curator").post(PAGE, sent)

    assert page.status_code == 200
    assert 'class="wrong"' in page.content.decode() or "nothing to search for" in page.content.decode()


def test_before_a_search_the_page_says_what_is_known(statements: list[str]) -> None:
    page = as_user("curator").get(PAGE).content.decode()

    known = RootCause.objects.exclude(status="retired").count()  # the shipped ones, and what other tests proposed
    assert known >= len(entries())
    assert f"{known} entries can be found" in page
    assert "Recently added" in page
    assert len(statements) == 4


def test_a_look_is_no_use(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[int] = []
    monkeypatch.setattr(uses, "count", counted.extend)

    as_user("curator").post(PAGE, {"q": LATEINIT})

    assert counted == []


def test_an_entry_s_page_has_all_that_was_written(statements: list[str]) -> None:
    entry = entries()["kotlin-lateinit-not-initialized"]

    page = as_user("curator").get(f"{PAGE}{entry['id']}/").content.decode()

    assert "<code>by lazy</code>" in page
    assert ("validated" in page, "not yet" in page or "Used" in page) == (True, True)
    assert len(statements) == 1


def test_what_somebody_wrote_into_an_entry_cannot_run() -> None:
    evil = "<script>x</script> [a](javascript:alert) **b**"
    entry = dict.fromkeys(["error_description", "root_cause", "solution", "error_type", "entry_name"], evil)

    page = render_to_string("devassist/root_cause.html", {"entry": {**entry, "id": 1, "confidence": 1}, "usual": 0.7})

    assert ("<script>x" in page, 'href="javascript' in page, "<strong>b</strong>" in page) == (False, False, True)


def test_what_is_not_there_or_not_allowed_is_told(cast: SimpleNamespace) -> None:
    assert [as_user("curator").get(f"{PAGE}{name}/").status_code for name in ("nothing", "%00", "a" * 300)] == [404] * 3
    refused = as_user("charlie").get(PAGE)
    assert (refused.status_code, "devassist:read" in refused.content.decode()) == (403, True)
    assert Client().get(PAGE)["Location"].startswith("/login/")


def test_words_are_named_as_they_were_written_the_rarest_first() -> None:
    words = spelt("The NoteAdapter crashed, adapter twice")
    note, whole = place_of("note"), next(place for place, word in words.items() if word == "NoteAdapter")
    weights = weights_in(sparse({note: 2.0, whole: 5.0}))

    assert "The" not in words.values()
    assert name_words([note, whole, 1], words=words, weights=weights) == ["NoteAdapter", "note"]
    assert weights_in(sparse({})) == {}


def test_a_reason_tells_meaning_from_words() -> None:
    by_words = Reason(similarity=0.2, coverage=0.5, words=("a",))
    alone = Reason(similarity=0.6, coverage=0.0, words=())
    below = Reason(similarity=0.2, coverage=0.1, words=("a",))

    assert by_words.score == pytest.approx(0.2 + 1.6 * 0.25)
    assert by_words.is_found
    assert ["words" in by_words.sentence, "alone" in alone.sentence, "Below" in below.sentence] == [True, True, True]
