"""A question is taught on one page: by the admin's rules, as the person who teaches, and who asked it is told."""

import re
from html import unescape
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, User
from django.test import Client

from sprints.models import TermSynonym, VerifiedQuery
from toolbox.access.groups import create_missing_groups
from toolbox.database.caches import clear_all_caches
from toolbox.models import Example, NameAlias

pytestmark = pytest.mark.usefixtures("scratch_database")
MOOD = "How is the mood in the locker room?"
EXAMPLE = {
    "kind": "example", "asked": MOOD, "domain_hint": "", "is_enabled": "on", "domain": "linescore", "name": "mood",
    "question": MOOD, "phrasings": "", "tool": "query_linescore_data", "arguments": '{"teamCode": "CAR", "limit": 3}',
    "next_calls": "[]", "answer": "{{ answer.data.count }} periods",
}  # fmt: skip
UNICORNS = "How many unicorns are there?"
QUERY = {
    "kind": "query", "asked": UNICORNS, "is_enabled": "on", "slug": "unicorns", "topic": "taught", "question": UNICORNS,
    "phrasings": "", "sql": "SELECT count(*) AS unicorns FROM sprintscope.issues", "slots": "{}", "assumptions": "",
}  # fmt: skip
STUCK = "How many issues are gridlocked?"
SYNONYM = {
    "kind": "synonym",
    "asked": STUCK,
    "phrase": "gridlocked",
    "form": "adjective",
    "meaning": "predicate:blocked",
}
WHALE = "How did the whale do in February 2025?"
ALIAS = {"kind": "alias", "asked": WHALE, "domain": "linescore", "phrase": "The Whale", "name": "Carolina Hurricanes"}


def log_in(*groups: str, is_staff: bool = True) -> Client:
    """Log in a new user of these groups."""
    create_missing_groups()
    user = User.objects.create_user("-".join(groups) or "nobody", is_staff=is_staff)
    user.groups.set(Group.objects.filter(name__in=groups))
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def curator() -> Client:
    client = Client()
    client.force_login(User.objects.get(username="curator"))
    return client


def send(client: Client, lesson: dict[str, str], **more: str) -> str:
    """Send the page's form; returns the page."""
    answer = client.post("/teach/save/", lesson | more)
    assert answer.status_code == 200
    return unescape(answer.content.decode())


def read_outcome(page: str) -> str:
    """Return the part of the page with the outcome."""
    return page[page.index('id="outcome"') :]


@pytest.mark.parametrize(
    ("lesson", "model", "answer"),
    [
        (EXAMPLE, Example, "3 periods"),
        (QUERY, VerifiedQuery, "unicorns"),
        (SYNONYM, TermSynonym, "WHERE"),
        (ALIAS, NameAlias, "Carolina Hurricanes"),
    ],
    ids=lambda one: one["kind"] if isinstance(one, dict) else "",
)
def test_a_lesson_is_tried_without_being_saved_then_published(
    curator: Client, lesson: dict[str, str], model: Any, answer: str
) -> None:
    count = model.objects.count()

    tried = read_outcome(send(curator, lesson, **{"try": "1"}))
    assert "the question is answered" in tried
    assert (answer in tried, "<table" in tried) == (True, True)
    assert model.objects.count() == count

    published = read_outcome(send(curator, lesson, publish="1"))
    assert "Published" in published
    assert model.objects.count() == count + 1
    row = model.objects.latest("pk")
    entry = LogEntry.objects.latest("pk")
    assert (entry.object_id, entry.user.get_username(), entry.is_addition()) == (str(row.pk), "curator", True)

    clear_all_caches()
    told = curator.get("/teach/published/", {"question": lesson["asked"]}).content.decode()
    assert ("can be answered now" in told, "hx-get" in told) == (True, False)


@pytest.mark.parametrize(
    ("lesson", "changed", "words"),
    [
        (EXAMPLE, {"tool": "nothing"}, "linescore has no tool nothing."),
        (EXAMPLE, {"answer": "{% if %}"}, "The answer is no template"),
        (QUERY, {"sql": "DELETE FROM sprintscope.issues"}, "DELETE"),
        (QUERY, {"sql": "SELECT * FROM auth_user"}, "auth_user"),
        (SYNONYM, {"phrase": "blocked"}, "is a word for it already"),
        (ALIAS, {"phrase": "Boston"}, "is a name of Boston Bruins already"),
        (ALIAS, {"name": "Springfield"}, "The data has no team"),
        (ALIAS, {"name": "New York"}, "fits New York"),
    ],
)
@pytest.mark.parametrize("button", ["try", "publish"])
def test_what_the_admin_refuses_is_refused_here_in_its_words(
    curator: Client, lesson: dict[str, str], changed: dict[str, str], words: str, button: str
) -> None:
    before = LogEntry.objects.count()

    page = send(curator, lesson | changed, **{button: "1"})

    assert words in page
    assert "It is not valid yet" in page
    assert LogEntry.objects.count() == before


def test_a_question_that_does_not_lead_to_its_lesson_is_told(curator: Client) -> None:
    query = send(curator, QUERY | {"question": "How many griffins are there?"}, **{"try": "1"})
    alias = send(curator, ALIAS | {"asked": "How did they do?"}, **{"try": "1"})
    example = send(curator, EXAMPLE | {"question": "Who drives the zamboni?"}, **{"try": "1"})

    assert "does not lead to this query" in read_outcome(query)
    assert "does not say 'the whale'" in read_outcome(alias)
    assert "the question is answered" not in read_outcome(example)


def test_an_answer_that_names_what_the_tool_does_not_say_is_no_answer(curator: Client) -> None:
    page = read_outcome(send(curator, EXAMPLE | {"answer": "{{ answer.mood }}"}, **{"try": "1"}))

    assert "names what the tool does not say" in page
    assert "With this, the question is answered" not in page


def test_an_example_is_tried_as_the_person_who_teaches_it() -> None:
    create_missing_groups()
    user = User.objects.create_user("rita", is_staff=True)
    user.groups.add(Group.objects.get(name="Curator"))
    client = Client()
    client.force_login(user)
    writes = EXAMPLE | {"domain": "agents", "tool": "ask_agent", "arguments": '{"question": "x"}', "answer": "x"}

    page = read_outcome(send(client, writes, **{"try": "1"}))

    assert "With this, the question is answered" not in page


@pytest.mark.parametrize(
    ("group", "kinds"),
    [("Curator", {"example", "alias", "query", "synonym"}), ("Analyst", {"alias", "query", "synonym"})],
)
def test_each_group_is_offered_what_it_may_add(group: str, kinds: set[str]) -> None:
    page = log_in(group).get("/teach/", {"question": MOOD}).content.decode()

    assert set(re.findall(r'kind=(\w+)"', page)) == kinds


@pytest.mark.parametrize(("group", "is_staff"), [("Operator", True), ("Curator", False), ("", True)])
def test_who_may_add_nothing_is_refused(group: str, *, is_staff: bool) -> None:
    client = log_in(group, is_staff=is_staff)

    assert client.get("/teach/", {"question": MOOD}).status_code == 403
    assert client.post("/teach/save/", EXAMPLE | {"publish": "1"}).status_code == 403
    assert not Example.objects.filter(name="mood").exists()


def test_an_analyst_cannot_publish_an_example_by_asking_for_one() -> None:
    client = log_in("Analyst")

    client.post("/teach/save/", EXAMPLE | {"publish": "1"})

    assert not Example.objects.filter(name="mood").exists()


def test_the_form_is_filled_in(curator: Client) -> None:
    page = unescape(
        curator.get("/teach/", {"question": "How many unicorns did HARBOR ship?", "kind": "query"}).content.decode()
    )
    synonym = unescape(curator.get("/teach/", {"question": STUCK, "kind": "synonym"}).content.decode())

    assert "How many unicorns did {team} ship?</textarea>" in page
    assert 'value="how-many-unicorns-did-team-ship"' in page
    assert 'value="gridlocked"' in synonym


def test_the_page_stops_asking_after_a_while(curator: Client) -> None:
    first = curator.get("/teach/published/", {"question": MOOD}).content.decode()
    last = curator.get("/teach/published/", {"question": MOOD, "count": "8"}).content.decode()
    odd = curator.get("/teach/published/", {"question": MOOD, "count": "9" * 50}).content.decode()

    assert ["hx-get" in page for page in (first, last, odd)] == [True, False, False]
    assert "does not lead to it" in last


def test_an_alias_is_read_wherever_its_domain_is_asked(curator: Client) -> None:
    question = "How many issues are blocked in the harbour crew?"
    send(
        curator,
        ALIAS | {"domain": "sprints", "asked": question, "phrase": "harbour crew", "name": "HARBOR"},
        publish="1",
    )
    clear_all_caches()

    told = curator.get("/teach/published/", {"question": question}).content.decode()
    answers = [
        curator.post("/tools/ask_sprints/", {"question": text}).content.decode()
        for text in (question, "How many issues are blocked in HARBOR?")
    ]
    found = [re.findall(r"&quot;(?:rows|isAmbiguous)&quot;: [^]\n]*(?:\n[^]]*\])?", answer) for answer in answers]

    assert "can be answered now" in told
    assert found[0] == found[1]
    assert "&quot;isAmbiguous&quot;: false" in answers[0]
