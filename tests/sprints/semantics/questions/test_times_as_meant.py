"""Times, sprints and statuses are taken as people mean them, or asked back: beside statements written independently."""

import pytest

from tests.sprints.semantics.questions.test_answers import ask, assert_same_rows

pytestmark = pytest.mark.usefixtures("django_db_setup")

CREATED = (
    "SELECT issue_key FROM issues WHERE issue_type = 'Bug' AND created_at >= '{}' "
    "AND created_at < date '{}' + 1 LIMIT 1000"
)
RESOLVED = (
    "SELECT count(*) AS n FROM issues WHERE status_category = 'Done' AND resolved_at >= '{}' "
    "AND resolved_at < date '{}' + 1"
)


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("bugs created 10 to 20 days ago", CREATED.format("2026-10-29", "2026-11-08")),
        ("bugs created 10-20 days ago", CREATED.format("2026-10-29", "2026-11-08")),
        ("bugs created between 10 and 20 days ago", CREATED.format("2026-10-29", "2026-11-08")),
        ("how many issues were resolved 3 to 5 days ago", RESOLVED.format("2026-11-13", "2026-11-15")),
        ("how many issues were resolved two to three weeks ago", RESOLVED.format("2026-10-28", "2026-11-04")),
        ("bugs created 1 to 2 months ago", CREATED.format("2026-09-18", "2026-10-18")),
    ],
)
def test_a_range_of_distances_is_counted_from_today(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


def test_a_bound_of_a_range_of_days_is_asked_back() -> None:
    assert ask("bugs created more than 10 to 20 days ago").is_ambiguous


@pytest.mark.parametrize(
    "question",
    [
        "issues blocked for more than 2 days in October",
        "issues blocked in October for more than 2 days",
        "issues blocked more than 2 days in sprint 8",
        "bugs blocked longer than a day last week",
        "issues in progress for more than 3 days in sprint 8",
    ],
)
def test_how_long_it_was_so_then_is_asked_back(question: str) -> None:
    assert ask(question).is_ambiguous


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("issues blocked more than 2 days in sprint 9",
         ("SELECT i.issue_key FROM issues AS i JOIN sprints AS s USING (sprint_id) CROSS JOIN snapshot AS n "
          "WHERE s.sprint_name LIKE '% Sprint 9' AND i.is_blocked AND n.as_of - i.blocked_since > interval '2 days' "
          "LIMIT 1000")),
        ("issues that were blocked for more than 2 days",
         ("SELECT i.issue_key FROM issues AS i JOIN blocked_periods AS b USING (issue_id) CROSS JOIN snapshot AS n "
          "GROUP BY 1 HAVING sum(coalesce(b.unblocked_at, n.as_of) - b.blocked_at) > interval '2 days' LIMIT 1000")),
    ],
)  # fmt: skip
def test_how_long_it_is_so_now_or_was_in_all_is_answered(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


@pytest.mark.parametrize(
    "question",
    [
        "issues moved back from QA",
        "how many issues moved back from QA last week",
        "issues moved back out of QA",
        "issues moved back from Code Review",
    ],
)
def test_back_from_a_status_is_asked_back_as_statuses_have_no_order(question: str) -> None:
    assert ask(question).is_ambiguous


MOVED = (
    "SELECT DISTINCT i.issue_key FROM issues AS i JOIN teams AS t USING (team_id) JOIN status_changes AS h "
    "USING (issue_id) WHERE {} LIMIT 1000"
)
LAST_WEEK = "h.changed_at >= '2026-11-09' AND h.changed_at < '2026-11-16'"
OCTOBER = "h.changed_at >= '2026-10-01' AND h.changed_at < '2026-11-01'"


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("bugs moved back from Done",
         MOVED.format("i.issue_type = 'Bug' AND h.from_category = 'Done' AND h.to_category <> 'Done'")),
        ("issues moved out of QA", MOVED.format("h.from_status = 'QA'")),
        ("issues pulled out of QA last week", MOVED.format(f"h.from_status = 'QA' AND {LAST_WEEK}")),
        ("issues moved to Done last week", MOVED.format(f"h.to_category = 'Done' AND {LAST_WEEK}")),
        ("which bugs were moved to Done in October",
         MOVED.format(f"i.issue_type = 'Bug' AND h.to_category = 'Done' AND {OCTOBER}")),
        ("issues of HARBOR moved to Done last week",
         MOVED.format(f"t.team_key = 'HARBOR' AND h.to_category = 'Done' AND {LAST_WEEK}")),
        ("issues moved from Verifying to Done last week",
         MOVED.format(f"h.from_status = 'Verifying' AND h.to_category = 'Done' AND {LAST_WEEK}")),
        ("issues moved to Shipped last week", MOVED.format(f"h.to_status = 'Shipped' AND {LAST_WEEK}")),
        ("issues moved from Done to In Progress",
         MOVED.format("h.from_category = 'Done' AND h.to_status = 'In Progress'")),
    ],
)  # fmt: skip
def test_a_move_is_to_or_from_a_status_and_done_is_whatever_a_team_calls_it(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


COUNT = "SELECT count(*) AS n FROM issues AS i JOIN teams AS t USING (team_id) WHERE {}"


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("how many issues are Shipped", COUNT.format("i.status = 'Shipped'")),
        ("how many ACCEL issues are Shipped", COUNT.format("i.status = 'Shipped' AND t.team_key = 'ACCEL'")),
        ("list Shipped bugs",
         "SELECT issue_key FROM issues WHERE status = 'Shipped' AND issue_type = 'Bug' LIMIT 1000"),
        ("how many issues are Done", COUNT.format("i.status_category = 'Done'")),
        ("how many issues are shipped", COUNT.format("i.status_category = 'Done'")),
        ("how many issues were Shipped in October",
         COUNT.format("i.status_category = 'Done' AND i.resolved_at >= '2026-10-01' AND i.resolved_at < '2026-11-01'")),
    ],
)  # fmt: skip
def test_a_status_written_as_it_is_named_is_that_status(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


SUMMARY = (
    "SELECT s.sprint_name, {} FROM sprint_summary AS s WHERE s.state = 'closed' AND s.completed_at >= '{}' "
    "AND s.completed_at < '{}' LIMIT 1000"
)


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("points completed per sprint in the last 3 months",
         SUMMARY.format("s.completed_points", "2026-08-18", "2026-11-19")),
        ("issues completed per sprint since October", SUMMARY.format("s.completed_issues", "2026-10-01", "2026-11-19")),
        ("points added per sprint since October", SUMMARY.format("s.added_points", "2026-10-01", "2026-11-19")),
        ("committed vs completed points per sprint in October",
         SUMMARY.format("s.committed_points, s.completed_points", "2026-10-01", "2026-11-01")),
    ],
)  # fmt: skip
def test_numbers_per_sprint_are_those_of_whole_sprints(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


@pytest.mark.parametrize("question", ["points completed per sprint this week", "points completed per sprint yesterday"])
def test_a_time_shorter_than_a_sprint_beside_numbers_per_sprint_is_asked_back(question: str) -> None:
    assert ask(question).is_ambiguous


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("velocity this sprint vs last sprint", "ACCEL Sprint 9, ORBIT Sprint 9 and HARBOR Sprint 9 have no velocity"),
        ("velocity last sprint vs next sprint", "ACCEL Sprint 10, ORBIT Sprint 10 and HARBOR Sprint 10 have no"),
        ("velocity current sprint vs sprint 8 for ACCEL", "ACCEL Sprint 9 has no velocity yet"),
        ("velocity of ACCEL in sprint 9", "ACCEL Sprint 9 has no velocity yet"),
        ("average points completed per sprint in sprint 8 and 9", "HARBOR Sprint 9 have no velocity yet"),
    ],
)
def test_sprints_that_have_no_such_number_yet_are_named(question: str, said: str) -> None:
    assert said in " ".join(ask(question).assumptions)


def test_nothing_is_said_of_sprints_that_have_the_number() -> None:
    assert "yet" not in " ".join(ask("velocity sprint 7 vs sprint 8").assumptions)


@pytest.mark.parametrize(
    ("question", "changes"),
    [
        ("points completed this week versus last week", [("last week", 0), ("this week", 56)]),
        ("points completed last week versus this week", [("last week", 0), ("this week", 56)]),
        ("points completed this month vs last month", [("last month", 0), ("this month", -42)]),
        ("how many more bugs were created in October than in September", [("September", 0), ("October", -1)]),
        ("did we resolve more bugs in October than in September", [("September", 0), ("October", 5)]),
        ("compare bugs created in October, September and August", [("August", 0), ("September", 12), ("October", 11)]),
    ],
)
def test_a_change_is_from_the_earlier_time_to_the_later(question: str, changes: list[tuple[str, int]]) -> None:
    rows = ask(question).rows

    assert [(row["compared"], int(list(row.values())[-1])) for row in rows] == changes


def test_names_are_compared_in_the_order_in_which_they_are_said() -> None:
    rows = ask("compare bugs with label ux and label customer").rows

    assert [row["compared"] for row in rows] == ["ux", "customer"]


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("how did points completed change from September to October",
         ("SELECT date_trunc('month', resolved_at)::date AS month, sum(story_points) AS points, "
          "sum(story_points) - lag(sum(story_points)) OVER (ORDER BY date_trunc('month', resolved_at)::date) AS change "
          "FROM issues WHERE status_category = 'Done' AND resolved_at >= '2026-09-01' AND resolved_at < '2026-11-01' "
          "GROUP BY 1")),
        ("how did velocity change between September and October",
         ("SELECT date_trunc('month', completed_at)::date AS month, round(avg(completed_points), 1) AS velocity, "
          "round(avg(completed_points) - lag(avg(completed_points)) OVER (ORDER BY date_trunc('month', "
          "completed_at)::date), 1) AS change FROM sprint_summary WHERE state = 'closed' "
          "AND completed_at >= '2026-09-01' AND completed_at < '2026-11-01' GROUP BY 1")),
        ("how has velocity changed since October",
         ("SELECT sprint_name, completed_points, completed_points - lag(completed_points) OVER (PARTITION BY team_id "
          "ORDER BY started_at) AS change FROM sprint_summary WHERE state = 'closed' "
          "AND completed_at >= '2026-10-01'")),
    ],
)  # fmt: skip
def test_a_change_from_month_to_month_is_that_of_months(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


MISSED = (
    "((status_category <> 'Done' AND due_date < '2026-11-18') "
    "OR (status_category = 'Done' AND due_date < resolved_at::date))"
)


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("how many issues missed their due date", f"SELECT count(*) AS n FROM issues WHERE {MISSED}"),
        ("bugs that missed their deadline",
         f"SELECT issue_key FROM issues WHERE issue_type = 'Bug' AND {MISSED} LIMIT 1000"),
        ("how many points missed their due date", f"SELECT sum(story_points) AS n FROM issues WHERE {MISSED}"),
        ("issues that didn't meet their due date", f"SELECT issue_key FROM issues WHERE {MISSED} LIMIT 1000"),
        ("done issues that missed their due date",
         f"SELECT issue_key FROM issues WHERE status_category = 'Done' AND {MISSED} LIMIT 1000"),
        ("how many issues are past their due date",
         "SELECT count(*) AS n FROM issues WHERE status_category <> 'Done' AND due_date < '2026-11-18'"),
    ],
)  # fmt: skip
def test_a_missed_due_date_is_past_or_was_when_it_was_done(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)
