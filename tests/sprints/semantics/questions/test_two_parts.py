"""Questions of two parts, of which the second says something about the first: both are answered, or neither."""

import pytest

from sprints.evaluation.comparing import same
from sprints.sql_sandbox.execution import try_execute
from tests.sprints.semantics.questions.test_answers import ask
from tests.sprints.semantics.questions.test_links_and_repetitions import follow
from toolbox.database import event_loop

pytestmark = pytest.mark.usefixtures("django_db_setup")

ISSUES = "SELECT {} FROM issues AS i JOIN teams AS t USING (team_id) WHERE {} LIMIT 1000"
COUNTED = (
    "SELECT count(*) AS a, count(*) FILTER (WHERE {}) AS b FROM issues AS i JOIN teams AS t USING (team_id) WHERE {}"
)
STAYS = (
    "SELECT {} FROM sprint_issues AS m JOIN sprints USING (sprint_id) JOIN issues AS i USING (issue_id) "
    "WHERE sprint_name = '{}' AND {} LIMIT 1000"
)
WHO = "(SELECT full_name FROM users WHERE user_id = i.{}) AS {}"
ONE = "SELECT issue_key, {} FROM issues AS i WHERE issue_key = '{}' LIMIT 1"
LEVI = "assignee_id = (SELECT user_id FROM users WHERE full_name = 'Levi Walker')"
OPEN = "status_category <> 'Done'"
DONE = "status_category = 'Done'"
PER_EPIC = """
SELECT e.issue_key, count(*) FILTER (WHERE i.status_category = 'Done') AS a, count(*) AS b
FROM issues AS i JOIN issues AS e ON e.issue_id = i.epic_id JOIN teams AS t ON t.team_id = e.team_id
WHERE team_key = 'ORBIT' GROUP BY 1 LIMIT 99
"""
CARRIED = """
SELECT count(*) FILTER (WHERE carried_over_issues > 0) AS a, count(*) FILTER (WHERE carried_over_issues = 0) AS b
FROM sprint_summary WHERE sprint_name LIKE 'HARBOR%' AND state = 'closed'
"""
REOPENED = "SELECT avg(cycle_time_days) AS n FROM issues WHERE cycle_time_days IS NOT NULL GROUP BY reopened_count > 0"
IN_REVIEW = """
SELECT avg(extract(epoch FROM left_at - entered_at) / 86400) AS n FROM status_periods JOIN issues USING (issue_id)
JOIN teams USING (team_id) WHERE status_periods.status = 'Code Review' AND team_key = 'ACCEL' AND left_at IS NOT NULL
"""
DELIVERED = """
SELECT count(*) AS a, count(*) FILTER (WHERE was_completed) AS b FROM sprint_issues JOIN sprints USING (sprint_id)
WHERE sprint_name = '{}' AND was_committed
"""
TRUTHS = [
    ("How many issues did ACCEL commit to for Sprint 9, and how many of those are done?",
     DELIVERED.format("ACCEL Sprint 9")),
    ("How many issues did ORBIT commit to in Sprint 7 and how many of them were finished?",
     DELIVERED.format("ORBIT Sprint 7")),
    ("who has HARBOR-81 and who filed it?",
     ONE.format(f"{WHO.format('assignee_id', 'a')}, {WHO.format('reporter_id', 'b')}", "HARBOR-81")),
    ("what is ORBIT-39 about, and is anybody assigned to it?",
     ONE.format(f"title, {WHO.format('assignee_id', 'a')}", "ORBIT-39")),
    ("What is ORBIT-39 about, and who is working on it?",
     ONE.format(f"title, {WHO.format('assignee_id', 'a')}", "ORBIT-39")),
    ("What's the priority of ORBIT-12, and is it blocked?", ONE.format("priority, is_blocked", "ORBIT-12")),
    ("When was HARBOR-20 created and by whom?",
     ONE.format(f"created_at, {WHO.format('reporter_id', 'a')}", "HARBOR-20")),
    ("Who is assigned to ORBIT-103 and is it blocked?",
     ONE.format(f"{WHO.format('assignee_id', 'a')}, is_blocked", "ORBIT-103")),
    ("Which stories are in ACCEL Sprint 9 and are they estimated?",
     ISSUES.format("issue_key, story_points", "issue_type = 'Story' AND sprint_id = (SELECT sprint_id FROM sprints "
                   "WHERE sprint_name = 'ACCEL Sprint 9')")),
    ("which bugs were closed yesterday and who fixed them?",
     ISSUES.format(f"issue_key, {WHO.format('assignee_id', 'a')}",
                   "issue_type = 'Bug' AND resolved_at >= '2026-11-17' AND resolved_at < '2026-11-18'")),
    ("how many issues did HARBOR finish in sprint 7 and which ones?",
     STAYS.format("issue_key", "HARBOR Sprint 7", "was_completed")),
    ("Which sub-tasks does ACCEL-4 have and are they done?",
     ISSUES.format("issue_key, status_category",
                   "parent_id = (SELECT issue_id FROM issues WHERE issue_key = 'ACCEL-4')")),
    ("someone told me ACCEL-40 is blocked, is it?", ONE.format("is_blocked", "ACCEL-40")),
    ("ORBIT-95 looks stuck. who has it and who reported it?",
     ONE.format(f"{WHO.format('assignee_id', 'a')}, {WHO.format('reporter_id', 'b')}", "ORBIT-95")),
    ("Levi is on holiday next week - what does he still have open?", ISSUES.format("issue_key", f"{LEVI} AND {OPEN}")),
    ("Is ACCEL-40 done, and who did it?", ONE.format(f"status_category, {WHO.format('assignee_id', 'a')}", "ACCEL-40")),
    ("What does Chidi Okafor have in the current sprint and which status is each of those in?",
     ISSUES.format("issue_key, status", "assignee_id = (SELECT user_id FROM users WHERE full_name = 'Chidi Okafor') "
                   "AND sprint_id IN (SELECT sprint_id FROM sprints WHERE state = 'active')")),
    ("what carried over from ORBIT Sprint 7 and what status those tickets are in now",
     STAYS.format("issue_key, status", "ORBIT Sprint 7", "was_carried_over")),
    ("How many issues carried over from HARBOR Sprint 7 and how many points was that?",
     STAYS.format("count(*) AS a, sum(points_at_end) AS b", "HARBOR Sprint 7", "was_carried_over")),
    ("For Search that forgives, how many issues are done and how many aren't?",
     ("SELECT count(*) FILTER (WHERE i.status_category = 'Done') AS a, "
      "count(*) FILTER (WHERE i.status_category <> 'Done') AS b FROM issues AS i "
      "JOIN issues AS e ON e.issue_id = i.epic_id WHERE e.title = 'Search that forgives'")),
    ("how many of HARBOR's sprints so far ended with something carried over, and how many didn't?", CARRIED),
    ("For each ORBIT epic: how many of its issues are done, and how many are there in all?", PER_EPIC),
    ("What's the average cycle time of tickets that have been reopened, and what is it for all the others?", REOPENED),
    ("What is the average cycle time of bugs, and what is it for stories?",
     ("SELECT avg(cycle_time_days) AS n FROM issues WHERE cycle_time_days IS NOT NULL AND issue_type IN ('Bug', "
      "'Story') GROUP BY issue_type LIMIT 9")),
    ("which of levi's tickets are open and which of them are blocked",
     ISSUES.format("issue_key, is_blocked", f"{LEVI} AND {OPEN}")),
    ("Which bugs are open in ORBIT and which of them are p0?",
     ISSUES.format("issue_key, priority", f"team_key = 'ORBIT' AND {OPEN} AND issue_type = 'Bug'")),
    ("how many bugs in HARBOR and how many are open?",
     COUNTED.format(OPEN, "issue_type = 'Bug' AND team_key = 'HARBOR'")),
    ("How many issues were created last month, and how many of them are done?",
     COUNTED.format(DONE, "created_at >= '2026-10-01' AND created_at < '2026-11-01'")),
    ("How many bugs does ACCEL have and how many of them are unassigned?",
     COUNTED.format("assignee_id IS NULL", f"issue_type = 'Bug' AND team_key = 'ACCEL' AND {OPEN}")),
    ("How many of the bugs are open and how many aren't?",
     ("SELECT count(*) FILTER (WHERE status_category <> 'Done') AS a, count(*) FILTER (WHERE status_category = 'Done') "
      "AS b FROM issues WHERE issue_type = 'Bug'")),
    ("How many issues are blocked and which ones?", ISSUES.format("issue_key", "is_blocked")),
    ("Which issues are blocked and how many are there?", ISSUES.format("issue_key", "is_blocked")),
    ("How many epics are open, and which are they?", ISSUES.format("issue_key", f"issue_type = 'Epic' AND {OPEN}")),
    ("Which issues are blocked in ACCEL and who has them?",
     ISSUES.format(f"issue_key, {WHO.format('assignee_id', 'a')}", "is_blocked AND team_key = 'ACCEL'")),
    ("How many bugs are open, and how many points do they have?",
     ISSUES.format("count(*) AS a, sum(story_points) AS b", f"issue_type = 'Bug' AND {OPEN}")),
    ("For everything that is blocked at the moment, since when has it been blocked and which sprint is it in?",
     ("SELECT issue_key, blocked_since, sprint_name FROM issues AS i LEFT JOIN sprints USING (sprint_id) "
      "WHERE is_blocked LIMIT 99")),
    ("i have a feeling code review is our bottleneck on accel... how long do tickets sit there on average?", IN_REVIEW),
    ("someone said orbit-95 is stuck, since when is that and why",
     ("SELECT blocked_since, reason FROM issues JOIN blocked_periods USING (issue_id) WHERE unblocked_at IS NULL "
      "AND issue_key = 'ORBIT-95' LIMIT 9")),
    ("what % of what they committed did harbor deliver in sprint 7", DELIVERED.format("HARBOR Sprint 7")),
    ("How many issues are blocked and since when?", ISSUES.format("issue_key, blocked_since", "is_blocked")),
    ("how many issues did ACCEL commit to and how many did it complete in sprint 7",
     "SELECT committed_issues, completed_issues FROM sprint_summary WHERE sprint_name = 'ACCEL Sprint 7'"),
    ("did ORBIT finish what it committed to in sprint 7", DELIVERED.format("ORBIT Sprint 7")),
]  # fmt: skip


@pytest.mark.parametrize(("question", "truth"), TRUTHS, ids=[question for question, _ in TRUTHS])
def test_both_parts_are_answered(question: str, truth: str) -> None:
    gold = event_loop.run(try_execute(truth))
    assert gold.rows, gold.error

    answer = ask(question)

    assert not answer.is_ambiguous, answer.answer
    assert same(answer.rows, gold=gold.rows), (answer.interpretation, answer.rows[:5], gold.rows[:5])


@pytest.mark.parametrize(
    "question",
    [
        "Who is on the ACCEL team and which issues are overdue?",
        "What is ACCEL-40 about and who has ORBIT-39?",
        "how many issues did ORBIT complete in Sprint 7 and how many people are in HARBOR?",
        "Which bugs are blocked, and when does the current sprint end?",
        "What is the average cycle time and how many bugs are open?",
        "How many issues are open, and why are they open?",
        "Is ORBIT-96 blocked and will it be done in time?",
        "What did Levi close last week and what will he do next?",
        "How many issues are done and how many people are there?",
        "Which team closed the most in October, and who is the oldest bug assigned to?",
        "How many open bugs are p0 and how many aren't?",
        "How many bugs are in HARBOR and how many open issues does ORBIT have by person?",
        "Which epic does ORBIT-39 belong to, and how far along is it?",
        "Which issues have been reopened, and how often?",
        "Which issues are blocked and are they overdue?",
        "what share of ACCEL bugs is done and how many are open?",
        "Which epic is the largest and how far along is it?",
        "How many issues did ACCEL complete in Sprint 8 and how many did ORBIT?",
        "Which people have no open issues and which team are they in?",
        "How many bugs are open and how many are p0?",
        "How many issues were created last month and how many were closed?",
        "Which of Levi's tickets are open and which are blocked?",
    ],
)
def test_one_of_two_parts_is_not_answered_as_though_it_were_all(question: str) -> None:
    answer = ask(question)

    assert answer.is_ambiguous, (answer.interpretation, answer.rows[:5])


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("is ORBIT-96 still blocked, and by what?",
         ["Is ORBIT-96 still blocked?", "ORBIT-96 is still blocked by what?"]),
        ("Who is on the ACCEL team and which issues are overdue?",
         ["Who is on the ACCEL team?", "Which issues of ACCEL are overdue?", "Which issues are overdue?"]),
        ("What is the goal of ACCEL Sprint 9, and how many points are committed?",
         ["What is the goal of ACCEL Sprint 9?", "How many points were committed in ACCEL Sprint 9?"]),
        ("How many bugs are open and how many are p0?",
         ["How many bugs are open?", "How many open bugs with priority p0 are there?"]),
        ("What is the status of ACCEL-40 and how many bugs are open?",
         ["What is the status of ACCEL-40?", "How many bugs are open?"]),
        ("how many issues did ORBIT complete in Sprint 7 and how many people are in HARBOR?",
         ["How many issues did ORBIT complete in Sprint 7?", "How many people are in HARBOR?"]),
        ("Who reported HARBOR-81, and what is it blocked by?",
         ["Who reported HARBOR-81?", "What is HARBOR-81 blocked by?"]),
    ],
)  # fmt: skip
def test_two_questions_that_no_query_answers_are_offered_one_by_one(question: str, parts: list[str]) -> None:
    answer = ask(question)

    assert answer.is_ambiguous, (answer.interpretation, answer.rows[:5])
    assert "two questions" in answer.answer
    assert answer.suggestions[: len(parts)] == parts


@pytest.mark.parametrize(
    ("first", "then", "truth"),
    [
        ("How many issues did ACCEL commit to for Sprint 9?", "how many of those are done?",
         STAYS.format("count(*) AS n", "ACCEL Sprint 9", "was_committed AND was_completed")),
        ("How many points did ORBIT commit to in Sprint 4?", "how many of them were completed?",
         STAYS.format("sum(points_at_start) AS n", "ORBIT Sprint 4", "was_committed AND was_completed")),
        ("How many issues of ACCEL are done?", "and how many aren't?",
         ISSUES.format("count(*) AS n", f"team_key = 'ACCEL' AND {OPEN}")),
        ("What is the average cycle time of bugs?", "what is it for stories?",
         "SELECT avg(cycle_time_days) AS n FROM issues WHERE issue_type = 'Story'"),
        ("Which bugs of HARBOR are open?", "what status are those tickets in?",
         ISSUES.format("issue_key, status", f"team_key = 'HARBOR' AND issue_type = 'Bug' AND {OPEN}")),
    ],
)  # fmt: skip
def test_the_same_second_part_is_read_as_a_question_of_its_own(first: str, then: str, truth: str) -> None:
    gold = event_loop.run(try_execute(truth))
    assert gold.rows, gold.error

    answer = follow(first, then)

    assert not answer.is_ambiguous, answer.answer
    assert same(answer.rows, gold=gold.rows), (answer.interpretation, answer.rows[:5], gold.rows[:5])
