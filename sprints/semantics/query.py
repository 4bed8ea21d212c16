"""
Queries in the terms of a semantic model: what a question means, before it is SQL.

Everything is immutable and has a JSON Schema (`MetricQuery.model_json_schema()`), so that a language model can answer
in it.
Names of terms are plain text here; the compiler looks them up and says which one does not exist or does not fit.
"""

from datetime import MAXYEAR, MINYEAR, date, datetime
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictFloat, StrictInt, WithJsonSchema, model_validator

from sprints.semantics.enums import Grain, Operator

MAX_CONDITIONS = 40
MAX_VALUES = 200
MAX_LIMIT = 1000
MAX_TEXT = 200

Name = Annotated[str, Field(min_length=1, max_length=MAX_TEXT)]


class _Node(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Reference(_Node):
    """One row by its key, with the name that people know it by."""

    key: Name = Field(description="The row's key, for example a person's id.")
    label: Name = Field(description="Its name, for showing.")


Scalar = StrictBool | StrictInt | StrictFloat | str
Value = Scalar | Reference


ORDERED = frozenset({Operator.LT, Operator.LE, Operator.GT, Operator.GE})
_UNARY = {Operator.IS_NULL, Operator.IS_NOT_NULL}
_LISTS = {Operator.IN, Operator.NOT_IN}


class Comparison(_Node):
    """A dimension compared with values, or with another dimension; text is compared without regard to case."""

    kind: Literal["comparison"] = "comparison"
    field: Name = Field(description="A dimension.")
    op: Operator
    values: tuple[Value, ...] = Field((), max_length=MAX_VALUES, description="One value; several for in and not_in.")
    than: Name | None = Field(None, description="Another number, date or moment of the row, in place of a value.")

    @model_validator(mode="after")
    def _fits_operator(self) -> Self:
        count = len(self.values)
        if self.than is not None and (count or self.op not in ORDERED):
            raise ValueError("Compare with another dimension by lt, le, gt or ge, and without values.")
        if self.than is not None:
            return self
        fits = count == 0 if self.op in _UNARY else count >= 1 if self.op in _LISTS else count == 1
        if not fits:
            raise ValueError(f"{self.op} takes {'no' if self.op in _UNARY else 'one'} value, not {count}.")
        return self


class NamedCondition(_Node):
    """A predicate of the model, such as open or carried_over."""

    kind: Literal["named"] = "named"
    predicate: Name


class TimeRange(_Node):
    """
    From `start` until before `end`; either may be left open. Of what lasts, the same start and end mean that moment.

    Without a role it is the time that the measure is counted by.
    """

    kind: Literal["time"] = "time"
    role: Name | None = Field(None, description="A time role, such as created or resolved.")
    start: date | datetime | None = None
    end: date | datetime | None = None

    @model_validator(mode="after")
    def _is_bounded(self) -> Self:
        if self.start is None and self.end is None:
            raise ValueError("A time range has a start, an end, or both.")
        if any(bound is not None and bound.year in {MINYEAR, MAXYEAR} for bound in (self.start, self.end)):
            raise ValueError("A time range lies inside the calendar: leave out a start or an end that is open.")
        return self


class InPeriod(_Node):
    """
    Belongs to a period (a sprint) that meets a condition.

    `in`: belongs to it now, or did when it was closed. `during`: belonged to it at any moment while it ran. With a
    time role, that time also falls into the period: "blocked during sprint 7".
    """

    kind: Literal["in_period"] = "in_period"
    how: Literal["in", "during"] = "in"
    role: Name | None = Field(None, description="A time role whose time must fall into the period.")
    where: "Condition" = Field(description="Which periods: a condition over the period's dimensions.")


class Has(_Node):
    """Has related rows that meet a condition, at least so many."""

    kind: Literal["has"] = "has"
    relation: Name = Field(description="A relation of the entity, such as blocked_periods.")
    where: "Condition | None" = None
    at_least: int = Field(1, ge=1, le=1000)


class And(_Node):
    """All of them hold."""

    kind: Literal["and"] = "and"
    parts: tuple["Condition", ...] = Field(min_length=1, max_length=MAX_CONDITIONS)


class Or(_Node):
    """At least one of them holds."""

    kind: Literal["or"] = "or"
    parts: tuple["Condition", ...] = Field(min_length=1, max_length=MAX_CONDITIONS)


class Not(_Node):
    """It does not hold; what is unknown does not hold."""

    kind: Literal["not"] = "not"
    part: "Condition"


Condition = Annotated[
    Comparison | NamedCondition | TimeRange | InPeriod | Has | And | Or | Not, Field(discriminator="kind")
]


class DimensionGroup(_Node):
    """A group for each value of a dimension."""

    kind: Literal["dimension"] = "dimension"
    dimension: Name


class TimeGroup(_Node):
    """A group for each day, week, month, quarter or year; without a role by the time that the measure is counted by."""

    kind: Literal["time"] = "time"
    grain: Grain
    role: Name | None = None


Group = Annotated[DimensionGroup | TimeGroup, Field(discriminator="kind")]


class MeasureLimit(_Node):
    """
    Only groups whose measure compares so with a number, or with another measure of the group.

    "Teams with more than 5 open bugs"; "sprints with more points completed than committed".
    """

    measure: Name
    op: Literal[Operator.EQ, Operator.NE, Operator.LT, Operator.LE, Operator.GT, Operator.GE]
    value: StrictInt | StrictFloat | None = None
    than: Name | None = Field(None, description="Another measure, in place of a value.")

    @model_validator(mode="after")
    def _compares_with_one(self) -> Self:
        if (self.value is None) == (self.than is None):
            raise ValueError("Compare a measure with a value, or with another measure; give either value or than.")
        return self


class Order(_Node):
    """Sort by a measure, dimension or grain of the result."""

    by: Name
    direction: Literal["asc", "desc"] = "asc"


class Rank(_Node):
    """
    Keep the top or bottom `count`; those that share the last place are all kept.

    `by` is a measure, or a dimension of a list. `within` ranks inside each value of these dimensions.
    """

    count: int = Field(1, ge=1, le=MAX_LIMIT)
    by: Name
    direction: Literal["desc", "asc"] = Field("desc", description="desc keeps the largest, asc the smallest.")
    within: tuple[Name, ...] = Field((), max_length=3)


class Side(_Node):
    """One side of a comparison."""

    label: Name
    where: Condition


class Share(_Node):
    """
    The measure as a percentage of a whole.

    With `part`: what meets it, of all that the query counts. Without: each group's share of the sum of all groups.
    """

    part: Condition | None = None
    rest: bool = Field(default=False, description="Show what does not meet the part, too.")

    @model_validator(mode="after")
    def _has_rest_of_part(self) -> Self:
        if self.rest and self.part is None:
            raise ValueError("A rest is what does not meet the part: give one.")
        return self


class MetricQuery(_Node):
    """
    A question: measures by groups, or a list of rows.

    Either `measures`, or `rows_of` with an entity. A count is the measure that counts the entity, without groups.
    """

    measures: tuple[Name, ...] = Field((), max_length=8)
    rows_of: Name | None = Field(None, description="List rows of this entity instead of measuring.")
    columns: tuple[Name, ...] = Field((), max_length=30, description="Dimensions to list; the entity's own if empty.")
    group_by: tuple[Group, ...] = Field((), max_length=4)
    where: Condition | None = None
    having: tuple[MeasureLimit, ...] = Field((), max_length=8)
    compare: tuple[Side, ...] = Field((), max_length=12, description="Sides to set against each other, at least two.")
    share: Share | None = None
    trend: bool = Field(default=False, description="Add the change since the group of time, or sprint, before.")
    rank: Rank | None = None
    order: tuple[Order, ...] = Field((), max_length=4)
    limit: int | None = Field(None, ge=1, le=MAX_LIMIT)

    @property
    def limiting_measures(self) -> list[str]:
        """Return the measures by which groups are kept."""
        return [name for limit in self.having for name in (limit.measure, limit.than) if name]

    @model_validator(mode="after")
    def _is_one_kind(self) -> Self:
        if bool(self.measures) == (self.rows_of is not None):
            raise ValueError("Give measures, or rows_of; not both.")
        if self.rows_of and (self.group_by or self.having or self.compare or self.share or self.trend):
            raise ValueError("A list of rows has no groups, comparison, share or trend.")
        if self.columns and not self.rows_of:
            raise ValueError("columns belong to rows_of.")
        if len(self.compare) == 1:
            raise ValueError("A comparison has at least two sides.")
        return self


for _node in (InPeriod, Has, And, Or, Not, Side, Share, MetricQuery):
    _node.model_rebuild()

SentQuery = Annotated[MetricQuery, WithJsonSchema({"type": "object", "additionalProperties": True})]
"""A query as callers get it and send it back. Its conditions contain each other, which no published schema can say."""
