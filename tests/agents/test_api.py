"""REST of conversations, without a worker: what is accepted, what is refused, and that nobody sees another's."""

from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from django.core.asgi import get_asgi_application

CONVERSATIONS = "/api/agents/conversations"


@pytest.fixture(autouse=True)
def enqueued_runs(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Record the runs that would be sent to the broker."""
    runs: list[Any] = []
    monkeypatch.setattr("agents.use_cases.enqueue", lambda _, *, work_id: runs.append(work_id))
    return runs


@pytest.fixture
async def alice(cast: SimpleNamespace) -> AsyncIterator[httpx.AsyncClient]:
    """Yield a client with alice's key, which may do everything."""
    async with client(cast.alice) as alice:
        yield alice


@pytest.fixture
async def talk(alice: httpx.AsyncClient) -> str:
    """Return the address of a conversation of alice's."""
    return await create_conversation(alice)


@pytest.fixture(scope="module")
def dora_key(cast: SimpleNamespace, django_db_blocker: Any) -> str:
    """Create a key of another person who may use conversations too."""
    from django.contrib.auth.models import User
    from django.db import connection

    from toolbox.models import ApiKey

    with django_db_blocker.unblock():
        owner, _ = User.objects.get_or_create(username="dora")
        key = ApiKey.make(name="dora", owner_id=owner.pk, scopes=["agents:read", "agents:write"])[1]
        connection.close()
    return key


@pytest.fixture
async def other(dora_key: str) -> AsyncIterator[httpx.AsyncClient]:
    """Return another person's client."""
    async with client(dora_key) as dora:
        yield dora


def client(key: str) -> httpx.AsyncClient:
    """Return a client with a key."""
    headers = {"Authorization": f"Bearer {key}"}
    transport = httpx.ASGITransport(get_asgi_application())  # type: ignore[arg-type]
    return httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=headers, timeout=30)


async def create_conversation(alice: httpx.AsyncClient, **settings: Any) -> str:
    """Create a conversation and return its address."""
    answer = await alice.post(CONVERSATIONS, json=settings)
    assert answer.status_code == 201, answer.text
    return f"{CONVERSATIONS}/{answer.json()['id']}"


async def post_text(alice: httpx.AsyncClient, talk: str, text: str = "How did Carolina do?") -> dict[str, Any]:
    """Post a message and return the answer."""
    answer = await alice.post(f"{talk}/messages", json={"text": text})
    assert answer.status_code == 202, answer.text
    accepted: dict[str, Any] = answer.json()
    return accepted


async def test_a_conversation_is_begun_with_its_policy(alice: httpx.AsyncClient) -> None:
    wanted = {"toolkits": ["linescore"], "maxSteps": 5, "secondMessage": "refuse", "approveTools": ["get_team"]}

    made = (await alice.post(CONVERSATIONS, json=wanted)).json()

    assert {name: made[name] for name in wanted} == wanted
    assert made["maxTokens"] == 200_000


@pytest.mark.parametrize(
    ("body", "said", "fix"),
    [
        ({"toolkits": ["linescor"]}, "Use one of: linescore", None),
        ({"approveTools": ["query_linescore"]}, "Use one of: query_linescore_data", None),
        ({"toolkit": ["linescore"]}, "Use toolkits.", {"toolkit": None, "toolkits": ["linescore"]}),
        ({"secondMessage": "waits"}, "Use one of: wait", {"secondMessage": "wait"}),
        ({"maxSteps": 0}, "Give maxSteps", None),
        ({"title": "a\x00b"}, "without U+0000", None),
    ],
)
async def test_a_policy_that_makes_no_sense_is_refused_with_what_would(
    alice: httpx.AsyncClient, body: dict[str, Any], said: str, fix: dict[str, Any] | None
) -> None:
    answer = await alice.post(CONVERSATIONS, json=body)

    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (400, "INVALID_PARAMETERS")
    assert said in error["suggestion"]
    assert error.get("details", {}).get("retryWith") == fix


async def test_a_body_that_is_no_json_is_refused(alice: httpx.AsyncClient) -> None:
    answer = await alice.post(CONVERSATIONS, content=b"{")

    assert answer.status_code == 400
    assert "not JSON" in answer.json()["error"]["message"]


async def test_a_message_is_accepted_and_a_worker_is_asked_for(
    alice: httpx.AsyncClient, talk: str, enqueued_runs: list[Any]
) -> None:
    accepted = await post_text(alice, talk)

    run = (await alice.get(accepted["run"])).json()
    assert (run["state"], run["message"], run["steps"]) == ("queued", 1, [])
    assert [str(run_id) for run_id in enqueued_runs] == [accepted["runId"]]
    assert (await alice.get(talk)).json()["title"] == "How did Carolina do?"


async def test_messages_are_read_a_page_at_a_time(alice: httpx.AsyncClient, talk: str) -> None:
    for number in range(3):
        await post_text(alice, talk, f"{number}?")

    first = (await alice.get(f"{talk}/messages", params={"limit": 2})).json()
    rest = (await alice.get(f"{talk}/messages", params={"after": first["next"]})).json()

    assert [message["text"] for message in first["messages"]] == ["0?", "1?"]
    assert [message["text"] for message in rest["messages"]] == ["2?"]
    assert "next" not in rest


async def test_conversations_are_listed_the_latest_first_a_page_at_a_time(alice: httpx.AsyncClient) -> None:
    made = [await create_conversation(alice, title=f"t{number}") for number in range(3)]

    first = (await alice.get(CONVERSATIONS, params={"limit": 2})).json()
    rest = (await alice.get(CONVERSATIONS, params={"limit": 1, "before": first["next"]})).json()

    listed = [one["id"] for one in (*first["conversations"], *rest["conversations"])]
    assert listed == [address.rpartition("/")[2] for address in reversed(made)]


async def test_a_conversation_is_renamed(alice: httpx.AsyncClient, talk: str) -> None:
    renamed = (await alice.patch(talk, json={"title": "Hurricanes"})).json()

    assert renamed["title"] == "Hurricanes"
    assert (await alice.get(talk)).json()["title"] == "Hurricanes"


async def test_a_fork_takes_the_messages_up_to_one_along(alice: httpx.AsyncClient, talk: str) -> None:
    for number in range(3):
        await post_text(alice, talk, f"{number}?")

    fork = (await alice.post(f"{talk}/fork", json={"message": 2})).json()

    messages = (await alice.get(f"{CONVERSATIONS}/{fork['id']}/messages")).json()["messages"]
    assert [message["text"] for message in messages] == ["0?", "1?"]
    assert fork["forkedFrom"] == talk.rpartition("/")[2]
    assert (await alice.get(talk)).json()["messageCount"] == 3


async def test_a_fork_goes_on_by_itself(alice: httpx.AsyncClient, talk: str) -> None:
    await post_text(alice, talk, "one?")
    fork = (await alice.post(f"{talk}/fork", json={"message": 1})).json()

    accepted = await post_text(alice, f"{CONVERSATIONS}/{fork['id']}", "two?")

    assert accepted["message"] == 2
    assert (await alice.get(talk)).json()["messageCount"] == 1


async def test_a_fork_from_a_message_that_is_not_there_is_refused(alice: httpx.AsyncClient, talk: str) -> None:
    await post_text(alice, talk)

    answer = await alice.post(f"{talk}/fork", json={"message": 9})

    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "UNKNOWN_MESSAGE")
    assert "from 1 to 1" in answer.json()["error"]["suggestion"]


async def test_a_conversation_is_deleted_with_its_runs(alice: httpx.AsyncClient, talk: str) -> None:
    accepted = await post_text(alice, talk)

    assert (await alice.delete(talk)).status_code == 204

    assert (await alice.get(talk)).status_code == 404
    assert (await alice.get(accepted["run"])).status_code == 404
    assert (await alice.delete(talk)).status_code == 404


async def test_a_run_is_cancelled_once_or_twice_alike(alice: httpx.AsyncClient, talk: str) -> None:
    accepted = await post_text(alice, talk)

    answers = [await alice.post(f"{accepted['run']}/cancel") for _ in range(2)]

    assert [answer.json() for answer in answers] == [{"state": "cancelled"}] * 2
    assert (await alice.get(accepted["run"])).json()["state"] == "cancelled"


async def test_cancelling_asks_for_a_worker_for_what_waits(
    alice: httpx.AsyncClient, talk: str, enqueued_runs: list[Any]
) -> None:
    first, second = await post_text(alice, talk, "one?"), await post_text(alice, talk, "two?")
    enqueued_runs.clear()

    await alice.post(f"{first['run']}/cancel")

    assert [str(run_id) for run_id in enqueued_runs] == [second["runId"]]


@pytest.mark.parametrize("word", ["approve", "reject"])
async def test_nothing_is_decided_where_nothing_waits(alice: httpx.AsyncClient, talk: str, word: str) -> None:
    accepted = await post_text(alice, talk)

    answer = await alice.post(f"{accepted['run']}/{word}", json={})

    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "NOT_AWAITING_APPROVAL")


async def test_a_busy_conversation_refuses_where_that_is_its_policy(alice: httpx.AsyncClient) -> None:
    talk = await create_conversation(alice, secondMessage="refuse")
    await post_text(alice, talk)

    answer = await alice.post(f"{talk}/messages", json={"text": "more?"})

    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "CONVERSATION_BUSY")


async def test_nobody_sees_or_changes_another_s_conversation(
    alice: httpx.AsyncClient, talk: str, other: httpx.AsyncClient
) -> None:
    run = (await post_text(alice, talk))["run"]

    answers = [
        await other.get(talk),
        await other.patch(talk, json={"title": "mine"}),
        await other.delete(talk),
        await other.post(f"{talk}/fork", json={"message": 1}),
        await other.get(f"{talk}/messages"),
        await other.post(f"{talk}/messages", json={"text": "hello?"}),
        await other.get(run),
        await other.get(f"{run}/steps/1"),
        await other.get(f"{run}/events"),
        await other.post(f"{run}/cancel"),
        await other.post(f"{run}/approve"),
        await other.post(f"{run}/reject"),
    ]

    assert {answer.status_code for answer in answers} == {404}
    assert (await other.get(CONVERSATIONS)).json() == {"conversations": []}
    assert (await alice.get(run)).json()["state"] == "queued"


async def test_a_run_is_found_in_its_own_conversation_alone(alice: httpx.AsyncClient, talk: str) -> None:
    run = (await post_text(alice, talk))["run"]
    elsewhere = await create_conversation(alice)

    answer = await alice.get(f"{elsewhere}/runs/{run.rpartition('/')[2]}")

    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "UNKNOWN_RUN")


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/none", 404), ("/none/messages", 404), ("/00000000-0000-0000-0000-000000000000/runs/1", 404),
        ("?limit=many", 400), ("?before=yesterday", 400), ("?before=2026-01-01", 400),
    ],
)  # fmt: skip
async def test_an_address_that_makes_no_sense_is_refused(alice: httpx.AsyncClient, address: str, status: int) -> None:
    assert (await alice.get(CONVERSATIONS + address)).status_code == status


async def test_a_key_needs_the_scope(cast: SimpleNamespace) -> None:
    async with client(cast.bob) as bob:
        answer = await bob.get(CONVERSATIONS)

    assert answer.status_code == 403
    assert "agents:read" in answer.json()["error"]["message"]


async def test_without_a_key_nothing_is_said(cast: SimpleNamespace) -> None:
    async with client("tr_nobody") as nobody:
        answer = await nobody.post(CONVERSATIONS, json={})

    assert answer.status_code == 401
    assert answer.headers["www-authenticate"].startswith("Bearer")
