"""Pages walked as people walk them, in a real browser: what it complains of is a failure."""

import json
import re
from pathlib import Path
from uuid import UUID

import pytest
from playwright.sync_api import Page, expect

from agents.queries import conversations
from tests.agents.conversation_client import SETTINGS, Observer
from tests.agents.own_worker import FEBRUARY, LINESCORE, Scripted, begin_work_on, calls, hangs, says, work_on
from tests.console.conftest import violations
from toolbox.database import event_loop

pytestmark = pytest.mark.slow
CALL = 'details.call[id$="answered"]'


def ask(page: Page, text: str) -> UUID:
    """Ask on the open page, and return the run."""
    page.locator("#text").fill(text)
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-run]")
    return UUID(page.locator("[data-run]").last.get_attribute("data-run"))


def test_a_newcomer_gets_in_and_sees_what_to_do(stranger: Page, faults: list[str]) -> None:
    stranger.goto("/")
    expect(stranger.get_by_text("Tools for LLM agents")).to_be_visible()
    assert violations(stranger) == []
    stranger.get_by_label("User name").fill("curator")
    stranger.get_by_label("Password").fill("wrong")
    stranger.keyboard.press("Enter")
    expect(stranger.get_by_role("alert")).to_contain_text("password is wrong")

    stranger.get_by_label("Password").fill("curator")
    stranger.keyboard.press("Enter")
    stranger.get_by_role("button", name=re.compile("How did .* do in")).first.click()

    assert stranger.locator("#text").input_value().startswith("How did")
    sizes = "performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation'))"
    assert stranger.evaluate(f"{sizes}.reduce((sum, one) => sum + one.encodedBodySize, 0)") < 200_000
    assert violations(stranger) == []
    assert faults == []


def test_a_reload_in_mid_stream_loses_nothing_and_stop_stops(
    page: Page, faults: list[str], onlooker: Observer, scripted_as: Scripted
) -> None:
    scripted_as(calls(FEBRUARY), hangs(), calls(FEBRUARY), says("**21** periods.\n\n<b>x</b>"))
    run_id = ask(page, "How did Carolina do?")
    begin_work_on(run_id)

    for _ in range(2):
        expect(page.locator("[data-saying]")).to_have_text("Well")
        expect(page.locator(CALL)).to_have_count(1)
        page.reload()
    page.get_by_role("button", name="Stop").click()

    expect(page.locator("[data-word]")).to_have_text("Stopped")
    assert onlooker.run(run_id)["state"] == "cancelled"
    page.get_by_role("button", name="Ask again").click()
    expect(page.locator(f'[data-run="{run_id}"]')).to_have_count(0)
    work_on(UUID(page.locator("[data-run]").get_attribute("data-run")))
    expect(page.locator(".answer strong")).to_have_text("21")
    expect(page.locator(".answer")).to_contain_text("<b>x</b>")
    expect(page.locator("#news")).to_have_text("The answer is there.")
    assert faults == []


def test_a_call_unfolds_to_rows_that_sort_and_export(
    page: Page, faults: list[str], scripted_as: Scripted, tmp_path: Path
) -> None:
    scripted_as(calls(FEBRUARY), says("Done."))
    work_on(ask(page, "How did Carolina do?"))
    page.locator(f"{CALL} summary").first.click()
    heading = page.locator(CALL).get_by_role("button", name=re.compile("^goals_for"))
    heading.click()
    heading.click()

    goals = [int(text) for text in page.locator(f"{CALL} tbody td:nth-child(5)").all_inner_texts()]
    assert (len(goals), goals) == (21, sorted(goals, reverse=True))
    with page.expect_download() as download:
        page.locator(CALL).get_by_role("button", name="Export CSV").first.click()
    download.value.save_as(tmp_path / "rows.csv")
    lines = (tmp_path / "rows.csv").read_text(encoding="utf-8-sig").splitlines()
    assert (len(lines), lines[0].split(",")[4]) == (22, "goals_for")
    assert [int(line.split(",")[4]) for line in lines[1:]] == goals
    assert faults == []


def test_a_waiting_call_is_approved_with_other_arguments(
    page: Page, faults: list[str], onlooker: Observer, scripted_as: Scripted
) -> None:
    scripted_as(calls(FEBRUARY), says("Boston."))
    owner = onlooker.ask("SELECT id FROM auth_user WHERE username = 'curator'")[0]["id"]
    made = event_loop.run(conversations.create(SETTINGS | {"approve_tools": [LINESCORE]}, owner_id=owner))
    page.goto(f"/c/{made['id']}/")
    run_id = ask(page, "How did Carolina do?")
    work_on(run_id)

    box = page.get_by_label("Arguments (editable)")
    box.fill(json.dumps(json.loads(box.input_value()) | {"teamCode": "BOS"}))
    assert violations(page) == []
    page.get_by_role("button", name="Approve").click()
    expect(page.locator("[data-word]")).to_have_text("Waiting for a worker")
    work_on(run_id)

    expect(page.locator(".answer")).to_have_text("Boston.")
    page.locator(f"{CALL} summary").click()
    expect(page.locator(CALL)).to_contain_text('"teamCode": "BOS"')
    assert faults == []


def test_the_catalogue_s_form_takes_good_and_bad_input_by_keyboard_alone(page: Page, faults: list[str]) -> None:
    page.goto("/tools/")
    page.locator("#q").press_sequentially("period rankings")
    expect(page.locator("#found h3")).to_have_count(1)
    page.locator("#q").press("Tab")  # the domain's heading
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/tools/{LINESCORE}/")
    page.keyboard.press("Tab")
    expect(page.get_by_text("Skip to the content")).to_be_focused()

    page.get_by_label("teamCode").fill("carolina")
    page.get_by_label("teamCode").press("Enter")
    expect(page.locator("#w-teamCode")).to_contain_text("There is no team 'carolina'")
    expect(page.get_by_label("teamCode")).to_have_attribute("aria-invalid", "true")
    assert violations(page) == []
    page.get_by_role("link", name="Fill in the suggested values").press("Enter")
    page.get_by_role("button", name="Call it").press("Enter")

    expect(page.locator("#result")).to_contain_text("21 rows")
    expect(page.locator("#same-curl")).to_contain_text('"teamCode":"CAR"')
    assert faults == []


def test_every_page_holds_in_the_dark_and_on_a_phone(page: Page, faults: list[str], scripted_as: Scripted) -> None:
    scripted_as(calls(FEBRUARY), says("| a | b |\n|---|---|\n| 1 | 2 |"))
    work_on(ask(page, "How did Carolina do?"))
    page.locator(f"{CALL} summary").click()
    expect(page.locator(CALL).get_by_role("button", name="Export CSV")).to_be_visible()
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 375, "height": 740})

    for address in ("", "/", "/tools/", f"/tools/{LINESCORE}/", "/clients/", "/unknown/"):
        if address:
            page.goto(address)
        assert page.evaluate("document.documentElement.scrollWidth") <= 375, address
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(15, 20, 25)"
        assert violations(page) == [], address
    assert faults == []


def test_past_errors_and_schemas_are_walked_at_a_desk_and_on_a_phone_in_the_dark(page: Page, faults: list[str]) -> None:
    page.get_by_role("link", name="Data", exact=True).click()
    page.get_by_label("Data").get_by_role("link", name="Code and errors").click()
    page.get_by_label("What went wrong").fill("lateinit property adapter has not been initialized")
    page.get_by_role("button", name="Search").press("Enter")
    expect(page.locator(".past").first).to_contain_text("Found by its meaning, and by the words it shares.")
    page.get_by_text("Scores as a table").press("Enter")
    assert violations(page) == []
    page.locator(".past h3 a").first.press("Enter")
    expect(page.get_by_role("heading", name="Why it happens")).to_be_visible()
    entry = page.url

    page.get_by_role("link", name="GraphQL", exact=True).click()
    page.get_by_role("link", name="mock").click()
    page.get_by_label("Search queries").press_sequentially("league standings")
    page.locator("#found a.name", has_text="leagueStandings").first.press("Enter")
    page.get_by_role("link", name="Try it").click()
    page.get_by_role("button", name="Call it").press("Enter")
    expect(page.locator("#result")).to_contain_text("answered")

    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 375, "height": 740})
    shown = ("/devassist/", "/devassist/?q=null+pointer+in+a+fragment", "/devassist/?q=cold+soup", entry)
    for address in (*shown, "/schemas/mock/", "/schemas/mock/types/Team/", "/schemas/mock/queries/leagueStandings/"):
        page.goto(address)
        assert page.evaluate("document.documentElement.scrollWidth") <= 375, address
        assert violations(page) == [], address
    assert faults == []
