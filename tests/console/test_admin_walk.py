"""The admin walked as curators walk it: corrections that agents hear of, jobs begun and stopped, pages of all kinds."""

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.agents.conversation_client import Observer
from tests.console.conftest import violations
from toolbox.database import event_loop
from toolbox.work import jobs, worker

pytestmark = pytest.mark.slow
OPENING_GAME = 2024020001
GAME = f"/admin/linescore/game/{OPENING_GAME}/"


@pytest.fixture
def restored_game(onlooker: Observer) -> Iterator[None]:
    """Restore the game and its history after the test, even if it fails."""
    select = f"SELECT id, home_goals FROM linescore_periods WHERE game_id = {OPENING_GAME}"
    before = onlooker.ask(select)
    yield
    for row in before:
        onlooker.ask("UPDATE linescore_periods SET home_goals = %s WHERE id = %s", row["home_goals"], row["id"])
    onlooker.ask("DELETE FROM django_admin_log WHERE object_id = %s", str(OPENING_GAME))


@pytest.fixture
def no_jobs(onlooker: Observer) -> Iterator[None]:
    """Delete all jobs afterwards."""
    yield
    onlooker.ask("DELETE FROM django_admin_log WHERE change_message LIKE %s", "%shipped season%")
    onlooker.ask("DELETE FROM toolbox_jobs")


def second_period(server: str, key: str) -> tuple[int, str]:
    """Ask the tool for Buffalo's second period of the opening game."""
    asked = {"teamCode": "BUF", "startDate": "2024-10-04", "endDate": "2024-10-04"}
    answer = httpx.post(
        f"{server}/api/tools/linescore/query_linescore_data", json=asked, headers={"Authorization": f"Bearer {key}"}
    )
    row: dict[str, Any] = answer.raise_for_status().json()["data"]["results"][1]
    return row["goals_for"], row["period_outcome"]


def correct(page: Page, *, goals: int) -> None:
    """Enter Buffalo's goals of the second period into the game's form, and save it."""
    page.goto(f"{GAME}change/")
    page.locator("[name=periods-1-home_goals]").fill(str(goals))
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_url("**/admin/linescore/game/")


def test_a_correction_is_what_agents_are_told_and_can_be_undone(
    page: Page, server: str, cast: SimpleNamespace, faults: list[str], restored_game: None
) -> None:
    before = second_period(server, cast.alice)

    correct(page, goals=9)
    expect(page.get_by_text("was changed successfully").first).to_be_visible()
    assert second_period(server, cast.alice) == (9, "WIN")
    page.goto(f"{GAME}history/")
    expect(page.get_by_role("row").nth(1)).to_contain_text(
        re.compile("curator.*Changed Home goals for period", re.DOTALL)
    )
    correct(page, goals=before[0])

    assert second_period(server, cast.alice) == before != (9, "WIN")
    assert faults == []


def test_a_correction_that_cannot_be_is_refused_where_it_was_typed(page: Page, restored_game: None) -> None:
    page.goto(f"{GAME}change/")
    page.get_by_label("Home empty net goals").nth(1).fill("40")
    page.get_by_role("button", name="Save", exact=True).click()

    expect(page.get_by_text("cannot score more empty-net goals").first).to_be_visible()
    assert violations(page) == []


def begin(page: Page) -> int:
    """Start a load in the admin, and return the job."""
    page.goto("/admin/toolbox/job/add/")
    page.get_by_role("link", name="The shipped season 2024-25").click()
    page.get_by_role("button", name="Start").click()
    expect(page.locator("#job-progress")).to_contain_text("It waits for a worker")
    return int(page.url.split("/")[-3])


def test_a_load_is_watched_and_stopped(page: Page, onlooker: Observer, no_jobs: None) -> None:
    job = begin(page)
    onlooker.ask(
        "UPDATE toolbox_jobs SET state = 'running', step = 'reading', done = 3, expected = 10, attempt = 1,"
        " started_at = now(), heartbeat_at = now() WHERE id = %s",
        job,
    )
    expect(page.get_by_role("progressbar")).to_have_attribute("value", "30")
    assert violations(page) == []

    page.get_by_role("button", name="Cancel this job").click()

    expect(page.locator("#job-progress")).to_contain_text("Cancelled; it stops at its next step")


def test_a_load_ends_before_one_s_eyes_and_jobs_are_exported(
    page: Page, no_jobs: None, django_db_blocker: Any, tmp_path: Path
) -> None:
    job = begin(page)
    with django_db_blocker.unblock():
        event_loop.run(worker.execute(jobs.JOBS, work_id=job, work=jobs.carry_out))
    expect(page.locator("#job-progress")).to_contain_text("Succeeded: 0 added")

    page.goto("/admin/toolbox/job/")
    page.locator(".action-select").first.check()
    page.locator("select[name=action]").select_option("export_csv")
    with page.expect_download() as download:
        page.get_by_role("button", name="Run").click()
    download.value.save_as(tmp_path / "jobs.csv")

    with (tmp_path / "jobs.csv").open(encoding="utf-8-sig") as file:
        assert [line["state"] for line in csv.DictReader(file)] == ["succeeded"]


DESKTOP = ("/admin/", "/admin/toolbox/toolcall/", f"{GAME}change/", "/admin/auth/group/add/")
PHONE = (
    "/admin/", "/admin/toolbox/toolcall/", "/admin/admin/logentry/?q=nothing-has-this", f"{GAME}change/",
    "/admin/sprints/issue/add/", "/admin/toolbox/apikey/add/", "/admin/toolbox/job/add/",
)  # fmt: skip


@pytest.mark.parametrize(("width", "scheme", "pages"), [(1200, "light", DESKTOP), (375, "dark", PHONE)])
def test_every_kind_of_page_holds(
    page: Page, faults: list[str], width: int, scheme: Any, pages: tuple[str, ...]
) -> None:
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 800})

    for address in pages:
        page.goto(address)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, address
        assert page.evaluate("document.documentElement.classList.contains('dark')") == (scheme == "dark"), address
        assert violations(page) == [], address
    assert faults == []
