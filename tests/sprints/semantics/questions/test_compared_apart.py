"""What is compared with words between, the team of a person, and named groups without rows."""

import pytest

from tests.sprints.semantics.questions.test_answers import ask, assert_same_rows

pytestmark = pytest.mark.usefixtures("django_db_setup")

ROWS = "FROM issues AS i LEFT JOIN users AS u ON u.user_id = i.assignee_id JOIN teams AS t ON t.team_id = i.team_id"
OPEN, DONE, BUG = "i.status_category <> 'Done'", "i.status_category = 'Done'", "i.issue_type = 'Bug'"
OCTOBER = "i.resolved_at >= '2026-10-01' AND i.resolved_at < '2026-11-01'"
SEPTEMBER = "i.resolved_at >= '2026-09-01' AND i.resolved_at < '2026-10-01'"
EACH = f"SELECT {{}}, {{}} AS n {ROWS} WHERE {{}} GROUP BY 1"
LIST = f"SELECT i.issue_key {ROWS} WHERE {{}} LIMIT 1000"
RUNNING = (
    "EXISTS (SELECT 1 FROM sprint_issues AS m JOIN sprints AS s USING (sprint_id) "
    "WHERE m.issue_id = i.issue_id AND m.is_in_scope AND s.state = 'active')"
)


def write_each(column: str, number: str, where: str) -> str:
    """Write the statement of a number for each group."""
    return EACH.format(column, number, where)


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("how many open bugs does ACCEL have compared to HARBOR",
         write_each("t.team_key", "count(*)", f"{OPEN} AND {BUG} AND t.team_key IN ('ACCEL', 'HARBOR')")),
        ("how many open bugs does ACCEL have, compared to HARBOR?",
         write_each("t.team_key", "count(*)", f"{OPEN} AND {BUG} AND t.team_key IN ('ACCEL', 'HARBOR')")),
        ("how many issues did levi close last month vs zoë",
         write_each("u.full_name", "count(*)",
                    f"{DONE} AND {OCTOBER} AND u.full_name IN ('Levi Walker', 'Zoë Müller')")),
        ("how long do bugs take on average in ACCEL compared to ORBIT",
         write_each("t.team_key", "round(avg(i.cycle_time_days), 2)",
                    f"{BUG} AND t.team_key IN ('ACCEL', 'ORBIT')")),
        ("average cycle time of stories in ORBIT versus bugs",
         write_each("i.issue_type", "round(avg(i.cycle_time_days), 2)",
                    "t.team_key = 'ORBIT' AND i.issue_type IN ('Bug', 'Story')")),
        ("how many points did ORBIT complete in sprint 8 compared to sprint 7",
         ("SELECT sprint_name, completed_points FROM sprint_summary "
          "WHERE sprint_name IN ('ORBIT Sprint 7', 'ORBIT Sprint 8')")),
        ("how many bugs did ACCEL close in October compared to September",
         (f"SELECT 'October', count(*) FILTER (WHERE {OCTOBER}) AS n {ROWS} WHERE {BUG} AND t.team_key = 'ACCEL' "
          f"UNION ALL SELECT 'September', count(*) FILTER (WHERE {SEPTEMBER}) {ROWS} "
          f"WHERE {BUG} AND t.team_key = 'ACCEL'")),
        ("how many bugs did ACCEL open in October versus HARBOR in September", None),
        ("how many bugs did ACCEL close compared to bugs HARBOR opened", None),
        ("how many bugs that are not in ACCEL are open compared to HARBOR", None),
        ("how many tickets were created in October compared with those resolved in September", None),
        ("how many issues created in October were resolved in September", (f"SELECT count(*) AS n {ROWS} WHERE "
         "i.created_at >= '2026-10-01' AND i.created_at < '2026-11-01' AND i.resolved_at >= '2026-09-01' AND "
         "i.resolved_at < '2026-10-01'")),
    ],
)  # fmt: skip
def test_what_is_compared_with_words_between_is_set_side_by_side(question: str, truth: str | None) -> None:
    if truth is None:
        assert ask(question).is_ambiguous
    else:
        assert_same_rows(question, truth=truth)


@pytest.mark.parametrize(
    ("question", "groups"),
    [
        ("how many bugs did Levi close compared to Zoë last month", {"Levi Walker": 0, "Zoë Müller": 1}),
        ("how many p0 bugs does HARBOR have open compared to p1", {"p0": 0, "p1": 2}),
        ("bugs in QA or in review per status", {"QA": 3, "Code Review": 1, "In Review": 0}),
        ("open customer bugs with p0 in ACCEL and HARBOR per team", {"ACCEL": 0, "HARBOR": 0}),
    ],
)
def test_a_group_that_is_named_is_shown_with_zero(question: str, groups: dict[str, int]) -> None:
    rows = [tuple(row.values()) for row in ask(question).rows]

    assert dict(rows) == groups


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("open tickets in Levi's team", LIST.format(f"{OPEN} AND t.team_key = 'ACCEL'")),
        ("Levi's team's open bugs", LIST.format(f"{OPEN} AND {BUG} AND t.team_key = 'ACCEL'")),
        ("bugs of Zoë's team in the current sprint", LIST.format(f"{BUG} AND t.team_key = 'ACCEL' AND {RUNNING}")),
        (
            "how many bugs has the team of Grace got open",
            f"SELECT count(*) AS n {ROWS} WHERE {OPEN} AND {BUG} AND t.team_key = 'HARBOR'",
        ),
        (
            "who is in Levi's team",
            "SELECT full_name FROM users JOIN teams USING (team_id) WHERE team_key = 'ACCEL' LIMIT 1000",
        ),
        ("bugs of Levi's and Grace's team", LIST.format(f"{BUG} AND t.team_key IN ('ACCEL', 'HARBOR')")),
        ("bugs that are not in Levi's team", LIST.format(f"{BUG} AND t.team_key <> 'ACCEL'")),
        ("Levi's and Grace's bugs", LIST.format(f"{BUG} AND u.full_name IN ('Levi Walker', 'Grace Lindqvist')")),
    ],
)
def test_the_team_of_a_person_is_the_team(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


def test_the_team_of_a_person_is_said() -> None:
    assert "Took 'Levi's team' as ACCEL." in ask("open tickets in Levi's team").assumptions


def test_the_team_of_two_namesakes_is_asked() -> None:
    assert "Which Avery" in ask("bugs of Avery's team").answer
