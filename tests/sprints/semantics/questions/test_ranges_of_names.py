"""What lies between two names: all priorities of a range, and a question back where names have no order."""

import pytest

from sprints.semantics.questions.signs import spell_signs
from tests.sprints.semantics.questions.reading import INDEX, follow, parse, read
from tests.sprints.semantics.questions.test_answers import assert_same_rows

BETWEEN = "SELECT issue_key FROM issues WHERE status_category <> 'Done' AND priority IN ('p1', 'p2', 'p3') {}LIMIT 1000"


@pytest.mark.parametrize(
    "question",
    [
        "open p0-p2 bugs", "open bugs p0 - p2", "open bugs p0\u2013p2", "open bugs p2-p0", "open P0-P2 bugs",
        "open bugs p0 to p2", "open bugs p0 through p2", "open bugs p0..p2", "open p0s-p2s that are bugs",
    ],
)  # fmt: skip
def test_a_range_of_priorities_has_all_between(question: str) -> None:
    assert '"values":["p0","p1","p2"]' in read(question).model_dump_json()


@pytest.mark.usefixtures("django_db_setup")
@pytest.mark.parametrize(
    ("question", "more"),
    [
        ("open issues p1-p3", ""),
        ("open bugs in ORBIT p1-p3", "AND issue_type = 'Bug' AND issue_key LIKE 'ORBIT-%' "),
        ("open stories with priority p1 to p3", "AND issue_type = 'Story' "),
    ],
)
def test_rows_of_a_range(question: str, more: str) -> None:
    assert_same_rows(question, truth=BETWEEN.format(more))


def test_a_range_behind_a_question_and_negated() -> None:
    found = follow(read("open bugs"), "p0-p2")

    assert found is not None
    assert '"values":["p0","p1","p2"]' in found.model_dump_json()
    assert '"op":"not_in","values":["p0","p1","p2"]' in read("bugs not p0-p2").model_dump_json()


def test_a_range_is_one_number() -> None:
    assert read("how many open p0-p2 bugs").group_by == ()


@pytest.mark.parametrize(
    ("question", "values"), [("p0/p2 bugs", '["p0","p2"]'), ("p0, p2 bugs", '["p0","p2"]'), ("p0-p1", '["p0","p1"]')]
)
def test_without_a_dash_there_is_nothing_between(question: str, values: str) -> None:
    assert f'"values":{values}' in read(f"open {question}").model_dump_json()


@pytest.mark.parametrize(
    "question",
    [
        "open bugs-stories", "open bugs - stories", "ACCEL-ORBIT open bugs", "velocity ACCEL - ORBIT",
        "bugs of Levi Walker-Avery Smith", "issues in status QA-Done", "open p0-p9 bugs", "open p1-p1 bugs",
        "status of ACCEL-1 - ACCEL-4", "bugs moved from p0 to p2", "bugs raised p0 to p2", "security-tech-debt bugs",
        "bugs in QA - Done", "open - blocked bugs",
    ],
)  # fmt: skip
def test_a_dash_between_other_names_is_asked_back(question: str) -> None:
    assert parse(question).query is None


def test_a_dash_between_other_names_is_asked_back_behind_a_question() -> None:
    assert follow(read("open bugs"), "ACCEL-ORBIT") is None


@pytest.mark.parametrize("dash", ["-", " to ", " through "])
def test_a_team_said_twice_is_one_range_of_sprints(dash: str) -> None:
    said = f"velocity of ACCEL Sprint 5{dash}ACCEL Sprint 7"

    assert read(said) == read("velocity of ACCEL Sprint 5 - 7")


def test_names_without_such_numbers_stay_as_they_are() -> None:
    assert spell_signs("v1-v3", index=INDEX) == "v1-v3"
