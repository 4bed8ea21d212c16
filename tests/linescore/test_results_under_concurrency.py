"""Two people who correct one game at once leave results that fit its periods."""

import asyncio
from typing import Any

import psycopg
from asgiref.sync import sync_to_async
from django.db import connections
from psycopg.conninfo import make_conninfo

from linescore.models import PeriodResult

GAME_ID = 2024020001  # Buffalo against New Jersey: 0-2, 0-1, 1-1
SCORE = "UPDATE linescore_periods SET home_goals = 5 WHERE game_id = %s AND period_number = %s"


async def connect() -> psycopg.AsyncConnection[Any]:
    entry = connections["default"].settings_dict
    known = {"dbname": entry["NAME"], "user": entry["USER"], "password": entry["PASSWORD"]}
    known |= {"host": entry["HOST"], "port": entry["PORT"]}
    conninfo = make_conninfo(**{name: value for name, value in known.items() if value})
    return await psycopg.AsyncConnection.connect(conninfo)


async def until_waiting(connection: psycopg.AsyncConnection[Any]) -> None:
    """Return once the other connection's statement waits for a lock."""
    question = "SELECT 1 FROM pg_stat_activity WHERE pid = %s AND wait_event_type = 'Lock'"
    async with asyncio.timeout(60), await connect() as observer:
        await observer.set_autocommit(True)
        while not await (await observer.execute(question, [connection.info.backend_pid])).fetchone():
            pass


def outcomes() -> list[tuple[int, int, str, bool]]:
    rows = PeriodResult.objects.filter(game=GAME_ID, team="BUF").order_by("period_number")
    return list(rows.values_list("period_number", "goals_for", "period_outcome", "won_two_plus_reg_periods"))


async def test_corrections_of_two_periods_at_once_are_both_followed(scratch_database: None) -> None:
    async with await connect() as first, await connect() as second:
        await first.execute(SCORE, [GAME_ID, 1])
        meanwhile = asyncio.create_task(second.execute(SCORE, [GAME_ID, 2]))
        await until_waiting(second)
        await first.commit()
        await meanwhile
        await second.commit()

    assert await sync_to_async(outcomes)() == [(1, 5, "WIN", True), (2, 5, "WIN", True), (3, 1, "WIN", True)]
