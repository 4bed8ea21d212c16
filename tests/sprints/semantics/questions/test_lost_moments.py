"""How rows were at a moment that the data does not keep, and what is over asked of now: asked back, or as it was."""

import pytest

from tests.sprints.semantics.questions.test_answers import ask, assert_same_rows

pytestmark = pytest.mark.usefixtures("django_db_setup")

DONE = "i.status_category = 'Done'"
NEVER = (
    "SELECT i.issue_key FROM issues AS i WHERE {} AND NOT EXISTS (SELECT 1 FROM status_periods AS p "
    "WHERE p.issue_id = i.issue_id AND p.status = '{}') LIMIT 1000"
)
LATE = "(i.resolved_at AT TIME ZONE 'UTC')::date > i.due_date"
LATE_BY = (
    f"SELECT {{0}}, count(*) AS n FROM issues AS i LEFT JOIN users AS u ON u.user_id = i.assignee_id "
    f"JOIN teams AS t ON t.team_id = i.team_id WHERE {DONE} AND {LATE} AND {{0}} IS NOT NULL GROUP BY {{0}} {{1}}"
)
REASONS = (
    "SELECT i.issue_key, b.reason FROM issues AS i JOIN blocked_periods AS b USING (issue_id) WHERE i.issue_key {}"
)

OF_THEN = [
    "how many bugs were older than 30 days when they were closed",
    "how many bugs were older than two weeks when they were fixed",
    "bugs fixed that were older than a month",
    "how many points did ACCEL-100 have when it was added to the sprint",
    "how many stories were over 8 points when they were committed",
    "stories with over 8 points as they were committed",
    "which tickets had no estimate when they were added to the sprint",
    "who was assigned to ACCEL-100 when it was closed",
    "how old was ACCEL-100 when it was closed",
    "how many bugs were older than 30 days when closed",
    "bugs older than 30 days at closing",
    "bugs that were p0 at creation",
    "which stories were p0 when the stories were created",
]
OF_BLOCKERS = [
    "how many new blockers since Monday",
    "new blockers this week",
    "blockers raised this week",
    "blockers opened this week",
    "blockers created since yesterday",
    "how many impediments were raised in October",
    "blockers older than 2 days",
    "which blockers were resolved this week",
    "blockers closed this week",
    "open blockers",
    "closed blockers",
    "unresolved blockers",
    "which blockers are still open",
    "blockers that ended this week",
]
OF_BLOCKED = [
    "blocked without reason",
    "blocked tickets without a reason",
    "who was blocked the most",
    "who has been blocked the most",
    "which team was blocked the most",
    "who hasn't had a ticket blocked",
    "who hasn't had a blocked ticket",
    "who was most blocked",
    "who had the most blocked tickets",
    "has anyone had a ticket blocked",
    "which teams had a ticket blocked",
]
NOT_YET = [
    "tickets not yet in review in the ORBIT sprint",
    "tickets still not in review in ACCEL sprint",
    "sprint tickets not yet in QA",
    "which tickets are still not in QA",
    "tickets not in QA yet",
    "tickets not yet in progress",
    "tickets yet to reach QA",
    "tickets yet to go to QA",
    "tickets yet to be in QA",
    "tickets done but not in QA",
    "closed bugs not in code review",
]
OF_NOW = [
    "how many days into the sprint are we",
    "how many days are we into sprint 9",
    "how long are we in the sprint",
    "what takes the longest at the moment",
    "which ticket takes the longest right now",
    "what takes longest right now in ACCEL",
    "what's the slowest ticket right now",
    "how long are tickets in QA right now",
    "how long are bugs in review right now",
    "how long are tickets currently in QA",
    "average time in QA right now",
]
OF_TIMES = [
    "on which days did nobody close anything",
    "in which weeks were no bugs closed",
    "whose tickets were all finished in sprint 8",
    "how many tickets were done by Wednesday in sprint 8 of ACCEL",
    "how many tickets were done in sprint 8 of ACCEL by Wednesday",
    "tickets of ACCEL sprint 8 that were closed by Wednesday",
    "tickets closed on Monday in ACCEL sprint 8",
    "bugs from sprint 8 closed since Monday",
    "compare bugs closed yesterday with bugs closed in last sprint",
    "overdue bugs closed this week",
    "how many overdue bugs were fixed",
    "overdue tickets closed in sprint 8",
]


@pytest.mark.parametrize(
    "question", [*OF_THEN, *OF_BLOCKERS, *OF_BLOCKED, *NOT_YET, *OF_NOW, *OF_TIMES], ids=lambda one: one
)
def test_what_the_data_does_not_keep_is_asked_back(question: str) -> None:
    assert ask(question).is_ambiguous


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("tickets done without qa", NEVER.format(DONE, "QA")),
        ("tickets closed without QA", NEVER.format(DONE, "QA")),
        ("stories finished without QA", NEVER.format(f"{DONE} AND i.issue_type = 'Story'", "QA")),
        ("tickets done without code review", NEVER.format(DONE, "Code Review")),
        ("tickets closed without a code review", NEVER.format(DONE, "Code Review")),
        ("tickets shipped without verifying", NEVER.format(DONE, "Verifying")),
        ("tickets without code review", NEVER.format("true", "Code Review")),
        ("what was finished without QA in October",
         NEVER.format(f"{DONE} AND i.resolved_at >= '2026-10-01' AND i.resolved_at < '2026-11-01'", "QA")),
        ("bugs closed that haven't been in QA", NEVER.format(f"{DONE} AND i.issue_type = 'Bug'", "QA")),
        ("bugs with no QA", NEVER.format("i.issue_type = 'Bug'", "QA")),
        ("who closed tickets late", LATE_BY.format("u.full_name", "")),
        ("who finished tickets late", LATE_BY.format("u.full_name", "")),
        ("which team closed the most tickets late",
         LATE_BY.format("t.team_key", "ORDER BY n DESC FETCH FIRST ROW WITH TIES")),
        ("why was ACCEL-50 blocked", REASONS.format("= 'ACCEL-50'")),
        ("why was ORBIT-104 blocked", REASONS.format("= 'ORBIT-104'")),
        ("why has ACCEL-50 been blocked", REASONS.format("= 'ACCEL-50'")),
        ("why were ACCEL tickets blocked", REASONS.format("LIKE 'ACCEL-%'")),
    ],
)  # fmt: skip
def test_what_was_so_at_any_time_is_read_as_it_was(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


@pytest.mark.parametrize(
    "question",
    [
        "when was ACCEL-100 closed",
        "can you tell me when ACCEL-100 was closed",
        "ACCEL-100 and when it was created",
        "which bugs of last sprint are closed today",
        "who is fastest at closing bugs",
        "which tickets were closed late",
        "tickets closed since Monday in sprint 9",
        "how long are tickets in QA",
        "what takes the longest",
        "who is blocked the most",
        "which blockers did ACCEL have in sprint 8",
        "tickets that are not in QA",
        "tickets that are not done and not in QA",
        "tickets yet to be done",
        "tickets right now in QA and how long",
        "which month had the most bugs created without labels",
        "tickets carried over from sprint 8 and due by Friday",
        "which issues are not done yet",
        "which bugs are still not closed",
        "why is ORBIT-96 blocked",
    ],
)
def test_what_is_known_is_still_answered(question: str) -> None:
    assert not ask(question).is_ambiguous
