"""A real browser for tests, where the machine has one."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Page, sync_playwright

PATIENCE_MILLISECONDS = 60_000


@contextmanager
def sign_in(server: str, *, name: str, password: str) -> Iterator[Page]:
    """Open Chromium at the admin, signed in; skips where there is no Chromium."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if not chromium:
        pytest.skip("Chromium is not installed: the admin cannot be walked in a real browser")
    options = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=options)
        page = browser.new_page(base_url=server)
        page.set_default_timeout(PATIENCE_MILLISECONDS)
        page.goto("/admin/")
        page.fill("[name=username]", name)
        page.fill("[name=password]", password)
        page.click("[type=submit]")
        page.wait_for_url("**/admin/")
        yield page
        browser.close()
