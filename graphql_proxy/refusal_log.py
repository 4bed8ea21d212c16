"""The newest refusals of each upstream, with the fix that was offered, for the admin."""

import logging
from dataclasses import dataclass

import psycopg

from toolbox.contract.errors import DatabaseUnavailable, StatementTimeout
from toolbox.database.pools import Pool, owner_pool

logger = logging.getLogger(__name__)

MAX_REFUSALS = 200
"""The maximum rows of one upstream. Older ones are deleted when new ones are stored."""
MAX_MESSAGE, MAX_HINT, MAX_DOCUMENT = 1_000, 1_000, 8_000

_INSERT = """
WITH inserted AS (
    INSERT INTO graphql_proxy_refusals
        (upstream_id, refused_at, message, rule, coordinate, hint, offered, request_id)
    SELECT id, clock_timestamp(), %(message)s, %(rule)s, %(coordinate)s, %(hint)s, %(offered)s, %(request_id)s
    FROM graphql_proxy_upstreams WHERE id = %(upstream_id)s
    RETURNING id
), deleted AS (
    DELETE FROM graphql_proxy_refusals
    WHERE upstream_id = %(upstream_id)s AND id <= (
        SELECT id FROM graphql_proxy_refusals WHERE upstream_id = %(upstream_id)s
        ORDER BY id DESC OFFSET %(others)s LIMIT 1
    )
)
SELECT id FROM inserted LIMIT 1
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusalRecord:
    """One refusal. Longer texts are cut. `offered` is the corrected document, empty if none was offered."""

    upstream_id: int
    message: str
    rule: str = ""
    coordinate: str = ""
    hint: str = ""
    offered: str = ""
    request_id: str = ""


async def record_refusal(record: RefusalRecord, *, pool: Pool = owner_pool) -> None:
    """Store a refusal and delete all but the newest of its upstream. A failure is logged and changes no answer."""
    values = {
        "upstream_id": record.upstream_id,
        "message": _cut(record.message, length=MAX_MESSAGE),
        "rule": _cut(record.rule, length=100),
        "coordinate": _cut(record.coordinate, length=300),
        "hint": _cut(record.hint, length=MAX_HINT),
        "offered": _cut(record.offered, length=MAX_DOCUMENT),
        "request_id": _cut(record.request_id, length=200),
        "others": MAX_REFUSALS - 1,
    }
    try:
        await pool.fetch(_INSERT, values)
    except (DatabaseUnavailable, StatementTimeout, psycopg.Error):
        logger.exception("A refusal of an upstream is not recorded")


def _cut(text: str, *, length: int) -> str:
    """Shorten a text and remove NUL and lone surrogates, which cannot be stored."""
    plain = text.replace("\0", "").encode(errors="replace").decode()
    return plain if len(plain) <= length else f"{plain[: length - 1]}…"
