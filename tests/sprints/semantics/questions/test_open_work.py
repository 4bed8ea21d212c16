"""What is asked of open work alone: workloads, what somebody has, what is due, what is to do. With its limits."""

import pytest

from tests.sprints.semantics.questions.test_answers import ask, assert_same_rows

pytestmark = pytest.mark.usefixtures("django_db_setup")

P0_BUG = "i.priority = 'p0' AND i.issue_type = 'Bug'"
OPEN = "i.status_category <> 'Done'"
ROWS = "FROM issues AS i LEFT JOIN users AS u ON u.user_id = i.assignee_id JOIN teams AS t ON t.team_id = i.team_id"
LIST = f"SELECT i.issue_key {ROWS} WHERE {{}} LIMIT 1000"
COUNT = f"SELECT count(*) AS n {ROWS} WHERE {{}}"
POINTS = f"SELECT sum(i.story_points) AS n {ROWS} WHERE {OPEN} AND {{}}"
EACH = f"SELECT u.full_name, count(*) AS n {ROWS} WHERE {OPEN} AND u.full_name IS NOT NULL AND {{}} GROUP BY 1 {{}}"
MOST = f"WITH r AS (SELECT {{0}} AS who, {{1}} AS n, rank() OVER (ORDER BY {{1}} {{2}}) AS at {ROWS} WHERE {OPEN} AND {{0}} IS NOT NULL AND {{3}} GROUP BY 1) SELECT who, n FROM r WHERE at = 1"  # noqa: E501


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("what is Priya Raman's workload", POINTS.format("u.full_name = 'Priya Raman'")),
        ("workload of ACCEL", POINTS.format("t.team_key = 'ACCEL'")),
        ("how much work does Levi have", POINTS.format("u.full_name = 'Levi Walker'")),
        ("who has the highest workload", MOST.format("u.full_name", "sum(i.story_points)", "DESC NULLS LAST", "true")),
        ("who has the lowest workload in ACCEL",
         MOST.format("u.full_name", "sum(i.story_points)", "ASC", "t.team_key = 'ACCEL'")),
        ("who has p0 bugs", EACH.format(P0_BUG, "LIMIT 1000")),
        ("who owns the p0 bugs", EACH.format(P0_BUG, "LIMIT 1000")),
        ("does Levi have any p0", LIST.format(f"{OPEN} AND i.priority = 'p0' AND u.full_name = 'Levi Walker'")),
        ("do we have p0 bugs in Harbor",
         LIST.format(f"{OPEN} AND {P0_BUG} AND t.team_key = 'HARBOR'")),
        ("has anybody more than two bugs", EACH.format("i.issue_type = 'Bug'", "HAVING count(*) > 2 LIMIT 1000")),
        ("how many bugs does Levi have",
         COUNT.format(f"{OPEN} AND i.issue_type = 'Bug' AND u.full_name = 'Levi Walker'")),
        ("how many bugs does Harbor have", COUNT.format(f"{OPEN} AND i.issue_type = 'Bug' AND t.team_key = 'HARBOR'")),
        ("how many bugs do we have", COUNT.format(f"{OPEN} AND i.issue_type = 'Bug'")),
        ("which team has most bugs", MOST.format("t.team_key", "count(*)", "DESC", "i.issue_type = 'Bug'")),
        ("which team has the most p0s", MOST.format("t.team_key", "count(*)", "DESC", "i.priority = 'p0'")),
        ("what is due by the end of next week", LIST.format(f"{OPEN} AND i.due_date <= '2026-11-29'")),
        ("tickets due by Friday", LIST.format(f"{OPEN} AND i.due_date <= '2026-11-20'")),
        ("issues due in October", LIST.format("i.due_date BETWEEN '2026-10-01' AND '2026-10-31'")),
        ("issues with a due date before today that are not done", LIST.format(f"{OPEN} AND i.due_date < '2026-11-18'")),
        ("tickets with a due date this week that aren't finished",
         LIST.format(f"{OPEN} AND i.due_date BETWEEN '2026-11-16' AND '2026-11-22'")),
        ("bugs to fix", LIST.format(f"{OPEN} AND i.issue_type = 'Bug'")),
        ("bugs to be fixed by Harbor", LIST.format(f"{OPEN} AND i.issue_type = 'Bug' AND t.team_key = 'HARBOR'")),
        ("who has the most bugs to fix", MOST.format("u.full_name", "count(*)", "DESC", "i.issue_type = 'Bug'")),
        ("what does Harbor still have to do in this sprint",
         ("SELECT issue_key FROM sprint_issues AS m JOIN sprints AS s USING (sprint_id) JOIN issues USING (issue_id) "
          "WHERE s.sprint_name = 'HARBOR Sprint 9' AND m.is_in_scope AND m.done_at IS NULL LIMIT 1000")),
        ("what are the blockers", "SELECT issue_key FROM issues WHERE is_blocked LIMIT 1000"),
        ("what are the impediments", "SELECT issue_key FROM issues WHERE is_blocked LIMIT 1000"),
        ("blockers of Harbor", LIST.format("i.is_blocked AND t.team_key = 'HARBOR'")),
        # a time, a sprint or another state says of which
        ("how many bugs did Levi have in October", None),
        ("how many done bugs does Levi have",
         COUNT.format("i.status_category = 'Done' AND i.issue_type = 'Bug' AND u.full_name = 'Levi Walker'")),
        ("how many bugs have no label",
         COUNT.format("i.issue_type = 'Bug' AND cardinality(i.labels) = 0")),
        ("how many bugs are there", COUNT.format("i.issue_type = 'Bug'")),
        ("which sprint had the most blockers", None),
    ],
)  # fmt: skip
def test_open_work_is_meant_where_it_is_usual(question: str, truth: str | None) -> None:
    if truth is None:
        answer = ask(question)
        assert "not done are" not in " ".join(answer.assumptions)
    else:
        assert_same_rows(question, truth=truth)


def test_it_is_said_that_only_open_issues_are_counted() -> None:
    answer = ask("how many bugs does Harbor have")

    assert "Only issues that are not done are counted." in answer.assumptions
    assert answer.interpretation is not None
    assert answer.interpretation.startswith("open issues")


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("issues whose reporter is Levi Walker",
         "SELECT issue_key FROM issues JOIN users ON user_id = reporter_id WHERE full_name = 'Levi Walker' LIMIT 1000"),
        ("issues whose reporter is not Levi Walker",
         ("SELECT issue_key FROM issues LEFT JOIN users ON user_id = reporter_id "
          "WHERE full_name IS DISTINCT FROM 'Levi Walker' LIMIT 1000")),
        ("open bugs whose assignee is Zoë Müller",
         LIST.format(f"{OPEN} AND i.issue_type = 'Bug' AND u.full_name = 'Zoë Müller'")),
        ("everyone's open tickets but Priya's",
         LIST.format(f"{OPEN} AND u.full_name IS DISTINCT FROM 'Priya Raman'")),
        ("everybody's bugs but Levi's",
         LIST.format("i.issue_type = 'Bug' AND u.full_name IS DISTINCT FROM 'Levi Walker'")),
        ("all issues but the done ones in ACCEL sprint 9",
         ("SELECT issue_key FROM sprint_issues AS m JOIN sprints AS s USING (sprint_id) JOIN issues USING (issue_id) "
          "WHERE s.sprint_name = 'ACCEL Sprint 9' AND m.is_in_scope AND NOT m.was_completed LIMIT 1000")),
        ("all open bugs but the blocked ones",
         LIST.format(f"{OPEN} AND i.issue_type = 'Bug' AND NOT i.is_blocked")),
        ("burndown for orbit's sprint so far",
         ("SELECT s.sprint_name, day, remaining_points, scope_points, remaining_issues FROM sprint_days "
          "JOIN sprints AS s USING (sprint_id) WHERE s.sprint_name = 'ORBIT Sprint 9' LIMIT 1000")),
        ("which tickets are bugs", LIST.format("i.issue_type = 'Bug'")),
        ("open bug tickets", LIST.format(f"{OPEN} AND i.issue_type = 'Bug'")),
    ],
)  # fmt: skip
def test_exceptions_and_roles_keep_their_rows(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


@pytest.mark.parametrize(
    "question",
    [
        "tickets in epics of Harbor that are not done",
        "tickets of Harbor's epics",
        "the epic with Levi's tickets",
        "bugs in open stories",
        "how many sub-tasks do the stories in ACCEL sprint 8 have",
        "how many sub-tasks are open under stories in the current sprint",
        "epics without stories in the current sprint",
        "bugs labelled security and bugs labelled customer",
        "who works on the biggest story",
        "sprints that started on a Monday",
        "issues closed on a Friday",
        "tickets in the epic of ACCEL-100",
        "issues in the sprint of ACCEL-100",
        "Which stories were started but not finished in October?",
        "which epics is Levi working on",
        "people who work on more than one epic",
        "who reported the bugs Levi is working on",
        "which bugs were in sprint 7 and sprint 8",
        "issues that were in sprint 7 and sprint 8",
        "epics with their open points",
        "issues added after the start and still not finished",
        "issues added mid-sprint that are not done",
        "what are the top priorities for Orbit",
        "blocked issues whose blocker is done",
        "issues assigned to Levi before October that are not done",
    ],
)
def test_rows_that_the_query_would_take_for_others_are_asked_back(question: str) -> None:
    answer = ask(question)

    assert answer.is_ambiguous, (answer.interpretation, answer.sql)


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("Which people closed the most points in Q3 - top 5",
         ("WITH r AS (SELECT full_name, sum(story_points) AS n FROM issues JOIN users ON user_id = assignee_id WHERE "
          "status_category = 'Done' AND resolved_at >= '2026-07-01' AND resolved_at < '2026-10-01' GROUP BY 1) "
          "SELECT full_name, n FROM (SELECT *, rank() OVER (ORDER BY n DESC) AS at FROM r) AS ranked WHERE at <= 5")),
        ("what did the Orbit folks get done yesterday?",
         LIST.format("t.team_key = 'ORBIT' AND i.status_category = 'Done' AND i.resolved_at >= '2026-11-17' "
                     "AND i.resolved_at < '2026-11-18'")),
        ("how many points each team promised and how many they actually delivered in sprint 8",
         ("SELECT team_key, committed_points, completed_points FROM sprint_summary JOIN teams USING (team_id) "
          "WHERE sprint_name LIKE '% Sprint 8' LIMIT 1000")),
        ("how many issues did ACCEL commit to and how many did it complete in sprint 7",
         "SELECT committed_issues, completed_issues FROM sprint_summary WHERE sprint_name = 'ACCEL Sprint 7'"),
    ],
)  # fmt: skip
def test_two_numbers_and_a_late_count_are_read(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)
