"""Follow-ups change what they say and keep the rest; where that is of other rows than it may mean, it is asked back."""

import pytest

from sprints.asking.chat import ChatAnswer, chat, read_context
from sprints.evaluation.comparing import same
from sprints.sql_sandbox.execution import try_execute
from tests.sprints.semantics.questions.test_answers import NOW
from tests.sprints.semantics.questions.test_links_and_repetitions import follow
from toolbox.database import event_loop
from toolbox.database.pools import reader

pytestmark = pytest.mark.usefixtures("django_db_setup")

SUMMARY = """
SELECT team_key, {} FROM sprint_summary JOIN teams USING (team_id)
WHERE sprint_name LIKE '%Sprint {}' AND {} LIMIT 99
"""
TOTAL = "SELECT sum({}) AS n FROM sprint_summary WHERE sprint_name LIKE '%Sprint {}' LIMIT 99"
MEMBERS = """
SELECT sprint_name, issue_key FROM sprint_issues JOIN sprints USING (sprint_id) JOIN issues USING (issue_id)
WHERE sprint_name LIKE '%Sprint {}' AND {} LIMIT 999
"""
KEYS = "SELECT issue_key FROM issues JOIN teams USING (team_id) WHERE {} LIMIT 999"
IN_SPRINT = """
SELECT issue_key FROM sprint_issues JOIN sprints USING (sprint_id) JOIN issues USING (issue_id) WHERE {} LIMIT 999
"""
COUNT = "SELECT {}, count(*) AS n FROM issues JOIN teams USING (team_id) WHERE {} GROUP BY 1 LIMIT 99"
COUNT_ALL = "SELECT count(*) AS n FROM issues WHERE {} LIMIT 9"
OPEN = "status_category <> 'Done'"
DONE = "status_category = 'Done'"
BLOCKED = """
SELECT DISTINCT issue_key FROM blocked_periods JOIN issues USING (issue_id)
WHERE blocked_at < '{1}' AND COALESCE(unblocked_at, '2999-01-01') > '{0}' LIMIT 99
"""
OCTOBER, LAST_WEEK = ("2026-10-01", "2026-11-01"), ("2026-11-09", "2026-11-16")
NOW_9 = "is_in_scope AND sprint_name LIKE '%Sprint 9'"
BUGS = f"issue_type = 'Bug' AND {OPEN}"
ZOE = "(SELECT user_id FROM users WHERE full_name = 'Zoë Müller')"
CREATED_IN_OCTOBER = "created_at >= '2026-10-01' AND created_at < '2026-11-01'"
TRUTHS = [
    ("points completed in sprint 8", "without ORBIT", SUMMARY.format("completed_points", 8, "team_key <> 'ORBIT'")),
    ("points completed in sprint 8", "not ORBIT", SUMMARY.format("completed_points", 8, "team_key <> 'ORBIT'")),
    ("velocity last sprint", "without ACCEL", SUMMARY.format("completed_points", 8, "team_key <> 'ACCEL'")),
    ("velocity per team in sprint 8", "except ORBIT", SUMMARY.format("completed_points", 8, "team_key <> 'ORBIT'")),
    ("what was added to sprint 9", "without ORBIT",
     MEMBERS.format(9, "was_added_after_start AND sprint_name NOT LIKE 'ORBIT%'")),
    ("what was added to sprint 9", "excluding ORBIT and HARBOR",
     MEMBERS.format(9, "was_added_after_start AND sprint_name LIKE 'ACCEL%'")),
    ("issues in sprint 9", "without ORBIT", IN_SPRINT.format(f"{NOW_9} AND sprint_name NOT LIKE 'ORBIT%'")),
    ("issues in sprint 9", "only bugs and without HARBOR",
     IN_SPRINT.format(f"{NOW_9} AND sprint_name NOT LIKE 'HARBOR%' AND issue_type = 'Bug'")),
    ("points completed by ORBIT in sprint 8", "all teams", TOTAL.format("completed_points", 8)),
    ("points completed by ORBIT in sprint 8", "for everyone", TOTAL.format("completed_points", 8)),
    ("how many points did ACCEL complete in sprint 7", "across all teams", TOTAL.format("completed_points", 7)),
    ("issues in ACCEL sprint 9", "all teams", IN_SPRINT.format(NOW_9)),
    ("velocity of ACCEL last sprint", "every team", SUMMARY.format("completed_points", 8, "true")),
    ("velocity of ACCEL last sprint", "by team", SUMMARY.format("completed_points", 8, "true")),
    ("bugs of ORBIT", "added to sprint 9",
     MEMBERS.format(9, "was_added_after_start AND issue_key LIKE 'ORBIT%' AND issue_type = 'Bug'")),
    ("stories of HARBOR", "committed in sprint 8",
     MEMBERS.format(8, "was_committed AND issue_key LIKE 'HARBOR%' AND issue_type = 'Story'")),
    ("bugs of ORBIT", "carried over in sprint 7",
     MEMBERS.format(7, "was_carried_over AND issue_key LIKE 'ORBIT%' AND issue_type = 'Bug'")),
    ("what is blocked", "what was blocked last week", BLOCKED.format(*LAST_WEEK)),
    ("what is blocked", "what was blocked in October", BLOCKED.format(*OCTOBER)),
    ("blocked issues", "blocked last week", BLOCKED.format(*LAST_WEEK)),
    ("how many issues are blocked", "how many were blocked last week",
     f"SELECT count(*) AS n FROM ({BLOCKED.format(*LAST_WEEK)}) AS s LIMIT 9"),
    ("issues in sprint 9", "in the backlog", KEYS.format("is_in_backlog")),
    ("issues in sprint 9", "and the backlog?", KEYS.format("is_in_backlog")),
    ("bugs in the backlog", "in sprint 9", IN_SPRINT.format(f"{NOW_9} AND issue_type = 'Bug'")),
    ("how many open bugs does ACCEL have", "also ORBIT",
     COUNT.format("team_key", f"issue_type = 'Bug' AND {OPEN} AND team_key <> 'HARBOR'")),
    ("how many open bugs does ACCEL have", "together with ORBIT",
     COUNT.format("team_key", f"issue_type = 'Bug' AND {OPEN} AND team_key <> 'HARBOR'")),
    ("how many open bugs does ACCEL have", "include stories",
     COUNT_ALL.format(f"issue_key LIKE 'ACCEL%' AND issue_type IN ('Bug', 'Story') AND {OPEN}")),
    ("open issues by assignee", "done issues",
     f"SELECT full_name, count(*) AS n FROM issues JOIN users ON user_id = assignee_id WHERE {DONE} GROUP BY 1"),
    ("how many open issues per team", "done issues", COUNT.format("team_key", DONE)),
    ("open points by team", "done points",
     f"SELECT team_key, sum(story_points) AS n FROM issues JOIN teams USING (team_id) WHERE {DONE} GROUP BY 1"),
    ("show blocked issues", "which of them are not bugs", KEYS.format("is_blocked AND issue_type <> 'Bug'")),
    ("how many open bugs are there", "how many are not urgent", COUNT_ALL.format(f"{BUGS} AND priority > 'p1'")),
    ("how many open issues are there", "how many aren't stories",
     COUNT_ALL.format(f"issue_type <> 'Story' AND {OPEN}")),
    ("list the issues in the backlog", "which of them are not bugs",
     KEYS.format("is_in_backlog AND issue_type <> 'Bug'")),
    ("list the open bugs", "which were not created this month",
     KEYS.format(f"{BUGS} AND created_at < '2026-11-01'")),
    ("list the open bugs", "which belong to ORBIT", KEYS.format(f"{BUGS} AND team_key = 'ORBIT'")),
    ("list the done bugs", "which did Zoë report",
     KEYS.format(f"issue_type = 'Bug' AND {DONE} AND reporter_id = {ZOE}")),
    ("which team has the most open bugs", "show unassigned stories",
     KEYS.format(f"issue_type = 'Story' AND assignee_id IS NULL AND {OPEN}")),
    ("how many open bugs does each team have", "list the ones of ORBIT",
     KEYS.format(f"{BUGS} AND team_key = 'ORBIT'")),
    ("how many bugs were created last month", "by Zoë",
     COUNT_ALL.format(f"{CREATED_IN_OCTOBER} AND issue_type = 'Bug' AND reporter_id = {ZOE}")),
    ("which team has the most open bugs", "all teams", COUNT.format("team_key", BUGS)),
    ("list the open bugs", "not ORBIT but HARBOR", KEYS.format(f"{BUGS} AND team_key = 'HARBOR'")),
    ("list the open bugs", "not bugs but stories", KEYS.format(f"issue_type = 'Story' AND {OPEN}")),
    ("what is Levi Walker working on", "everyone in ACCEL",
     KEYS.format("status_category = 'In Progress' AND team_key = 'ACCEL'")),
    ("open bugs of ACCEL and ORBIT", "HARBOR instead of ORBIT", KEYS.format(f"{BUGS} AND team_key <> 'ORBIT'")),
    ("list the open bugs", "blocked instead of open", KEYS.format("issue_type = 'Bug' AND is_blocked")),
    ("list the open bugs", "stories instead of bugs", KEYS.format(f"issue_type = 'Story' AND {OPEN}")),
    ("list the open bugs", "not assigned to Zoë but to Levi Walker",
     KEYS.format(f"{BUGS} AND assignee_id = (SELECT user_id FROM users WHERE full_name = 'Levi Walker')")),
    ("list the open bugs", "not bugs, stories", KEYS.format(f"issue_type = 'Story' AND {OPEN}")),
    ("open bugs of ORBIT", "not ORBIT, ACCEL", KEYS.format(f"{BUGS} AND team_key = 'ACCEL'")),
    ("open p0 bugs", "not p0, p1", KEYS.format(f"{BUGS} AND priority = 'p1'")),
    ("velocity of ACCEL sprint 7 vs sprint 8", "for ORBIT",
     ("SELECT sprint_name, completed_points FROM sprint_summary "
      "WHERE sprint_name IN ('ORBIT Sprint 7', 'ORBIT Sprint 8') LIMIT 9")),
    ("velocity of ACCEL sprint 7 vs sprint 8", "all teams",
     "SELECT sprint_name, completed_points FROM sprint_summary WHERE sprint_name ~ 'Sprint (7|8)$' LIMIT 9"),
]  # fmt: skip


@pytest.mark.parametrize(("first", "then", "truth"), TRUTHS, ids=[f"{one[0]} - {one[1]}" for one in TRUTHS])
def test_a_follow_up_is_of_the_rows_that_it_is_meant_of(first: str, then: str, truth: str) -> None:
    gold = event_loop.run(try_execute(truth))
    assert gold.error is None
    assert gold.rows

    answer = follow(first, then)

    assert not answer.is_ambiguous, answer.answer
    assert same(answer.rows, gold=gold.rows), (answer.interpretation, answer.answer)


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("points completed in ORBIT sprint 8", "without ORBIT"),
        ("velocity of ORBIT", "best sprint"),
        ("velocity of ORBIT", "previous sprint carried over"),
        ("velocity of ORBIT", "committed last sprint"),
        ("velocity of ORBIT", "committed"),
        ("velocity of ACCEL in the last sprint", "committed?"),
        ("how many open bugs does ORBIT have", "added in sprint 9"),
        ("what is in progress", "what was started yesterday"),
        ("what is in progress", "what is due this week"),
        ("what was finished last week", "what is due this week"),
        ("what was finished last week", "what was created last week"),
        ("what was carried over from sprint 8", "done now"),
        ("what was removed from sprint 8", "done now"),
        ("what was added to sprint 8", "carried over"),
        ("bugs created in October by team", "also November"),
        ("points completed by ORBIT in sprint 8", "who completed the most"),
        ("what did Levi Walker finish last week", "in sprint 8"),
        ("velocity per sprint", "as of sprint 5"),
        ("list the open bugs", "average age"),
        ("list the 5 biggest open stories", "how many points are they"),
        ("what is the oldest open bug", "how many points"),
        ("list the 3 oldest open bugs", "per team"),
        ("list the 5 biggest open stories", "which are blocked"),
        ("list the 3 oldest open bugs", "which are urgent"),
        ("average cycle time of bugs", "lead time"),
        ("average cycle time of bugs", "who is fastest"),
        ("average cycle time of bugs", "which team is fastest"),
        ("status of ACCEL-103", "time spent"),
        ("status of ACCEL-103", "show status changes"),
        ("status of ACCEL-103", "show the links"),
        ("status of ACCEL-103", "list open bugs"),
        ("list the open bugs", "which teams"),
        ("list the open bugs", "in which sprints"),
        ("progress of Pay in the app", "how many bugs"),
        ("median lead time of stories", "how many bugs"),
        ("average age of open bugs", "how many stories"),
        ("what share of issues are bugs", "stories"),
        ("what share of issues are bugs", "how many bugs"),
        ("what share of bugs is done", "open"),
        ("progress of Pay in the app", "in points"),
        ("how many points did ACCEL complete in sprint 8", "in September"),
        ("how many points did ACCEL complete in sprint 8", "last week"),
        ("how many bugs were closed in sprint 8", "last month"),
        ("how many points are left in the sprint", "in the backlog"),
        ("which team has the most open bugs", "list the blocked issues"),
        ("list the open bugs", "assign them to Levi Walker"),
        ("list the open bugs", "give them to Levi Walker"),
        ("list the open bugs", "tell Levi Walker"),
        ("what is Levi Walker working on", "everyone in his team"),
        ("what is Levi Walker working on", "everyone in the team"),
        ("velocity of ACCEL in sprint 5", "best sprint"),
        ("did ACCEL complete sprint 8", "which teams did"),
        ("list the open bugs", "with an epic"),
        ("list the open bugs", "in all epics"),
        ("list the open bugs", "with subtasks"),
        ("list the open bugs", "of the epic Pay in the app"),
        ("list the open bugs", "highest priority first"),
        ("list the open bugs", "sort by priority descending"),
        ("status of ACCEL-103", "all bugs of the team"),
        ("who is working on ACCEL-103", "and what is blocked"),
        ("how many open issues are there", "what belongs to ORBIT"),
        ("average cycle time of bugs", "still open"),
        ("how many points did ACCEL complete in sprint 8", "what is in the backlog"),
        ("list the open bugs of ORBIT", "the rest"),
        ("velocity per sprint of ORBIT", "who"),
        ("list the open bugs", "which teams did"),
        ("issues blocked for more than 2 days", "in sprint 8"),
        ("list the open bugs", "HARBOR instead of ORBIT"),
        ("velocity of ACCEL sprint 7 vs sprint 8", "without ACCEL"),
        ("list the open stories", "having subtasks"),
        ("progress of Pay in the app", "all epics"),
        ("how many issues are in Works offline", "all epics"),
        ("what is overdue", "what is due next week"),
        ("which issues are blocked in ORBIT", "what was resolved yesterday"),
        ("which issues are blocked in ORBIT", "what's done"),
        ("open issues", "not bugs, stories"),
        ("what was carried over from ACCEL sprint 8", "is it done now"),
        ("who has the most open issues", "how many are overdue"),
        ("who has the most open issues", "and how many bugs"),
        ("which team has the most open bugs", "which are blocked"),
        ("top 3 assignees by open points", "how many are blocked"),
    ],
)
def test_what_may_be_of_other_rows_is_asked_back(first: str, then: str) -> None:
    answer = follow(first, then)

    assert answer.is_ambiguous, answer.interpretation


def test_what_no_row_can_be_beside_the_state_before_is_asked_anew() -> None:
    assert follow("what is overdue", "what was finished late").interpretation == (
        "list of done issues, resolved after due date, now"
    )


@pytest.mark.parametrize("then", ["still blocked", "now blocked", "which are still blocked"])
@pytest.mark.parametrize("when", ["in sprint 8", "last week"])
def test_what_rows_are_now_is_asked_of_those_that_were_so_then(when: str, then: str) -> None:
    answer = follow(f"what was blocked {when}", then)

    assert answer.interpretation is not None
    assert answer.interpretation.startswith("list of blocked issues, blocked during ")


LEVI = "assignee_id = (SELECT user_id FROM users WHERE full_name = 'Levi Walker')"
SOPHIA = "(SELECT user_id FROM users WHERE full_name = 'Sophia Gonzalez')"
DONE_OF_OCTOBER = f"issue_type = 'Bug' AND {DONE} AND {CREATED_IN_OCTOBER}"
CLOSED_IN_OCTOBER = "resolved_at >= '2026-10-01' AND resolved_at < '2026-11-01'"
NEXT = "is_in_scope AND sprint_name LIKE '%Sprint 10'"
BLOCKED_AND_DONE = BLOCKED.replace("WHERE ", f"WHERE {DONE} AND ").format(*LAST_WEEK)
NOT_REPLACED = [
    ("which bugs were reported in October?", "and done now", KEYS.format(DONE_OF_OCTOBER)),
    ("which bugs were reported in October?", "and done by now", KEYS.format(DONE_OF_OCTOBER)),
    ("which bugs were reported in October?", "and are closed", KEYS.format(DONE_OF_OCTOBER)),
    ("which bugs were reported in October?", "and have been closed", KEYS.format(DONE_OF_OCTOBER)),
    ("how many bugs were reported in October?", "and are done", COUNT_ALL.format(DONE_OF_OCTOBER)),
    ("which tickets were blocked last week?", "and are those done now", BLOCKED_AND_DONE),
    (
        "which stories were created in October?", "and finished now",
        KEYS.format(f"issue_type = 'Story' AND {DONE} AND {CREATED_IN_OCTOBER}"),
    ),
    (
        "which tickets were started in October?", "and closed now",
        KEYS.format(f"{DONE} AND {CREATED_IN_OCTOBER.replace('created_at', 'started_at')}"),
    ),
    (
        "which bugs were reported in October?", "and closed",
        KEYS.format(f"issue_type = 'Bug' AND {CLOSED_IN_OCTOBER}"),
    ),
    ("open bugs not in the sprint", "in the next sprint", IN_SPRINT.format(f"{BUGS} AND {NEXT}")),
    ("open bugs not in sprint 9", "in sprint 10", IN_SPRINT.format(f"{BUGS} AND {NEXT}")),
]  # fmt: skip


@pytest.mark.parametrize(("first", "then", "truth"), NOT_REPLACED)
def test_what_is_so_now_and_what_is_not_denied_any_more(first: str, then: str, truth: str) -> None:
    gold = event_loop.run(try_execute(truth))
    answer = follow(first, then)

    assert gold.rows
    assert same(answer.rows, gold=gold.rows), (answer.interpretation, answer.answer)


def follow_all(*turns: str) -> ChatAnswer:
    before = event_loop.run(read_context(turns[:-1], now=NOW, reader=reader))
    return event_loop.run(chat(turns[-1], now=NOW, reader=reader, model=None, context=before.query, lost=before.lost))


def test_what_is_not_in_one_sprint_may_be_in_the_next() -> None:
    answer = follow_all("tickets assigned to Levi", "not in the sprint", "in the next sprint")

    assert answer.rows == []
    assert "not" not in str(answer.interpretation)


def test_what_rows_were_not_stays_denied_of_the_sprint_before() -> None:
    answer = follow("tickets not blocked in sprint 8", "and in the sprint before that")

    assert "not (blocked during ACCEL Sprint 7" in str(answer.interpretation)


@pytest.mark.parametrize(("turns", "truth"), [
    (
        ("tickets assigned to Levi", "who reported them", "only those reported by Sophia"),
        KEYS.format(f"{LEVI} AND reporter_id = {SOPHIA}"),
    ),
    (("tickets assigned to Levi", "who reported them", "assigned to Sophia"), KEYS.format(f"assignee_id = {SOPHIA}")),
])  # fmt: skip
def test_whose_and_who_reported_them(turns: tuple[str, ...], truth: str) -> None:
    gold = event_loop.run(try_execute(truth))
    answer = follow_all(*turns)

    assert gold.rows
    assert {one["issue"] for one in answer.rows} == {one["issue_key"] for one in gold.rows}


@pytest.mark.parametrize("turns", [
    ("tickets assigned to Levi", "who reported them", "only Sophia's"),
    ("tickets assigned to Levi", "who reported them", "by Sophia"),
    ("bugs reported by Priya", "who are they assigned to", "only Levi's"),
    ("which tickets were due in October?", "and done"), ("which tickets were blocked last week?", "and closed"),
    ("which tickets were blocked?", "which were blocked last week", "and are those done"),
    ("bugs created by week", "and are done"), ("tickets that were not in sprint 8", "and the previous sprint"),
    ("open bugs not in sprint 9", "and in sprint 10"), ("open bugs not in the sprint", "what about the next sprint"),
], ids=" | ".join)  # fmt: skip
def test_whose_of_two_people_and_another_kind_of_time_is_asked_back(turns: tuple[str, ...]) -> None:
    answer = follow_all(*turns)

    assert answer.is_ambiguous, answer.interpretation
