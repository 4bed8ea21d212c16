"""Run uvicorn with private library parts: `python -m benchmarks.private_server PARTS UVICORN_ARGUMENTS`."""

import asyncio
import os
import sys
from typing import Any

import uvicorn.main

PARTS = ("psycopg", "uvicorn")


def use_private_psycopg() -> None:
    """Use the private connection in every pool created from now on."""
    from benchmarks.private_psycopg import FetchingConnection, Parameters  # noqa: PLC0415 - needs Django's settings
    from toolbox.database import pools  # noqa: PLC0415

    async def fetch(self: pools.Pool, statement: str, parameters: Parameters = ()) -> pools.FetchedRows:
        started = asyncio.get_running_loop().time()
        text = statement.encode()
        rows = await self.run(lambda connection: connection.fetch(text, parameters))  # type: ignore[attr-defined]
        return pools.FetchedRows(rows=rows, milliseconds=(asyncio.get_running_loop().time() - started) * 1000)

    replaced: Any = pools
    replaced.Connection, replaced.Pool.fetch = FetchingConnection, fetch


def use_private_uvicorn(arguments: list[str]) -> None:
    """Use the private protocol instead of the server's."""
    arguments[arguments.index("--http") + 1] = "benchmarks.private_uvicorn:PrivateHttpProtocol"


if __name__ == "__main__":
    parts = sys.argv.pop(1).split(",")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    if "psycopg" in parts:
        use_private_psycopg()
    if "uvicorn" in parts:
        use_private_uvicorn(sys.argv)
    uvicorn.main.main()
