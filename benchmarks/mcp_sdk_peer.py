"""
The official SDK's own server with the same statement on the same database, set up by its documentation's best advice.

It uses an async pool of the same size, stateless, plain JSON answers, uvloop and httptools, no access log. It checks no
key and keeps no record of calls. Run by mcp_load.py with the project's own interpreter.
"""

import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import date
from typing import Any

from mcp.server.mcpserver import MCPServer
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool

SETUP = json.loads(os.environ["BENCHMARK_PEER"])
pool: AsyncConnectionPool[Any] = AsyncConnectionPool(
    SETUP["database"], min_size=1, max_size=SETUP["connections"], open=False,
    kwargs={"autocommit": True, "row_factory": dict_row},
)  # fmt: skip


@asynccontextmanager
async def lifespan(_: Any) -> AsyncIterator[None]:
    """Open the pool for as long as the server runs."""
    async with pool:
        yield


server = MCPServer("peer", lifespan=lifespan, log_level="WARNING")


@server.tool()
async def query_linescore_data(
    teamCode: str,  # noqa: N803 - the contract's names
    startDate: date,  # noqa: N803
    endDate: date,  # noqa: N803
    limit: int = 100,
) -> list[dict[str, Any]]:
    """Answer how a team did in its periods from the first to the last day."""
    given = {"team_code": teamCode, "start_date": startDate, "end_date": endDate, "most": limit + 1}
    async with pool.connection() as connection, connection.cursor() as cursor:
        await cursor.execute(SETUP["statement"], given, prepare=True)
        rows: list[Any] = await cursor.fetchall()
        return rows


server.run(transport="streamable-http", host=SETUP["host"], port=SETUP["port"], stateless_http=True, json_response=True)
