"""Accounts: the engine's profit and loss, in the account's own currency."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID

from backtests.ingest.engine_layouts import Event
from backtests.ingest.engine_values import decimal, plain
from backtests.ingest.engines.nautilus.native import Native

_USED = ("balances", "account_type", "base_currency", "account_id", "reported")


@dataclass(slots=True)
class _Book:
    """One account: its initial and current balance."""

    currency: str
    start: Decimal
    total: Decimal
    account_id: str
    pnl: dict[str, Any] | None = None


class Accounts:
    """
    Tracks the accounts' balances.

    The profit of a margin account in one currency is the growth of its balance. The balance of a cash account also pays
    for purchases: it is a position in cash, and profit comes from the positions.
    """

    def __init__(self) -> None:
        self._books: dict[str, _Book] = {}

    def state(self, native: Native, *, unrealized: dict[str, Decimal], parent: UUID | None) -> Iterator[Event]:
        """Yield the account's profit and loss after a fill or a deposit, or the balances of a cash account."""
        balance = self._balance(native)
        if balance is None:
            yield self._cash(native, parent=parent)
            return
        total, currency = decimal(balance.get("total")) or Decimal(0), str(balance.get("currency"))
        name = native.text("account_id") or ""
        book = self._books.setdefault(name, _Book(currency, total, total, name))
        if native.record.get("reported") and parent is None:
            book.start += total - book.total  # a deposit is not profit
        book.total = total
        known = self._pnl(native, book, unrealized=unrealized.get(currency, Decimal(0)))
        known |= {f"Balance{key.title()}": _number(balance.get(key)) for key in ("total", "locked", "free")}
        yield native.event(
            "StateChange", properties=native.rest(*_USED, known=known), category="Performance", parent=parent
        )

    def mark(self, native: Native, *, unrealized: dict[str, Decimal], parent: UUID) -> Iterator[Event]:
        """Yield the profit and loss of the only account in a currency, after a position was revalued."""
        for book in self._books.values():
            if len(self._books) == 1 and book.currency in unrealized:
                known = self._pnl(native, book, unrealized=unrealized[book.currency])
                yield native.event(
                    "StateChange", properties=known, category="Performance", severity="Debug", parent=parent, part="pnl"
                )

    def currencies(self) -> set[str]:
        """List the currencies in which profit is stated."""
        return {book.currency for book in self._books.values()}

    def _pnl(self, native: Native, book: _Book, *, unrealized: Decimal) -> dict[str, Any]:
        realized = book.total - book.start
        after = {"Total": plain(realized + unrealized), "Realized": plain(realized), "Unrealized": plain(unrealized)}
        before, book.pnl = book.pnl, after
        reason = native.kind if native.kind == "AccountState" else "Mark"
        return {
            "StateType": "PnL",
            "StateBefore": before,
            "StateAfter": after,
            "ChangeReason": reason,
            "AccountId": book.account_id,
            "Currency": book.currency,
        }

    def _cash(self, native: Native, *, parent: UUID | None) -> Event:
        known = {
            "StateType": "Position",
            "StateBefore": None,
            "StateAfter": {"Balances": native.record.get("balances")},
            "ChangeReason": native.kind,
        }
        return native.event(
            "StateChange", properties=native.rest("balances", known=known), category="Performance", parent=parent
        )

    def _balance(self, native: Native) -> dict[str, Any] | None:
        """Return the only balance of a margin account; None for a cash account and any other number of balances."""
        balances = native.record.get("balances")
        if native.record.get("account_type") == "CASH" or not isinstance(balances, list) or len(balances) != 1:
            return None
        balance = balances[0]
        return balance if isinstance(balance, dict) and decimal(balance.get("total")) is not None else None


def _number(value: Any) -> Any:
    read = decimal(value)
    return value if read is None else plain(read)
