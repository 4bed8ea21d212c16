"""What runs came to, worked out the slow and obvious way over a list of dictionaries: fractions, one step at a time."""

from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any

from tests.backtests.naive import in_order

Event = dict[str, Any]
Trip = dict[str, Any]


def number(value: Any) -> Fraction:
    return Fraction(str(value))


def day_of(event: Event) -> str:
    return str(event["Timestamp"])[:10]


def round_trips(events: list[Event]) -> list[Trip]:
    """Walk over trades; then hold every price against every stretch of every trip."""
    trips: list[Trip] = []
    open_trips: dict[str, Trip] = {}
    ordered = in_order(events)
    for event in ordered:
        if event["EventType"] == "TradeExecution":
            _trade(event, trips=trips, open_trips=open_trips)
    for event in ordered:
        for price in _prices(event):
            for trip in trips:
                if trip["symbol"] == event["Properties"]["SecuritySymbol"]:
                    for start, end, held, cash in trip["stretches"]:
                        if start < event["Timestamp"] <= (end or "~"):
                            _hear(trip, cash + held * price)
                            trip["last"] = trip["last"] if end else cash + held * price
    return trips


def _prices(event: Event) -> list[Fraction]:
    said = event["Properties"]
    if event["EventType"] == "MarketDataEvent":
        return [number(said["Data"][name]) for name in ("High", "Low", "Close") if name in said["Data"]]
    return []


def _trade(event: Event, *, trips: list[Trip], open_trips: dict[str, Trip]) -> None:
    said = event["Properties"]
    side = 1 if said["Direction"] == "Buy" else -1
    rest, price, symbol = number(said["Quantity"]), number(said["Price"]), said["SecuritySymbol"]
    commission = number(said.get("Commission", 0)) / rest
    while rest:
        trip = open_trips.get(symbol)
        if trip is None:
            trip = {
                "symbol": symbol, "side": side, "entryAt": event["Timestamp"], "held": Fraction(0), "exitAt": None,
                "cash": Fraction(0), "commission": Fraction(0), "best": Fraction(0), "worst": Fraction(0),
                "last": Fraction(0), "quantity": Fraction(0), "executions": 0, "stretches": [],
            }  # fmt: skip
            trips.append(trip)
            open_trips[symbol] = trip
        amount = rest if side == trip["side"] else min(rest, abs(trip["held"]))
        trip["held"] += side * amount
        trip["cash"] -= side * amount * price
        trip["commission"] += commission * amount
        trip["quantity"] = max(trip["quantity"], abs(trip["held"]))
        trip["executions"] += 1
        trip["last"] = trip["cash"] + trip["held"] * price
        _hear(trip, trip["last"])
        rest -= amount
        if trip["stretches"]:
            trip["stretches"][-1] = (trip["stretches"][-1][0], event["Timestamp"], *trip["stretches"][-1][2:])
        if trip["held"]:
            trip["stretches"].append((event["Timestamp"], None, trip["held"], trip["cash"]))
        else:
            trip["exitAt"] = event["Timestamp"]
            del open_trips[symbol]


def _hear(trip: Trip, value: Fraction) -> None:
    trip["best"], trip["worst"] = max(trip["best"], value), min(trip["worst"], value)


def profit_by_day(events: list[Event]) -> dict[str, Fraction]:
    """Return the last total that was logged on or before each day on which anything happened."""
    found: dict[str, Fraction] = {}
    total = Fraction(0)
    for event in in_order(events):
        said = event["Properties"]
        if event["EventType"] == "StateChange" and said["StateType"] == "PnL":
            total = number(said["StateAfter"]["Total"])
        found[day_of(event)] = total
    return found


def trip_profit_by_day(events: list[Event]) -> dict[str, Fraction]:
    """Value all trips at the end of each day, commissions off, by walking over the events of that day and before."""
    ordered = in_order(events)
    found = {}
    for day in sorted({day_of(event) for event in ordered}):
        known = [event for event in ordered if day_of(event) <= day]
        found[day] = sum((trip["last"] - trip["commission"] for trip in round_trips(known)), Fraction(0))
    return found


def number_of_day(day: str) -> int:
    return (datetime.fromisoformat(day).replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(days=1)
