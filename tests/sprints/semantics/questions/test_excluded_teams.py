"""Teams that a question leaves out choose no sprint, and what is asked of the sprints of a kind of issues."""

import pytest

from tests.sprints.semantics.questions.reading import parse
from tests.sprints.semantics.questions.test_answers import assert_same_rows

pytestmark = pytest.mark.usefixtures("django_db_setup")
COMPLETED = """
SELECT team_key, sum(completed_points) FROM sprint_summary JOIN teams USING (team_id)
WHERE sprint_name LIKE '% Sprint 8' AND team_key <> 'ORBIT' GROUP BY 1
"""
BUGS = """
SELECT s.sprint_name, count(*) AS bugs FROM sprint_issues AS m JOIN sprints AS s ON s.sprint_id = m.sprint_id
JOIN issues AS i ON i.issue_id = m.issue_id
WHERE issue_type = 'Bug' AND (removed_at IS NULL OR removed_at >= completed_at) AND {}
GROUP BY s.sprint_name ORDER BY bugs DESC FETCH FIRST 1 ROWS WITH TIES
"""
STAYS = """
SELECT team_key, avg(extract(epoch FROM left_at - entered_at) / 86400) FROM status_periods
JOIN issues USING (issue_id) JOIN teams USING (team_id)
WHERE status_periods.status IN ('Code Review', 'In Review') AND left_at IS NOT NULL GROUP BY 1
"""


@pytest.mark.parametrize(
    "question",
    [
        "completed points per team last sprint, not counting ORBIT",
        "completed points by team last sprint except ORBIT",
        "completed points last sprint for all teams but ORBIT",
        "completed points in sprint 8 without ORBIT",
    ],
)
def test_a_team_that_is_left_out_chooses_no_sprint(question: str) -> None:
    assert_same_rows(question, truth=COMPLETED)


@pytest.mark.parametrize(
    ("question", "condition"),
    [
        ("Which sprint had the most bugs for HARBOR?", "s.sprint_name LIKE 'HARBOR%'"),
        ("Which HARBOR sprint had the most bugs?", "s.sprint_name LIKE 'HARBOR%'"),
        ("which sprint had the most bugs", "true"),
    ],
)
def test_the_sprint_with_the_most_of_a_type_has_most_of_it_in_it(question: str, condition: str) -> None:
    assert_same_rows(question, truth=BUGS.format(condition))


@pytest.mark.parametrize("question", ["time in review per team", "average time in review by team"])
def test_the_time_in_a_status_is_known_by_its_short_name(question: str) -> None:
    assert_same_rows(question, truth=STAYS)


@pytest.mark.parametrize(
    "question",
    [
        "what did not ORBIT finish last sprint", "what has not Levi started", "which issues did not ORBIT close",
        "how many bugs per story point", "percentage of work added after sprint start, per team",
        "who is the reporter of most reopened bugs", "which sprint had the most open bugs",
        "which sprint had most bugs reported", "which sprint had the most bugs created", "what slipped in ORBIT",
    ],
)  # fmt: skip
def test_what_would_be_misread_is_asked_back(question: str) -> None:
    assert parse(question).query is None
