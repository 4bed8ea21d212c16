"""Everything works behind PgBouncer in transaction mode; what cannot (LISTEN) is noticed."""

import asyncio
from collections.abc import Iterator
from typing import Any

import httpx
import psycopg
import pytest
from django.contrib.auth.models import User
from django.db import connections

from sprints.sql_sandbox.analyst_pool import AnalystPool, begin
from tests.conftest import running_server, server_environment
from tests.toolbox.catalogue.test_dynamic_tools import until
from tests.toolbox.pooler import KNOWS_PREPARED, find_pooler, running_pooler, through
from toolbox.contract.errors import DatabaseUnavailable
from toolbox.database import event_loop
from toolbox.database.notifications import Notifications
from toolbox.database.pool import Connection, Pool, keeps_prepared_statements
from toolbox.database.pools import owner_pool

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("cast")]


def _socket_folder() -> str:
    return str(connections["default"].settings_dict["HOST"])


@pytest.fixture(scope="module")
def pooler(cast: object) -> Iterator[int]:
    """Run PgBouncer of any version, without prepared statements, with two server connections per role."""
    with running_pooler(find_pooler(), host=_socket_folder()) as port:
        yield port


@pytest.fixture
def behind(pooler: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """Point every alias at the pooler."""
    _lead_through(pooler, monkeypatch=monkeypatch)
    return pooler


def _lead_through(port: int, *, monkeypatch: pytest.MonkeyPatch) -> None:
    for alias in ("default", "reader", "analyst"):
        monkeypatch.setitem(connections[alias].settings_dict, "HOST", "127.0.0.1")
        monkeypatch.setitem(connections[alias].settings_dict, "PORT", str(port))


@pytest.mark.parametrize("statement", ["SELECT 1", "SHOW statement_timeout"])
def test_the_reader_connects_and_its_role_s_settings_hold(behind: int, statement: str) -> None:
    pool = Pool("reader", max_size=2)

    found = event_loop.run(pool.fetch(statement)).rows
    event_loop.run(pool.close())

    assert found in ([{"?column?": 1}], [{"statement_timeout": "30s"}])


def test_two_clients_statements_are_never_mixed_up(behind: int) -> None:
    """Both call their first prepared statement `_pg3_0`; the pooler gives both of them the same two sessions."""
    assert _ask_from_many_clients() == [True] * 200


def _ask_from_many_clients() -> list[bool]:
    """Ask 200 times from four pools, each with its own statement; returns which answers are right."""
    pools = [Pool("reader", max_size=2) for _ in range(4)]

    async def ask(number: int) -> bool:
        factor = number % 4 + 2
        statement = f"SELECT %s::int * {factor} AS product"
        return (await pools[number % 4].fetch(statement, (number,))).rows == [{"product": number * factor}]

    async def ask_all() -> list[bool]:
        return await asyncio.gather(*[ask(number) for number in range(200)])

    answers = event_loop.run(ask_all())
    for pool in pools:
        event_loop.run(pool.close())
    return answers


def test_nothing_is_prepared_where_the_pooler_keeps_no_statements(pooler: int) -> None:
    assert _check_kept_statements(pooler) == [False] * 3


def test_statements_are_prepared_where_the_pooler_keeps_them_and_never_mixed_up(
    cast: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running_pooler(find_pooler(at_least=KNOWS_PREPARED), host=_socket_folder(), prepared=100) as port:
        kept = _check_kept_statements(port)
        _lead_through(port, monkeypatch=monkeypatch)
        settings, answers = _show_settings_of_two_pools(), _ask_from_many_clients()

    assert kept == [True] * 3
    assert settings == ["off", "on", "off", "on"]
    assert answers == [True] * 200


def test_statements_are_prepared_where_no_pooler_stands(cast: object) -> None:
    assert event_loop.run(_keeps_statements(owner_pool.conninfo())) is True


def _check_kept_statements(port: int) -> list[bool]:
    """Ask three times: a session that the pooler reuses may hold statements of the one before."""
    return [event_loop.run(_keeps_statements(through(port, owner_pool.conninfo()))) for _ in range(3)]


async def _keeps_statements(conninfo: str) -> bool:
    async with await Connection.connect(conninfo, autocommit=True, row_factory=psycopg.rows.dict_row) as connection:
        return await keeps_prepared_statements(connection)


def test_a_pooler_in_statement_mode_is_named_at_once(cast: object) -> None:
    pool = Pool("default", max_size=1)
    direct = pool.conninfo()

    async def ask(port: int) -> None:
        pool.conninfo = lambda: through(port, direct)  # type: ignore[method-assign]
        async with asyncio.timeout(60):
            await pool.fetch("SELECT 1")

    with running_pooler(find_pooler(), host=_socket_folder(), mode="statement") as port:
        for _ in range(2):
            with pytest.raises(DatabaseUnavailable, match=r"connections cannot be used: .*statement pooling mode"):
                event_loop.run(ask(port))
    event_loop.run(pool.close())


def test_settings_of_one_pool_are_no_other_client_s(behind: int) -> None:
    assert _show_settings_of_two_pools() == ["off", "on", "off", "on"]


def _show_settings_of_two_pools() -> list[str]:
    relaxed = Pool("default", max_size=1, local_settings="SET LOCAL synchronous_commit = off")
    usual = Pool("default", max_size=1)
    shown = [event_loop.run(pool.fetch("SHOW synchronous_commit")).rows for pool in (relaxed, usual, relaxed, usual)]
    for pool in (relaxed, usual):
        event_loop.run(pool.close())
    return [row[0]["synchronous_commit"] for row in shown]


def test_the_analyst_s_statement_runs_under_its_own_settings(behind: int) -> None:
    pool = AnalystPool(max_size=1)

    async def ask(connection: Connection) -> list[str]:
        await begin(connection)
        shown = []
        for name in ("statement_timeout", "transaction_read_only", "search_path", "timezone"):
            row = await (await connection.execute(f"SHOW {name}".encode())).fetchone()
            shown += list((row or {}).values())
        await connection.execute("ROLLBACK")
        return shown

    shown = event_loop.run(pool.run(ask))
    event_loop.run(pool.close())

    assert shown == ["5s", "on", "sprintscope", "UTC"]


async def test_listening_through_it_is_noticed(behind: int, caplog: pytest.LogCaptureFixture) -> None:
    deaf = Notifications(conninfo=owner_pool.conninfo, arrival_seconds=0.5, retry_seconds=0.05)
    await event_loop.run_on_loop(deaf.wait_until_listening)

    await until(lambda: deaf.is_arriving is False)
    await event_loop.run_on_loop(deaf.close)

    assert "notifications of the database do not arrive, everything polls" in caplog.text


def test_django_reads_and_writes_and_goes_through_many_rows(behind: int, django_db_blocker: Any) -> None:
    with django_db_blocker.unblock():
        connections["default"].close()
        try:
            made = User.objects.create_user("behind-the-pooler")
            names = [user.username for user in User.objects.order_by("pk").iterator(chunk_size=1)]
            made.delete()
        finally:
            connections["default"].close()

    assert "behind-the-pooler" in names


@pytest.mark.parametrize("listens_directly", [True, False])
def test_a_server_serves_behind_it_and_says_whether_it_hears(pooler: int, *, listens_directly: bool) -> None:
    direct = server_environment()
    names = ("DATABASE_URL", "DATABASE_READER_URL", "DATABASE_ANALYST_URL")
    environment = {name: through(pooler, direct[name]) for name in names}
    environment = {name: _as_url(conninfo) for name, conninfo in environment.items()}
    if listens_directly:
        environment["DATABASE_LISTEN_URL"] = direct["DATABASE_URL"]
    with running_server(**environment) as address:
        parts = _settle(address, wanted=listens_directly)
        statuses = {
            httpx.post(
                f"{address}/api/tools/linescore/query_linescore_data", json={"teamCode": "CAR"},
                headers={"Authorization": "Bearer tr_alice_reads_and_writes_everything_here"}, timeout=30,
            ).status_code
            for _ in range(20)
        }  # fmt: skip

    assert parts["notifications"] == ("up" if listens_directly else "down")
    assert parts["database"] == "up"
    assert statuses == {200}


def _as_url(conninfo: str) -> str:
    given = psycopg.conninfo.conninfo_to_dict(conninfo)
    return f"postgresql://{given['user']}@{given['host']}:{given['port']}/{given['dbname']}"


def _settle(address: str, *, wanted: bool) -> dict[str, str]:
    """Wait until the watchdog has its first result, for some seconds at most."""
    parts: dict[str, str] = {}
    for _ in range(200):
        answer = httpx.get(f"{address}/readyz", timeout=30).json()
        parts = {part["name"]: part["state"] for part in answer["parts"]}
        if parts["notifications"] == ("up" if wanted else "down"):
            break
    return parts
