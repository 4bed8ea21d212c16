"""Tables of the pages: sorted and filtered by keyboard, and the same again by their address."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.console.conftest import violations

pytestmark = pytest.mark.slow
TEAM = "/linescore/2024-2025/CAR/"


def read_rows(page: Page) -> list[str]:
    """Return the visible games, each by its day and teams."""
    return [
        " ".join(text.split()[:4])
        for text in page.locator("table[data-sorts=games] tbody tr:visible").all_inner_texts()
    ]


def test_what_is_chosen_in_a_table_can_be_sent_as_an_address(page: Page, faults: list[str]) -> None:
    page.goto(TEAM)
    page.get_by_label("Filter games").press_sequentially("bos")
    heading = page.locator("table[data-sorts=games]").get_by_role("button", name="Goals")
    heading.press("Enter")
    heading.press("Enter")

    chosen, address = read_rows(page), page.url
    assert len(chosen) == 3
    assert re.search(r"\?games\.has=bos&games\.sort=-5$", address)
    column = page.locator("table[data-sorts=games]").get_by_role("columnheader", name="Goals")
    expect(column).to_have_attribute("aria-sort", "descending")
    expect(page.locator(".filter [role=status]")).to_have_text("3 of 82 rows")
    assert violations(page) == []

    page.goto("about:blank")
    page.goto(address)
    assert read_rows(page) == chosen
    assert page.get_by_label("Filter games").input_value() == "bos"
    page.get_by_label("Filter games").fill("")
    assert page.url.endswith(f"{TEAM}?games.sort=-5")
    assert len(read_rows(page)) == 82
    assert faults == []


def test_figures_are_sorted_as_figures(page: Page) -> None:
    page.goto("/linescore/2024-2025/?teams.sort=9")

    column = page.locator("table[data-sorts=teams] tbody td:nth-child(9)").all_inner_texts()
    assert [int(text) for text in column] == sorted(int(text) for text in column)
    assert int(column[0]) < 0 < int(column[-1])
