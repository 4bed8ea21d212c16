"""Expected answers of the tools, computed slowly and simply over a list of dictionaries."""

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

Event = dict[str, Any]


def in_order(events: list[Event]) -> list[Event]:
    """Sort by time, then arrival; a repeated id counts once."""
    once: dict[str, Event] = {}
    for event in events:
        once.setdefault(event["EventId"], event)
    return sorted(once.values(), key=lambda event: event["Timestamp"])


def whole_millisecond(last: str) -> str:
    """Extend a bound given in milliseconds over that whole millisecond."""
    return last.replace("000Z", "999Z")


def by_type(
    events: list[Event], kind: str, *, severity: str | None = None, first: str = "", last: str = "~"
) -> list[str]:
    return [
        event["EventId"]
        for event in in_order(events)
        if event["EventType"] == kind
        and severity in (None, event["Severity"])
        and first <= event["Timestamp"] <= whole_millisecond(last)
    ]


def by_entity(events: list[Event], name: str, value: str, *, kinds: list[str]) -> list[str]:
    def names_it(event: Event) -> bool:
        places = [event["Properties"]]
        if event["EventType"] == "StateChange":
            places += [event["Properties"].get(side) or {} for side in ("StateBefore", "StateAfter")]
        return any(place.get(name) == value for place in places)

    return [e["EventId"] for e in in_order(events) if names_it(e) and (not kinds or e["EventType"] in kinds)]


def metrics(events: list[Event], kind: str, path: str, *, first: str = "", last: str = "~") -> dict[str, Any]:
    found = []
    for event in in_order(events):
        if event["EventType"] == kind and first <= event["Timestamp"] <= whole_millisecond(last):
            value: Any = event["Properties"]
            for name in path.removeprefix("$.").split("."):
                value = value.get(name) if isinstance(value, dict) else None
            if isinstance(value, int | float) and not isinstance(value, bool):
                found.append(Fraction(Decimal(repr(value))))
    if not found:
        return {"count": 0, "sum": None, "avg": None, "min": None, "max": None, "stddev": None}
    mean = sum(found) / len(found)
    spread = math.sqrt(sum((x - mean) ** 2 for x in found) / (len(found) - 1)) if len(found) > 1 else None
    return {
        "count": len(found), "sum": float(sum(found)), "avg": float(mean), "min": float(min(found)),
        "max": float(max(found)), "stddev": spread,
    }  # fmt: skip


NEW_ORDER = {"open": False, "quantity": Fraction(0), "executed": Fraction(0), "rejected": False}


def snapshot(events: list[Event], moment: str) -> dict[str, Any]:
    positions: dict[str, Any] = {}
    indicators: dict[tuple[str, str], Any] = {}
    orders: dict[str, Any] = {}
    pnl = None
    for event in in_order(events):
        if event["Timestamp"] > whole_millisecond(moment):
            break
        said = event["Properties"]
        if event["EventType"] == "PositionUpdate":
            positions[said["SecuritySymbol"]] = (said["Quantity"], said["RealizedPnL"])
        elif event["EventType"] == "IndicatorCalculation":
            indicators[said["IndicatorName"], said["SecuritySymbol"]] = said["Value"]
        elif event["EventType"] == "StateChange" and said["StateType"] == "Order":
            order = orders.setdefault(said["StateAfter"]["OrderId"], dict(NEW_ORDER))
            order["open"] = said["StateAfter"]["Status"] == "Open"
            order["quantity"] = Fraction(str(said["StateAfter"]["Quantity"]))
            order["rejected"] = order["rejected"] and not order["open"]
        elif event["EventType"] == "OrderRejection":
            orders.setdefault(said["OrderId"], dict(NEW_ORDER))["rejected"] = True
        elif event["EventType"] == "TradeExecution":
            order = orders.setdefault(said["OrderId"], dict(NEW_ORDER))
            order["executed"] += abs(Fraction(str(said["Quantity"])))
        elif event["EventType"] == "StateChange" and said["StateType"] == "PnL":
            pnl = said["StateAfter"]["Total"]
    return {
        "positions": positions, "indicators": indicators, "pnl": pnl,
        "orders": {
            name for name, order in orders.items()
            if order["open"] and not order["rejected"]
            and not (order["quantity"] and order["executed"] >= abs(order["quantity"]))
        },
    }  # fmt: skip


def sequences(
    events: list[Event], *, pattern: list[str] | None, incomplete: bool, depth: int
) -> list[tuple[str, set[str], bool, list[str] | None]]:
    """Return root, members, completeness and missing types of each sequence, by the roots' times."""
    ordered = in_order(events)
    arrivals: dict[str, int] = {}
    for event in events:
        arrivals.setdefault(event["EventId"], len(arrivals))
    known = {event["EventId"]: event for event in ordered}
    below: dict[str, list[str]] = {}
    for event in ordered:
        below.setdefault(event["ParentEventId"], []).append(event["EventId"])
    cuts = {min(circle, key=lambda one: (known[one]["Timestamp"], arrivals[one])) for circle in circles(known)}
    found = []
    for event in ordered:
        parent = event["ParentEventId"]
        if parent in known and event["EventId"] not in cuts:
            continue
        broken = parent is not None
        paths = _paths(event["EventId"], below, known, depth, set())
        deep = _paths(event["EventId"], below, known, 60, set())
        members = {event_id for path in paths for event_id in path}
        types = [[known[event_id]["EventType"] for event_id in path] for path in paths]
        if pattern:
            reached = max(_reach(path, pattern) for path in types)
            begun, missing = any(kind in pattern for path in types for kind in path), pattern[reached:] or None
            complete = missing is None
        else:
            begun, complete, missing = broken or any(len(path) > 1 for path in deep), not broken, None
        if begun and not (incomplete and complete):
            found.append((event["EventId"], members, complete, missing))
    return found


def circles(known: dict[str, Event]) -> list[set[str]]:
    found: list[set[str]] = []
    for start in known:
        walked: list[str] = []
        at: str | None = start
        while at in known and at not in walked:
            walked.append(at)
            at = known[at]["ParentEventId"]
        if at == start:
            circle = set(walked)
            if circle not in found:
                found.append(circle)
    return found


def _paths(
    root: str, below: dict[str, list[str]], known: dict[str, Event], depth: int, seen: set[str]
) -> list[list[str]]:
    seen = seen | {root}
    children = [child for child in below.get(root, []) if child not in seen] if depth else []
    tails = [tail for child in children for tail in _paths(child, below, known, depth - 1, seen)]
    return [[root, *tail] for tail in tails] or [[root]]


def _reach(path: list[str], pattern: list[str]) -> int:
    reached = 0
    for kind in path:
        if reached < len(pattern) and kind == pattern[reached]:
            reached += 1
    return reached
