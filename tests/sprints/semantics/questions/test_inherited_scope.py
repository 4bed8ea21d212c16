"""Follow-ups that name no subject: every limit of the question before stays, or it is asked back."""

import pytest

from sprints.evaluation.comparing import same
from sprints.sql_sandbox.execution import try_execute
from tests.sprints.semantics.questions.test_answers import ask
from tests.sprints.semantics.questions.test_links_and_repetitions import follow
from toolbox.database import event_loop

pytestmark = pytest.mark.usefixtures("django_db_setup")

KEYS = "SELECT issue_key FROM issues JOIN teams USING (team_id) WHERE {} LIMIT 1000"
COUNT = "SELECT count(*) AS n FROM issues JOIN teams USING (team_id) WHERE {}"
OPEN = "status_category <> 'Done'"
EPIC = "epic_id = (SELECT issue_id FROM issues WHERE title = 'Faster onboarding')"
IN_SPRINT = """
SELECT issue_key FROM sprint_issues JOIN sprints USING (sprint_id) JOIN issues USING (issue_id)
WHERE sprint_name = '{}' AND {} LIMIT 1000
"""
LEFT = IN_SPRINT.format("ACCEL Sprint 9", f"is_in_scope AND {OPEN}")
DONE = IN_SPRINT.format("ACCEL Sprint 9", "was_completed")
ADDED = IN_SPRINT.format("ACCEL Sprint 9", "was_added_after_start")
ALL = IN_SPRINT.format("ACCEL Sprint 9", "is_in_scope")
BLOCKED = IN_SPRINT.format("ACCEL Sprint 9", "is_in_scope AND is_blocked")
PROGRESS = "progress of the epic Faster onboarding"
BURNDOWN = "burndown for ACCEL Sprint 9"
POINTS = "points left in ACCEL Sprint 9"
LEVI = "assignee_id = (SELECT user_id FROM users WHERE full_name = 'Levi Walker')"
OVERDUE = f"due_date < '2026-11-18' AND {OPEN}"
THIS_WEEK = "{0} >= '2026-11-16' AND {0} < '2026-11-23'"
LAST_WEEK = "{0} >= '2026-11-09' AND {0} < '2026-11-16'"
TRUTHS = [
    (PROGRESS, "whats left", KEYS.format(f"{EPIC} AND {OPEN}")),
    (PROGRESS, "what's still open", KEYS.format(f"{EPIC} AND {OPEN}")),
    (PROGRESS, "remaining", KEYS.format(f"{EPIC} AND {OPEN}")),
    (PROGRESS, "which are open", KEYS.format(f"{EPIC} AND {OPEN}")),
    (PROGRESS, "list the open ones", KEYS.format(f"{EPIC} AND {OPEN}")),
    (PROGRESS, "open bugs", KEYS.format(f"{EPIC} AND {OPEN} AND issue_type = 'Bug'")),
    (PROGRESS, "how many are left", COUNT.format(f"{EPIC} AND {OPEN}")),
    (PROGRESS, "how many open", COUNT.format(f"{EPIC} AND {OPEN}")),
    (PROGRESS, "is anything blocked", KEYS.format(f"{EPIC} AND is_blocked")),
    (PROGRESS, "who is working on it",
     ("SELECT full_name, count(*) AS n FROM issues JOIN users ON user_id = assignee_id WHERE "
      f"status_category = 'In Progress' AND {EPIC} GROUP BY full_name LIMIT 99")),
    ("who is working on Faster onboarding", "what's open", KEYS.format(f"{EPIC} AND {OPEN}")),
    (POINTS, "whats left", LEFT),
    (POINTS, "which tickets", LEFT),
    (POINTS, "what's done", DONE),
    (POINTS, "what's blocked", BLOCKED),
    (BURNDOWN, "whats left", LEFT),
    (BURNDOWN, "what's still open", LEFT),
    (BURNDOWN, "what's blocked", BLOCKED),
    (BURNDOWN, "what was added", ADDED),
    (BURNDOWN, "which issues", ALL),
    ("what is left in ACCEL Sprint 9", "and what's done", DONE),
    ("what did ACCEL complete in sprint 8", "and what was left",
     IN_SPRINT.format("ACCEL Sprint 8", "is_in_scope AND done_at IS NULL")),
    ("open issues in ACCEL", "what's blocked", KEYS.format(f"team_key = 'ACCEL' AND is_blocked AND {OPEN}")),
    ("open issues in ACCEL", "anything overdue?", KEYS.format(f"team_key = 'ACCEL' AND {OVERDUE}")),
    ("open issues in ACCEL", "what's in progress",
     KEYS.format("team_key = 'ACCEL' AND status_category = 'In Progress'")),
    ("how many open issues does ORBIT have", "what's overdue", KEYS.format(f"team_key = 'ORBIT' AND {OVERDUE}")),
    ("how many open issues does ORBIT have", "list the bugs",
     KEYS.format(f"team_key = 'ORBIT' AND issue_type = 'Bug' AND {OPEN}")),
    ("velocity of ACCEL", "whats left", KEYS.format(f"team_key = 'ACCEL' AND {OPEN}")),
    ("velocity of ACCEL", "open bugs of all teams", KEYS.format(f"issue_type = 'Bug' AND {OPEN}")),
    ("open stories in the backlog", "unestimated",
     KEYS.format(f"issue_type = 'Story' AND is_in_backlog AND story_points IS NULL AND {OPEN}")),
    ("open bugs by team", "whats left", KEYS.format(f"issue_type = 'Bug' AND {OPEN}")),
    ("bugs labelled ux", "whats open", KEYS.format(f"issue_type = 'Bug' AND 'ux' = ANY (labels) AND {OPEN}")),
    ("issues assigned to Levi Walker", "whats left", KEYS.format(f"{LEVI} AND {OPEN}")),
    ("tickets due this week", "and overdue ones", KEYS.format(OVERDUE)),
    ("tickets due tomorrow", "overdue?", KEYS.format(OVERDUE)),
    ("tickets due this week", "which are overdue",
     KEYS.format(f"{OVERDUE} AND due_date BETWEEN '2026-11-16' AND '2026-11-22'")),
    ("overdue tickets", "and due this week", KEYS.format(f"{OPEN} AND due_date BETWEEN '2026-11-16' AND '2026-11-22'")),
    ("bugs created this week", "and closed?",
     KEYS.format(f"issue_type = 'Bug' AND status_category = 'Done' AND {THIS_WEEK.format('resolved_at')}")),
    ("issues created last week", "and resolved?",
     KEYS.format(f"status_category = 'Done' AND {LAST_WEEK.format('resolved_at')}")),
    ("how many bugs were created this week", "and closed?",
     COUNT.format(f"issue_type = 'Bug' AND status_category = 'Done' AND {THIS_WEEK.format('resolved_at')}")),
    ("how many bugs were closed last week", "and opened?",
     COUNT.format(f"issue_type = 'Bug' AND {LAST_WEEK.format('created_at')}")),
    ("bugs created per month", "and closed?",
     ("SELECT date_trunc('month', resolved_at)::date AS month, count(*) AS n FROM issues WHERE issue_type = 'Bug' AND "
      "status_category = 'Done' GROUP BY 1 LIMIT 99")),
    ("done bugs", "in QA", KEYS.format("issue_type = 'Bug' AND status = 'QA'")),
    ("stories in progress in ORBIT", "and in review?",
     KEYS.format("issue_type = 'Story' AND team_key = 'ORBIT' AND status = 'In Review'")),
    ("bugs in QA", "open ones", KEYS.format(f"issue_type = 'Bug' AND {OPEN}")),
    ("how many open bugs", "also stories", COUNT.format(f"issue_type IN ('Bug', 'Story') AND {OPEN}")),
    ("how many open bugs", "stories as well", COUNT.format(f"issue_type IN ('Bug', 'Story') AND {OPEN}")),
    ("open bugs in ACCEL", "who has the most",
     ("SELECT full_name, count(*) AS n FROM issues JOIN users ON user_id = assignee_id WHERE issue_key LIKE 'ACCEL-%' "
      f"AND issue_type = 'Bug' AND {OPEN} GROUP BY 1 ORDER BY n DESC FETCH FIRST ROW WITH TIES")),
    ("how many open bugs", "which team has the fewest",
     (f"SELECT team_key, count(*) AS n FROM issues JOIN teams USING (team_id) WHERE issue_type = 'Bug' AND {OPEN} "
      "GROUP BY 1 ORDER BY n FETCH FIRST ROW WITH TIES")),
    ("who closed the most issues in October", "in points",
     ("SELECT full_name, sum(story_points) AS n FROM issues JOIN users ON user_id = assignee_id WHERE status_category "
      "= 'Done' AND resolved_at >= '2026-10-01' AND resolved_at < '2026-11-01' GROUP BY 1 ORDER BY n DESC LIMIT 1")),
    ("velocity of ACCEL", "and the last 3?",
     ("SELECT round(avg(completed_points), 1) AS n FROM (SELECT completed_points FROM sprint_summary JOIN teams USING "
      "(team_id) WHERE team_key = 'ACCEL' AND state = 'closed' ORDER BY started_at DESC LIMIT 3) AS s")),
    ("show blocked issues", "overdue ones instead", KEYS.format(OVERDUE)),
]  # fmt: skip


@pytest.mark.parametrize(("first", "then", "truth"), TRUTHS, ids=[f"{one[0]} - {one[1]}" for one in TRUTHS])
def test_what_the_question_before_is_limited_to_stays(first: str, then: str, truth: str) -> None:
    gold = event_loop.run(try_execute(truth))
    assert gold.error is None

    answer = follow(first, then)

    assert not answer.is_ambiguous, answer.answer
    assert same(answer.rows, gold=gold.rows), (answer.interpretation, answer.answer, gold.rows)


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (BURNDOWN, "which tickets are not done"),
        (BURNDOWN, "open bugs"),
        (BURNDOWN, "how many points are left"),
        (PROGRESS, "how many points are left"),
        (PROGRESS, "who has the most"),
        (PROGRESS, "which tickets"),
        ("reopen rate of ORBIT", "which tickets"),
        ("open bugs in ACCEL", "who has the most open issues"),
        ("open bugs in ACCEL", "which epics"),
        ("open bugs in ACCEL", "and stories in ORBIT"),
        ("who has the most open bugs", "what's blocked"),
        ("5 oldest open bugs", "what's blocked"),
        ("status of ACCEL-40", "whats left"),
        ("bugs closed last week", "what's overdue"),
        ("how many bugs were closed last week", "what's still open"),
        ("what was carried over from ACCEL Sprint 8", "which are done now"),
        ("show blocked issues", "overdue ones"),
        ("show blocked issues", "overdue"),
        ("bugs created by Levi Walker last week", "and closed?"),
        ("what is blocked", "longest"),
        ("status of ACCEL-40", "created"),
    ],
)
def test_what_may_be_wider_or_contradict_is_asked_back(first: str, then: str) -> None:
    assert follow(first, then).is_ambiguous


@pytest.mark.parametrize("question", ["ACCEL-40's epic", "show ACCEL-40's epic", "what is ACCEL-40's epic"])
def test_the_epic_of_a_named_issue_is_shown(question: str) -> None:
    assert [row["epic"] for row in ask(question).rows] == ["ACCEL-2"]


@pytest.mark.parametrize(
    "question",
    [
        "what is the status of ACCEL-40's epic", "priority of ACCEL-40's epic", "who is assigned to ACCEL-40's epic",
        "status of the epic of ACCEL-40", "progress of ACCEL-40's epic", "ACCEL-40's epic's status",
        "ACCEL-40's bugs", "ACCEL-40's open bugs", "issues of ACCEL-40", "open issues of ACCEL-40",
    ],
)  # fmt: skip
def test_what_is_said_of_other_rows_than_a_named_issue_is_asked_back(question: str) -> None:
    assert ask(question).is_ambiguous


@pytest.mark.parametrize(
    ("then", "columns"),
    [("assignee", {"assignee"}), ("and the reporter", {"reporter"}), ("the priority", {"priority"}),
     ("labels?", {"label"}), ("story points and labels", {"story_points", "label"})],
)  # fmt: skip
def test_a_property_alone_is_of_the_issue_before(then: str, columns: set[str]) -> None:
    (row,) = follow("status of ACCEL-40", then).rows

    assert row["issue"] == "ACCEL-40"
    assert columns <= {*row}


def test_rows_are_listed_in_the_order_that_is_named() -> None:
    answer = follow("open bugs in ACCEL", "list them by priority")

    assert [row["priority"] for row in answer.rows] == sorted(row["priority"] for row in answer.rows)
    assert len(answer.rows) == len(ask("open bugs in ACCEL").rows)


def test_who_has_the_issues_of_a_sprint_is_shown() -> None:
    gold = event_loop.run(try_execute(LEFT))

    answer = follow("what is left in ACCEL Sprint 9", "who has them")

    assert [row["issue"] for row in answer.rows] == sorted(row["issue_key"] for row in gold.rows)
    assert all("assignee" in row for row in answer.rows)
