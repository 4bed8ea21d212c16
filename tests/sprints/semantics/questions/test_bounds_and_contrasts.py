"""Bounds, contrasts, what nobody did, ranks inside groups: answers beside statements written independently."""

import pytest

from tests.sprints.semantics.questions.test_answers import ask, assert_same_rows

pytestmark = pytest.mark.usefixtures("django_db_setup")

TRUTHS = [
    ("Which teams have no active sprint?",
     ("SELECT team_key FROM teams WHERE NOT EXISTS (SELECT 1 FROM sprints WHERE sprints.team_id = teams.team_id AND "
      "state = 'active') LIMIT 1000")),
    ("Which people have no assigned bugs?",
     ("SELECT full_name FROM users AS u WHERE NOT EXISTS (SELECT 1 FROM issues AS i WHERE i.assignee_id = u.user_id "
      "AND i.issue_type = 'Bug' AND i.status_category <> 'Done') LIMIT 1000")),
    ("Which issues in ORBIT's current sprint has nobody picked up?",
     ("SELECT issue_key FROM issues JOIN sprint_issues AS m USING (issue_id) JOIN sprints AS p ON p.sprint_id = "
      "m.sprint_id WHERE p.state = 'active' AND p.team_id = (SELECT team_id FROM teams WHERE team_key = 'ORBIT') AND "
      "m.is_in_scope AND issues.started_at IS NULL LIMIT 1000")),
    ("Which stories has no one estimated?",
     "SELECT issue_key FROM issues WHERE issue_type = 'Story' AND story_points IS NULL LIMIT 1000"),
    ("Which issues have been in Selected for more than 30 days?",
     ("SELECT issue_key FROM issues AS i, snapshot WHERE status = 'Selected' AND as_of - coalesce((SELECT changed_at "
      "FROM status_changes AS c WHERE c.issue_id = i.issue_id ORDER BY changed_at DESC LIMIT 1), created_at) > "
      "interval '30 days' LIMIT 1000")),
    ("cycle time > 5d", "SELECT issue_key FROM issues WHERE cycle_time_days > 5 LIMIT 1000"),
    ("bugs >= 5 points", "SELECT issue_key FROM issues WHERE issue_type = 'Bug' AND story_points >= 5 LIMIT 1000"),
    ("stories with 8+ points",
     "SELECT issue_key FROM issues WHERE issue_type = 'Story' AND story_points >= 8 LIMIT 1000"),
    ("p0 vs p1 open",
     ("SELECT priority, count(*) AS n FROM issues WHERE priority IN ('p0', 'p1') AND status_category <> 'Done' GROUP "
      "BY priority")),
    ("p0 versus p1: average cycle time",
     ("SELECT priority, round(avg(cycle_time_days)::numeric, 2) AS days FROM issues WHERE priority IN ('p0', 'p1') "
      "GROUP BY priority")),
    ("security vs customer: open bugs",
     ("SELECT label, count(*) AS n FROM issues, unnest(labels) AS label WHERE issue_type = 'Bug' AND status_category "
      "<> 'Done' AND label IN ('security', 'customer') GROUP BY label")),
    ("How many open bugs labelled customer or security are there?",
     ("SELECT count(*) AS n FROM issues WHERE issue_type = 'Bug' AND status_category <> 'Done' AND labels && "
      "ARRAY['customer', 'security']")),
    ("Breakdown of open issues per status",
     "SELECT status, count(*) AS n FROM issues WHERE status_category <> 'Done' GROUP BY status"),
    ("What is ACCEL's velocity over its last 4 sprints?",
     ("SELECT round(avg(completed_points), 1) AS points FROM (SELECT completed_points FROM sprint_summary WHERE "
      "team_id = (SELECT team_id FROM teams WHERE team_key = 'ACCEL') AND state = 'closed' ORDER BY completed_at DESC"
      " LIMIT 4) AS last")),
    ("How much time did ORBIT log in total?",
     ("SELECT sum(time_spent_hours) AS hours FROM issues WHERE team_id = (SELECT team_id FROM teams WHERE team_key = "
      "'ORBIT')")),
    ("Which team has the best completion rate?",
     ("SELECT team_key, round(100.0 * count(*) FILTER (WHERE was_completed) / count(*), 1) AS percent FROM "
      "sprint_issues JOIN sprints USING (sprint_id) JOIN teams USING (team_id) WHERE was_committed AND state = "
      "'closed' GROUP BY team_key ORDER BY percent DESC LIMIT 1")),
    ("Which team has the worst cycle time?",
     ("SELECT team_key, round((percentile_cont(0.5) WITHIN GROUP (ORDER BY cycle_time_days))::numeric, 2) AS days "
      "FROM issues JOIN teams USING (team_id) WHERE cycle_time_days IS NOT NULL GROUP BY team_key ORDER BY days DESC "
      "LIMIT 1")),
    ("the two biggest open stories of each team",
     ("SELECT issue_key FROM (SELECT issue_key, rank() OVER (PARTITION BY team_id ORDER BY story_points DESC) AS "
      "place FROM issues WHERE issue_type = 'Story' AND status_category <> 'Done' AND story_points IS NOT NULL) AS "
      "ranked WHERE place <= 2 LIMIT 1000")),
    ("top 2 people per team by resolved bugs",
     ("SELECT team_key, full_name, n FROM (SELECT team_key, full_name, count(*) AS n, rank() OVER (PARTITION BY "
      "team_key ORDER BY count(*) DESC) AS place FROM issues JOIN users ON user_id = assignee_id JOIN teams ON "
      "teams.team_id = issues.team_id WHERE issue_type = 'Bug' AND resolved_at IS NOT NULL GROUP BY team_key, "
      "full_name) AS ranked WHERE place <= 2 LIMIT 1000")),
    ("Teams with between 4 and 7 open bugs",
     ("SELECT team_key, count(*) AS n FROM issues JOIN teams USING (team_id) WHERE issue_type = 'Bug' AND "
      "status_category <> 'Done' GROUP BY team_key HAVING count(*) BETWEEN 4 AND 7")),
    ("open issues of all teams but ORBIT",
     ("SELECT issue_key FROM issues WHERE team_id <> (SELECT team_id FROM teams WHERE team_key = 'ORBIT') AND "
      "status_category <> 'Done' LIMIT 1000")),
    ("Who started the most issues in October?",
     ("SELECT full_name, count(*) AS n FROM issues JOIN users ON user_id = assignee_id WHERE started_at >= "
      "'2026-10-01' AND started_at < '2026-11-01' GROUP BY full_name ORDER BY n DESC FETCH FIRST 1 ROWS WITH TIES")),
    ("Which p1 issues aren't in progress, done or blocked?",
     "SELECT issue_key FROM issues WHERE priority = 'p1' AND status_category = 'To Do' AND NOT is_blocked LIMIT 1000"),
    ("Who closed the most bugs in September and October?",
     ("SELECT full_name, count(*) AS n FROM issues JOIN users ON user_id = assignee_id WHERE issue_type = 'Bug' AND "
      "resolved_at >= '2026-09-01' AND resolved_at < '2026-11-01' GROUP BY full_name ORDER BY n DESC FETCH FIRST 1 "
      "ROWS WITH TIES")),
    ("Which three people have the highest number of overdue issues?",
     ("SELECT full_name, count(*) AS n FROM issues JOIN users ON user_id = assignee_id, snapshot WHERE due_date < "
      "as_of::date AND status_category <> 'Done' GROUP BY full_name ORDER BY n DESC FETCH FIRST 3 ROWS WITH TIES")),
    ("open bugs with labels",
     ("SELECT issue_key FROM issues WHERE issue_type = 'Bug' AND status_category <> 'Done' AND cardinality(labels) > "
      "0 LIMIT 1000")),
    ("open stories with a due date",
     ("SELECT issue_key FROM issues WHERE issue_type = 'Story' AND status_category <> 'Done' AND due_date IS NOT NULL"
      " LIMIT 1000")),
    ("stories in Shipped", "SELECT issue_key FROM issues WHERE issue_type = 'Story' AND status = 'Shipped' LIMIT 1000"),
    ("Who left?", "SELECT full_name FROM users WHERE NOT is_active LIMIT 1000"),
    ("open issues created more than 3 weeks ago",
     ("SELECT issue_key FROM issues, snapshot WHERE created_at < as_of::date - 21 AND status_category <> 'Done' LIMIT"
      " 1000")),
    ("How many status changes to QA were there in October?",
     ("SELECT count(*) AS n FROM status_changes WHERE to_status = 'QA' AND changed_at >= '2026-10-01' AND changed_at "
      "< '2026-11-01'")),
    ("Which issues were in ACCEL Sprint 5 and in ACCEL Sprint 6?",
     ("SELECT issue_key FROM issues WHERE 2 = (SELECT count(DISTINCT sprint_id) FROM sprint_issues AS m "
      "JOIN sprints USING (sprint_id) WHERE m.issue_id = issues.issue_id AND m.is_in_scope "
      "AND sprint_name IN ('ACCEL Sprint 5', 'ACCEL Sprint 6')) LIMIT 1000")),
    ("Which issues were planned for ACCEL Sprint 6 but dropped?",
     ("SELECT issue_key FROM issues JOIN sprint_issues AS m USING (issue_id) JOIN sprints AS p ON p.sprint_id = "
      "m.sprint_id WHERE sprint_name = 'ACCEL Sprint 6' AND was_committed AND was_removed LIMIT 1000")),
    ("epic of ACCEL-103",
     "SELECT e.issue_key FROM issues AS i JOIN issues AS e ON e.issue_id = i.epic_id WHERE i.issue_key = 'ACCEL-103'"),
    ("open issues without labels or estimates",
     ("SELECT issue_key FROM issues WHERE status_category <> 'Done' AND coalesce(cardinality(labels), 0) = 0 "
      "AND story_points IS NULL LIMIT 1000")),
    ("everything but bugs", "SELECT issue_key FROM issues WHERE issue_type <> 'Bug' LIMIT 1000"),
    ("velocity of ACCEL from sprint 6 on",
     ("SELECT sprint_name, completed_points FROM sprint_summary WHERE state = 'closed' AND sprint_name LIKE 'ACCEL%' "
      "AND substring(sprint_name FROM '[0-9]+$')::int >= 6 LIMIT 1000")),
    ("Which sprints end in November?",
     ("SELECT sprint_name FROM sprints WHERE coalesce(completed_at, ends_at) >= '2026-11-01' "
      "AND coalesce(completed_at, ends_at) < '2026-12-01' LIMIT 1000")),
]  # fmt: skip


@pytest.mark.parametrize(("question", "truth"), TRUTHS, ids=[question for question, _ in TRUTHS])
def test_an_answer_has_the_rows_of_an_independent_statement(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


@pytest.mark.parametrize(
    "question",
    [
        "How many issues have about 5 points?",
        "Issues with 5 != points",
        "Which others are blocked?",
        "Issues with a single label",
        "What has the highest priority?",
        "bugs or blocked stories",
        "How many points can ORBIT finish?",
        "Teams with more open bugs than stories",
        "Which team has nobody assigned?",
        "Which team has the best open bugs?",
        "issues created on Mondays",
        "average age of resolved bugs",
        "top 3 bugs per team by age",
        "open bugs per team and in total",
        "breakdown of open bugs",
        "done bugs % by team",
        "issues that nobody in ORBIT has resolved",
        "issues nobody commented on",
        "How often was QA left?",
        "Did ACCEL finish all stories of sprint 5?",
        "Which estimates changed in October?",
        "open bugs from oldest to newest",
        "first three sprints of ACCEL velocity",
        "current and previous sprint of ORBIT: completed points",
        "velocity of the last 3 sprints and the average",
    ],
)
def test_what_finds_no_place_is_asked_back(question: str) -> None:
    assert ask(question).is_ambiguous
