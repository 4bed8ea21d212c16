"""The strategy's state, built from its last events, and the difference of two states. Pure."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from backtests.contracts.answers import ActiveOrder, DeltaState, IndicatorValue, Position, ProfitAndLoss, State
from backtests.runs.rendering import Row, is_number, members, number_of, pass_through, text_of

Members = dict[str, bytes]


class Moment:
    """The raw state at one moment: members of the last events, by position, indicator and order."""

    def __init__(self, rows: Iterable[Row], *, orders: Iterable[Row], symbol: str | None) -> None:
        self.positions: dict[str, Members] = {}
        self.indicators: dict[tuple[str, str | None], Members] = {}
        self.pnl: Members | None = None
        self.orders = {row["order_id"]: members(members(row["properties"]).get("StateAfter")) for row in orders}
        for row in rows:
            self._add(row["list"], members(row["properties"]), symbol=symbol)

    def _add(self, name: str, said: Members, *, symbol: str | None) -> None:
        named = text_of(said.get("SecuritySymbol"))
        if name == "l":
            self.pnl = members(said.get("StateAfter")) if symbol is None else None
        elif symbol is not None and named != symbol:
            return
        elif name.startswith("p:"):
            self.positions[named or ""] = said
        else:
            self.indicators[text_of(said.get("IndicatorName")) or "", named] = said

    def state(self) -> State:
        """Build the state as the contract defines it."""
        return State(
            positions=[position(symbol, said=said) for symbol, said in sorted(self.positions.items())],
            indicators=[
                indicator(name, symbol=symbol, said=said)
                for (name, symbol), said in sorted(
                    self.indicators.items(), key=lambda item: (item[0][0], item[0][1] or "")
                )
            ],
            active_orders=[order(order_id, said=said) for order_id, said in self.orders.items()],
            pnl=ProfitAndLoss(**self.profit()),
        )

    def find_unmarked(self) -> list[str]:
        """List the securities held whose last event has no unrealized profit or loss."""
        return [
            symbol
            for symbol, said in sorted(self.positions.items())
            if number_of(said.get("Quantity")) and not is_number(said.get("UnrealizedPnL"))
        ]

    def profit(self) -> dict[str, Any]:
        """Return profit and loss as last logged; if not logged, or for one security, the sum over positions."""
        if self.pnl is not None:
            return {name.lower(): pass_through(self.pnl.get(name)) for name in ("Total", "Realized", "Unrealized")}
        return self.amounts()

    def amounts(self) -> dict[str, Decimal]:
        """Return profit and loss as exact numbers."""
        if self.pnl is not None:
            return {name.lower(): number_of(self.pnl.get(name)) for name in ("Total", "Realized", "Unrealized")}
        realized = sum((number_of(said.get("RealizedPnL")) for said in self.positions.values()), Decimal(0))
        unrealized = sum((number_of(said.get("UnrealizedPnL")) for said in self.positions.values()), Decimal(0))
        return {"total": realized + unrealized, "realized": realized, "unrealized": unrealized}


def position(symbol: str, *, said: Members) -> Position:
    """Build a position."""
    return Position(
        security_symbol=symbol,
        quantity=pass_through(said.get("Quantity")),
        average_price=pass_through(said.get("AveragePrice")),
        unrealizedPnL=pass_through(said.get("UnrealizedPnL")),
        realizedPnL=pass_through(said.get("RealizedPnL")),
    )


def indicator(name: str, *, symbol: str | None, said: Members) -> IndicatorValue:
    """Build an indicator's value."""
    value, parameters = pass_through(said.get("Value")), pass_through(said.get("Parameters"))
    return IndicatorValue(name=name, security_symbol=symbol, value=value, parameters=parameters)


def order(order_id: str, *, said: Members) -> ActiveOrder:
    """Build an open order."""
    return ActiveOrder(
        order_id=text_of(said.get("OrderId")) or order_id,
        security_symbol=text_of(said.get("SecuritySymbol")),
        direction=pass_through(said.get("Direction")),
        quantity=pass_through(said.get("Quantity")),
        price=pass_through(said.get("Price")),
    )


def difference(before: Moment, *, after: Moment) -> DeltaState:
    """Build the difference between two moments."""
    old, new = before.amounts(), after.amounts()
    return DeltaState(
        positions=[
            {"securitySymbol": symbol, "before": _position(symbol, was), "after": _position(symbol, now)}
            for symbol, was, now in _compare_members(before.positions, after.positions)
        ],
        indicators=[
            {
                "name": name,
                "securitySymbol": symbol,
                "before": pass_through(was.get("Value")) if was else None,
                "after": pass_through(now.get("Value")) if now else None,
            }
            for (name, symbol), was, now in _compare_members(before.indicators, after.indicators)
        ],
        orders_opened=[order(key, said=said) for key, said in after.orders.items() if key not in before.orders],
        orders_closed=[order(key, said=said) for key, said in before.orders.items() if key not in after.orders],
        pnl={name: {"before": old[name], "after": new[name], "change": new[name] - old[name]} for name in new},
    )


def _position(symbol: str, said: Members | None) -> Position | None:
    return position(symbol, said=said) if said else None


def _compare_members(
    before: dict[Any, Members], after: dict[Any, Members]
) -> list[tuple[Any, Members | None, Members | None]]:
    keys = sorted(before.keys() | after.keys(), key=str)
    return [(key, before.get(key), after.get(key)) for key in keys if before.get(key) != after.get(key)]
