"""
Round trips: from flat to flat. Pure.

A round trip begins with the execution that opens a position and ends with the one that closes it; executions between
enlarge or reduce it. An execution that turns a position over ends one round trip and begins the next, and its
commission is divided by quantity. Executions of one security that name different positions are kept apart.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Context, Decimal, localcontext
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_ZERO = Decimal(0)
_EXACT = Context(prec=60)
"""Enough for the products and sums of logged numbers; only divisions are rounded."""


class Execution(NamedTuple):
    """A logged trade; `side` is 1 for a buy and -1 for a sell, `currency` is "" if it was not logged."""

    number: int
    moment: int
    symbol: str
    position: str
    side: int
    quantity: Decimal
    price: Decimal
    commission: Decimal = _ZERO
    currency: str = ""
    commission_currency: str = ""
    multiplier: Decimal = Decimal(1)
    reason: str | None = None


class Stretch(NamedTuple):
    """
    What is held from one execution to the next, while the round trip is worth `cash + held * price`.

    `price` is that of the execution at its start, `commission` what the trip has paid so far.
    """

    start: int
    end: int | None
    held: Decimal
    cash: Decimal
    price: Decimal
    commission: Decimal


@dataclass(slots=True)
class RoundTrip:
    """
    A position from flat to flat; `exit_moment` is None while it is open.

    `profit` is without commissions, and values what is still held at the last price seen. `favorable` and `adverse` are
    its highest and lowest profit at the prices seen meanwhile, at least and at most 0. `commission` is in
    `commission_currency`, and part of the net profit only if that is the trip's currency.
    """

    symbol: str
    position: str
    side: int
    currency: str
    commission_currency: str
    entry_moment: int
    entry_number: int
    quantity: Decimal = _ZERO
    held: Decimal = _ZERO
    cash: Decimal = _ZERO
    commission: Decimal = _ZERO
    opened: Decimal = _ZERO
    opened_worth: Decimal = _ZERO
    closed: Decimal = _ZERO
    closed_worth: Decimal = _ZERO
    executions: int = 0
    traded: Decimal = _ZERO
    exit_moment: int | None = None
    exit_number: int | None = None
    exit_reason: str | None = None
    profit: Decimal = _ZERO
    favorable: Decimal = _ZERO
    adverse: Decimal = _ZERO
    stretches: list[Stretch] = field(default_factory=list)

    @property
    def entry_price(self) -> Decimal:
        """Return the average price of the executions that opened or enlarged it."""
        return self.opened_worth / self.opened

    @property
    def exit_price(self) -> Decimal | None:
        """Return the average price of the executions that reduced or closed it; None if there are none."""
        return self.closed_worth / self.closed if self.closed else None

    @property
    def pays_commission(self) -> bool:
        """Return whether the commission is in the trip's currency, and so part of its net profit."""
        return not self.commission or self.commission_currency in ("", self.currency)

    @property
    def net_profit(self) -> Decimal:
        """Return the profit after commissions."""
        return _EXACT.subtract(self.profit, self.commission) if self.pays_commission else self.profit


class Prices(NamedTuple):
    """Prices of one security, in order of time."""

    moments: "NDArray[np.int64]"
    values: "NDArray[np.float64]"


class TripFinder:
    """Builds round trips from executions one at a time, which must be in order of time."""

    def __init__(self) -> None:
        self.trips: list[RoundTrip] = []
        """In the order of their entries."""
        self._open: dict[tuple[str, str, str], RoundTrip] = {}

    def add(self, execution: Execution) -> None:
        """Add an execution to the round trips that it opens, changes or closes."""
        with localcontext(_EXACT):
            self._add(execution)

    def _add(self, execution: Execution) -> None:
        key = (execution.symbol, execution.position, execution.currency)
        rest, commission = execution.quantity, execution.commission
        while rest:
            trip = self._open.get(key)
            if trip is None:
                trip = self._open[key] = _begin(execution)
                self.trips.append(trip)
            closes = execution.side != trip.side
            amount = min(rest, abs(trip.held)) if closes else rest
            share = commission if amount == rest else commission * amount / rest
            _execute(trip, execution, amount=amount, commission=share)
            rest, commission = rest - amount, commission - share
            if not trip.held:
                del self._open[key]


def _begin(execution: Execution) -> RoundTrip:
    return RoundTrip(
        symbol=execution.symbol, position=execution.position, side=execution.side, currency=execution.currency,
        commission_currency=execution.commission_currency, entry_moment=execution.moment,
        entry_number=execution.number,
    )  # fmt: skip


def _execute(trip: RoundTrip, execution: Execution, *, amount: Decimal, commission: Decimal) -> None:
    """Add an execution, or the part of it that belongs to this trip."""
    worth = amount * execution.price * execution.multiplier
    if execution.side == trip.side:
        trip.opened, trip.opened_worth = trip.opened + amount, trip.opened_worth + amount * execution.price
    else:
        trip.closed, trip.closed_worth = trip.closed + amount, trip.closed_worth + amount * execution.price
    trip.held += amount * execution.side
    trip.cash -= worth * execution.side
    trip.commission += commission
    trip.traded += worth
    trip.quantity = max(trip.quantity, abs(trip.held))
    trip.executions += 1
    if trip.stretches:
        trip.stretches[-1] = trip.stretches[-1]._replace(end=execution.moment)
    valued = trip.cash + trip.held * execution.multiplier * execution.price
    trip.favorable, trip.adverse = max(trip.favorable, valued), min(trip.adverse, valued)
    trip.profit = valued
    if trip.held:
        held = trip.held * execution.multiplier
        trip.stretches.append(Stretch(execution.moment, None, held, trip.cash, execution.price, trip.commission))
    else:
        trip.exit_moment, trip.exit_number, trip.exit_reason = execution.moment, execution.number, execution.reason


def value_trips(trips: Iterable[RoundTrip], *, prices: Mapping[str, Prices]) -> None:
    """Set each trip's highest and lowest profit, and value what is still held at the last price seen."""
    for trip in trips:
        known = prices.get(trip.symbol)
        if known is None:
            continue
        for stretch in trip.stretches:
            first, last = find_part(stretch, prices=known)
            if last > first:
                part = known.values[first:last]
                values = [_value(stretch, price=price) for price in (part.max(), part.min())]
                trip.favorable, trip.adverse = max(trip.favorable, *values), min(trip.adverse, *values)
                if stretch.end is None:
                    trip.profit = _value(stretch, price=part[-1])


def find_part(stretch: Stretch, *, prices: Prices) -> tuple[int, int]:
    """Return the range of prices after the stretch began, up to its end."""
    first = int(prices.moments.searchsorted(stretch.start, side="right"))
    if stretch.end is None:
        return first, len(prices.moments)
    return first, int(prices.moments.searchsorted(stretch.end, side="right"))


def _value(stretch: Stretch, *, price: float) -> Decimal:
    # A price has fewer digits than a float can hold, so its shortest form is the logged number.
    return _EXACT.fma(stretch.held, Decimal(repr(float(price))), stretch.cash)
