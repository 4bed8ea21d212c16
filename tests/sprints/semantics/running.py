"""Run queries of the semantic layer as the guard passes them."""

from dataclasses import dataclass
from typing import Any

from django.db import connection

from sprints.schema.reading import stored_schema
from sprints.schema.view_catalog import SCHEMA, ViewCatalog
from sprints.semantics.compile import compile_query
from sprints.semantics.model import shipped_model
from sprints.semantics.query import MetricQuery
from sprints.semantics.result import CompiledQuery
from sprints.sql_sandbox.guard import check

Rows = list[dict[str, Any]]


def stored_catalog() -> ViewCatalog:
    """Return the views that statements may name."""
    schema = stored_schema()
    views = {table.name: frozenset(column.name for column in table.columns) for table in schema.tables}
    return ViewCatalog(schema=SCHEMA, views=views)


CATALOG = stored_catalog()


@dataclass(frozen=True)
class Answer:
    """The rows of a query, with the statement that gave them."""

    compiled: CompiledQuery
    rows: Rows

    @classmethod
    def of(cls, query: MetricQuery) -> "Answer":
        """Compile, check and run."""
        compiled = compile_query(query, model=shipped_model())
        return cls(compiled, run_sql(compiled.sql))

    @property
    def value(self) -> Any:
        """Return the one number of the one row."""
        (row,) = self.rows
        (value,) = row.values()
        return value

    def column(self, name: str) -> list[Any]:
        """Return a column."""
        return [row[name] for row in self.rows]


def run_sql(sql: str) -> Rows:
    """Run a statement as the guard rewrote it."""
    return run_checked(check(sql, catalog=CATALOG).sql)


def run_checked(sql: str, *values: str) -> Rows:
    """Run a statement without the guard, on base tables or already checked."""
    with connection.cursor() as cursor:
        cursor.execute(sql, values if values else None)
        names = [column[0] for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def explain(sql: str) -> None:
    """Let the database plan a statement as the guard rewrote it."""
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN " + check(sql, catalog=CATALOG).sql)
