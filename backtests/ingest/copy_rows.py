"""Writing of a batch into the run's partitions by COPY."""

import json
from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter
from typing import Any
from uuid import UUID

from backtests.ingest import statements
from backtests.ingest.row_builder import Ready
from backtests.ingest.signatures import BLOCK_SHAPES, LONE_SHAPES, encode_block
from backtests.store.orders import COLUMNS, OrderRow, trace_order

Cursor = Any


def write_events(cursor: Cursor, *, ready: Ready, table: str) -> None:
    """Copy the events into the run's partition."""
    _copy(cursor, statements.COPY_EVENTS.format(table=table), ready.events)


def write_lists(cursor: Cursor, *, ready: Ready, run_id: UUID, table: str) -> None:
    """Add events to their lists."""
    cursor.execute("SELECT to_regclass('pg_temp.backtests_new_lists')")
    if cursor.fetchone()[0] is None:
        cursor.execute(statements.NEW_LISTS)
    _copy(cursor, "COPY backtests_new_lists FROM STDIN (FORMAT BINARY)", ready.lists)
    if ready.removed:
        _copy(cursor, "COPY backtests_removed FROM STDIN", ready.removed)
    if ready.joins_roots:
        cursor.execute("SELECT backtests_join_roots(%s)", [run_id])
    if ready.first:  # otherwise there is no list yet into which these must be inserted
        cursor.execute(statements.SORT_IN_MEMORY)
        cursor.execute("ANALYZE backtests_new_lists (list)")  # the other columns are arrays, and long
        cursor.execute(statements.REORDER.format(lists=table), {"run": run_id})
    cursor.execute(statements.APPEND.format(lists=table), {"run": run_id})
    cursor.execute("DELETE FROM backtests_new_lists; DELETE FROM backtests_removed")  # a commit truncates them


def write_signatures(cursor: Cursor, *, ready: Ready, run_id: UUID) -> None:
    """Add shapes that are new to the run, and rewrite their blocks."""
    if not ready.signatures:
        return
    digests, numbers, trails = (list(column) for column in zip(*ready.signatures, strict=True))
    cursor.execute(statements.ADD_SIGNATURES, [run_id, digests, numbers, trails])
    first, last = (int(number) - LONE_SHAPES for number in (numbers[0], numbers[-1]))
    for block in range(first // BLOCK_SHAPES, last // BLOCK_SHAPES + 1):
        low = LONE_SHAPES + block * BLOCK_SHAPES
        if ready.first:
            cursor.execute(statements.SHAPES_OF_BLOCK, [run_id, low, low + BLOCK_SHAPES - 1, BLOCK_SHAPES])
            shapes = [json.loads(found) for (found,) in cursor.fetchall()]
        else:
            shapes = [json.loads(one) for one in trails[low - LONE_SHAPES : low - LONE_SHAPES + BLOCK_SHAPES]]
        cursor.execute(statements.WRITE_BLOCK, [run_id, block, *encode_block(shapes)])


def write_orders(cursor: Cursor, *, ready: Ready, run_id: UUID, table: str) -> None:
    """Add steps of orders to the run's partition; stored orders are traced from their last earlier step on."""
    if not ready.orders:
        return
    _copy(cursor, f"COPY {table} ({COLUMNS}) FROM STDIN", ready.orders)
    if not ready.first:
        return
    steps = ready.first_steps
    ids = [step.order for step in steps]
    cursor.execute(statements.KNOWN_ORDERS.format(orders=table), [ids, run_id, ready.first])
    known = {found[0] for found in cursor.fetchall()}
    again = [step for step in steps if step.order in known]
    if again:
        values = {
            "run": run_id,
            "orders": [step.order for step in again],
            "moments": [step.moment for step in again],
            "numbers": [step.number for step in again],
        }
        cursor.execute(statements.STEPS.format(orders=table), values)
        rows: list[OrderRow] = []
        for _, group in groupby(cursor.fetchall(), key=itemgetter(0)):
            found = list(group)
            is_traced, order = found[0][-1], [OrderRow(*one[:-1]) for one in found]
            trace_order(order[is_traced:], before=order[0] if is_traced else None)
            rows += order
        _update_steps(cursor, rows, run_id=run_id, table=table)


def _update_steps(cursor: Cursor, rows: list[OrderRow], *, run_id: UUID, table: str) -> None:
    values = [
        (row.order, row.moment, row.number, row.until, row.is_open, row.symbol, row.says_open, row.is_rejected,
         row.quantity, row.executed, row.state_number)
        for row in rows
    ]  # fmt: skip
    cursor.execute(statements.TRACED.format(orders=table), [*map(list, zip(*values, strict=True)), run_id])


def _copy(cursor: Cursor, statement: str, pieces: Iterable[bytes]) -> None:
    with cursor.copy(statement) as copy:
        for piece in pieces:
            copy.write(piece)
