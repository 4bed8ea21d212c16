"""
What tools read through: `reader.fetch(statement, parameters)`.

The login is the reader role, which can SELECT what migrations granted and nothing else. Every statement runs READ
ONLY. Deadlines are the callers': a cancelled call cancels its statement in the database; the timeout set here only
catches what nobody waits for any more.
"""

from django.conf import settings

from toolbox.pool import Pool

reader = Pool(
    "reader",
    options="-c default_transaction_read_only=on -c statement_timeout=30000 -c jit=off",
    max_size=settings.TOOLROOM_READER_POOL,
)
