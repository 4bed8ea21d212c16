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


@pytest.mark.parametrize(
    "question",
    [
        "issues moved back from QA",
        "how many issues moved back from QA last week",
        "issues moved back out of QA",
        "issues moved back from Code Review",
    ],
)
def test_back_from_a_status_is_asked_back_as_statuses_have_no_order(question: str) -> None:
    assert ask(question).is_ambiguous


MOVED = (
    "SELECT DISTINCT i.issue_key FROM issues AS i JOIN teams AS t USING (team_id) JOIN status_changes AS h "
    "USING (issue_id) WHERE {} LIMIT 1000"
)
LAST_WEEK = "h.changed_at >= '2026-11-09' AND h.changed_at < '2026-11-16'"
OCTOBER = "h.changed_at >= '2026-10-01' AND h.changed_at < '2026-11-01'"


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("bugs moved back from Done",
         MOVED.format("i.issue_type = 'Bug' AND h.from_category = 'Done' AND h.to_category <> 'Done'")),
        ("issues moved out of QA", MOVED.format("h.from_status = 'QA'")),
        ("issues pulled out of QA last week", MOVED.format(f"h.from_status = 'QA' AND {LAST_WEEK}")),
        ("issues moved to Done last week", MOVED.format(f"h.to_category = 'Done' AND {LAST_WEEK}")),
        ("which bugs were moved to Done in October",
         MOVED.format(f"i.issue_type = 'Bug' AND h.to_category = 'Done' AND {OCTOBER}")),
        ("issues of HARBOR moved to Done last week",
         MOVED.format(f"t.team_key = 'HARBOR' AND h.to_category = 'Done' AND {LAST_WEEK}")),
        ("issues moved from Verifying to Done last week",
         MOVED.format(f"h.from_status = 'Verifying' AND h.to_category = 'Done' AND {LAST_WEEK}")),
        ("issues moved to Shipped last week", MOVED.format(f"h.to_status = 'Shipped' AND {LAST_WEEK}")),
        ("issues moved from Done to In Progress",
         MOVED.format("h.from_category = 'Done' AND h.to_status = 'In Progress'")),
    ],
)  # fmt: skip
def test_a_move_is_to_or_from_a_status_and_done_is_whatever_a_team_calls_it(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


COUNT = "SELECT count(*) AS n FROM issues AS i JOIN teams AS t USING (team_id) WHERE {}"


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("how many issues are Shipped", COUNT.format("i.status = 'Shipped'")),
        ("how many ACCEL issues are Shipped", COUNT.format("i.status = 'Shipped' AND t.team_key = 'ACCEL'")),
        ("list Shipped bugs",
         "SELECT issue_key FROM issues WHERE status = 'Shipped' AND issue_type = 'Bug' LIMIT 1000"),
        ("how many issues are Done", COUNT.format("i.status_category = 'Done'")),
        ("how many issues are shipped", COUNT.format("i.status_category = 'Done'")),
        ("how many issues were Shipped in October",
         COUNT.format("i.status_category = 'Done' AND i.resolved_at >= '2026-10-01' AND i.resolved_at < '2026-11-01'")),
    ],
)  # fmt: skip
def test_a_status_written_as_it_is_named_is_that_status(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)
