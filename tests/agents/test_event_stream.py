"""A run's events over HTTP: live, replayed, and for readers that leave or read slowly. The server is a real one."""

import json
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import httpx
import pytest

from agents.queries import leases
from tests.agents.conversation_client import Observer, Owner
from tests.agents.own_worker import FEBRUARY, Scripted, begin_work_on, calls, hangs, says, work_on
from tests.conftest import running_server
from tests.toolbox.transports import PLAIN_HTTP
from toolbox.contract.caller import hash_api_key
from toolbox.database import event_loop

Event = tuple[int, str, dict[str, Any]]


@pytest.fixture
def alice(cast: SimpleNamespace, onlooker: Observer) -> Owner:
    """Return an owner of conversations with alice's key, which reads the stream."""
    key = onlooker.ask("SELECT id, owner_id FROM toolbox_api_keys WHERE digest = %s", hash_api_key(cast.alice))[0]
    return Owner("", owner_id=key["owner_id"], key_id=key["id"])


@pytest.fixture(scope="module")
def django_server(cast: SimpleNamespace) -> Iterator[str]:
    """Run a real server on which Django serves the streams."""
    with running_server(TOOLROOM_FAST_LANE="0") as address:
        yield address


@pytest.fixture(params=["server", "django_server"])
def reader(request: pytest.FixtureRequest, cast: SimpleNamespace) -> Iterator[httpx.Client]:
    """Return alice's client of a real server: one with the middleware for streams, and one without."""
    headers = {"Authorization": f"Bearer {cast.alice}"}
    address = request.getfixturevalue(request.param)
    with httpx.Client(base_url=address, headers=headers, timeout=30, verify=PLAIN_HTTP) as client:
        yield client


@pytest.fixture
def open_stream(server: str, cast: SimpleNamespace) -> Callable[[str], socket.socket]:
    """Return a function that requests a stream over a bare connection, which reads only when told."""
    host, _, port = server.removeprefix("http://").partition(":")

    def plug(address: str) -> socket.socket:
        connection = socket.create_connection((host, int(port)))
        headers = f"Host: {host}\r\nAuthorization: Bearer {cast.alice}\r\n\r\n"
        connection.sendall(f"GET {address} HTTP/1.1\r\n{headers}".encode())
        return connection

    return plug


@contextmanager
def stream(reader: httpx.Client, address: str, **headers: str) -> Iterator[Iterator[Event]]:
    """Open a stream; yields its events as they come."""
    with reader.stream("GET", address, headers=headers) as response:
        assert response.status_code == 200
        assert response.headers["content-type"].startswith("text/event-stream")
        yield events_of(response.iter_lines())


def events_of(lines: Iterator[str]) -> Iterator[Event]:
    """Parse server-sent events as a browser does."""
    number, kind = 0, ""
    for line in lines:
        name, _, value = line.partition(": ")
        if name == "id":
            number = int(value)
        elif name == "event":
            kind = value
        elif name == "data":
            yield number, kind, json.loads(value)


def address_of(run_id: UUID, onlooker: Observer) -> str:
    """Return the address of the run's events."""
    return f"/api/agents/conversations/{onlooker.run(run_id)['conversation_id']}/runs/{run_id}/events"


@pytest.fixture
def finished_run(alice: Owner, scripted_as: Scripted) -> UUID:
    """Create a run that has ended."""
    scripted_as(calls(FEBRUARY), says("21 periods."))
    run_id = alice.say("How did Carolina do?", is_told=False)
    work_on(run_id)
    return run_id


def test_what_has_happened_is_replayed_and_the_stream_ends_with_the_run(
    finished_run: UUID, reader: httpx.Client, onlooker: Observer
) -> None:
    with stream(reader, address_of(finished_run, onlooker)) as events:
        seen = list(events)

    kept = onlooker.events(finished_run)
    assert [(number, kind) for number, kind, _ in seen] == [(event["number"], event["kind"]) for event in kept]
    assert seen[-1][2]["text"] == "21 periods."


def test_from_the_last_event_on(finished_run: UUID, reader: httpx.Client, onlooker: Observer) -> None:
    with stream(reader, address_of(finished_run, onlooker), **{"Last-Event-ID": "4"}) as events:
        by_header = [number for number, _, _ in events]
    with stream(reader, f"{address_of(finished_run, onlooker)}?after=4") as events:
        by_query = [number for number, _, _ in events]

    assert by_header == by_query == list(range(5, len(onlooker.events(finished_run)) + 1))


@pytest.mark.parametrize("last", ["10", "999999999", "all", "-1", "9" * 400])
def test_a_last_event_that_is_the_last_or_none_ends_the_stream_too(
    finished_run: UUID, reader: httpx.Client, onlooker: Observer, last: str
) -> None:
    with stream(reader, address_of(finished_run, onlooker), **{"Last-Event-ID": last}) as events:
        seen = len(list(events))

    assert seen == (0 if last in ("10", "999999999") else 10)


def test_events_come_as_they_happen(
    alice: Owner, reader: httpx.Client, onlooker: Observer, scripted_as: Scripted
) -> None:
    scripted_as(hangs())
    run_id = alice.say("How did Carolina do?", is_told=False)

    with stream(reader, address_of(run_id, onlooker)) as events:
        assert next(events)[1] == "run.queued"
        work = begin_work_on(run_id)
        assert [next(events)[1] for _ in range(3)] == ["run.started", "model.asked", "text"]
        event_loop.run(leases.cancel(run_id))
        assert [kind for _, kind, _ in events] == ["run.finished"]

    work.result(60)


def test_two_readers_see_the_same(
    alice: Owner, reader: httpx.Client, onlooker: Observer, scripted_as: Scripted
) -> None:
    scripted_as(calls(FEBRUARY), says("21 periods."))
    run_id = alice.say("How did Carolina do?", is_told=False)
    address = address_of(run_id, onlooker)

    with stream(reader, address) as one, stream(reader, address) as other:
        begin_work_on(run_id)
        assert list(one) == list(other)


def test_deleting_the_conversation_ends_the_stream(alice: Owner, reader: httpx.Client, onlooker: Observer) -> None:
    run_id = alice.say("How did Carolina do?", is_told=False)
    address = address_of(run_id, onlooker)

    with stream(reader, address) as events:
        next(events)
        assert reader.delete(address.partition("/runs/")[0]).status_code == 204
        assert list(events) == []


def test_a_reader_that_leaves_is_let_go_of(
    alice: Owner,
    reader: httpx.Client,
    onlooker: Observer,
    scripted_as: Scripted,
    open_stream: Callable[[str], Any],
) -> None:
    scripted_as(says("21 periods."))
    run_id = alice.say("How did Carolina do?", is_told=False)
    for _ in range(20):
        with open_stream(address_of(run_id, onlooker)) as connection:
            assert b"200" in connection.recv(1_000)

    work_on(run_id)

    with stream(reader, address_of(run_id, onlooker)) as events:
        assert list(events)[-1][1] == "run.finished"


def test_a_reader_that_does_not_read_holds_up_nobody(
    alice: Owner,
    reader: httpx.Client,
    onlooker: Observer,
    scripted_as: Scripted,
    open_stream: Callable[[str], Any],
) -> None:
    scripted_as(says("21 periods."))
    run_id = alice.say("How did Carolina do?", is_told=False)
    onlooker.ask(
        "INSERT INTO agents_events (run_id, number, kind, data, at) "
        "SELECT %s, n, 'text', json_build_object('text', repeat('x', 20000)), now() FROM generate_series(2, 1000) AS n",
        run_id,
    )
    onlooker.ask("UPDATE agents_runs SET event_count = 1000 WHERE id = %s", run_id)
    with open_stream(address_of(run_id, onlooker)) as connection:
        connection.recv(10)

        work_on(run_id)

        with stream(reader, address_of(run_id, onlooker)) as events:
            numbers = [number for number, _, _ in events]

    assert numbers == list(range(1, len(onlooker.events(run_id)) + 1))


def test_a_refusal_is_the_same_on_both_lanes(reader: httpx.Client, cast: SimpleNamespace) -> None:
    nobody_s = f"/api/agents/conversations/{UUID(int=1)}/runs/{UUID(int=2)}/events"
    bob = {"Authorization": f"Bearer {cast.bob}"}

    refused = [reader.get(nobody_s), reader.get(nobody_s, headers=bob)]

    assert [(answer.status_code, answer.json()["error"]["code"]) for answer in refused] == [
        (404, "UNKNOWN_RUN"),
        (403, "FORBIDDEN"),
    ]
