"""Words that change the meaning change the rows: answers of the chat beside statements written independently."""

from datetime import UTC, datetime

import pytest

from sprints.asking.chat import ChatAnswer, chat
from sprints.evaluation.comparing import same
from sprints.sql_sandbox.execution import try_execute
from toolbox.database import event_loop
from toolbox.database.pools import reader

NOW = datetime(2026, 11, 18, 13, tzinfo=UTC)
TEAM = "(SELECT team_id FROM teams WHERE team_key = '{}')"
pytestmark = pytest.mark.usefixtures("django_db_setup")


def ask(question: str) -> ChatAnswer:
    return event_loop.run(chat(question, now=NOW, reader=reader, model=None))


def assert_same_rows(question: str, *, truth: str) -> None:
    """Assert that the layer answers a question with the rows of a statement written independently."""
    gold = event_loop.run(try_execute(truth))
    assert gold.error is None

    answer = ask(question)

    assert answer.source == "layer", answer.answer
    assert same(answer.rows, gold=gold.rows), (answer.sql, answer.rows[:5], gold.rows[:5])


TRUTHS = [
    ("customer-labelled issues still open",
     "SELECT issue_key FROM issues WHERE 'customer' = ANY(labels) AND status_category <> 'Done' LIMIT 1000"),
    ("velocity of ACCEL since sprint 5",
     (f"SELECT sprint_name, completed_points FROM sprint_summary WHERE team_id = {TEAM.format('ACCEL')} "
     "AND state = 'closed' AND substring(sprint_name FROM '[0-9]+$')::int >= 5 LIMIT 1000")),
    ("How many sprints has ACCEL had?", (f"SELECT count(*) AS n FROM sprints WHERE team_id = {TEAM.format('ACCEL')} "
     "AND started_at IS NOT NULL")),
    ("What was blocked in sprint 7?",
     ("SELECT DISTINCT i.issue_key FROM blocked_periods AS b JOIN issues AS i USING (issue_id) "
     "JOIN sprint_issues AS m USING (issue_id) JOIN sprints AS s ON s.sprint_id = m.sprint_id "
     "WHERE s.sprint_name LIKE '% Sprint 7' AND b.blocked_at < s.completed_at "
     "AND coalesce(b.unblocked_at, 'infinity') > s.started_at LIMIT 1000")),
    ("created vs resolved each month",
     ("SELECT month, sum(created) AS created, sum(resolved) AS resolved FROM ("
     "SELECT date_trunc('month', created_at)::date AS month, 1 AS created, 0 AS resolved FROM issues UNION ALL "
     "SELECT date_trunc('month', resolved_at)::date, 0, 1 FROM issues WHERE resolved_at IS NOT NULL) AS every "
     "GROUP BY month LIMIT 1000")),
    ("goal of HARBOR Sprint 9?", "SELECT goal FROM sprints WHERE sprint_name = 'HARBOR Sprint 9'"),
    ("total points completed this year",
     "SELECT sum(story_points) AS points FROM issues WHERE status_category = 'Done' AND resolved_at >= '2026-01-01'"),
    ("Which team closed the fewest bugs last month?",
     ("SELECT t.team_key, count(*) AS n FROM issues AS i JOIN teams AS t USING (team_id) WHERE i.issue_type = 'Bug' "
     "AND i.resolved_at >= '2026-10-01' AND i.resolved_at < '2026-11-01' GROUP BY 1 ORDER BY 2 LIMIT 1")),
    ("issues that are neither done nor blocked",
     "SELECT issue_key FROM issues WHERE status_category <> 'Done' AND NOT is_blocked LIMIT 1000"),
    ("How many issues were blocked last month?",
     ("SELECT count(DISTINCT issue_id) AS n FROM blocked_periods WHERE blocked_at < '2026-11-01' "
     "AND coalesce(unblocked_at, 'infinity') > '2026-10-01'")),
    ("open issues except bugs",
     "SELECT issue_key FROM issues WHERE status_category <> 'Done' AND issue_type <> 'Bug' LIMIT 1000"),
    ("issues created in October but not done",
     ("SELECT issue_key FROM issues WHERE created_at >= '2026-10-01' AND created_at < '2026-11-01' "
     "AND status_category <> 'Done' LIMIT 1000")),
    ("Who has more than 3 open issues?",
     ("SELECT u.full_name, count(*) AS n FROM issues AS i JOIN users AS u ON u.user_id = i.assignee_id "
     "WHERE i.status_category <> 'Done' GROUP BY u.user_id, u.full_name HAVING count(*) > 3 LIMIT 1000")),
    ("bugs closed last month vs this month",
     ("SELECT CASE WHEN resolved_at < '2026-11-01' THEN 'last month' ELSE 'this month' END AS side, count(*) AS n "
     "FROM issues WHERE issue_type = 'Bug' AND resolved_at >= '2026-10-01' GROUP BY 1")),
    ("How many points were completed in sprints in total by each team?",
     ("SELECT team_key, sum(completed_points) AS points FROM sprint_summary JOIN teams USING (team_id) "
     "GROUP BY team_key")),
    ("How many points did sprint 3 deliver?",
     ("SELECT team_key, completed_points FROM sprint_summary JOIN teams USING (team_id) "
     "WHERE sprint_name LIKE '% Sprint 3'")),
    ("How many issues were added to and removed from ACCEL Sprint 6?",
     "SELECT added_issues, removed_issues FROM sprint_summary WHERE sprint_name = 'ACCEL Sprint 6'"),
    ("Top 3 people by story points completed in October 2026",
     ("SELECT full_name, sum(story_points) AS points FROM issues JOIN users ON user_id = assignee_id "
     "WHERE resolved_at >= '2026-10-01' AND resolved_at < '2026-11-01' GROUP BY user_id, full_name "
     "ORDER BY points DESC FETCH FIRST 3 ROWS WITH TIES")),
    ("What was the scope change in points of HARBOR Sprint 5?",
     ("SELECT sum(points_change) AS points FROM scope_changes JOIN sprints USING (sprint_id) "
     "WHERE sprint_name = 'HARBOR Sprint 5'")),
    ("Which closed sprints carried nothing over?",
     "SELECT sprint_name FROM sprint_summary WHERE state = 'closed' AND carried_over_issues = 0 LIMIT 1000"),
    ("Which people have no open issues?",
     ("SELECT full_name FROM users AS u WHERE NOT EXISTS (SELECT 1 FROM issues AS i WHERE i.assignee_id = u.user_id "
     "AND i.status_category <> 'Done') LIMIT 1000")),
    ("Who has no open bugs?",
     ("SELECT full_name FROM users AS u WHERE NOT EXISTS (SELECT 1 FROM issues AS i WHERE i.assignee_id = u.user_id "
     "AND i.status_category <> 'Done' AND i.issue_type = 'Bug') LIMIT 1000")),
    ("Which issues have no epic?", "SELECT issue_key FROM issues WHERE epic_id IS NULL LIMIT 1000"),
    ("Which closed sprints had no goal?",
     "SELECT sprint_name FROM sprints WHERE state = 'closed' AND coalesce(goal, '') = '' LIMIT 1000"),
    ("How many open ACCEL issues are not in any sprint?",
     (f"SELECT count(*) AS n FROM issues AS i WHERE team_id = {TEAM.format('ACCEL')} AND status_category <> 'Done' "
     "AND NOT EXISTS (SELECT 1 FROM sprint_issues AS m WHERE m.issue_id = i.issue_id AND m.removed_at IS NULL)")),
    ("In which closed sprints did ORBIT complete more points than it committed?",
     ("SELECT sprint_name, completed_points, committed_points FROM sprint_summary WHERE state = 'closed' "
     f"AND team_id = {TEAM.format('ORBIT')} AND completed_points > committed_points LIMIT 1000")),
    ("Which months had more issues created than resolved?",
     ("SELECT month, sum(created) AS created, sum(resolved) AS resolved FROM ("
     "SELECT date_trunc('month', created_at)::date AS month, 1 AS created, 0 AS resolved FROM issues UNION ALL "
     "SELECT date_trunc('month', resolved_at)::date, 0, 1 FROM issues WHERE resolved_at IS NOT NULL) AS every "
     "GROUP BY month HAVING sum(created) > sum(resolved) LIMIT 1000")),
    ("Which sprints had more than 20 carried-over points?",
     ("SELECT sprint_name, carried_over_points FROM sprint_summary WHERE carried_over_points > 20 LIMIT 1000")),
    ("What percentage of the points committed in HARBOR Sprint 4 was completed?",
     ("SELECT round(100.0 * sum(points_at_start) FILTER (WHERE was_completed) / sum(points_at_start), 1) AS percent "
     "FROM sprint_issues JOIN sprints USING (sprint_id) WHERE sprint_name = 'HARBOR Sprint 4' AND was_committed")),
    ("How many hours were logged on ACCEL's issues?",
     f"SELECT sum(time_spent_hours) AS hours FROM issues WHERE team_id = {TEAM.format('ACCEL')}"),
    ("How many points are planned in each team's next sprint?",
     ("SELECT team_key, scope_points FROM sprint_summary JOIN teams USING (team_id) WHERE state = 'future'")),
    ("Which issue blocks ACCEL-103?",
     ("SELECT b.issue_key FROM issue_links AS l JOIN issues AS b ON b.issue_id = l.issue_id "
     "JOIN issues AS i ON i.issue_id = l.linked_issue_id "
     "WHERE l.link_type ILIKE 'block%' AND i.issue_key = 'ACCEL-103'")),
    ("Which open items are due before December?",
     "SELECT issue_key FROM issues WHERE status_category <> 'Done' AND due_date < '2026-12-01' LIMIT 1000"),
    ("Which epic has the most open issues?",
     ("SELECT e.issue_key, count(*) AS n FROM issues AS i JOIN issues AS e ON e.issue_id = i.epic_id "
     "WHERE i.status_category <> 'Done' GROUP BY e.issue_key ORDER BY n DESC FETCH FIRST 1 ROWS WITH TIES")),
    ("How does the average cycle time of bugs compare with that of stories?",
     ("SELECT issue_type, round(avg(cycle_time_days)::numeric, 2) AS days FROM issues "
     "WHERE issue_type IN ('Bug', 'Story') AND cycle_time_days IS NOT NULL GROUP BY issue_type")),
    ("Which stories created between 10 and 15 October are still open?",
     ("SELECT issue_key FROM issues WHERE issue_type = 'Story' AND status_category <> 'Done' "
     "AND created_at >= '2026-10-10' AND created_at < '2026-10-16' LIMIT 1000")),
    ("What percentage of open issues are bugs?",
     ("SELECT round(100.0 * count(*) FILTER (WHERE issue_type = 'Bug') / count(*), 1) AS percent FROM issues "
     "WHERE status_category <> 'Done'")),
    ("How many points does ORBIT still have to finish in Sprint 9?",
     "SELECT remaining_points FROM sprint_summary WHERE sprint_name = 'ORBIT Sprint 9'"),
    ("Which stories is Levi Walker to finish?",
     ("SELECT issue_key FROM issues JOIN users ON user_id = assignee_id WHERE full_name = 'Levi Walker' "
     "AND issue_type = 'Story' AND status_category <> 'Done' LIMIT 1000")),
    ("How many issues are yet to be started?", "SELECT count(*) AS n FROM issues WHERE status_category = 'To Do'"),
    ("How many issues slipped out of ORBIT Sprint 7 unfinished?",
     "SELECT carried_over_issues FROM sprint_summary WHERE sprint_name = 'ORBIT Sprint 7'"),
    ("Which issues in the active sprints have no estimate?",
     ("SELECT DISTINCT issue_key FROM issues JOIN sprint_issues AS m USING (issue_id) JOIN sprints AS p "
     "ON p.sprint_id = m.sprint_id WHERE p.state = 'active' AND m.is_in_scope AND story_points IS NULL LIMIT 1000")),
    ("How many backlog items does ACCEL have per priority?",
     ("SELECT priority, count(*) AS n FROM issues WHERE is_in_backlog "
     f"AND team_id = {TEAM.format('ACCEL')} GROUP BY priority")),
    ("How many stories of the epic Works offline are still open?",
     ("SELECT count(*) AS n FROM issues WHERE epic_id = (SELECT issue_id FROM issues WHERE title = 'Works offline') "
     "AND issue_type = 'Story' AND status_category <> 'Done'")),
    ("What's left to do in the epic Pay in the app?",
     ("SELECT issue_key FROM issues WHERE epic_id = (SELECT issue_id FROM issues WHERE title = 'Pay in the app') "
     "AND status_category <> 'Done' LIMIT 1000")),
    ("epic Works ofline open issues",
     ("SELECT issue_key FROM issues WHERE epic_id = (SELECT issue_id FROM issues WHERE title = 'Works offline') "
     "AND status_category <> 'Done' LIMIT 1000")),
    ("Which issues are in epic ACCEL-2?",
     ("SELECT issue_key FROM issues WHERE epic_id = (SELECT issue_id FROM issues WHERE issue_key = 'ACCEL-2') "
     "LIMIT 1000")),
    ("Which epic has the most unfinished story points?",
     ("SELECT e.title, sum(i.story_points) AS points FROM issues AS i JOIN issues AS e ON e.issue_id = i.epic_id "
     "WHERE i.status_category <> 'Done' GROUP BY 1 ORDER BY 2 DESC NULLS LAST LIMIT 1")),
    ("Did ORBIT complete more points in Sprint 7 than in Sprint 8?",
     ("SELECT sprint_name, completed_points FROM sprint_summary "
     "WHERE sprint_name IN ('ORBIT Sprint 7', 'ORBIT Sprint 8') LIMIT 10")),
    ("Is the average cycle time in November better than in August?",
     ("SELECT trim(to_char(resolved_at, 'Month')) AS month, round(avg(cycle_time_days)::numeric, 2) AS days "
     "FROM issues WHERE date_trunc('month', resolved_at) IN ('2026-08-01', '2026-11-01') GROUP BY 1")),
    ("Were more stories resolved in September or in October?",
     ("SELECT trim(to_char(resolved_at, 'Month')) AS month, count(*) AS n FROM issues WHERE issue_type = 'Story' "
     "AND resolved_at >= '2026-09-01' AND resolved_at < '2026-11-01' GROUP BY 1")),
    ("Who in ORBIT has not resolved a single bug in November?",
     (f"SELECT full_name FROM users AS u WHERE team_id = {TEAM.format('ORBIT')} AND NOT EXISTS (SELECT 1 FROM issues "
     "AS i WHERE i.assignee_id = u.user_id AND issue_type = 'Bug' AND resolved_at >= '2026-11-01') LIMIT 1000")),
    ("Who doesn't have any open bugs?",
     ("SELECT full_name FROM users AS u WHERE NOT EXISTS (SELECT 1 FROM issues AS i WHERE i.assignee_id = u.user_id "
     "AND issue_type = 'Bug' AND status_category <> 'Done') LIMIT 1000")),
    ("Who does not have bugs?",
     ("SELECT full_name FROM users AS u WHERE NOT EXISTS (SELECT 1 FROM issues AS i WHERE i.assignee_id = u.user_id "
     "AND issue_type = 'Bug' AND status_category <> 'Done') LIMIT 1000")),
    ("Epics without blocked issues",
     ("SELECT issue_key FROM issues AS e WHERE issue_type = 'Epic' AND NOT EXISTS (SELECT 1 FROM issues AS i "
     "WHERE i.epic_id = e.issue_id AND i.is_blocked) LIMIT 1000")),
    ("Which epics do not have any blocked stories?",
     ("SELECT issue_key FROM issues AS e WHERE issue_type = 'Epic' AND NOT EXISTS (SELECT 1 FROM issues AS i "
     "WHERE i.epic_id = e.issue_id AND i.is_blocked AND i.issue_type = 'Story') LIMIT 1000")),
    ("Which epics have blocked issues?",
     ("SELECT issue_key FROM issues AS e WHERE issue_type = 'Epic' AND EXISTS (SELECT 1 FROM issues AS i "
     "WHERE i.epic_id = e.issue_id AND i.is_blocked) LIMIT 1000")),
    ("How many epics have open bugs?",
     ("SELECT count(*) AS n FROM issues AS e WHERE issue_type = 'Epic' AND EXISTS (SELECT 1 FROM issues AS i "
     "WHERE i.epic_id = e.issue_id AND i.issue_type = 'Bug' AND i.status_category <> 'Done')")),
    ("How many people have open bugs?",
     ("SELECT count(DISTINCT assignee_id) AS n FROM issues WHERE issue_type = 'Bug' AND status_category <> 'Done'")),
    ("Stories with no sub-tasks in progress",
     ("SELECT issue_key FROM issues AS s WHERE issue_type = 'Story' AND NOT EXISTS (SELECT 1 FROM issues AS i "
     "WHERE i.parent_id = s.issue_id AND i.status_category = 'In Progress') LIMIT 1000")),
    ("Who completed no stories in October?",
     ("SELECT full_name FROM users AS u WHERE NOT EXISTS (SELECT 1 FROM issues AS i WHERE i.assignee_id = u.user_id "
     "AND issue_type = 'Story' AND resolved_at >= '2026-10-01' AND resolved_at < '2026-11-01') LIMIT 1000")),
    ("Who closed nothing since October 20?",
     ("SELECT full_name FROM users AS u WHERE NOT EXISTS (SELECT 1 FROM issues AS i WHERE i.assignee_id = u.user_id "
     "AND resolved_at >= '2026-10-20') LIMIT 1000")),
    ("Who opened no bugs in October?",
     ("SELECT full_name FROM users AS u WHERE NOT EXISTS (SELECT 1 FROM issues AS i WHERE i.reporter_id = u.user_id "
     "AND issue_type = 'Bug' AND created_at >= '2026-10-01' AND created_at < '2026-11-01') LIMIT 1000")),
    ("teams that closed nothing in February",
     ("SELECT team_key FROM teams AS t WHERE NOT EXISTS (SELECT 1 FROM issues AS i WHERE i.team_id = t.team_id "
     "AND resolved_at >= '2026-02-01' AND resolved_at < '2026-03-01') LIMIT 1000")),
    ("Which sprints have no blocked issues?",
     ("SELECT sprint_name FROM sprints AS s WHERE NOT EXISTS (SELECT 1 FROM sprint_issues AS m JOIN issues "
     "USING (issue_id) WHERE m.sprint_id = s.sprint_id AND is_blocked AND m.is_in_scope) LIMIT 1000")),
    ("Which bugs have no status changes?",
     ("SELECT issue_key FROM issues AS b WHERE issue_type = 'Bug' AND NOT EXISTS (SELECT 1 FROM status_changes AS c "
     "WHERE c.issue_id = b.issue_id) LIMIT 1000")),
    ("Who has no open bugs and no open stories?",
     ("SELECT full_name FROM users AS u WHERE NOT EXISTS (SELECT 1 FROM issues AS i WHERE i.assignee_id = u.user_id "
     "AND issue_type IN ('Bug', 'Story') AND status_category <> 'Done') LIMIT 1000")),
    ("Who is not working on any bug?",
     ("SELECT full_name FROM users AS u WHERE NOT EXISTS (SELECT 1 FROM issues AS i WHERE i.assignee_id = u.user_id "
     "AND issue_type = 'Bug' AND status_category = 'In Progress') LIMIT 1000")),
    ("Which closed sprints had no carry-over?",
     "SELECT sprint_name FROM sprint_summary WHERE state = 'closed' AND carried_over_issues = 0 LIMIT 1000"),
    ("Which issues are bigger than 8 points?", "SELECT issue_key FROM issues WHERE story_points > 8 LIMIT 1000"),
    ("Which five open bugs are the oldest?",
     ("SELECT issue_key FROM issues WHERE status_category <> 'Done' AND issue_type = 'Bug' "
     "ORDER BY created_at LIMIT 5")),
    ("How long does it take us on average to resolve a p0 issue?",
     "SELECT round(avg(cycle_time_days)::numeric, 2) AS days FROM issues WHERE priority = 'p0'"),
]  # fmt: skip


@pytest.mark.parametrize(("question", "truth"), TRUTHS, ids=[question for question, _ in TRUTHS])
def test_an_answer_has_the_rows_of_an_independent_statement(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


@pytest.mark.parametrize("question", ["status?", "Committed vs finished work lately", "slowest issues on average"])
def test_a_verified_query_that_says_less_than_the_question_does_not_answer_it(question: str) -> None:
    assert ask(question).is_ambiguous


@pytest.mark.parametrize(
    "question",
    [
        "Who doesn't want to work on ORBIT?",
        "How many issues have to be removed from ORBIT Sprint 9?",
        "Which issues do we plan to remove from ORBIT Sprint 9?",
        "Who has not closed bugs?",
        "Who did not close the bug ACCEL-5?",
        "Who does not have more than 3 open issues?",
        "Who does not have the label security?",
        "Was ORBIT Sprint 7 better than ORBIT Sprint 8?",
        "Is ORBIT better than HARBOR?",
        "Which people have no bugs but open stories?",
        "Which epics have bugs that are not blocked?",
        "Issues without sub-tasks",
        "Bugs with security issues",
        "Compare the backlog size of the three teams",
        "Which team has the highest share of unestimated open stories?",
        "Which issues have comments?",
        "How many?",
    ],
)
def test_what_the_words_do_not_decide_is_asked_back(question: str) -> None:
    assert ask(question).is_ambiguous


@pytest.mark.parametrize("then", ["and how many issues?", "and how many bugs?", "in issues", "total"])
def test_a_follow_up_that_has_no_place_is_not_answered_by_itself(then: str) -> None:
    context = ask("What is the velocity of ACCEL?").query

    answer = event_loop.run(chat(then, now=NOW, reader=reader, model=None, context=context))

    assert answer.is_ambiguous


@pytest.mark.parametrize("question", ["Which epics have no open issues?", "Which sprints completed no bugs?",
                                      "Which sprints of ACCEL saw no scope changes?"])  # fmt: skip
def test_where_every_row_has_such_rows_none_is_listed(question: str) -> None:
    answer = ask(question)

    assert (answer.source, answer.rows) == ("layer", [])


def test_what_has_such_rows_and_what_has_none_make_up_all() -> None:
    for subject in ("epics", "people", "teams", "sprints"):
        for rows in ("blocked issues", "open bugs", "unassigned stories"):
            some, none = (ask(f"How many {subject} have {which}{rows}?").rows for which in ("", "no "))
            whole = ask(f"How many {subject} are there?").rows

            assert sum(list(row.values())[-1] for row in (*some, *none)) == list(whole[0].values())[-1]


def test_what_is_left_in_a_sprint_is_what_the_burndown_says_remains() -> None:
    answer = ask("What's left in ACCEL's current sprint?")
    burndown = event_loop.run(
        try_execute(
            "SELECT remaining_issues, remaining_points FROM sprint_days WHERE sprint_id = (SELECT sprint_id "
            "FROM sprints "
            f"WHERE state = 'active' AND team_id = {TEAM.format('ACCEL')}) ORDER BY day DESC LIMIT 1"
        )
    )

    [day] = burndown.rows
    points = sum(row["points_at_end"] or 0 for row in answer.rows)
    assert (answer.count, points) == (day["remaining_issues"], day["remaining_points"])
    assert answer.count == 5
    assert points == 20


def test_a_follow_up_changes_what_was_understood() -> None:
    first = ask("How many open bugs does ACCEL have?")

    second = event_loop.run(chat("and for HARBOR?", now=NOW, reader=reader, model=None, context=first.query))

    assert second.interpretation == "open issues, type Bug, team HARBOR, now"
    assert [one.text for one in second.filters or []] == ["open", "type Bug", "team HARBOR"]
    assert second.rows == ask("How many open bugs does HARBOR have?").rows


def test_a_filter_is_taken_away() -> None:
    first = ask("How many open bugs does ACCEL have?")
    place = next(one.position for one in first.filters or [] if one.text == "type Bug")

    second = event_loop.run(
        chat(first.question, now=NOW, reader=reader, model=None, context=first.query, without=[place])
    )

    assert second.rows == ask("How many open issues does ACCEL have?").rows


@pytest.mark.parametrize(
    ("first", "then", "truth"),
    [
        ("How many issues were created in October?", "How many of those are bugs?",
         ("SELECT count(*) AS n FROM issues WHERE issue_type = 'Bug' AND created_at >= '2026-10-01' "
         "AND created_at < '2026-11-01'")),
        ("What is Levi Walker working on?", "How many points has he completed?",
         ("SELECT sum(story_points) AS points FROM issues JOIN users ON user_id = assignee_id "
         "WHERE full_name = 'Levi Walker' AND status_category = 'Done'")),
        ("How many points did HARBOR complete in HARBOR Sprint 7?", "And how many had they committed to?",
         "SELECT committed_points FROM sprint_summary WHERE sprint_name = 'HARBOR Sprint 7'"),
        ("How many issues are blocked right now?", "which ones?",
         "SELECT issue_key FROM issues WHERE is_blocked LIMIT 1000"),
        ("How many story points did each team complete in October?", "and how many issues?",
         ("SELECT team_key, count(*) AS n FROM issues JOIN teams USING (team_id) WHERE resolved_at >= '2026-10-01' "
         "AND resolved_at < '2026-11-01' GROUP BY team_key")),
        ("List the open stories of ACCEL", "how many points are these?",
         ("SELECT sum(story_points) AS points FROM issues WHERE issue_type = 'Story' AND status_category <> 'Done' "
         f"AND team_id = {TEAM.format('ACCEL')}")),
        ("How many issues were resolved in October?", "Break that down by team",
         ("SELECT team_key, count(*) AS n FROM issues JOIN teams USING (team_id) WHERE resolved_at >= '2026-10-01' "
         "AND resolved_at < '2026-11-01' GROUP BY team_key")),
        ("Show the open p0 issues", "without the ones from ORBIT",
         ("SELECT issue_key FROM issues WHERE priority = 'p0' AND status_category <> 'Done' "
         f"AND team_id <> {TEAM.format('ORBIT')} LIMIT 1000")),
        ("How many open bugs does HARBOR have?", "and which issues are blocked?",
         ("SELECT issue_key FROM issues WHERE issue_type = 'Bug' AND status_category <> 'Done' AND is_blocked "
         f"AND team_id = {TEAM.format('HARBOR')} LIMIT 1000")),
        ("How many open bugs does ACCEL have?", "for all teams",
         "SELECT count(*) AS n FROM issues WHERE issue_type = 'Bug' AND status_category <> 'Done'"),
        ("How many open bugs does ACCEL have?", "all but ACCEL",
         ("SELECT count(*) AS n FROM issues WHERE issue_type = 'Bug' AND status_category <> 'Done' "
         f"AND team_id <> {TEAM.format('ACCEL')}")),
        ("List the open issues of Levi Walker", "how many?",
         ("SELECT count(*) AS n FROM issues JOIN users ON user_id = assignee_id WHERE full_name = 'Levi Walker' "
         "AND status_category <> 'Done'")),
        ("List the open issues of Levi Walker", "how many points?",
         ("SELECT sum(story_points) AS points FROM issues JOIN users ON user_id = assignee_id "
         "WHERE full_name = 'Levi Walker' AND status_category <> 'Done'")),
        ("How many open issues does Zoë Müller have?", "how many points is that?",
         ("SELECT sum(story_points) AS points FROM issues JOIN users ON user_id = assignee_id WHERE full_name = "
          "'Zoë Müller' AND status_category <> 'Done'")),
        ("How many issues were carried over from ACCEL Sprint 4?", "in points instead",
         "SELECT carried_over_points FROM sprint_summary WHERE sprint_name = 'ACCEL Sprint 4'"),
        ("Which issues are blocked?", "who works on them?",
         ("SELECT i.issue_key, i.title, u.full_name FROM issues AS i LEFT JOIN users AS u ON u.user_id = i.assignee_id "
         "WHERE i.is_blocked LIMIT 1000")),
    ],
)  # fmt: skip
def test_what_a_follow_up_refers_to_is_kept(first: str, then: str, truth: str) -> None:
    context = ask(first).query

    answer = event_loop.run(chat(then, now=NOW, reader=reader, model=None, context=context))

    expected = event_loop.run(try_execute(truth))
    assert expected.rows, expected.error
    assert same(answer.rows, gold=expected.rows), (answer.interpretation, answer.answer)


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (None, "How many of those are bugs?"),
        (None, "How many points has he completed?"),
        ("How many open bugs does ACCEL have?", "what is their velocity?"),
        ("Which issues are blocked?", "who closed them?"),
        ("List the open stories of ACCEL", "how many of these are bugs?"),
    ],
)
def test_a_pronoun_without_what_it_stands_for_is_asked_about(first: str | None, then: str) -> None:
    context = ask(first).query if first else None

    answer = event_loop.run(chat(then, now=NOW, reader=reader, model=None, context=context))

    assert answer.is_ambiguous
    assert "refers to" in answer.answer


@pytest.mark.parametrize(
    "question",
    [
        "Order the epics by how many open issues they have, biggest first",
        "Rank the epics by open issues, smallest first",
    ],
)
def test_all_are_ranked_in_the_order_that_is_said(question: str) -> None:
    numbers = [row["issues"] for row in ask(question).rows]

    assert len(numbers) > 2
    assert numbers == sorted(numbers, reverse="biggest" in question)
