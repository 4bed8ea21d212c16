"""Round trips, profit by day and decisions equal a slow model over random logs, in whatever order they are loaded."""

import random
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from backtests.ingest.load import load_lines
from backtests.ingest.report import LoadReport
from backtests.performance.build import build_performance
from backtests.performance.decisions import RECORD
from tests.backtests.makers import format_moment, guid, jsonl
from tests.backtests.performance import naive

Event = dict[str, Any]


def make_events(run_id: str, *, seed: int, steps: int = 400) -> list[Event]:
    """Trade at random: enlarge, reduce, close, turn over; prices now and then, at the moment of a trade too."""
    source = random.Random(seed)
    moment = datetime(2024, 2, 27, 15, tzinfo=UTC)
    made: list[Event] = []
    held = {"AAPL": 0.0, "MSFT": 0.0}
    for _ in range(steps):
        moment += timedelta(minutes=source.choice([0, 1, 7, 300]))
        symbol = source.choice(["AAPL", "MSFT"])
        price = Decimal(source.randrange(9_000, 11_000)) / 100
        kind = source.random()
        if kind < 0.4:
            said: dict[str, Any] = {"OrderId": guid(source), "SecuritySymbol": symbol, "Price": float(price)}
            change = source.choice(
                [1, 2, 5, 0.5, -1, -2, -5, -held[symbol] or 3, -held[symbol] or -3, -2 * held[symbol] or 4]
            )
            held[symbol] += change
            said |= {"Direction": "Buy" if change > 0 else "Sell", "Quantity": abs(change)}
            said |= {"Commission": source.choice([0, 1, 0.25]), "Slippage": 0}
            made.append(event(run_id, source, moment, "TradeExecution", said))
        elif kind < 0.8:
            data = {"High": float(price + 1), "Low": float(price - 1), "Close": float(price)}
            said = {"SecuritySymbol": symbol, "DataType": "Candle", "Data": data}
            made.append(event(run_id, source, moment, "MarketDataEvent", said))
        else:
            total = source.randrange(-500, 900)
            state = {"Total": total, "Realized": total, "Unrealized": 0}
            said = {"StateType": "PnL", "StateBefore": None, "StateAfter": state, "ChangeReason": "mark"}
            made.append(event(run_id, source, moment, "StateChange", said))
    return made


def event(run_id: str, source: random.Random, moment: datetime, kind: str, said: dict[str, Any]) -> Event:
    return {
        "EventId": guid(source), "RunId": run_id, "Timestamp": format_moment(moment),
        "EventType": kind, "Severity": "Info",
        "Category": "Execution", "Properties": said, "ParentEventId": None,
    }  # fmt: skip


def store(events: list[Event]) -> None:
    load_lines(jsonl(events), run_id=None, report=LoadReport())


def rows(statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, list(parameters))
        found: list[tuple[Any, ...]] = cursor.fetchall()
        return found


def trips_of(run_id: UUID) -> list[tuple[Any, ...]]:
    return rows(
        "SELECT symbol, side, entry_at, exit_at, quantity, executions, profit, commission, net_profit, favorable, "
        "adverse FROM backtests_round_trips WHERE run_id = %s ORDER BY trip",
        run_id,
    )


def curve_of(run_id: UUID) -> dict[str, Any]:
    columns = "source, capital, total_profit, days, profits, held, measures, executions_left_out, is_main, currency"
    [row] = rows(f"SELECT {columns} FROM backtests_performance WHERE run_id = %s", run_id)
    found = dict(zip(columns.split(", "), row, strict=True))
    found |= {"days": np.frombuffer(found["days"], "<i4"), "profits": np.frombuffer(found["profits"], "<f8")}
    return found


def as_fractions(values: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(Fraction(one) if isinstance(one, Decimal) else one for one in values)


@pytest.mark.django_db
@pytest.mark.parametrize("seed", range(6))
def test_round_trips_are_those_of_the_model(seed: int) -> None:
    run_id = uuid4()
    events = make_events(str(run_id), seed=seed)
    wanted = naive.round_trips(events)

    store(events)

    found = [as_fractions(one) for one in trips_of(run_id)]
    assert len(found) > 20
    assert found == [
        (
            trip["symbol"], trip["side"], datetime.fromisoformat(trip["entryAt"]),
            trip["exitAt"] and datetime.fromisoformat(trip["exitAt"]), trip["quantity"], trip["executions"],
            trip["last"], pytest.approx(trip["commission"], rel=1e-25),
            pytest.approx(trip["last"] - trip["commission"], abs=1e-20), trip["best"], trip["worst"],
        )
        for trip in wanted
    ]  # fmt: skip


@pytest.mark.django_db
def test_profit_by_day_is_what_the_log_says() -> None:
    run_id = uuid4()
    events = make_events(str(run_id), seed=11)
    wanted = naive.profit_by_day(events)

    store(events)

    found = curve_of(run_id)
    assert found["source"] == "accounts"
    assert list(found["days"]) == [naive.number_of_day(day) for day in wanted]
    assert list(found["profits"]) == [float(value) for value in wanted.values()]
    assert Fraction(found["total_profit"]) == list(wanted.values())[-1]


@pytest.mark.django_db
@pytest.mark.parametrize("seed", [21, 22])
def test_profit_by_day_is_that_of_the_round_trips_where_the_log_says_none(seed: int) -> None:
    run_id = uuid4()
    events = [one for one in make_events(str(run_id), seed=seed, steps=250) if one["EventType"] != "StateChange"]
    wanted = naive.trip_profit_by_day(events)

    store(events)

    found = curve_of(run_id)
    assert found["source"] == "trips"
    assert list(found["profits"]) == pytest.approx([float(value) for value in wanted.values()], abs=1e-9)


@pytest.mark.django_db
def test_late_events_and_several_loads_give_the_same_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = uuid4(), uuid4()
    events = make_events(str(first), seed=31)
    again = [one | {"RunId": str(second)} for one in make_events(str(second), seed=31)]
    monkeypatch.setattr("backtests.ingest.load.BATCH_EVENTS", 37)
    late = again[1::3]

    store(events)
    store([one for one in again if one not in late])
    halfway = trips_of(second)
    store(late)

    # Where several events share a moment, the order of arrival decides, which differs: there the model is asked.
    arrived = [one for one in again if one not in late] + late
    wanted = [trip["last"] - trip["commission"] for trip in naive.round_trips(arrived)]
    assert halfway != trips_of(second)
    assert [float(one[8]) for one in trips_of(second)] == pytest.approx([float(one) for one in wanted], abs=1e-12)
    assert list(curve_of(second)["days"]) == list(curve_of(first)["days"])


@pytest.mark.django_db
def test_stored_runs_are_built_by_the_command_and_only_once() -> None:
    run_id = uuid4()
    store(make_events(str(run_id), seed=41))
    wanted = trips_of(run_id)
    rows("DELETE FROM backtests_performance WHERE run_id = %s RETURNING 1", run_id)
    rows("DELETE FROM backtests_round_trips WHERE run_id = %s RETURNING 1", run_id)

    call_command("build_backtest_performance", verbosity=0)

    assert trips_of(run_id) == wanted
    assert not build_performance(run_id)


@pytest.mark.django_db
def test_deleting_a_run_deletes_what_it_came_to() -> None:
    run_id = uuid4()
    store(make_events(str(run_id), seed=51))

    rows("DELETE FROM backtests_runs WHERE run_id = %s RETURNING 1", run_id)

    for table in ("round_trips", "performance", "decisions"):
        statement = f"SELECT count(*) FROM backtests_{table} WHERE run_id = %s"
        assert rows(statement, run_id) == [(0,)]


@pytest.mark.django_db
def test_odd_trades_are_left_out_and_counted_and_odd_numbers_stop_nothing() -> None:
    run_id = uuid4()
    events = make_events(str(run_id), seed=61, steps=120)
    trades = [one for one in events if one["EventType"] == "TradeExecution"]
    trades[0]["Properties"]["Price"] = "a price"
    trades[1]["Properties"]["Direction"] = "Hold"
    trades[2]["Properties"]["Quantity"] = 0
    del trades[3]["Properties"]["SecuritySymbol"]
    trades[4]["Properties"] |= {"Reason": "nul \x00 and half \ud800", "PositionId": None}
    candles = [one for one in events if one["EventType"] == "MarketDataEvent"]
    candles[0]["Properties"]["Data"]["High"] = 10**350
    candles[1]["Properties"]["Data"]["Low"] = 10**-5

    store(events)

    assert curve_of(run_id)["executions_left_out"] == 4
    assert len(trips_of(run_id)) > 3


@pytest.mark.django_db
def test_currencies_are_kept_apart_and_the_accounts_is_the_main_one() -> None:
    run_id = uuid4()
    events = make_events(str(run_id), seed=71, steps=120)
    for one in events:
        said = one["Properties"]
        if one["EventType"] == "StateChange":
            said |= {"Currency": "USD", "BalanceTotal": 1000 + said["StateAfter"]["Realized"]}
        if one["EventType"] == "TradeExecution":
            said |= {"Currency": "JPY", "CommissionCurrency": "USD", "Commission": 3}

    store(events)

    found = rows(
        "SELECT currency, is_main, source, capital FROM backtests_performance WHERE run_id = %s ORDER BY 1", run_id
    )
    assert found == [("JPY", False, "trips", None), ("USD", True, "accounts", 1000)]
    [same] = rows("SELECT bool_and(profit = net_profit) FROM backtests_round_trips WHERE run_id = %s", run_id)
    assert same == (True,)


@pytest.mark.django_db
def test_the_trail_holds_every_decision_in_an_order_that_ids_do_not_change() -> None:
    first, second = uuid4(), uuid4()
    events = make_events(str(first), seed=81)
    other = [
        one | {"RunId": str(second), "EventId": str(uuid4()), "Properties": dict(one["Properties"])}
        for one in sorted(events, key=lambda one: (one["Timestamp"], one["EventId"]))
    ]
    for one in other:
        if "OrderId" in one["Properties"]:
            one["Properties"]["OrderId"] = str(uuid4())

    store(events)
    store(other)

    trails = [
        np.frombuffer(rows("SELECT trail FROM backtests_decisions WHERE run_id = %s", one)[0][0], RECORD)
        for one in (first, second)
    ]
    assert len(trails[0]) == sum(one["EventType"] == "TradeExecution" for one in events)
    assert list(trails[0]["fingerprint"]) == list(trails[1]["fingerprint"])
    assert list(trails[0]["moment"]) == list(trails[1]["moment"])


def _make_trade(run_id: UUID, moment: datetime, **properties: Any) -> Event:
    said = {"OrderId": guid(random.Random(1)), "SecuritySymbol": "AAPL", "Direction": "Buy", "Quantity": 2, "Price": 10}
    return event(str(run_id), random.Random(str(moment)), moment, "TradeExecution", said | properties)


def _make_profit(run_id: UUID, moment: datetime, *, currency: str, total: int) -> Event:
    state = {"Total": total, "Realized": total, "Unrealized": 0}
    said = {"StateType": "PnL", "StateBefore": None, "StateAfter": state, "ChangeReason": "mark", "Currency": currency}
    return event(str(run_id), random.Random(f"{moment}{currency}"), moment, "StateChange", said)


START = datetime(2024, 3, 1, 15, tzinfo=UTC)


@pytest.mark.django_db
@pytest.mark.parametrize("kind", ["OrderRejection", "RiskEvent"])
def test_what_is_no_execution_is_no_trade(kind: str) -> None:
    run_id = uuid4()
    refused = _make_trade(run_id, START) | {"EventType": kind}
    refused["Properties"] |= {
        "RejectionReason": "halted", "RequestedQuantity": 2, "RequestedPrice": 10, "RiskType": "limit",
        "Action": "stop",
    }  # fmt: skip

    store([refused])

    assert trips_of(run_id) == []
    assert curve_of(run_id)["executions_left_out"] == 0


@pytest.mark.django_db
def test_trades_without_a_currency_are_in_the_only_one_that_profits_have() -> None:
    run_id, later = uuid4(), START + timedelta(days=1)
    sold = _make_trade(run_id, later, Direction="Sell", Price=12)

    store([_make_trade(run_id, START), sold, _make_profit(run_id, later, currency="USD", total=4)])

    assert rows("SELECT currency, net_profit FROM backtests_round_trips WHERE run_id = %s", run_id) == [("USD", 4)]
    assert (curve_of(run_id)["currency"], curve_of(run_id)["is_main"]) == ("USD", True)


@pytest.mark.django_db
def test_the_initial_capital_is_of_no_currency_where_there_are_several() -> None:
    run_id = uuid4()
    facts = {"RunId": str(run_id), "Name": "two", "Parameters": {"InitialCapital": 1_000}}
    profits = [_make_profit(run_id, START, currency=one, total=5) for one in ("EUR", "USD")]

    load_lines(jsonl([facts, *profits]), run_id=None, report=LoadReport())

    found = rows("SELECT currency, capital FROM backtests_performance WHERE run_id = %s ORDER BY currency", run_id)
    assert found == [("EUR", None), ("USD", None)]


@pytest.mark.django_db
def test_events_stay_where_results_cannot_be_built(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = uuid4(), uuid4()
    real = build_performance

    def fail_for_the_first(run_id: UUID) -> bool:
        if run_id == first:
            raise OverflowError("too large")
        return real(run_id)

    monkeypatch.setattr("backtests.performance.build.build_performance", fail_for_the_first)
    monkeypatch.setattr(
        "backtests.management.commands.build_backtest_performance.build_performance", fail_for_the_first
    )
    report = LoadReport()

    load_lines(jsonl([_make_trade(first, START), _make_trade(second, START)]), run_id=None, report=report)

    assert report.total == 2
    assert len(trips_of(second)) == 1
    with pytest.raises(CommandError, match=f"{first}: too large"):
        call_command("build_backtest_performance")
