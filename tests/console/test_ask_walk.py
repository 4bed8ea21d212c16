"""Forms used as impatient people use them: double clicks, two tabs, going back, a lost session, a lost network."""

from uuid import UUID

import pytest
from playwright.sync_api import Browser, Page, StorageState, expect

from tests.agents.conversation_client import Observer
from tests.agents.own_worker import FEBRUARY, Scripted, begin_work_on, calls, hangs, says, work_on
from tests.console.broken_network import relay
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
    expect(page.get_by_text("issues in sprints, assigned to Avery Hernandez").first).to_be_visible()

    other = page.context.new_page()
    other.goto(page.url)
    other.locator("#text").fill("only bugs")
    other.keyboard.press("Enter")
    answer_last(other, number=5)
    page.go_back()
    page.go_forward()
    page.reload()
    expect(page.get_by_text("type Bug").last).to_be_visible()
    expect(page.locator("[data-run]")).to_have_count(5)
    assert faults == []


@pytest.mark.parametrize("has_script", [True, False], ids=["with forms.js", "by the server alone"])
def test_other_forms_do_once_what_is_clicked_twice(
    page: Page, faults: list[str], onlooker: Observer, scripted_as: Scripted, *, has_script: bool
) -> None:
    if not has_script:
        page.route("**/forms.js", lambda route: route.fulfill(body=""))
        page.reload()
    scripted_as(says("Well."), says("Better."), says("Best."))
    work_on(ask(page, "How did Carolina do?"))
    again = page.get_by_role("button", name="Ask again")
    again.dblclick()
    answer_last(page, number=1)
    expect(page.locator(".answer")).to_have_text("Better.")

    page.get_by_role("button", name="Fork from here").dblclick()
    expect(page.get_by_text("This is a copy")).to_be_visible()
    page.get_by_text("Rename, share, delete").click()
    page.get_by_text("Delete permanently …").click()
    page.get_by_role("button", name="Delete permanently", exact=True).dblclick()
    expect(page.get_by_text("The conversation is deleted.")).to_be_visible()
    expect(page.locator("#conversations").get_by_text("How did Carolina do?").first).to_be_visible()

    page.goto("/connect/?client=cursor")
    page.get_by_label("Name of the key").fill(f"twice {has_script}")
    page.get_by_role("button", name="Make a key").dblclick()
    expect(page.get_by_text("Copy it now")).to_be_visible()
    assert len(onlooker.ask("SELECT 1 FROM toolbox_api_keys WHERE name = %s", f"twice {has_script}")) == 1
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


def test_a_lost_network_is_said_and_the_answer_goes_on(
    browser: Browser, server: str, session: StorageState, scripted_as: Scripted
) -> None:
    scripted_as(calls(FEBRUARY), hangs(), says("Never."))
    with relay(server) as network:
        page = browser.new_context(base_url=network.address, storage_state=session).new_page()
        page.goto("/")
        run_id = ask(page, "How did Carolina do?")
        begin_work_on(run_id)
        expect(page.locator("[data-saying]")).to_have_text("Well")
        page.locator("#text").fill("What I was going to ask")

        network.cut()
        expect(page.get_by_text("this page tries again by itself")).to_be_visible()
        network.connect()
        expect(page.get_by_text("this page tries again by itself")).to_have_count(0)
        expect(page.locator("[data-saying]")).to_have_text("Well")
        assert page.locator("#text").input_value() == "What I was going to ask"

        page.get_by_role("button", name="Ask", exact=True).click()
        expect(page.locator(".exchange")).to_have_count(2)
        expect(page.locator("[data-word]").last).to_have_text("Waiting for a worker")
        page.get_by_role("button", name="Stop").first.click()
        expect(page.locator("[data-word]").first).to_have_text("Stopped")
        page.context.close()
