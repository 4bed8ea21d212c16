"""Logs made up for tests: a strategy that places orders, some filled, some refused, with indicators and PnL."""

import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

START = datetime(2025, 1, 2, 14, 30, tzinfo=UTC)
SYMBOLS = ("AAPL", "MSFT", "NVDA", "TSLA")


def guid(source: random.Random) -> str:
    return str(UUID(int=source.getrandbits(128), version=4))


def written(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond:06d}Z"


def strategy(run_id: str, *, events: int, seed: int = 1, start: datetime = START) -> Iterator[dict[str, Any]]:
    """Give about `events` events of a run, in order of time."""
    source = random.Random(seed)
    made, moment = 0, start

    def event(
        kind: str, category: str, properties: dict[str, Any], parent: str | None = None, severity: str = "Info"
    ) -> dict[str, Any]:
        return {
            "EventId": guid(source), "RunId": run_id, "Timestamp": written(moment), "EventType": kind,
            "Severity": severity, "Category": category, "Properties": properties, "ParentEventId": parent,
        }  # fmt: skip

    total = 0.0
    while made < events:
        moment += timedelta(milliseconds=source.randrange(0, 4000), microseconds=source.randrange(1000))
        symbol = source.choice(SYMBOLS)
        price = round(source.uniform(100, 300), 2)
        batch = [
            event(
                "MarketDataEvent",
                "MarketData",
                {
                    "SecuritySymbol": symbol,
                    "DataType": "Candle",
                    "Data": {"Close": price, "Volume": source.randrange(1000)},
                },
                severity="Debug",
            )
        ]
        for period in (10, 20):
            batch.append(
                event(
                    "IndicatorCalculation",
                    "Indicators",
                    {
                        "IndicatorName": f"SMA_{period}",
                        "SecuritySymbol": symbol,
                        "Value": round(price * source.uniform(0.9, 1.1), 4),
                        "Parameters": {"Period": period},
                    },
                    severity="Debug",
                )
            )
        if source.random() < 0.6:
            order, side, quantity = guid(source), source.choice(["Buy", "Sell"]), source.randrange(1, 500)
            state = {
                "OrderId": order,
                "SecuritySymbol": symbol,
                "Direction": side,
                "Quantity": quantity,
                "Price": price,
                "Status": "Open",
            }
            placed = event(
                "StateChange",
                "Execution",
                {"StateType": "Order", "StateBefore": None, "StateAfter": state, "ChangeReason": "signal"},
            )
            batch.append(placed)
            chance = source.random()
            if chance < 0.1:
                batch.append(
                    event(
                        "OrderRejection",
                        "Execution",
                        {
                            "OrderId": order,
                            "SecuritySymbol": symbol,
                            "RejectionReason": "margin",
                            "RequestedQuantity": quantity,
                            "RequestedPrice": price,
                        },
                        placed["EventId"],
                        "Error",
                    )
                )
                batch.append(
                    event(
                        "StateChange",
                        "Execution",
                        {
                            "StateType": "Order",
                            "StateBefore": None,
                            "StateAfter": state | {"Status": "Rejected"},
                            "ChangeReason": "rejected",
                        },
                        placed["EventId"],
                    )
                )
            elif chance < 0.9:
                fill = event(
                    "TradeExecution",
                    "Execution",
                    {
                        "OrderId": order,
                        "SecuritySymbol": symbol,
                        "Direction": side,
                        "Quantity": quantity,
                        "Price": price,
                        "Commission": 1.00,
                        "Slippage": round(source.random() / 10, 3),
                    },
                    placed["EventId"],
                )
                batch.append(fill)
                batch.append(
                    event(
                        "StateChange",
                        "Execution",
                        {
                            "StateType": "Order",
                            "StateBefore": None,
                            "StateAfter": state | {"Status": "Filled"},
                            "ChangeReason": "filled",
                        },
                        placed["EventId"],
                    )
                )
                profit = round(source.uniform(-50, 60), 2)
                total += profit
                batch.append(
                    event(
                        "PositionUpdate",
                        "Execution",
                        {
                            "SecuritySymbol": symbol,
                            "Quantity": quantity,
                            "AveragePrice": price,
                            "UnrealizedPnL": 0.5,
                            "RealizedPnL": round(total, 2),
                            "PositionId": f"P-{symbol}",
                        },
                        fill["EventId"],
                    )
                )
                batch.append(
                    event(
                        "StateChange",
                        "Performance",
                        {
                            "StateType": "PnL",
                            "StateBefore": None,
                            "StateAfter": {"Total": round(total, 2), "Realized": round(total, 2), "Unrealized": 0},
                            "ChangeReason": "fill",
                        },
                        fill["EventId"],
                    )
                )
            elif chance < 0.995:
                said = {
                    "StateType": "Order",
                    "StateBefore": None,
                    "StateAfter": state | {"Status": "Cancelled"},
                    "ChangeReason": "cancelled",
                }
                batch.append(event("StateChange", "Execution", said, placed["EventId"]))
        yield from batch
        made += len(batch)


def jsonl(events: Any) -> list[bytes]:
    return [json.dumps(event).encode() + b"\n" for event in events]
