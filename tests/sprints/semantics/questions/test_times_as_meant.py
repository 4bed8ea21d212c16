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
