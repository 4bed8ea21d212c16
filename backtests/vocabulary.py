"""Enumerations of the contract and their codes in the database. Imports no other module of the project."""

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
"""The type of a stored event whose logged type is not in the contract; its validation error has the logged one."""

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
"""By their code in the database, a single digit, because trails of event types consist of them."""

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
"""The category of an event whose logged category is missing or invalid."""
