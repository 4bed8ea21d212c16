"""Properties of one issue, person or sprint, and how many have or did something. Pure."""

import pytest

from sprints.semantics.describe import split_conditions
from sprints.semantics.query import Has
from tests.sprints.semantics.questions.reading import parse, read


@pytest.mark.parametrize(
    ("question", "columns"),
    [
        ("What is the status of ACCEL-13 and who is assigned to it?", {"status", "assignee"}),
        ("Who reported ACCEL-13 and what priority does it have?", {"priority", "reporter"}),
        ("Which sprint is ACCEL-13 in?", {"current_sprint"}),
        ("which sprint ACCEL-13 is in and how many points it has", {"current_sprint", "story_points"}),
        ("How old is ACCEL-13?", {"age_days"}),
        ("Is ACCEL-13 blocked?", {"is_blocked"}),
        ("Is ACCEL-13 done?", {"status_category"}),
        ("Is ACCEL-13 a bug?", {"issue_type"}),
        ("Is ACCEL-13 in QA?", {"status"}),
        ("Was ACCEL-13 blocked?", {"times_blocked"}),
        ("How long did ACCEL-13 take?", {"cycle_time_days"}),
        ("How big is ACCEL-13?", {"story_points"}),
        ("For how many days has ACCEL-13 been blocked?", {"blocked_for_days"}),
        ("How long has ACCEL-13 been in progress?", {"work_age_days"}),
        ("How long has ACCEL-13 been in QA?", {"status_age_days"}),
        ("How often was ACCEL-13 reopened?", {"reopened_count"}),
        ("How many times has ACCEL-13 been carried over?", {"times_carried_over"}),
        ("By when is ACCEL-13 due?", {"due_date"}),
        ("What epic is ACCEL-13 part of?", {"epic"}),
        ("Is anybody assigned to ACCEL-13?", {"assignee"}),
        ("Which team is Levi Walker on?", {"person", "team"}),
    ],
)
def test_the_property_is_shown(question: str, columns: set[str]) -> None:
    query = read(question)

    assert set(query.columns) - {"issue", "title"} == columns


@pytest.mark.parametrize(
    ("question", "entity"),
    [
        ("Who moved ACCEL-13 to Done?", "status_change"),
        ("Who moved ACCEL-13 back out of Done?", "status_change"),
        ("Who changed the estimate of ACCEL-13, and from what to what?", "points_change"),
    ],
)
def test_who_changed_an_issue_is_of_its_changes(question: str, entity: str) -> None:
    query = read(question)

    assert query.rows_of == entity
    assert "changed_by" in query.columns


def test_a_status_behind_out_of_is_the_one_before() -> None:
    assert "'from_status'" in str(read("Who moved ACCEL-13 back out of Done?").model_dump(mode="json"))


@pytest.mark.parametrize(
    ("question", "relation", "at_least"),
    [
        ("How many people resolved bugs in October?", "assigned_issues", 1),
        ("How many people reported bugs in October?", "reported_issues", 1),
        ("How many people in HARBOR have at least one open p1?", "assigned_issues", 1),
        ("How many people have more than 3 open bugs?", "assigned_issues", 4),
        ("How many teams closed bugs in October?", "issues", 1),
    ],
)
def test_those_who_did_or_have_something_are_counted(question: str, relation: str, at_least: int) -> None:
    (has,) = [part for part in split_conditions(read(question).where) if isinstance(part, Has)]

    assert (has.relation, has.at_least) == (relation, at_least)


@pytest.mark.parametrize(
    "question",
    [
        "How long was the sprint?",
        "How long did ACCEL-13 take in QA?",
        "How often was ACCEL-13 blocked in October?",
        "Who changed ACCEL-13?",
        "Who closed ACCEL-13?",
        "How many teams have at most 3 open bugs?",
        "How many bugs were fixed and how long were they open?",
        "Which sprint was ACCEL-13 in?",
    ],
)
def test_what_no_property_says_is_asked_back(question: str) -> None:
    assert parse(question).query is None
