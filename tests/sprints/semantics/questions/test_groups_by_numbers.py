"""Groups in the order of a number of theirs: epics by open issues, people by tickets."""

import pytest

from sprints.semantics.query import DimensionGroup
from tests.sprints.semantics.questions.reading import parse, read
from tests.sprints.semantics.questions.test_answers import assert_same_rows

pytestmark = pytest.mark.usefixtures("django_db_setup")
OPEN_BUGS = """
SELECT team_key, count(*) FROM issues JOIN teams USING (team_id)
WHERE status_category <> 'Done' AND issue_type = 'Bug' GROUP BY 1
"""


@pytest.mark.parametrize(
    ("question", "measure", "group"),
    [
        ("labels by open bugs", "issues", "label"),
        ("assignees by open points", "points", "assignee"),
        ("types by cycle time", "cycle_time", "issue_type"),
        ("people by cycle time", "cycle_time", "assignee"),
        ("epics by blocked issues", "issues", "epic"),
        ("reporters by number of bugs", "issues", "reporter"),
        ("teams by bugs closed last month", "issues", "team"),
        ("people by open issues in ACCEL", "issues", "assignee"),
        ("people by tickets done in October", "issues", "assignee"),
        ("teams by velocity", "velocity", "team"),
    ],
)
def test_groups_are_ranked_by_a_number(question: str, measure: str, group: str) -> None:
    query = read(question)

    assert query.measures == (measure,)
    assert DimensionGroup(dimension=group) in query.group_by
    assert [(one.by, one.direction) for one in query.order] == [(measure, "desc")]


@pytest.mark.parametrize("question", ["open bugs by team", "people by team", "points by team", "open issues by epic"])
def test_numbers_by_a_group_are_in_its_order(question: str) -> None:
    assert not read(question).order


@pytest.mark.parametrize("question", ["teams by open bugs per sprint", "how many bugs by age"])
def test_what_is_no_number_of_each_is_asked_back(question: str) -> None:
    assert parse(question).query is None


def test_the_numbers_are_those_of_an_independent_statement() -> None:
    assert_same_rows("teams by open bugs", truth=OPEN_BUGS)


def test_how_old_rows_are_is_asked_of_open_ones() -> None:
    assert '"open"' in read("how old are our p0 bugs").model_dump_json()
    assert '"open"' not in read("how old are the done bugs").model_dump_json()
