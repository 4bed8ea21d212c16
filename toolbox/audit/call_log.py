"""
Read calls back from the audit log, for pages: filtered, by id, around a call, and refusals by group.

Each statement follows one index over a bounded number of rows and filters within them, so its cost does not grow with
the number of calls.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from toolbox.database.pools import owner_pool

PAGE = 50
MAX_SCANNED = 20_000
"""How many calls one statement scans for those that pass every filter."""
MAX_REFUSED = 2_500
MAX_BESIDE = 40

Row = dict[str, Any]

_COLUMNS = """call.id, call.called_at, call.request_id, call.caller, call.key_id, call.transport, call.domain,
    call.tool, call.outcome, call.code, call.status, call.rows, call.answer_bytes, call.milliseconds"""
SORTS = ("time", "tool", "caller", "outcome", "rows", "ms")
"""The columns by which scanned calls can be sorted."""
_SORTED_COLUMNS = {
    "time": "called_at", "tool": "tool", "caller": "caller", "outcome": "outcome", "rows": "rows", "ms": "milliseconds",
}  # fmt: skip
_SCANNED_OF_ALL = """
SELECT {scanned_columns} FROM toolbox_tool_calls
WHERE {driver} AND called_at <= %(before)s AND (called_at, id) < (%(before)s, %(before_id)s)
ORDER BY called_at DESC, id DESC LIMIT %(scanned)s
"""
_SCANNED_OF_KEYS = """
SELECT call.* FROM unnest(%(keys)s::bigint[]) AS own (key_id) CROSS JOIN LATERAL (
    SELECT {scanned_columns} FROM toolbox_tool_calls
    WHERE key_id = own.key_id AND called_at <= %(before)s AND (called_at, id) < (%(before)s, %(before_id)s)
    ORDER BY called_at DESC, id DESC LIMIT %(scanned)s
) AS call
ORDER BY call.called_at DESC, call.id DESC LIMIT %(scanned)s
"""
_FIND = """
WITH scanned AS MATERIALIZED ({scanned}),
edge AS (
    SELECT count(*) AS scanned_count, min(called_at) AS scanned_until,
        (array_agg(id ORDER BY called_at, id))[1] AS scanned_id
    FROM scanned
),
found AS (
    SELECT id, called_at FROM scanned
    WHERE (%(tool)s = '' OR tool = %(tool)s) AND (%(outcome)s = '' OR outcome = %(outcome)s)
        AND (%(pages)s OR tool NOT LIKE 'page\\_%%')
    ORDER BY {order}called_at DESC, id DESC LIMIT %(limit)s OFFSET %(offset)s
)
SELECT edge.*, {columns} FROM edge
LEFT JOIN (found JOIN toolbox_tool_calls AS call ON call.id = found.id AND call.called_at = found.called_at) ON true
ORDER BY {order_of_call}call.called_at DESC, call.id DESC LIMIT 100
"""
_ONE = f"SELECT {_COLUMNS}, call.arguments FROM toolbox_tool_calls AS call WHERE call.id = %s LIMIT 1"  # noqa: S608 - names of columns
_BESIDE = f"""
SELECT * FROM (
    (SELECT {_COLUMNS} FROM toolbox_tool_calls AS call WHERE call.key_id = %(key)s AND call.called_at <= %(at)s
     AND call.called_at > %(at)s - make_interval(secs => %(span)s) ORDER BY call.called_at DESC LIMIT %(limit)s)
    UNION ALL
    (SELECT {_COLUMNS} FROM toolbox_tool_calls AS call WHERE call.key_id = %(key)s AND call.called_at > %(at)s
     AND call.called_at < %(at)s + make_interval(secs => %(span)s) ORDER BY call.called_at LIMIT %(limit)s)
) AS beside ORDER BY called_at LIMIT 100
"""  # noqa: S608 - names of columns
_REFUSED = """
SELECT tool, domain, code, outcome, count(*) AS calls, max(called_at) AS last_at, max(id) AS last_id FROM (
    (SELECT * FROM toolbox_tool_calls WHERE outcome = 'refused' AND called_at >= %(since)s
     ORDER BY called_at DESC LIMIT %(limit)s)
    UNION ALL
    (SELECT * FROM toolbox_tool_calls WHERE outcome = 'failed' AND called_at >= %(since)s
     ORDER BY called_at DESC LIMIT %(limit)s)
) AS latest
WHERE is_known AND tool NOT LIKE 'page\\_%%'
GROUP BY tool, domain, code, outcome ORDER BY calls DESC, last_at DESC LIMIT 50
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallFilter:
    """
    Filter of calls: by keys (None: any), tool, outcome and cursor (`before`); `pages` includes calls of pages.

    `sort` is one of SORTS. In any order but the latest first, only the 20,000 calls before the cursor are sorted, and
    `page` numbers their pages.
    """

    keys: Sequence[int] | None = None
    tool: str = ""
    outcome: str = ""
    before: datetime
    before_id: int
    pages: bool = False
    sort: str = "time"
    is_descending: bool = True
    page: int = 1

    @property
    def is_by_time(self) -> bool:
        """Return whether the order is that of the log, the latest first."""
        return self.sort == "time" and self.is_descending


@dataclass(slots=True, kw_only=True)
class FoundCalls:
    """
    A page of calls; `next` is the cursor of earlier calls.

    In another order than the log's, `has_more` means that the scanned calls have a further page.
    """

    rows: list[Row] = field(default_factory=list)
    next: tuple[datetime, int] | None = None
    was_cut: bool = False
    """There may be earlier matches that were not scanned."""
    has_more: bool = False


async def find_calls(wanted: CallFilter) -> FoundCalls:
    """Return a page of the calls that pass the filter. Raises DatabaseUnavailable."""
    if wanted.keys is not None and not wanted.keys:
        return FoundCalls()
    driver = "outcome = %(outcome)s" if wanted.outcome not in ("", "answered") else (
        "tool = %(tool)s" if wanted.tool else "true"
    )  # fmt: skip
    column = _SORTED_COLUMNS[wanted.sort]
    columns = dict.fromkeys(("id", "called_at", "tool", "outcome", column))
    scanned = (_SCANNED_OF_ALL if wanted.keys is None else _SCANNED_OF_KEYS).format(
        driver=driver, scanned_columns=", ".join(columns)
    )
    order = "" if wanted.is_by_time else f"{{table}}{column} {'DESC' if wanted.is_descending else 'ASC'} NULLS LAST, "
    each = MAX_SCANNED if wanted.keys is None else MAX_SCANNED // len(wanted.keys)
    statement = _FIND.format(
        scanned=scanned, columns=_COLUMNS, order=order.format(table=""), order_of_call=order.format(table="call.")
    )
    found = await owner_pool.fetch(statement, {
        "keys": list(wanted.keys or ()), "tool": wanted.tool, "outcome": wanted.outcome, "pages": wanted.pages,
        "before": wanted.before, "before_id": wanted.before_id, "scanned": each, "limit": PAGE + 1,
        "offset": 0 if wanted.is_by_time else (wanted.page - 1) * PAGE,
    })  # fmt: skip
    rows = [row for row in found.rows if row["id"] is not None]
    edge = found.rows[0]
    was_cut = edge["scanned_count"] >= each
    further = (edge["scanned_until"], edge["scanned_id"]) if was_cut else None
    if not wanted.is_by_time:
        return FoundCalls(rows=rows[:PAGE], has_more=len(rows) > PAGE, next=further, was_cut=was_cut)
    if len(rows) > PAGE:
        last = rows[PAGE - 1]
        return FoundCalls(rows=rows[:PAGE], next=(last["called_at"], last["id"]))
    return FoundCalls(rows=rows, next=further, was_cut=was_cut)


async def find_call(call_id: int) -> Row | None:
    """Return one call with its stored arguments, or None. Raises DatabaseUnavailable."""
    found = await owner_pool.fetch(_ONE, [call_id])
    return found.rows[0] if found.rows else None


async def find_calls_beside(*, key_id: int, at: datetime, span_seconds: float) -> list[Row]:
    """Return a key's calls around a time, at most 40 before and 40 after. Raises DatabaseUnavailable."""
    wanted = {"key": key_id, "at": at, "span": span_seconds, "limit": MAX_BESIDE}
    return (await owner_pool.fetch(_BESIDE, wanted)).rows


async def group_refusals(*, since: datetime) -> list[Row]:
    """Return the latest refused and failed calls grouped by tool and code. Raises DatabaseUnavailable."""
    return (await owner_pool.fetch(_REFUSED, {"since": since, "limit": MAX_REFUSED})).rows
