"""Totals, what was blocked for how long, and the most of rows in a state."""

import pytest

from tests.sprints.semantics.questions.test_answers import ask, assert_same_rows

pytestmark = pytest.mark.usefixtures("django_db_setup")

ROWS = "FROM issues AS i LEFT JOIN users AS u ON u.user_id = i.assignee_id JOIN teams AS t ON t.team_id = i.team_id"
COUNT = f"SELECT count(*) AS n {ROWS} WHERE {{}}"
POINTS = f"SELECT sum(i.story_points) AS points {ROWS} WHERE {{}}"
LIST = f"SELECT i.issue_key {ROWS} WHERE {{}} LIMIT 1000"
OPEN, BUG = "i.status_category <> 'Done'", "i.issue_type = 'Bug'"
BLOCKED_DAYS = (
    "(SELECT sum(extract(epoch FROM coalesce(b.unblocked_at, (SELECT as_of FROM snapshot)) - b.blocked_at)) / 86400 "
    "FROM blocked_periods AS b WHERE b.issue_id = i.issue_id)"
)
OVERDUE = f"{OPEN} AND i.due_date < '2026-11-18'"
MOST = f"SELECT {{}} {ROWS} WHERE {{}} GROUP BY 1 ORDER BY count(*) DESC FETCH FIRST 1 ROW WITH TIES"


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("total open bugs", COUNT.format(f"{OPEN} AND {BUG}")),
        ("total bugs in HARBOR", COUNT.format(f"{BUG} AND t.team_key = 'HARBOR'")),
        ("total issues created in October",
         COUNT.format("i.created_at >= '2026-10-01' AND i.created_at < '2026-11-01'")),
        ("how many bugs does HARBOR have in total", COUNT.format(f"{BUG} AND t.team_key = 'HARBOR'")),
        ("how many bugs in total does HARBOR have", COUNT.format(f"{BUG} AND t.team_key = 'HARBOR'")),
        ("total estimate of ACCEL", POINTS.format("t.team_key = 'ACCEL'")),
        ("what is the total estimate of the open stories in ACCEL",
         POINTS.format(f"{OPEN} AND i.issue_type = 'Story' AND t.team_key = 'ACCEL'")),
        ("sum of the estimates in the backlog", POINTS.format("i.is_in_backlog")),
        ("overall estimate for epic ACCEL-1",
         POINTS.format("i.epic_id = (SELECT e.issue_id FROM issues AS e WHERE e.issue_key = 'ACCEL-1')")),
        ("bug counts per team", f"SELECT t.team_key, count(*) AS n {ROWS} WHERE {BUG} GROUP BY 1"),
        ("total cycle time of bugs in ORBIT", None),
        ("total velocity of ORBIT", None),
        ("sum of velocity over the last 3 sprints for HARBOR", None),
        ("what's the total for HARBOR", None),
    ],
)  # fmt: skip
def test_a_total_is_a_number_of_rows_or_a_sum(question: str, truth: str | None) -> None:
    if truth is None:
        assert ask(question).is_ambiguous
    else:
        assert_same_rows(question, truth=truth)


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("which issues were blocked for more than 2 days", LIST.format(f"{BLOCKED_DAYS} > 2")),
        ("HARBOR: ever blocked for more than 3 days", LIST.format(f"t.team_key = 'HARBOR' AND {BLOCKED_DAYS} > 3")),
        ("how many bugs were blocked for at least 2 days", COUNT.format(f"{BUG} AND {BLOCKED_DAYS} >= 2")),
        ("issues that had been blocked for over 3 days", LIST.format(f"{BLOCKED_DAYS} > 3")),
        ("which issues were blocked for more than 2 days in sprint 8", None),
        ("which issues were blocked for more than a week in October", None),
        ("issues that were not blocked for more than a week", None),
    ],
)
def test_how_long_issues_were_blocked_is_counted_over_all_times(question: str, truth: str | None) -> None:
    if truth is None:
        assert ask(question).is_ambiguous
    else:
        assert_same_rows(question, truth=truth)


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        (
            "which person has the most overdue tickets",
            MOST.format("u.full_name", f"{OVERDUE} AND u.user_id IS NOT NULL"),
        ),
        ("who has most overdue tickets", MOST.format("u.full_name", f"{OVERDUE} AND u.user_id IS NOT NULL")),
        ("which team has the most overdue bugs", MOST.format("t.team_key", f"{OVERDUE} AND {BUG}")),
        ("who has the most overdue ticket", None),
    ],
)
def test_most_is_said_of_the_rows_of_people_and_teams(question: str, truth: str | None) -> None:
    if truth is None:
        assert ask(question).is_ambiguous
    else:
        assert_same_rows(question, truth=truth)
