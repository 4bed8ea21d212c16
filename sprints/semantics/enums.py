"""Units of the calendar, and operators of dimensions."""

from enum import StrEnum


class Grain(StrEnum):
    """A unit of the calendar; weeks begin on Monday."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"


class Operator(StrEnum):
    """Operators of dimensions. Null equals nothing, and differs from every value."""

    EQ = "eq"
    NE = "ne"
    LT = "lt"
    LE = "le"
    GT = "gt"
    GE = "ge"
    IN = "in"
    NOT_IN = "not_in"
    CONTAINS = "contains"
    IS_NULL = "is_null"
    IS_NOT_NULL = "is_not_null"
