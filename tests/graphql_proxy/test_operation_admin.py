"""Operations as a curator works with them."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from graphql_proxy.models import SavedOperation
from tests.graphql_proxy.test_saved_operations import GOOD

LIST = "/admin/graphql_proxy/savedoperation/"


@pytest.fixture
def curator(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.get(username="curator"))
    return client


def form(**changes: Any) -> dict[str, Any]:
    values = {name: value for name, value in (GOOD | changes).items() if name != "slug"}
    return {name: json.dumps(value) if isinstance(value, dict) else value for name, value in values.items()} | {
        "is_enabled": "on"
    }


def test_a_good_document_is_saved(curator: Client) -> None:
    answer = curator.post(f"{LIST}add/", form())

    assert answer.status_code == 302, answer.content.decode()
    assert SavedOperation.objects.get(name="find_arena").document == GOOD["document"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"document": "query Show($id: ID!) { team(id: $id) { nmae } }"}, "Cannot query field"),
        ({"name": "get_team"}, "already exists"),
        ({"name": "execute_graphql"}, "another tool has that name"),
        ({"name": "query_linescore_data"}, "another tool has that name"),
        ({"variables_schema": {"type": "array"}}, "the parameters must read"),
    ],
)
def test_what_could_not_be_offered_is_not_saved(curator: Client, change: dict[str, Any], said: str) -> None:
    answer = curator.post(f"{LIST}add/", form(**change))

    assert answer.status_code == 200
    assert said in answer.content.decode()


def test_the_contracts_documents_can_be_changed_not_deleted(curator: Client) -> None:
    row = SavedOperation.objects.get(name="get_league_standings")
    changed = row.document.replace("postseason", "")

    broken = curator.post(f"{LIST}{row.pk}/change/", _contract_form(row, document="query Other { a }"))
    saved = curator.post(f"{LIST}{row.pk}/change/", _contract_form(row, document=changed))
    deleted = curator.post(f"{LIST}{row.pk}/delete/", {"post": "yes"})

    assert "Other" not in SavedOperation.objects.get(pk=row.pk).document
    assert broken.status_code == 200
    assert saved.status_code == 302, saved.content.decode()
    assert SavedOperation.objects.get(pk=row.pk).document == changed.strip()
    assert deleted.status_code == 403


def test_the_list_says_what_is_offered(curator: Client) -> None:
    page = curator.get(LIST).content.decode()

    assert "document of a tool" in page


def _contract_form(row: SavedOperation, **changes: Any) -> dict[str, Any]:
    return {
        "is_enabled": "on",
        "description": row.description,
        "document": row.document,
        "example": json.dumps(row.example),
        "result_mapping": json.dumps(row.result_mapping),
    } | changes
