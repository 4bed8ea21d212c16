"""States of which only the present is known, hours that are still estimated, and averages of sums."""

import pytest

from sprints.evaluation.comparing import same
from sprints.sql_sandbox.execution import try_execute
from tests.sprints.semantics.questions.test_answers import ask, assert_same_rows
from tests.sprints.semantics.questions.test_links_and_repetitions import follow
from toolbox.database import event_loop

pytestmark = pytest.mark.usefixtures("django_db_setup")

KEYS = "SELECT issue_key FROM issues JOIN teams USING (team_id) WHERE {} LIMIT 1000"
OPEN = "status_category <> 'Done'"
HOURS = "SELECT sum(remaining_estimate_hours) AS n FROM issues JOIN teams USING (team_id) WHERE {}"


@pytest.mark.parametrize(
    "question",
    [
        "issues that were unassigned",
        "issues that were overdue",
        "bugs that were unestimated",
        "which issues were in the backlog",
        "how many issues were unassigned in sprint 8",
        "how many issues were overdue in sprint 8",
        "how many bugs of ACCEL were unassigned",
        "were there any overdue issues in ACCEL",
        "which of the p0 bugs were overdue",
        "issues that were open",
        "bugs that were in progress",
    ],
)  # fmt: skip
def test_what_was_so_before_is_not_what_is_so_now(question: str) -> None:
    answer = ask(question)

    assert answer.is_ambiguous
    assert "known as of now" in answer.answer


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("issues that are unassigned", KEYS.format(f"assignee_id IS NULL AND {OPEN}")),
        ("how many of the overdue bugs were reopened",
         ("SELECT count(*) AS n FROM issues WHERE issue_type = 'Bug' AND due_date < '2026-11-18' "
          f"AND reopened_count > 0 AND {OPEN}")),
        ("issues that were created in October and are unassigned",
         KEYS.format(f"created_at >= '2026-10-01' AND created_at < '2026-11-01' AND assignee_id IS NULL AND {OPEN}")),
        ("which issues were closed in October", KEYS.format("resolved_at >= '2026-10-01' AND resolved_at < '2026-11-01'"
                                                            " AND status_category = 'Done'")),
    ],
)  # fmt: skip
def test_states_of_now_and_acts_of_the_past_are_answered(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("hours still estimated for ACCEL", HOURS.format("team_key = 'ACCEL'")),
        ("how many hours are still estimated for HARBOR", HOURS.format("team_key = 'HARBOR'")),
        ("how many hours are still estimated", HOURS.format("true")),
        ("how many hours are estimated", "SELECT sum(original_estimate_hours) AS n FROM issues"),
    ],
)  # fmt: skip
def test_what_is_still_estimated_is_what_remains(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


@pytest.mark.parametrize(
    "question",
    [
        "average points per person", "average points per team", "mean points per team",
        "average story points per assignee",
        "average points per epic", "average points for each team", "what is the average number of points per team",
    ],
)  # fmt: skip
def test_an_average_per_owner_is_not_that_of_an_issue(question: str) -> None:
    answer = ask(question)

    assert answer.is_ambiguous
    assert "average" in answer.answer


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("average size of an issue per team",
         "SELECT team_key, round(avg(story_points), 2) AS n FROM issues JOIN teams USING (team_id) GROUP BY 1"),
        ("average story points per issue by team",
         "SELECT team_key, round(avg(story_points), 2) AS n FROM issues JOIN teams USING (team_id) GROUP BY 1"),
        ("average story points per issue type",
         "SELECT issue_type, round(avg(story_points), 2) AS n FROM issues GROUP BY 1"),
    ],
)  # fmt: skip
def test_an_average_of_issues_is_grouped(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


def test_the_progress_of_an_issue_without_issues_says_that_there_are_none() -> None:
    answer = ask("progress of ACCEL-40")

    assert "nothing" not in answer.answer
    assert "No issues match" in answer.answer
    assert "epic ACCEL-40" in answer.answer


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("average cycle time in ACCEL sprint 8", "completed in ACCEL Sprint 8"),
        ("sprints without bugs", "without issues (type Bug)"),
        ("epics without any open issues", "without issues (open)"),
    ],
)  # fmt: skip
def test_related_rows_are_said_in_english(question: str, said: str) -> None:
    answer = ask(question)

    assert answer.interpretation is not None
    assert said in answer.interpretation
    assert "memberships" not in answer.interpretation


@pytest.mark.parametrize(
    ("first", "then", "truth"),
    [
        ("open p0 issues", "only urgent ones", KEYS.format(f"{OPEN} AND priority = 'p0'")),
        ("open p0 issues", "which are urgent", KEYS.format(f"{OPEN} AND priority = 'p0'")),
        ("p2 issues of ACCEL", "urgent ones instead",
         KEYS.format("team_key = 'ACCEL' AND priority IN ('p0', 'p1')")),
        ("open urgent issues", "p0", KEYS.format(f"{OPEN} AND priority = 'p0'")),
        ("Levi's issues", "unassigned ones", KEYS.format("assignee_id IS NULL")),
        ("open p0 issues", "only p1", KEYS.format(f"{OPEN} AND priority = 'p1'")),
        ("open bugs", "urgent ones", KEYS.format(f"{OPEN} AND issue_type = 'Bug' AND priority IN ('p0', 'p1')")),
        ("issues in QA", "only the open ones", KEYS.format("status = 'QA'")),
    ],
)  # fmt: skip
def test_an_adjective_limits_the_rows_before(first: str, then: str, truth: str) -> None:
    gold = event_loop.run(try_execute(truth))

    answer = follow(first, then)

    assert not answer.is_ambiguous, answer.answer
    assert same(answer.rows, gold=gold.rows), (answer.sql, answer.rows[:5], gold.rows[:5])


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("open p0 issues", "urgent ones"), ("open p0 issues", "critical ones"),
        ("how many open p0 issues are there", "urgent ones"), ("p2 issues of ACCEL", "the urgent ones"),
        ("stories with 5 points", "estimated ones"),
    ],
)  # fmt: skip
def test_an_adjective_does_not_replace_a_name(first: str, then: str) -> None:
    answer = follow(first, then)

    assert answer.is_ambiguous
    assert "Say 'only', or 'instead'" in answer.answer
