"""Take the README's pictures: `python docs/screenshots/take.py LINK`, with the link that quickstart printed."""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

HERE = Path(__file__).parent
QUESTION = "How did Carolina do in February 2025?"
CRASH = "Diagnose the crash in my terminal"
PAGES = {
    "season": "/linescore/",
    "past-errors": "/devassist/?q=NullPointerException+at+_binding+when+a+coroutine+resumes+late",
    "schema": "/schemas/hockey/types/Game/",
    "dashboard": "/admin/",
    "calls": "/admin/toolbox/toolcall/",
}


def take(link: str) -> None:
    """Walk the pages and keep a picture of each."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1100, "height": 760})
        page.goto(link)
        page.get_by_role("button").click()
        page.wait_for_selector("#text")
        _keep(page, name="ask")
        page.fill("#text", QUESTION)
        page.keyboard.press("Enter")
        page.wait_for_selector("[data-state=succeeded]")
        page.click("details.call summary")
        page.wait_for_selector("details.call table")
        _keep(page, name="conversation", whole=True)
        page.emulate_media(color_scheme="dark")
        page.set_viewport_size({"width": 375, "height": 760})
        page.evaluate("scrollTo(0, 0)")
        _keep(page, name="conversation-phone-dark")
        page.emulate_media(color_scheme="light")
        page.set_viewport_size({"width": 1100, "height": 760})
        _take_pages(page, server="/".join(link.split("/")[:3]))
        browser.close()


def _take_diagnosis(page: Page, *, server: str) -> None:
    page.goto(f"{server}/")
    page.fill("#text", CRASH)
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-state=succeeded]")
    page.click("details.call summary")
    page.wait_for_selector("details.call table")
    _keep(page, name="diagnose", whole=True)


def _take_pages(page: Page, *, server: str) -> None:
    _take_diagnosis(page, server=server)
    page.goto(f"{server}/tools/query_linescore_data/?arguments=%7B%22periodOutcome%22:%22WIN%22%7D")
    page.click("#call")
    page.wait_for_selector("#result table")
    _keep(page, name="tool")
    for name, path in PAGES.items():
        page.goto(f"{server}{path}")
        _keep(page, name=name)
    _take_run(page, server=server)


def _take_run(page: Page, *, server: str) -> None:
    page.set_viewport_size({"width": 1100, "height": 1080})
    page.goto(f"{server}/backtests/")
    page.click("tbody th a")
    page.click("svg.strips a >> nth=30")
    page.wait_for_url("**at=**")
    page.evaluate("scrollTo(0, 0)")
    _keep(page, name="run")
    page.goto(f"{server}/sprints/")
    _keep(page, name="sprint")


def _keep(page: Page, *, name: str, whole: bool = False) -> None:
    page.screenshot(path=HERE / f"{name}.png", full_page=whole, animations="disabled")


if __name__ == "__main__":
    take(sys.argv[1])
