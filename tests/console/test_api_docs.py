"""The page /api/docs in a browser: one authorizes with a key, and tries a tool."""

from types import SimpleNamespace

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.slow


def test_a_tool_is_tried_with_a_key(stranger: Page, server: str, cast: SimpleNamespace) -> None:
    stranger.goto(f"{server}/api/docs")
    stranger.get_by_role("button", name="Authorize").first.click()
    stranger.locator(".modal-ux input").fill(cast.bob)
    stranger.locator(".modal-ux").get_by_role("button", name="Apply credentials").click()
    stranger.locator(".modal-ux").get_by_role("button", name="Close").first.click()
    operation = stranger.locator("[id$=query_linescore_data]").first
    operation.locator("button.opblock-summary-control").click()
    operation.get_by_role("button", name="Try it out").click()
    operation.get_by_role("button", name="Execute").click()

    expect(operation.locator(".live-responses-table tr.response .response-col_status")).to_contain_text("200")
