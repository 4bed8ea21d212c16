"""A run's page in a real browser: drawn, within the window, filterable, and the run deleted whole."""

import re
import shutil
from collections.abc import Iterator
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from tests.backtests.conftest import InThread, Load
from tests.backtests.makers import jsonl, strategy

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
expect.set_options(timeout=60_000)
SHIPPED = "079cbad8-9e31-5383-8c7a-3f85849b9439"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium on the path: Debian's package of that name has one"),
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    flags = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield browser
        browser.close()


@pytest.fixture
def faults() -> list[str]:
    """Collect the browser's errors, and requests to other hosts."""
    return []


@pytest.fixture
def page(browser: Browser, server: str, in_thread: InThread, faults: list[str]) -> Iterator[Page]:
    """Open a window with the curator logged in."""

    def log_in() -> str:
        client = Client()
        client.force_login(User.objects.get(username="curator"))
        return client.cookies["sessionid"].value

    context = browser.new_context(base_url=server, viewport={"width": 1280, "height": 800})
    context.add_cookies([{"name": "sessionid", "value": in_thread(log_in), "url": server}])
    opened = context.new_page()
    opened.on("pageerror", lambda error: faults.append(str(error)))
    opened.on("console", lambda said: faults.append(said.text) if _is_complaint(said) else None)
    opened.on("request", lambda sent: None if sent.url.startswith((server, "data:")) else faults.append(sent.url))
    opened.on("response", lambda got: faults.append(f"{got.status} {got.url}") if got.status >= 400 else None)
    yield opened
    context.close()


def _is_complaint(said: ConsoleMessage) -> bool:
    return said.type == "error" and not said.location["url"].endswith("/favicon.ico")


def change(run_id: str) -> str:
    return f"/admin/backtests/run/{run_id}/change/"


def test_a_runs_curves_and_bars_are_drawn_within_the_window(page: Page, faults: list[str]) -> None:
    page.goto(change(SHIPPED))

    for drawing in page.locator("#run-charts svg").all():
        box = drawing.bounding_box()
        assert box is not None
        assert box["width"] > 200
        assert box["height"] > 20
        assert box["x"] + box["width"] <= 1280
    curves = page.locator("polyline[data-series]")
    assert [curve.get_attribute("data-series") for curve in curves.all()] == ["Profit", "Drawdown"]
    for curve in curves.all():
        box = curve.bounding_box()
        assert box is not None
        assert box["width"] > 600
    assert page.locator("#run-charts rect").count() > 4
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    assert faults == []


def test_drawings_shrink_with_the_window(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 800})

    page.goto(change(SHIPPED))

    for drawing in page.locator("#run-charts svg").all():
        box = drawing.bounding_box()
        assert box is not None
        assert box["width"] <= 390
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_events_are_filtered_where_they_are_shown(page: Page) -> None:
    page.goto(change(SHIPPED))

    page.get_by_label("Show").select_option("OrderRejection")
    page.get_by_role("button", name="Filter").click()

    page.wait_for_url("**show=OrderRejection**", wait_until="load")
    kinds = page.locator("#run-events tbody td:nth-child(2)").all_inner_texts()
    assert kinds
    assert all(kind.startswith("OrderRejection") for kind in kinds)


def test_a_run_is_deleted_whole_and_at_once(
    page: Page, faults: list[str], load: Load, in_thread: InThread, run_id: UUID
) -> None:
    load(jsonl(strategy(str(run_id), events=5000)))
    before = in_thread(partitions)

    page.goto(change(str(run_id)))
    page.get_by_role("link", name="Delete").click()
    expect(page.get_by_text(re.compile(r"with 5,\d{3} events"))).to_be_visible()
    page.get_by_role("button", name=re.compile("sure", re.IGNORECASE)).click()

    expect(page).to_have_url(re.compile(r"/admin/backtests/run/$"))
    assert page.get_by_text(str(run_id)).count() <= 1  # the message that says it is gone
    assert in_thread(partitions) == before - 3
    assert faults == []


def partitions() -> int:
    with connection.cursor() as cursor:
        cursor.execute("""
            SELECT count(*) FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
            WHERE relkind = 'r' AND relname LIKE 'backtests%'
        """)
        return int(cursor.fetchone()[0])
