"""Pages of events and of runs."""

from collections.abc import Sequence

from backtests.contracts.answers import EventPage, PageMetadata, RunAnswer, RunPage
from backtests.contracts.questions import (
    EventsByEntity,
    EventsByType,
    RunsQuestion,
    SequenceQuestion,
    ValidationErrorsQuestion,
)
from backtests.runs import queries
from backtests.runs.open_loads import describe_open_loads
from backtests.runs.queries import Row, Window
from backtests.runs.rendering import cut_to_budget
from backtests.runs.validation import RunQuestion, budget
from backtests.store.lists import WHOLE, entity_lists
from backtests.vocabulary import TYPE_CODES
from toolbox.database.pools import Pool

Paged = EventsByType | EventsByEntity | ValidationErrorsQuestion | RunsQuestion | SequenceQuestion


def window(ask: Paged, *, first: int | None = None, last: int | None = None) -> Window:
    """Return the window of a query's page."""
    skip = ask.page_index * ask.page_size
    return Window(skip=skip, take=ask.page_size, budget=budget(), first=first, last=last)


def event_page(asked: RunQuestion, *, rows: Sequence[Row], ask: Paged) -> EventPage:
    """Build a page of events, truncated after the last one that fits the size limit."""
    total = rows[0]["total"]
    found = [row for row in rows if row["event_id"] is not None]
    events = cut_to_budget(found, run_id=str(asked.run_id), budget=budget())
    skip = ask.page_index * ask.page_size
    expected = max(0, min(ask.page_size, total - skip))
    metadata = asked.make_metadata(
        PageMetadata,
        total_count=total,
        returned_count=len(events),
        page_index=ask.page_index,
        page_size=ask.page_size,
        has_more=skip + len(events) < total,
        truncated=len(events) < expected,
    )
    return EventPage(events=events, metadata=metadata)


async def entity_rows(ask: EventsByEntity, *, reader: Pool) -> list[Row]:
    """Fetch the page of an entity's events."""
    lists = entity_lists(ask.entity_type, value=ask.entity_value, event_types=list(ask.event_types))
    if ask.entity_type in WHOLE and ask.event_types:
        types = [TYPE_CODES[name] for name in ask.event_types]
        return await queries.whole_page(ask.run_id, lists=lists, types=types, window=window(ask), reader=reader)
    return await queries.page(ask.run_id, lists=lists, window=window(ask), reader=reader)


def make_run(row: Row) -> RunAnswer:
    """Build a run's answer from its row."""
    values = {name: row[name] for name in RunAnswer.model_fields if name in row}
    return RunAnswer(**values, incomplete=describe_open_loads(row))


async def run_page(ask: RunsQuestion, *, reader: Pool) -> RunPage:
    """Fetch a page of runs."""
    started = reader.clock()
    page = window(ask)
    rows = await queries.runs(symbol=ask.security_symbol, window=page, reader=reader)
    total = rows[0]["total"]
    found = [make_run(row) for row in rows if row["run_id"]]
    metadata = PageMetadata(
        total_count=total,
        returned_count=len(found),
        page_index=ask.page_index,
        page_size=ask.page_size,
        has_more=page.skip + len(found) < total,
        query_time_ms=round((reader.clock() - started) * 1000),
        truncated=False,
    )
    return RunPage(runs=found, metadata=metadata)
