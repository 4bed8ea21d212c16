"""Output models of the tools, as the contract defines them. Imports no Django."""

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import ConfigDict, Field, WithJsonSchema
from pydantic.alias_generators import to_camel

from toolbox.contract.models import ToolOutput

Number = Annotated[Decimal, WithJsonSchema({"type": "number"})]
"""An exact number, written as a JSON number."""

TYPES = "TradeExecution, OrderRejection, IndicatorCalculation, PositionUpdate, StateChange, MarketDataEvent, RiskEvent"


class CamelAnswer(ToolOutput):
    """An answer whose JSON names are camelCase."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, frozen=True, arbitrary_types_allowed=True
    )


class EventAnswer(CamelAnswer):
    """One event, as logged."""

    event_id: UUID = Field(description="The event's GUID.")
    run_id: UUID = Field(description="The run's GUID.")
    timestamp: datetime = Field(description="When it happened, ISO 8601 UTC.")
    event_type: str = Field(description=f"One of {TYPES}; Unknown where something else was logged.")
    severity: str = Field(description="Error, Warning, Info or Debug.")
    category: str = Field(description="Execution, MarketData, Indicators, Risk or Performance.")
    properties: Any = Field(description="The event's own properties, as logged.")
    parent_event_id: UUID | None = Field(description="The event that caused it.")
    validation_errors: Any = Field(description="Field, Error and Severity of each fault; null if there is none.")


class IncompleteRun(CamelAnswer):
    """A run of which a part of the log is not stored: its load is in progress, or ended before its log did."""

    run_id: UUID = Field(description="The run's GUID.")
    events_stored: int = Field(description="Events that are stored so far.")
    last_event_at: datetime | None = Field(description="The last moment of which an event is stored.")
    load: Literal["inProgress", "silent", "brokenOff"] = Field(
        description="inProgress: events were stored in the last minute; silent: none were, so the load was killed or "
        "waits for its log; brokenOff: the load has ended."
    )
    last_stored_at: datetime = Field(description="When events were last stored.")
    note: str = Field(description="What that means for the answer, and what to do.")


Incomplete = Annotated[IncompleteRun | None, WithJsonSchema({"type": ["object", "null"]})]
"""Its members are published once, by list_backtest_runs: a catalogue that repeats them for each tool costs tokens."""
INCOMPLETE = Field(
    None,
    description="Given where the run is not stored whole: the answer is of what is stored so far. As in "
    "list_backtest_runs: runId, eventsStored, lastEventAt, load, lastStoredAt, note.",
)


class PageMetadata(CamelAnswer):
    """Which part of how much was answered."""

    total_count: int = Field(description="How many there are in all, exactly.")
    returned_count: int = Field(description="How many are in this answer.")
    page_index: int = Field(description="Zero-based page index.")
    page_size: int = Field(description="The page size asked for.")
    has_more: bool = Field(description="True if more follow those of this answer.")
    query_time_ms: int = Field(description="Milliseconds that the question took.")
    truncated: bool = Field(description="True if the page was cut to fit the size limit: ask a smaller pageSize.")
    incomplete: Incomplete = INCOMPLETE


class EventPage(CamelAnswer):
    """A page of events, oldest first."""

    events: list[Any] = Field(
        description="The events in order of time: eventId, runId, timestamp, eventType, severity, category, "
        "properties, parentEventId, validationErrors."
    )
    metadata: PageMetadata = Field(description="Which part of how much this is.")

    def row_count(self) -> int:
        """Count the events."""
        return self.metadata.returned_count


class Aggregations(CamelAnswer):
    """The statistics; null where not asked for, or where there is nothing to compute."""

    count: int = Field(description="Events whose property is a number.")
    sum: Number | None = Field(description="Their sum, exact.")
    avg: Number | None = Field(description="Their mean.")
    min: Number | None = Field(description="The least, exact.")
    max: Number | None = Field(description="The greatest, exact.")
    stddev: Number | None = Field(description="The sample standard deviation; null for fewer than two.")


class MetricsMetadata(CamelAnswer):
    """What was aggregated."""

    total_events: int = Field(description="Events of the type in the time range, with the property or without.")
    query_time_ms: int = Field(description="Milliseconds that the question took.")
    event_type: str = Field(description="The type asked for.")
    property_path: str = Field(description="The path asked for.")
    incomplete: Incomplete = INCOMPLETE


class Metrics(CamelAnswer):
    """Statistics of one property."""

    aggregations: Aggregations = Field(description="The statistics.")
    metadata: MetricsMetadata = Field(description="What was aggregated.")


class Position(CamelAnswer):
    """What is held of a security."""

    security_symbol: str = Field(description="The security.")
    quantity: Any = Field(description="How much is held; negative when short.")
    average_price: Any = Field(description="The average price.")
    unrealized_pn_l: Any = Field(alias="unrealizedPnL", description="Profit and loss not yet taken.")
    realized_pn_l: Any = Field(alias="realizedPnL", description="Profit and loss taken.")


class IndicatorValue(CamelAnswer):
    """An indicator's last value."""

    name: str = Field(description="The indicator.")
    security_symbol: str | None = Field(description="The security it is of.")
    value: Any = Field(description="Its last value.")
    parameters: Any = Field(description="Its parameters, as logged.")


class ActiveOrder(CamelAnswer):
    """An order that is open."""

    order_id: str = Field(description="The order's GUID.")
    security_symbol: str | None = Field(description="The security.")
    direction: Any = Field(description="Buy or Sell.")
    quantity: Any = Field(description="How much.")
    price: Any = Field(description="At what price; null at the market's.")


class ProfitAndLoss(CamelAnswer):
    """Profit and loss."""

    total: Any = Field(description="Realized and unrealized.")
    realized: Any = Field(description="Taken.")
    unrealized: Any = Field(description="Not yet taken.")


class State(CamelAnswer):
    """The strategy's state."""

    positions: list[Position] = Field(description="What is or was held, by security.")
    indicators: list[IndicatorValue] = Field(description="Last values of indicators.")
    active_orders: list[ActiveOrder] = Field(description="Orders that are open.")
    pnl: ProfitAndLoss = Field(description="Profit and loss.")


class SnapshotMetadata(CamelAnswer):
    """How the state was found."""

    query_time_ms: int = Field(description="Milliseconds that the question took.")
    reconstructed: bool = Field(description="True: the state is put together from events.")
    unmarked_positions: list[str] = Field(
        description="Securities held whose last event says no unrealizedPnL; they count as 0 in the sum."
    )
    incomplete: Incomplete = INCOMPLETE


class Snapshot(CamelAnswer):
    """The strategy's state at a moment."""

    timestamp: datetime = Field(description="The moment asked for.")
    run_id: UUID = Field(description="The run's GUID.")
    state: State = Field(description="The state.")
    metadata: SnapshotMetadata = Field(description="How it was found.")


class Sequence(CamelAnswer):
    """A root event and what followed from it."""

    root_event_id: UUID = Field(description="The event it begins with.")
    events: list[Any] = Field(description="The events in order of time, each as in get_events_by_type.")
    complete: bool = Field(description="True if nothing expected is missing.")
    missing_event_types: list[str] | None = Field(description="Types of the pattern not reached; null if none.")


class SequenceMetadata(CamelAnswer):
    """Which part of how many sequences was answered."""

    total_sequences: int = Field(description="How many there are in all, exactly.")
    returned_count: int = Field(description="How many are in this answer.")
    page_index: int = Field(description="Zero-based page index.")
    page_size: int = Field(description="The page size asked for.")
    has_more: bool = Field(description="True if more follow those of this answer.")
    query_time_ms: int = Field(description="Milliseconds that the question took.")
    truncated: bool = Field(description="True if the page was cut to fit the size limit: ask a smaller pageSize.")
    incomplete: Incomplete = INCOMPLETE


class SequencePage(CamelAnswer):
    """A page of sequences, by the time of their roots."""

    sequences: list[Sequence] = Field(description="The sequences.")
    metadata: SequenceMetadata = Field(description="Which part of how many this is.")

    def row_count(self) -> int:
        """Count the sequences."""
        return self.metadata.returned_count


class RunAnswer(CamelAnswer):
    """A run and what is known of it."""

    run_id: UUID = Field(description="The run's GUID.")
    name: str = Field(description="Its name, if the log gave one.")
    engine: str = Field(description="What ran it, if the log says.")
    started_at: datetime | None = Field(description="Start of the backtest.")
    ended_at: datetime | None = Field(description="End of the backtest.")
    config_hash: str | None = Field(description="SHA-256 of the strategy's configuration.")
    event_count: int = Field(description="How many events it has.")
    malformed_count: int = Field(description="How many of them have validation errors.")
    quarantined_count: int = Field(description="How many lines could not be made events of.")
    counts_by_type: dict[str, int] = Field(description="Events by type.")
    counts_by_severity: dict[str, int] = Field(description="Events by severity.")
    first_event_at: datetime | None = Field(description="Its first event.")
    last_event_at: datetime | None = Field(description="Its last event.")
    symbols: list[str] = Field(description="Securities that it names.")
    stored_at: datetime = Field(description="When it was first stored here.")
    sweep: str = Field(description="The experiment that it is one run of; empty for none.")
    parameters: dict[str, Any] = Field(description="What the strategy was run with.")
    labels: list[str] = Field(description="What it was labelled.")
    incomplete: IncompleteRun | None = Field(None, description="Given where the run is not stored whole.")


class RunPage(CamelAnswer):
    """A page of runs, newest first."""

    runs: list[RunAnswer] = Field(description="The runs.")
    metadata: PageMetadata = Field(description="Which part of how much this is.")

    def row_count(self) -> int:
        """Count the runs."""
        return self.metadata.returned_count


class DeltaState(CamelAnswer):
    """What changed, each thing before and after; null where there was nothing, or is nothing any more."""

    positions: list[dict[str, Any]] = Field(description="securitySymbol, before, after of changed positions.")
    indicators: list[dict[str, Any]] = Field(description="name, securitySymbol, before, after of changed indicators.")
    orders_opened: list[ActiveOrder] = Field(description="Orders open now that were not before.")
    orders_closed: list[ActiveOrder] = Field(description="Orders that were open and are not any more.")
    pnl: dict[str, Any] = Field(description="before, after and change of total, realized and unrealized.")


class DeltaMetadata(CamelAnswer):
    """How much happened between the moments."""

    events_by_type: dict[str, int] = Field(description="Events after the first moment, up to the second, by type.")
    unmarked_positions: list[str] = Field(
        description="Securities held at either moment whose last event says no unrealizedPnL; they count as 0."
    )
    query_time_ms: int = Field(description="Milliseconds that the question took.")
    incomplete: Incomplete = INCOMPLETE


class Delta(CamelAnswer):
    """What changed between two moments."""

    run_id: UUID = Field(description="The run's GUID.")
    from_timestamp: datetime = Field(description="The earlier moment.")
    to_timestamp: datetime = Field(description="The later moment.")
    changes: DeltaState = Field(description="What changed.")
    metadata: DeltaMetadata = Field(description="How much happened.")


class IngestedBacktest(ToolOutput):
    """What became of the files' lines."""

    model_config = ConfigDict(alias_generator=to_camel)

    run_ids: list[UUID] = Field(description="The runs that events went into.")
    stored: int = Field(description="Events that are new.")
    duplicate: int = Field(description="Events and lines that were stored before.")
    malformed: int = Field(description="New events with validation errors.")
    quarantined: int = Field(description="Lines that no event could be made of.")
    ended_early: str | None = Field(description="Where a file broke off; null if it is whole.")
    reasons: list[str] = Field(description="Why lines were quarantined, each reason once.")
