"""A run's page: drawn from the database, filterable, bounded whatever the run's size; deleting it is one statement."""

import re
from typing import Any
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.html import escape

from backtests.ingest.load import load_lines
from backtests.ingest.report import LoadReport
from backtests.ingest.samples import load_samples
from backtests.models import Event, QuarantinedLine, Run
from tests.backtests import makers
from tests.backtests.shipped_run import SHIPPED, read_shipped_events

RUNS = "/admin/backtests/run/"
MADE = "5b0e6c1a-7d42-4c57-9a3e-6f0d2c8b1e94"  # of this module alone: others commit the runs that they load


@pytest.fixture
def curator(db: None) -> Client:
    """Log the curator in, on a database that holds the shipped run."""
    load_samples()
    client = Client()
    client.force_login(User.objects.get(username="curator"))
    return client


def address(run_id: str, query: str = "") -> str:
    return f"{RUNS}{run_id}/change/?{query}"


def get_page(client: Client, query: str = "", *, run_id: str = SHIPPED) -> str:
    reply = client.get(address(run_id, query))
    assert reply.status_code == 200
    return str(reply.content, "utf-8")


def rows(page: str) -> int:
    return page.partition('id="run-events"')[2].count("<tr") - 1


def load(lines: list[bytes]) -> LoadReport:
    return load_lines(lines, run_id=None, report=LoadReport())


def test_the_run_is_drawn(curator: Client) -> None:
    page = get_page(curator)

    assert 'data-series="Profit"' in page
    assert 'data-series="Drawdown"' in page
    assert "TradingState.HALTED" in page
    assert "Properties.Threshold: Missing required field" in page


def test_bars_count_what_the_log_holds(curator: Client) -> None:
    events = read_shipped_events()
    trades = [event["properties"]["SecuritySymbol"] for event in events if event["eventType"] == "TradeExecution"]
    refused = sum(event["eventType"] == "OrderRejection" for event in events)

    page = get_page(curator)

    for symbol in set(trades):
        assert f"<title>{symbol}: {trades.count(symbol)}</title>" in page
    assert f"{refused} in all" in page


def test_the_curve_ends_where_the_last_profit_does(curator: Client) -> None:
    totals = [
        event["properties"]["StateAfter"]["Total"]
        for event in read_shipped_events()
        if event["properties"].get("StateType") == "PnL"
    ]

    page = get_page(curator)

    assert f"Profit from {totals[0]:,.2f} to {totals[-1]:,.2f}" in page


@pytest.mark.parametrize(
    ("query", "chosen"),
    [
        ("show=OrderRejection", lambda event: event["eventType"] == "OrderRejection"),
        ("show=OrderRejection&severity=Error", lambda _: False),
        (
            "entity=SecuritySymbol&value=IBM.NASDAQ",
            lambda event: (
                event["eventType"] == "TradeExecution" and event["properties"]["SecuritySymbol"] == "IBM.NASDAQ"
            ),
        ),
        (
            "show=TradeExecution&first=2012-01-01&last=2012-06-30T23:59:59Z",
            lambda event: event["eventType"] == "TradeExecution" and "2012-01" <= event["timestamp"] < "2012-07",
        ),
        ("entity=OrderId&value=' OR 1=1 --", lambda _: False),
        ("show=Nothing&severity=None&entity=Anything&page=x", lambda _: True),
    ],
)
def test_events_are_filtered(curator: Client, query: str, chosen: Any) -> None:
    wanted = sum(map(chosen, read_shipped_events()))

    page = get_page(curator, query)

    assert re.search(rf"(of|none of) {wanted:,}\b", page)
    assert rows(page) == min(wanted, 50)


def test_pages_follow_each_other_to_the_last(curator: Client) -> None:
    last = get_page(curator, "show=TradeExecution&page=0")
    beyond = get_page(curator, "page=99999999999")

    assert "Earlier" not in last
    assert "none of 8,206" in beyond


def test_a_time_that_is_none_is_named(curator: Client) -> None:
    assert escape("'soon' is not a time.") in get_page(curator, "show=TradeExecution&first=soon")


def test_what_a_log_says_is_shown_as_text(curator: Client) -> None:
    trade = next(event for event in makers.strategy(MADE, events=99) if event["EventType"] == "TradeExecution")
    trade["Properties"] = {"SecuritySymbol": "<script>alert(1)</script>", "Note": "<b>"}
    load(makers.jsonl([trade]))

    page = get_page(curator, run_id=MADE)

    assert "<script>alert(1)</script>" not in page
    assert escape('"Note": "<b>"') in page


def test_a_run_without_events_has_a_page(curator: Client) -> None:
    Run.objects.create(run_id=UUID(MADE), name="nothing happened")

    page = get_page(curator, run_id=MADE)

    assert page.count("Nothing to draw.") == 4
    assert "none of 0" in page


def test_a_run_without_profit_events_is_drawn_from_its_positions(curator: Client) -> None:
    events = [event for event in makers.strategy(MADE, events=300) if event["Properties"].get("StateType") != "PnL"]
    load(makers.jsonl(events))

    assert 'data-series="Profit"' in get_page(curator, run_id=MADE)


def test_a_page_asks_as_often_for_a_long_run_as_for_a_short_one(curator: Client) -> None:
    load(makers.jsonl(makers.strategy(MADE, events=6_000)))

    counts = []
    for run_id in (SHIPPED, MADE):
        with CaptureQueriesContext(connection) as asked:
            get_page(curator, run_id=run_id)
        counts.append(len(asked))

    assert counts[0] == counts[1] <= 20


def test_deleting_a_run_is_one_statement_and_leaves_nothing(curator: Client) -> None:
    load([*makers.jsonl(makers.strategy(MADE, events=200)), b"no JSON\n"])

    with CaptureQueriesContext(connection) as asked:
        reply = curator.post(f"{RUNS}{MADE}/delete/", {"post": "yes"})

    assert reply.status_code == 302
    assert [query["sql"].split(" WHERE")[0] for query in asked if query["sql"].startswith("DELETE")] == [
        'DELETE FROM "backtests_runs"'
    ]
    assert not Run.objects.filter(pk=MADE).exists()
    assert not Event.objects.of_run(MADE).exists()
    assert not QuarantinedLine.objects.filter(run_id=MADE).exists()
    assert Run.objects.get(pk=SHIPPED).event_count == Event.objects.of_run(SHIPPED).count()


def test_several_runs_are_deleted_by_the_action(curator: Client) -> None:
    load(makers.jsonl(makers.strategy(MADE, events=50)))
    form = {"action": "delete_selected", "_selected_action": [MADE, SHIPPED], "post": "yes"}

    reply = curator.post(RUNS, form)

    assert reply.status_code == 302
    assert not Run.objects.filter(pk__in=[MADE, SHIPPED]).exists()


def test_the_confirmation_says_how_much_goes_without_reading_it(curator: Client) -> None:
    with CaptureQueriesContext(connection) as asked:
        reply = curator.get(f"{RUNS}{SHIPPED}/delete/")

    assert "with 8,206 events" in str(reply.content, "utf-8")
    assert not [query for query in asked if "backtests_events" in query["sql"]]


def test_only_a_runs_name_can_be_changed(curator: Client) -> None:
    reply = curator.post(address(SHIPPED), {"name": "The shipped one", "engine": "another", "event_count": 1})

    run = Run.objects.get(pk=SHIPPED)
    assert reply.status_code == 302
    assert (run.name, run.event_count) == ("The shipped one", 8_206)
    assert run.engine.startswith("nautilus_trader")


def test_nobody_adds_a_run_and_visitors_see_none(curator: Client) -> None:
    assert curator.get(f"{RUNS}add/").status_code == 403
    assert Client().get(address(SHIPPED)).status_code == 302


@pytest.mark.parametrize("listing", [RUNS, "/admin/backtests/quarantinedline/"])
def test_lists_open(curator: Client, listing: str) -> None:
    assert curator.get(f"{listing}?q=x").status_code == 200
