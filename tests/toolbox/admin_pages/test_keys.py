"""API keys are made in the admin, shown once, and ended there."""

import re
from typing import Any

import httpx
import pytest
from asgiref.sync import sync_to_async
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from toolbox.contract.caller import hash_api_key
from toolbox.models import ApiKey

LIST = "/admin/toolbox/apikey/"
KEY = re.compile(r"tr_[A-Za-z0-9_-]{40,}")
TOOL = "/api/tools/linescore/query_linescore_data"


@pytest.fixture
def curator(db: None) -> Client:
    return log_in()


def log_in() -> Client:
    client = Client()
    client.force_login(User.objects.get(username="curator"))
    return client


def form(**changes: Any) -> dict[str, Any]:
    owner = User.objects.get(username="bob").pk
    empty = {"expires_at_0": "", "expires_at_1": "", "revoked_at_0": "", "revoked_at_1": ""}
    return {"name": "reports", "owner": owner, "scopes": ["linescore:read"], "calls_per_minute": ""} | empty | changes


def make(client: Client) -> str:
    """Create a key as a person would, and read it from the next page."""
    page = client.post(f"{LIST}add/", form(), follow=True).content.decode()
    keys = set(KEY.findall(page))
    assert len(keys) == 1
    return str(keys.pop())


def test_a_new_key_is_shown_once_and_kept_as_a_hash(curator: Client) -> None:
    key = make(curator)

    row = ApiKey.objects.get(name="reports")
    assert row.digest == hash_api_key(key)
    pages = [LIST, f"{LIST}{row.pk}/change/", f"{LIST}{row.pk}/history/"]
    for page in (curator.get(page).content.decode() for page in pages):
        assert key not in page
        assert row.digest not in page


def test_a_new_key_is_in_nobodys_history(curator: Client) -> None:
    key = make(curator)

    entry = LogEntry.objects.get(object_id=str(ApiKey.objects.get(name="reports").pk))
    assert entry.is_addition()
    assert entry.user.get_username() == "curator"
    assert key not in f"{entry.object_repr} {entry.change_message}"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"scopes": ["other:read"]}, "other:read is not one of the available choices"),
        ({"scopes": []}, "This field is required"),
        ({"calls_per_minute": "0"}, "To stop a key, revoke it."),
        ({"calls_per_minute": "-1"}, "greater than or equal to 0"),
        ({"expires_at_0": "2025-02-30", "expires_at_1": "00:00"}, "Enter a valid date."),
        ({"name": "a\x00b"}, "Null characters are not allowed."),
        ({"name": "x" * 101}, "at most 100 characters"),
        ({"owner": "999999"}, "Select a valid choice"),
    ],
)
def test_a_key_that_makes_no_sense_is_refused_in_words(curator: Client, change: dict[str, Any], words: str) -> None:
    answer = curator.post(f"{LIST}add/", form(**change))

    assert words in answer.content.decode()
    assert not ApiKey.objects.filter(owner__username="bob").exclude(name="bob").exists()


def test_a_change_keeps_the_key_itself_and_scopes_of_domains_that_are_gone(curator: Client) -> None:
    row = ApiKey.objects.get(name="charlie")

    answer = curator.post(f"{LIST}{row.pk}/change/", form(name="charlie", owner=row.owner_id, scopes=["other:read"]))

    changed = ApiKey.objects.get(pk=row.pk)
    assert answer.status_code == 302, answer.context["errors"]
    assert (changed.digest, changed.scopes) == (row.digest, ["other:read"])


def test_revoking_leaves_word_in_the_history_and_keeps_an_earlier_end(curator: Client) -> None:
    row = ApiKey.objects.get(name="bob")

    for _ in range(2):
        curator.post(LIST, {"action": "revoke", "_selected_action": [row.pk]})
        ended = ApiKey.objects.get(pk=row.pk).revoked_at

    assert ended is not None
    assert ended == ApiKey.objects.get(pk=row.pk).revoked_at
    assert LogEntry.objects.filter(object_id=str(row.pk), change_message="Revoked.").count() == 1


def test_the_list_asks_the_same_queries_at_any_size(curator: Client) -> None:
    with CaptureQueriesContext(connection) as few:
        curator.get(LIST)
    for number in range(30):
        ApiKey.make(name=f"key {number}", owner_id=User.objects.create_user(f"owner{number}").pk, scopes=["*:read"])
    with CaptureQueriesContext(connection) as many:
        curator.get(LIST)

    assert len(few) == len(many) <= 7


@pytest.mark.parametrize("page", ["auth/user/", "auth/user/add/", "auth/group/", "toolbox/apikey/add/", ""])
def test_the_other_pages_open(curator: Client, page: str) -> None:
    assert curator.get(f"/admin/{page}").status_code == 200


async def test_a_key_made_here_works_and_a_revoked_one_does_not(
    scratch_database: None, fast_client: httpx.AsyncClient
) -> None:
    client = await sync_to_async(log_in)()
    key = await sync_to_async(make)(client)
    headers = {"Authorization": f"Bearer {key}"}

    before = await fast_client.post(TOOL, json={"teamCode": "CAR"}, headers=headers)
    await sync_to_async(revoke)(client)
    after = await fast_client.post(TOOL, json={"teamCode": "CAR"}, headers=headers)

    assert before.status_code == 200
    assert after.status_code == 401


def revoke(client: Client) -> None:
    client.post(LIST, {"action": "revoke", "_selected_action": [ApiKey.objects.get(name="reports").pk]})


def test_a_new_key_is_its_maker_s_unless_another_owner_is_chosen(curator: Client) -> None:
    page = curator.get(f"{LIST}add/").content.decode()

    maker = User.objects.get(username="curator")
    assert re.search(rf'<option value="{maker.pk}" selected[^>]*>curator</option>', page)
