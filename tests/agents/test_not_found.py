"""What asks for no address of conversations, or in a wrong way, is told so in the kernel's form; every call is kept."""

import secrets
from collections.abc import AsyncIterator, Iterator
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from asgiref.sync import sync_to_async
from django.core.asgi import get_asgi_application

from tests.agents.rest import CONVERSATIONS
from toolbox.audit.log import audit
from toolbox.models import ToolCall

RUN = f"{CONVERSATIONS}/00000000-0000-0000-0000-000000000000/runs/00000000-0000-0000-0000-000000000000"


@pytest.fixture
async def alice(cast: SimpleNamespace) -> AsyncIterator[httpx.AsyncClient]:
    """Return alice's client."""
    transport = httpx.ASGITransport(get_asgi_application())  # type: ignore[arg-type]
    headers = {"Authorization": f"Bearer {cast.alice}"}
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=headers) as client:
        yield client


@pytest.fixture
def database_access(cast: SimpleNamespace, django_db_blocker: Any) -> Iterator[None]:
    """Let the test read what calls committed."""
    with django_db_blocker.unblock():
        yield


@pytest.fixture
def mark() -> str:
    """Return a request id for this test."""
    return secrets.token_hex(16)


async def rows(mark: str) -> list[ToolCall]:
    """Return the audit rows of a request."""
    await audit.flush()
    return await sync_to_async(lambda: list(ToolCall.objects.filter(request_id=mark)))()


@pytest.mark.parametrize(
    ("method", "address", "allowed"),
    [
        ("PUT", CONVERSATIONS, "GET, POST"),
        ("DELETE", CONVERSATIONS, "GET, POST"),
        ("POST", f"{CONVERSATIONS}/x", "DELETE, GET, PATCH"),
        ("GET", f"{RUN}/cancel", "POST"),
        ("POST", f"{RUN}/events", "GET"),
    ],
)
async def test_a_wrong_method_is_told_the_right_ones(
    alice: httpx.AsyncClient, method: str, address: str, allowed: str
) -> None:
    answer = await alice.request(method, address)

    assert (answer.status_code, answer.headers["Allow"]) == (405, allowed)
    assert answer.json()["error"]["code"] == "METHOD_NOT_ALLOWED"
    assert allowed.replace(", ", " or ") in answer.json()["error"]["suggestion"]


@pytest.mark.parametrize("address", ["/api/agents/", "/api/agents/conversation", f"{CONVERSATIONS}/x/y/z"])
@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_an_address_that_is_none_is_told_where_to_begin(
    alice: httpx.AsyncClient, method: str, address: str
) -> None:
    answer = await alice.request(method, address)

    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "UNKNOWN_ADDRESS")
    assert CONVERSATIONS in answer.json()["error"]["suggestion"]


@pytest.mark.parametrize("body", [{"text": "   "}, {"text": "\n\t"}])
async def test_a_blank_message_is_refused(alice: httpx.AsyncClient, body: dict[str, str]) -> None:
    begun = (await alice.post(CONVERSATIONS, json={})).json()["id"]

    answer = await alice.post(f"{CONVERSATIONS}/{begun}/messages", json=body)

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "INVALID_PARAMETERS")


@pytest.mark.parametrize("number", ["x", "0", "-1", "99999999999999999999", "1.5"])
async def test_a_step_that_is_none_is_refused(alice: httpx.AsyncClient, number: str) -> None:
    begun = (await alice.post(CONVERSATIONS, json={})).json()["id"]
    said = (await alice.post(f"{CONVERSATIONS}/{begun}/messages", json={"text": "Well?"})).json()

    answer = await alice.get(f"{said['run']}/steps/{number}")

    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "UNKNOWN_STEP")


@pytest.mark.usefixtures("database_access")
async def test_a_call_leaves_one_audit_row(alice: httpx.AsyncClient, mark: str) -> None:
    made = await alice.post(CONVERSATIONS, json={"title": "Kept"}, headers={"X-Request-Id": mark})

    (row,) = await rows(mark)
    assert (row.caller, row.transport, row.domain, row.tool) == ("alice", "rest", "agents", "create_conversation")
    assert (row.outcome, row.status, row.answer_bytes) == ("answered", 201, len(made.content))
    assert CONVERSATIONS in row.arguments
    assert "Kept" in row.arguments


@pytest.mark.usefixtures("database_access")
async def test_a_refusal_leaves_one_audit_row(alice: httpx.AsyncClient, mark: str) -> None:
    await alice.get(f"{CONVERSATIONS}/x", headers={"X-Request-Id": mark})

    (row,) = await rows(mark)
    assert (row.tool, row.outcome, row.code, row.status) == (
        "show_conversation",
        "refused",
        "UNKNOWN_CONVERSATION",
        404,
    )


@pytest.mark.usefixtures("database_access")
async def test_who_has_no_key_leaves_a_row_without_what_was_sent(alice: httpx.AsyncClient, mark: str) -> None:
    headers = {"X-Request-Id": mark, "Authorization": "Bearer nobody's"}

    await alice.post(CONVERSATIONS, json={"title": "Kept"}, headers=headers)

    (row,) = await rows(mark)
    assert (row.caller, row.arguments, row.code) == ("", "", "UNAUTHENTICATED")
