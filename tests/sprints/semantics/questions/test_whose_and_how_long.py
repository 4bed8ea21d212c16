"""Whose rows take longest, what is still in a sprint, time in each status but one, and a property said alone."""

import pytest

from sprints.semantics.query import DimensionGroup
from tests.sprints.semantics.questions.reading import follow, parse, read
from tests.sprints.semantics.questions.test_answers import assert_same_rows

STAYS = """
SELECT status_periods.status, round(avg(extract(epoch FROM left_at - entered_at) / 86400), 2) AS days
FROM status_periods JOIN issues AS i USING (issue_id) WHERE left_at IS NOT NULL AND {}
GROUP BY status_periods.status LIMIT 1000
"""


@pytest.mark.parametrize(
    ("question", "direction"),
    [
        ("whose bugs take the longest", "desc"),
        ("whose bugs take the shortest", "asc"),
        ("whose bugs are fixed fastest", "asc"),
        ("whose bugs in ORBIT take the longest to close", "desc"),
    ],
)
def test_whose_issues_take_longest_is_asked_of_people(question: str, direction: str) -> None:
    query = read(question)

    assert query.measures == ("average_cycle_time",)
    assert query.group_by == (DimensionGroup(dimension="assignee"),)
    assert query.rank is not None
    assert query.rank.direction == direction


@pytest.mark.parametrize(
    "question",
    ["whose bugs are the oldest", "whose stories are the biggest", "whose bugs have been open the longest"],
)
def test_whose_rows_are_extreme_is_asked_back(question: str) -> None:
    assert parse(question).why.startswith("Do you mean one person")


def test_whose_one_row_is_extreme_is_shown() -> None:
    assert read("whose bug is the oldest").rows_of == "issue"


@pytest.mark.parametrize(
    "question",
    [
        "how long is the current sprint still", "how long is the current sprint still running",
        "how long does the current sprint still run", "how much longer is the current sprint going",
    ],
)  # fmt: skip
def test_how_long_a_sprint_still_runs_is_what_is_left_of_it(question: str) -> None:
    assert read(question) == read("how many days are left in the current sprint")


@pytest.mark.parametrize(
    "question",
    [
        "how many bugs are there still in sprint 10", "how many issues are still in the current sprint",
        "which bugs are still in sprint 10", "what is still in sprint 10", "are there still bugs in sprint 10",
        "how many points are still in sprint 10",
    ],
)  # fmt: skip
def test_what_is_still_in_a_sprint_is_asked_back(question: str) -> None:
    assert parse(question).unbound == ("still",)


@pytest.mark.parametrize(
    "question",
    [
        "how many bugs are still open in sprint 10", "how many bugs still remain in sprint 10",
        "how many points are still left in sprint 10", "bugs still in QA in sprint 10",
        "is ACCEL-3 still in sprint 10", "what is still unfinished in sprint 10",
    ],
)  # fmt: skip
def test_what_is_still_so_in_a_sprint_is_read(question: str) -> None:
    assert parse(question).query is not None


@pytest.mark.usefixtures("django_db_setup")
@pytest.mark.parametrize(
    ("question", "where"),
    [
        ("average time in each status excluding QA", "status_periods.status <> 'QA'"),
        ("average time in each status excluding the To Do status", "status_periods.status <> 'To Do'"),
        ("time spent in each status excluding QA and Code Review", "status_periods.status !~ 'QA|Code Review'"),
        ("average time in each status excluding done issues", "i.status_category <> 'Done'"),
        ("average time in each status of open issues", "i.status_category <> 'Done'"),
        ("average time in each status of bugs that are not done", "i.status_category <> 'Done' AND issue_type = 'Bug'"),
        ("average time in each status for p0 issues", "priority = 'p0'"),
    ],
)
def test_time_in_each_status(question: str, where: str) -> None:
    assert_same_rows(question, truth=STAYS.format(where))


@pytest.mark.parametrize(
    "question",
    [
        "average time in each status excluding to do",
        "average time in each status without to do",
        "median time in each status except in progress",
        "time in each status, not done",
        "time in status by team not counting to do",
    ],
)
def test_a_status_of_now_is_not_left_out_of_the_time_in_each(question: str) -> None:
    assert parse(question).why.startswith("Without the time in")


@pytest.mark.parametrize(
    "question", ["days blocked of open issues by team", "average time in QA of done issues by team"]
)
def test_issues_behind_a_number_are_no_groups_of_it(question: str) -> None:
    assert read(question).group_by == (DimensionGroup(dimension="team"),)


@pytest.mark.parametrize("then", ["estimate", "estimates", "the estimates", "their estimates", "show estimates"])
def test_an_estimate_alone_is_shown_of_all_rows(then: str) -> None:
    before = read("open bugs")
    found = follow(before, then)

    assert found is not None
    assert found.where == before.where
    assert found.columns == ("issue", "title", "story_points")


@pytest.mark.parametrize("then", ["estimated", "only estimated", "with estimates"])
def test_an_estimate_that_is_said_of_rows_limits_them(then: str) -> None:
    found = follow(read("open bugs"), then)

    assert found is not None
    assert '"estimated"' in found.model_dump_json()


@pytest.mark.parametrize("first", ["how many bugs are open", "open bugs by team"])
def test_an_estimate_alone_behind_a_number_is_asked_back(first: str) -> None:
    assert follow(read(first), "estimates") is None


@pytest.mark.parametrize("then", ["estimates of ORBIT", "estimates by team", "estimate them"])
def test_an_estimate_of_others_is_asked_back(then: str) -> None:
    assert follow(read("open bugs"), then) is None
    assert parse(then).query is None


def test_estimates_of_rows_are_shown_of_all_of_them() -> None:
    query = read("estimates of open bugs")

    assert query.columns == ("issue", "title", "story_points")
    assert query.where == read("open bugs").where


@pytest.mark.parametrize("question", ["estimates", "estimates by team", "estimate per team"])
def test_estimates_of_nothing_are_asked_back(question: str) -> None:
    assert parse(question).query is None
