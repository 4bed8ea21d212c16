"""One LISTEN connection a process; where notifications do not arrive, that is said and everything polls."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest

from agents.runs.run_listeners import RunListeners
from config.observability import health
from tests.toolbox.catalogue.test_dynamic_tools import Rows, names_of, until
from toolbox.catalogue.dynamic_tools import DynamicToolCache
from toolbox.catalogue.registry import Registry
from toolbox.database import event_loop
from toolbox.database.notifications import Listener, Notifications
from toolbox.database.pools import direct_conninfo, owner_pool

pytestmark = pytest.mark.usefixtures("cast")
CHANNEL = "toolroom_test"


class ListenerCalls:
    """Records the calls of a listener."""

    def __init__(self) -> None:
        self.payloads: list[str] = []
        self.polls = 0
        self.listener = Listener(receive=self.payloads.append, poll=self._poll)

    def _poll(self) -> None:
        self.polls += 1


class Line(SimpleNamespace):
    """The address to listen at; with `is_deaf` another database, which delivers nothing, as poolers do."""

    is_deaf: bool = False
    port: int = 0

    def conninfo(self) -> str:
        given: dict[str, Any] = {"host": "127.0.0.1", "port": self.port} if self.port else {}
        if self.is_deaf:
            given["dbname"] = "postgres"
        return psycopg.conninfo.make_conninfo(direct_conninfo(), **given)


@pytest.fixture
def line() -> Line:
    return Line()


@pytest.fixture
async def notifications(line: Line) -> AsyncIterator[Notifications]:
    """Yield notifications with short timeouts."""
    made = Notifications(
        conninfo=line.conninfo, watchdog_seconds=0.1, arrival_seconds=0.5, poll_seconds=0.05, retry_seconds=0.02
    )
    yield made
    await event_loop.run_on_loop(made.close)


async def start(notifications: Notifications) -> None:
    await event_loop.run_on_loop(notifications.wait_until_listening)


async def notify(payload: str, *, channel: str = CHANNEL) -> None:
    await owner_pool.fetch("SELECT pg_notify(%s, %s)", [channel, payload])


async def notify_until_heard(heard: ListenerCalls) -> None:
    """Notify, and again each time that the listener polls instead: on a busy machine the watchdog may listen anew."""

    def is_told(polls: int) -> bool:
        return bool(heard.payloads) or heard.polls > polls

    while not heard.payloads:
        polls = heard.polls
        await notify("one")
        await until(partial(is_told, polls))

    assert {*heard.payloads} == {"one"}


async def test_a_listener_hears_its_channel_and_no_other(notifications: Notifications) -> None:
    heard, other = ListenerCalls(), ListenerCalls()
    notifications.add_listener(CHANNEL, listener=heard.listener)
    notifications.add_listener("toolroom_other", listener=other.listener)
    await start(notifications)

    await notify_until_heard(heard)

    assert other.payloads == []
    assert heard.polls >= 1  # what came before it listened


async def test_a_listener_that_comes_later_hears_too(notifications: Notifications) -> None:
    """MCP is loaded with its first request, when the process has listened for long."""
    await start(notifications)
    heard = ListenerCalls()
    notifications.add_listener(CHANNEL, listener=heard.listener)
    await until(lambda: heard.polls > 0)

    await notify_until_heard(heard)


async def test_a_listener_that_fails_or_has_ended_holds_up_nobody(notifications: Notifications) -> None:
    heard, ended = ListenerCalls(), ListenerCalls()

    def fail(_: str) -> None:
        raise ValueError

    stop = notifications.add_listener(CHANNEL, listener=ended.listener)
    notifications.add_listener(CHANNEL, listener=Listener(receive=fail, poll=lambda: fail("")))
    notifications.add_listener(CHANNEL, listener=heard.listener)
    await start(notifications)
    stop()

    await notify_until_heard(heard)
    assert ended.payloads == []


async def test_what_does_not_arrive_is_said_and_polled_for_until_it_arrives_again(
    notifications: Notifications, line: Line, caplog: pytest.LogCaptureFixture
) -> None:
    heard, line.is_deaf = ListenerCalls(), True
    notifications.add_listener(CHANNEL, listener=heard.listener)
    await start(notifications)

    await until(lambda: notifications.is_arriving is False)
    polls = heard.polls
    await until(lambda: heard.polls > polls + 3)
    said = [record.getMessage() for record in caplog.records if "do not arrive" in record.getMessage()]
    line.is_deaf = False
    await until(lambda: "arrive again" in caplog.text)  # said a moment after it is so

    assert len(said) == 1
    assert "DATABASE_LISTEN_URL" in said[0]
    assert notifications.is_arriving is True
    await notify_until_heard(heard)


async def test_a_connection_that_is_cut_is_replaced(
    notifications: Notifications, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    heard = ListenerCalls()
    notifications.add_listener(CHANNEL, listener=heard.listener)
    await start(notifications)
    await until(lambda: notifications.is_arriving is True)
    polls = heard.polls

    with psycopg.connect(owner_pool.conninfo(), autocommit=True) as administrator:
        administrator.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN %'"
            " AND datname = current_database()"
        )

    await until(lambda: heard.polls > polls)
    await until(lambda: notifications.is_arriving is True)
    await notify_until_heard(heard)


class BusyPool:
    """A pool that has a connection only after a while; what it sends arrives at once."""

    def __init__(self, notifications: Notifications) -> None:
        self._notifications = notifications

    async def run(self, work: Callable[["BusyPool"], Awaitable[object]]) -> None:
        await asyncio.sleep(0.1)
        await work(self)

    async def execute(self, _: str, parameters: list[str]) -> None:
        self._notifications._under_way[parameters[1]].set()


async def test_a_busy_pool_is_no_loss(
    notifications: Notifications, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(notifications, "_arrival_seconds", 0.05)
    monkeypatch.setattr("toolbox.database.notifications.owner_pool", BusyPool(notifications))

    await event_loop.run_on_loop(notifications._check)

    assert notifications.is_arriving is True
    assert caplog.text == ""


class SilentProxy:
    """A proxy for PostgreSQL that swallows LISTEN, as a pooler waiting for a server does, until the next connection."""

    def __init__(self, socket: Path) -> None:
        self._socket = socket
        self._held: list[asyncio.StreamWriter] = []
        self.is_silent = True

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for held in self._held:
            held.close()
        up_reader, up_writer = await asyncio.open_unix_connection(self._socket)

        async def copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
            while data := await source.read(65_536):
                if self.is_silent and b"LISTEN" in data:
                    self._held.append(writer)
                    continue
                target.write(data)
            target.close()

        await asyncio.gather(copy(reader, up_writer), copy(up_reader, writer), return_exceptions=True)


async def test_a_listen_that_is_not_answered_holds_up_nobody(notifications: Notifications, line: Line) -> None:
    known = psycopg.conninfo.conninfo_to_dict(direct_conninfo())
    proxy = SilentProxy(Path(str(known["host"])) / f".s.PGSQL.{known.get('port', 5432)}")
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    line.port = server.sockets[0].getsockname()[1]

    async with asyncio.timeout(60):
        await event_loop.run_on_loop(notifications.wait_until_tried)
    said = notifications.is_arriving
    proxy.is_silent = False
    await until(lambda: notifications.is_arriving is True)
    await event_loop.run_on_loop(notifications.close)
    server.close()

    assert said is False


async def test_a_watcher_of_a_run_is_woken_where_nothing_arrives(notifications: Notifications, line: Line) -> None:
    line.is_deaf = True
    listeners = RunListeners(notifications)

    async def wait() -> bool:
        with listeners.subscribe("a run") as listener:
            await notifications.wait_until_listening()
            await listener.wait(seconds=5)
            return await listener.wait(seconds=5)

    assert await event_loop.run_on_loop(wait)


async def test_tools_that_are_rows_follow_where_nothing_arrives(notifications: Notifications, line: Line) -> None:
    line.is_deaf = True
    rows, registry = Rows("buy_bread"), Registry()
    registry.register(rows.kit)
    cache = DynamicToolCache(registry, heard=notifications)
    await cache.wait_until_loaded()

    rows.names = ["buy_cake"]

    await until(lambda: names_of(registry) == ["buy_cake"])
    await event_loop.run_on_loop(cache.close)


@pytest.mark.parametrize(("is_arriving", "says"), [(None, "not checked"), (True, "arrive"), (False, "do not arrive")])
async def test_readyz_says_whether_they_arrive(
    *, is_arriving: bool | None, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("config.observability.health.notifications.is_arriving", is_arriving)

    part = await health._notifications()

    assert (part.name, part.is_up, part.is_needed) == ("notifications", is_arriving, False)
    assert part.says.startswith(says)
