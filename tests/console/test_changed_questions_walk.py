"""The parts of an answered question, changed by keyboard on a phone, and without script."""

from uuid import UUID

import pytest
from playwright.sync_api import Browser, Page, StorageState, expect

from tests.agents.own_worker import work_on
from tests.console.conftest import violations

pytestmark = pytest.mark.slow
QUESTION = "How many open bugs does ORBIT have by priority?"
PARTS = "Change what was asked"
REFRESH = """name => {
    const section = document.querySelector("[data-run]");
    section.dataset.stale = name;
    htmx.trigger(section, "news");
}"""


def answer_last(page: Page) -> None:
    """Answer the last question of the page."""
    page.locator("[data-run]").last.wait_for()
    work_on(UUID(page.locator("[data-run]").last.get_attribute("data-run")))


def test_parts_are_changed_by_keyboard_on_a_phone_in_the_dark(page: Page, faults: list[str]) -> None:
    page.set_viewport_size({"width": 375, "height": 740})
    page.emulate_media(color_scheme="dark")
    page.locator("#text").fill(QUESTION)
    page.locator("#text").press("Enter")
    answer_last(page)
    parts = page.get_by_role("list", name=PARTS)

    parts.locator("summary", has_text="team ORBIT").press("Enter")
    choice = parts.locator("details[open]").get_by_label("Change to")
    choice.press("H")
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    expect(choice).to_have_value("HARBOR")
    choice.press("Tab")
    page.keyboard.press("Enter")

    answer_last(page)
    expect(page.get_by_text("Taken as: open issues, with priority, type Bug, team HARBOR")).to_be_visible()
    expect(parts).to_have_count(1)
    parts.get_by_role("button", name="Remove type Bug").press("Enter")
    answer_last(page)
    expect(page.get_by_text("Taken as: open issues, with priority, team HARBOR, by priority, now")).to_be_visible()
    assert violations(page) == []
    assert faults == []


def test_what_a_person_has_opened_and_chosen_stays_when_the_answer_is_refreshed(page: Page, faults: list[str]) -> None:
    page.locator("#text").fill(QUESTION)
    page.locator("#text").press("Enter")
    answer_last(page)
    part = page.get_by_role("list", name=PARTS).locator("details", has_text="team ORBIT")
    for name in ("first", "second"):
        page.evaluate(REFRESH, name)
        page.locator(f"[data-run]:not([data-stale={name}])").wait_for()
        if name == "first":
            part.locator("summary").press("Enter")
            part.get_by_label("Change to").press("H")

    expect(part).to_have_attribute("open", "")
    expect(part.get_by_label("Change to")).to_have_value("HARBOR")
    expect(part.get_by_label("Change to")).to_be_focused()
    assert faults == []


def test_parts_are_changed_without_script(browser: Browser, server: str, page: Page, session: StorageState) -> None:
    page.locator("#text").fill(QUESTION)
    page.locator("#text").press("Enter")
    answer_last(page)
    plain = browser.new_context(base_url=server, java_script_enabled=False, storage_state=session)
    try:
        bare = plain.new_page()
        bare.goto(page.url)
        bare.locator("summary", has_text="type Bug").click()
        bare.get_by_role("list", name=PARTS).locator("details[open] select").select_option("Story")
        bare.get_by_role("button", name="Change", exact=True).locator("visible=true").click()
        answer_last(bare)
        bare.reload()

        expect(bare.get_by_text("Taken as: open issues, with priority, type Story, team ORBIT")).to_be_visible()
    finally:
        plain.close()
