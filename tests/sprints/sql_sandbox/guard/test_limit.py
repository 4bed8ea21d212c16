"""The contract's LIMIT rule, in every way that SQL has of saying it."""

import pytest

from sprints.sql_sandbox.guard import ViewCatalog, check

RULE = [
    ("SELECT 1", "LIMIT 51", 50),
    ("SELECT 1;", "LIMIT 51", 50),
    ("SELECT 1 LIMIT ALL", "LIMIT 51", 50),
    ("SELECT 1 LIMIT NULL", "LIMIT 51", 50),
    ("SELECT 1 LIMIT 7", "LIMIT 7", 7),
    ("SELECT 1 LIMIT 0", "LIMIT 0", 0),
    ("SELECT 1 LIMIT 1000", "LIMIT 1000", 1000),
    ("SELECT 1 LIMIT 1001", "LIMIT 1001", 1000),
    ("SELECT 1 LIMIT 99999999999999999999", "LIMIT 1001", 1000),
    ("SELECT 1 LIMIT 1e9", "LIMIT 1001", 1000),
    ("SELECT 1 LIMIT 1_000_000", "LIMIT 1001", 1000),
    ("SELECT 1 LIMIT 0xFFFFFFFFFFFF", "LIMIT 1001", 1000),
    ("SELECT 1 LIMIT 2.5", "LIMIT 2.5", 3),
    ("SELECT 1 LIMIT 20 * 100", "LIMIT LEAST(20 * 100, 1001)", 1000),
    ("SELECT 1 LIMIT '5000'", "LIMIT LEAST('5000', 1001)", 1000),
    ("SELECT 1 LIMIT (SELECT 5000)", "LIMIT LEAST((SELECT 5000), 1001)", 1000),
    ("SELECT 1 LIMIT LEAST(5, 9000)", "LIMIT LEAST(LEAST(5, 9000), 1001)", 1000),
    ("SELECT 1 LIMIT LEAST(9000, 10)", "LIMIT LEAST(9000, 10)", 1000),
    ("SELECT 1 FETCH FIRST 7 ROWS ONLY", "LIMIT 7", 7),
    ("SELECT 1 FETCH FIRST ROW ONLY", "LIMIT 1", 1),
    ("SELECT 1 FETCH NEXT 5000 ROWS ONLY", "LIMIT 1001", 1000),
    ("SELECT title FROM issues ORDER BY 1 FETCH FIRST 5000 ROWS WITH TIES", "FETCH FIRST 1001 ROWS WITH TIES", 1000),
    ("SELECT title FROM issues ORDER BY 1 FETCH FIRST 3 ROWS WITH TIES", "FETCH FIRST 3 ROWS WITH TIES", 1000),
    ("SELECT 1 OFFSET 5", "LIMIT 51 OFFSET 5", 50),
    ("SELECT 1 LIMIT 5000 OFFSET 10", "LIMIT 1001 OFFSET 10", 1000),
    ("SELECT 1 UNION SELECT 2", "SELECT 1 UNION SELECT 2 LIMIT 51", 50),
    (
        "(SELECT 1 LIMIT 5000) UNION (SELECT 2 LIMIT 3000)",
        "(SELECT 1 LIMIT 5000) UNION (SELECT 2 LIMIT 3000) LIMIT 51",
        50,
    ),
    ("VALUES (1), (2)", "VALUES (1), (2) LIMIT 51", 50),
    ("TABLE issues", "LIMIT 51", 50),
    ("WITH a AS (SELECT 1 LIMIT 5000) SELECT * FROM a", "(SELECT 1 LIMIT 5000) SELECT * FROM a LIMIT 51", 50),
    ("SELECT * FROM (SELECT 1 LIMIT 5000) AS t", "(SELECT 1 LIMIT 5000) t LIMIT 51", 50),
    ("(SELECT 1 LIMIT 5000)", "LIMIT 1001", 1000),
    ("((SELECT 1))", "LIMIT 51", 50),
]


@pytest.mark.parametrize(("sql", "written", "max_rows"), RULE)
def test_the_rule(catalog: ViewCatalog, sql: str, written: str, max_rows: int) -> None:
    checked = check(sql, catalog=catalog)

    assert written in checked.sql
    assert checked.max_rows == max_rows


def test_what_was_set_is_known(catalog: ViewCatalog) -> None:
    assert check("SELECT 1", catalog=catalog).limit_was_set
    assert not check("SELECT 1 LIMIT 5", catalog=catalog).limit_was_set
