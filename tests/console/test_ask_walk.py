"""Questions without a model, asked as impatient people ask: with double clicks, in two tabs, and going back."""

from uuid import UUID

import pytest
from playwright.sync_api import Page, expect

from tests.agents.own_worker import work_on
from tests.console.test_walk import ask

pytestmark = pytest.mark.slow


def answer_last(page: Page, *, number: int) -> None:
    """Wait until the page has so many runs, and execute the last."""
    expect(page.locator("[data-run]")).to_have_count(number)
    work_on(UUID(page.locator("[data-run]").last.get_attribute("data-run")))
    page.reload()


def test_a_follow_up_and_a_choice_are_asked_once_however_often_they_are_clicked(page: Page, faults: list[str]) -> None:
    page.goto("/")
    work_on(ask(page, "How many open bugs does ACCEL have?"))

    page.locator("#text").fill("and HARBOR?")
    page.get_by_role("button", name="Ask", exact=True).dblclick()
    answer_last(page, number=2)
    expect(page.get_by_text("Taken as: open issues, type Bug, team HARBOR, now")).to_be_visible()

    page.locator("#text").fill("What did Avery finish last sprint?")
    page.keyboard.press("Enter")
    answer_last(page, number=3)
    page.get_by_label("What you mean").get_by_role("button", name="Avery Hernandez").dblclick()
    answer_last(page, number=4)
    expect(page.get_by_text("Taken as: issues in sprints, assigned to Avery Hernandez")).to_be_visible()

    other = page.context.new_page()
    other.goto(page.url)
    other.locator("#text").fill("only bugs")
    other.keyboard.press("Enter")
    answer_last(other, number=5)
    page.go_back()
    page.go_forward()
    page.reload()
    expect(page.get_by_text("ACCEL Sprint 8, type Bug")).to_be_visible()
    expect(page.locator("[data-run]")).to_have_count(5)
    assert faults == []
