"""
Evaluation on another database: a dump in a scratch database, which is dropped at the end.

The model's SQL passes the guard, which knows the tables of the dump's largest schema, and runs as the analyst's role,
which may read that schema and owns nothing.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql
from psycopg.rows import dict_row

from sprints.asking.drafts import Draft, draft_by_model
from sprints.asking.reading import read_without_data
from sprints.contracts import ForeignKey, QueryResult, SchemaColumn, SchemaInfo, SchemaTable
from sprints.schema.view_catalog import ViewCatalog
from sprints.sql_sandbox import guard
from sprints.sql_sandbox.guard import Refused, check
from toolbox.model import Model, ModelFailure

MAX_ROWS, STATEMENT_SECONDS = 10_000, 20
_FUNCTIONS = Path(guard.__file__).with_name("functions.sql")
_READ_ONLY = f"SET TRANSACTION READ ONLY; SET LOCAL statement_timeout = {STATEMENT_SECONDS * 1000}"
_COLUMNS = """
SELECT c.table_schema AS schema, c.table_name AS name, c.column_name AS column, c.data_type AS type,
       c.is_nullable = 'YES' AS nullable
FROM information_schema.columns AS c
WHERE c.table_schema NOT IN ('pg_catalog', 'information_schema')
ORDER BY c.table_schema, c.table_name, c.ordinal_position
LIMIT 20000
"""
_KEYS = """
SELECT a.relname AS from_table, fa.attname AS from_column, b.relname AS to_table, ta.attname AS to_column
FROM pg_constraint AS k
JOIN pg_class AS a ON a.oid = k.conrelid
JOIN pg_class AS b ON b.oid = k.confrelid
JOIN pg_attribute AS fa ON fa.attrelid = k.conrelid AND fa.attnum = k.conkey[1]
JOIN pg_attribute AS ta ON ta.attrelid = k.confrelid AND ta.attnum = k.confkey[1]
WHERE k.contype = 'f'
ORDER BY 1, 2
LIMIT 5000
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class External:
    """A loaded dump: its connection and its catalog."""

    address: str
    schema: SchemaInfo
    catalog: ViewCatalog

    async def ask(self, question: str, *, model: Model, today: date) -> Draft:
        """Have the model write SQL from the schema alone. A failure of the model is a clarification."""
        try:
            reading = read_without_data(question, today=today)
            return await draft_by_model(model, reading=reading, schema=self.schema)
        except ModelFailure as failure:
            return Draft(clarification=f"The model failed: {failure}")

    async def run(self, statement: str) -> QueryResult:
        """Run one statement. A failure is in the result."""
        try:
            checked = check(statement, catalog=self.catalog, default_rows=MAX_ROWS, max_rows=MAX_ROWS)
            return QueryResult(**await self._rows(checked.sql), runtime_ms=0.0)
        except Refused as refused:
            return QueryResult(rows=[], count=0, runtime_ms=0.0, error=refused.message)
        except psycopg.Error as error:
            return QueryResult(rows=[], count=0, runtime_ms=0.0, error=str(error).splitlines()[0])

    async def find_failures(self, statements: Sequence[tuple[str, str]]) -> list[str]:
        """Plan statements, each with the name of its term. Returns a sentence for each that the database refuses."""
        failures = []
        async with await psycopg.AsyncConnection.connect(self.address) as link_:
            for name, statement in statements:
                try:
                    checked = check(statement, catalog=self.catalog, default_rows=MAX_ROWS, max_rows=MAX_ROWS)
                    await link_.execute(_READ_ONLY.encode())
                    await link_.execute(f"EXPLAIN {checked.sql}".encode())
                except Refused as refused:
                    failures.append(f"{name} is refused: {refused.message}.")
                except psycopg.Error as error:
                    failures.append(f"{name} fails: {str(error).splitlines()[0]}.")
                await link_.rollback()
        return failures

    async def _rows(self, statement: str) -> dict[str, Any]:
        async with await psycopg.AsyncConnection.connect(self.address, row_factory=dict_row) as link_:
            await link_.execute(_READ_ONLY.encode())
            cursor = await link_.execute(statement.encode(), prepare=True)
            rows = await cursor.fetchmany(MAX_ROWS)
            await link_.rollback()
        return {"rows": rows, "count": len(rows)}


@contextmanager
def load_dump(dump: str, *, admin: str, analyst: str, name: str) -> Iterator[External]:
    """
    Load a plain SQL dump into a database of that name, and drop it at the end.

    `admin` is the address of a database whose role may make others, `analyst` one of the role that runs the questions'
    SQL: it may read the schema of the dump that has most tables. A dump whose rows are COPY blocks cannot be read:
    make it with `pg_dump --inserts`. The database is dropped without FORCE, which fails at once for a process of
    another role, as the analyst's is until it has ended; without it the server waits. Raises psycopg.Error.
    """
    with psycopg.connect(admin, autocommit=True) as connection:
        connection.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(sql.Identifier(name)))
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        address = psycopg.conninfo.make_conninfo(admin, dbname=name)
        try:
            with psycopg.connect(address, autocommit=True) as inside:
                inside.execute(dump.encode())
            with psycopg.connect(address, row_factory=dict_row) as inside:
                columns = inside.execute(_COLUMNS).fetchall()
                keys = inside.execute(_KEYS).fetchall()
                catalog = _catalog(columns)
                _allow_analyst(inside, schema=catalog.schema, analyst=analyst)
            yield External(
                address=psycopg.conninfo.make_conninfo(analyst, dbname=name),
                schema=_schema(columns, keys=keys),
                catalog=catalog,
            )
        finally:
            connection.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(sql.Identifier(name)))


def _catalog(columns: Sequence[dict[str, Any]]) -> ViewCatalog:
    """Return the tables of the schema with the most columns. A dump without tables has schema public."""
    schemas = Counter(row["schema"] for row in columns)
    schema = schemas.most_common(1)[0][0] if schemas else "public"
    its = [row for row in columns if row["schema"] == schema]
    views = {
        name: frozenset(row["column"] for row in rows) for name, rows in groupby(its, key=lambda row: str(row["name"]))
    }
    return ViewCatalog(schema=schema, views=views)


def _allow_analyst(inside: psycopg.Connection[Any], *, schema: str, analyst: str) -> None:
    """Grant the schema to the analyst, and create the functions that the guard inserts into statements."""
    role = str(psycopg.conninfo.conninfo_to_dict(analyst).get("user"))
    names = {"schema": sql.Identifier(schema), "role": sql.Identifier(role)}
    inside.execute(sql.SQL(_FUNCTIONS.read_text(encoding="utf-8")).format(**names))


def _schema(columns: Sequence[dict[str, Any]], *, keys: Sequence[dict[str, Any]]) -> SchemaInfo:
    tables = [
        SchemaTable(
            name=name if schema == "public" else f"{schema}.{name}",
            columns=[SchemaColumn(name=row["column"], type=row["type"], nullable=row["nullable"]) for row in its],
        )
        for (schema, name), its in groupby(columns, key=lambda row: (row["schema"], row["name"]))
    ]
    return SchemaInfo(tables=tables, foreign_keys=[ForeignKey(**key) for key in keys])
