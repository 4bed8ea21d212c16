"""How long and how bad something is, why it is blocked, whether there is any, and who has none."""

import pytest

from tests.sprints.semantics.questions.test_answers import ask, assert_same_rows

pytestmark = pytest.mark.usefixtures("django_db_setup")

OPEN = "i.status_category <> 'Done'"
TODAY = "DATE '2026-11-18'"
OVERDUE = f"{OPEN} AND i.due_date < {TODAY}"
ROWS = "FROM issues AS i LEFT JOIN users AS u ON u.user_id = i.assignee_id JOIN teams AS t ON t.team_id = i.team_id"
LIST = f"SELECT i.issue_key {ROWS} WHERE {{}} LIMIT 1000"
FIRST = f"SELECT i.issue_key {ROWS} WHERE {{}} ORDER BY {{}} LIMIT {{}}"
SINCE = "(SELECT max(p.entered_at) FROM status_periods AS p WHERE p.issue_id = i.issue_id)"
IDLE = (
    "SELECT u.full_name FROM users AS u LEFT JOIN teams AS t USING (team_id) WHERE NOT EXISTS (SELECT 1 FROM issues "
    "AS i WHERE i.assignee_id = u.user_id AND i.status_category <> 'Done') AND {}"
)
REASONS = (
    "SELECT i.issue_key, b.reason FROM issues AS i JOIN blocked_periods AS b USING (issue_id) "
    "WHERE i.is_blocked AND b.unblocked_at IS NULL AND {}"
)


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("which ticket is most overdue", FIRST.format(OVERDUE, "i.due_date", 1)),
        ("top 5 most overdue issues", FIRST.format(OVERDUE, "i.due_date", 5)),
        ("longest overdue bug", FIRST.format(f"{OVERDUE} AND i.issue_type = 'Bug'", "i.due_date", 1)),
        ("more than 5 days overdue", LIST.format(f"{OVERDUE} AND {TODAY} - i.due_date > 5")),
        ("which ticket has been in code review the longest",
         FIRST.format("i.status = 'Code Review'", SINCE, 1)),
        ("which bug has been in QA the longest",
         FIRST.format("i.status = 'QA' AND i.issue_type = 'Bug'", SINCE, 1)),
        ("When was the latest customer bug resolved?",
         FIRST.format("i.issue_type = 'Bug' AND 'customer' = ANY (i.labels) AND NOT " + f"({OPEN})",
                      "i.resolved_at DESC", 1)),
        ("why is ORBIT-96 blocked", REASONS.format("i.issue_key = 'ORBIT-96'")),
        ("why are HARBOR tickets blocked", REASONS.format("i.issue_key LIKE 'HARBOR-%'")),
        ("any p1 bugs", LIST.format(f"{OPEN} AND i.priority = 'p1' AND i.issue_type = 'Bug'")),
        ("are there any p0s", LIST.format(f"{OPEN} AND i.priority = 'p0'")),
        ("any bugs created in October",
         LIST.format("i.issue_type = 'Bug' AND i.created_at >= '2026-10-01' AND i.created_at < '2026-11-01'")),
        ("issues with no due date", LIST.format(f"{OPEN} AND i.due_date IS NULL")),
        ("bugs with no due date in HARBOR",
         LIST.format(f"{OPEN} AND i.due_date IS NULL AND i.issue_type = 'Bug' AND t.team_key = 'HARBOR'")),
        ("who has nothing assigned", IDLE.format("true")),
        ("who has nothing to do", IDLE.format("true")),
        ("which people have nothing assigned in ACCEL", IDLE.format("t.team_key = 'ACCEL'")),
        ("who is on ACCEL-100",
         f"SELECT i.issue_key, u.full_name {ROWS} WHERE i.issue_key = 'ACCEL-100'"),
        ("burndown for ORBIT",
         ("SELECT d.sprint_day FROM (SELECT generate_series(s.start_date, s.end_date, '1 day')::date AS sprint_day "
          "FROM sprints AS s WHERE s.sprint_name = 'ORBIT Sprint 9') AS d "
          "WHERE d.sprint_day <= '2026-11-18' LIMIT 1000")),
        ("why is ACCEL-103 open", None),
        ("why is velocity down", None),
        ("top of the backlog by priority", None),
        ("what has nothing to do", None),
    ],
)  # fmt: skip
def test_how_long_and_how_bad_it_is(question: str, truth: str | None) -> None:
    if truth is None:
        assert ask(question).is_ambiguous
    else:
        assert_same_rows(question, truth=truth)


@pytest.mark.parametrize(
    ("question", "order"),
    [
        ("overdue items, worst first", "i.due_date, i.issue_key"),
        ("overdue tickets, most overdue first", "i.due_date, i.issue_key"),
    ],
)
def test_the_worst_come_first(question: str, order: str) -> None:
    answer = ask(question)

    days = [row["days_overdue"] for row in answer.rows]
    assert days == sorted(days, reverse=True)
    assert_same_rows(question, truth=FIRST.format(OVERDUE, order, 1000))


def test_the_newest_come_first() -> None:
    created = [row["created_at"] for row in ask("bugs, newest first").rows]

    assert created == sorted(created, reverse=True)
    assert len(created) == 110


def test_what_is_worse_is_asked_where_a_measure_has_no_good_end() -> None:
    assert ask("bugs by team, worst first").is_ambiguous
