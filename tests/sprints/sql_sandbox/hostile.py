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

_PATTERNS = "ARRAY(SELECT '%b' || i || '%' FROM generate_series(1, 30000) AS i)"
_MARKS = "(SELECT repeat(repeat(U&'\\0301', 100), {n}) || repeat(repeat(U&'\\0316', 100), {n}) AS t OFFSET 0) AS x"
_ONES = "(SELECT to_jsonb(ARRAY(SELECT 1 FROM generate_series(1, 25000))) AS j OFFSET 0) AS x"
_DIGITS = "(SELECT '0x' || repeat(repeat('f', 1000), 108) AS h OFFSET 0) AS x"
_DOUBLED = "$" + "[0,0]" * 15

UNCHARGED = {
    "a list of patterns": f"SELECT t LIKE ANY (a) FROM (SELECT repeat(repeat('a', 100), 9000) AS t, {_PATTERNS} AS a "
    "OFFSET 0) AS x",
    "a list of small values": "SELECT t < ALL (a) FROM (SELECT repeat(repeat('a', 100), 9000) AS t, "
    f"{_PATTERNS} AS a OFFSET 0) AS x",
    "a long pattern": f"SELECT t LIKE '%' || repeat('a', 9000) || 'b%' FROM {MEGABYTE}",
    "a long pattern of a query": f"SELECT t NOT ILIKE ALL (SELECT '%' || repeat('a', 9000) || 'b%') FROM {MEGABYTE}",
    "marks to be sorted": f"SELECT t IS NFKD NORMALIZED FROM {_MARKS.format(n=200)}",
    "marks to be normalized": f"SELECT length(normalize(t)) FROM {_MARKS.format(n=1000)}",
    "marks normalized by a field": f"SELECT length((t).normalize) FROM {_MARKS.format(n=1000)}",
    "marks normalized by a column": f"SELECT x.normalize FROM repeat((SELECT t FROM {_MARKS.format(n=1000)}), 1) AS x",
    "a path that compares": f"SELECT j @@ '$[*] < $[*]' FROM {_ONES}",
    "a path that exists": f"SELECT j @? '$ ? (@[*] < @[*])' FROM {_ONES}",
    "a path of a function": f"SELECT jsonb_path_exists(j, 'strict $ ? (@[*] < @[*])') FROM {_ONES}",
    "a path by name": f"SELECT jsonb_path_exists(path => '$ ? (@[*] < @[*])', target => j) FROM {_ONES}",
    "a path in a list": f"""SELECT j @@ ANY ('{{"$[*] < $[*]"}}') FROM {_ONES}""",
    "a path of SQL/JSON": f"SELECT JSON_EXISTS(j, 'strict $ ? (@[*] < @[*])') FROM {_ONES}",
    "a path of a table": f"SELECT a FROM {_ONES}, JSON_TABLE(j, '$ ? (@[*] < @[*])' COLUMNS (a int PATH '$')) AS t",
    "a path of a table's column": f"SELECT a FROM {_ONES}, JSON_TABLE(j, '$' COLUMNS (NESTED '$' COLUMNS "
    "(a int PATH '$ ? (@[*] < @[*])'))) AS t",
    "a path that doubles": f"SELECT '1'::jsonb @@ '{_DOUBLED} < {_DOUBLED}'",
    "a path that lists doubles": f"SELECT jsonb_path_query_array('1', '{_DOUBLED * 2}')",
    "a path that triples": f"""SELECT JSON_QUERY('{{"a": 1}}', '${".keyvalue()" * 20}' WITH WRAPPER)""",
    "a path of all levels": "SELECT jsonb_path_query_array(repeat('[', 900) || repeat(']', 900), '$.**.**.**')",
    "words ranked": "SELECT ts_rank(v::tsvector, q::tsquery) FROM (SELECT "
    "(SELECT string_agg('w' || i || ':' || p, ' ') FROM generate_series(1, 300) AS i, "
    "(SELECT string_agg(j::text, ',') AS p FROM generate_series(1, 255) AS j) AS y) AS v, "
    "(SELECT string_agg('w' || i, ' & ') FROM generate_series(1, 300) AS i) AS q OFFSET 0) AS x",
    "words parsed": "SELECT length(to_tsvector(repeat(repeat('<!--', 100), 2000)))",
    "a date of many months": "SELECT to_date(repeat('JANUARY', 9000), repeat('TMMonth', 9000))",
    "hexadecimal digits": _many("h::numeric < 1", times=100, source=_DIGITS),
    "hexadecimal digits in a list": _many("('{' || h || '}')::numeric[]", times=100, source=_DIGITS),
    "hexadecimal digits of a range": _many("('[' || h || ',]')::numrange", times=100, source=_DIGITS),
    "hexadecimal digits by a call": _many("pg_catalog.numeric(h) < 1", times=100, source=_DIGITS),
    "hexadecimal digits by a field": _many("(h).numeric < 1", times=100, source=_DIGITS),
    "hexadecimal digits of a path": f"SELECT jsonb_path_query_first(to_jsonb(h), '$.number()') FROM {_DIGITS}",
    "hexadecimal digits of a document": f"SELECT n + m FROM {_DIGITS}, "
    "jsonb_to_record(jsonb_build_object('n', h, 'm', h)) AS r(n numeric, m numeric)",
    "hexadecimal digits of SQL/JSON": _many("JSON_VALUE(to_jsonb(h), '$' RETURNING numeric)", times=9, source=_DIGITS),
    "a padded text": _many("length('a'::char(10000000))", times=50, source="teams"),
    "a text padded by a call": _many("length(bpchar('a', 10000004, true))", times=50, source="teams"),
    "padded bits": _many("length(1::bit(80000000))", times=50, source="teams"),
}
"""By the guard: what an operation does with what it is given takes the square of it, or makes much of little."""

STOPPED = {
    "all keys as one text": "SELECT length(string_agg(repeat('x', 10000), '')) FROM generate_series(1, 90000)",
    "all keys as one list": "SELECT cardinality(array_agg(i)) FROM generate_series(1, 1000000) AS i",
    "a list of lists": "SELECT cardinality(array_agg(a)) FROM (SELECT ARRAY(SELECT generate_series(1, 200000)) AS a "
    "FROM generate_series(1, 60)) AS x",
    "a list by a field": "SELECT cardinality((i).array_agg) FROM generate_series(1, 1000000) AS i",
    "a list by a column": "SELECT cardinality(x.array_agg) FROM generate_series(1, 1000000) AS x",
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
