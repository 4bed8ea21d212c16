"""Pages of runs and of boards walked in a real browser: by mouse and keyboard, wide and narrow, light and dark."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.backtests.shipped_run import SHIPPED
from tests.console.conftest import violations

pytestmark = pytest.mark.slow


def test_runs_and_boards_are_looked_at_by_mouse_and_by_keyboard(page: Page, faults: list[str]) -> None:
    page.get_by_role("link", name="Data", exact=True).click()
    assert violations(page) == []
    page.get_by_label("Data").get_by_role("link", name="Backtests").click()
    page.get_by_label("Name, engine, symbol or id").fill("Pullback")
    page.keyboard.press("Enter")
    page.get_by_label(re.compile("Choose Pullback")).press("Space")
    page.get_by_role("button", name="Compare selected").press("Enter")
    expect(page.get_by_role("heading", name="Runs compared")).to_be_visible()
    assert violations(page) == []
    page.get_by_role("link", name=re.compile("Pullback")).press("Enter")

    page.locator("svg.strips a").nth(10).click()
    chosen = page.get_by_label("State at (UTC)").input_value()
    expect(page.get_by_role("heading", name=re.compile("^State at"))).to_contain_text(chosen[:10])
    page.get_by_label("Events of type").select_option("TradeExecution")
    page.get_by_role("button", name="Show").press("Enter")
    assert page.get_by_label("State at (UTC)").input_value() == chosen
    page.get_by_role("link", name="TradeExecution").first.click()
    page.locator("svg.chain a").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("svg.chain [aria-current]")).to_have_count(1)

    page.get_by_role("link", name="Sprints").click()
    page.get_by_label("Team").select_option(label="ORBIT Orbit Platform")
    page.get_by_role("button", name="Show").press("Enter")
    expect(page.get_by_role("heading", name="Orbit Platform")).to_be_visible()
    page.get_by_role("button", name="Table", exact=True).first.press("Enter")
    expect(page.get_by_role("region", name="Burndown", exact=True)).to_be_visible()
    assert violations(page) == []
    assert faults == []


def test_they_hold_in_the_dark_and_on_a_phone(page: Page, faults: list[str]) -> None:
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 375, "height": 740})
    run = f"/backtests/runs/{SHIPPED}/"

    for address in ("/backtests/", f"/backtests/compare/?run={SHIPPED}", run, "", "/sprints/"):
        if address:
            page.goto(address)
        else:
            page.locator('table[data-table="Events"] th a').first.click()
            page.wait_for_url(re.compile("/events/"))  # until it is loaded, as goto does
        assert page.evaluate("document.documentElement.scrollWidth") <= 375, address
        assert violations(page) == [], address
    assert faults == []


def test_a_wide_drawing_keeps_its_size_on_a_phone_and_scrolls_in_its_frame(page: Page) -> None:
    page.set_viewport_size({"width": 375, "height": 740})

    for address, name in (("/linescore/", "heat"), ("/linescore/2024-2025/CAR/", "form")):
        page.goto(address)
        drawing = page.locator(f".drawn svg.{name}")
        assert (drawing.bounding_box() or {"width": 0})["width"] >= 900, address
        assert page.evaluate("document.documentElement.scrollWidth") <= 375, address
        assert violations(page) == [], address
