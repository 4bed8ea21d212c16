"""The sample organisation: what is derived of it is what a replay of its changelogs says; it is made by a seed."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection

from sprints.ingest.samples import load_samples
from sprints.models import Issue, IssueLink, User
from sprints.samples.make_organisation import FILE, pack_answers
from tests.sprints.ingest.replay import Board, read_board

COUNTED = [f"{part}_{what}" for part in ("committed", "added", "removed", "completed", "carried_over")
           for what in ("issues", "points")]  # fmt: skip


@pytest.fixture(scope="module")
def board() -> Board:
    return read_board()


def rows(statement: str, *values: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return list(cursor.fetchall())


def test_the_seed_makes_the_shipped_file() -> None:
    assert pack_answers() == FILE.read_bytes()


@pytest.mark.django_db
def test_every_sprint_came_to_what_a_replay_says(board: Board) -> None:
    stored = {
        row[0]: [float(value) for value in row[1:]]
        for row in rows(f"SELECT sprint_name, {', '.join(COUNTED)} FROM sprintscope.sprint_summary")
    }

    for sprint in board.sprints:
        counted = board.count_points(sprint)
        assert stored[sprint["name"]] == [counted[name] for name in COUNTED], sprint["name"]
    assert len(board.sprints) == 27


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["ACCEL Sprint 4", "ORBIT Sprint 7", "HARBOR Sprint 5"])
def test_every_day_of_a_burndown_is_what_a_replay_says(board: Board, name: str) -> None:
    sprint = next(one for one in board.sprints if one["name"] == name)
    days = rows(
        "SELECT day, scope_points, remaining_points FROM sprintscope.sprint_days JOIN sprintscope.sprints "
        "USING (sprint_id) WHERE sprint_name = %s ORDER BY day", name,
    )  # fmt: skip

    assert len(days) == 12
    for day, scope, remaining in days:
        replayed = board.list_remaining(sprint, datetime(day.year, day.month, day.day, tzinfo=UTC))
        assert (float(scope), float(remaining)) == replayed, day


@pytest.mark.django_db
def test_work_begins_and_ends_when_a_replay_says(board: Board) -> None:
    stored = dict(rows("SELECT issue_key, (started_at, resolved_at)::text FROM sprintscope.issues"))
    checked = 0
    for issue in board.issues:
        moves = issue.changes("status")
        began = moves[0][0] if moves else None
        done = issue.done_since(datetime(2100, 1, 1, tzinfo=UTC))
        expected = "(" + ",".join(f'"{when:%Y-%m-%d %H:%M:%S}+00"' if when else "" for when in (began, done)) + ")"
        assert stored[issue.key] == expected
        checked += bool(began and done)
    assert checked > 280


@pytest.mark.django_db
def test_it_has_the_quirks_of_real_boards() -> None:
    assert sorted(User.objects.filter(full_name__startswith="Avery").values_list("full_name", "team__team_key")) == [
        ("Avery Hernandez", "ACCEL"),
        ("Avery Smith", "ORBIT"),
    ]
    assert not User.objects.get(full_name="Robin Castellano").is_active
    assert User.objects.filter(full_name="李娜").exists()
    assert Issue.objects.filter(reopened_count__gt=0).exists()
    assert Issue.objects.filter(blocked_since__isnull=False).count() >= 3
    assert Issue.objects.filter(story_points__isnull=True, resolved_at__isnull=False).exists()
    assert Issue.objects.filter(title__startswith="Ignore all previous").exists()
    assert IssueLink.objects.filter(link_type="blocks").count() >= 10


@pytest.mark.django_db
def test_loaded_again_it_changes_nothing_and_keeps_corrections() -> None:
    Issue.objects.filter(issue_key="ACCEL-20").update(title="Corrected by hand")

    report = load_samples()

    assert (report.added, report.changed, report.skipped) == (0, 0, Issue.objects.count())
    assert Issue.objects.get(issue_key="ACCEL-20").title == "Corrected by hand"
