"""What a query in its own words was read as, where that was another one: each kind with an example."""

import pytest

from sprints.semantics.describe import split_conditions
from sprints.semantics.enums import Operator
from sprints.semantics.query import Comparison, Condition, NamedCondition, TimeRange
from tests.sprints.semantics.questions.reading import parse, read


@pytest.mark.parametrize(
    "question",
    [
        "issues, with blocked periods (done)",  # a bracket is a scope of its own
        "open issues, team ACCEL (not bugs)",
        "resolved points, with assignee",  # to have one, or to show it
        "issues with due date",
        "blockages, with started at",
        "resolved points, with hours spent",
        "status changes, by to status",
        "carried-over issues, in work during in September 2026",
        "blockages, blocked in September 2026",  # from when it began, or whether the issue was blocked then
        "blockages, by week blocked",
        "issues without links to it",  # of several rows, "it" is none
        "issues not updated for less than 3 days",
    ],
)
def test_words_of_unclear_scope_are_asked_back(question: str) -> None:
    assert parse(question).query is None


def test_a_team_in_brackets_behind_a_name_is_of_the_name() -> None:
    assert read("open issues assigned to Avery Hernandez (ACCEL)") == read(
        "open issues assigned to Avery Hernandez, team ACCEL"
    )


@pytest.mark.parametrize("article", ["an", "any"])
def test_in_an_epic_is_a_condition_and_no_type(article: str) -> None:
    assert NamedCondition(predicate="has_epic") in _conditions(f"open issues in {article} epic")


def test_a_range_of_due_days_keeps_its_end() -> None:
    (part,) = _conditions("issues due from 3 August 2026 to 5 October 2026")

    assert isinstance(part, TimeRange)
    assert (str(part.start), str(part.end)) == ("2026-08-03", "2026-10-06")


def test_a_status_is_a_status_although_its_name_is_a_state_too() -> None:
    (part,) = _conditions("issues in status To Do or In Progress")

    assert isinstance(part, Comparison)
    assert (part.field, part.values) == ("status", ("To Do", "In Progress"))


def test_an_epic_that_is_not_named_is_another_epic_and_not_another_issue() -> None:
    (part,) = _conditions("issues, epic not ACCEL-12")

    assert isinstance(part, Comparison)
    assert (part.field, str(part.op), part.values) == ("epic", "ne", ("ACCEL-12",))


def test_not_changed_for_at_least_so_long_is_not_longer_than_that() -> None:
    (_, part) = _conditions("open issues not updated for at least 3 days")

    assert isinstance(part, Comparison)
    assert part.op is Operator.GE


def test_a_property_with_its_value_is_no_group() -> None:
    assert read("median cycle time, status category not To Do").group_by == ()
    assert read("hours spent, due date: no due date").group_by == ()


def test_a_number_of_points_limits_no_days() -> None:
    assert parse("median time in status by epic with more than 3 points").query is None


def test_people_by_team_are_people_and_not_their_issues() -> None:
    found = parse("people by team").query

    assert found is None or found.measures == ("people",)


def _conditions(question: str) -> tuple[Condition, ...]:
    return split_conditions(read(question).where)
