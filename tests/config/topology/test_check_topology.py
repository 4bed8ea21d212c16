"""check_topology finds each fault when it is put back, and says how to fix it."""

import asyncio
import io
import math
import socket
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection, connections
from django.test import override_settings

from config.observability import health
from config.topology import checks, presence
from config.topology.checks import CHECKS, Report, Topology, load_topology
from config.topology.presence import Presence, fingerprint_secret, list_processes, name_broker
from tests.toolbox.pooler import KNOWS_PREPARED, find_pooler, running_pooler, through
from toolbox.contract.errors import DatabaseUnavailable
from toolbox.database import event_loop
from toolbox.database.notifications import Notifications
from toolbox.database.pool import Pool
from toolbox.database.pools import direct_conninfo, owner_pool
from toolbox.database.replicas import ReplicatedPool

pytestmark = pytest.mark.usefixtures("cast")


@pytest.fixture(scope="module")
def topology(cast: object) -> Topology:
    """Return two hosts that agree; only the tests' broker may be unavailable."""
    own = replace(event_loop.run(load_topology()).own, broker_answers=True, notifications_arrive=True)
    others = [replace(own, host=host, role=role) for host in ("one", "two") for role in ("web", "worker")]
    return Topology(own=own, processes=others)


def run(name: str, topology: Topology) -> Report:
    return event_loop.run(checks._run(CHECKS[name], topology=topology))


def change_one(topology: Topology, **fields: Any) -> Topology:
    """Change one process of host two."""
    return replace(topology, processes=[*topology.processes[:-1], replace(topology.processes[-1], **fields)])


@pytest.mark.parametrize("name", CHECKS)
def test_nothing_is_found_where_nothing_is_wrong(name: str, topology: Topology) -> None:
    report = run(name, topology)

    assert report.findings == []
    assert report.says


@pytest.mark.parametrize(
    ("name", "fields", "what", "fix"),
    [
        (
            "secret key",
            {"secret_fingerprint": fingerprint_secret("other")},
            "SECRET_KEY differs",
            "the same SECRET_KEY",
        ),
        ("versions", {"version": "0.0.1"}, "Versions", "restart"),
        ("clocks", {"clock_offset_seconds": -7.0}, "-7.0 s", "NTP"),
        ("broker", {"broker_answers": False}, "does not reach", "CELERY_BROKER_URL"),
        ("broker", {"broker": "redis://elsewhere"}, "Brokers differ", "the same CELERY_BROKER_URL"),
        ("notifications", {"notifications_arrive": False}, "at worker", "DATABASE_LISTEN_URL"),
        ("disk", {"disk_free_bytes": 1_000_000}, "1 MiB", "Free room"),
    ],
)
def test_a_host_that_differs_is_named(
    name: str, fields: dict[str, Any], what: str, fix: str, topology: Topology
) -> None:
    [(found, how)] = run(name, change_one(topology, **fields)).findings

    assert what in found
    assert "two" in found
    assert fix in how


def test_of_two_hosts_that_differ_one_is_named(topology: Topology) -> None:
    """Two web hosts each made a SECRET_KEY of their own; nobody can say which is right."""
    two = Topology(own=topology.own, processes=[replace(topology.own, host="two", secret_fingerprint="f" * 16)])

    assert len(run("secret key", two).findings) == 1


def test_notify_that_does_not_arrive_is_found(topology: Topology, monkeypatch: pytest.MonkeyPatch) -> None:
    def deaf() -> str:
        return psycopg.conninfo.make_conninfo(direct_conninfo(), dbname="postgres")

    monkeypatch.setattr(checks, "Notifications", lambda **_: Notifications(conninfo=deaf, arrival_seconds=0.2))

    [(what, fix)] = run("notifications", topology).findings

    assert "NOTIFY does not arrive" in what
    assert "DATABASE_LISTEN_URL" in fix


@pytest.mark.parametrize(
    ("setting", "value"), [("default_transaction_read_only", "off"), ("statement_timeout", "0"), ("jit", "on")]
)
def test_a_role_without_its_setting_is_found(
    setting: str, value: str, topology: Topology, monkeypatch: pytest.MonkeyPatch
) -> None:
    without = Pool("reader", max_size=1, local_settings=f"SET LOCAL {setting} = '{value}'")
    monkeypatch.setattr(checks, "reader", without)

    report = run("role settings", topology)
    [(what, fix)] = report.findings
    event_loop.run(without.close())

    assert report.says == "do not all stand"
    assert f"{setting} = {value}" in what
    assert "provision_database" in fix


def test_an_analyst_that_is_not_locked_down_is_found(topology: Topology, monkeypatch: pytest.MonkeyPatch) -> None:
    async def is_open() -> bool:
        return False

    monkeypatch.setattr(checks, "is_locked_down", is_open)

    assert "analyst" in run("role settings", topology).findings[0][0]


@pytest.mark.parametrize(
    ("here", "offered", "what"), [("0.7.4", "0.7.4", "too old"), ("0.8.1", "0.8.6", "is installed")]
)
def test_an_extension_that_is_behind_is_found(
    here: str, offered: str, what: str, topology: Topology, monkeypatch: pytest.MonkeyPatch
) -> None:
    statement = f"SELECT '{here}' AS here, '{offered}' AS offered, '18' AS server LIMIT 1"
    monkeypatch.setattr(checks, "_VECTOR", statement)

    assert what in run("extensions", topology).findings[0][0]


@pytest.fixture
def replicated_reader(monkeypatch: pytest.MonkeyPatch) -> Iterator[ReplicatedPool]:
    """Yield a reader whose only replica is unavailable."""
    made = ReplicatedPool("reader", replicas=["postgresql://r@/t?host=/missing"], max_size=1, max_lag_seconds=10)
    monkeypatch.setattr(checks, "reader", made)
    yield made
    event_loop.run(made.close())


def test_a_replica_that_is_away_is_found(topology: Topology, replicated_reader: ReplicatedPool) -> None:
    [(what, fix)] = run("replicas", topology).findings

    assert "/missing" in what
    assert "DATABASE_READER_URL" in fix


@pytest.mark.parametrize(("lag", "words"), [(60.0, "60 s"), (math.inf, "unknown")])
def test_a_replica_that_is_behind_is_found(
    lag: float, words: str, topology: Topology, replicated_reader: ReplicatedPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def measure() -> None:
        replicated_reader.replicas[0].note_position(position=1, lag_seconds=lag, measured_at=0)

    monkeypatch.setattr(replicated_reader, "measure", measure)

    [(what, _)] = run("replicas", topology).findings

    assert words in what


def test_a_part_that_cannot_be_asked_is_a_finding(topology: Topology, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "direct_conninfo", lambda: "host=/missing dbname=x user=x")

    [(what, fix)] = run("poolers", topology).findings

    assert "missing" in what
    assert "address" in fix


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "prepared", "what"),
    [("transaction", 0, "no prepared statements"), ("statement", 0, "statement mode"), ("transaction", 100, "")],
)
def test_a_pooler_is_named_with_what_it_cannot(
    mode: str, prepared: int, what: str, topology: Topology, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = connections["default"].settings_dict
    program = find_pooler(at_least=KNOWS_PREPARED if prepared else (1, 0))
    direct = direct_conninfo()
    with running_pooler(program, host=entry["HOST"], mode=mode, prepared=prepared) as port:
        monkeypatch.setattr(owner_pool, "conninfo", lambda: through(port, direct))
        monkeypatch.setattr(checks, "direct_conninfo", lambda: direct)
        report = run("poolers", topology)
        monkeypatch.setattr(checks, "direct_conninfo", owner_pool.conninfo)
        listening = run("poolers", topology)

    assert "before DATABASE_URL" in report.says
    assert [what in found for found, _ in report.findings] == ([True] if what else [])
    assert "DATABASE_LISTEN_URL" in listening.findings[0][0]


@pytest.mark.django_db
def test_the_command_ends_with_1_where_something_is_found(monkeypatch: pytest.MonkeyPatch, topology: Topology) -> None:
    async def faulty() -> Topology:
        return change_one(topology, version="0.0.1")

    monkeypatch.setattr("config.management.commands.check_topology.load_topology", faulty)
    out = io.StringIO()

    with pytest.raises(CommandError, match="1 finding"):
        call_command("check_topology", stdout=out)

    assert "FAULT versions: they differ" in out.getvalue()
    assert "Fix: Install the same version" in out.getvalue()


def test_a_process_says_that_it_is_there_until_it_ends(scratch_database: None) -> None:
    made = Presence()
    made._id = "host:1:x"
    event_loop.run(made.write("web"))
    event_loop.run(made.write("web"))

    [row] = event_loop.run(list_processes())
    assert (row.role, row.secret_fingerprint) == ("web", presence.fingerprint_secret(_secret()))
    assert abs(row.clock_offset_seconds) < 1

    async def live() -> None:
        made.start("web")
        await made.close()

    event_loop.run(live())
    assert [one.process_id for one in event_loop.run(list_processes())] == [row.process_id]  # the first has no end


@pytest.fixture
def open_port() -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"redis://:secret@127.0.0.1:{server.getsockname()[1]}/0"


@pytest.fixture
def open_socket() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as server:
        server.bind(f"{folder}/broker")
        server.listen()
        yield f"redis+socket://{folder}/broker"


@pytest.mark.parametrize(
    ("address", "answers"),
    [
        ("open_port", True),
        ("open_socket", True),
        ("redis://127.0.0.1:1/0", False),
        ("amqp://127.0.0.1:1//;amqp://127.0.0.1:2//", False),
        ("memory://", None),
    ],
)
def test_a_web_process_asks_for_the_broker_without_celery(
    *,
    address: str,
    answers: bool | None,
    request: pytest.FixtureRequest,
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings.CELERY_BROKER_URL = request.getfixturevalue(address) if address.startswith("open_") else address
    settings.TOOLROOM_CELERY_APP = "celery.is.not.loaded"

    assert event_loop.run(presence.describe_process("web")).broker_answers is answers


@pytest.mark.parametrize("error", [OSError("no such disk"), DatabaseUnavailable("away"), ValueError("odd")])
def test_a_process_goes_on_saying_that_it_is_there(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presence, "WRITE_SECONDS", 0.001)
    made, writes = Presence(), 0

    async def live() -> None:
        nonlocal writes
        again = asyncio.Event()

        async def write(_: str) -> None:
            nonlocal writes
            writes += 1
            if writes == 1:
                raise error
            again.set()

        monkeypatch.setattr(made, "write", write)
        made.start("web")
        async with asyncio.timeout(60):
            await again.wait()
        await made.close()

    event_loop.run(live())

    assert writes > 1


def test_a_process_with_another_secret_key_is_named_until_it_is_gone(
    scratch_database: None, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two hosts each made a key of their own: both start, because a rotation looks the same, and both say so."""
    own, other = Presence(), Presence()
    own._id, other._id = "one:1:x", "two:1:x"
    monkeypatch.setattr(health, "presence", own)
    before = event_loop.run(health._secret_key())
    event_loop.run(own.write("web"))
    alone = event_loop.run(health._secret_key())
    with override_settings(SECRET_KEY="made on another host"):
        event_loop.run(other.write("web"))
    for _ in range(2):
        event_loop.run(own.write("web"))
    both = event_loop.run(health._secret_key())
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM toolbox_server_processes WHERE id = 'two:1:x'")
    event_loop.run(own.write("web"))

    assert [part.is_up for part in (before, alone, both)] == [None, True, False]
    assert not both.is_needed
    assert "1 processes have another" in both.says
    assert len([line for line in caplog.messages if "another SECRET_KEY" in line]) == 2  # one of each host
    assert event_loop.run(health._secret_key()).is_up is True


def _secret() -> str:
    from django.conf import settings

    return str(settings.SECRET_KEY)


def test_a_fingerprint_is_not_the_key_and_a_broker_s_name_has_no_password() -> None:
    assert fingerprint_secret("a") != fingerprint_secret("b")
    assert len(fingerprint_secret("a")) == 16
    assert name_broker("amqp://rabbit:secret@mq.example.org:5672/tools") == "amqp://mq.example.org:5672/tools"


@pytest.mark.parametrize("url", ["redis+socket:///var/lib/toolroom/valkey.sock", "redis://localhost:6379/0"])
def test_brokers_of_two_machines_differ_though_their_addresses_do_not(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = set()
    for host in ("one", "two"):
        monkeypatch.setattr("platform.node", lambda host=host: host)
        names.add(name_broker(url))

    assert len(names) == 2
