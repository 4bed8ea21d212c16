"""
Short statements with huge results: long texts, large numbers, long lists, comparisons of each with each.

Each took seconds that no timeout could stop, or gigabytes, when it ran without the guard.
"""

_MADE = "(SELECT repeat('{text}', (SELECT {times})) AS t OFFSET 0) AS x"
TEN_KILOBYTES = "a" * 10_000
HUNDRED_MEGABYTES = _MADE.format(text=TEN_KILOBYTES, times=10_000)
MEGABYTE = _MADE.format(text="0123456789" * 10, times=10_000)


def _many(expression: str, *, times: int, source: str) -> str:
    return f"SELECT {', '.join([expression] * times)} FROM {source}"


def _double(times: int) -> str:
    steps = ", ".join(f"c{n} AS (SELECT t || t AS t FROM c{n - 1})" for n in range(1, times))
    return f"WITH c0 AS (SELECT '{TEN_KILOBYTES}' AS t), {steps} SELECT length(t) FROM c{times - 1}"


REFUSED = {
    "150 lengths of 100 MB": _many("length(t)", times=150, source=HUNDRED_MEGABYTES),
    "12 concatenations of 100 MB": _many("length(t || t)", times=12, source=HUNDRED_MEGABYTES),
    "one text of 100 MB": f"SELECT length(t) FROM {HUNDRED_MEGABYTES}",
    "400 normalisations of a megabyte": _many("length(normalize(t))", times=200, source=MEGABYTE),
    "a needle of 5 KB in a megabyte": f"SELECT strpos(t, 'b' || repeat('a', 5000)) FROM {MEGABYTE}",
    "a replacement of each letter by a text": f"SELECT length(replace(t, '1', t)) FROM {MEGABYTE}",
    "a pattern's replacement of each letter": f"SELECT length(regexp_replace(t, '.', t, 'g')) FROM {MEGABYTE}",
    "a translation of 9,000 letters": f"SELECT length(translate(t, repeat('b', 9000), '')) FROM {MEGABYTE}",
    "a trim of 9,000 letters": f"SELECT length(btrim(t, repeat('b', 9000) || 'a')) FROM {MEGABYTE}",
    "doubled by name": _double(20),
    "lists compared": "SELECT a && b FROM (SELECT ARRAY(SELECT generate_series(1, 100000)) AS a, "
    "ARRAY(SELECT generate_series(100001, 200000)) AS b OFFSET 0) AS x",
    "documents compared": "SELECT a @> b FROM (SELECT to_jsonb(ARRAY(SELECT generate_series(1, 50000))) AS a, "
    "to_jsonb(ARRAY(SELECT generate_series(50001, 100000))) AS b OFFSET 0) AS x",
    "a format of 100 MB": "SELECT length(format('" + "%1$s" * 2_000 + "', repeat('x', 10000)))",
    "a text of a column's": "SELECT " + ", ".join(["repeat(title, 9999)"] * 50) + " FROM issues",
    "a megabyte in 1,000 groups": "SELECT cardinality(regexp_match(t, repeat('(', 1000) || '.*' || repeat(')', 1000))) "
    f"FROM {MEGABYTE}",
    "a megabyte in 30 groups of a row": f"SELECT m FROM {MEGABYTE}, regexp_matches(t, '{'(' * 30}.*{')' * 30}') AS m",
    "500 columns": f"SELECT {', '.join(['1'] * 500)}",
    "products of large numbers": _many("n * n", times=100, source="(SELECT 9.9::numeric ^ 60000.5 AS n OFFSET 0) AS x"),
    "a date of a long pattern": _many(
        "length(to_char(now(), repeat('TMMonth ', 10000)))", times=100, source="(SELECT 1) AS x"
    ),
}
"""By the guard, before they run."""

STOPPED = {
    "all keys as one text": "SELECT length(string_agg(repeat('x', 10000), '')) FROM generate_series(1, 90000)",
    "all keys as one list": "SELECT cardinality(array_agg(i)) FROM generate_series(1, 1000000) AS i",
    "a list of lists": "SELECT cardinality(array_agg(a)) FROM (SELECT ARRAY(SELECT generate_series(1, 200000)) AS a "
    "FROM generate_series(1, 60)) AS x",
    "a document": "SELECT jsonb_array_length(jsonb_agg(repeat('x', 1000))) FROM generate_series(1, 200000)",
    "a JSON aggregate": "SELECT length(JSON_ARRAYAGG(repeat('x', 1000))::text) FROM generate_series(1, 5000)",
    "an object": "SELECT jsonb_typeof(jsonb_object_agg(i, repeat('x', 1000))) FROM generate_series(1, 5000) AS i",
    "a text over a window": "SELECT length(string_agg(repeat('x', 1000), '') OVER ()) FROM generate_series(1, 5000)",
    "a list of a query": "SELECT cardinality(ARRAY(SELECT generate_series(1, 3000000)))",
    "doubled in recursion": "WITH RECURSIVE r(t, n) AS (SELECT 'x', 0 UNION ALL SELECT t || t, n + 1 FROM r "
    "WHERE n < 29) SELECT length(t) FROM r",
    "doubled in recursion, joined": "WITH RECURSIVE r AS (SELECT 'x' AS t, 0 AS n UNION ALL SELECT q.t || q.t, q.n + 1 "
    "FROM generate_series(1, 1) AS g JOIN r AS q ON q.n < 29) SELECT max(length(t)) FROM r",
    "a list that doubles": "WITH RECURSIVE r(a) AS (SELECT ARRAY[1] UNION ALL SELECT a || a FROM r) SELECT "
    "cardinality(a) FROM r",
    "a sort that spills": "SELECT max(t) FROM (SELECT DISTINCT i || repeat('x', 1000) AS t FROM "
    "generate_series(1, 900000) AS i ORDER BY t OFFSET 0) AS x",
}
"""By the database, while they run: a value is too large, temporary space is used up, or the plan costs too much."""
