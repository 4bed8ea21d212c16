"""
Fixtures for every test: a migrated database with the shipped season, and callers named alice, bob and charlie.

Tools read on connections of their own, so what they should see must be committed. The season is: it is loaded once per
test worker. Tests that write take `scratch_database`, a clone that is dropped; tests of the ORM alone take
pytest-django's `db`, which rolls back.
"""

import os
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from importlib import import_module
from inspect import signature
from types import SimpleNamespace
from typing import Any

import httpx
import psycopg
import pytest
from asgiref.sync import SyncToAsync
from django.conf import settings
from django.db import connections
from django.test.utils import setup_databases, teardown_databases
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from psycopg import sql

from tests.graphql_proxy.hockey_schema import WITH_PLAYERS_SDL, with_players
from tests.mock_upstream import MockUpstream, mock_upstream
from tests.own_databases import own_name
from toolbox.dispatch import entry

# How long an example takes depends on how busy the machine is, so deadlines are off.
hypothesis_settings.register_profile("toolroom", deadline=None, suppress_health_check=[HealthCheck.too_slow])
hypothesis_settings.load_profile("toolroom")

# Tools import what they run with their first call, within their deadline; on a busy machine that takes seconds.
LOADED_BEFORE_TESTS = (
    "devassist.diagnosis.diagnose", "devassist.symbols", "devassist.root_causes.search", "devassist.find_callers",
    "devassist.code_context", "devassist.workspace_files", "devassist.code_search", "devassist.root_causes.proposals",
    "graphql_proxy.execution.execute", "graphql_proxy.operations.dynamic_tools", "sprints.asking.chat",
    "sprints.asking.sql_repair",
)  # fmt: skip

BEGIN_FIRST = ("tests/architecture/test_commands.py", "tests/upgrade/")
"""Long modules that stand late in the alphabet, or take one processor for minutes: no worker should end with them."""

ALICE_KEY = "tr_alice_reads_and_writes_everything_here"
BOB_KEY = "tr_bob_reads_linescore_and_nothing_else_"
CHARLIE_KEY = "tr_charlie_has_no_scope_that_anyone_needs"
KEYS = {
    ALICE_KEY: ("alice", ["*:read", "*:write"]),
    BOB_KEY: ("bob", ["linescore:read"]),
    CHARLIE_KEY: ("charlie", ["other:read"]),
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest modules first; pytest-xdist gives modules to workers in this order."""
    items.sort(key=lambda item: not item.nodeid.startswith(BEGIN_FIRST))


@pytest.fixture(scope="session", autouse=True)
def patient_clients() -> None:
    """Let clients of real servers wait a minute: how soon an answer comes depends on how busy the machine is."""
    usual = signature(httpx.get).parameters["timeout"].default
    usual.connect = usual.read = usual.write = usual.pool = 60.0


@pytest.fixture(scope="session", autouse=True)
def patient_deadlines() -> None:
    """Multiply the deadlines of calls in this process: a busy machine is not what tests look for."""
    entry.deadline_factor = 30.0


@pytest.fixture
def true_deadlines(monkeypatch: pytest.MonkeyPatch) -> None:
    """End calls at the deadline that their operation declares."""
    monkeypatch.setattr(entry, "deadline_factor", 1.0)


@pytest.fixture(scope="session", autouse=True)
def words_alone() -> None:
    """Find tools by words only; tests of vectors ask for them."""
    settings.TOOLROOM_TOOL_VECTORS = False


@pytest.fixture(scope="session", autouse=True)
def static_files_read_once() -> Iterator[None]:
    """Share one list of static files between applications: most tests create one, and each would read every file."""
    from whitenoise.middleware import WhiteNoiseMiddleware

    lists: dict[tuple[Any, ...], dict[str, Any]] = {}
    read = WhiteNoiseMiddleware.add_files_from_finders

    def share(self: WhiteNoiseMiddleware) -> None:
        key = (self.static_prefix, self.max_age, self.use_finders)
        if key not in lists:
            read(self)
            lists[key] = dict(self.files)
        self.files.update(lists[key])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WhiteNoiseMiddleware, "add_files_from_finders", share)
        yield


@pytest.fixture(scope="session")
def mock() -> Iterator[MockUpstream]:
    """Run the GraphQL API, players included, that is the tests' default upstream."""
    with mock_upstream(with_players()) as running:
        yield running


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None) -> Iterator[None]:
    """Name the test database so that it is this process's alone: another run may go on in the same working copy."""
    entry = connections["default"].settings_dict
    name = entry["TEST"]["NAME"] or f"test_{entry['NAME']}"
    with own_name(name, folder=settings.TOOLROOM_VAR / "test-runs") as entry["TEST"]["NAME"]:
        yield


@pytest.fixture(scope="session")
def django_db_setup(
    django_test_environment: None, django_db_modify_db_settings: None, django_db_blocker: Any, mock: MockUpstream
) -> Iterator[None]:
    """
    Create and fill the test database, and keep an unused copy of it for `scratch_database`.

    Replaces pytest-django's fixture of this name, which creates a database only for tests marked with django_db; tests
    of tools are not, because tools do not read through Django.
    """
    for module in LOADED_BEFORE_TESTS:
        import_module(module)
    from backtests.ingest.samples import load_samples as load_backtests
    from devassist.ingest.samples import load_samples as load_devassist
    from linescore.ingest.samples import load_samples
    from sprints.ingest.samples import load_samples as load_sprints
    from toolbox.catalogue.prompts import load_prompts
    from toolbox.catalogue.registry import registry
    from toolbox.examples.cache import load_examples

    settings.DEVASSIST_WEB_SEARCH = False  # nobody outside is asked; tests of that run servers of their own
    with django_db_blocker.unblock():
        databases = setup_databases(verbosity=0, interactive=False)
        load_samples()
        load_backtests()
        load_sprints()
        load_devassist()
        _make_cast()
        _make_default_upstream(mock.address)
        for toolkit in registry.toolkits():
            load_examples(toolkit.domain)
            load_prompts(toolkit.domain)
        _close_connections()
        source = connections["default"].settings_dict["NAME"]
        template = f"{source}_template"
        _clone(source, to=template)
    yield
    with django_db_blocker.unblock():
        _close_connections()
        _drop(template)
        _end_sessions(source)
        teardown_databases(databases, verbosity=0)


def _make_default_upstream(address: str) -> None:
    from datetime import UTC, datetime

    from graphql_proxy.ingest.load import store_schema
    from graphql_proxy.ingest.samples import load_samples
    from graphql_proxy.models import SchemaSnapshot, Upstream

    Upstream.objects.create(slug="mock", address=address, is_default=True, is_local=True)
    written_at = datetime(2025, 1, 1, tzinfo=UTC)
    store_schema("mock", text=WITH_PLAYERS_SDL, source=SchemaSnapshot.Source.SDL, taken_at=written_at)
    load_samples()


def _make_cast() -> None:
    from django.contrib.auth.models import User

    from devassist.editor.load import ensure_sample_state
    from toolbox.models import ApiKey

    for key, (name, scopes) in KEYS.items():
        owner = User.objects.create_user(name)
        ApiKey.make(name=name, owner_id=owner.pk, scopes=scopes, key=key)
    User.objects.create_superuser("curator", password="curator")
    ensure_sample_state("alice")


@pytest.fixture
def scratch_database(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """Create a database for the test, with the season and the callers, that it may change."""
    usual = connections["default"].settings_dict["NAME"]
    with django_db_blocker.unblock():
        _close_connections()
        _clone(f"{usual}_template", to=f"{usual}_scratch")
        _point_at(f"{usual}_scratch")
        _close_connections()  # a count in the background may have opened one to the usual database meanwhile
        yield
        _close_connections()
        _point_at(usual)
        _drop(f"{usual}_scratch")


@pytest.fixture(scope="session")
def cast(django_db_setup: None) -> SimpleNamespace:
    """Return the keys: alice may do everything, bob reads linescore, charlie may use no tool."""
    return SimpleNamespace(alice=ALICE_KEY, bob=BOB_KEY, charlie=CHARLIE_KEY)


@pytest.fixture
async def fast_client(cast: SimpleNamespace, django_db_blocker: Any) -> AsyncIterator[httpx.AsyncClient]:
    """Return alice's client of the middleware; tools that load rows use Django's connections."""
    from django.core.asgi import get_asgi_application

    from toolbox.rest.middleware import ToolCallMiddleware

    async with _client(ToolCallMiddleware(_behind(get_asgi_application())), key=cast.alice) as client:
        with django_db_blocker.unblock():
            yield client


@pytest.fixture
async def ninja_client(cast: SimpleNamespace) -> AsyncIterator[httpx.AsyncClient]:
    """Return alice's client whose tool calls are served by django-ninja."""
    from django.core.asgi import get_asgi_application

    async with _client(get_asgi_application(), key=cast.alice) as client:
        yield client


@pytest.fixture(scope="session")
def server(cast: SimpleNamespace) -> Iterator[str]:
    """Run the real server on the worker's test database; yields its address."""
    with running_server() as address:
        yield address


@contextmanager
def running_server(**environment: str) -> Iterator[str]:
    """Run uvicorn on a free port, with the test database; yields the address once it answers."""
    from config.child_servers import SERVER, free_port

    port = free_port("127.0.0.1", wanted=0)
    command = [*SERVER, "--port", str(port)]
    process = subprocess.Popen(
        [sys.executable, "-m", *command],
        cwd=settings.BASE_DIR,
        env=server_environment() | environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_for(port, process)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(20)


def server_environment() -> dict[str, str]:
    """Return the environment in which another process uses this worker's test database."""
    entries = {alias: connections[alias].settings_dict for alias in ("default", "reader", "analyst")}
    urls = {
        alias: f"postgresql://{entry['USER']}@/{entry['NAME']}?host={entry['HOST']}" for alias, entry in entries.items()
    }
    return os.environ | {
        "DATABASE_URL": urls["default"],
        "DATABASE_READER_URL": urls["reader"],
        "DATABASE_ANALYST_URL": urls["analyst"],
        "DEVASSIST_WARM": "0",  # else a server builds the graph of a workspace that another test works on
        "DEVASSIST_WEB_SEARCH": "0",
        "TOOLROOM_TOOL_VECTORS": "0",
    }


def _wait_for(port: int, process: subprocess.Popen[Any]) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise RuntimeError("the server did not start")


def _client(application: Any, *, key: str) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(application)
    headers = {"Authorization": f"Bearer {key}"}
    return httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=headers, timeout=30)


def _behind(django: Any) -> Any:
    """Put Django behind the middleware, and let it refuse tool calls that the middleware should have served."""

    async def application(scope: Any, receive: Any, send: Any) -> None:
        is_missed = scope["method"] == "POST" and scope["path"].startswith("/api/tools/")
        if not is_missed or (b"host", b"localhost") not in scope["headers"]:
            await django(scope, receive, send)
            return
        await send({"type": "http.response.start", "status": 418, "headers": []})
        await send({"type": "http.response.body", "body": b"the tool calls of REST were handed on"})

    return application


def _close_connections() -> None:
    from sprints.sql_sandbox.analyst_pool import analyst
    from toolbox.access import keys
    from toolbox.audit.log import audit
    from toolbox.catalogue.dynamic_tools import dynamic_tools
    from toolbox.database import event_loop
    from toolbox.database.notifications import notifications
    from toolbox.database.pools import owner_pool, reader, relaxed_pool, work_pool, writer

    event_loop.run(dynamic_tools.close())
    event_loop.run(notifications.close())
    event_loop.run(audit.flush())
    for pool in (reader, owner_pool, writer, work_pool, relaxed_pool, analyst):
        event_loop.run(pool.close())
    keys.forget()
    connections.close_all()
    # sync_to_async's thread has connections of its own, which would outlive their database.
    SyncToAsync.single_thread_executor.submit(connections.close_all).result()


def _point_at(database: str) -> None:
    for alias in ("default", "reader", "analyst"):
        connections[alias].settings_dict["NAME"] = database


def _clone(source: str, *, to: str) -> None:
    statement = sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(to), sql.Identifier(source))
    revoke = sql.SQL("REVOKE TEMPORARY ON DATABASE {} FROM PUBLIC").format(sql.Identifier(to))
    _drop(to)
    with _maintenance() as connection:
        connection.execute(statement)
        connection.execute(revoke)  # a copy has the tables' grants, not the database's


def _end_sessions(database: str) -> None:
    """End sessions that threads of tests have left open; those of the reader role need a superuser."""
    if settings.TOOLROOM_DATABASE_IS_EMBEDDED:
        from config.postgres.cluster import SUPERUSER

        with _maintenance(user=SUPERUSER) as connection:
            connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [database])


def _drop(database: str) -> None:
    # Sessions of the reader role, or autovacuum, may be in it, which only a superuser may end.
    with _maintenance(user=_strongest()) as connection:
        connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(database)))


def _strongest() -> str | None:
    """Return the superuser of the embedded server; None, which means the owner, for other servers."""
    from config.postgres.cluster import SUPERUSER

    return SUPERUSER if settings.TOOLROOM_DATABASE_IS_EMBEDDED else None


def _maintenance(*, user: str | None = None) -> psycopg.Connection[Any]:
    entry = connections["default"].settings_dict
    return psycopg.connect(
        dbname="postgres",
        user=user or entry["USER"],
        host=entry["HOST"] or None,
        password=entry["PASSWORD"] or None,
        port=entry["PORT"] or None,
        autocommit=True,
    )
