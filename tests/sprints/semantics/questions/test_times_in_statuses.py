"""How long a named issue was in a status, and what left one."""

import pytest

from tests.sprints.semantics.questions.test_answers import ask, assert_same_rows

pytestmark = pytest.mark.usefixtures("django_db_setup")

DAYS = (
    "SELECT sum(extract(epoch FROM coalesce(p.left_at, (SELECT as_of FROM snapshot)) - p.entered_at) / 86400) AS days "
    "FROM status_periods AS p JOIN issues AS i USING (issue_id) WHERE i.issue_key = 'ORBIT-95' AND {}"
)
MOVED = (
    "SELECT {} FROM issues AS i WHERE EXISTS (SELECT 1 FROM status_changes AS c WHERE c.issue_id = i.issue_id "
    "AND c.from_status = 'QA' AND {}) LIMIT 1000"
)
YESTERDAY = "c.changed_at >= '2026-11-17' AND c.changed_at < '2026-11-18'"
THIS_WEEK = "c.changed_at >= '2026-11-16' AND c.changed_at < '2026-11-23'"


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("how long was ORBIT-95 in QA", DAYS.format("p.status = 'QA'")),
        ("how many days was ORBIT-95 in QA", DAYS.format("p.status = 'QA'")),
        ("how much time did ORBIT-95 spend in QA", DAYS.format("p.status = 'QA'")),
        ("how long was ORBIT-95 in review", DAYS.format("p.status IN ('Code Review', 'In Review')")),
        ("time ORBIT-95 spent in each status",
         DAYS.replace("SELECT sum", "SELECT p.status, sum", 1).format("true") + " GROUP BY 1 LIMIT 1000"),
        ("which issues left QA yesterday", MOVED.format("issue_key", YESTERDAY)),
        ("what left QA yesterday", MOVED.format("issue_key", YESTERDAY)),
        ("what came out of QA yesterday", MOVED.format("issue_key", YESTERDAY)),
        ("how many issues left QA this week", MOVED.format("count(*) AS n", THIS_WEEK)),
        ("what has left QA", MOVED.format("issue_key", "true")),
        ("what is left in QA",
         "SELECT issue_key FROM issues WHERE status = 'QA' AND status_category <> 'Done' LIMIT 1000"),
    ],
)  # fmt: skip
def test_stays_in_statuses_are_known(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


@pytest.mark.parametrize(
    "question",
    [
        "when was ORBIT-95 in QA",
        "who left QA yesterday",
        "how long was ORBIT-95 not in QA",
        "how long were ORBIT-95 and ORBIT-94 in QA",
    ],
)
def test_what_is_no_stay_is_asked_back(question: str) -> None:
    assert ask(question).is_ambiguous
