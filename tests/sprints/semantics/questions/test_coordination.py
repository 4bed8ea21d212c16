"""What "and" joins: verbs, two numbers with one limit, measures with one statistic, and sprints of two teams."""

import pytest

from tests.sprints.semantics.questions.test_answers import ask, assert_same_rows

pytestmark = pytest.mark.usefixtures("django_db_setup")

ROWS = "FROM issues AS i JOIN teams AS t ON t.team_id = i.team_id"
BUG, DONE = "i.issue_type = 'Bug'", "i.status_category = 'Done'"
CREATED = "i.created_at >= '{}' AND i.created_at < '{}'"
RESOLVED = "i.resolved_at >= '{}' AND i.resolved_at < '{}'"
LAST_WEEK, OCTOBER = ("2026-11-09", "2026-11-16"), ("2026-10-01", "2026-11-01")
MEMBERS = "FROM sprint_issues AS m JOIN sprints AS s USING (sprint_id)"


def write_both(first: str, second: str, *, where: str = "true", group: str = "") -> str:
    """Write the statement of two numbers, for each value of a column if one is given."""
    column, end = (f"{group}, ", " GROUP BY 1") if group else ("", "")
    return f"SELECT {column}count(*) FILTER (WHERE {first}), count(*) FILTER (WHERE {second}) {ROWS} WHERE {where}{end}"


OPENED_AND_CLOSED = write_both(CREATED.format(*OCTOBER), RESOLVED.format(*OCTOBER), where=BUG)
LEFT_AND_DONE = (
    f"SELECT sum(i.story_points) FILTER (WHERE {DONE}), sum(i.story_points) FILTER (WHERE NOT {DONE}) "
    f"{MEMBERS} JOIN issues AS i USING (issue_id) WHERE s.sprint_name = 'ACCEL Sprint 9' AND m.is_in_scope"
)


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("How many bugs did ORBIT open last week?",
         f"SELECT count(*) AS n {ROWS} WHERE {BUG} AND t.team_key = 'ORBIT' AND {CREATED.format(*LAST_WEEK)}"),
        ("How many bugs did we open and close last week?",
         write_both(CREATED.format(*LAST_WEEK), RESOLVED.format(*LAST_WEEK), where=BUG)),
        ("How many bugs did each team open and close in October?",
         write_both(CREATED.format(*OCTOBER), RESOLVED.format(*OCTOBER), where=BUG, group="t.team_key")),
        ("How many points do open bugs of ACCEL have?",
         f"SELECT sum(i.story_points) AS n {ROWS} WHERE {BUG} AND NOT {DONE} AND t.team_key = 'ACCEL'"),
    ],
)  # fmt: skip
def test_a_word_behind_did_and_its_subject_is_a_verb(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


@pytest.mark.parametrize(
    "question",
    [
        "Which bugs did we create and close last week?",
        "how many bugs did Levi Walker open and close in October",
        "how many issues did Levi Walker create in October and how many did he close",
    ],
)
def test_verbs_of_different_rows_are_asked_back(question: str) -> None:
    assert ask(question).is_ambiguous


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("how many points are done and how many are left in ACCEL's current sprint?", LEFT_AND_DONE),
        ("How many bugs are there and how many are open at HARBOR?",
         f"SELECT count(*), count(*) FILTER (WHERE NOT {DONE}) {ROWS} WHERE {BUG} AND t.team_key = 'HARBOR'"),
        ("how many stories were done and how many were carried over in HARBOR Sprint 8",
         ("SELECT count(*) FILTER (WHERE m.was_completed), count(*) FILTER (WHERE m.was_carried_over) "
         f"{MEMBERS} JOIN issues AS i USING (issue_id) WHERE s.sprint_name = 'HARBOR Sprint 8' "
         "AND i.issue_type = 'Story'")),
        ("How many bugs did HARBOR create in October and how many did it close?",
         write_both(CREATED.format(*OCTOBER), RESOLVED.format(*OCTOBER), where=f"{BUG} AND t.team_key = 'HARBOR'")),
        ("In ORBIT Sprint 7, how many points were committed and how many were completed?",
         "SELECT committed_points, completed_points FROM sprint_summary WHERE sprint_name = 'ORBIT Sprint 7'"),
    ],
)  # fmt: skip
def test_what_stands_before_or_behind_two_numbers_limits_both(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


def test_two_numbers_of_one_month_are_both_of_that_month() -> None:
    [row] = ask("How many bugs were raised and how many were fixed in October?").rows
    sides = ask("In October, how many bugs were raised and how many got fixed?").rows

    assert [one["issues"] for one in sides] == [row["created_issues"], row["resolved_issues"]]


@pytest.mark.parametrize("said", ["average", "mean", "median"])
def test_a_statistic_is_said_once_of_both_measures(said: str) -> None:
    both = ask(f"{said} lead time and cycle time of bugs")
    each = [ask(f"{said} {measure} of bugs") for measure in ("lead time", "cycle time")]

    assert [*both.rows[0].values()] == [value for one in each for value in one.rows[0].values()]


@pytest.mark.parametrize(
    ("question", "sprints"),
    [
        ("points completed in HARBOR Sprint 8 versus ORBIT Sprint 7", ("HARBOR Sprint 8", "ORBIT Sprint 7")),
        ("points HARBOR completed in Sprint 8 versus ORBIT in Sprint 7", ("HARBOR Sprint 8", "ORBIT Sprint 7")),
        ("did HARBOR complete more points in sprint 8 than ORBIT in sprint 7", ("HARBOR Sprint 8", "ORBIT Sprint 7")),
        ("how many points were completed in ACCEL Sprint 6 and ORBIT Sprint 7", ("ACCEL Sprint 6", "ORBIT Sprint 7")),
    ],
)
def test_each_of_two_sprints_has_the_team_beside_it(question: str, sprints: tuple[str, str]) -> None:
    listed = "', '".join(sprints)
    column = "sprint_name" if " and " in question else "split_part(sprint_name, ' ', 1)"

    assert_same_rows(
        question, truth=f"SELECT {column}, completed_points FROM sprint_summary WHERE sprint_name IN ('{listed}')"
    )


def test_a_list_of_sprints_of_two_teams_is_read() -> None:
    assert_same_rows(
        "issues in HARBOR Sprint 8 or ORBIT Sprint 7",
        truth=f"SELECT DISTINCT i.issue_key {MEMBERS} JOIN issues AS i USING (issue_id) "
        "WHERE s.sprint_name IN ('HARBOR Sprint 8', 'ORBIT Sprint 7') AND m.is_in_scope LIMIT 1000",
    )


@pytest.mark.parametrize(
    "question",
    [
        "how many bugs did HARBOR close in October versus ORBIT in September",
        "how many bugs did Levi Walker close in October compared with Zoë Müller in September",
        "bugs closed by HARBOR in October against ORBIT's in September",
        "did HARBOR close more bugs in October than ORBIT in September",
        "completed points of HARBOR versus ORBIT in Sprint 7 versus Sprint 8",
        "bugs of HARBOR versus stories of ORBIT",
    ],
)
def test_sides_that_differ_in_two_things_are_asked_back(question: str) -> None:
    assert ask(question).is_ambiguous


def test_teams_are_listed_where_one_of_them_is_named_behind() -> None:
    assert_same_rows("list of teams, team ACCEL", truth="SELECT team_key FROM teams WHERE team_key = 'ACCEL'")
