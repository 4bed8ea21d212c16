"""The rule about unbounded reads, held to examples of its own."""

import pytest

from tests.architecture.select_limits import is_bounded


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT a FROM t LIMIT 5",
        "SELECT a FROM t ORDER BY b\nLIMIT %(most)s OFFSET 3",
        "SELECT count(*) FROM t WHERE a IN (SELECT b FROM u)",
        "SELECT count(*) AS n, max(a) AS latest FROM t",
        "SELECT (SELECT a FROM t ORDER BY a LIMIT 1) AS first",
        "SELECT 1",
        "SELECT a FROM t WHERE id = %s AND b FOR UPDATE",
        "SELECT a FROM t WHERE id = (SELECT b FROM u)",
        "WITH u AS (SELECT a FROM t) SELECT a FROM u LIMIT 3",
        "SELECT a FROM t WHERE b = ANY(%s)",
        "SELECT a FROM t JOIN unnest(%(ids)s::bigint[]) AS wanted (id) USING (id)",
        "SELECT relname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace",
    ],
)
def test_a_bounded_read_passes(statement: str) -> None:
    assert is_bounded(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT a FROM t",
        "SELECT a FROM pg_class JOIN t USING (b)",
        "SELECT a FROM t -- LIMIT 5",
        "SELECT a FROM (SELECT a FROM t LIMIT 5) AS u, v",
        "SELECT a, count(*) FROM t GROUP BY a",
        "SELECT count(*) FROM t GROUP BY a",
        "SELECT a FROM t WHERE b = (SELECT max(b) FROM t)",
        "SELECT a FROM t WHERE b_id = %s",
        "SELECT a FROM t WHERE id > %s",
    ],
)
def test_an_unbounded_read_does_not(statement: str) -> None:
    assert not is_bounded(statement)
