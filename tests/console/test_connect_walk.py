"""A person connects a client, sees its call, makes it again; and writes a verified query: in a real browser."""

import json
import re
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.agents.conversation_client import Observer
from tests.agents.own_worker import work_on
from tests.console.conftest import violations
from toolbox.database.caches import clear_all_caches

pytestmark = pytest.mark.slow
CALL = {"name": "query_linescore_data", "arguments": {"teamCode": "CAR", "limit": 2}}
PAGES = (
    "/connect/",
    "/connect/?client=codex",
    "/activity/",
    "/activity/?live=1",
    "/activity/queue/",
    "/activity/trends/",
    "/activity/?sort=-ms",
    "/teach/?question=How+is+the+mood%3F",
    "/teach/?question=How+is+the+mood%3F&kind=query",
)


@pytest.fixture
def client_configuration(page: Page, onlooker: Observer) -> Iterator[dict[str, Any]]:
    """Create a key on the page for VS Code and test it there; yields the configuration from the page."""
    page.get_by_role("link", name="Connect", exact=True).click()
    page.get_by_role("link", name="VS Code").press("Enter")
    page.get_by_role("button", name="Make a key and write the configuration").press("Enter")
    page.get_by_role("button", name="Test the connection").press("Enter")
    expect(page.locator("#tested")).to_have_text(re.compile(r"It works: \d+ tools"))
    configuration: dict[str, Any] = json.loads(page.locator("#key-1").text_content() or "")
    yield configuration["servers"]["toolroom"]
    onlooker.ask("DELETE FROM toolbox_api_keys WHERE name = 'VS Code of curator' RETURNING id")


def test_the_first_call_is_seen_and_made_again(
    page: Page, faults: list[str], client_configuration: dict[str, Any]
) -> None:
    assert violations(page) == []
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": CALL}
    httpx.post(client_configuration["url"], headers=client_configuration["headers"], json=message).raise_for_status()
    expect(page.get_by_text("It is connected.")).to_be_visible()

    page.get_by_role("link", name="Activity").click()
    page.locator("#calls tbody a").first.press("Enter")
    page.get_by_label("Arguments", exact=True).fill(json.dumps({"teamCode": "WPG", "limit": 2}))
    page.get_by_role("button", name="Call it").press("Enter")

    expect(page.get_by_role("heading", name="Compared", exact=True)).to_be_visible()
    expect(page.locator("pre.diff .added").first).to_be_visible()
    expect(page.get_by_role("img", name=re.compile("^Session"))).to_be_visible()
    assert violations(page) == []
    assert faults == []


def test_the_pages_hold_in_the_dark_and_on_a_phone(page: Page, faults: list[str]) -> None:
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 375, "height": 740})

    for address in PAGES:
        page.goto(address)
        assert page.evaluate("document.documentElement.scrollWidth") <= 375, address
        assert violations(page) == [], address
    assert faults == []


def test_a_verified_query_is_written_beside_the_schema_and_run(page: Page) -> None:
    page.goto("/admin/sprints/verifiedquery/add/")
    box = page.locator("#id_sql")
    box.fill("SELECT count(*) AS found FROM sprintscope.")
    box.press("End")
    region = page.get_by_role("region", name=re.compile("^Views and columns"))
    region.locator("summary", has_text=re.compile(r"^\s*issues\s*$")).click()
    region.get_by_role("button", name="issues", exact=True).click()
    box.press("Control+Enter")

    expect(page.get_by_role("region", name="What the statement gives")).to_contain_text("1 rows in")
    assert page.locator("#id_sql").input_value().endswith("sprintscope.issues")
    assert violations(page) == []
    page.set_viewport_size({"width": 375, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") <= 375


@pytest.fixture
def no_example(onlooker: Observer) -> Iterator[None]:
    """Delete all examples afterwards."""
    yield
    onlooker.ask("DELETE FROM toolbox_examples WHERE name = 'mood' RETURNING id")


def answer_last(page: Page) -> None:
    """Let a worker answer the last question."""
    page.wait_for_selector("[data-run]")
    work_on(UUID(page.locator("[data-run]").last.get_attribute("data-run") or ""))


def test_a_newcomer_connects_sees_the_call_teaches_a_question_and_gets_it_answered(
    page: Page, faults: list[str], client_configuration: dict[str, Any], no_example: None
) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": CALL}
    httpx.post(client_configuration["url"], headers=client_configuration["headers"], json=message).raise_for_status()
    expect(page.get_by_text("It is connected.")).to_be_visible()

    page.get_by_role("link", name="Ask", exact=True).click()
    page.get_by_label("Your question").fill("How is the mood in the locker room?")
    page.keyboard.press("Enter")
    answer_last(page)
    expect(page.locator("[data-word]")).to_have_text("Not covered")
    page.get_by_role("link", name="Teach this").click()
    page.get_by_role("link", name="An example").press("Enter")
    assert page.get_by_label("Question, as it was asked").input_value() == "How is the mood in the locker room?"
    page.get_by_label(re.compile("^Domain")).select_option("linescore")
    page.get_by_label(re.compile("^Name")).fill("mood")
    page.get_by_label(re.compile("^Tool")).fill("query_linescore_data")
    page.get_by_label(re.compile("^Arguments")).fill('{"teamCode": "CAR", "limit": 3}')
    page.get_by_label(re.compile("^Answer")).fill("{{ answer.data.count }} periods, most of them wonn.")
    page.get_by_role("button", name="Try it").press("Enter")
    expect(page.get_by_text("With this, the question is answered.")).to_be_visible()
    expect(page.get_by_role("table").first).to_be_visible()
    assert violations(page) == []
    page.get_by_label(re.compile("^Answer")).fill("{{ answer.data.count }} periods, most of them won.")
    page.get_by_role("button", name="Publish").press("Enter")
    expect(page.get_by_text("can be answered now. Who asked it sees that")).to_be_visible()
    assert violations(page) == []

    page.get_by_role("link", name="Ask", exact=True).click()
    page.get_by_role("link", name="How is the mood in the locker room?").first.click()
    expect(page.get_by_text("This can be answered now")).to_be_visible()
    assert violations(page) == []
    page.get_by_role("button", name="Ask it again").click()
    expect(page.locator("[data-run]")).to_have_count(2)
    clear_all_caches()
    answer_last(page)
    expect(page.locator(".answer").last).to_contain_text("3 periods, most of them won.")
    assert faults == []
