"""What is to be done, what was meant to be done, and how long rows have been as they are."""

import pytest

from tests.sprints.semantics.questions.reading import parse, read
from tests.sprints.semantics.questions.test_answers import ask, assert_same_rows

pytestmark = pytest.mark.usefixtures("django_db_setup")

OPEN = "SELECT issue_key FROM issues JOIN teams USING (team_id) WHERE status_category <> 'Done' AND {} LIMIT 1000"
IN_SPRINT = """
SELECT DISTINCT issue_key FROM sprint_issues JOIN sprints USING (sprint_id) JOIN issues USING (issue_id)
WHERE sprint_name = '{}' AND removed_at IS NULL AND {} LIMIT 1000
"""
COMMITTED = """
SELECT DISTINCT issue_key FROM sprint_issues JOIN sprints USING (sprint_id) JOIN issues USING (issue_id)
WHERE sprint_name = '{}' AND was_committed LIMIT 1000
"""
OPEN_PER_TEAM = """
SELECT team_key, count(*) FROM issues JOIN teams USING (team_id)
WHERE status_category <> 'Done' AND {} GROUP BY 1 LIMIT 1000
"""
OLDEST = """
SELECT issue_key FROM issues WHERE is_in_backlog AND status_category <> 'Done' AND {}
ORDER BY created_at FETCH FIRST {} ROWS WITH TIES
"""


@pytest.mark.parametrize(
    "question",
    [
        "What do we plan to do for HARBOR in the coming sprint?",
        "what is HARBOR planning to do in sprint 10",
        "what is HARBOR going to do next sprint",
        "what does HARBOR plan to finish in the next sprint",
    ],
)
def test_what_is_planned_for_a_sprint_is_all_that_is_in_it(question: str) -> None:
    assert_same_rows(question, truth=IN_SPRINT.format("HARBOR Sprint 10", "true"))


@pytest.mark.parametrize("question", ["what did ORBIT plan to do in sprint 8", "what did ORBIT want to do last sprint"])
def test_what_was_planned_was_committed(question: str) -> None:
    assert_same_rows(question, truth=COMMITTED.format("ORBIT Sprint 8"))


@pytest.mark.parametrize(
    "question",
    [
        "what does ORBIT have to do this sprint", "what has ORBIT to do this sprint",
        "what does ORBIT need to do this sprint", "what's to do in ORBIT Sprint 9",
    ],
)  # fmt: skip
def test_what_is_owed_in_a_sprint_is_not_done(question: str) -> None:
    assert_same_rows(question, truth=IN_SPRINT.format("ORBIT Sprint 9", "done_at IS NULL"))


@pytest.mark.parametrize(
    ("question", "condition"),
    [
        ("what do we need to do", "true"),
        ("what is left to do", "true"),
        ("what do we still need to do in ACCEL", "team_key = 'ACCEL'"),
        ("what has HARBOR to do", "team_key = 'HARBOR'"),
        ("what remains to do in HARBOR", "team_key = 'HARBOR'"),
        ("do we have bugs to do", "issue_type = 'Bug'"),
    ],
)
def test_what_is_owed_is_open(question: str, condition: str) -> None:
    assert_same_rows(question, truth=OPEN.format(condition))


@pytest.mark.parametrize(
    "question",
    ["how many issues in to do", "issues to do for ORBIT", "what has HARBOR in to do", "what does ORBIT have in to do"],
)
def test_a_status_is_still_one(question: str) -> None:
    assert '"to_do"' in read(question).model_dump_json()


@pytest.mark.parametrize(
    "question", ["who has the most to do", "who has nothing to do", "which team has the most to do"]
)
def test_who_has_much_to_do_has_open_work(question: str) -> None:
    assert '"open"' in read(question).model_dump_json()


@pytest.mark.parametrize(
    "question",
    [
        "what did we plan to do", "what does Levi want to do", "how many points do we plan to do",
        "what was to do in ACCEL Sprint 8", "what did we need to do in sprint 8",
        "what did ORBIT have to do in sprint 8",
    ],
)  # fmt: skip
def test_what_was_meant_or_owed_at_no_known_time_is_asked_back(question: str) -> None:
    assert parse(question).query is None


@pytest.mark.parametrize(
    ("question", "condition", "count"),
    [
        ("what has been in the backlog longest?", "true", 1),
        ("longest in the backlog", "true", 10),
        ("oldest in backlog", "true", 10),
        ("which story has been sitting in the backlog the longest", "issue_type = 'Story'", 1),
    ],
)
def test_the_longest_in_the_backlog_are_the_oldest(question: str, condition: str, count: int) -> None:
    assert_same_rows(question, truth=OLDEST.format(condition, count))


def test_it_says_that_the_age_stands_for_the_time_in_the_backlog() -> None:
    said = "How long each has been in the backlog is not known: ranked by how long ago it was created."

    assert said in ask("what has been in the backlog longest?").assumptions


@pytest.mark.parametrize(
    "question",
    [
        "longest in to do", "what has been in to do longest", "which story has been to do the longest",
        "which issue has been unassigned the longest", "which issue has been unestimated the longest",
        "what has been in sprint 9 longest", "what has been without an epic the longest",
        "which backlog items have the longest lead time", "which issue has been blocked longest",
        "longest issue title", "longest blocked in ACCEL Sprint 8", "longest in QA in ACCEL Sprint 8",
    ],
)  # fmt: skip
def test_no_cycle_time_stands_for_how_long_rows_have_been_so(question: str) -> None:
    assert parse(question).query is None


@pytest.mark.parametrize(
    ("question", "by"),
    [
        ("which urgent issue took the longest", "cycle_time_days"),
        ("which issue took the longest", "cycle_time_days"),
        ("which bug has the longest lead time", "lead_time_days"),
        ("what has been open longest", "age_days"),
        ("longest standing bug", "age_days"),
        ("what has been in QA longest", "status_age_days"),
        ("what has been in progress longest", "work_age_days"),
    ],
)
def test_the_longest_of_the_rest_are_as_they_were(question: str, by: str) -> None:
    rank = read(question).rank

    assert rank is not None
    assert rank.by == by
    assert ('"open"' in read(question).model_dump_json()) == (by == "age_days")


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("how long is ACCEL sprint 8 still running", "ACCEL Sprint 8 was closed on 6 November 2026."),
        ("how many days are left in ACCEL sprint 8", "ACCEL Sprint 8 was closed on 6 November 2026."),
        ("how long is ACCEL sprint 10 still running", "ACCEL Sprint 10 has not been started."),
        ("how long is ACCEL sprint 10", "ACCEL Sprint 10 has not been started."),
    ],
)
def test_a_sprint_that_does_not_run_has_no_days_left(question: str, said: str) -> None:
    answer = ask(question)

    assert answer.is_ambiguous
    assert said in answer.answer


def test_a_sprint_that_runs_has_days_left() -> None:
    assert ask("how long is ACCEL sprint 9 still running").rows[0]["sprint_days_left"] > 0


@pytest.mark.parametrize(
    "question",
    ["time in each status, no to do", "time in each status, not to do", "open issues per person, no sub-tasks"],
)
def test_an_exclusion_is_never_left_aside(question: str) -> None:
    assert parse(question).query is None


@pytest.mark.parametrize(
    ("question", "condition"),
    [
        ("open bugs by team, no ORBIT", "issue_type = 'Bug' AND team_key <> 'ORBIT'"),
        ("open issues by team, no p0", "priority <> 'p0'"),
        ("open issues by team, ORBIT excluded", "team_key <> 'ORBIT'"),
    ],
)
def test_an_exclusion_behind_a_comma_excludes(question: str, condition: str) -> None:
    assert_same_rows(question, truth=OPEN_PER_TEAM.format(condition))
