"""Columns derived from history change with it at once, whatever writes it, and the views show them."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection

from sprints.models import (
    BlockedPeriod,
    Issue,
    Organisation,
    PointsChange,
    Sprint,
    SprintIssue,
    Status,
    StatusChange,
    Team,
)

pytestmark = pytest.mark.django_db
START = datetime(2026, 3, 2, 9, tzinfo=UTC)
CLOSE = START + timedelta(days=11)


class Board:
    """An organisation with one team, three statuses, one closed sprint and one issue of five points."""

    def __init__(self) -> None:
        self.organisation = Organisation.objects.create(slug="board", organisation_name="Board", data_as_of=CLOSE)
        self.team = Team.objects.create(organisation=self.organisation, team_key="BOARD", team_name="Board")
        self.to_do, self.doing, self.done = (
            Status.objects.create(organisation=self.organisation, status_name=f"my {word}", status_category=word)
            for word in ("To Do", "In Progress", "Done")
        )
        self.sprint = Sprint.objects.create(
            organisation=self.organisation, team=self.team, external_id="1", sprint_name="Board 1", state="closed",
            started_at=START, completed_at=CLOSE,
        )  # fmt: skip
        self.issue = Issue.objects.create(
            organisation=self.organisation, team=self.team, external_id="1", issue_key="BOARD-1", title="One",
            issue_type="Task", status=self.to_do, story_points=Decimal(5), created_at=START - timedelta(days=3),
            updated_at=START,
        )  # fmt: skip

    def plan(self, *, at: datetime = START - timedelta(hours=1), until: datetime | None = None) -> SprintIssue:
        return SprintIssue.objects.create(sprint=self.sprint, issue=self.issue, added_at=at, removed_at=until)

    def change_status(self, before: Status, after: Status, *, day: float) -> StatusChange:
        changed = StatusChange.objects.create(
            issue=self.issue, from_status=before, to_status=after, changed_at=START + timedelta(days=day)
        )
        Issue.objects.filter(pk=self.issue.pk).update(status=after)
        return changed

    def finish(self, *, day: float = 4) -> None:
        self.change_status(self.to_do, self.doing, day=1)
        self.change_status(self.doing, self.done, day=day)

    def read_derived(self, columns: str, *, view: str = "issues") -> Any:
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT {columns} FROM sprintscope.{view} WHERE issue_id = %s", [self.issue.pk])
            row = cursor.fetchone()
        return row[0] if row and len(row) == 1 else row

    def stay(self) -> Any:
        return self.read_derived("was_committed, was_added_after_start, was_removed, was_completed, was_carried_over",
                         view="sprint_issues")  # fmt: skip


@pytest.fixture
def board() -> Board:
    return Board()


def test_what_is_done_in_the_sprint_is_completed(board: Board) -> None:
    board.plan()
    board.finish()

    assert board.stay() == (True, False, False, True, False)
    assert board.read_derived("started_at, resolved_at, cycle_time_days, lead_time_days") == (
        START + timedelta(days=1), START + timedelta(days=4), Decimal("3.00"), Decimal("7.00"),
    )  # fmt: skip


def test_what_is_not_done_at_the_close_is_carried_over(board: Board) -> None:
    board.plan()
    board.finish(day=12)

    assert board.stay() == (True, False, False, False, True)


def test_what_was_done_and_reopened_before_the_close_is_carried_over(board: Board) -> None:
    board.plan()
    board.finish()
    board.change_status(board.done, board.doing, day=6)

    assert board.stay() == (True, False, False, False, True)
    assert board.read_derived("reopened_count, resolved_at") == (1, None)


def test_what_was_done_before_the_sprint_is_neither(board: Board) -> None:
    board.plan()
    board.change_status(board.to_do, board.done, day=-1)

    assert board.stay() == (True, False, False, False, False)


def test_what_comes_after_the_start_was_added(board: Board) -> None:
    board.plan(at=START + timedelta(days=2))

    assert board.stay() == (False, True, False, False, True)


def test_what_is_taken_out_was_removed_and_not_carried_over(board: Board) -> None:
    board.plan(until=START + timedelta(days=2))

    assert board.stay() == (True, False, True, False, False)


def test_what_is_taken_out_before_the_start_was_never_in_it(board: Board) -> None:
    board.plan(at=START - timedelta(days=2), until=START - timedelta(days=1))

    assert board.stay() == (False, False, False, False, False)


def test_points_are_those_of_the_time(board: Board) -> None:
    board.plan()
    PointsChange.objects.create(issue=board.issue, changed_at=START + timedelta(days=3), from_points=3, to_points=8)
    PointsChange.objects.create(issue=board.issue, changed_at=CLOSE + timedelta(days=1), from_points=8, to_points=5)

    assert board.read_derived("points_at_start, points_at_end", view="sprint_issues") == (3, 8)
    assert board.read_derived("change, points_change", view="scope_changes") == ("re-estimated", 5)


def test_a_sprint_that_is_moved_is_counted_anew(board: Board) -> None:
    board.plan()
    board.finish(day=12)

    board.sprint.completed_at = CLOSE + timedelta(days=7)
    board.sprint.save()

    assert board.stay() == (True, False, False, True, False)


def test_a_status_that_comes_to_mean_done_closes_what_is_in_it(board: Board) -> None:
    board.plan()
    board.change_status(board.to_do, board.doing, day=2)
    assert board.read_derived("resolved_at") is None

    board.doing.status_category = "Done"
    board.doing.save()

    assert board.read_derived("resolved_at, status_category") == (START + timedelta(days=2), "Done")
    assert board.stay() == (True, False, False, True, False)


def test_a_corrected_move_and_a_deleted_one_are_followed(board: Board) -> None:
    board.finish()
    last = StatusChange.objects.filter(issue=board.issue).latest("changed_at")

    last.changed_at += timedelta(days=2)
    last.save()
    assert board.read_derived("cycle_time_days") == Decimal("5.00")

    StatusChange.objects.filter(issue=board.issue).delete()
    assert board.read_derived("started_at, resolved_at") == (None, None)


def test_plain_sql_is_followed_too(board: Board) -> None:
    board.plan()
    with connection.cursor() as cursor:
        cursor.execute("UPDATE sprints_sprint_issues SET added_at = %s WHERE issue_id = %s", [CLOSE, board.issue.pk])

    assert board.stay()[:2] == (False, True)


def test_it_is_blocked_until_it_is_not(board: Board) -> None:
    period = BlockedPeriod.objects.create(issue=board.issue, blocked_at=START)
    assert board.read_derived("is_blocked, blocked_since") == (True, START)

    period.unblocked_at = CLOSE
    period.save()
    assert board.read_derived("is_blocked, blocked_since") == (False, None)


def test_the_sprint_of_an_issue_is_the_next_one_then_the_last(board: Board) -> None:
    board.plan()
    following = Sprint.objects.create(organisation=board.organisation, external_id="2", sprint_name="Board 2")
    stay = SprintIssue.objects.create(sprint=following, issue=board.issue, added_at=CLOSE)
    assert board.read_derived("sprint_id") == following.pk

    stay.removed_at = CLOSE + timedelta(days=1)
    stay.save()
    assert board.read_derived("sprint_id") == board.sprint.pk


def test_without_any_history_the_source_says_when_it_was_done(board: Board) -> None:
    board.plan()
    Issue.objects.filter(pk=board.issue.pk).update(status=board.done, source_resolved_at=START + timedelta(days=5))
    with connection.cursor() as cursor:
        cursor.execute("SELECT sprints_derive(%s::uuid[])", [[board.issue.pk]])

    assert board.stay() == (True, False, False, True, False)


def read_periods(board: Board) -> list[tuple[str | None, str, float, float | None]]:
    """Return status, category, and the days after START when it was entered and left."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT status, status_category, entered_at, left_at FROM sprintscope.status_periods "
            "WHERE issue_id = %s ORDER BY entered_at, left_at",
            [board.issue.pk],
        )
        found = cursor.fetchall()
    return [
        (status, category, (entered - START) / timedelta(days=1), left and (left - START) / timedelta(days=1))
        for status, category, entered, left in found
    ]


def test_an_issue_without_moves_is_in_its_status_from_the_start(board: Board) -> None:
    assert read_periods(board) == [("my To Do", "To Do", -3, None)]

    Issue.objects.filter(pk=board.issue.pk).update(status=None)
    assert read_periods(board) == [(None, "To Do", -3, None)]


def test_periods_follow_the_moves_whatever_writes_them(board: Board) -> None:
    board.finish()
    assert read_periods(board) == [
        ("my To Do", "To Do", -3, 1), ("my In Progress", "In Progress", 1, 4), ("my Done", "Done", 4, None),
    ]  # fmt: skip

    reopened = board.change_status(board.done, board.doing, day=6)
    assert read_periods(board)[2:] == [("my Done", "Done", 4, 6), ("my In Progress", "In Progress", 6, None)]

    StatusChange.objects.filter(pk=reopened.pk).update(changed_at=START + timedelta(days=2))
    assert [period[2:] for period in read_periods(board)] == [(-3, 1), (1, 2), (2, 4), (4, None)]

    StatusChange.objects.filter(issue=board.issue).delete()
    assert read_periods(board) == [("my In Progress", "In Progress", -3, None)]


def test_the_last_period_has_the_status_of_the_issue(board: Board) -> None:
    board.change_status(board.to_do, board.doing, day=1)
    Issue.objects.filter(pk=board.issue.pk).update(status=board.done)  # a history without this move

    assert read_periods(board) == [("my To Do", "To Do", -3, 1), ("my Done", "Done", 1, None)]


def test_periods_take_the_category_that_a_status_has_now(board: Board) -> None:
    board.finish()
    board.doing.status_category = "To Do"
    board.doing.save()

    assert [category for _, category, *_ in read_periods(board)] == ["To Do", "To Do", "Done"]


def test_periods_go_with_their_issue(board: Board) -> None:
    board.finish()
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM sprints_status_changes WHERE issue_id = %s", [board.issue.pk])
        cursor.execute("DELETE FROM sprints_issues WHERE issue_id = %s", [board.issue.pk])
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")

    assert read_periods(board) == []
