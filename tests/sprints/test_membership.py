"""
Which issues are in a sprint, over time: every view and the board agree, for the sample and for any history.

The truth of a random history is computed here, from the history, with no SQL.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sprints.boards import queries as board_queries
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
FIRST_DAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
CATEGORIES = ("To Do", "In Progress", "Done")
SPRINTS = (("1", "closed", 0, 10), ("2", "closed", 11, 21), ("3", "active", 22, None), ("4", "future", None, None))
NOW = 30


def at(day: float) -> datetime:
    """Return a moment, by days from the first."""
    return FIRST_DAY + timedelta(days=day)


def rows(statement: str, *values: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return list(cursor.fetchall())


@dataclass
class History:
    """One issue's history: its statuses with times, its estimates, its present and past sprints."""

    moves: list[tuple[float, str]]
    estimates: list[tuple[float, int | None]]
    memberships: dict[str, tuple[float, float | None]]
    blocks: list[tuple[float, float | None]] = field(default_factory=list)

    def category(self, day: float) -> str:
        return ([name for when, name in self.moves if when <= day] or ["To Do"])[-1]

    def points(self, day: float) -> int:
        return ([points for when, points in self.estimates if when <= day] or [None])[-1] or 0

    def is_in(self, sprint: str, day: float) -> bool:
        added, removed = self.memberships.get(sprint, (float("inf"), None))
        return added <= day and (removed is None or removed > day)


days = st.integers(0, 2 * NOW - 1).map(lambda half: half / 2 + 0.01)
moves = st.dictionaries(days, st.sampled_from(CATEGORIES), max_size=5).map(lambda found: sorted(found.items()))
estimates = st.dictionaries(days, st.none() | st.integers(0, 13), min_size=1, max_size=3).map(
    lambda found: sorted(found.items())
)
spans = st.tuples(days, st.none() | days).filter(lambda span: span[1] is None or span[0] < span[1])
histories = st.builds(
    History, moves=moves, estimates=estimates, blocks=st.lists(spans, max_size=1),
    memberships=st.dictionaries(st.sampled_from([name for name, *_ in SPRINTS]), spans),
)  # fmt: skip


@contextmanager
def read_stored(found: list[History]) -> Iterator[dict[str, Sprint]]:
    """Store an organisation with these issues, deleted afterwards."""
    with transaction.atomic():
        organisation = Organisation.objects.create(slug=uuid4().hex, organisation_name="Any", data_as_of=at(NOW))
        team = Team.objects.create(organisation=organisation, team_key="ANY", team_name="Any")
        statuses = {
            name: Status.objects.create(organisation=organisation, status_name=name, status_category=name)
            for name in CATEGORIES
        }
        sprints = {
            name: Sprint.objects.create(
                organisation=organisation, team=team, external_id=name, sprint_name=f"Any {name}", state=state,
                started_at=None if start is None else at(start), completed_at=None if end is None else at(end),
            )
            for name, state, start, end in SPRINTS
        }  # fmt: skip
        for number, history in enumerate(found):
            _store(history, number=number, team=team, statuses=statuses, sprints=sprints)
        yield sprints
        transaction.set_rollback(True)


def _store(
    history: History, *, number: int, team: Team, statuses: dict[str, Status], sprints: dict[str, Sprint]
) -> None:
    issue = Issue.objects.create(
        organisation=team.organisation, team=team, external_id=str(number), issue_key=f"ANY-{number}", title="Any",
        issue_type="Task", status=statuses[history.category(NOW)], story_points=history.estimates[-1][1],
        created_at=at(0), updated_at=at(NOW),
    )  # fmt: skip
    before = "To Do"
    for when, name in history.moves:
        StatusChange.objects.create(
            issue=issue, changed_at=at(when), from_status=statuses[before], to_status=statuses[name]
        )
        before = name
    known: int | None = None
    for when, points in history.estimates:
        PointsChange.objects.create(issue=issue, changed_at=at(when), from_points=known, to_points=points)
        known = points
    for name, (added, removed) in history.memberships.items():
        SprintIssue.objects.create(
            issue=issue, sprint=sprints[name], added_at=at(added), removed_at=None if removed is None else at(removed)
        )
    for since, until in history.blocks:
        BlockedPeriod.objects.create(
            issue=issue, blocked_at=at(since), unblocked_at=None if until is None else at(until)
        )


any_histories = given(found=st.lists(histories, min_size=1, max_size=4))
few = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@any_histories
@few
def test_what_is_left_in_a_sprint_is_the_same_in_every_view_and_true(found: list[History]) -> None:
    with read_stored(found) as sprints:
        for name, state, start, end in SPRINTS:
            day = NOW if end is None else end
            members = [one for one in found if one.is_in(name, day)]
            left = [one for one in members if one.category(day) != "Done"]
            scope_and_left = (
                len(members), sum(one.points(day) for one in members), len(left), sum(one.points(day) for one in left)
            )  # fmt: skip
            key = sprints[name].pk
            summary = rows(
                "SELECT scope_issues, scope_points, remaining_issues, remaining_points"
                " FROM sprintscope.sprint_summary WHERE sprint_id = %s", key,
            )  # fmt: skip
            burndown = rows(
                "SELECT scope_issues, scope_points, remaining_issues, remaining_points"
                " FROM sprintscope.sprint_days WHERE sprint_id = %s ORDER BY day DESC LIMIT 1", key,
            )  # fmt: skip
            members_now = rows(
                "SELECT count(*), coalesce(sum(points_at_end), 0), count(*) FILTER (WHERE done_at IS NULL),"
                " coalesce(sum(points_at_end) FILTER (WHERE done_at IS NULL), 0)"
                " FROM sprintscope.sprint_issues WHERE sprint_id = %s AND is_in_scope", key,
            )  # fmt: skip
            assert summary == members_now == [scope_and_left]
            assert burndown == ([] if start is None else [scope_and_left])
            if state != "closed":
                assert _open_and_done(key) == (scope_and_left[2:], scope_and_left[0])


def _open_and_done(sprint_id: object) -> tuple[tuple[Any, ...], int]:
    """Count a sprint's open issues and their points, and all its issues, by their present state."""
    found = rows(
        "SELECT count(*) FILTER (WHERE i.status_category <> 'Done'),"
        " coalesce(sum(i.story_points) FILTER (WHERE i.status_category <> 'Done'), 0),"
        " count(*) FILTER (WHERE i.status_category <> 'Done') + count(*) FILTER (WHERE i.status_category = 'Done')"
        " FROM sprintscope.issues AS i JOIN sprintscope.sprint_issues AS m USING (issue_id)"
        " WHERE m.sprint_id = %s AND m.is_in_scope", sprint_id,
    )  # fmt: skip
    return found[0][:2], found[0][2]


@any_histories
@few
def test_the_sprint_of_an_issue_is_the_active_one_else_the_next_else_the_last(found: list[History]) -> None:
    with read_stored(found):
        for number, history in enumerate(found):
            now = {name for name, (_, removed) in history.memberships.items() if removed is None}
            wanted = next((f"Any {name}" for name in ("3", "4", "2", "1") if name in now), None)
            known = rows(
                "SELECT s.sprint_name, i.is_in_backlog FROM sprintscope.issues AS i"
                " LEFT JOIN sprintscope.sprints AS s USING (sprint_id) WHERE i.issue_key = %s", f"ANY-{number}",
            )  # fmt: skip
            assert known == [(wanted, history.category(NOW) != "Done" and not now & {"3", "4"})]


@any_histories
@few
def test_a_sprint_s_scope_is_what_was_committed_and_what_changed_it(found: list[History]) -> None:
    with read_stored(found) as sprints:
        for name in ("1", "2", "3"):
            committed, scope = rows(
                "SELECT committed_points, scope_points FROM sprintscope.sprint_summary WHERE sprint_id = %s",
                sprints[name].pk,
            )[0]  # fmt: skip
            changed = rows(
                "SELECT coalesce(sum(points_change), 0) FROM sprintscope.scope_changes WHERE sprint_id = %s",
                sprints[name].pk,
            )[0][0]  # fmt: skip
            assert committed + changed == scope


@any_histories
@few
def test_what_was_blocked_in_a_sprint_was_blocked_while_in_it(found: list[History]) -> None:
    with read_stored(found) as sprints:
        for name, _, start, end in SPRINTS[:3]:
            expected = Decimal(0)
            for history in found:
                added, removed = history.memberships.get(name, (NOW, 0))
                for since, until in history.blocks:
                    ends = [day for day in (until, removed, end, NOW) if day is not None]
                    expected += Decimal(str(max(0.0, min(ends) - max(since, start or 0, added))))
            known = rows(
                "SELECT coalesce(sum(blocked_days), 0) FROM sprintscope.sprint_blocked_periods WHERE sprint_id = %s",
                sprints[name].pk,
            )[0][0]  # fmt: skip
            assert known == pytest.approx(expected, abs=Decimal("0.03"))


def test_what_is_left_in_the_sample_s_active_sprint() -> None:
    left = rows(
        "SELECT count(*), sum(i.story_points) FROM sprintscope.issues AS i JOIN sprintscope.sprints AS s"
        " USING (sprint_id) WHERE s.sprint_name = 'ACCEL Sprint 9' AND i.status_category <> 'Done'"
    )

    assert left == [(5, 20)]


def test_every_sprint_of_the_sample_has_one_remainder_in_every_view_and_on_the_board() -> None:
    for key, state, issues, points in rows(
        "SELECT sprint_id, state, remaining_issues, remaining_points FROM sprintscope.sprint_summary"
        " WHERE started_at IS NOT NULL"
    ):
        last = board_queries.days(key)[-1]
        carried = board_queries.fetch_carry_over(key)
        assert (last["remaining_issues"], last["remaining_points"]) == (issues, points)
        if state == "closed":
            assert (len(carried), sum(one["points_at_end"] or 0 for one in carried)) == (issues, points)
        else:
            assert _open_and_done(key)[0] == (issues, points)
            by_sprint = rows(
                "SELECT count(*), coalesce(sum(story_points), 0) FROM sprintscope.issues"
                " WHERE sprint_id = %s AND status_category <> 'Done'", key,
            )  # fmt: skip
            assert by_sprint == [(issues, points)]


def test_the_sample_s_views_answer_what_was_blocked_created_and_resolved() -> None:
    blocked = rows(
        "SELECT count(DISTINCT b.issue_id) FROM sprintscope.sprint_blocked_periods AS b"
        " JOIN sprintscope.sprints AS s USING (sprint_id) WHERE s.sprint_name LIKE '%% Sprint 7'"
    )
    created = rows(
        "SELECT to_char(date_trunc('month', created_at AT TIME ZONE 'UTC'), 'YYYY-MM'), count(*)"
        " FROM sprintscope.issues GROUP BY 1 ORDER BY 1"
    )
    resolved = rows("SELECT count(*) = count(resolved_at) FROM sprintscope.issues WHERE status_category = 'Done'")

    assert blocked == [(3,)]
    assert ("2026-08", 79) in created
    assert sum(number for _, number in created) == 386
    assert resolved == [(True,)]


def test_open_and_done_are_all_where_no_status_is_known() -> None:
    team = Team.objects.create(
        organisation=Organisation.objects.create(slug="bare", organisation_name="Bare"), team_key="B", team_name="B"
    )
    Issue.objects.create(
        organisation=team.organisation, team=team, external_id="1", issue_key="B-1", title="B", issue_type="Task",
        created_at=at(0), updated_at=at(0),
    )  # fmt: skip

    assert rows("SELECT status, status_category FROM sprintscope.issues WHERE issue_key = 'B-1'") == [(None, "To Do")]


def test_a_running_sprint_goes_by_the_issue_s_present_status_where_its_moves_are_incomplete() -> None:
    with read_stored([History(moves=[], estimates=[(0.01, 3)], memberships={"3": (23.0, None)})]) as sprints:
        issue = Issue.objects.get(issue_key="ANY-0")
        issue.status = Status.objects.get(organisation=issue.organisation, status_name="Done")
        issue.save()

        summary = "SELECT scope_issues, remaining_issues FROM sprintscope.sprint_summary WHERE sprint_id = %s"
        assert rows(summary, sprints["3"].pk) == [(1, 0)]


@pytest.mark.parametrize(("column", "view"), [("is_current", "sprint_issues"), ("is_in_scope", "sprint_issues")])
def test_a_query_without_these_columns_does_not_join_for_them(column: str, view: str) -> None:
    bare = " ".join(line for (line,) in rows(f"EXPLAIN SELECT issue_id FROM sprintscope.{view}"))
    full = " ".join(line for (line,) in rows(f"EXPLAIN SELECT issue_id, {column} FROM sprintscope.{view}"))

    assert "Join" not in bare
    assert "Join" in full
