"""How long issues took, whether they were late, and when the last of them was done: beside independent statements."""

import pytest

from tests.sprints.semantics.questions.test_answers import ask, assert_same_rows

pytestmark = pytest.mark.usefixtures("django_db_setup")

COUNT = "SELECT count(*) AS n FROM issues AS i JOIN teams AS t USING (team_id) WHERE "
LIST = "SELECT issue_key FROM issues AS i JOIN teams AS t USING (team_id) WHERE {} LIMIT 1000"
DONE = "status_category = 'Done'"
DAYS = "EXTRACT(epoch FROM resolved_at - {}) / 86400"


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("Which p1 bugs took more than 5 days?",
         LIST.format(f"priority = 'p1' AND issue_type = 'Bug' AND {DAYS.format('started_at')} > 5")),
        ("Which stories took less than 2 days?",
         LIST.format(f"issue_type = 'Story' AND {DAYS.format('started_at')} < 2")),
        ("bugs that took a week or more", LIST.format(f"issue_type = 'Bug' AND {DAYS.format('started_at')} >= 7")),
        ("How many bugs were fixed within 5 days?",
         f"{COUNT} issue_type = 'Bug' AND {DONE} AND {DAYS.format('created_at')} <= 5"),
        ("How many stories did ORBIT close in less than 10 days?",
         f"{COUNT} team_key = 'ORBIT' AND issue_type = 'Story' AND {DONE} AND {DAYS.format('created_at')} < 10"),
        ("Which issues were resolved after their due date?",
         LIST.format(f"{DONE} AND (resolved_at AT TIME ZONE 'UTC')::date > due_date")),
        ("issues done late", LIST.format(f"{DONE} AND (resolved_at AT TIME ZONE 'UTC')::date > due_date")),
        ("How many issues did ORBIT finish late?",
         f"{COUNT} team_key = 'ORBIT' AND {DONE} AND (resolved_at AT TIME ZONE 'UTC')::date > due_date"),
        ("How many stories were finished on time?",
         f"{COUNT} issue_type = 'Story' AND {DONE} AND (resolved_at AT TIME ZONE 'UTC')::date <= due_date"),
        ("Which bugs took longer than estimated?",
         LIST.format("issue_type = 'Bug' AND time_spent_hours > original_estimate_hours")),
        ("Which issues exceeded their estimate?", LIST.format("time_spent_hours > original_estimate_hours")),
        ("Which issues took more hours than estimated?", LIST.format("time_spent_hours > original_estimate_hours")),
        ("When was the last p0 issue closed?",
         f"SELECT issue_key, resolved_at FROM issues WHERE priority = 'p0' AND {DONE} ORDER BY 2 DESC LIMIT 1"),
        ("When was the first bug of HARBOR created?",
         ("SELECT issue_key, created_at FROM issues AS i JOIN teams AS t USING (team_id) WHERE team_key = 'HARBOR' "
          "AND issue_type = 'Bug' ORDER BY created_at LIMIT 1")),
        ("When was the most recent bug of ORBIT created?",
         ("SELECT issue_key, created_at FROM issues AS i JOIN teams AS t USING (team_id) WHERE team_key = 'ORBIT' "
          "AND issue_type = 'Bug' ORDER BY created_at DESC LIMIT 1")),
        ("When was the last sprint of ORBIT closed?",
         ("SELECT team_key, sprint_name, completed_at FROM sprints AS s JOIN teams AS t USING (team_id) "
          "WHERE team_key = 'ORBIT' AND state = 'closed' ORDER BY completed_at DESC LIMIT 1")),
        ("Which people are in no team?",
         "SELECT full_name, NULL AS team, is_active FROM users WHERE team_id IS NULL LIMIT 1000"),
        ("Who is inactive?", "SELECT full_name, NULL AS team, is_active FROM users WHERE NOT is_active LIMIT 1000"),
        ("Is Robin Castellano active?",
         "SELECT full_name, NULL AS team, is_active FROM users WHERE full_name = 'Robin Castellano'"),
    ],
)  # fmt: skip
def test_an_answer_has_the_rows_of_an_independent_statement(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


@pytest.mark.parametrize(
    "question",
    [
        "Which bugs were not fixed within 2 days?",
        "Which issues are due within 7 days?",
        "Which issues were blocked within 2 days?",
        "Which bugs took 3 days?",
        "Which bugs took more than 5 days to resolve?",
        "Which teams spent more hours than estimated?",
        "Which issues are on time?",
        "Which issues were not finished on time?",
        "When were the last bugs closed?",
        "When was the last bug not closed?",
    ],
)
def test_what_has_no_place_is_asked_back(question: str) -> None:
    assert ask(question).is_ambiguous
