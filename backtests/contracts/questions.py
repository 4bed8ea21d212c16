"""Input models of the contract's six tools, of `list_backtest_runs`, `get_state_delta` and `ingest_backtest`."""

import re
from datetime import datetime
from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import BeforeValidator, Field, ValidationInfo, WithJsonSchema, model_validator
from pydantic.alias_generators import to_camel

from backtests.contracts.error_envelope import bad_guid, bad_path, bad_time, reversed_range
from backtests.vocabulary import Aggregation, EntityType, EventType, Severity
from toolbox.contract.models import NullMeans, ToolInput, WholeNumber
from toolbox.text.moments import parse_time

GUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}").fullmatch
PATH_PATTERN = r"^\$\.[a-zA-Z0-9_\.]+$"


def _guid(value: object, info: ValidationInfo) -> object:
    if not isinstance(value, str):
        return value
    if GUID(value):
        return UUID(value)
    raise bad_guid(to_camel(str(info.field_name)), value=value)


def _moment(value: object, info: ValidationInfo) -> object:
    """Parse ISO 8601 with any offset; a time without an offset is UTC."""
    if not isinstance(value, str):
        return value
    try:
        return parse_time(value)
    except ValueError as error:
        raise bad_time(to_camel(str(info.field_name)), value=value) from error


def _path(value: object, info: ValidationInfo) -> object:
    if isinstance(value, str) and not re.fullmatch(r"\$\.[a-zA-Z0-9_.]+", value):
        raise bad_path(to_camel(str(info.field_name)), value=value)
    return value


def _symbol(value: object) -> object:
    return None if value == "" else value


Guid = Annotated[UUID, BeforeValidator(_guid), WithJsonSchema({"type": "string", "format": "uuid"})]
Moment = Annotated[datetime, BeforeValidator(_moment), WithJsonSchema({"type": "string", "format": "date-time"})]
PropertyPath = Annotated[
    str, BeforeValidator(_path), WithJsonSchema({"type": "string", "pattern": PATH_PATTERN, "maxLength": 500})
]
PageIndex = Annotated[WholeNumber, NullMeans(0)]

RUN_ID = "Unique identifier of the backtest run, a GUID; list_backtest_runs has them."
PAGE_INDEX = Field(0, ge=0, le=2_000_000_000, description="Zero-based page index.")
START = "Start of the time range, inclusive, ISO 8601; an offset is understood, none means UTC."
END = "End of the time range, inclusive, ISO 8601; given to the millisecond it covers that whole millisecond."


class RunQuestion(ToolInput):
    """What is asked of one run."""

    run_id: Guid = Field(description=RUN_ID)


class RangeQuestion(RunQuestion):
    """What is asked of one run, within times."""

    start_time: Moment | None = Field(None, description=START)
    end_time: Moment | None = Field(None, description=END)

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.start_time and self.end_time and self.start_time > self.end_time:
            raise reversed_range(first=self.start_time, last=self.end_time)
        return self


class EventsByType(RangeQuestion):
    """Events of one type, in order of time."""

    event_type: EventType = Field(description="Type of events to retrieve.")
    severity: Severity | None = Field(None, description="Keep events of this severity.")
    page_size: Annotated[WholeNumber, NullMeans(100)] = Field(
        100, ge=1, le=1000, description="Number of events per page."
    )
    page_index: PageIndex = PAGE_INDEX


class EventsByEntity(RunQuestion):
    """Events around one order, security, position or indicator."""

    entity_type: EntityType = Field(description="Type of entity to query: the property that names it.")
    entity_value: str = Field(max_length=10_000, description="Value of the entity identifier, exactly as logged.")
    event_types: Annotated[list[EventType], NullMeans([])] = Field(
        default=[], max_length=50, description="Keep events of these types; empty means all types."
    )
    page_size: Annotated[WholeNumber, NullMeans(100)] = Field(
        100, ge=1, le=1000, description="Number of events per page."
    )
    page_index: PageIndex = PAGE_INDEX


class MetricsQuestion(RangeQuestion):
    """Statistics of one numeric property."""

    event_type: EventType = Field(description="Type of events to aggregate.")
    property_path: PropertyPath = Field(
        max_length=500,
        description="JSON path to the numeric property, such as '$.Price' or '$.StateAfter.Total'.",
    )
    aggregations: Annotated[list[Aggregation], NullMeans(["count", "avg"])] = Field(
        default=["count", "avg"], max_length=50, description="Aggregation functions to compute; count always is."
    )


class SnapshotQuestion(RunQuestion):
    """The strategy's state at a moment."""

    timestamp: Moment = Field(description="Moment to know the state of, ISO 8601; events at it have happened.")
    security_symbol: Annotated[str | None, BeforeValidator(_symbol)] = Field(
        None, max_length=10_000, description="Only this security; empty for all."
    )
    include_indicators: Annotated[bool, NullMeans(True)] = Field(  # noqa: FBT003
        default=True, description="Include indicator values in the state."
    )
    include_active_orders: Annotated[bool, NullMeans(True)] = Field(  # noqa: FBT003
        default=True, description="Include active orders in the state."
    )


class SequenceQuestion(RunQuestion):
    """Chains of events that caused each other."""

    root_event_id: Guid | None = Field(None, description="Event to start from; without it, all sequences of the run.")
    sequence_pattern: list[EventType] | None = Field(
        None,
        max_length=50,
        description="Event types expected in this order along the chain, such as ['TradeExecution', 'PositionUpdate'].",
    )
    find_incomplete: Annotated[bool, NullMeans(False)] = Field(  # noqa: FBT003
        default=False, description="Only sequences that miss expected events, or whose parent is missing."
    )
    max_depth: Annotated[WholeNumber, NullMeans(10)] = Field(
        10, ge=1, le=50, description="How many levels below the root to follow."
    )
    page_size: Annotated[WholeNumber, NullMeans(50)] = Field(
        50, ge=1, le=100, description="Number of sequences per page."
    )
    page_index: PageIndex = PAGE_INDEX


class ValidationErrorsQuestion(RunQuestion):
    """Events that were logged malformed."""

    severity_filter: Literal["Error", "Warning"] | None = Field(
        None,
        description="Keep events that have an error of this severity.",
    )
    page_size: Annotated[WholeNumber, NullMeans(100)] = Field(
        100, ge=1, le=1000, description="Number of events per page."
    )
    page_index: PageIndex = PAGE_INDEX


class RunsQuestion(ToolInput):
    """The runs there are."""

    security_symbol: Annotated[str | None, BeforeValidator(_symbol)] = Field(
        None, max_length=10_000, description="Only runs that traded this security; empty for all."
    )
    page_size: Annotated[WholeNumber, NullMeans(100)] = Field(
        100, ge=1, le=1000, description="Number of runs per page."
    )
    page_index: PageIndex = PAGE_INDEX


class DeltaQuestion(RunQuestion):
    """What changed between two moments."""

    from_timestamp: Moment = Field(description="The earlier moment, ISO 8601.")
    to_timestamp: Moment = Field(description="The later moment, ISO 8601.")
    security_symbol: Annotated[str | None, BeforeValidator(_symbol)] = Field(
        None, max_length=10_000, description="Only this security; empty for all."
    )

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.from_timestamp > self.to_timestamp:
            names = ("fromTimestamp", "toTimestamp")
            raise reversed_range(first=self.from_timestamp, last=self.to_timestamp, names=names)
        return self


UPLOAD = "POST /api/backtests/files, with the file as the body, gives a fileId"
SHIPPED_FILES = (
    "samples/sma_stops_2011_2012.jsonl.gz",
    "samples/engines/backtesting_trades.csv",
    "samples/engines/backtesting_equity.csv",
    "samples/engines/vectorbt_trades.csv",
    "samples/engines/zipline_performance.parquet",
)


class FileToLoad(ToolInput):
    """A file, and what its columns mean."""

    file_id: str = Field(
        max_length=100, description=f"The fileId that {UPLOAD}; or a shipped sample: {', '.join(SHIPPED_FILES)}."
    )
    columns: str = Field(
        "",
        max_length=2000,
        description="Of a table of no known engine: its columns' meanings, as time=Date,equity=NAV.",
    )


class IngestBacktestQuestion(ToolInput):
    """Which files, and which run they are."""

    files: Annotated[list[FileToLoad], Field(min_length=1, max_length=2)] = Field(
        description="One file; or two of one run: a table of trades or executions, and one of equity or returns."
    )
    run_id: Guid | None = Field(
        None, description="The run's id. Without it the one that the log names, or one made from the files' content."
    )
    sweep: str = Field("", max_length=200, description="The experiment that the run belongs to, by any name.")
    symbol: str = Field("", max_length=200, description="The security of a table that does not say it.")
    format: str = Field("auto", max_length=20, description="The engine whose words these are; auto sees it.")
