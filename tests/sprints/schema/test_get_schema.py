"""get_schema: the live catalogue, what is declared beside it, and the stored copy."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from django.db import connections

from sprints.schema import queries
from sprints.schema.constraints import FOREIGN_KEYS, NOT_NULL
from sprints.schema.reading import load_schema, load_view_catalog, read_schema, stored_schema
from toolbox.access import keys
from toolbox.contract.errors import DatabaseUnavailable
from toolbox.database import event_loop
from toolbox.database.caches import clear_all_caches
from toolbox.database.pools import owner_pool, reader

pytestmark = pytest.mark.usefixtures("cast")
ADDRESS = "/api/tools/sprints/get_schema"
KEYS = {("issues", "issue_id"): "sprints_issues", ("teams", "team_id"): "sprints_teams",
        ("users", "user_id"): "sprints_users", ("sprints", "sprint_id"): "sprints_sprints"}  # fmt: skip


@pytest.fixture
def catalogue(cast: object) -> Any:
    """Connect as the owner."""
    entry = connections["default"].settings_dict
    with psycopg.connect(
        dbname=entry["NAME"], user=entry["USER"], host=entry["HOST"], password=entry["PASSWORD"] or None,
        port=entry["PORT"] or None, autocommit=True,
    ) as connection:  # fmt: skip
        yield connection


def _columns(catalogue: Any) -> dict[tuple[str, str], set[str]]:
    """Return the base columns of each view column, by the view's own rule."""
    found: dict[tuple[str, str], set[str]] = {}
    for view, base in catalogue.execute(
        "SELECT DISTINCT v.relname, t.relname || '.' || a.attname FROM pg_rewrite AS r"
        " JOIN pg_class AS v ON v.oid = r.ev_class AND v.relnamespace = 'sprintscope'::regnamespace"
        " JOIN pg_depend AS d ON d.objid = r.oid AND d.classid = 'pg_rewrite'::regclass AND d.refobjsubid > 0"
        " JOIN pg_class AS t ON t.oid = d.refobjid"
        " JOIN pg_attribute AS a ON a.attrelid = t.oid AND a.attnum = d.refobjsubid"
    ).fetchall():
        found.setdefault((view, ""), set()).add(base)
    return found


async def test_the_contract_s_shape(fast_client: httpx.AsyncClient) -> None:
    body = (await fast_client.post(ADDRESS, json={})).json()

    tables = {table["name"]: table for table in body["tables"]}
    issue_id = tables["issues"]["columns"][0]
    assert list(body) == ["tables", "foreignKeys"]
    assert {"issues", "users", "teams", "sprints"} <= set(tables)
    assert {key: issue_id[key] for key in ("name", "type", "nullable")} == {
        "name": "issue_id", "type": "uuid", "nullable": False,
    }  # fmt: skip
    assert {"fromTable": "issues", "fromColumn": "assignee_id", "toTable": "users", "toColumn": "user_id"} in body[
        "foreignKeys"
    ]


def test_every_view_and_column_says_what_it_is() -> None:
    schema = event_loop.run(read_schema())

    assert [table.name for table in schema.tables if not table.description] == []
    assert [(t.name, c.name) for t in schema.tables for c in t.columns if not c.description] == []


def test_nothing_private_is_in_it() -> None:
    names = {column.name for table in event_loop.run(read_schema()).tables for column in table.columns}

    assert [
        name for name in names if "mail" in name or "account" in name or "external" in name or "digest" in name
    ] == []


def test_the_stored_copy_is_what_the_catalogue_says() -> None:
    """When this fails after a change of the views: manage.py store_sprints_schema."""
    assert stored_schema() == event_loop.run(read_schema())


def test_a_column_that_is_declared_as_never_null_is_so_in_the_base_table(catalogue: Any) -> None:
    bases = {base for base in NOT_NULL.values() if base}
    not_null = {
        row[0]
        for row in catalogue.execute(
            "SELECT c.relname || '.' || a.attname FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid"
            " WHERE a.attnotnull AND a.attnum > 0 AND c.relname LIKE 'sprints%'"
        ).fetchall()
    }

    assert bases - not_null == set()


def test_the_declared_base_columns_are_those_that_the_view_reads(catalogue: Any) -> None:
    read = _columns(catalogue)

    assert [(view, column) for (view, column), base in NOT_NULL.items() if base and base not in read[view, ""]] == []


def test_everything_declared_is_there() -> None:
    there = {(table.name, column.name) for table in event_loop.run(read_schema()).tables for column in table.columns}

    assert set(NOT_NULL) - there == set()
    assert {end for pair in FOREIGN_KEYS for end in pair} - there == set()


def test_no_column_is_null_that_is_declared_as_never_null(catalogue: Any) -> None:
    nulls = [
        (view, column)
        for view, column in NOT_NULL
        if catalogue.execute(f"SELECT 1 FROM sprintscope.{view} WHERE {column} IS NULL LIMIT 1").fetchone()
    ]

    assert nulls == []


def test_a_column_of_the_base_s_name_that_is_never_null_there_is_declared(catalogue: Any) -> None:
    """Of views that join nothing from outside: what is left undeclared would be called nullable for nothing."""
    missing = catalogue.execute(
        "SELECT v.relname, a.attname FROM pg_class AS v JOIN pg_attribute AS a ON a.attrelid = v.oid AND a.attnum > 0"
        " JOIN pg_class AS t ON t.relname = 'sprints_' || v.relname"
        " JOIN pg_attribute AS b ON b.attrelid = t.oid AND b.attname = a.attname AND b.attnotnull"
        " WHERE v.relnamespace = 'sprintscope'::regnamespace AND v.relkind = 'v'"
    ).fetchall()

    assert [tuple(row) for row in missing if tuple(row) not in NOT_NULL] == []


def test_every_foreign_key_holds(catalogue: Any) -> None:
    for (view, column), (target, key) in FOREIGN_KEYS:
        dangling = catalogue.execute(
            f"SELECT count(*) FROM sprintscope.{view} AS a WHERE a.{column} IS NOT NULL"
            f" AND NOT EXISTS (SELECT 1 FROM sprintscope.{target} AS b WHERE b.{key} = a.{column})"
        ).fetchone()
        assert dangling == (0,), (view, column)


def test_every_foreign_key_of_the_base_tables_that_a_view_shows_is_declared(catalogue: Any) -> None:
    found = catalogue.execute(
        "SELECT s.relname, a.attname, t.relname FROM pg_constraint AS k"
        " JOIN pg_class AS s ON s.oid = k.conrelid JOIN pg_class AS t ON t.oid = k.confrelid"
        " JOIN pg_attribute AS a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1]"
        " WHERE k.contype = 'f' AND s.relname LIKE 'sprints%'"
    ).fetchall()
    tables = {table.name: {column.name for column in table.columns} for table in event_loop.run(read_schema()).tables}
    declared = {(start, KEYS[end]) for start, end in FOREIGN_KEYS}

    missing = [
        (source, column, target)
        for source, column, target in found
        if column in tables.get(source.removeprefix("sprints_"), ())
        and target in KEYS.values()
        and ((source.removeprefix("sprints_"), column), target) not in declared
    ]
    assert missing == []


async def test_it_is_remembered_for_a_minute(fast_client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    live = queries.view_columns

    async def count_columns(reader: Any) -> Any:
        asked.append(1)
        return await live(reader)

    clear_all_caches()
    monkeypatch.setattr(queries, "view_columns", count_columns)
    for _ in range(5):
        await fast_client.post(ADDRESS, json={})

    assert len(asked) == 1


async def test_while_the_database_is_away_the_stored_copy_is_given(
    fast_client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def stop_database(_: Any) -> Any:
        raise DatabaseUnavailable("gone")

    here = (await fast_client.post(ADDRESS, json={})).json()
    clear_all_caches()
    monkeypatch.setattr(queries, "view_columns", stop_database)
    away = await fast_client.post(ADDRESS, json={})

    assert away.status_code == 200
    assert away.json() == here


def test_the_guard_s_world_is_the_same_object_while_the_schema_is() -> None:
    assert event_loop.run(load_view_catalog()) is event_loop.run(load_view_catalog())
    assert set(event_loop.run(load_view_catalog()).views) == {
        table.name for table in event_loop.run(load_schema()).tables
    }


@pytest.fixture
def database_away(tmp_path: Path) -> Iterator[None]:
    """Point every pool at a folder where no server listens."""
    pools = (reader, owner_pool)
    hosts = {alias: connections[alias].settings_dict["HOST"] for alias in ("default", "reader")}
    for alias in hosts:
        connections[alias].settings_dict["HOST"] = str(tmp_path)
    for pool in pools:
        event_loop.run(pool.close())
    yield
    for alias, host in hosts.items():
        connections[alias].settings_dict["HOST"] = host
    for pool in pools:
        event_loop.run(pool.close())
    keys.forget()


async def test_while_the_database_is_away_a_key_that_was_verified_lately_gets_the_stored_copy(
    fast_client: httpx.AsyncClient, request: pytest.FixtureRequest
) -> None:
    here = await fast_client.post(ADDRESS, json={})
    request.getfixturevalue("database_away")
    clear_all_caches()
    keys._cache.clear()

    away = await fast_client.post(ADDRESS, json={})
    other = await fast_client.post("/api/tools/linescore/query_linescore_data", json={"teamCode": "CAR"})
    stranger = await fast_client.post(ADDRESS, json={}, headers={"Authorization": "Bearer tr_somebody_else"})
    for digest, known in keys._verified.items():
        keys._verified[digest] = replace(known, offline_until=known.offline_until - keys.OFFLINE_SECONDS - 1)
    later = await fast_client.post(ADDRESS, json={})

    assert (away.status_code, away.json()) == (200, here.json())
    assert (other.status_code, stranger.status_code, later.status_code) == (503, 503, 503)
