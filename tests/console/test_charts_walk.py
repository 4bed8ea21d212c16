"""Every chart: picture or table by keyboard, and a download of either that stands alone."""

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.backtests.shipped_run import SHIPPED
from tests.console.conftest import violations

pytestmark = pytest.mark.slow
SVG = "{http://www.w3.org/2000/svg}"
PNG_HEAD = b"\x89PNG\r\n\x1a\n"
CHARTED = (
    "/linescore/2024-2025/", "/linescore/2024-2025/CAR/", "/sprints/", f"/backtests/runs/{SHIPPED}/",
    "/activity/trends/",
)  # fmt: skip


def download(page: Page, chart: Locator, kind: str, *, to: Path) -> tuple[str, bytes]:
    """Download a chart by keyboard alone; returns the file's name and contents."""
    chart.locator(".menu summary").press("Enter")
    with page.expect_download() as started:
        chart.get_by_role("button", name=f"Download {kind}").press("Enter")
    started.value.save_as(to / kind)
    return started.value.suggested_filename, (to / kind).read_bytes()


@pytest.mark.parametrize("address", CHARTED)
def test_every_chart_of_a_page_has_the_switch_and_downloads(page: Page, faults: list[str], address: str) -> None:
    page.goto(address)

    charts = page.locator("[data-chart][data-ready]")
    assert charts.count() > 0
    assert page.locator("main svg.plot").count() == charts.locator("svg.plot").count()
    for chart in charts.all():
        expect(chart.get_by_role("button", name="Picture", exact=True)).to_have_attribute("aria-pressed", "true")
        chart.get_by_role("button", name="Table", exact=True).press("Enter")
        expect(chart.locator("[data-picture]")).to_be_hidden()
        assert (
            chart.locator("table:visible").count() or page.locator(f"#{chart.get_attribute('data-rows')} table").count()
        )
    assert violations(page) == []
    assert faults == []


def test_a_chart_is_downloaded_as_a_picture_and_as_rows(page: Page, faults: list[str], tmp_path: Path) -> None:
    page.emulate_media(color_scheme="dark")
    page.goto("/sprints/")
    chart = page.locator("[data-chart]").first

    name, drawn = download(page, chart, "SVG", to=tmp_path)
    root = ET.fromstring(drawn.decode())
    ground, shapes = root[0], list(root.iter())
    assert (name, ground.get("fill")) == ("burndown.svg", "#171d24")
    assert [one.tag for one in shapes if one.get("style") or one.get("class")] == []
    assert all(one.get("fill") for one in root.iter(f"{SVG}text"))

    name, painted = download(page, chart, "PNG", to=tmp_path)
    assert (name, painted[:8]) == ("burndown.png", PNG_HEAD)
    assert int.from_bytes(painted[16:20]) == 2 * float(root.get("width") or 0)

    name, rows = download(page, chart, "CSV", to=tmp_path)
    chart.get_by_role("button", name="Table", exact=True).click()
    shown = chart.locator("table").first.locator("tr").all()
    assert name == "burndown.csv"
    assert len(rows.decode("utf-8-sig").splitlines()) == len(shown) > 2
    expect(chart.locator(".menu")).not_to_have_attribute("open", "")
    assert faults == []


def test_the_rows_of_an_answer_are_switched_and_downloaded(page: Page, faults: list[str], tmp_path: Path) -> None:
    page.goto("/tools/list_game_results/")
    for field, value in (("teamCode", "CAR"), ("startDate", "2025-02-01"), ("endDate", "2025-02-28")):
        page.get_by_label(field, exact=True).fill(value)
    page.get_by_role("button", name="Call it").press("Enter")
    chart = page.locator("#result [data-chart]")
    expect(chart).to_have_attribute("data-ready", "")

    _, rows = download(page, chart, "CSV", to=tmp_path)
    chart.get_by_role("button", name="Table", exact=True).press("Enter")

    expect(chart.locator("table")).to_be_visible()
    assert len(rows.decode("utf-8-sig").splitlines()) == chart.locator("table tr").count()
    chart.get_by_role("button", name="Picture", exact=True).press("Enter")
    expect(chart.locator("svg.plot")).to_be_visible()
    assert violations(page) == []
    assert faults == []
