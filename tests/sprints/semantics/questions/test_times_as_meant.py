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
