"""A form is carried out once, however often its page sends it; another page, or other contents, is another form."""

import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.db import connection
from django.test import Client

from toolbox.access.groups import create_missing_groups
from toolbox.database.caches import clear_all_caches
from toolbox.http import form_submissions
from toolbox.models import ApiKey, FormSubmission, NameAlias

pytestmark = pytest.mark.usefixtures("scratch_database")
QUESTION = {"text": "Who leads?"}
NAMED = {"client": "cursor", "name": "mine"}
ALIAS = {"domain": "linescore", "phrase": "The Whale", "name": "Carolina Hurricanes"}


def log_in(user: User) -> Client:
    """Log a person in, in a browser that obeys Django's check of forms."""
    client = Client(enforce_csrf_checks=True)
    client.force_login(user)
    return client


@pytest.fixture
def curator() -> Client:
    return log_in(User.objects.get(username="curator"))


def load(client: Client, address: str) -> dict[str, str]:
    """Load a page; returns the token that its forms send."""
    page = client.get(address).content.decode()
    return {"csrfmiddlewaretoken": re.findall('name="csrfmiddlewaretoken" value="(.*?)"', page)[-1]}


def begin(client: Client) -> str:
    """Ask a first question; returns the conversation's address."""
    return str(client.post("/ask/", QUESTION | load(client, "/"))["Location"])


def count_questions(client: Client, address: str) -> int:
    return client.get(address).content.decode().count('class="question"')


def test_a_question_is_asked_once_by_a_page_and_again_by_another_page_or_with_another_text(curator: Client) -> None:
    address, tab = begin(curator), load(curator, "/")
    assert curator.post("/ask/", QUESTION | tab)["Location"] == curator.post("/ask/", QUESTION | tab)["Location"]

    tabs = [load(curator, address), load(curator, address)]
    for token, text in (
        (tabs[0], "and Boston?"),
        (tabs[0], "and Boston?"),
        (tabs[1], "and Boston?"),
        (tabs[0], "now?"),
    ):
        assert curator.post(f"{address}say/", {"text": text} | token)["Location"] == address
    assert count_questions(curator, address) == 4


def test_two_at_the_same_time_ask_once(curator: Client) -> None:
    address = begin(curator)
    token = load(curator, address)

    def say(_: int) -> Any:
        try:
            return curator.post(f"{address}say/", {"text": "and Boston?"} | token)["Location"]
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as threads:
        assert set(threads.map(say, range(8))) == {address}
    assert count_questions(curator, address) == 2


def test_a_refused_form_may_be_sent_again() -> None:
    carla = User.objects.create_user("carla")
    client = log_in(carla)
    token = load(client, "/connect/")
    assert client.post("/connect/key/", NAMED | token).status_code == 403

    create_missing_groups()
    carla.groups.add(Group.objects.get(name="Operator"))
    clear_all_caches()
    assert client.post("/connect/key/", NAMED | token).status_code == 200
    assert ApiKey.objects.filter(name="mine").count() == 1

    address = begin(client)
    token = load(client, address)
    for _ in range(2):
        assert client.post(f"{address}say/", {"text": " "} | token)["Location"] == address
        assert "Enter a question" in client.get(address).content.decode()


def test_a_key_is_made_once_and_shown_to_its_page_alone(curator: Client) -> None:
    token = load(curator, "/connect/")
    pages = [curator.post("/connect/key/", NAMED | token).content.decode() for _ in range(2)]
    [key] = set(re.findall(r"\btr_[\w-]{20,}", pages[0]))

    assert pages[0] == pages[1]
    assert ApiKey.objects.filter(name="mine").count() == 1
    [kept] = [bytes(one.response or b"") for one in FormSubmission.objects.all()]
    assert key.encode() not in kept
    assert token["csrfmiddlewaretoken"].encode() not in kept


def test_lessons_and_the_admin_s_forms_add_once(curator: Client) -> None:
    lesson = {"kind": "alias", "asked": "How did the whale do?", "publish": "1"} | ALIAS
    token = load(curator, "/teach/?question=How+did+the+whale+do%3F&kind=alias")
    pages = [curator.post("/teach/save/", lesson | token).content.decode() for _ in range(2)]
    assert ["Published:" in page for page in pages] == [True, True]
    assert NameAlias.objects.filter(name="Carolina Hurricanes").count() == 1

    token = load(curator, "/admin/toolbox/namealias/add/")
    added = ALIAS | {"phrase": "The Canes of old", "_save": "Save"} | token
    answers = [curator.post("/admin/toolbox/namealias/add/", added) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [302, 302]
    assert NameAlias.objects.filter(phrase__iexact="The Canes of old").count() == 1
    assert "messages" in answers[1].cookies


def test_a_deletion_that_is_sent_twice_is_no_missing_page(curator: Client) -> None:
    address = begin(curator)
    token = load(curator, address)
    assert [curator.post(f"{address}delete/", token).status_code for _ in range(2)] == [302, 302]


def test_what_only_reads_is_done_again(curator: Client) -> None:
    address = "/tools/query_linescore_data/"
    token = load(curator, address)
    for _ in range(2):
        assert "2 rows" in curator.post(address, {"teamCode": "CAR", "limit": "2"} | token).content.decode()
    assert not FormSubmission.objects.exists()


def test_what_is_kept_is_one_person_s(curator: Client) -> None:
    other = log_in(User.objects.create_user("dora"))
    token = load(curator, "/")
    other.cookies["csrftoken"] = curator.cookies["csrftoken"].value
    places = {client.post("/ask/", QUESTION | token)["Location"] for client in (curator, other)}
    assert len(places) == 2


def test_a_form_whose_server_stopped_is_not_done_again_until_an_hour_later(
    curator: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = begin(curator)
    sent = {"text": "and Boston?"} | load(curator, address)
    curator.post(f"{address}say/", sent)
    FormSubmission.objects.update(response=None)
    monkeypatch.setattr(form_submissions, "MAX_WAIT_SECONDS", 0.0)

    told = curator.post(f"{address}say/", sent)
    assert (told.status_code, "This was sent already" in told.content.decode()) == (409, True)
    monkeypatch.setattr(form_submissions, "KEPT_SECONDS", 0)
    assert curator.post(f"{address}say/", sent)["Location"] == address
    assert count_questions(curator, address) == 3
