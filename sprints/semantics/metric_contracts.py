"""Input and output models of `list_metrics` and `query_metric`."""

from datetime import date
from typing import Any, Literal

from pydantic import Field

from sprints.contracts import CamelAnswer
from sprints.semantics.enums import Grain, Operator
from toolbox.contract.errors import ErrorCode
from toolbox.contract.models import ToolInput, WholeNumber

UNKNOWN_TERM = ErrorCode("UNKNOWN_TERM", 400, "A metric, dimension, filter or time role does not exist.")
UNFIT_TERM = ErrorCode("UNFIT_TERM", 400, "The terms exist and may not be combined; the suggestion says with what.")
UNKNOWN_VALUE = ErrorCode("UNKNOWN_VALUE", 400, "No row has the value that a filter names.")

MAX_METRIC_ROWS = 1000
_NAME = 100

FilterOperator = Literal[
    "eq", "ne", "lt", "le", "gt", "ge", "in", "not_in", "contains", "is_null", "is_not_null", "is", "is_not"
]


class ListMetricsQuestion(ToolInput):
    """Which metrics to list."""

    search: str | None = Field(
        None, description="Only metrics whose name, words or description have these words.", max_length=200
    )


class MetricInfo(CamelAnswer):
    """A metric, and what it goes with."""

    name: str = Field(description="What query_metric calls it.")
    label: str = Field(description="What people call it.")
    unit: str = Field(description="What it is counted in.")
    description: str = Field(description="How it is defined.")
    dimensions: list[str] = Field(description="What it may be grouped by.")
    filters: list[str] = Field(description="Named filters that it may be limited by.")
    times: list[str] = Field(description="Time roles that a period may mean.")
    default_time: str | None = Field(None, description="The time role that a period means if it does not say one.")
    parts_sum_to_whole: bool = Field(description="True where the groups of each of its dimensions may be added up.")
    summing_dimensions: list[str] = Field(
        description="Dimensions whose groups may be added up; others, as labels, count a row several times."
    )


class TermInfo(CamelAnswer):
    """A dimension, a named filter or a time role."""

    name: str = Field(description="What query_metric calls it.")
    label: str = Field(description="What people call it.")
    description: str = Field(description="What it means.")
    type: str | None = Field(None, description="Type of a dimension's values.")
    values: list[str] | None = Field(None, description="All values, where there are few and fixed ones.")


class MetricList(CamelAnswer):
    """Metrics, and the dimensions, named filters and time roles that they go with."""

    metrics: list[MetricInfo] = Field(description="The metrics.")
    dimensions: list[TermInfo] = Field(description="Dimensions that these metrics may be filtered by.")
    filters: list[TermInfo] = Field(description="Named filters.")
    times: list[TermInfo] = Field(description="Time roles.")
    grains: list[str] = Field(description="Units of the calendar, which may be given as dimensions.")

    def row_count(self) -> int:
        """Count the metrics."""
        return len(self.metrics)


class MetricFilter(ToolInput):
    """One condition; all conditions must hold."""

    field: str = Field(description="A dimension, or a named filter such as open.", min_length=1, max_length=_NAME)
    op: FilterOperator = Field("is", description="is and is_not for named filters; the others for dimensions.")
    values: list[str | float | bool] = Field(
        default_factory=list,
        description="One value; several for in and not_in; none for is and is_null.",
        max_length=200,
    )


class MetricPeriod(ToolInput):
    """Days, both of them included."""

    start: date | None = Field(None, description="First day; open if left out.")
    end: date | None = Field(None, description="Last day; open if left out.")
    role: str | None = Field(
        None, description="A time role such as created; the metric's own if left out.", max_length=_NAME
    )


class MetricOrder(ToolInput):
    """How groups are sorted."""

    by: str = Field(description="The metric, or one of the dimensions.", min_length=1, max_length=_NAME)
    direction: Literal["asc", "desc"] = Field("desc", description="asc: smallest first; desc: largest first.")


class QueryMetricQuestion(ToolInput):
    """A metric by dimensions, filtered, over a period."""

    metric: str = Field(description="A metric of list_metrics.", min_length=1, max_length=_NAME)
    dimensions: list[str] = Field(
        default_factory=list, max_length=4,
        description="Dimensions or grains (day, week, month, quarter, year) to group by. A grain is of the period's "
        "role if that is given and a moment, else of the metric's own time; the answer says which.",
    )  # fmt: skip
    filters: list[MetricFilter] = Field(default_factory=list, description="Conditions; all must hold.", max_length=20)
    period: MetricPeriod | None = Field(None, description="The days that count.")
    order: MetricOrder | None = Field(None, description="How to sort; in time, or the largest first, if left out.")
    limit: WholeNumber | None = Field(None, description="How many groups at most.", ge=1, le=MAX_METRIC_ROWS)


class MetricColumn(CamelAnswer):
    """A column of the answer."""

    name: str = Field(description="Its name in rows.")
    label: str = Field(description="What people call it.")
    unit: str | None = Field(None, description="What it is counted in.")
    kind: str = Field(description="group, time or measure.")


class MetricRows(CamelAnswer):
    """A metric's values, with what was understood and how it is defined."""

    rows: list[dict[str, Any]] = Field(description="The values, by column name.")
    count: int = Field(alias="rowCount", description="How many rows are here.")
    columns: list[MetricColumn] = Field(description="What the columns show.")
    description: str = Field(description="The question in words, as it was understood.")
    assumptions: list[str] = Field(description="How the terms are defined.")
    sql: str = Field(description="The statement that gave the rows.")
    runtime_ms: float = Field(description="Milliseconds of the statement.")
    doubts: list[str] | None = Field(
        None, description="What does not add up in the rows; absent where nothing was found."
    )
    notes: list[str] | None = Field(None, description="What a reader should know of the rows.")
    truncated: bool | None = Field(None, description="True if there may be more groups than are here.")

    def row_count(self) -> int:
        """Count the rows."""
        return len(self.rows)


GRAINS = tuple(str(grain) for grain in Grain)
OPERATORS = {str(operator): operator for operator in Operator}
