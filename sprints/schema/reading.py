"""The schema for get_schema and for the guard: read live, cached shortly, with a stored copy for an outage."""

import json
import logging
from collections.abc import Iterable
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any

from sprints.contracts import ForeignKey, SchemaColumn, SchemaInfo, SchemaTable
from sprints.schema import queries
from sprints.schema.constraints import FOREIGN_KEYS, NOT_NULL
from sprints.schema.view_catalog import SCHEMA, ViewCatalog
from toolbox.contract.errors import DatabaseUnavailable
from toolbox.database.caches import TtlCache
from toolbox.database.pools import reader

SECONDS_REMEMBERED = 60.0
STORED = Path(__file__).with_name("stored.json")

logger = logging.getLogger(__name__)
_remembered: TtlCache[SchemaInfo] = TtlCache(seconds=SECONDS_REMEMBERED)


async def load_schema() -> SchemaInfo:
    """Return the schema. Runs at most one statement a minute. The stored copy is used while the database is away."""
    try:
        return await _remembered.get("schema", read_schema)
    except DatabaseUnavailable as away:
        logger.warning("The stored schema is given: %s", away)
        return stored_schema()


async def load_view_catalog() -> ViewCatalog:
    """Return the relations and columns that statements may use, from the same schema."""
    return _make_catalog(await load_schema())


async def read_schema() -> SchemaInfo:
    """Read the schema from the catalogue. Raises DatabaseUnavailable, also if there is no view yet."""
    columns = await queries.view_columns(reader)
    if not columns:
        raise DatabaseUnavailable(f"there are no views in {SCHEMA}; run manage.py migrate")
    return schema_of(columns)


def schema_of(columns: Iterable[dict[str, Any]]) -> SchemaInfo:
    """Combine the catalogue's columns with the declared constraints."""
    tables = [_table(view, list(its)) for view, its in groupby(columns, key=lambda column: str(column["view"]))]
    there = {(table.name, column.name) for table in tables for column in table.columns}
    keys = [
        ForeignKey(from_table=start[0], from_column=start[1], to_table=end[0], to_column=end[1])
        for start, end in FOREIGN_KEYS
        if start in there and end in there
    ]
    return SchemaInfo(tables=tables, foreign_keys=keys)


@lru_cache(maxsize=1)
def stored_schema() -> SchemaInfo:
    """Return the copy beside the code. tests/sprints/schema compares it with the catalogue."""
    return SchemaInfo.model_validate(json.loads(STORED.read_text(encoding="utf-8")))


def _table(view: str, columns: list[dict[str, Any]]) -> SchemaTable:
    return SchemaTable(
        name=view,
        description=columns[0]["view_says"],
        columns=[
            SchemaColumn(
                name=column["column"],
                type=column["type"],
                nullable=(view, column["column"]) not in NOT_NULL,
                description=column["column_says"],
            )
            for column in columns
        ],
    )


_catalogs: dict[int, tuple[SchemaInfo, ViewCatalog]] = {}


def _make_catalog(schema: SchemaInfo) -> ViewCatalog:
    """Return the guard's catalog of a schema, cached by schema."""
    known = _catalogs.get(id(schema))
    if known and known[0] is schema:
        return known[1]
    views = {table.name: frozenset(column.name for column in table.columns) for table in schema.tables}
    catalog = ViewCatalog(schema=SCHEMA, views=views)
    _catalogs.clear()
    _catalogs[id(schema)] = schema, catalog
    return catalog
