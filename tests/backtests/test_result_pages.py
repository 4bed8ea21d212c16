"""Pages of results say what the tools say: round trips, profit by group, sweeps, two runs compared, files."""

import csv
import io
import re
from datetime import datetime
from typing import Any
from urllib.parse import quote
from uuid import UUID, uuid4

import duckdb
import pytest
from django.test import Client

from backtests.models import Run
from backtests.moments import moment_of
from backtests.samples.make_pair import SWEEP
from tests.backtests.asking import good_floats as good
from tests.backtests.conftest import Load
from tests.backtests.makers import jsonl
from tests.backtests.performance.test_building import make_events
from tests.backtests.shipped import SHIPPED, logged
from tests.pages import as_user, rows

RUN = f"/backtests/runs/{SHIPPED}/"


@pytest.fixture
def curator(cast: None, db: None) -> Client:
    return as_user("curator")


def shown(client: Client, address: str) -> str:
    reply = client.get(address)
    assert reply.status_code == 200, (address, reply.content[:300])
    text = str(reply.content, "utf-8")
    assert "style=" not in text
    assert not re.search(r"<script(?![^>]* src=)", text)
    return text


def number(text: str) -> float:
    return float(text.replace(",", "").removesuffix("%").strip())


def ask(tool: str, in_thread: Any, **arguments: Any) -> Any:
    from toolbox.database import event_loop

    return in_thread(lambda: event_loop.run(good(tool, **arguments)))


def test_a_run_s_page_begins_with_equity_and_has_the_summary_s_measures(curator: Client, in_thread: Any) -> None:
    summary = ask("performance_summary", in_thread, runId=SHIPPED)

    page = shown(curator, RUN)

    measures = dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", page))
    assert number(measures["Return"]) == pytest.approx(summary["returns"]["totalReturn"] * 100, abs=0.005)
    assert number(measures["Sharpe"]) == pytest.approx(summary["returns"]["sharpe"], abs=1e-4)
    assert number(measures["Round trips"]) == summary["trades"]["closed"]
    order = [page.index(words) for words in ("Equity, and drawdown", "<dt>Return</dt>", "Events by time and type")]
    assert order == sorted(order)
    table = rows(page.encode(), of='data-table="Equity, and drawdown from its highest"')
    assert table[-1][0] == "2012-12-31"
    last = [one for one in logged() if one["properties"].get("StateType") == "PnL"][-1]["properties"]["StateAfter"]
    assert number(table[-1][1]) == pytest.approx(200_000 + last["Total"], abs=1e-3)


def test_price_is_drawn_with_every_execution(curator: Client) -> None:
    page = shown(curator, f"{RUN}?symbol=IBM.NASDAQ")

    executed = [
        one["properties"] for one in logged()
        if one["eventType"] == "TradeExecution" and one["properties"]["SecuritySymbol"] == "IBM.NASDAQ"
    ]  # fmt: skip
    table = rows(page.encode(), of='data-table="Executions of IBM.NASDAQ"')
    assert [side for _, side, _, _ in table] == [one["Direction"] for one in executed]
    assert [number(price) for *_, price in table] == pytest.approx([one["Price"] for one in executed], abs=1e-4)


def test_round_trips_are_sorted_and_filtered_by_the_address(curator: Client, in_thread: Any) -> None:
    told = ask("list_trades", in_thread, runId=SHIPPED, sortBy="netProfit", descending=True, outcome="Lost")["trades"]

    page = shown(curator, f"{RUN}trades/?sort=netProfit&order=desc&outcome=Lost")

    found = rows(page.encode(), of='data-table="Round trips"')
    assert [number(row[7]) for row in found] == [pytest.approx(one["netProfit"], abs=0.005) for one in told]
    assert 'aria-sort="descending"' in page
    turned = re.search(r'href="\?([^"]+)">Net profit', page)
    assert turned is not None
    assert turned[1] == "sort=netProfit&amp;outcome=Lost" or "order" not in turned[1]
    assert "No round trip fits" in shown(curator, f"{RUN}trades/?symbol=NONE")
    assert shown(curator, f"{RUN}trades/?sort=x&side=%00&outcome=x&page=-3&order=up").count("<tr>") > 20
    assert f"/events/{told[0]['entryEventId']}/" in page


@pytest.mark.parametrize("by", ["symbol", "entryMonth", "exitReason", "nonsense"])
def test_profit_by_group_is_that_of_the_tool(curator: Client, in_thread: Any, *, by: str) -> None:
    told = ask("attribute_pnl", in_thread, runId=SHIPPED, by="symbol" if by == "nonsense" else by)

    page = shown(curator, f"{RUN}attribution/?by={by}")

    found = rows(page.encode(), of="data-table=")
    assert [row[0] for row in found] == [one["group"] for one in told["groups"]]
    assert [number(row[3]) for row in found] == pytest.approx([one["netProfit"] for one in told["groups"]], abs=0.005)


def test_trades_are_exported_exactly(curator: Client, in_thread: Any) -> None:
    told = ask("list_trades", in_thread, runId=SHIPPED, pageSize=1000, side="Long")["trades"]

    reply = curator.get(f"{RUN}trades.csv?side=Long")

    assert reply["Content-Disposition"] == f'attachment; filename="trades_{SHIPPED}.csv"'
    found = list(csv.DictReader(io.StringIO(reply.content.decode())))
    assert list(found[0]) == list(told[0])
    assert [float(one["netProfit"]) for one in found] == [one["netProfit"] for one in told]


def test_parquet_holds_what_csv_holds(curator: Client, tmp_path: Any) -> None:
    pytest.importorskip("arro3.io")
    for name, moments in (("trades", ["entryTime", "exitTime"]), ("days", [])):
        path = tmp_path / f"{name}.parquet"
        path.write_bytes(curator.get(f"{RUN}{name}.parquet").content)
        lines = list(csv.DictReader(io.StringIO(curator.get(f"{RUN}{name}.csv").content.decode())))
        for column in lines[0]:
            given = f'epoch_us("{column}")' if column in moments else f'"{column}"'
            found: Any = duckdb.sql(f"SELECT {given} FROM '{path}'")
            for (value,), line in zip(found.fetchall(), lines, strict=True):
                text = line[column]
                if value is None:
                    assert text == ""
                elif column in moments:
                    assert value == moment_of(datetime.fromisoformat(text))
                else:
                    assert value == float(text) if isinstance(value, float | int) else str(value) == text


def test_files_of_no_kind_and_of_no_run_are_not_there(curator: Client) -> None:
    assert curator.get(f"{RUN}trades.xlsx").status_code == 404
    assert curator.get(f"/backtests/runs/{UUID(int=7)}/trades.csv").status_code == 404
    assert curator.get(f"/backtests/runs/{UUID(int=7)}/attribution/").status_code == 404
    assert curator.get("/backtests/sweeps/ranking.csv?sweep=nothing").status_code == 400


def test_two_runs_are_shown_where_they_part(curator: Client, in_thread: Any) -> None:
    first, second = sorted(
        in_thread(lambda: list(Run.objects.filter(sweep=SWEEP))), key=lambda run: float(run.parameters["stop"])
    )
    told = ask("compare_runs", in_thread, firstRunId=str(first.pk), secondRunId=str(second.pk))

    page = shown(curator, f"/backtests/compare/?run={first.pk}&run={second.pk}")

    divergence = told["divergence"]
    assert f"The first decision that differs: {divergence['timestamp'][:10]}" in page
    for side, run in (("first", first), ("second", second)):
        for event in divergence[side]["causes"]:
            assert f"/runs/{run.pk}/events/{event['eventId']}/" in page
    followed = rows(page.encode(), of='data-table="Profit since"')
    assert [number(row[3]) for row in followed] == [
        pytest.approx(one["difference"], abs=0.005) for one in told["profitSince"]
    ]
    assert page.count('class="cursor"') == 2
    assert "The first decision that differs" not in shown(curator, f"/backtests/compare/?run={first.pk}")


@pytest.fixture(scope="module")
def sweep(load: Load) -> str:
    name = f"<b>grid & {uuid4()}"
    for place, (fast, slow) in enumerate((fast, slow) for fast in (5, 10) for slow in (30, 40, 50)):
        run_id = str(uuid4())
        facts: dict[str, Any] = {"RunId": run_id, "Name": f"{fast} {slow}", "Sweep": name}
        facts["Parameters"] = {"InitialCapital": 10_000, "fast": fast, "slow": slow}
        load(jsonl([facts, *make_events(run_id, seed=500 + place, steps=60)]))
    return name


def test_a_sweep_is_a_heat_map_and_its_ranking(curator: Client, in_thread: Any, sweep: str) -> None:
    told = ask("rank_runs", in_thread, sweep=sweep, metric="totalReturn")

    page = shown(curator, f"/backtests/sweeps/?sweep={quote(sweep)}&metric=totalReturn&x=fast&y=slow")

    cells = {row[0]: row[1:] for row in rows(page.encode(), of='data-table="Return by fast and slow"')}
    assert list(cells) == ["30", "40", "50"]
    for one in told["runs"]:
        place = ["5", "10"].index(str(int(one["parameters"]["fast"])))
        assert number(cells[str(int(one["parameters"]["slow"]))][place]) == pytest.approx(one["value"] * 100, abs=0.005)
    assert page.count('class="cell best"') == 1
    near = told["runs"][0]["neighbours"]["count"]
    assert page.count('class="cell near"') == near
    ranked = rows(page.encode(), of='data-table="Ranking"')
    assert [row[0] for row in ranked] == [one["name"] for one in told["runs"]]
    assert "<b>" not in page.partition("<main")[2]
    assert quote(sweep, safe="") in shown(curator, "/backtests/sweeps/")
    lines = curator.get(f"/backtests/sweeps/ranking.csv?sweep={quote(sweep)}").content.decode().splitlines()
    assert lines[0].endswith("parameter InitialCapital,parameter fast,parameter slow")
    assert len(lines) == 7


def test_what_a_sweep_cannot_show_is_said(curator: Client) -> None:
    assert "has no runs" in shown(curator, "/backtests/sweeps/?sweep=none+such%00")


def test_the_page_of_engines_has_the_example(curator: Client) -> None:
    page = shown(curator, "/backtests/engines/")

    assert "class AcmeTranslator" in page
    assert "zipline-reloaded" in page
    assert as_user("charlie").get("/backtests/engines/").status_code == 403


def test_two_currencies_are_offered_to_choose_from(curator: Client, load: Load) -> None:
    run_id = str(uuid4())
    events = [one for one in make_events(run_id, seed=9, steps=100) if one["EventType"] == "TradeExecution"]
    for one in events:
        one["Properties"]["Currency"] = "USD" if one["Properties"]["SecuritySymbol"] == "AAPL" else "EUR"
    load(jsonl(events))
    address = f"/backtests/runs/{run_id}/"

    page = shown(curator, address)

    assert 'href="?currency=EUR"' in page
    assert "<dt>Return</dt>" in shown(curator, f"{address}?currency=EUR")
    assert 'href="?currency=USD"' in shown(curator, f"{address}attribution/")
    assert "has no profits in" in shown(curator, f"{address}?currency=GBP")
