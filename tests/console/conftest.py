"""Fixtures for pages: a browser, and people of each kind."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, StorageState, expect, sync_playwright

from tests.agents.conftest import onlooker, quiet_talk, scripted_as
from toolbox.database.caches import clear_all_caches

__all__ = ["onlooker", "quiet_talk", "scripted_as"]

AXE = Path(getattr(find_spec("axe_playwright_python"), "origin", "")).with_name("axe.min.js")
PATIENCE_MILLISECONDS = 60_000
expect.set_options(timeout=PATIENCE_MILLISECONDS)
RULES = "{resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']}"


@pytest.fixture(autouse=True)
def fresh_memories() -> Iterator[None]:
    """Clear the caches of people: each test creates its own."""
    clear_all_caches()
    yield
    clear_all_caches()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Start Chromium; skips where there is none."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if not chromium:
        pytest.skip("no Chromium on the path: Debian's package chromium has one, and pages are then walked in it")
    flags = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=flags)
        yield started
        started.close()


@pytest.fixture
def faults() -> list[str]:
    """Collect the browser's errors, and requests to other hosts."""
    return []


@pytest.fixture
def stranger(browser: Browser, server: str, faults: list[str]) -> Iterator[Page]:
    """Open a window in which nobody is logged in."""
    with _window(browser, server=server, faults=faults) as opened:
        yield opened


@pytest.fixture(scope="module")
def session(browser: Browser, server: str) -> StorageState:
    """Log the curator in, once for all tests of a module."""
    with _window(browser, server=server, faults=[]) as opened:
        opened.goto("/login/")
        opened.get_by_label("User name").fill("curator")
        opened.get_by_label("Password").fill("curator")
        opened.keyboard.press("Enter")
        opened.get_by_role("button", name="Log out").wait_for()
        return opened.context.storage_state()


@pytest.fixture
def page(browser: Browser, server: str, faults: list[str], session: StorageState) -> Iterator[Page]:
    """Open the first page as the curator."""
    with _window(browser, server=server, faults=faults, session=session) as opened:
        opened.goto("/")
        yield opened


@contextmanager
def _window(browser: Browser, *, server: str, faults: list[str], session: StorageState | None = None) -> Iterator[Page]:
    context = browser.new_context(base_url=server, viewport={"width": 1200, "height": 900}, storage_state=session)
    opened = context.new_page()
    opened.set_default_timeout(PATIENCE_MILLISECONDS)
    inside = (server, "data:", "blob:")
    opened.on("pageerror", lambda error: faults.append(str(error)))
    opened.on("console", lambda said: faults.append(said.text) if _is_complaint(said) else None)
    opened.on("request", lambda sent: None if sent.url.startswith(inside) else faults.append(sent.url))
    yield opened
    context.close()


def violations(page: Page) -> list[str]:
    """Return axe-core's serious findings on the page, run in a way that the page's own policy allows."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found: list[dict[str, Any]] = page.evaluate(f"async () => (await axe.run({RULES})).violations")
    return [
        f"{one['id']}: {node['html'][:120]}"
        for one in found
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]


def _is_complaint(said: ConsoleMessage) -> bool:
    return said.type == "error" and "404" not in said.text
