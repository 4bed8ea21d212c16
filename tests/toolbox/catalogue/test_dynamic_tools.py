"""Tools that are rows: offered beside the declared ones, refreshed when a table announces."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence

import psycopg
import pytest
from django.db import connection
from pydantic import Field

from toolbox.catalogue import dynamic_tools
from toolbox.catalogue.dynamic_tools import DynamicToolCache
from toolbox.catalogue.registry import Registry
from toolbox.contract.caller import LOCAL_OPERATOR
from toolbox.contract.models import ToolInput, ToolOutput
from toolbox.contract.tool import InvalidTool, SkippedRow, Tool, ToolFunction, Toolkit
from toolbox.database import event_loop
from toolbox.database.migration_operations import CHANNEL, NotifyToolChanges
from toolbox.database.notifications import notifications
from toolbox.database.pools import owner_pool


class Nothing(ToolInput):
    """No parameters."""


class Word(ToolOutput):
    """A word."""

    word: str = Field(description="What is said.")


def make_tool(name: str) -> ToolFunction:
    async def function(ask: Nothing) -> Word:
        """Say a word."""
        return Word(word=name)

    function.__name__ = name
    return function


class Rows:
    """A source whose rows a test changes."""

    def __init__(self, *names: str) -> None:
        self.names = list(names)
        self.failure: Exception | None = None
        self.kit = Toolkit(domain="shop", summary="A shop.", dynamic=self)
        self.loads = 0

    async def load(self) -> Sequence[Tool | SkippedRow]:
        self.loads += 1
        if self.failure:
            raise self.failure
        return [self._row(name) for name in self.names]

    def _row(self, name: str) -> Tool | SkippedRow:
        try:
            return self.kit.make_tool(make_tool(name), example=Nothing())
        except InvalidTool as mistake:
            return SkippedRow(name=name, reason=str(mistake))


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not true():  # noqa: ASYNC110 - another process is waited for
            await asyncio.sleep(0.01)


def announce(domain: str) -> None:
    with psycopg.connect(owner_pool.conninfo(), autocommit=True) as other_process:
        other_process.execute("SELECT pg_notify(%s, %s)", [CHANNEL, domain])


@pytest.fixture
def rows() -> Rows:
    return Rows("buy_bread", "sell_bread")


@pytest.fixture
async def watched_registry(rows: Rows, django_db_setup: None) -> AsyncIterator[tuple[Registry, DynamicToolCache]]:
    registry = Registry()
    registry.register(rows.kit)
    registry.close()
    watcher = DynamicToolCache(registry)
    yield registry, watcher
    await event_loop.run_on_loop(watcher.close)


def names_of(registry: Registry) -> list[str]:
    return [tool.name for tool in registry.visible_to(LOCAL_OPERATOR)]


async def test_rows_are_tools_after_the_first_call(watched_registry: tuple[Registry, DynamicToolCache]) -> None:
    registry, watcher = watched_registry

    await watcher.wait_until_loaded()

    assert names_of(registry) == ["buy_bread", "sell_bread"]
    assert registry.find("buy_bread", domain="shop")
    assert registry.find("buy_bread", domain="bakery") is None
    assert "buy_bread" in registry.find_nearest("by_bread", caller=LOCAL_OPERATOR)


async def test_rows_stay_out_of_what_the_code_declares(watched_registry: tuple[Registry, DynamicToolCache]) -> None:
    registry, watcher = watched_registry

    await watcher.wait_until_loaded()

    assert list(registry.tools()) == []


async def test_an_announcement_of_another_process_refreshes_them(
    watched_registry: tuple[Registry, DynamicToolCache], rows: Rows
) -> None:
    registry, watcher = watched_registry
    await watcher.wait_until_loaded()
    rows.names = ["buy_cake"]

    announce("shop")

    await until(lambda: names_of(registry) == ["buy_cake"])


async def test_an_announcement_of_an_unknown_domain_is_passed_over(
    watched_registry: tuple[Registry, DynamicToolCache], rows: Rows
) -> None:
    registry, watcher = watched_registry
    await watcher.wait_until_loaded()
    rows.names = ["buy_cake"]

    announce("'; DROP TABLE shop; --")
    announce("shop")

    await until(lambda: names_of(registry) == ["buy_cake"])


async def test_a_clash_and_an_invalid_row_are_skipped_with_their_reason(
    watched_registry: tuple[Registry, DynamicToolCache], rows: Rows
) -> None:
    registry, watcher = watched_registry
    rows.names = ["buy_bread", "buy_bread", "No Good Name"]

    await watcher.wait_until_loaded()

    assert names_of(registry) == ["buy_bread"]
    reasons = {row.name: row.reason for row in registry.find_skipped(domain="shop")}
    assert reasons["buy_bread"] == "another tool has that name"
    assert "snake_case" in reasons["No Good Name"]


async def test_a_row_never_takes_a_declared_tools_place(rows: Rows) -> None:
    registry, bakery = Registry(), Toolkit(domain="bakery", summary="Bread.")
    bakery.tool(example=Nothing())(make_tool("buy_bread"))
    registry.register(bakery)
    registry.register(rows.kit)

    registry.replace_dynamic_tools(await rows.load(), domain="shop")

    found = registry.find("buy_bread")
    assert found is not None
    assert found.domain == "bakery"
    assert [row.name for row in registry.find_skipped(domain="shop")] == ["buy_bread"]


async def test_a_source_without_its_database_keeps_what_it_had(
    watched_registry: tuple[Registry, DynamicToolCache], rows: Rows
) -> None:
    registry, watcher = watched_registry
    await watcher.wait_until_loaded()
    loads, rows.failure = rows.loads, psycopg.errors.UndefinedTable("no such table yet")

    announce("shop")
    await until(lambda: rows.loads > loads)

    assert names_of(registry) == ["buy_bread", "sell_bread"]


@pytest.mark.parametrize("failure", [psycopg.OperationalError("away"), ValueError("an odd row")])
async def test_a_source_that_failed_is_asked_again_and_holds_up_no_other(
    rows: Rows, failure: Exception, django_db_setup: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dynamic_tools, "RETRY_SECONDS", 0.01)
    registry, others = Registry(), Rows("bake_bread")
    others.kit = Toolkit(domain="bakery", summary="Bread.", dynamic=others)
    registry.register(rows.kit)
    registry.register(others.kit)
    registry.close()
    rows.failure = failure
    watcher = DynamicToolCache(registry)

    await watcher.wait_until_loaded()
    first = names_of(registry)
    rows.failure = None
    await until(lambda: "buy_bread" in names_of(registry))
    await event_loop.run_on_loop(watcher.close)

    assert first == ["bake_bread"]


async def test_it_listens_again_after_its_connection_was_cut(
    watched_registry: tuple[Registry, DynamicToolCache], rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notifications, "_retry_seconds", 0.01)
    registry, watcher = watched_registry
    await watcher.wait_until_loaded()
    rows.names = ["buy_cake"]

    with psycopg.connect(owner_pool.conninfo(), autocommit=True) as administrator:
        administrator.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN %'"
            " AND datname = current_database()"
        )

    await until(lambda: names_of(registry) == ["buy_cake"])


async def test_a_toolkit_without_rows_opens_no_connection(django_db_setup: None) -> None:
    registry = Registry()
    registry.register(Toolkit(domain="bakery", summary="Bread."))
    watcher = DynamicToolCache(registry)

    await watcher.wait_until_loaded()

    assert watcher._loading is None


def test_a_table_announces_every_statement_that_changes_it(scratch_database: None) -> None:
    operation = NotifyToolChanges("linescore_teams", "shop")
    with connection.schema_editor() as editor:
        operation.database_forwards("shop", editor, None, None)
    heard = psycopg.connect(owner_pool.conninfo(), autocommit=True)
    heard.execute(f"LISTEN {CHANNEL}")

    with connection.cursor() as cursor:
        cursor.execute("UPDATE linescore_teams SET arena = 'Ice'")
    with connection.schema_editor() as editor:
        operation.database_backwards("shop", editor, None, None)

    assert [notice.payload for notice in heard.notifies(timeout=60, stop_after=1)] == ["shop"]
    heard.close()
