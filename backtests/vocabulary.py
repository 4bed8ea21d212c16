"""The words of the contract, and the small numbers that stand for them in the database. Imports nothing of ours."""

from typing import Literal

EventType = Literal[
    "TradeExecution",
    "OrderRejection",
    "IndicatorCalculation",
    "PositionUpdate",
    "StateChange",
    "MarketDataEvent",
    "RiskEvent",
]
Severity = Literal["Error", "Warning", "Info", "Debug"]
Category = Literal["Execution", "MarketData", "Indicators", "Risk", "Performance"]
EntityType = Literal["OrderId", "SecuritySymbol", "PositionId", "IndicatorName"]
Aggregation = Literal["count", "sum", "avg", "min", "max", "stddev"]

UNKNOWN = "Unknown"
"""The type of a stored event whose own is none of the contract's; its validation error names what was logged."""

EVENT_TYPES: tuple[str, ...] = (
    UNKNOWN,
    "TradeExecution",
    "OrderRejection",
    "IndicatorCalculation",
    "PositionUpdate",
    "StateChange",
    "MarketDataEvent",
    "RiskEvent",
)
"""By their code in the database: one digit, because trails of event types are written with it."""

SEVERITIES: tuple[str, ...] = ("Error", "Warning", "Info", "Debug")
CATEGORIES: tuple[str, ...] = ("Execution", "MarketData", "Indicators", "Risk", "Performance")
ENTITY_TYPES: tuple[str, ...] = ("OrderId", "SecuritySymbol", "PositionId", "IndicatorName")

TYPE_CODES = {name: code for code, name in enumerate(EVENT_TYPES)}
SEVERITY_CODES = {name: code for code, name in enumerate(SEVERITIES)}
CATEGORY_CODES = {name: code for code, name in enumerate(CATEGORIES)}

USUAL_CATEGORY = {
    UNKNOWN: "Execution",
    "TradeExecution": "Execution",
    "OrderRejection": "Execution",
    "IndicatorCalculation": "Indicators",
    "PositionUpdate": "Execution",
    "StateChange": "Performance",
    "MarketDataEvent": "MarketData",
    "RiskEvent": "Risk",
}
"""What stands for a category that was not logged, or is none."""
