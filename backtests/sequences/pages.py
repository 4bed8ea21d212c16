"""Pages of sequences: select shapes, page their roots, and read only the page's events."""

from itertools import groupby

from backtests.contracts.answers import Sequence, SequenceMetadata, SequencePage
from backtests.contracts.error_envelope import EVENT_NOT_FOUND
from backtests.contracts.questions import SequenceQuestion
from backtests.ingest.signatures import has_many_shapes, list_of_shape
from backtests.runs.paging import window
from backtests.runs.queries import Row
from backtests.runs.rendering import cut_to_budget, too_large
from backtests.runs.validation import RunQuestion, budget
from backtests.sequences import queries
from backtests.sequences.completeness import Verdict, count_rows, judge, select_shapes
from toolbox.contract.errors import ToolError
from toolbox.database.pools import Pool

SMALLER = "Ask for a smaller maxDepth, or for the events by get_events_by_entity."


async def sequence_page(asked: RunQuestion, *, ask: SequenceQuestion, reader: Pool) -> SequencePage:
    """Fetch a page of sequences whose shapes the query selects."""
    total, roots = await _find_roots(ask, reader=reader)
    events: list[Row] = []
    if roots:
        events = await queries.trees(ask.run_id, roots=roots, depth=ask.max_depth, budget=budget(), reader=reader)
    found = [_sequence(asked, list(tree), ask=ask) for _, tree in groupby(events, key=lambda row: row["place"])]
    whole = [sequence for sequence in found if sequence]
    if found and not whole:
        raise too_large("The first sequence alone is larger than an answer may be.", suggestion=SMALLER)
    return _page(asked, whole, total=total, wanted=len(roots), ask=ask)


async def _find_roots(ask: SequenceQuestion, *, reader: Pool) -> tuple[int, list[int]]:
    """Count the selected roots, and return those of the page."""
    import numpy as np  # noqa: PLC0415 - loaded with the first sequences, not with every process

    pattern, depth = ask.sequence_pattern, ask.max_depth
    known = await queries.fetch_shapes(ask.run_id, rows=count_rows(pattern, depth=depth), reader=reader)
    shapes = select_shapes(known, pattern=pattern, depth=depth, only_incomplete=ask.find_incomplete)
    if not has_many_shapes(known.shape_count):
        lists = [list_of_shape(shape) for shape in shapes]
        rows = await queries.roots(ask.run_id, lists=lists, window=window(ask), reader=reader)
        return rows[0]["total"], [row["number"] for row in rows if row["number"] is not None]
    is_selected = np.zeros(known.shape_count, dtype=bool)
    is_selected[shapes] = True
    root_shapes = await queries.fetch_root_shapes(ask.run_id, reader=reader)
    if len(root_shapes) and root_shapes.max() >= known.shape_count:  # a load stored new shapes meanwhile
        return await _find_roots(ask, reader=reader)
    ordinals = np.flatnonzero(is_selected[root_shapes])
    skip = ask.page_index * ask.page_size
    page = ordinals[skip : skip + ask.page_size].tolist()
    return len(ordinals), await queries.fetch_roots_at(ask.run_id, ordinals=page, reader=reader) if page else []


async def one_sequence(asked: RunQuestion, *, ask: SequenceQuestion, reader: Pool) -> SequencePage:
    """Fetch the sequence below one event. Raises ToolError EVENT_NOT_FOUND."""
    place = await queries.one(ask.run_id, event_id=ask.root_event_id, reader=reader)
    if place is None:
        raise _no_such_event(str(ask.root_event_id))
    rows = await queries.below(
        ask.run_id,
        event_id=ask.root_event_id,
        root=place["root_number"],
        depth=ask.max_depth,
        budget=budget(),
        reader=reader,
    )
    if rows[-1]["all_bytes"] > budget():
        raise too_large("The sequence is larger than an answer may be.", suggestion=SMALLER)
    flag = place["trail"][0] if place["number"] == place["root_number"] else ""
    sequence = _sequence(asked, rows, ask=ask, flag=flag if flag in "?@" else "")
    fits = [sequence] if sequence and not (ask.find_incomplete and sequence.complete) else []
    shown = fits if ask.page_index == 0 else []
    return _page(asked, shown, total=len(fits), wanted=len(shown), ask=ask)


def _sequence(asked: RunQuestion, rows: list[Row], *, ask: SequenceQuestion, flag: str = "") -> Sequence | None:
    """Build a sequence; return None if not all of its events were read."""
    if rows[0]["all_bytes"] > budget():
        return None
    first = min(rows, key=lambda row: len(row["trail"]))
    verdict = _verdict(rows, ask=ask, flag=flag)
    return Sequence(
        root_event_id=first["event_id"],
        events=cut_to_budget(rows, run_id=str(asked.run_id), budget=2 * budget()),
        complete=verdict.is_complete,
        missing_event_types=verdict.missing,
    )


def _verdict(rows: list[Row], *, ask: SequenceQuestion, flag: str) -> Verdict:
    trails = [flag + row["trail"] for row in rows]
    return judge(trails, pattern=ask.sequence_pattern, depth=ask.max_depth)


def _no_such_event(event_id: str) -> ToolError:
    return ToolError(
        EVENT_NOT_FOUND,
        f"The run has no event {event_id}.",
        suggestion="Take an eventId of this run, as get_events_by_type gives them; or leave rootEventId out.",
        field="rootEventId",
        details={"rootEventId": event_id},
    )


def _page(asked: RunQuestion, shown: list[Sequence], *, total: int, wanted: int, ask: SequenceQuestion) -> SequencePage:
    passed = ask.page_index * ask.page_size
    metadata = asked.make_metadata(
        SequenceMetadata,
        total_sequences=total,
        returned_count=len(shown),
        page_index=ask.page_index,
        page_size=ask.page_size,
        has_more=passed + len(shown) < total,
        truncated=len(shown) < wanted,
    )
    return SequencePage(sequences=shown, metadata=metadata)
