"""What two people do with one conversation, and what a page says when its server, or the right to it, is gone."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from agents.queries import conversations
from console.accounts.login import login_link_path
from tests.agents.conversation_client import SETTINGS, Observer
from tests.agents.own_worker import FEBRUARY, LINESCORE, Scripted, calls, says, work_on
from tests.console.conftest import violations
from tests.console.test_walk import CALL, ask
from tests.graphql_proxy.conftest import in_a_thread
from toolbox.database import event_loop

pytestmark = pytest.mark.slow
OFFER = "Ask one of these:\n\n- How did Boston do?\n- It is cold."


def test_a_call_is_rejected_and_what_the_answer_offers_is_a_button(
    page: Page, faults: list[str], onlooker: Observer, scripted_as: Scripted
) -> None:
    script = scripted_as(calls(FEBRUARY), says(OFFER))
    owner = onlooker.ask("SELECT id FROM auth_user WHERE username = 'curator'")[0]["id"]
    made = event_loop.run(conversations.create(SETTINGS | {"approve_tools": [LINESCORE]}, owner_id=owner))
    page.goto(f"/c/{made['id']}/")
    run_id = ask(page, "How did Carolina do?")
    onlooker.ask("UPDATE agents_runs SET created_at = created_at - interval '1 minute' WHERE id = %s", run_id)
    page.reload()
    expect(page.get_by_text("No worker has started on this yet")).to_be_visible()
    work_on(run_id)

    page.get_by_label("Reason for rejecting").fill("Not this team")
    page.evaluate("""() => {
        const section = document.querySelector("[data-run]");
        section.dataset.old = "";
        htmx.trigger(section, "news");
    }""")
    expect(page.locator("[data-old]")).to_have_count(0)  # the page has refreshed the form meanwhile
    expect(page.get_by_label("Reason for rejecting")).to_have_value("Not this team")
    page.get_by_role("button", name="Reject").press("Enter")
    expect(page.locator("[data-word]")).to_have_text("Waiting for a worker")
    page.reload()
    expect(page.get_by_text("No worker has started on this yet")).to_have_count(0)
    work_on(run_id)
    page.get_by_role("button", name="How did Boston do?").click()

    assert page.locator("#text").input_value() == "How did Boston do?"
    assert page.locator(".answer li button").count() == 1
    assert "Not this team" in str(script.told[-1])
    assert violations(page) == []
    assert faults == []


def test_a_conversation_is_shared_by_its_link_and_gone_on_from(
    page: Page, stranger: Page, faults: list[str], scripted_as: Scripted, django_db_blocker: Any
) -> None:
    scripted_as(calls(FEBRUARY), says("Seven games."), says("In a copy."))
    work_on(ask(page, "How did Carolina do?"))
    with django_db_blocker.unblock():
        link = in_a_thread(lambda: login_link_path(User.objects.get(username="charlie")))
    stranger.goto(link)
    stranger.get_by_role("button", name="Log in as charlie").click()
    expect(stranger.get_by_text("You cannot use any tools yet")).to_be_visible()
    assert violations(stranger) == []
    stranger.goto(page.url)
    expect(stranger.get_by_role("heading", name="Page not found")).to_be_visible()

    page.get_by_text("Rename, share, delete").click()
    page.get_by_role("button", name="Share with everybody who can log in").click()
    page.get_by_text("Rename, share, delete").click()
    assert page.locator("#address").inner_text() == page.url
    stranger.goto(page.locator("#address").inner_text())
    stranger.locator(f"{CALL} summary").click()
    expect(stranger.get_by_text("require the right linescore:read")).to_be_visible()
    stranger.get_by_role("button", name="Continue from here").click()
    work_on(ask(stranger, "And then?"))

    expect(stranger.locator(".answer").last).to_have_text("In a copy.")
    expect(page.locator(".exchange")).to_have_count(1)
    page.goto("/?q=Seven")
    expect(page.locator("#conversations")).to_contain_text("How did Carolina do?")
    page.locator("#q").fill("nobody said this")
    expect(page.locator("#conversations")).to_contain_text("Try fewer")
    assert faults == []


def test_a_server_that_is_away_and_a_lost_session_are_said(page: Page) -> None:
    page.goto(f"/tools/{LINESCORE}/")
    page.route("**/tools/**", lambda route: route.abort())
    page.get_by_role("button", name="Call it").click()
    expect(page.get_by_role("alert")).to_contain_text("The server does not answer")

    page.unroute("**/tools/**")
    page.route("**/tools/**", lambda route: route.fulfill(status=413, body="<main><p class=notice>Too much</p></main>"))
    page.get_by_role("button", name="Call it").click()
    expect(page.get_by_role("alert")).to_have_text("Too much")

    page.unroute("**/tools/**")
    page.context.clear_cookies(name="sessionid")
    page.get_by_role("button", name="Call it").click()
    expect(page.get_by_text("so nothing was sent")).to_be_visible()
    page.get_by_label("User name").fill("curator")
    page.get_by_label("Password").fill("curator")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Send it now").click()
    expect(page.locator("#result")).to_contain_text("answered")
