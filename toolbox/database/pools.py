"""
The connection pools of this process, one per database role and use.

`reader`: tools read through it, `reader.fetch(statement, parameters)`. It logs in as the reader role, which can only
SELECT what migrations granted, in READ ONLY transactions. Deadlines are the callers': a cancelled call cancels its
statement in the database; the role's timeout only ends statements that no caller waits for. If the server has replicas,
it reads from them (toolbox/database/replicas.py). `writer`: tools declared `writes=True`, and caches, write through it,
`writer.run(work)`, as the tables' owner. Nothing is retried: after a connection is lost, whether its commit arrived is
unknown, and the caller gets DatabaseUnavailable. `owner_pool`: the kernel's own, as the owner, to look up keys and
record calls. `work_pool` and `relaxed_pool`: background work and runs, as the owner. A statement that meets a dead
connection is repeated, so every statement there must be safe to repeat. `relaxed_pool` is for writes that a crash of
the database may undo without harm: heartbeats, streamed text, the start of a step.
"""

from django.conf import settings
from psycopg.conninfo import make_conninfo

from toolbox.database.pool import CONNECT_TIMEOUT_SECONDS, Connection, FetchedRows, Parameters, Pool
from toolbox.database.replicas import ReplicatedPool

__all__ = [
    "CONNECT_TIMEOUT_SECONDS", "Connection", "FetchedRows", "Parameters", "Pool", "direct_conninfo", "owner_pool",
    "reader", "relaxed_pool", "work_pool", "writer",
]  # fmt: skip

DEADLINE_SECONDS = 30.0
"""Deadline of work as the owner. The owner role has no timeout, because migrations and loads use it."""


def direct_conninfo() -> str:
    """
    Return the connection string of a direct session, past any pooler.

    For what outlives a transaction: LISTEN, and session locks.
    """
    address = settings.DATABASE_LISTEN_URL or owner_pool.conninfo()
    return make_conninfo(address, application_name="toolroom-direct")


reader: Pool = (
    ReplicatedPool(
        "reader",
        replicas=settings.TOOLROOM_REPLICAS,
        max_size=settings.TOOLROOM_READER_POOL,
        max_lag_seconds=settings.TOOLROOM_REPLICA_LAG,
    )
    if settings.TOOLROOM_REPLICAS
    else Pool("reader", max_size=settings.TOOLROOM_READER_POOL)
)
writer = Pool("default", max_size=4, retries=False, deadline_seconds=DEADLINE_SECONDS)
owner_pool = Pool("default", max_size=2, deadline_seconds=DEADLINE_SECONDS)
work_pool = Pool("default", max_size=4, deadline_seconds=DEADLINE_SECONDS)
relaxed_pool = Pool(
    "default",
    max_size=4,
    deadline_seconds=DEADLINE_SECONDS,
    local_settings="SET LOCAL synchronous_commit = off",
)
