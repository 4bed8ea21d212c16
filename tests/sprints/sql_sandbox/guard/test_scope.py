"""Names in FROM are resolved as PostgreSQL resolves them: the nearest WITH entry, else a view, else nothing."""

import pytest

from sprints.sql_sandbox.guard import Refused, ViewCatalog, check

GOOD = [
    ("WITH secret AS (SELECT 1) SELECT * FROM secret", "FROM secret"),
    ("WITH issues AS (SELECT * FROM issues) SELECT * FROM issues", "FROM sprintscope.issues) SELECT * FROM issues"),
    ("WITH a AS (SELECT 1), b AS (SELECT * FROM a) SELECT * FROM b", "FROM a"),
    ("WITH RECURSIVE a AS (SELECT * FROM b), b AS (SELECT 1) SELECT * FROM a", "FROM b"),
    ("WITH a AS (SELECT 1) SELECT (SELECT count(*) FROM a) FROM issues", "FROM a) FROM sprintscope.issues"),
    ("WITH a AS (SELECT 1) SELECT 1 UNION SELECT * FROM a", "SELECT * FROM a"),
    ("SELECT * FROM sprintscope.issues", "FROM sprintscope.issues"),
    ("SELECT * FROM ONLY issues", "FROM ONLY sprintscope.issues"),
    ("SELECT issues.title FROM issues", "SELECT issues.title FROM sprintscope.issues"),
    ("WITH teams AS (SELECT 1) SELECT * FROM sprintscope.teams", "FROM sprintscope.teams"),
]
BAD = [
    "WITH b AS (SELECT * FROM a), a AS (SELECT 1) SELECT * FROM b",
    "WITH a AS (SELECT * FROM a) SELECT 1",
    "SELECT * FROM (WITH a AS (SELECT 1) SELECT * FROM a) AS t, a",
    "(WITH a AS (SELECT 1) SELECT * FROM a) UNION SELECT * FROM a",
    "SELECT (WITH a AS (SELECT 1) SELECT 1 FROM a) FROM a",
    "WITH a AS (SELECT 1) SELECT * FROM public.a",
    "WITH a AS (WITH b AS (SELECT 1) SELECT * FROM b) SELECT * FROM b",
    "SELECT * FROM Issues2",
    'SELECT * FROM "ISSUES"',
    'SELECT * FROM "issues "',
    "SELECT * FROM postgres.sprintscope.issues",
    "SELECT * FROM pg_temp.issues",
]


@pytest.mark.parametrize(("sql", "part"), GOOD)
def test_a_name_is_found(catalog: ViewCatalog, sql: str, part: str) -> None:
    assert part in check(sql, catalog=catalog).sql


@pytest.mark.parametrize("sql", BAD)
def test_a_name_out_of_scope_is_no_relation(catalog: ViewCatalog, sql: str) -> None:
    with pytest.raises(Refused, match=r"does not exist|catalogue"):
        check(sql, catalog=catalog)


def test_no_with_entry_may_hide_a_catalogue(catalog: ViewCatalog) -> None:
    with pytest.raises(Refused, match="pg_class"):
        check("WITH pg_class AS (SELECT 1) SELECT * FROM pg_class", catalog=catalog)


def test_a_with_query_read_twice_is_planned_once(catalog: ViewCatalog) -> None:
    """The planner would double it at each step: twelve steps took gigabytes, without a limit in PostgreSQL."""
    steps = ", ".join(f"c{n} AS NOT MATERIALIZED (SELECT a.x FROM c{n - 1} a, c{n - 1} b)" for n in range(1, 13))
    sql = f"WITH c0 AS NOT MATERIALIZED (SELECT team_id AS x FROM teams), {steps} SELECT x FROM c12"

    assert "NOT MATERIALIZED" not in check(sql, catalog=catalog).sql
