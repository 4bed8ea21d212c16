"""
A key acts with its own scopes, whatever its owner's other keys may do: it sees and decides calls whose scope it has.

The conversation is of one owner with three keys: one that may use linescore and change things upstream, one that may
only read conversations, one that may also write them.
"""

import asyncio
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import httpx
import pytest
from django.contrib.auth.models import Group, User
from django.core.asgi import get_asgi_application
from django.test import Client
from graphql import build_schema

from tests.agents.conversation_client import Observer, Owner
from tests.agents.own_worker import FEBRUARY, LINESCORE, Scripted, calls, says, work_on
from tests.mock_upstream import mock_upstream

MUTATION = "execute_graphql_mutation"
SDL = "type Query { name: String! } type Mutation { rename(to: String!): String! }"
TALKS = ["agents:read", "agents:write"]


@dataclass(frozen=True, kw_only=True)
class Keys:
    """The three keys of one owner, and the owner."""

    user: User
    full: str
    full_id: int
    reader: str
    writer: str


@pytest.fixture
def keys(scratch_database: None) -> Keys:
    """Make the owner and their keys."""
    from toolbox.models import ApiKey

    user = User.objects.create_user("erin")
    scopes = ["linescore:read", "graphql_proxy:read", "graphql_proxy:write", *TALKS]
    row, full = ApiKey.make(name="erin full", owner_id=user.pk, scopes=scopes)
    reader = ApiKey.make(name="erin reads", owner_id=user.pk, scopes=["agents:read"])[1]
    writer = ApiKey.make(name="erin writes", owner_id=user.pk, scopes=TALKS)[1]
    return Keys(user=user, full=full, full_id=row.pk, reader=reader, writer=writer)


@pytest.fixture
def talk(keys: Keys) -> Owner:
    """Talk by the key that has every scope."""
    return Owner("", owner_id=keys.user.pk, key_id=keys.full_id)


@pytest.fixture
def done(talk: Owner, scripted_as: Scripted) -> UUID:
    """Have a run that called a tool and was answered."""
    scripted_as(calls(FEBRUARY), says("21 periods."))
    run_id = talk.say("How did Carolina do?", is_told=False)
    work_on(run_id)
    return run_id


@pytest.fixture
def upstream(keys: Keys) -> Iterator[SimpleNamespace]:
    """Run an upstream with a mutation; yields its slug and the names that it was sent."""
    from graphql_proxy.models import Upstream

    names: list[str] = []
    schema = build_schema(SDL)
    assert schema.mutation_type
    schema.mutation_type.fields["rename"].resolve = lambda *_, to: names.append(to) or to  # type: ignore[func-returns-value]
    with mock_upstream(schema) as running:
        row = Upstream.objects.create(slug="team", address=running.address, is_local=True, allows_mutations=True)
        yield SimpleNamespace(slug=row.slug, names=names)


def rename(to: str) -> dict[str, str]:
    """Return the arguments of a mutation."""
    return {"upstream": "team", "query": f'mutation {{ rename(to: "{to}") }}'}


@pytest.fixture
def waiting_run(talk: Owner, upstream: SimpleNamespace, scripted_as: Scripted) -> UUID:
    """Have a run whose mutation waits for approval."""
    scripted_as(calls(json.dumps(rename("Whalers")), tool=MUTATION), says("Done."))
    run_id = talk.say("Rename the team.", is_told=False)
    work_on(run_id)
    return run_id


def ask(method: str, address: str, *, key: str, body: Any = None) -> httpx.Response:
    """Send one request to the application."""

    async def send() -> httpx.Response:
        headers = {"Authorization": f"Bearer {key}"}
        transport = httpx.ASGITransport(get_asgi_application())  # type: ignore[arg-type]
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=headers) as client:
            return await client.request(method, address, json=body)

    return asyncio.run(send())


def address_of(run_id: UUID, onlooker: Observer) -> str:
    """Return a run's address."""
    return f"/api/agents/conversations/{onlooker.run(run_id)['conversation_id']}/runs/{run_id}"


def events(answer: httpx.Response) -> dict[str, dict[str, Any]]:
    """Return the data of a stream's events by kind; the last of each."""
    found: dict[str, dict[str, Any]] = {}
    kind = ""
    for line in answer.text.splitlines():
        name, _, value = line.partition(": ")
        if name == "event":
            kind = value
        elif name == "data":
            found[kind] = json.loads(value)
    return found


def test_a_step_is_read_by_who_has_the_scope_of_its_tool(keys: Keys, done: UUID, onlooker: Observer) -> None:
    address = f"{address_of(done, onlooker)}/steps/2"

    refused, given = ask("GET", address, key=keys.reader), ask("GET", address, key=keys.full)

    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "FORBIDDEN")
    assert "linescore:read" in refused.json()["error"]["message"]
    assert given.json()["answer"]["data"]["results"]


def test_a_scope_that_was_taken_away_closes_the_step_to_the_very_key_that_called(
    keys: Keys, done: UUID, onlooker: Observer
) -> None:
    onlooker.ask("UPDATE toolbox_api_keys SET scopes = %s WHERE id = %s", TALKS, keys.full_id)

    assert ask("GET", f"{address_of(done, onlooker)}/steps/2", key=keys.full).status_code == 403


def test_everybody_who_may_read_the_run_sees_that_the_step_is_there(keys: Keys, done: UUID, onlooker: Observer) -> None:
    seen, whole = (ask("GET", address_of(done, onlooker), key=key).json() for key in (keys.reader, keys.full))

    step = seen["steps"][1]
    assert (step["tool"], step["state"], step["requires"]) == (LINESCORE, "answered", "linescore:read")
    assert "arguments" not in step
    assert (whole["steps"][1]["arguments"], "requires" in whole["steps"][1]) == (FEBRUARY, False)
    assert seen["text"] == whole["text"] == "21 periods."


def test_the_model_s_step_keeps_the_arguments_of_its_calls_from_who_may_not_make_them(
    keys: Keys, done: UUID, onlooker: Observer
) -> None:
    address = f"{address_of(done, onlooker)}/steps/1"

    seen, whole = (ask("GET", address, key=key).json()["answer"]["calls"][0] for key in (keys.reader, keys.full))

    assert (seen["name"], seen.get("arguments"), seen["requires"]) == (LINESCORE, None, "linescore:read")
    assert whole["arguments"] == FEBRUARY


def test_the_stream_tells_that_a_call_was_made_and_not_with_what(keys: Keys, done: UUID, onlooker: Observer) -> None:
    address = f"{address_of(done, onlooker)}/events"

    seen, whole = (events(ask("GET", address, key=key)) for key in (keys.reader, keys.full))

    assert (seen["tool.called"]["tool"], seen["tool.called"]["requires"]) == (LINESCORE, "linescore:read")
    assert "arguments" not in seen["tool.called"]
    assert whole["tool.called"]["arguments"] == FEBRUARY
    assert seen["run.finished"]["text"] == "21 periods."


def test_the_stream_keeps_what_a_refusal_repeats_of_a_call(
    keys: Keys, talk: Owner, onlooker: Observer, scripted_as: Scripted
) -> None:
    scripted_as(calls('{"teamCode": "SECRET"}'), says("No such team."))
    run_id = talk.say("How did they do?", is_told=False)
    work_on(run_id)
    address = f"{address_of(run_id, onlooker)}/events"

    seen, whole = (events(ask("GET", address, key=key))["tool.answered"] for key in (keys.reader, keys.full))

    assert (seen["refused"], "message" in seen, "suggestion" in seen) == (True, False, False)
    assert "SECRET" in whole["message"]


def test_a_call_is_approved_by_who_has_its_scope(
    keys: Keys, waiting_run: UUID, upstream: SimpleNamespace, onlooker: Observer
) -> None:
    address, edited = f"{address_of(waiting_run, onlooker)}/approve", {"arguments": rename("Nordiques")}

    refused = ask("POST", address, key=keys.writer, body=edited)
    work_on(waiting_run)
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "FORBIDDEN")
    assert "graphql_proxy:write" in refused.json()["error"]["message"]
    assert (onlooker.run(waiting_run)["state"], upstream.names) == ("awaiting_approval", [])

    assert ask("POST", address, key=keys.full, body=edited).status_code == 200
    work_on(waiting_run)
    assert (onlooker.run(waiting_run)["state"], upstream.names) == ("succeeded", ["Nordiques"])


def test_a_call_is_rejected_by_whoever_may_write_conversations(
    keys: Keys, waiting_run: UUID, upstream: SimpleNamespace, onlooker: Observer
) -> None:
    answer = ask("POST", f"{address_of(waiting_run, onlooker)}/reject", key=keys.writer, body={})

    work_on(waiting_run)
    assert (answer.status_code, onlooker.run(waiting_run)["state"], upstream.names) == (200, "succeeded", [])


def test_what_another_key_asks_in_a_conversation_is_done_with_its_own_scopes(
    keys: Keys, done: UUID, onlooker: Observer, scripted_as: Scripted
) -> None:
    scripted_as(calls(FEBRUARY), says("I may not."))
    conversation = address_of(done, onlooker).partition("/runs/")[0]

    accepted = ask("POST", f"{conversation}/messages", key=keys.writer, body={"text": "And in March?"}).json()
    work_on(UUID(accepted["runId"]))

    assert [step["code"] for step in onlooker.steps(UUID(accepted["runId"]))] == ["", "FORBIDDEN", ""]


def test_a_fork_takes_words_along_and_no_steps(keys: Keys, done: UUID, onlooker: Observer) -> None:
    conversation = address_of(done, onlooker).partition("/runs/")[0]

    fork = ask("POST", f"{conversation}/fork", key=keys.writer, body={"message": 2}).json()["id"]

    messages = ask("GET", f"/api/agents/conversations/{fork}/messages", key=keys.writer).json()["messages"]
    assert [(said["text"], said.get("runId")) for said in messages] == [
        ("How did Carolina do?", None), ("21 periods.", None),
    ]  # fmt: skip


def test_a_person_approves_on_the_page_what_they_may_do_themselves(
    keys: Keys, waiting_run: UUID, upstream: SimpleNamespace, onlooker: Observer
) -> None:
    browser = Client()
    browser.force_login(keys.user)
    page = f"/c/{onlooker.run(waiting_run)['conversation_id']}/runs/{waiting_run}/"

    shown = browser.get(page).content.decode()
    refused = browser.post(
        f"{page}approve/", {"arguments": json.dumps(rename("Nordiques"))}, headers={"HX-Request": "1"}
    )
    work_on(waiting_run)
    assert ("Whalers" in shown, "graphql_proxy:write" in shown, "Reject" in shown) == (False, True, True)
    assert "graphql_proxy:write" in refused.content.decode()
    assert (onlooker.run(waiting_run)["state"], upstream.names) == ("awaiting_approval", [])

    keys.user.groups.add(Group.objects.create(name="graphql_proxy:write"))
    _forget_people()
    waiting = browser.get(page).content.decode()
    assert "Whalers" in waiting
    digest = re.search(r'name="digest" value="(\w+)"', waiting)
    assert digest
    browser.post(f"{page}approve/", {"arguments": json.dumps(rename("Nordiques")), "digest": digest[1]})
    work_on(waiting_run)
    assert upstream.names == ["Nordiques"]


def test_a_page_keeps_rows_and_arguments_from_who_lacks_the_scope(keys: Keys, done: UUID, onlooker: Observer) -> None:
    browser = Client()
    browser.force_login(keys.user)
    page = f"/c/{onlooker.run(done)['conversation_id']}/runs/{done}/"

    step = browser.get(f"{page}steps/2/").content.decode()

    assert ("linescore:read" in step, "2025-02-01" in step) == (True, False)
    assert "2025-02-01" not in browser.get(f"{page}steps/1/").content.decode()
    assert "2025-02-01" not in browser.get(page).content.decode()


def _forget_people() -> None:
    from toolbox.database.caches import clear_all_caches

    clear_all_caches()
