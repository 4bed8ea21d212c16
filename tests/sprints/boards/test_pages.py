"""The board's page: what its tables say is what the history says, in a fixed number of statements."""

import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from sprints.ingest.load import forget
from sprints.models import Issue, Organisation, Sprint, SprintIssue, StatusChange, Team
from tests.pages import as_user, rows

pytestmark = pytest.mark.django_db
BOARD = "/sprints/"


@pytest.fixture
def curator(cast: None) -> Client:
    return as_user("curator")


def show(client: Client, query: str = "") -> str:
    reply = client.get(f"{BOARD}?{query}")
    assert reply.status_code == 200, query
    text = str(reply.content, "utf-8")
    assert "style=" not in text
    assert "<script" not in text.replace('<script src="/static/', "")
    return text


def team(key: str) -> Team:
    return Team.objects.get(team_key=key)


def test_the_board_opens_with_the_sprint_that_runs_and_draws_everything(curator: Client) -> None:
    page = show(curator)

    running = Sprint.objects.get(team__team_key="ACCEL", state="active")
    assert f'value="{running.pk}" selected' in page
    assert page.count('<svg class="plot"') == 7
    ideal = re.search(r'points="([^"]+)"[^>]*data-series="Ideal"', page)
    remaining = re.search(r'points="([^"]+)"[^>]*data-series="Remaining"', page)
    assert ideal is not None
    assert remaining is not None
    assert running.ends_at is not None
    assert running.started_at is not None
    assert len(ideal[1].split()) == (running.ends_at.date() - running.started_at.date()).days + 1
    assert len(remaining[1].split()) < len(ideal[1].split())
    assert "/admin/sprints" not in page
    for name in ("Burndown", "Velocity", "Cycle time", "Finished issues, the latest first", "Work ageing"):
        assert rows(page.encode(), of=f'data-table="{name}"')


def test_work_is_as_old_as_its_first_move_into_progress_says(curator: Client) -> None:
    orbit = team("ORBIT")
    until = orbit.organisation.data_as_of
    assert until is not None
    expected = {}
    for issue in Issue.objects.filter(team=orbit, status__status_category="In Progress"):
        moves = StatusChange.objects.filter(issue=issue).order_by("changed_at", "pk")
        begun = moves.filter(to_status__status_category="In Progress").first()
        last = moves.last()
        assert begun is not None
        assert last is not None
        ages = (until - begun.changed_at, until - last.changed_at)
        expected[issue.issue_key] = [age.total_seconds() / 86_400 for age in ages]

    page = show(curator, f"team={orbit.pk}")

    told = rows(page.encode(), of='data-table="Work ageing"')
    assert {row[0] for row in told} == expected.keys()
    for row in told:
        assert [float(row[3]), float(row[4])] == pytest.approx(expected[row[0]], abs=0.051)
    assert [float(row[3]) for row in told] == sorted((float(row[3]) for row in told), reverse=True)


def test_a_velocity_s_sprint_leads_to_its_own_page(curator: Client) -> None:
    harbor = team("HARBOR")
    page = show(curator, f"team={harbor.pk}")
    closed = Sprint.objects.filter(team=harbor, state="closed").order_by("started_at").first()
    assert closed is not None
    assert f"?team={harbor.pk}&amp;sprint={closed.pk}" in page

    own = show(curator, f"sprint={closed.pk}")

    assert f'value="{closed.pk}" selected' in own
    carried = SprintIssue.objects.filter(sprint=closed, was_carried_over=True)
    if carried:
        assert {row[0] for row in rows(own.encode(), of='data-table="Carry-over"')} == set(
            carried.values_list("issue__issue_key", flat=True)
        )
    other = show(curator, f"team={team('ACCEL').pk}&sprint={closed.pk}")
    assert f'value="{closed.pk}" selected' not in other


def test_every_board_asks_as_often(curator: Client) -> None:
    counts = []
    for one in Sprint.objects.filter(sprint_name__in=["ORBIT Sprint 1", "HARBOR Sprint 6"]):
        with CaptureQueriesContext(connection) as asked:
            show(curator, f"team={one.team_id}&sprint={one.pk}")
        counts.append(len([query for query in asked if "sprintscope" in query["sql"]]))

    assert counts == [13, 13]


def test_empty_states_say_what_to_do(curator: Client) -> None:
    organisation = Organisation.objects.get(slug="meridian")
    none = Team.objects.create(organisation=organisation, team_key="NONE", team_name="<i>None</i>")

    page = show(curator, f"team={none.pk}")
    assert "has no sprint" in page
    assert "<i>None" not in page
    Sprint.objects.create(organisation=organisation, team=none, external_id="x", sprint_name="To come")
    assert page.count("Nothing to draw") == 3
    assert show(curator, f"team={none.pk}").count("Nothing to draw") == 6
    forget(organisation)
    assert "ingest_jira" in show(curator)


@pytest.mark.parametrize("query", ["team=x", "sprint=x", "team={0}", "sprint={0}"])
def test_what_is_not_there_is_told(curator: Client, query: str) -> None:
    nobody = "a1b2c3d4-e5f6-7890-abcd-ef1234567890"

    assert curator.get(f"{BOARD}?{query.format(nobody)}").status_code == 404


def test_whoever_lacks_the_right_is_told_which(cast: Any) -> None:
    refused = as_user("charlie").get(BOARD)

    assert (refused.status_code, "sprints:read" in refused.content.decode()) == (403, True)
    assert Client().get(BOARD)["Location"].startswith("/login/")


def test_the_board_forecasts_what_is_left_and_what_is_open(curator: Client) -> None:
    table = rows(show(curator).encode(), of='data-table="Forecast"')

    open_issues = Issue.objects.filter(team=team("ACCEL")).exclude(status__status_category="Done").count()
    assert [row[:2] for row in table] == [["Left in the active sprint", "5"], ["All open issues", str(open_issues)]]
    assert all(row[2] <= row[3] <= row[4] for row in table)


def test_a_team_without_history_gets_no_forecast(curator: Client) -> None:
    new = Team.objects.create(organisation=team("ACCEL").organisation, team_key="NEW", team_name="New")

    assert "No forecast: the history is too short" in show(curator, f"team={new.pk}")
