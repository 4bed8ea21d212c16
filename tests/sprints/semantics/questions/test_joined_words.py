"""What "and", "or", "but not" and "without" join inside one question: each item counts, or it is asked back."""

import pytest

from tests.sprints.semantics.questions.reading import parse, read
from tests.sprints.semantics.questions.test_answers import ask, assert_same_rows

pytestmark = pytest.mark.usefixtures("django_db_setup")

OPEN = "i.status_category <> 'Done'"
ISSUES = "FROM issues AS i JOIN teams AS t ON t.team_id = i.team_id"
STAYS = f"{ISSUES} JOIN sprint_issues AS m USING (issue_id) JOIN sprints AS s ON s.sprint_id = m.sprint_id"
OCTOBER = "i.resolved_at >= '2026-10-01' AND i.resolved_at < '2026-11-01'"
BUG, STORY = "i.issue_type = 'Bug'", "i.issue_type = 'Story'"
NOBODY, UNSIZED = "i.assignee_id IS NULL", "i.story_points IS NULL"
BOTH_OPEN = f"SELECT count(*), sum(i.story_points) {ISSUES} WHERE {OPEN}"


def list_summary(*columns: str, sprint: int = 8) -> str:
    """Return the statement of columns of each team's sprint."""
    rows = "FROM sprint_summary JOIN teams USING (team_id)"
    return f"SELECT team_key, {', '.join(columns)} {rows} WHERE sprint_name LIKE '% Sprint {sprint}'"


def count_stays(where: str, *, sprint: int) -> str:
    """Return the statement of how many issues of each team's sprint are so."""
    return f"SELECT t.team_key, count(*) {STAYS} WHERE s.sprint_name LIKE '% Sprint {sprint}' AND ({where}) GROUP BY 1"


def list_stays(where: str, *, sprint: int) -> str:
    """Return the statement of the issues of a sprint that are so."""
    return f"SELECT i.issue_key {STAYS} WHERE s.sprint_name LIKE '% Sprint {sprint}' AND {where} LIMIT 1000"


def list_issues(where: str) -> str:
    """Return the statement of the issues that are so."""
    return f"SELECT i.issue_key {ISSUES} WHERE {where} LIMIT 1000"


COMPLETED = ("completed_issues", "completed_points")
REMAINING = ("remaining_issues", "remaining_points")


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("how many issues and points were completed in sprint 8", list_summary(*COMPLETED)),
        ("how many points and tickets were completed in sprint 8", list_summary(*COMPLETED[::-1])),
        ("how many issues and how many points were completed in sprint 8", list_summary(*COMPLETED)),
        ("completed issues and points by team last sprint", list_summary(*COMPLETED)),
        ("completed points and issues by team last sprint", list_summary(*COMPLETED[::-1])),
        ("how many issues and points are left in sprint 9", list_summary(*REMAINING, sprint=9)),
        ("remaining issues and points in sprint 9", list_summary(*REMAINING, sprint=9)),
        ("how many issues and points were added in sprint 8", list_summary("added_issues", "added_points")),
        ("how many issues and points were carried over in sprint 8",
         list_summary("carried_over_issues", "carried_over_points")),
        ("points and issues per team in sprint 9", list_summary("scope_points", "scope_issues", sprint=9)),
        ("how many issues and points are open", BOTH_OPEN),
        ("how many issues and points were done in October",
         f"SELECT count(*), sum(i.story_points) {ISSUES} WHERE i.status_category = 'Done' AND {OCTOBER}"),
        ("open issues and points by team",
         f"SELECT t.team_key, count(*), sum(i.story_points) {ISSUES} WHERE {OPEN} GROUP BY 1"),
        ("how many open issues and points does Levi Walker have",
         (f"SELECT count(*), sum(i.story_points) {ISSUES} JOIN users AS u ON u.user_id = i.assignee_id "
          f"WHERE {OPEN} AND u.full_name = 'Levi Walker'")),
        ("how many bugs are open and how many points are they", f"{BOTH_OPEN} AND {BUG}"),
    ],
)  # fmt: skip
def test_issues_and_points_are_both_counted(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


@pytest.mark.parametrize(
    "question",
    [
        "how many bugs and points were completed in sprint 8",
        "how many stories and points are open",
        "bugs and points by team in sprint 9",
        "how many points and bugs are open",
        "which team completed the most issues and points in sprint 8",
        "velocity and issues per sprint",
        "how many committed issues and completed points in sprint 8",
        "issues and completed points in sprint 8",
        "completed points and committed issues in sprint 8",
        "points and reopened issues by team",
        "average lead time and open issues by team",
        "average points and issues completed per sprint by ORBIT",
    ],
)
def test_joined_nouns_of_which_one_would_be_lost_are_asked_back(question: str) -> None:
    answer = ask(question)

    assert answer.is_ambiguous, answer.interpretation


def test_points_beside_listed_issues_are_those_of_each() -> None:
    assert read("open bugs and their points").columns == ("issue", "title", "story_points")


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("how many issues were added or removed in sprint 9",
         count_stays("m.was_added_after_start OR m.was_removed", sprint=9)),
        ("how many issues were removed or added in sprint 9",
         count_stays("m.was_added_after_start OR m.was_removed", sprint=9)),
        ("how many issues were added to or removed from sprint 9",
         count_stays("m.was_added_after_start OR m.was_removed", sprint=9)),
        ("issues added or removed in sprint 9 by team",
         count_stays("m.was_added_after_start OR m.was_removed", sprint=9)),
        ("how many issues were completed or carried over in sprint 8",
         count_stays("m.was_completed OR m.was_carried_over", sprint=8)),
        ("how many issues were committed or added in sprint 8",
         count_stays("m.was_committed OR m.was_added_after_start", sprint=8)),
        ("how many stories or bugs were added or completed in sprint 8",
         count_stays(f"({STORY} OR {BUG}) AND (m.was_added_after_start OR m.was_completed)", sprint=8)),
        ("how many issues were added, removed or carried over in sprint 8",
         count_stays("m.was_added_after_start OR m.was_removed OR m.was_carried_over", sprint=8)),
        ("which issues were added, removed or carried over in sprint 8",
         list_stays("(m.was_added_after_start OR m.was_removed OR m.was_carried_over)", sprint=8)),
        ("which issues were added or removed in sprint 9",
         list_stays("(m.was_added_after_start OR m.was_removed)", sprint=9)),
        ("how many issues are blocked, overdue or unassigned",
         (f"SELECT count(*) {ISSUES} WHERE i.is_blocked OR {NOBODY} OR "
          "(i.due_date < '2026-11-18' AND i.status_category <> 'Done')")),
        ("issues in sprint 9 that are done or blocked",
         list_stays("m.is_in_scope AND (i.status_category = 'Done' OR i.is_blocked)", sprint=9)),
    ],
)  # fmt: skip
def test_what_is_one_or_the_other_is_counted_once(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


@pytest.mark.parametrize(
    "question",
    [
        "how many points were added or removed in sprint 9",
        "points completed or removed in sprint 8",
        "how many issues were blocked or reopened in sprint 8",
        "which issues were reopened or blocked in sprint 8",
        "how many issues were created or resolved in October",
        "issues resolved or started last week",
        "how many issues were resolved or blocked in October",
        "issues added to sprint 9 or still open",
    ],
)
def test_an_alternative_that_would_lose_its_time_or_number_is_asked_back(question: str) -> None:
    answer = ask(question)

    assert answer.is_ambiguous, answer.interpretation


@pytest.mark.parametrize(
    ("question", "where"),
    [
        ("stories without assignee and points", f"{OPEN} AND {STORY} AND {NOBODY} AND {UNSIZED}"),
        ("stories without points and assignee", f"{OPEN} AND {STORY} AND {NOBODY} AND {UNSIZED}"),
        ("stories with no points and assignee", f"{OPEN} AND {STORY} AND {NOBODY} AND {UNSIZED}"),
        ("stories without assignee or estimate", f"{OPEN} AND {STORY} AND {NOBODY} AND {UNSIZED}"),
        ("stories without estimate or assignee", f"{OPEN} AND {STORY} AND {NOBODY} AND {UNSIZED}"),
        ("issues without points and epic", f"{OPEN} AND {UNSIZED} AND i.epic_id IS NULL"),
        ("issues without assignee, estimate and label",
         f"{OPEN} AND {NOBODY} AND {UNSIZED} AND cardinality(i.labels) = 0"),
        ("issues without assignee, due date or estimate",
         f"{OPEN} AND {NOBODY} AND {UNSIZED} AND i.due_date IS NULL"),
        ("issues with no label, epic and due date",
         f"{OPEN} AND i.epic_id IS NULL AND cardinality(i.labels) = 0 AND i.due_date IS NULL"),
    ],
)  # fmt: skip
def test_without_reaches_all_that_it_is_followed_by(question: str, where: str) -> None:
    assert_same_rows(question, truth=list_issues(where))


def test_an_owned_property_behind_what_rows_lack_is_shown() -> None:
    assert "assignee" in read("bugs without estimate and their assignee").columns


@pytest.mark.parametrize(
    ("question", "same"),
    [
        ("issues added to sprint 9 but not started", "issues added to sprint 9 and not started"),
        ("committed but not started issues in sprint 9", "committed and not started issues in sprint 9"),
        ("issues that are blocked but not started", "issues that are blocked and not started"),
        ("open bugs but not estimated", "open bugs that are not estimated"),
    ],
)
def test_but_not_says_what_and_not_says(question: str, same: str) -> None:
    answer, other = ask(question), ask(same)

    assert answer.interpretation
    assert answer.interpretation == other.interpretation


@pytest.mark.parametrize(
    "question",
    ["issues added to sprint 9 but not started", "issues added to sprint 9 but not yet started"],
)
def test_what_is_done_was_started(question: str) -> None:
    assert_same_rows(question, truth=list_stays("m.was_added_after_start AND i.status_category = 'To Do'", sprint=9))


FOUR = ("committed_points", "added_points", "removed_points", "completed_points")


@pytest.mark.parametrize(
    ("question", "columns"),
    [
        ("how many committed and how many completed points in sprint 8", ("committed_points", "completed_points")),
        ("how many added and how many removed points in sprint 8", ("added_points", "removed_points")),
        ("committed, added, removed and completed points in sprint 8", FOUR),
        ("committed, added and completed points in sprint 8 by team", (FOUR[0], FOUR[1], FOUR[3])),
        ("added, removed points in sprint 8", FOUR[1:3]),
        ("committed and completed points in sprint 8", ("committed_points", "completed_points")),
        ("how many added and how many removed issues in sprint 8", ("added_issues", "removed_issues")),
    ],
)
def test_a_noun_said_once_is_that_of_the_whole_list(question: str, columns: tuple[str, ...]) -> None:
    assert_same_rows(question, truth=list_summary(*columns))


@pytest.mark.parametrize(
    ("question", "where"),
    [
        ("issues committed in sprint 8 and removed", "m.was_committed AND m.was_removed"),
        ("which issues were committed in sprint 8 and removed", "m.was_committed AND m.was_removed"),
        ("issues added to sprint 8 and completed", "m.was_added_after_start AND m.was_completed"),
        ("stories committed in sprint 8 and removed", f"{STORY} AND m.was_committed AND m.was_removed"),
    ],
)
def test_states_around_a_sprint_are_both_true_of_its_issues(question: str, where: str) -> None:
    assert_same_rows(question, truth=list_stays(where, sprint=8))


@pytest.mark.parametrize(
    "question",
    [
        "how many issues were committed in sprint 8 and removed",
        "points committed in sprint 8 and completed",
        "what was committed in sprint 8 and removed",
        "issues committed in sprint 7 and completed in sprint 8",
    ],
)
def test_a_number_of_states_around_a_sprint_is_asked_back(question: str) -> None:
    assert parse(question).query is None
