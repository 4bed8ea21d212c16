"""How many issues were open on a day is read from their history, not from what is so now."""

import pytest

from tests.sprints.semantics.questions.test_answers import ask, assert_same_rows

pytestmark = pytest.mark.usefixtures("django_db_setup")

COUNT = """
SELECT count(*) AS n FROM issues AS i LEFT JOIN teams AS t USING (team_id) LEFT JOIN LATERAL (
  SELECT to_category FROM status_changes AS h WHERE h.issue_id = i.issue_id AND h.changed_at < '{moment}'
  ORDER BY h.changed_at DESC LIMIT 1) AS last ON true
WHERE i.created_at < '{moment}' AND {where}
"""
OPEN = "coalesce(last.to_category, 'To Do') <> 'Done'"


@pytest.mark.parametrize(
    ("question", "moment", "where"),
    [
        ("How many bugs were open on 1 October?", "2026-10-02", f"{OPEN} AND issue_type = 'Bug'"),
        ("How many open bugs did we have a month ago?", "2026-10-19", f"{OPEN} AND issue_type = 'Bug'"),
        ("How many unresolved issues were there in HARBOR yesterday?", "2026-11-18", f"{OPEN} AND team_key = 'HARBOR'"),
        ("How many issues were open on 10 August?", "2026-08-11", OPEN),
        ("How many bugs that were open on 1 October are done?", "2026-10-02",
         f"{OPEN} AND issue_type = 'Bug' AND status_category = 'Done'"),
        ("How many bugs that were open on 1 October are still open?", "2026-10-02",
         f"{OPEN} AND issue_type = 'Bug' AND status_category <> 'Done'"),
        ("How many bugs were open at the end of October?", "2026-11-01", f"{OPEN} AND issue_type = 'Bug'"),
        ("How many ORBIT issues were open at the start of October?", "2026-10-01", f"{OPEN} AND team_key = 'ORBIT'"),
        ("How many issues were in progress on 2 November?", "2026-11-03", "last.to_category = 'In Progress'"),
        ("How many stories were in progress a week ago?", "2026-11-12",
         "last.to_category = 'In Progress' AND issue_type = 'Story'"),
    ],
)  # fmt: skip
def test_a_state_on_a_day_is_read_from_the_history(question: str, moment: str, where: str) -> None:
    assert_same_rows(question, truth=COUNT.format(moment=moment, where=where))


def test_the_rows_of_a_past_day_can_be_listed() -> None:
    assert_same_rows(
        "Which p0 issues were open on 1 October?",
        truth=f"SELECT i.issue_key {COUNT.partition('AS n')[2].format(moment='2026-10-02', where=OPEN)} "
        "AND priority = 'p0' LIMIT 1000",
    )


def test_two_days_are_set_side_by_side() -> None:
    def truth(day: str, moment: str) -> str:
        counted = COUNT.format(moment=moment, where=f"{OPEN} AND issue_type = 'Bug'")
        return f"SELECT '{day}' AS day, n FROM ({counted}) AS counted"

    assert_same_rows(
        "How many open bugs were there on 1 October and 1 November?",
        truth=f"{truth('1 October', '2026-10-02')} UNION ALL {truth('1 November', '2026-11-02')}",
    )


def test_it_says_that_the_end_of_the_day_is_meant() -> None:
    answer = ask("How many bugs were open on 1 October?")

    assert "at the end of 1 October 2026" in str(answer.interpretation)
    assert any("as it is now" in one for one in answer.assumptions)


@pytest.mark.parametrize(
    "question",
    [
        "How many bugs are open on 1 October?",
        "How many open bugs on 1 October?",
        "How many bugs were open in October?",
        "How many bugs were not open on 1 October?",
        "How many open issues did Levi Walker have on 1 October?",
        "How many issues of ORBIT Sprint 8 were open on 5 November?",
        "How many bugs in QA were open on 1 October?",
        "How many bugs were open at the end of the month?",
        "How many unassigned bugs were open on 1 October?",
        "How many issues were open when ORBIT Sprint 8 started?",
        "How many issues were open last week?",
        "How many points were open on 1 October?",
    ],
)
def test_what_the_history_does_not_say_is_asked_back(question: str) -> None:
    assert ask(question).is_ambiguous
