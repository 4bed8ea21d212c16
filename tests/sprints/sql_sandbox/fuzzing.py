"""Generated statements: honest queries with their words shuffled, and a grammar of malicious ones."""

import postgast
from hypothesis import strategies as st

from tests.sprints.sql_sandbox.attacks import ATTACKS
from tests.sprints.sql_sandbox.honest import HONEST

_SPICES = [
    "pg_sleep(9)",
    "pg_catalog.pg_sleep",
    "set_config('a', 'b', false)",
    "pg_class",
    "pg_catalog",
    "sprints_issues",
    "public.sprints_issues",
    "::regclass",
    "::oid",
    "FOR UPDATE",
    "INTO x",
    ";",
    "--",
    "/*",
    "*/",
    "$$",
    "'",
    '"',
    "(",
    ")",
    "DELETE FROM issues RETURNING *",
    "INSERT",
    "UNION ALL",
    "WITH a AS (",
    "RECURSIVE",
    "LATERAL",
    "VALUES (1)",
    "LIMIT",
    "FETCH FIRST 5 ROWS WITH TIES",
    "OFFSET",
    "NULL",
    "$1",
    "U&'\\0061'",
    "E'\\''",
    "current_user",
    "query_to_xml",
    ".ctid",
    ".pg_sleep",
    "ROWS FROM",
    "TABLESAMPLE system (1)",
    "OPERATOR(public.+)",
    "COLLATE",
    "AT TIME ZONE",
    "FILTER (WHERE",
    "OVER (",
    "WITHIN GROUP (",
    "ARRAY[",
    "]",
    "CASE WHEN",
    "END",
    "CAST(1 AS",
    "INTERVAL '1'",
    "xmlelement(name a)",
    "\x00",
    "\ufeff",
    "\u202e",
    "'\U0001f600'",
    "generate_series(1, 1000000000)",
    "repeat('a', 1000000000)",
    "SET",
    "EXPLAIN ANALYZE",
    "COPY",
    "lo_unlink(1)",
    "nextval('a')",
    "%",
    "{",
    "JSON_TABLE(",
    "SIMILAR TO",
    "ESCAPE",
    "NOT",
    "IS",
    "- - -",
    "1e400",
]

_DEPTH = 4
_VALUES = st.sampled_from(
    [
        "1", "'a'", "NULL", "title", "i.title", "story_points", "*", "true", "now()", "date '2025-01-01'", "$1", "ctid",
        "i.*", "ARRAY[1]", "'{}'::jsonb", "current_date", "current_user", "0.5::float8", "'x'::regclass",
    ]
)  # fmt: skip
_OPERATORS = st.sampled_from(
    [
        "+", "=", "||", "->", "~", "AND", "IS DISTINCT FROM", "LIKE", "@@", "OPERATOR(public.+)", "AT TIME ZONE",
        "COLLATE",
    ]
)  # fmt: skip
_FUNCTIONS = st.sampled_from(
    [
        "lower", "count", "coalesce", "pg_sleep", "pg_catalog.pg_sleep", "sum", "to_jsonb", "array_agg", "row_to_json",
        "greatest", "set_config", "public.f", "lo_get", "repeat", "format", "nextval", "exists",
    ]
)  # fmt: skip
_FIELDS = st.sampled_from(["pg_sleep", "title", "upper", "lo_unlink", "f1", "pg_ls_dir"])
_TYPES = st.sampled_from(["int", "text", "regproc", "numeric(9,2)", "public.t", "issues", "text[]"])
_TABLES = st.sampled_from(
    [
        "issues i", "teams", "a", "sprintscope.issues i", "pg_class", "public.sprints_issues", "ONLY issues i",
        "generate_series(1, 3) AS n", "pg_sleep(9)", "unnest(ARRAY[1]) WITH ORDINALITY", "sprints_issues",
    ]
)  # fmt: skip
_SET_OPERATIONS = st.sampled_from(["UNION", "EXCEPT ALL", "INTERSECT"])
_ENDS = st.sampled_from(["FOR UPDATE", "FOR SHARE OF i", "LIMIT 5000", "OFFSET 1"])

Texts = st.SearchStrategy[str]


def _write_expressions(value: Texts, *, select: Texts) -> Texts:
    """Generate a value, or an expression over values and queries."""
    return st.one_of(
        _VALUES,
        st.builds("({} {} {})".format, value, _OPERATORS, value),
        st.builds("{}({})".format, _FUNCTIONS, value),
        st.builds("({}).{}".format, value, _FIELDS),
        st.builds("{}::{}".format, value, _TYPES),
        st.builds("CASE WHEN {} THEN {} END".format, value, value),
        st.builds("({})".format, select),
        st.builds("ARRAY({})".format, select),
        st.builds("{} IN ({})".format, value, select),
        st.builds("count(*) FILTER (WHERE {}) OVER (PARTITION BY {} ORDER BY {})".format, value, value, value),
        st.builds("json_build_object('a', {})".format, value),
    )


def _write_sources(source: Texts, *, value: Texts, select: Texts) -> Texts:
    """Generate what follows FROM."""
    return st.one_of(
        _TABLES,
        st.builds("({}) AS i".format, select),
        st.builds("{} CROSS JOIN LATERAL {}".format, source, source),
        st.builds("{} JOIN teams t ON {}".format, source, value),
    )


def _write_selects(select: Texts, *, statement: Texts, value: Texts, source: Texts) -> Texts:
    """Generate a query."""
    return st.one_of(
        st.builds("SELECT {}".format, value),
        st.builds("SELECT {} FROM {}".format, value, source),
        st.builds("SELECT {} FROM {} WHERE {} GROUP BY {}".format, value, source, value, value),
        st.builds("SELECT {} FROM {} ORDER BY {} LIMIT {}".format, value, source, value, value),
        st.builds("WITH a AS ({}) {}".format, statement, select),
        st.builds("{} {} {}".format, select, _SET_OPERATIONS, select),
        st.builds("{} {}".format, select, _ENDS),
        st.builds("VALUES ({}, {})".format, value, value),
    )


def _write_statements(select: Texts, *, value: Texts, source: Texts) -> Texts:
    """Generate a query, or what writes."""
    return st.one_of(
        select,
        st.builds("DELETE FROM issues WHERE {} RETURNING *".format, value),
        st.builds("INSERT INTO teams {}".format, select),
        st.builds("EXPLAIN ANALYZE {}".format, select),
        st.builds("SELECT {} INTO x FROM {}".format, value, source),
        st.builds("COPY ({}) TO STDOUT".format, select),
    )


def _write(depth: int) -> Texts:
    """Generate statements with parts inside parts, so deep at most: what has no end is mostly thrown away again."""
    value, source = _VALUES, _TABLES
    select = st.builds("SELECT {} FROM {}".format, value, source)
    statement = _write_statements(select, value=value, source=source)
    for _ in range(depth):
        value, source, select = (
            _write_expressions(value, select=select),
            _write_sources(source, value=value, select=select),
            _write_selects(select, statement=statement, value=value, source=source),
        )
        statement = _write_statements(select, value=value, source=source)
    return statement


WRITTEN = _write(_DEPTH)
"""Statements by a grammar in which good and bad parts meet."""


def words(sql: str) -> list[str]:
    """Split a statement into its words and signs."""
    encoded = sql.encode()
    return [encoded[token.start : token.end].decode() for token in postgast.scan(sql).tokens]


_WORDS = [words(sql) for sql in HONEST] + [attack.sql.split() for attack in ATTACKS]


@st.composite
def mutate(draw: st.DrawFn) -> str:
    """Take a known statement and drop, double, swap or insert some words."""
    parts = list(draw(st.sampled_from(_WORDS)))
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, max(0, len(parts) - 1)))
        change = draw(st.sampled_from(["drop", "double", "swap", "spice", "borrow"]))
        if change == "drop" and parts:
            del parts[place]
        elif change == "double" and parts:
            parts.insert(place, parts[place])
        elif change == "swap" and parts:
            other = draw(st.integers(0, len(parts) - 1))
            parts[place], parts[other] = parts[other], parts[place]
        elif change == "spice":
            parts.insert(place, draw(st.sampled_from(_SPICES)))
        else:
            donor = draw(st.sampled_from(_WORDS))
            start = draw(st.integers(0, len(donor) - 1))
            parts[place:place] = donor[start : start + draw(st.integers(1, 8))]
    return draw(st.sampled_from([" ", "\n", "/**/"])).join(parts)


ANY = st.one_of(mutate(), WRITTEN, st.text(max_size=60).map("SELECT {}".format), st.text(max_size=30))
"""Anything at all."""
