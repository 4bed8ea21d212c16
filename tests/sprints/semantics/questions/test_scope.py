"""Words whose scope is more than the phrase beside them: they change the query, or the question is asked back."""

import pytest

from sprints.semantics.describe import split_conditions
from sprints.semantics.query import Has
from tests.sprints.semantics.questions.test_answers import ask, assert_same_rows

pytestmark = pytest.mark.usefixtures("django_db_setup")

TRUTHS = [
    ("Stories in the backlog with neither a label nor an estimate",
     ("SELECT issue_key FROM issues WHERE is_in_backlog AND issue_type = 'Story' AND cardinality(labels) = 0 "
      "AND story_points IS NULL LIMIT 1000")),
    ("Stories with neither an assignee nor an estimate",
     ("SELECT issue_key FROM issues WHERE issue_type = 'Story' AND assignee_id IS NULL AND story_points IS NULL "
      "LIMIT 1000")),
    ("Which epic does HARBOR-78 belong to?",
     ("SELECT i.issue_key, e.issue_key AS epic FROM issues AS i LEFT JOIN issues AS e ON e.issue_id = i.epic_id "
      "WHERE i.issue_key = 'HARBOR-78' LIMIT 1000")),
    ("Who still has something to finish in ORBIT Sprint 9?",
     ("SELECT full_name, count(*) AS n FROM sprint_issues AS m JOIN issues AS i USING (issue_id) JOIN users AS u "
      "ON u.user_id = i.assignee_id JOIN sprints AS s ON s.sprint_id = m.sprint_id WHERE s.sprint_name = "
      "'ORBIT Sprint 9' AND m.done_at IS NULL AND m.removed_at IS NULL GROUP BY full_name LIMIT 1000")),
    ("Open bugs compared with open stories per team",
     ("SELECT team_key, issue_type, count(*) AS n FROM issues JOIN teams USING (team_id) WHERE status_category <> "
      "'Done' AND issue_type IN ('Bug', 'Story') GROUP BY team_key, issue_type LIMIT 1000")),
    ("How many closed sprints does each team have?",
     ("SELECT team_key, count(*) AS n FROM sprints JOIN teams USING (team_id) WHERE state = 'closed' "
     "GROUP BY team_key LIMIT 1000")),
    ("How many points is each person in ORBIT still holding?",
     ("SELECT full_name, sum(coalesce(story_points, 0)) AS n FROM issues JOIN teams USING (team_id) "
     "JOIN users ON user_id = assignee_id WHERE team_key = 'ORBIT' AND status_category <> 'Done' "
     "GROUP BY full_name LIMIT 1000")),
    ("How many tickets did José close in September and October together?",
     ("SELECT count(*) AS n FROM issues JOIN users ON user_id = assignee_id WHERE full_name = 'José Núñez' "
     "AND resolved_at >= '2026-09-01' AND resolved_at < '2026-11-01'")),
    ("How many hours were logged on bugs and stories together?",
     "SELECT round(sum(time_spent_hours), 1) AS n FROM issues WHERE issue_type IN ('Bug', 'Story')"),
    ("How many issues have the three teams finished this month, all together?",
     "SELECT count(*) AS n FROM issues WHERE resolved_at >= '2026-11-01' AND resolved_at < '2026-12-01'"),
    ("What is the average number of issues completed per sprint?",
     "SELECT round(avg(completed_issues), 1) AS n FROM sprint_summary WHERE state = 'closed'"),
    ("Does anyone have more than 8 open issues?",
     ("SELECT full_name, count(*) AS n FROM issues JOIN users ON user_id = assignee_id "
     "WHERE status_category <> 'Done' GROUP BY full_name HAVING count(*) > 8 LIMIT 1000")),
    ("How far along is each epic, in percent?",
     ("SELECT e.issue_key, e.title, round(avg((i.status_category = 'Done')::int) * 100, 1) AS n "
     "FROM issues AS i JOIN issues AS e ON e.issue_id = i.epic_id GROUP BY e.issue_key, e.title LIMIT 1000")),
    ("Which sprints was ACCEL-46 in?",
     ("SELECT team_key, sprint_name, state, s.started_at::date AS a, ends_at::date AS b, goal FROM sprints AS s "
      "JOIN sprint_issues USING (sprint_id) JOIN issues USING (issue_id) JOIN teams AS t ON t.team_id = s.team_id "
      "WHERE issue_key = 'ACCEL-46' LIMIT 1000")),
    ("List the epics by open points, highest first",
     ("SELECT e.issue_key, e.title, sum(coalesce(i.story_points, 0)) AS n FROM issues AS i JOIN issues AS e "
      "ON e.issue_id = i.epic_id WHERE i.status_category <> 'Done' GROUP BY e.issue_key, e.title LIMIT 1000")),
    ("The ORBIT people sorted by how many issues they resolved this quarter, most first",
     ("SELECT full_name, count(*) AS n FROM issues JOIN users ON user_id = assignee_id JOIN teams AS t "
      "ON t.team_id = issues.team_id WHERE team_key = 'ORBIT' AND resolved_at >= '2026-10-01' "
      "GROUP BY full_name LIMIT 1000")),
    ("What is the share of bugs among the open issues of each team?",
     ("SELECT team_key, count(*) AS n, count(*) FILTER (WHERE issue_type = 'Bug') AS bugs, "
      "round(100.0 * count(*) FILTER (WHERE issue_type = 'Bug') / count(*), 1) AS share FROM issues "
      "JOIN teams USING (team_id) WHERE status_category <> 'Done' GROUP BY team_key LIMIT 1000")),
    ("How does ACCEL's velocity compare with HARBOR's?",
     ("SELECT team_key, round(avg(completed_points), 1) AS n FROM sprint_summary JOIN teams USING (team_id) "
      "WHERE state = 'closed' AND team_key IN ('ACCEL', 'HARBOR') GROUP BY team_key LIMIT 1000")),
    ("security label, open, in a sprint",
     ("SELECT DISTINCT issue_key FROM issues AS i JOIN sprint_issues AS m USING (issue_id) JOIN sprints AS s "
      "ON s.sprint_id = m.sprint_id WHERE 'security' = ANY(labels) AND status_category <> 'Done' "
      "AND removed_at IS NULL AND state <> 'closed' LIMIT 1000")),
    ("Which closed issues were never estimated?",
     "SELECT issue_key FROM issues WHERE status_category = 'Done' AND story_points IS NULL LIMIT 1000"),
    ("What's left to do under Pay in the app?",
     ("SELECT i.issue_key FROM issues AS i JOIN issues AS e ON e.issue_id = i.epic_id WHERE e.title = 'Pay in the app' "
      "AND i.status_category <> 'Done' LIMIT 1000")),
    ("list teh opne issues of Sofia Gonzales",
     ("SELECT issue_key FROM issues JOIN users ON user_id = assignee_id WHERE full_name = 'Sophia Gonzalez' "
      "AND status_category <> 'Done' LIMIT 1000")),
    ("What spilled over from ORBIT Sprint 7 into the next one?",
     ("SELECT issue_key FROM sprint_issues JOIN issues USING (issue_id) JOIN sprints AS s "
      "ON s.sprint_id = sprint_issues.sprint_id WHERE sprint_name = 'ORBIT Sprint 7' AND was_carried_over LIMIT 1000")),
    ("What is in ACCEL Sprint 10?",
     ("SELECT issue_key FROM issues JOIN sprint_issues AS m USING (issue_id) JOIN sprints AS s "
      "ON s.sprint_id = m.sprint_id WHERE sprint_name = 'ACCEL Sprint 10' AND removed_at IS NULL LIMIT 1000")),
    ("How large is ORBIT's backlog?",
     ("SELECT sum(story_points) AS points, count(*) AS n FROM issues JOIN teams USING (team_id) "
      "WHERE team_key = 'ORBIT' AND is_in_backlog")),
    ("Who has more open bugs, Levi Walker or Zoë Müller?",
     ("SELECT full_name, count(*) AS n FROM issues JOIN users ON user_id = assignee_id WHERE issue_type = 'Bug' "
      "AND status_category <> 'Done' AND full_name IN ('Levi Walker', 'Zoë Müller') GROUP BY full_name LIMIT 1000")),
    ("How many points has HARBOR finished so far in the sprint it is working on?",
     ("SELECT coalesce(sum(points_at_end) FILTER (WHERE was_completed), 0) AS n FROM sprint_issues JOIN sprints AS s "
      "USING (sprint_id) JOIN teams AS t ON t.team_id = s.team_id WHERE team_key = 'HARBOR' AND state = 'active'")),
    ("How many days altogether were tickets blocked in HARBOR Sprint 4?",
     ("SELECT round(sum(extract(epoch FROM least(coalesce(b.unblocked_at, 'infinity'), s.completed_at, m.removed_at) "
      "- greatest(b.blocked_at, s.started_at, m.added_at)) / 86400), 1) AS n FROM blocked_periods AS b "
      "JOIN sprint_issues AS m USING (issue_id) JOIN sprints AS s ON s.sprint_id = m.sprint_id "
      "WHERE s.sprint_name = 'HARBOR Sprint 4' AND b.blocked_at < least(s.completed_at, m.removed_at) "
      "AND coalesce(b.unblocked_at, 'infinity') > greatest(s.started_at, m.added_at)")),
    ("Who in ORBIT has nothing open in the current sprint?",
     ("SELECT full_name FROM users AS u JOIN teams AS t ON t.team_id = u.team_id WHERE team_key = 'ORBIT' "
      "AND NOT EXISTS (SELECT 1 FROM issues AS i JOIN sprint_issues AS m USING (issue_id) "
      "JOIN sprints AS s ON s.sprint_id = m.sprint_id "
      "WHERE i.assignee_id = u.user_id AND s.sprint_name = 'ORBIT Sprint 9' AND m.removed_at IS NULL "
      "AND status_category <> 'Done') LIMIT 1000")),
    ("How many active sprints are there per team?",
     ("SELECT team_key, count(*) AS n FROM sprints JOIN teams USING (team_id) WHERE state = 'active' "
     "GROUP BY team_key LIMIT 1000")),
    ("When was ACCEL-100 blocked?",
     ("SELECT issue_key, blocked_at, unblocked_at FROM blocked_periods JOIN issues USING (issue_id) "
     "WHERE issue_key = 'ACCEL-100' LIMIT 1000")),
    ("Since when has ORBIT-95 been blocked?",
     ("SELECT issue_key, blocked_at FROM blocked_periods JOIN issues USING (issue_id) "
     "WHERE issue_key = 'ORBIT-95' AND unblocked_at IS NULL LIMIT 1000")),
    ("When was HARBOR Sprint 6 closed?",
     "SELECT sprint_name, completed_at FROM sprints WHERE sprint_name = 'HARBOR Sprint 6'"),
    ("What is the goal of each running sprint?",
     "SELECT sprint_name, goal FROM sprints WHERE state = 'active' LIMIT 3"),
    ("What is the priority of each open bug of ORBIT?",
     ("SELECT issue_key, priority FROM issues JOIN teams USING (team_id) WHERE team_key = 'ORBIT' "
     "AND issue_type = 'Bug' AND status_category <> 'Done' LIMIT 1000")),
    ("What's the priority of every epic?",
     "SELECT issue_key, priority FROM issues WHERE issue_type = 'Epic' LIMIT 1000"),
    ("What is the status of each blocked issue?", "SELECT issue_key, status FROM issues WHERE is_blocked LIMIT 1000"),
    ("List the bugs of ORBIT with their cycle time",
     ("SELECT issue_key, cycle_time_days FROM issues JOIN teams USING (team_id) WHERE team_key = 'ORBIT' "
     "AND issue_type = 'Bug' LIMIT 1000")),
    ("Show bugs with their labels", "SELECT issue_key, labels FROM issues WHERE issue_type = 'Bug' LIMIT 1000"),
    ("List the stories of ORBIT and their points",
     ("SELECT issue_key, story_points FROM issues JOIN teams USING (team_id) WHERE team_key = 'ORBIT' "
     "AND issue_type = 'Story' LIMIT 1000")),
    ("List the sprints of ACCEL with their velocity",
     ("SELECT sprint_name, completed_points FROM sprint_summary JOIN teams USING (team_id) "
     "WHERE team_key = 'ACCEL' AND state = 'closed' LIMIT 1000")),
    ("The five issues that were created last",
     "SELECT issue_key FROM issues ORDER BY created_at DESC FETCH FIRST 5 ROWS WITH TIES"),
    ("Newest 10 issues", "SELECT issue_key FROM issues ORDER BY created_at DESC FETCH FIRST 10 ROWS WITH TIES"),
    ("last 5 resolved bugs",
     ("SELECT issue_key FROM issues WHERE issue_type = 'Bug' AND resolved_at IS NOT NULL "
     "ORDER BY resolved_at DESC FETCH FIRST 5 ROWS WITH TIES")),
    ("What was the last bug we closed?",
     ("SELECT issue_key FROM issues WHERE issue_type = 'Bug' AND resolved_at IS NOT NULL "
     "ORDER BY resolved_at DESC FETCH FIRST 1 ROWS WITH TIES")),
    ("Which issue was last updated?",
     "SELECT issue_key FROM issues ORDER BY updated_at DESC FETCH FIRST 1 ROWS WITH TIES"),
    ("Which ORBIT issue was resolved first?",
     ("SELECT issue_key FROM issues JOIN teams USING (team_id) WHERE team_key = 'ORBIT' AND resolved_at IS NOT NULL "
     "ORDER BY resolved_at FETCH FIRST 1 ROWS WITH TIES")),
    ("How many issues were resolved by the whole organisation in the last 30 days?",
     "SELECT count(*) AS n FROM issues WHERE resolved_at >= timestamptz '2026-10-19'"),
    ("Which issues were carried over more than once?",
     ("SELECT issue_key FROM issues JOIN (SELECT issue_id FROM sprint_issues WHERE was_carried_over GROUP BY issue_id "
     "HAVING count(*) > 1) AS often USING (issue_id) LIMIT 1000")),
    ("How long do stories take on average?",
     "SELECT round(avg(cycle_time_days)::numeric, 2) AS days FROM issues WHERE issue_type = 'Story'"),
    ("How long did ORBIT-60 take?", "SELECT issue_key, cycle_time_days FROM issues WHERE issue_key = 'ORBIT-60'"),
    ("Which issues are blocked and for how long?",
     ("SELECT issue_key, round((extract(epoch FROM (SELECT as_of FROM snapshot) - blocked_since) / 86400)::numeric, 1) "
     "AS days FROM issues WHERE is_blocked LIMIT 1000")),
    ("How many issues did Levi Walker complete last sprint?",
     ("SELECT count(*) AS n FROM sprint_issues JOIN sprints AS s USING (sprint_id) JOIN issues USING (issue_id) "
     "JOIN users ON user_id = assignee_id WHERE full_name = 'Levi Walker' AND sprint_name LIKE '% Sprint 8' "
     "AND was_completed")),
    ("Which issues have a due date but no assignee?",
     ("SELECT issue_key FROM issues WHERE due_date IS NOT NULL AND assignee_id IS NULL AND status_category <> 'Done' "
     "LIMIT 1000")),
    ("Which issues have no assignee but a due date?",
     ("SELECT issue_key FROM issues WHERE due_date IS NOT NULL AND assignee_id IS NULL AND status_category <> 'Done' "
     "LIMIT 1000")),
    ("Which issues have a due date and an assignee?",
     "SELECT issue_key FROM issues WHERE due_date IS NOT NULL AND assignee_id IS NOT NULL LIMIT 1000"),
    ("Which issues have a due date, an estimate and an assignee?",
     ("SELECT issue_key FROM issues WHERE due_date IS NOT NULL AND assignee_id IS NOT NULL "
     "AND story_points IS NOT NULL LIMIT 1000")),
    ("Which sprint is ACCEL in?",
     "SELECT sprint_name, state FROM sprints JOIN teams USING (team_id) WHERE team_key = 'ACCEL' AND state = 'active'"),
    ("What sprint are we in?", "SELECT sprint_name, state FROM sprints WHERE state = 'active' LIMIT 9"),
    ("Which sprints had a velocity above 40?",
     "SELECT sprint_name, completed_points AS n FROM sprint_summary WHERE state = 'closed' AND completed_points > 40"),
    ("Which issue has the most points in each team?",
     ("SELECT team_key, issue_key FROM (SELECT team_id, issue_key, rank() OVER (PARTITION BY team_id ORDER BY "
     "story_points DESC) AS place FROM issues WHERE story_points IS NOT NULL) AS ranked JOIN teams USING (team_id) "
     "WHERE place = 1 LIMIT 1000")),
    ("What's the estimate of ORBIT-96?", "SELECT issue_key, story_points FROM issues WHERE issue_key = 'ORBIT-96'"),
    ("What are ORBIT-96's labels and epic?",
     ("SELECT i.issue_key, i.labels, e.issue_key AS epic FROM issues AS i LEFT JOIN issues AS e "
     "ON e.issue_id = i.epic_id WHERE i.issue_key = 'ORBIT-96' LIMIT 9")),
    ("Which sub-tasks does ORBIT-15 have?",
     ("SELECT s.issue_key FROM issues AS s JOIN issues AS i ON i.issue_id = s.parent_id "
     "WHERE i.issue_key = 'ORBIT-15' LIMIT 1000")),
    ("Which sub-tasks of ORBIT-15 and ORBIT-16 are done?",
     ("SELECT s.issue_key FROM issues AS s JOIN issues AS i ON i.issue_id = s.parent_id "
     "WHERE i.issue_key IN ('ORBIT-15', 'ORBIT-16') AND s.status_category = 'Done' LIMIT 1000")),
]  # fmt: skip


@pytest.mark.parametrize(("question", "truth"), TRUTHS, ids=[question for question, _ in TRUTHS])
def test_an_answer_has_the_rows_of_an_independent_statement(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


@pytest.mark.parametrize(
    "question",
    [
        "When was HARBOR-81 reopened?",
        "When was ACCEL-100 not blocked?",
        "Since when is ACCEL-100 created?",
        "When were issues blocked in ORBIT Sprint 7?",
        "In which sprint is each blocked issue?",
        "Show the epics with their open issues",
        "List the sprints with their issues",
        "List the teams with their people",
        "Show the number of open bugs and their points",
        "the last 3 bugs",
        "Who closed the last bug?",
        "How many issues were created last?",
        "How long do issues take in QA?",
        "How long do stories take to review?",
        "Which issues were not carried over more than once?",
        "How long did ORBIT's stories take on average, in days of lead time, in October?",
        "Which issues have a due date and priority?",
        "Is ORBIT Sprint 9 done?",
        "Did ORBIT Sprint 8 complete all its points?",
        "Which bugs does ORBIT-103 have?",
        "Is ORBIT-103 the oldest bug?",
        "Which of the 5 bugs of ORBIT was updated last?",
        "open bugs from the walkers",
        "Which issues waited in QA?",
        "Who held ACCEL-46?",
        "Who used to have the most bugs?",
        "How long were issues blocked?",
        "How many points did HARBOR complete working on?",
        "How much of our unfinished work is p0 or p1, counted in issues?",
        "combined velocity of ACCEL and ORBIT",
        "Which issues were blocked together?",
        "How many issues are done, in percent?",
        "How many points does ACCEL still have in Sprint 9?",
        "How many sprints does ORBIT still have?",
        "Which people have only p0 issues open?",
        "Who is assigned only bugs?",
        "Leaving out June, which month had the most issues created?",
        "Bugs created except in March",
        "Which issues skipped Code Review?",
        "Which epics have all their stories done?",
        "Which epics have bugs and stories?",
    ],
)
def test_a_word_whose_scope_cannot_be_said_is_asked_back(question: str) -> None:
    answer = ask(question)

    assert answer.source is None
    assert answer.rows == []


def test_an_epic_without_issues_is_not_completely_done() -> None:
    query = ask("Which epics are completely done?").query

    assert query is not None
    assert any(isinstance(part, Has) for part in split_conditions(query.where))


def test_an_empty_goal_is_none_and_no_doubt_is_said() -> None:
    answer = ask("Which sprints have no goal?")

    assert answer.rows
    assert {row["sprint_goal"] for row in answer.rows} == {""}
    assert "Not certain" not in answer.answer
