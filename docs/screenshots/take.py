"""
Take the README's pictures, from a clean clone: `python docs/screenshots/take.py`.

It starts quickstart, walks the pages in a browser, and ends what it started. Chromium has to be on the path, and
requirements-dev.txt installed.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, sync_playwright
from story import tell_story

HERE = Path(__file__).parent
PATIENCE_MILLISECONDS = 180_000
QUESTION = "How did Carolina do in February 2025?"
CRASH = "Diagnose the crash in my terminal"
LINK, KEY = re.compile(r"(http\S+)(/login/once/\S+)"), re.compile(r"API key\s+(\S+)")
PAGES = {
    "tools": "/tools/",
    "connect": "/connect/",
    "season": "/linescore/",
    "team": "/linescore/2024-2025/CAR/",
    "past-errors": "/devassist/?q=NullPointerException+at+_binding+when+a+coroutine+resumes+late",
    "schema": "/schemas/hockey/types/Game/",
    "dashboard": "/admin/",
    "calls": "/admin/toolbox/toolcall/",
}


@contextmanager
def started_quickstart() -> Iterator[str]:
    """Start quickstart, and end it and its parts afterwards; gives what it printed until it served."""
    command = [sys.executable, "manage.py", "quickstart"]
    with subprocess.Popen(
        command, cwd=HERE.parents[1], env=os.environ | {"PYTHONUNBUFFERED": "1", "COLUMNS": "200"}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
    ) as server:  # fmt: skip
        printed = ""
        try:
            for line in server.stdout or ():
                printed += line
                if line.startswith("Serving."):
                    break
            yield printed
        finally:
            os.killpg(server.pid, signal.SIGTERM)


def take(*, server: str, link: str, key: str) -> None:
    """Walk the pages and keep a picture of each."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1100, "height": 760})
        page.set_default_timeout(PATIENCE_MILLISECONDS)
        page.goto(f"{server}{link}")
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
        _take_pages(page, server=server)
        tell_story(server=server, key=key, page=page, path=HERE.with_name("retry.svg"))
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
    with started_quickstart() as said:
        link, key = LINK.search(said), KEY.search(said)
        if link is None or key is None:
            raise SystemExit("quickstart printed no address and key")
        take(server=link[1], link=link[2], key=key[1])
