"""
A process with its own database, which it stops, starts and disturbs while it calls tools.

Run by test_database_away.py; prints one JSON object: the result of each call, and how long it took.
"""

import asyncio
import json
import os
import sys
import time
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

import psycopg  # noqa: E402 - Django first
from django.conf import settings  # noqa: E402
from django.contrib.auth.models import User  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connections  # noqa: E402

from config.postgres.cluster import SUPERUSER, address, crash, ensure_running, start  # noqa: E402
from linescore.ingest.samples import load_samples  # noqa: E402
from toolbox.access import keys  # noqa: E402
from toolbox.audit.log import audit  # noqa: E402
from toolbox.contract.caller import LOCAL_OPERATOR, Caller  # noqa: E402
from toolbox.database import event_loop  # noqa: E402
from toolbox.database.pools import owner_pool, reader  # noqa: E402
from toolbox.dispatch.dispatch import Call, dispatch  # noqa: E402
from toolbox.models import ApiKey  # noqa: E402

place = ensure_running(settings.TOOLROOM_VAR)
met: dict[str, Any] = {}


async def _answer(credential: str | Caller) -> dict[str, Any]:
    started = time.perf_counter()
    call = Call(
        tool="query_linescore_data", arguments=b"{}", credential=credential, transport="test", request_id="outage"
    )
    reply = await dispatch(call)
    return {"status": reply.status, "code": reply.code, "seconds": time.perf_counter() - started}


def call(step: str, *, credential: str | Caller = LOCAL_OPERATOR) -> None:
    """Call the tool once and record the result."""
    met[step] = event_loop.run(_answer(credential))


def call_together(step: str, *, times: int) -> None:
    """Call the tool several times at once and record the statuses."""

    async def together() -> list[dict[str, Any]]:
        return await asyncio.gather(*[_answer(LOCAL_OPERATOR) for _ in range(times)])

    met[step] = [reply["status"] for reply in event_loop.run(together())]


def superuser() -> psycopg.Connection[Any]:
    """Connect as the superuser, who may end other sessions."""
    return psycopg.connect(
        address(place, database=settings.DATABASES["default"]["NAME"], user=SUPERUSER), autocommit=True
    )


def end_connections() -> None:
    """Terminate every connection of the pools."""
    with superuser() as admin:
        admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'toolroom-%'")


def stop_under_a_statement() -> None:
    """Stop the database while a tool waits for its answer."""
    holder = superuser()
    holder.execute("BEGIN")
    holder.execute("LOCK TABLE linescore_period_results IN ACCESS EXCLUSIVE MODE")
    waiting = asyncio.run_coroutine_threadsafe(_answer(LOCAL_OPERATOR), event_loop.get_loop())
    locks = "SELECT count(*) FROM pg_locks WHERE NOT granted"
    until = time.monotonic() + 4
    with superuser() as onlooker:
        while onlooker.execute(locks).fetchone() == (0,) and time.monotonic() < until:
            pass
    crash(place)
    met["the database goes under a statement"] = waiting.result(60)


def main() -> None:
    """Run the outages, one after the other."""
    key = made_ready()
    outage_under_busy_pools(key)
    outage_under_an_idle_pool()
    ended_connections()
    stop_under_a_statement()
    start(place)
    call("back again")
    event_loop.run(audit.flush())
    found = event_loop.run(owner_pool.fetch("SELECT count(*) AS calls FROM toolbox_tool_calls"))
    met["rows kept"] = found.rows[0]["calls"]
    json.dump(met, sys.stdout)


def made_ready() -> str:
    """Create tables, season and a key; returns the key."""
    call_command("migrate", verbosity=0)
    load_samples()
    _, key = ApiKey.make(name="k", owner_id=User.objects.create_user("o").pk, scopes=["*:read"])
    connections.close_all()
    return key


def outage_under_busy_pools(key: str) -> None:
    """Stop the database under pools with open connections."""
    call("before")
    call("before, with a key", credential=key)
    crash(place)
    call("away")
    call("away still")
    keys.forget()
    call("away, with a key that must be looked up", credential=key)
    met["rows that wait"] = len(audit._buffer)
    start(place)
    call("back")
    call("back, with a key", credential=key)


def outage_under_an_idle_pool() -> None:
    """Stop the database under a pool without connections."""
    event_loop.run(reader.close())
    event_loop.run(open_without_connecting())
    crash(place)
    call("away, from an idle pool")
    met["a pool is kept while away"] = reader._pool is not None
    start(place)
    call("back, from an idle pool")


def ended_connections() -> None:
    """End the connections while the database keeps running."""
    call_together("warm", times=8)
    end_connections()
    call("after every connection was ended")
    call_together("warm again", times=8)
    end_connections()
    call_together("many after every connection was ended", times=8)


async def open_without_connecting() -> None:
    """Leave the reader as ten idle minutes do: a pool without a connection."""
    await reader._open()


if __name__ == "__main__":
    main()
