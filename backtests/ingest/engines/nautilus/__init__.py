"""
NautilusTrader: the events of its message bus, as `to_dict` writes them, one JSON object a line.

| in the stream | becomes |
|---|---|
| Order... (Initialized, Submitted, Accepted, Updated, Canceled ...) | StateChange of StateType Order |
| OrderFilled | TradeExecution, and the order's StateChange as its child |
| OrderDenied, OrderRejected | OrderRejection, and the order's StateChange as its child |
| PositionOpened, PositionChanged, PositionClosed | PositionUpdate: what is held of the symbol, all positions together |
| AccountState | StateChange of StateType PnL; of a cash account StateType Position with its balances |
| Bar, QuoteTick, TradeTick, OrderBookDelta | MarketDataEvent |
| Bar of something held | beside it a PositionUpdate valued at the bar, and a StateChange of StateType PnL |
| IndicatorValue, RiskLimit (what a recorder may add) | IndicatorCalculation, RiskEvent |
| TradingStateChanged | RiskEvent |
| anything else, as ComponentStateChanged | StateChange whose StateType is the engine's word |

ParentEventId follows cause: an order's steps in a chain, then its fill, then the fill's effects on the position, the
account and the order. An event has the engine's own event_id; if one record gives two events, or the engine gives no
id, the id is a uuid5 of the record's content. The contract has no StateType for the last row; the event is stored with
a validation error, so that nothing is lost. Fields that the contract does not name are kept in PascalCase. Times are
truncated to the microsecond.

Symbols are the engine's instrument ids, including the venue. Profit is quantity times price difference; it is wrong for
contracts with a multiplier, which the stream does not contain.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from uuid import UUID

from backtests.ingest.engine_layouts import Event, TableOptions
from backtests.ingest.engine_records import Record, decode_record, read_json_lines
from backtests.ingest.engines.nautilus import market
from backtests.ingest.engines.nautilus.account import Accounts
from backtests.ingest.engines.nautilus.native import Native, find_faults
from backtests.ingest.engines.nautilus.orders import REFUSALS, STEPS, Orders
from backtests.ingest.engines.nautilus.positions import CHANGES, Positions

_REMEMBERED = 1_000
Handler = Callable[[Native], Iterator[Event]]


read_records = read_json_lines


def recognise(head: str) -> bool:
    """Return whether a file begins with an event of the engine's bus."""
    record = decode_record(head.partition("\n")[0].encode())
    return isinstance(record, dict) and "type" in record and "ts_init" in record


def make_translator(run_id: UUID, *, given: TableOptions) -> "NautilusTranslator":  # noqa: ARG001 - the file says all itself
    """Make the translator of one run's stream."""
    return NautilusTranslator(run_id)


class NautilusTranslator:
    """
    Translates one run's records in order; tracks open orders, positions and the last bar of each symbol.

    The bus publishes a fill on the order's topic and on the topic of fills, so a recorder of all topics has it twice. A
    record equal to one of the last thousand gives the same events again, which count as duplicates.
    """

    def __init__(self, run_id: UUID) -> None:
        self._run_id = run_id
        self._orders = Orders(run_id)
        self._positions = Positions()
        self._accounts = Accounts()
        self._last_fill: Native | None = None
        self._last_bars: dict[str, Native] = {}
        self._recent: OrderedDict[str, tuple[Record, list[Event]]] = OrderedDict()
        self._handlers: dict[str, Handler] = {
            **dict.fromkeys(STEPS, self._orders.step),
            **dict.fromkeys(REFUSALS, self._orders.refusal),
            **dict.fromkeys(CHANGES, self._positions.change),
            **dict.fromkeys(market.DATA_TYPES, self._data),
            "OrderFilled": self._fill,
            "AccountState": self._account,
            "IndicatorValue": self._indicator,
            "RiskLimit": self._risk,
            "TradingStateChanged": self._risk,
        }

    def translate(self, record: Record) -> Iterable[Event]:
        """Return the events that a record means; a record that is nonsense gives events that validation refuses."""
        native = Native(self._run_id, record)
        if native.kind == "Bar":
            native = Native(self._run_id, record | {"instrument_id": market.bar_symbol(native.text("bar_type") or "")})
        given = native.text("event_id")
        if given is None:
            return self._translate(native)
        seen, events = self._recent.get(given, (None, []))
        if seen != record:
            events = self._translate(native)
            self._remember(given, record=record, events=events)
        return events

    def _translate(self, native: Native) -> list[Event]:
        """Return a record's events; the first one has the record's faults."""
        events = list(self._handlers.get(native.kind, _translate_other)(native))
        if events:
            events[0]["problems"] = [*find_faults(native.record)]
        return events

    def _remember(self, event_id: str, *, record: Record, events: list[Event]) -> None:
        self._recent[event_id] = (record, events)
        if len(self._recent) > _REMEMBERED:
            self._recent.popitem(last=False)

    def _fill(self, native: Native) -> Iterator[Event]:
        self._positions.note_fill(native)
        self._last_fill = native
        yield from self._orders.fill(native)

    def _account(self, native: Native) -> Iterator[Event]:
        fill = self._last_fill
        is_caused = fill is not None and fill.timestamp == native.timestamp
        parent = fill.event_id if fill is not None and is_caused else None
        yield from self._accounts.state(native, unrealized=self._sum_unrealized(native), parent=parent)

    def _data(self, native: Native) -> Iterator[Event]:
        yield market.data_event(native)
        if native.kind != "Bar" or native.symbol is None:
            return
        self._last_bars[native.symbol] = native
        side = self._positions.side(native.symbol)
        price = market.mark_price(native, side=side)
        if side and price is not None:
            yield from self._positions.mark(native, price=price, parent=native.event_id)
            yield from self._accounts.mark(native, unrealized=self._sum_unrealized(native), parent=native.event_id)

    def _indicator(self, native: Native) -> Iterator[Event]:
        yield market.indicator_event(native, parent=self._bar_of(native))

    def _risk(self, native: Native) -> Iterator[Event]:
        yield market.risk_event(native, parent=self._bar_of(native))

    def _bar_of(self, native: Native) -> UUID | None:
        """Return the bar of the same instrument and moment, from which a value was computed."""
        bar = self._last_bars.get(native.symbol or "")
        return bar.event_id if bar and bar.timestamp == native.timestamp else None

    def _sum_unrealized(self, native: Native) -> dict[str, Decimal]:
        named = native.text("base_currency")
        currencies = self._accounts.currencies() | ({named} if named else set())
        return {currency: self._positions.sum_unrealized(currency) for currency in currencies}


def _translate_other(native: Native) -> Iterator[Event]:
    """Translate a record that the contract has no event type for."""
    state = {"StateType": native.kind, "StateBefore": None, "StateAfter": {"State": native.text("state")}}
    known = state | {"ChangeReason": native.kind}
    yield native.event(
        "StateChange", properties=native.rest("state", known=known), category="Execution", severity="Debug"
    )
