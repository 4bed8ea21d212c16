"""By what the newest, the latest and the longest rows are so: by what happened to them, and by their own length."""

import pytest

from tests.sprints.semantics.questions.reading import follow, parse, read
from tests.sprints.semantics.questions.test_answers import assert_same_rows
from tests.sprints.semantics.questions.test_links_and_repetitions import follow as follow_in_chat

LONGEST = """
SELECT issue_key, blocked_at FROM blocked_periods JOIN issues USING (issue_id) CROSS JOIN snapshot
ORDER BY coalesce(unblocked_at, as_of) - blocked_at {} FETCH FIRST {} ROWS WITH TIES
"""


@pytest.mark.parametrize(
    ("question", "moment"),
    [
        ("issues closed last week, most recent first", "resolved_at"),
        ("issues closed last week, newest first", "resolved_at"),
        ("issues closed last week, latest first", "resolved_at"),
        ("issues started last week, most recent first", "started_at"),
        ("issues updated this week, most recent first", "updated_at"),
        ("blocked issues, newest first", "created_at"),
        ("bugs created last week, newest first", "created_at"),
        ("open bugs, newest first", "created_at"),
        ("issues due this week, newest first", "created_at"),
        ("closed bugs, most recent first", "resolved_at"),
        ("what was completed in ACCEL Sprint 8, most recent first", "done_at"),
        ("what was removed from ACCEL Sprint 8, most recent first", "removed_at"),
    ],
)
def test_rows_are_sorted_by_what_happened(question: str, moment: str) -> None:
    [order] = read(question).order

    assert (order.by, order.direction) == (moment, "desc")


@pytest.mark.parametrize(
    ("question", "moment"),
    [
        ("newest bug closed last week", "resolved_at"),
        ("the most recent 5 issues updated this week", "updated_at"),
        ("most recently created bug", "created_at"),
        ("most recent bugs", "created_at"),
        ("oldest open bug", "age_days"),
    ],
)
def test_rows_are_ranked_by_what_happened(question: str, moment: str) -> None:
    rank = read(question).rank

    assert rank is not None
    assert rank.by == moment


@pytest.mark.parametrize(
    ("first", "then", "moment"),
    [
        ("issues closed last week", "most recent", "resolved_at"),
        ("issues closed last week", "most recent first", "resolved_at"),
        ("issues closed last week", "newest first", "resolved_at"),
        ("issues started last week", "the newest", "started_at"),
        ("bugs created last week", "newest first", "created_at"),
        ("open bugs", "newest first", "created_at"),
        ("what was completed in ACCEL Sprint 8", "most recent", "done_at"),
        ("issues closed last week", "oldest", "age_days"),
    ],
)
def test_rows_before_are_ordered_by_what_happened(first: str, then: str, moment: str) -> None:
    found = follow(read(first), then)

    assert found is not None
    assert (found.rank.by if found.rank else found.order[0].by) == moment


@pytest.mark.parametrize(
    "question",
    [
        "closed bugs, newest first",
        "issues closed last week, oldest first",
        "issues blocked last week, most recent first",
        "blocked issues, most recent first",
        "issues updated this week, newest first",
        "issues created in October and closed in November, newest first",
        "newest links",
        "longest status change",
        "blockages with the most points",
    ],
)
def test_an_unclear_moment_is_asked_back(question: str) -> None:
    assert parse(question).query is None


@pytest.mark.usefixtures("django_db_setup")
@pytest.mark.parametrize(
    ("question", "order", "count"),
    [
        ("longest blockages", "DESC", 10),
        ("which blockages were longest", "DESC", 10),
        ("which blockages were the shortest", "ASC", 10),
        ("3 longest blockages", "DESC", 3),
        ("the longest blockage", "DESC", 1),
    ],
)
def test_blockages_are_ranked_by_how_long_they_lasted(question: str, order: str, count: int) -> None:
    assert_same_rows(question, truth=LONGEST.format(order, count))


@pytest.mark.parametrize(
    ("question", "by", "direction"),
    [
        ("oldest blockages", "blocked_at", "asc"),
        ("newest blockages", "blocked_at", "desc"),
        ("oldest status changes", "status_changed_at", "asc"),
        ("newest estimate changes", "points_changed_at", "desc"),
    ],
)
def test_events_are_ranked_by_their_own_moment(question: str, by: str, direction: str) -> None:
    rank = read(question).rank

    assert rank is not None
    assert (rank.by, rank.direction) == (by, direction)


def test_blockages_in_a_sprint_are_as_long_as_they_were_in_it() -> None:
    before = read("blockages in ACCEL Sprint 8")
    found = follow(before, "longest")

    assert found is not None
    assert found.rank is not None
    assert found.rank.by == "blockage_days_in_sprint"
    assert read("blockages in ACCEL Sprint 8, longest first").order[0].by == "blockage_days_in_sprint"


@pytest.mark.usefixtures("django_db_setup")
def test_the_longest_of_groups_is_the_group_with_the_most_days() -> None:
    answer = follow_in_chat("blocked days per team this month", "longest")

    assert [*answer.rows[0]] == ["team", "blocked_days"]
    assert answer.count == 1


def test_blocked_days_are_not_limited_to_sprints() -> None:
    assert read("blocked days per team").measures == ("blocked_days",)
    assert read("blocked days in ACCEL Sprint 8").measures == ("blocked_days_in_sprint",)
