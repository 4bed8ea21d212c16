"""Statements that would end a process or hang it are refused before the parser sees them, quickly."""

import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress

import pytest

from sprints.sql_sandbox.guard import Refused, ViewCatalog, check

LARGE: dict[str, Callable[[int], str]] = {
    "parentheses": lambda n: f"SELECT {'(' * n}1{')' * n}",
    "open parentheses": lambda n: f"SELECT {'(' * n}",
    "additions": lambda n: f"SELECT {'+'.join(['1'] * n)}",
    "minus signs": lambda n: f"SELECT {'- ' * n}1",
    "negations": lambda n: f"SELECT {'NOT ' * n}true",
    "conjunctions": lambda n: f"SELECT {' AND '.join(['true'] * n)}",
    "casts": lambda n: f"SELECT 1{'::int' * n}",
    "arrays": lambda n: f"SELECT {'ARRAY[' * n}1{']' * n}",
    "cases": lambda n: f"SELECT {'CASE WHEN true THEN ' * n}1{' END' * n}",
    "open cases": lambda n: f"SELECT {'CASE WHEN ' * n}",
    "subqueries": lambda n: f"{'SELECT * FROM (' * n}SELECT 1{') AS t' * n}",
    "scalar subqueries": lambda n: f"SELECT {'(SELECT ' * n}1{')' * n}",
    "WITH in WITH": lambda n: f"{'WITH a AS (' * n}SELECT 1{') SELECT 1' * n}",
    "WITH entries": lambda n: f"WITH {','.join(f'a{i} AS (SELECT 1)' for i in range(n))} SELECT 1",
    "unions": lambda n: " UNION ALL ".join(["SELECT 1"] * n),
    "joins": lambda n: f"SELECT 1 FROM issues a{' JOIN issues b USING (issue_id)' * n}",
    "functions": lambda n: f"SELECT {'lower(' * n}'a'{')' * n}",
    "concatenations": lambda n: f"SELECT {'||'.join(['1'] * n)}",
    "columns": lambda n: f"SELECT {','.join(['1'] * n)}",
    "values": lambda n: f"SELECT 1 WHERE 1 IN ({','.join(['1'] * n)})",
    "fields": lambda n: f"SELECT a{'.a' * n}",
    "subscripts": lambda n: f"SELECT a{'[1]' * n}",
    "collations": lambda n: f"SELECT 'a'{' COLLATE x' * n}",
    "statements": lambda n: "SELECT 1;" * n,
    "comments": lambda n: f"{'/*' * n} SELECT 1",
    "closed comments": lambda n: f"{'/* a */' * n}SELECT 1",
    "quotes": lambda n: f"SELECT {'$a$' * n}",
    "blanks": lambda n: f"{' ' * n}SELECT 1",
    "a long text": lambda n: f"SELECT '{'a' * n}'",
    "a long name": lambda n: f"SELECT {'a' * n}",
    "four-byte letters": lambda n: f"SELECT '{chr(0x1F600) * n}'",
    "bad escapes": lambda n: f"SELECT E'{chr(92)}u{'d' * n}'",
}
MAX_SECONDS = 0.2  # usually 0.02; a core shared with others counts its own slowness as ours


def _seconds(sql: str, *, catalog: ViewCatalog) -> float:
    """Return the guard's CPU time, which does not depend on a busy machine."""
    started = time.thread_time()
    with suppress(Refused):
        check(sql, catalog=catalog)
    return time.thread_time() - started


@pytest.mark.parametrize("size", [45, 480, 1_999, 30_000, 1_000_000])
@pytest.mark.parametrize("name", LARGE)
def test_the_guard_neither_ends_nor_hangs(catalog: ViewCatalog, name: str, size: int) -> None:
    sql = LARGE[name](size)

    assert min(_seconds(sql, catalog=catalog) for _ in range(3)) < MAX_SECONDS


@pytest.mark.parametrize("name", LARGE)
def test_a_million_of_anything_is_refused(catalog: ViewCatalog, name: str) -> None:
    with pytest.raises(Refused) as caught:
        check(LARGE[name](1_000_000), catalog=catalog)

    assert caught.value.suggestion
    assert len(caught.value.message) < 200


def test_forty_brackets_are_none_too_many(catalog: ViewCatalog) -> None:
    check(f"SELECT {'(' * 40}1{')' * 40}", catalog=catalog)


@pytest.mark.parametrize("sql", ["SELECT '\x00'", "SELECT 1\x00; DROP TABLE x", "SELECT '\ud800'", "\udfff"])
def test_what_no_text_of_postgresql_can_hold_is_refused(catalog: ViewCatalog, sql: str) -> None:
    with pytest.raises(Refused, match=r"U\+0000|Unicode"):
        check(sql, catalog=catalog)


@pytest.mark.parametrize("name", ["additions", "minus signs", "negations", "casts", "concatenations", "collations"])
def test_the_deepest_tree_that_the_bounds_let_through_fits_a_small_stack(name: str) -> None:
    """In a thread with 512 KB of stack, as macOS gives; an overflow ends the process, so it is another one."""
    code = f"""
import threading
from sprints.sql_sandbox.guard import Refused, check
from tests.sprints.sql_sandbox.conftest import CATALOG
from tests.sprints.sql_sandbox.guard.test_bounds import LARGE
def run():
    for size in range(3_990, 100, -70):
        try:
            check(LARGE[{name!r}](size), catalog=CATALOG)
        except Refused:
            pass
threading.stack_size(524_288)
thread = threading.Thread(target=run)
thread.start()
thread.join()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr[-500:]
