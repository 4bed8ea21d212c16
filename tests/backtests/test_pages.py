"""Pages of runs say what the log says, counted by hand, in a number of statements that a run's size does not change."""

import json
import re
from collections import Counter, defaultdict
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.html import escape

from backtests.ingest.load import load_lines
from backtests.ingest.report import LoadReport
from backtests.models import Run
from tests.backtests import makers
from tests.backtests.shipped import SHIPPED, logged
from tests.pages import as_user, rows, statements

__all__ = ["statements"]
RUN = f"/backtests/runs/{SHIPPED}/"
MADE = ["a1b2c3d4-e5f6-7890-abcd-ef12345678" + f"{number:02}" for number in range(5)]
AT = datetime(2011, 9, 15, 12, tzinfo=UTC)


@pytest.fixture
def curator(cast: None, db: None) -> Client:
    return as_user("curator")


def shown(client: Client, address: str) -> str:
    reply = client.get(address)
    assert reply.status_code == 200, address
    text = str(reply.content, "utf-8")
    assert "style=" not in text
    assert not re.search(r"<script(?![^>]* src=)", text)
    return text


def until(moment: datetime) -> list[dict[str, Any]]:
    return [event for event in logged() if datetime.fromisoformat(event["timestamp"]) <= moment]


def test_runs_are_found_by_what_they_say(curator: Client) -> None:
    assert SHIPPED in shown(curator, "/backtests/?q=goog")
    assert SHIPPED in shown(curator, f"/backtests/?q={SHIPPED[:6]}")
    assert "No run says that" in shown(curator, "/backtests/?q=%25pullback_on")
    assert f'value="{SHIPPED}" checked' in shown(curator, f"/backtests/?q=nothing&run={SHIPPED}&run=x")
    assert "No run says that" in shown(curator, "/backtests/?page=99999")


def test_every_run_is_on_one_of_the_pages(curator: Client) -> None:
    address, listed = "/backtests/", Counter[str]()
    while address:
        page = shown(curator, address)
        listed.update(re.findall(r'name="run" value="([-0-9a-f]{36})"', page))
        later = re.search(r'href="([^"]+)">Older</a>', page)
        address = f"/backtests/{later[1].replace('&amp;', '&')}" if later else ""

    assert listed == Counter(str(run_id) for run_id in Run.objects.values_list("run_id", flat=True))
    assert SHIPPED in listed


def test_the_timeline_counts_every_event_once(curator: Client) -> None:
    page = shown(curator, RUN)

    table = rows(page.encode(), of='data-table="Events by time and type"')
    head = page.partition('data-table="Events by time and type"')[2].partition("</thead>")[0]
    names = [part.rpartition(">")[2] for part in head.split("</th>")[:-1]]
    counted = {name: sum(int(row[place]) for row in table) for place, name in enumerate(names) if place}
    assert counted == Counter(event["eventType"] for event in logged())
    assert 10 < len(table) <= 60


def test_a_stretch_is_counted_from_its_first_moment_to_its_last(curator: Client) -> None:
    inside = [event for event in logged() if "2011-03-01" <= event["timestamp"] < "2011-03-15"]

    page = shown(curator, f"{RUN}?from=2011-03-01T00:00:00&to=2011-03-14T23:59:59.999999")

    table = rows(page.encode(), of='data-table="Events by time and type"')
    assert sum(int(cell) for row in table for cell in row[1:]) == len(inside)
    assert 'name="from" value="2011-03-01T00:00:00"' in page


def test_a_stretch_can_be_looked_at_alone(curator: Client) -> None:
    page = shown(curator, f"{RUN}?at=2011-09-15T12:00:00")

    alone = re.search(r'href="\?([^"]+)">Only this stretch', page)
    assert alone is not None
    assert "from=2011-09-05T00%3A00%3A00&amp;to=2011-09-18T23%3A59%3A59.999999" in alone[1]


def test_the_state_at_a_moment_is_what_the_last_events_before_it_say(curator: Client) -> None:
    positions: dict[str, Any] = {}
    orders: dict[str, str] = {}
    for event in until(AT):
        said = event["properties"]
        if event["eventType"] == "PositionUpdate":
            positions[said["SecuritySymbol"]] = said["Quantity"]
        elif said.get("StateType") == "Order":
            orders[said["StateAfter"]["OrderId"]] = said["StateAfter"]["Status"]

    page = shown(curator, f"{RUN}?at=2011-09-15T12:00:00").encode()

    assert {row[0]: json.loads(row[1]) for row in rows(page, of="<caption>Positions")} == positions
    assert {row[0] for row in rows(page, of="<caption>Open orders")} == {
        order for order, status in orders.items() if status == "Open"
    }
    assert len(rows(page, of="<caption>Indicators")) == 8
    one = shown(curator, f"{RUN}?at=2011-09-15T12:00:00&symbol=IBM.NASDAQ").encode()
    assert [row[0] for row in rows(one, of="<caption>Positions")] == ["IBM.NASDAQ"]


def test_events_around_a_moment_are_those_of_its_stretch_and_type(curator: Client) -> None:
    day = [event for event in logged() if event["timestamp"].startswith("2011-06-03")]
    refused = [event for event in day if event["eventType"] == "OrderRejection"]
    assert refused

    stretch = "from=2011-06-03T00:00:00&to=2011-06-03T23:59:59&at=2011-06-03T21:00:00"
    page = shown(curator, f"{RUN}?{stretch}&show=OrderRejection")

    assert [row[0] for row in rows(page.encode(), of='data-table="Events"')] == ["OrderRejection"] * len(refused)
    assert all(f"/events/{event['eventId']}/" in page for event in refused)


def test_a_chain_is_the_way_to_an_event_and_what_follows_from_it(curator: Client) -> None:
    by_id = {event["eventId"]: event for event in logged()}
    children = defaultdict(list)
    for event in logged():
        children[event["parentEventId"]].append(event["eventId"])
    fill = next(event for event in logged() if event["eventType"] == "TradeExecution")
    expected, above, below = set(), fill["eventId"], [fill["eventId"]]
    while above in by_id:
        expected.add(above)
        above = by_id[above]["parentEventId"]
    while below:
        expected |= set(below)
        below = [child for parent in below for child in children[parent]]

    page = shown(curator, f"{RUN}events/{fill['eventId']}/")

    drawn = page.partition('class="chain"')[2].partition("</svg>")[0]
    linked = {part.partition("/")[0] for part in drawn.split("/events/")[1:]}
    assert linked == expected
    assert len(expected) > 5
    assert drawn.count("<path") == len(expected) - 1
    assert "Buy 365 IBM.NASDAQ at 163.43" in page
    assert len(rows(page.encode(), of="The same as a table")) == len(expected)


@pytest.fixture
def made(scratch_database: None) -> Client:
    """Store a short run, a long one, and one whose names are markup; logs the curator in."""
    for number, events in enumerate((300, 3_000)):
        load_lines(makers.jsonl(makers.strategy(MADE[number], events=events)), run_id=None, report=LoadReport())
    trade = next(one for one in makers.strategy(MADE[2], events=99) if one["EventType"] == "TradeExecution")
    trade["Properties"] = {"SecuritySymbol": "<b>", "RejectionReason": "<i>"}
    load_lines(makers.jsonl([trade]), run_id=None, report=LoadReport())
    return as_user("curator")


def test_runs_are_compared_in_as_many_statements_whatever_their_size(made: Client, statements: list[str]) -> None:
    counts = []
    for run_id in MADE[:2]:
        statements.clear()
        with CaptureQueriesContext(connection) as asked:
            shown(made, f"/backtests/compare/?run={run_id}")
            shown(made, f"/backtests/runs/{run_id}/")
            shown(made, f"/backtests/?q={run_id}")
        counts.append((len(asked), len(statements)))
    asked_for = "&".join(f"run={one}" for one in [SHIPPED, *MADE, "x"])
    traded = [one["properties"]["SecuritySymbol"] for one in logged() if one["eventType"] == "TradeExecution"]

    page = shown(made, f"/backtests/compare/?{asked_for}&time=start")

    assert counts[0] == counts[1]
    assert counts[0][1] == 9
    facts = rows(page.encode(), of="<caption>Facts")
    assert next(row for row in facts if row[0] == "Events")[1] == "8,206"
    assert len(facts[0]) == 1 + 4
    assert page.count("<polyline") == 2 * 4
    assert f"<title>IBM.NASDAQ, A: {traded.count('IBM.NASDAQ')}</title>" in page
    assert "<b>" not in page.partition("<main")[2]
    assert "6 runs were chosen" in page
    assert escape("“x” is no id of a run.") in page
    assert f"There is no run {MADE[3]}." in shown(made, f"/backtests/compare/?run={MADE[3]}&run={MADE[0]}")


def test_what_is_not_there_or_not_allowed_is_told(curator: Client) -> None:
    nobody, bad = MADE[4], "from=soon&to=2011-02-30&at=1900-01-01"

    assert curator.get(f"/backtests/runs/{nobody}/").status_code == 404
    assert curator.get(f"{RUN}events/{nobody}/").status_code == 404
    assert shown(curator, f"{RUN}?{bad}").count("is no time") == 2
    assert "nearest moment" in shown(curator, f"{RUN}?at=2030-01-01T00:00:00")
    assert "The stretch ends before it begins" in shown(curator, f"{RUN}?from=2012-01-01&to=2011-01-05")
    assert "No run is chosen" in shown(curator, "/backtests/compare/")
    assert "no symbol “NONE”" in shown(curator, f"{RUN}?page=99999&show=RiskEvent&symbol=NONE%00")
    refused = as_user("charlie").get("/backtests/")
    assert (refused.status_code, "backtests:read" in refused.content.decode()) == (403, True)
    assert Client().get(RUN)["Location"].startswith("/login/")


def test_the_moment_stands_in_its_field_as_browsers_read_it(curator: Client) -> None:
    page = shown(curator, f"{RUN}?at=2011-06-05T23:59:59.999999")

    assert 'value="2011-06-05T23:59:59.999"' in page
    assert "State at 2011-06-05 23:59:59.999999" in page
