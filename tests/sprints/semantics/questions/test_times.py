"""Times in questions: days, weeks and ages beside statements written independently, and what is asked back."""

import pytest

from tests.sprints.semantics.questions.reading import parse, read
from tests.sprints.semantics.questions.test_answers import assert_same_rows

TRUTHS = [
    ("created 10-14 Nov",
     "SELECT issue_key FROM issues WHERE created_at >= '2026-11-10' AND created_at < '2026-11-15' LIMIT 1000"),
    ("Which customer issues came in after the first of November?",
     "SELECT issue_key FROM issues WHERE 'customer' = ANY (labels) AND created_at >= '2026-11-02' LIMIT 1000"),
    ("How many issues were resolved in the second half of October, by team?",
     ("SELECT team_key, count(*) AS n FROM issues JOIN teams USING (team_id) WHERE status_category = 'Done' AND "
      "resolved_at >= '2026-10-16' AND resolved_at < '2026-11-01' GROUP BY team_key")),
    ("Bugs resolved 3 November or later",
     ("SELECT issue_key FROM issues WHERE issue_type = 'Bug' AND status_category = 'Done' AND resolved_at >= "
      "'2026-11-03' LIMIT 1000")),
    ("bugs created in September or October",
     ("SELECT issue_key FROM issues WHERE issue_type = 'Bug' AND date_trunc('month', created_at AT TIME ZONE 'UTC') "
      "IN ('2026-09-01', '2026-10-01') LIMIT 1000")),
    ("What is due within the next two weeks and isn't done?",
     ("SELECT issue_key FROM issues WHERE status_category <> 'Done' AND due_date BETWEEN '2026-11-18' AND '2026-12-02' "
      "LIMIT 1000")),
    ("open bugs over two weeks old",
     ("SELECT issue_key FROM issues, snapshot WHERE issue_type = 'Bug' AND status_category <> 'Done' AND created_at < "
      "as_of - interval '14 days' LIMIT 1000")),
    ("Which issues have been in Code Review or In Review for more than a day?",
     ("SELECT issue_key FROM issues AS i, snapshot WHERE status IN ('Code Review', 'In Review') AND (SELECT "
      "max(changed_at) FROM status_changes AS c WHERE c.issue_id = i.issue_id) < as_of - interval '1 day' LIMIT 1000")),
]  # fmt: skip


@pytest.mark.usefixtures("django_db_setup")
@pytest.mark.parametrize(("question", "truth"), TRUTHS)
def test_an_answer_has_the_rows_of_an_independent_statement(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


@pytest.mark.parametrize(
    ("question", "same"),
    [
        ("issues due by Friday", "issues due until 2026-11-20"),
        ("stories due in December", "stories due in December 2026"),
        ("issues due from 25 Nov to 3 Dec", "issues due between 2026-11-25 and 2026-12-03"),
        ("Which sprints end in December?", "Which sprints end in December 2026?"),
        ("Which sprints ended in December?", "Which sprints ended in December 2025?"),
        ("bugs that were at least 10 days old", "bugs that were 10 days old or more"),
        ("open issues older than a couple of weeks", "open issues older than 14 days"),
        ("open for longer than a week and a half", "open for longer than 10.5 days"),
        ("blocked for at least half a day", "blocked for at least 0.5 days"),
        ("points completed in the penultimate sprint", "points completed in the sprint before last"),
    ],
)
def test_two_wordings_of_a_time_are_one_query(question: str, same: str) -> None:
    assert read(question) == read(same)


@pytest.mark.parametrize(
    "question",
    [
        "bugs two weeks old",
        "Which sprints start next week?",
        "issues created tomorrow",
        "bugs not created in September or October",
        "bugs not created in September and October",
        "issues created recently",
        "issues resolved in the last days of October",
        "velocity over the last few sprints",
    ],
)
def test_a_time_that_is_not_clear_is_asked_back(question: str) -> None:
    assert parse(question).query is None
