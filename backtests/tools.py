"""Tools of the backtests domain."""

from datetime import UTC, datetime
from uuid import UUID

from backtests.addresses import whole_run
from backtests.contracts.answers import (
    Aggregations,
    Delta,
    DeltaMetadata,
    EventPage,
    IngestedBacktest,
    Metrics,
    MetricsMetadata,
    RunPage,
    SequencePage,
    Snapshot,
    SnapshotMetadata,
)
from backtests.contracts.error_envelope import (
    EVENT_NOT_FOUND,
    FILE_NOT_FOUND,
    FILE_REFUSED,
    INVALID_JSON_PATH,
    INVALID_TIME_RANGE,
    PERFORMANCE_NOT_BUILT,
    RESULT_TOO_LARGE,
    RUN_NOT_FOUND,
    BacktestsErrorEnvelope,
)
from backtests.contracts.questions import (
    DeltaQuestion,
    EventsByEntity,
    EventsByType,
    FileToLoad,
    IngestBacktestQuestion,
    MetricsQuestion,
    RunsQuestion,
    SequenceQuestion,
    SnapshotQuestion,
    ValidationErrorsQuestion,
)
from backtests.performance.contracts import (
    AttributionQuestion,
    CompareQuestion,
    EventGroups,
    GroupQuestion,
    ProfitAttribution,
    RankQuestion,
    RunComparison,
    RunRanking,
    Summary,
    SummaryQuestion,
    TradePage,
    TradesQuestion,
)
from backtests.runs import paging, queries
from backtests.runs.snapshots import moments_of
from backtests.runs.state import difference
from backtests.runs.validation import ask_run, first_moment, last_moment, require_run
from backtests.sequences import pages as sequence_pages
from backtests.slots import SLOTS
from backtests.store.lists import number_list, severity_list
from backtests.vocabulary import EVENT_TYPES, TYPE_CODES
from toolbox.contract.client_channel import ClientChannel
from toolbox.contract.tool import Toolkit
from toolbox.database.pools import reader

toolkit = Toolkit(
    domain="backtests",
    summary="What a trading strategy did in a backtest, event by event.",
    envelope=BacktestsErrorEnvelope(),
    slots=SLOTS,
)
SAMPLE_RUN = UUID("079cbad8-9e31-5383-8c7a-3f85849b9439")
"""The run that ships with the project."""
SAMPLE_PAIR = (UUID("5b1a97d2-e4fb-5c26-bd01-572a6390f3bd"), UUID("0614a24e-172f-5cc2-b70a-3a53b4010a2a"))
"""Two runs that ship with it: the same strategy with two stops."""


@toolkit.tool(
    example=EventsByType(
        run_id=SAMPLE_RUN,
        event_type="TradeExecution",
        start_time=datetime(2011, 6, 1, tzinfo=UTC),
        end_time=datetime(2011, 12, 31, 23, 59, 59, tzinfo=UTC),
        page_size=50,
    ),
    errors=(RUN_NOT_FOUND, INVALID_TIME_RANGE, RESULT_TOO_LARGE),
    queries=2,
    links=whole_run,
)
async def get_events_by_type(ask: EventsByType) -> EventPage:
    """
    Query events filtered by event type and optional time range.

    Retrieve backtest events of a specific type (e.g., TradeExecution, OrderRejection) within an optional time window.
    Supports pagination for large result sets; totalCount is exact. Use aggregate_metrics where numbers will do.
    """
    asked = await ask_run(ask.run_id, reader=reader)
    if ask.start_time:
        asked.check_moment(ask.start_time, name="startTime")
    lists = [severity_list(ask.event_type, severity=ask.severity)]
    window = paging.window(ask, first=first_moment(ask.start_time), last=last_moment(ask.end_time))
    rows = await queries.page(ask.run_id, lists=lists, window=window, reader=reader)
    return paging.event_page(asked, rows=rows, ask=ask)


@toolkit.tool(
    example=EventsByEntity(run_id=SAMPLE_RUN, entity_type="SecuritySymbol", entity_value="AAPL.NASDAQ", page_size=20),
    errors=(RUN_NOT_FOUND, RESULT_TOO_LARGE),
    queries=2,
    links=whole_run,
)
async def get_events_by_entity(ask: EventsByEntity) -> EventPage:
    """
    Query events related to a specific trading entity (order, security, position).

    Retrieve all events associated with a particular entity reference (e.g., all events for a specific order ID or
    security symbol), ordered chronologically. Useful for tracing entity lifecycle. A StateChange is also found by what
    its StateAfter or StateBefore names. A value that no event has gives an empty page.
    """
    asked = await ask_run(ask.run_id, reader=reader)
    rows = await paging.entity_rows(ask, reader=reader)
    return paging.event_page(asked, rows=rows, ask=ask)


@toolkit.tool(
    example=MetricsQuestion(
        run_id=SAMPLE_RUN,
        event_type="TradeExecution",
        property_path="$.Price",
        aggregations=["count", "avg", "min", "max", "stddev"],
    ),
    errors=(RUN_NOT_FOUND, INVALID_TIME_RANGE, INVALID_JSON_PATH),
    queries=1,
)
async def aggregate_metrics(ask: MetricsQuestion) -> Metrics:
    """
    Calculate aggregations on event properties without retrieving individual events.

    Compute statistical aggregations (count, sum, average, min, max, standard deviation) on numeric properties of
    events. Token-efficient for high-level analysis. A path that no event has gives count 0 and null for the rest;
    values that are no numbers are left out (get_validation_errors shows them).
    """
    started = reader.clock()
    row = await queries.metrics(
        ask.run_id,
        numbers=number_list(TYPE_CODES[ask.event_type], path=ask.property_path.removeprefix("$.")),
        events=severity_list(ask.event_type, severity=None),
        first=first_moment(ask.start_time),
        last=last_moment(ask.end_time),
        reader=reader,
    )
    asked = require_run(ask.run_id, row=row, started=started, clock=reader.clock)
    if ask.start_time:
        asked.check_moment(ask.start_time, name="startTime")
    columns = {"sum": "total", "avg": "average", "min": "lowest", "max": "highest", "stddev": "deviation"}
    values = {name: asked.row[column] if name in ask.aggregations else None for name, column in columns.items()}
    metadata = asked.make_metadata(
        MetricsMetadata,
        total_events=asked.row["events"],
        event_type=ask.event_type,
        property_path=ask.property_path,
    )
    return Metrics(aggregations=Aggregations(count=asked.row["amount"], **values), metadata=metadata)


@toolkit.tool(
    example=SnapshotQuestion(run_id=SAMPLE_RUN, timestamp=datetime(2011, 12, 30, 22, tzinfo=UTC)),
    errors=(RUN_NOT_FOUND, INVALID_TIME_RANGE, RESULT_TOO_LARGE),
    queries=1,
)
async def get_state_snapshot(ask: SnapshotQuestion) -> Snapshot:
    """
    Retrieve strategy state at a specific timestamp.

    Reconstruct strategy state (positions, PnL, indicators, active orders) at a given moment from the events up to
    that timestamp, it included. An order is active from a state that says Open until another state, the execution of
    its whole quantity, or a rejection.
    """
    asked, [moment] = await moments_of(
        ask.run_id,
        at=[ask.timestamp],
        last="timestamp",
        symbol=ask.security_symbol,
        indicators=ask.include_indicators,
        orders=ask.include_active_orders,
        reader=reader,
    )
    metadata = asked.make_metadata(SnapshotMetadata, reconstructed=True, unmarked_positions=moment.find_unmarked())
    return Snapshot(timestamp=ask.timestamp, run_id=ask.run_id, state=moment.state(), metadata=metadata)


@toolkit.tool(
    example=SequenceQuestion(
        run_id=SAMPLE_RUN,
        sequence_pattern=["TradeExecution", "PositionUpdate"],
        page_size=5,
    ),
    errors=(RUN_NOT_FOUND, EVENT_NOT_FOUND, RESULT_TOO_LARGE),
    queries=4,
)
async def query_event_sequence(ask: SequenceQuestion) -> SequencePage:
    """
    Find sequences of related events (e.g., order → execution → position update).

    Query event chains by following ParentEventId relationships. Useful for debugging trading logic failures and
    identifying missing events. With a sequencePattern, sequences in which any of its types occurs are given; one is
    complete when all of them occur in order along the chain, and missingEventTypes lists those not reached.
    findIncomplete keeps the incomplete ones; without a pattern those whose parent is missing.
    """
    asked = await ask_run(ask.run_id, reader=reader)
    if ask.root_event_id is not None:
        return await sequence_pages.one_sequence(asked, ask=ask, reader=reader)
    return await sequence_pages.sequence_page(asked, ask=ask, reader=reader)


@toolkit.tool(
    example=ValidationErrorsQuestion(run_id=SAMPLE_RUN),
    errors=(RUN_NOT_FOUND, RESULT_TOO_LARGE),
    queries=2,
    links=whole_run,
)
async def get_validation_errors(ask: ValidationErrorsQuestion) -> EventPage:
    """
    Query events with validation errors to identify data quality issues.

    Retrieve events that failed validation during write operations. Useful for debugging data pipeline issues and
    identifying malformed events.
    """
    asked = await ask_run(ask.run_id, reader=reader)
    lists = ["v" if ask.severity_filter is None else f"v:{ask.severity_filter}"]
    rows = await queries.page(ask.run_id, lists=lists, window=paging.window(ask), reader=reader)
    return paging.event_page(asked, rows=rows, ask=ask)


@toolkit.tool(example=RunsQuestion(page_size=10))
async def list_backtest_runs(ask: RunsQuestion) -> RunPage:
    """
    List the backtest runs there are, newest first, with their facts.

    Begin here: the other tools want a runId. Each run comes with its start and end, its configuration's hash, its
    counts of events by type and severity, and its symbols.
    """
    return await paging.run_page(ask, reader=reader)


@toolkit.tool(
    example=DeltaQuestion(
        run_id=SAMPLE_RUN,
        from_timestamp=datetime(2011, 6, 1, tzinfo=UTC),
        to_timestamp=datetime(2011, 7, 1, tzinfo=UTC),
    ),
    errors=(RUN_NOT_FOUND, INVALID_TIME_RANGE, RESULT_TOO_LARGE),
    queries=2,
)
async def get_state_delta(ask: DeltaQuestion) -> Delta:
    """
    Tell what changed in the strategy's state between two timestamps.

    Positions and indicators that changed, with before and after; orders opened and closed; profit and loss before,
    after and the change; and how many events of each type came after the first timestamp, up to the second.
    """
    asked, [before, after] = await moments_of(
        ask.run_id,
        at=[ask.from_timestamp, ask.to_timestamp],
        last="toTimestamp",
        symbol=ask.security_symbol,
        reader=reader,
    )
    first, last = last_moment(ask.from_timestamp), last_moment(ask.to_timestamp)
    counted = await queries.counts(ask.run_id, first=first, last=last, reader=reader)
    events = {EVENT_TYPES[row["code"]]: row["events"] for row in counted if row["events"]}
    return Delta(
        run_id=ask.run_id,
        from_timestamp=ask.from_timestamp,
        to_timestamp=ask.to_timestamp,
        changes=difference(before, after=after),
        metadata=asked.make_metadata(
            DeltaMetadata,
            events_by_type=events,
            unmarked_positions=sorted({*before.find_unmarked(), *after.find_unmarked()}),
        ),
    )


@toolkit.tool(
    example=TradesQuestion(run_id=SAMPLE_RUN, sort_by="netProfit", page_size=5),
    errors=(RUN_NOT_FOUND, INVALID_TIME_RANGE, PERFORMANCE_NOT_BUILT),
    queries=3,
)
async def list_trades(ask: TradesQuestion) -> TradePage:
    """
    List a run's round trips: entry, exit, quantity, profit, commission, MFE, MAE, holding time, exit reason.

    A round trip is a position from flat to flat; executions between enlarge or reduce it. Filter by security, side,
    outcome and time of entry; sort by netProfit to see the worst or, descending, the best.
    """
    from backtests.performance.tables import list_round_trips

    return await list_round_trips(ask, reader=reader)


@toolkit.tool(
    example=SummaryQuestion(run_id=SAMPLE_RUN, benchmark_symbol="AAPL.NASDAQ"),
    errors=(RUN_NOT_FOUND, PERFORMANCE_NOT_BUILT),
    queries=3,
)
async def performance_summary(ask: SummaryQuestion) -> Summary:
    """
    Measure a run: return, CAGR, volatility, Sharpe, Sortino, Calmar, drawdowns, win rate, profit factor, exposure.

    From daily returns (days are UTC dates with events) and round trips; against another run or a security, also alpha,
    beta and information ratio. Annualised by periodsPerYear. A measure that is not defined is null, and undefined says
    why. rank_runs compares the runs of a sweep.
    """
    from backtests.performance.summary import summarize

    return await summarize(ask, reader=reader)


@toolkit.tool(
    example=GroupQuestion(
        run_id=SAMPLE_RUN, event_type="OrderRejection", group_by="$.RejectionReason", without_figures=True
    ),
    errors=(RUN_NOT_FOUND, INVALID_TIME_RANGE, INVALID_JSON_PATH),
    queries=2,
)
async def group_events(ask: GroupQuestion) -> EventGroups:
    """
    Count events by a property, such as rejections by reason; with valuePath also sum, average and quantiles.

    One small answer in place of many pages of events. withoutFigures puts texts together that differ in figures only.
    """
    from backtests.performance.tables import group_by_property

    return await group_by_property(ask, reader=reader)


@toolkit.tool(
    example=AttributionQuestion(run_id=SAMPLE_RUN, by="symbol"),
    errors=(RUN_NOT_FOUND, PERFORMANCE_NOT_BUILT),
    queries=2,
)
async def attribute_pnl(ask: AttributionQuestion) -> ProfitAttribution:
    """
    Divide a run's net profit by symbol, side, entry hour, weekday or month, holding time, or exit reason.

    Every round trip is in one group, open ones at the last price seen, so the groups add up to the total.
    """
    from backtests.performance.tables import attribute

    return await attribute(ask, reader=reader)


@toolkit.tool(example=RankQuestion(sweep="stop-loss"), queries=2)
async def rank_runs(ask: RankQuestion) -> RunRanking:
    """
    Rank the runs of a sweep by a measure, and tell how far the best of them can be trusted.

    With each run's deflated Sharpe ratio (by number of trials) and how runs with neighbouring parameters do; for the
    sweep, the probability of backtest overfitting by combinatorially symmetric cross-validation.
    """
    from backtests.performance.ranking import rank

    return await rank(ask, reader=reader)


@toolkit.tool(
    example=CompareQuestion(first_run_id=SAMPLE_PAIR[0], second_run_id=SAMPLE_PAIR[1]),
    errors=(RUN_NOT_FOUND, RESULT_TOO_LARGE, PERFORMANCE_NOT_BUILT),
    queries=8,
)
async def compare_runs(ask: CompareQuestion) -> RunComparison:
    """
    Compare two runs: the first decision that differs, the chain of causes on both sides, the profit that followed.

    Decisions are order states, executions, rejections and risk events, compared by time and by what they say, not by
    ids. Runs of a sweep have the same sweep in list_backtest_runs.
    """
    from backtests.performance.comparison import compare

    return await compare(ask, reader=reader)


@toolkit.tool(
    example=IngestBacktestQuestion(files=[FileToLoad(file_id="samples/sma_stops_2011_2012.jsonl.gz")]),
    errors=(FILE_NOT_FOUND, FILE_REFUSED),
    queries=0,
    writes=True,
    deadline_seconds=900,
    is_idempotent=True,
)
async def ingest_backtest(ask: IngestBacktestQuestion, client: ClientChannel) -> IngestedBacktest:
    """
    Load what a backtesting engine wrote, or a table of trades, executions, equity or returns, from uploaded files.

    NautilusTrader, backtesting.py, backtrader, vectorbt, zipline, QuantConnect Lean, CSV, Parquet, or a log in this
    server's own words; upload each file first. A table of no known engine is loaded when its columns are confirmed: the
    refusal shows what they seem to mean. Done twice it changes nothing. It goes on as a task where the client knows
    tasks.
    """
    from backtests.uploads.ingest_tool import ingest

    return await ingest(ask, client=client)
