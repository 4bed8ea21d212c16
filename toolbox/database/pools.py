"""
The connection pools of this process, one per role and use.

`reader` is what tools read through: `reader.fetch(statement, parameters)`. Its login is the reader role, which can
SELECT what migrations granted and nothing else, and every statement runs READ ONLY. Deadlines are the callers': a
cancelled call cancels its statement in the database; the timeout set here only catches what nobody waits for any more.

`writer` is what tools declared `writes=True`, and caches, write through: `writer.using(work)`, as the owner of the
tables. Nothing is ever tried twice: after a connection is lost in the middle, whether its commit arrived is unknown,
and the caller is told so (DatabaseUnavailable).

`owner_pool` is the kernel's own, as the owner: keys are looked up and calls are recorded through it.

`work_pool` and `relaxed_pool` keep background work and runs, as the owner. A statement that meets a dead connection is
repeated, so each there is safe to repeat. `relaxed_pool` is for what a crash of the database may take back without
harm: heartbeats, streamed text, that a step began.
"""

from django.conf import settings

from toolbox.database.pool import Pool

reader = Pool(
    "reader",
    options="-c default_transaction_read_only=on -c statement_timeout=30000 -c jit=off",
    max_size=settings.TOOLROOM_READER_POOL,
)
writer = Pool("default", options="-c statement_timeout=10000 -c jit=off", max_size=4, repeats=False)
owner_pool = Pool("default", options="-c statement_timeout=10000", max_size=2)
work_pool = Pool("default", options="-c statement_timeout=10000", max_size=4)
relaxed_pool = Pool("default", options="-c statement_timeout=10000 -c synchronous_commit=off", max_size=4)
