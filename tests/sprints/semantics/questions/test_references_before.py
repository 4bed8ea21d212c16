"""What a follow-up refers to: the issue, the owner or the rows of the question before, with all its conditions."""

import pytest

from sprints.evaluation.comparing import same
from sprints.sql_sandbox.execution import try_execute
from tests.sprints.semantics.questions.test_links_and_repetitions import follow
from toolbox.database import event_loop

pytestmark = pytest.mark.usefixtures("django_db_setup")

KEYS = "SELECT issue_key FROM issues JOIN teams USING (team_id) WHERE {} LIMIT 1000"
OPEN = "status_category <> 'Done'"
OPEN_BUGS = f"issue_type = 'Bug' AND {OPEN}"
EPIC = """
SELECT i.issue_key, i.title, e.issue_key AS epic FROM issues AS i LEFT JOIN issues AS e ON e.issue_id = i.epic_id
WHERE i.issue_key = '{}' LIMIT 1
"""
OWN = "SELECT issue_key, title, {} FROM issues WHERE issue_key = '{}' LIMIT 1"
SUB_TASKS = "parent_id = (SELECT issue_id FROM issues WHERE issue_key = 'ACCEL-4')"
WHO = "SELECT issue_key, title, full_name FROM issues LEFT JOIN users ON user_id = {} WHERE {} LIMIT 1000"
AVERY = "(SELECT user_id FROM users WHERE full_name = 'Avery Hernandez')"
SPRINT = "(SELECT issue_id FROM sprint_issues JOIN sprints USING (sprint_id) WHERE sprint_name = '{}' AND is_in_scope)"
BLOCKED_IN = """
SELECT DISTINCT issue_key FROM sprint_issues AS m JOIN sprints AS s USING (sprint_id) JOIN blocked_periods AS b
USING (issue_id) JOIN issues USING (issue_id) WHERE (was_committed OR was_added_after_start)
AND coalesce(b.unblocked_at, 'infinity') > greatest(s.started_at, m.added_at)
AND b.blocked_at < coalesce(least(s.completed_at, m.removed_at), 'infinity') AND {} LIMIT 1000
"""
IN_SPRINT_8 = """
SELECT issue_key FROM sprint_issues JOIN sprints USING (sprint_id) JOIN issues USING (issue_id)
WHERE sprint_name = 'ACCEL Sprint 8' AND {} LIMIT 1000
"""
YESTERDAY = "issue_type = 'Bug' AND resolved_at >= '2026-11-17' AND resolved_at < '2026-11-18'"
RUNNING = "(SELECT issue_id FROM sprint_issues JOIN sprints USING (sprint_id) WHERE state = 'active' AND is_in_scope)"
LEAST = """
SELECT full_name, sum(points) AS n FROM (
 SELECT assignee_id, CASE WHEN was_completed THEN coalesce(points_at_end, 0) ELSE 0 END AS points FROM sprint_issues
 JOIN sprints USING (sprint_id) JOIN issues USING (issue_id) WHERE sprint_name LIKE '% Sprint 8') AS m
JOIN users ON user_id = assignee_id GROUP BY full_name ORDER BY n LIMIT 1
"""
TRUTHS = [
    ("status of ACCEL-40", "which epic does it belong to", EPIC.format("ACCEL-40")),
    ("status of ACCEL-40", "its epic", EPIC.format("ACCEL-40")),
    ("status of ACCEL-40", "what is its epic", EPIC.format("ACCEL-40")),
    ("tell me about ACCEL-100", "and its epic", EPIC.format("ACCEL-100")),
    ("tell me about ACCEL-100", "its labels", OWN.format("labels", "ACCEL-100")),
    ("tell me about ACCEL-100", "is it a bug", OWN.format("issue_type", "ACCEL-100")),
    ("tell me about ACCEL-88", "how long did it take", OWN.format("round(cycle_time_days, 2) AS n", "ACCEL-88")),
    ("status of ACCEL-4", "its sub-tasks", KEYS.format(SUB_TASKS)),
    ("status of ACCEL-4", "how many sub-tasks does it have", f"SELECT count(*) AS n FROM issues WHERE {SUB_TASKS}"),
    ("velocity of ACCEL", "its open bugs", KEYS.format(f"team_key = 'ACCEL' AND {OPEN_BUGS}")),
    ("bugs closed in October", "which were blocked",
     ("SELECT DISTINCT issue_key FROM blocked_periods JOIN issues USING (issue_id) WHERE issue_type = 'Bug' AND "
      "status_category = 'Done' AND resolved_at >= '2026-10-01' AND resolved_at < '2026-11-01' LIMIT 1000")),
    ("velocity of ACCEL", "how many bugs does it have",
     f"SELECT count(*) AS n FROM issues JOIN teams USING (team_id) WHERE team_key = 'ACCEL' AND {OPEN_BUGS}"),
    ("tickets assigned to Avery Hernandez", "reported by her",
     f"SELECT issue_key FROM issues WHERE assignee_id = {AVERY} AND reporter_id = {AVERY} LIMIT 1000"),
    ("bugs reported by Avery Hernandez", "which are assigned to her",
     (f"SELECT issue_key FROM issues WHERE assignee_id = {AVERY} AND reporter_id = {AVERY} AND issue_type = 'Bug' "
      "LIMIT 1000")),
    ("oldest open bug", "and its epic", EPIC.format("HARBOR-7")),
    ("open bugs of ACCEL", "what are their epics",
     ("SELECT i.issue_key, i.title, e.issue_key AS epic FROM issues AS i LEFT JOIN issues AS e ON e.issue_id = "
      "i.epic_id WHERE i.issue_type = 'Bug' AND i.status_category <> 'Done' AND i.issue_key LIKE 'ACCEL-%' LIMIT 99")),
    ("overdue items", "whose are they", WHO.format("assignee_id", f"due_date < '2026-11-18' AND {OPEN}")),
    ("bugs closed yesterday", "who fixed them?", WHO.format("assignee_id", YESTERDAY)),
    ("bugs closed yesterday", "who has those?", WHO.format("assignee_id", YESTERDAY)),
    ("bugs closed yesterday", "who reported them?", WHO.format("reporter_id", YESTERDAY)),
    ("which issues are blocked?", "since when?",
     "SELECT issue_key, blocked_since FROM issues WHERE is_blocked LIMIT 99"),
    ("issues in ACCEL sprint 8", "not in sprint 9",
     KEYS.format(f"issue_id IN {SPRINT.format('ACCEL Sprint 8')} AND "
                 f"issue_id NOT IN {SPRINT.format('ACCEL Sprint 9')}")),
    ("issues in ORBIT sprint 8", "only bugs not in sprint 7",
     KEYS.format(f"issue_id IN {SPRINT.format('ORBIT Sprint 8')} AND issue_id NOT IN {SPRINT.format('ORBIT Sprint 7')} "
                 "AND issue_type = 'Bug'")),
    ("open bugs", "without p4 and Harbor",
     KEYS.format(f"{OPEN_BUGS} AND priority <> 'p4' AND team_key <> 'HARBOR'")),
    ("open bugs without p4", "and without p3", KEYS.format(f"{OPEN_BUGS} AND priority NOT IN ('p3', 'p4')")),
    ("open bugs excluding p4", "also without p3", KEYS.format(f"{OPEN_BUGS} AND priority NOT IN ('p3', 'p4')")),
    ("how many issues are blocked", "who has them", WHO.format("assignee_id", "is_blocked")),
    ("how many issues are blocked", "whose are they", WHO.format("assignee_id", "is_blocked")),
    ("open bugs", "also stories", KEYS.format(f"issue_type IN ('Bug', 'Story') AND {OPEN}")),
    ("open bugs", "plus stories", KEYS.format(f"issue_type IN ('Bug', 'Story') AND {OPEN}")),
    ("open bugs", "and stories as well", KEYS.format(f"issue_type IN ('Bug', 'Story') AND {OPEN}")),
    ("open bugs", "what about stories", KEYS.format(f"issue_type = 'Story' AND {OPEN}")),
    ("open p0 issues", "and p1", KEYS.format(f"priority IN ('p0', 'p1') AND {OPEN}")),
    ("what is blocked right now", "and last sprint", BLOCKED_IN.format("sprint_name LIKE '% Sprint 8'")),
    ("what is blocked in ORBIT", "and what was blocked last sprint",
     BLOCKED_IN.format("sprint_name = 'ORBIT Sprint 8'")),
    ("issues blocked last sprint", "and this sprint", BLOCKED_IN.format("state = 'active'")),
    ("issues in ORBIT sprint 8", "which were blocked", BLOCKED_IN.format("sprint_name = 'ORBIT Sprint 8'")),
    ("issues in ACCEL sprint 8", "what was blocked", BLOCKED_IN.format("sprint_name = 'ACCEL Sprint 8'")),
    ("issues in ACCEL sprint 8", "which of them were blocked", BLOCKED_IN.format("sprint_name = 'ACCEL Sprint 8'")),
    ("issues in ACCEL sprint 8", "that were not finished", IN_SPRINT_8.format("is_in_scope AND NOT was_completed")),
    ("issues in ACCEL sprint 8", "which were carried over", IN_SPRINT_8.format("was_carried_over")),
    ("issues in ACCEL sprint 8", "what was added", IN_SPRINT_8.format("was_added_after_start")),
    ("open tickets of Avery Smith", "in the sprint",
     KEYS.format(f"{OPEN} AND issue_id IN {RUNNING} AND assignee_id = (SELECT user_id FROM users WHERE full_name = "
                 "'Avery Smith')")),
    ("who completed the most story points last sprint", "and the least?", LEAST),
    ("how many points did each team commit to in sprint 8", "and the sprint before that?",
     ("SELECT team_key, committed_points FROM sprint_summary JOIN teams USING (team_id) "
      "WHERE sprint_name LIKE '% Sprint 7' LIMIT 9")),
    ("Who closed the most points in Q3", "top 3 of this quarter instead",
     ("SELECT full_name, sum(story_points) AS n FROM issues JOIN users ON user_id = assignee_id WHERE status_category "
      "= 'Done' AND resolved_at >= '2026-10-01' GROUP BY full_name ORDER BY n DESC LIMIT 3")),
    ("how many open bugs does ACCEL have?", "all but ACCEL",
     f"SELECT count(*) AS n FROM issues JOIN teams USING (team_id) WHERE {OPEN_BUGS} AND team_key <> 'ACCEL'"),
]  # fmt: skip


@pytest.mark.parametrize(("first", "then", "truth"), TRUTHS, ids=[f"{one[0]} - {one[1]}" for one in TRUTHS])
def test_what_a_follow_up_refers_to_is_kept_and_what_it_says_is_added(first: str, then: str, truth: str) -> None:
    gold = event_loop.run(try_execute(truth))
    assert gold.rows, gold.error

    answer = follow(first, then)

    assert same(answer.rows, gold=gold.rows), (answer.interpretation, answer.answer, gold.rows)


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("status of ACCEL-40", "which sprint was it in"),
        ("status of ACCEL-40", "its team's velocity"),
        ("status of ACCEL-40", "its reporter's open bugs"),
        ("status of ACCEL-40", "is its epic done"),
        ("status of ACCEL-40", "status of its epic"),
        ("status of ACCEL-40", "how many bugs does its team have"),
        ("status of ACCEL-1", "its issues"),
        ("status of ACCEL-1", "what are its open bugs"),
        ("blocked bugs of ACCEL", "not blocked"),
        ("how many bugs does Levi have", "what is he working on"),
        ("which team has the highest velocity", "what are its open bugs"),
        ("which epic has the most open bugs", "list its bugs"),
        ("who has the most open tickets", "how many of them are bugs"),
        ("5 oldest open bugs", "which of those are in HARBOR"),
        ("how many open bugs does ACCEL have", "its velocity"),
        ("how many points did ORBIT complete in Sprint 7", "what are its open bugs"),
        ("which sprints of ACCEL had scope changes", "their goals"),
        ("open bugs", "is it blocked"),
        ("show blocked issues", "and overdue ones"),
        ("how many bugs did Levi close in October", "and open"),
        ("bugs closed in October", "and open ones"),
        ("open bugs", "last sprint"),
        ("issues in ACCEL sprint 8", "only open ones"),
        ("issues in ACCEL sprint 8", "that were in QA"),
        ("blocked issues", "also overdue ones"),
        ("open bugs", "not p4 and HARBOR"),
        ("list the epics of ACCEL", "how many bugs do they have"),
        ("open bugs of ACCEL and ORBIT", "its stories"),
        ("issues labelled ux", "and performance"),
    ],
)
def test_what_the_question_before_does_not_name_is_asked_back(first: str, then: str) -> None:
    assert follow(first, then).is_ambiguous
