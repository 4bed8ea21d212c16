"""
The connections that run SQL written by a model: the role `sprints_analyst`, a pool of its own.

A connection that comes back is cleaned to the state of a new one before anybody else gets it; if that fails it is
closed.
"""

from typing import Any

import orjson
from django.conf import settings
from psycopg.adapt import Buffer, Loader
from psycopg.pq import TransactionStatus
from psycopg.types.string import TextLoader

from toolbox.database.pools import Connection, Pool

STATEMENT_SECONDS = 5

_OPTIONS = " ".join(
    f"-c {setting}"
    for setting in (
        "default_transaction_read_only=on",
        f"statement_timeout={STATEMENT_SECONDS * 1000}",
        "search_path=sprintscope",
        "timezone=UTC",
        "datestyle=ISO",
        "intervalstyle=postgres",
        "standard_conforming_strings=on",
        "jit=off",
    )
)
_AS_TEXT = (
    "date time timetz interval bytea uuid inet cidr record int4range int8range numrange daterange tsrange tstzrange "
    "int4multirange int8multirange nummultirange datemultirange tsmultirange tstzmultirange"
)
_MOMENT_LENGTH = len("2025-01-31 12:00:00")


class _Moment(Loader):
    """A timestamp as the contracts write it: ISO 8601, milliseconds, Z; `infinity` and years BC stay as they are."""

    def load(self, data: Buffer) -> str:
        """Read `2025-01-31 12:00:00.123456+00`; the session's zone is UTC."""
        text = bytes(data).decode()
        moment = text.removesuffix("+00")
        if len(moment) < _MOMENT_LENGTH or moment[4] != "-" or not moment[-1].isdigit():
            return text
        milliseconds = moment[_MOMENT_LENGTH + 1 : _MOMENT_LENGTH + 4].ljust(3, "0")
        return f"{moment[:10]}T{moment[11:_MOMENT_LENGTH]}.{milliseconds}Z"


class _Json(Loader):
    """JSON as orjson reads it, whose numbers it can also write; what it cannot read stays text."""

    def load(self, data: Buffer) -> Any:
        """Read."""
        text = bytes(data)
        try:
            return orjson.loads(text)
        except orjson.JSONDecodeError:
            return text.decode()


async def _configure(connection: Connection) -> None:
    """Read values as an answer holds them; prepare nothing, because nothing outlives a statement here."""
    connection.prepare_threshold = None
    for name in _AS_TEXT.split():
        connection.adapters.register_loader(name, TextLoader)
    for name in ("timestamp", "timestamptz"):
        connection.adapters.register_loader(name, _Moment)
    for name in ("json", "jsonb"):
        connection.adapters.register_loader(name, _Json)


async def _reset(connection: Connection) -> None:
    """Leave nothing behind: no transaction, setting, lock, cursor, prepared statement, listener or temporary table."""
    if connection.info.transaction_status != TransactionStatus.IDLE:
        await connection.execute("ROLLBACK")
    await connection.execute("DISCARD ALL")


analyst = Pool("analyst", options=_OPTIONS, max_size=settings.SPRINTS_ANALYST_POOL, configure=_configure, reset=_reset)
