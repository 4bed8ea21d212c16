"""Statements of few words that make much are refused by the guard, or stopped by the database."""

import pytest

from sprints.sql_sandbox.execution import execute
from sprints.sql_sandbox.guard import Refused, ViewCatalog, check
from tests.sprints.sql_sandbox.hostile import REFUSED, STOPPED, UNCHARGED
from tests.sprints.sql_sandbox.role import superuser
from toolbox.contract.errors import ToolError
from toolbox.database import event_loop

HONEST = [
    "SELECT string_agg(issue_key, ', ' ORDER BY issue_key) FROM issues",
    "SELECT coalesce(string_agg(title, E'\\n'), '-')::text, (array_agg(issue_key))[1] FROM issues GROUP BY team_id",
    "SELECT array_to_string(array_agg(DISTINCT status), ', ') AS statuses FROM issues",
    "SELECT left(string_agg(title, ' '), 100), length(string_agg(title, ' ')) FROM issues",
    "SELECT jsonb_build_object('keys', jsonb_agg(issue_key), 'titles', jsonb_agg(title)) FROM issues",
    "SELECT 'Done' = ANY(array_agg(status)), array_agg(status) @> ARRAY['Done'] FROM issues GROUP BY team_id",
    "SELECT replace(lower(trim(title)), ' ', '-') || '-' || issue_key AS slug FROM issues",
    "SELECT power(story_points - 3, 2) * power(story_points, 2) * power(2, 3) FROM issues",
    "SELECT repeat('█', story_points::int) || lpad(issue_key, 20) FROM issues WHERE story_points IS NOT NULL",
    "SELECT split_part(issue_key, '-', 2)::int, strpos(title, 'a'), title LIKE '%' || issue_key || '%' FROM issues",
    "WITH RECURSIVE t(p, n) AS (SELECT 'a', 1 UNION ALL SELECT p || n, n + 1 FROM t WHERE n < 50) SELECT p FROM t",
    "SELECT string_agg(title, '') || string_agg(title, ''), (string_agg(title, '') || 'x')::varchar FROM issues",
    "SELECT repeat(title, 3), replace(title, issue_key, status) FROM issues",
    "SELECT title ILIKE ANY (ARRAY['%a%', '%b%']), issue_key = ANY (ARRAY(SELECT issue_key FROM issues)) FROM issues",
    "SELECT string_agg(title, ' ') LIKE '%report%', string_agg(title, ' ') ILIKE '%search%' FROM issues",
    "SELECT normalize(title), title IS NFC NORMALIZED, btrim(title, ' .') FROM issues",
    "SELECT to_date('2026-03-01', 'YYYY-MM-DD'), to_timestamp('2026', 'YYYY'), to_char(created_at, 'YYYY') FROM issues",
    "SELECT title FROM issues ORDER BY ts_rank(setweight(to_tsvector(title), 'A') || to_tsvector(status), 'a & b')",
    "SELECT jsonb_path_query_array(jsonb_agg(to_jsonb(i)), '$[*].title') FROM issues AS i",
    "SELECT jsonb_path_exists(to_jsonb(title), '$ ? (@ == \"x\")'), JSON_VALUE(to_jsonb(title), '$') FROM issues",
    "SELECT (to_jsonb(i) ->> 'story_points')::numeric FROM issues AS i",
    "SELECT s.array_agg, s.max FROM (SELECT array_agg(title), max(title) FROM issues) AS s",
    "SELECT sum(length(t)) FROM (SELECT string_agg(title, ' ') AS t FROM issues GROUP BY status) AS x",
]


@pytest.mark.parametrize("name", REFUSED | UNCHARGED)
def test_a_statement_that_makes_too_much_is_refused(catalog: ViewCatalog, name: str) -> None:
    with pytest.raises(Refused) as caught:
        check((REFUSED | UNCHARGED)[name], catalog=catalog)

    assert caught.value.suggestion


@pytest.mark.parametrize("name", STOPPED)
def test_a_statement_whose_rows_make_too_much_is_stopped(cast: object, name: str) -> None:
    with pytest.raises(ToolError) as caught:
        event_loop.run(execute(STOPPED[name]))

    assert caught.value.suggestion


@pytest.mark.parametrize("sql", HONEST)
def test_an_honest_statement_runs(cast: object, sql: str) -> None:
    event_loop.run(execute(sql))


@pytest.mark.parametrize("sql", HONEST)
def test_the_columns_keep_their_names(cast: object, sql: str) -> None:
    """Those that PostgreSQL would have given to the statement as it was written."""
    with superuser() as connection:
        connection.execute("SET search_path = sprintscope")
        cursor = connection.execute(sql.encode())
    names = [column.name for column in cursor.description or ()]
    found = event_loop.run(execute(sql)).rows

    assert not found or [name for name in names if name not in found[0]] == []
