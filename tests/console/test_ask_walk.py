"""Forms used as impatient people use them: double clicks, two tabs, going back, a lost session."""

from uuid import UUID

import pytest
from playwright.sync_api import Page, expect

from tests.agents.own_worker import FEBRUARY, Scripted, begin_work_on, calls, hangs, work_on
from tests.console.test_walk import ask

pytestmark = pytest.mark.slow


def answer_last(page: Page, *, number: int) -> None:
    """Wait until the page has so many runs, and execute the last."""
    expect(page.locator("[data-run]")).to_have_count(number)
    work_on(UUID(page.locator("[data-run]").last.get_attribute("data-run")))
    page.reload()


def log_in(page: Page) -> None:
    """Fill in the log-in form that is shown."""
    page.get_by_label("User name").fill("curator")
    page.get_by_label("Password").fill("curator")
    page.get_by_label("Password").press("Enter")


def test_a_follow_up_and_a_choice_are_asked_once_however_often_they_are_clicked(page: Page, faults: list[str]) -> None:
    page.locator("#text").fill("How many open bugs does ACCEL have?")
    page.get_by_role("button", name="Ask", exact=True).dblclick()
    answer_last(page, number=1)
    page.goto("/?q=How many open bugs does ACCEL have")
    expect(page.locator("#conversations li")).to_have_count(1)
    page.locator("#conversations li a").click()

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


def test_what_is_written_outlives_the_session(page: Page, faults: list[str]) -> None:
    page.goto("/teach/?question=Why+is+the+sky+blue&kind=example")
    other = page.context.new_page()
    other.goto("/")
    other.locator("#text").fill("How many teams are there, by the way?")
    page.context.clear_cookies(name="sessionid")
    other.get_by_role("button", name="Ask", exact=True).click()
    expect(other.get_by_text("so nothing was sent")).to_be_visible()
    log_in(other)
    expect(other.locator("dd")).to_have_text("How many teams are there, by the way?")
    other.get_by_role("button", name="Send it now").click()
    expect(other.locator(".question")).to_contain_text("by the way")

    page.get_by_role("button", name="Try it").click()
    expect(page.get_by_role("heading", name="Not sent yet")).to_be_visible()
    page.get_by_role("button", name="Send it now").click()
    expect(page.get_by_role("heading", name="What it gives")).to_be_visible()
    assert faults == []


def test_a_session_that_ends_in_mid_stream_leaves_the_page_and_goes_on_after_the_log_in(
    page: Page, scripted_as: Scripted
) -> None:
    scripted_as(calls(FEBRUARY), hangs())
    run_id = ask(page, "How did Carolina do?")
    begin_work_on(run_id)
    expect(page.locator("[data-saying]")).to_have_text("Well")
    page.locator("#text").fill("What I was going to ask")

    page.context.clear_cookies(name="sessionid")
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text("so nothing was sent")).to_be_visible()
    log_in(page)
    page.get_by_role("button", name="Send it now").click()
    expect(page.locator("[data-word]")).to_have_text("Stopped")
