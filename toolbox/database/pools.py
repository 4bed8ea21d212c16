"""
The connection pools of this process, one per database role and use.

`reader` is what tools read through: `reader.fetch(statement, parameters)`. It logs in as the reader role, which can
SELECT what migrations granted and nothing else, and whose transactions are READ ONLY. Deadlines are the callers': a
cancelled call cancels its statement in the database; the role's timeout only ends what nobody waits for any more.
Where the server has replicas it reads from them (toolbox/database/replicas.py).

`writer` is what tools declared `writes=True`, and caches, write through: `writer.run(work)`, as the owner of the
tables. Nothing is ever tried twice: after a connection is lost in the middle, whether its commit arrived is unknown,
and the caller is told so (DatabaseUnavailable).

`owner_pool` is the kernel's own, as the owner: keys are looked up and calls are recorded through it.

`work_pool` and `relaxed_pool` keep background work and runs, as the owner. A statement that meets a dead connection is
repeated, so each there is safe to repeat. `relaxed_pool` is for what a crash of the database may take back without
harm: heartbeats, streamed text, that a step began.
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
"""Of the work of the owner's pools, whose role has no timeout of its own: migrations and loads of data log in as it."""


def direct_conninfo() -> str:
    """
    Return how to connect to the database with a session of one's own, past any pooler.

    For what outlives a transaction: LISTEN, and locks of a session.
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
