"""A property of a row compared with another, and moments of what lasts: right, or refused with a fix."""

from typing import Any

import pytest
from pydantic import ValidationError

from sprints.semantics.compile import compile_query
from sprints.semantics.describe import describe_query, remove_chip
from sprints.semantics.errors import SemanticError
from sprints.semantics.model import shipped_model
from sprints.semantics.query import MetricQuery
from tests.sprints.semantics.running import Answer, run_checked

MODEL = shipped_model()
pytestmark = pytest.mark.usefixtures("django_db_setup")


def make_query(**where: Any) -> MetricQuery:
    return MetricQuery.model_validate({"measures": ["issues"], "where": where})


def compare(field: str, op: str, than: str, **more: Any) -> MetricQuery:
    return make_query(kind="comparison", field=field, op=op, than=than, **more)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("query", "truth"),
    [
        (compare("resolved_at", "gt", "due_date"), "(resolved_at AT TIME ZONE 'UTC')::date > due_date"),
        (compare("due_date", "ge", "resolved_at"), "(resolved_at AT TIME ZONE 'UTC')::date <= due_date"),
        (compare("spent_hours_of_issue", "le", "estimated_hours_of_issue"),
         "time_spent_hours <= original_estimate_hours"),
        (compare("started_at", "lt", "resolved_at"), "started_at < resolved_at"),
    ],
)  # fmt: skip
def test_two_properties_of_a_row_are_compared(query: MetricQuery, truth: str) -> None:
    (row,) = run_checked(f"SELECT count(*) AS n FROM sprintscope.issues WHERE {truth}")

    assert Answer.of(query).value == row["n"]


@pytest.mark.parametrize(
    ("field", "than"),
    [("resolved_at", "story_points"), ("story_points", "spent_hours_of_issue"), ("assignee", "reporter"),
     ("label", "label"), ("resolved_at", "due"), ("is_blocked", "is_blocked"), ("sprint_start", "created_at")],
)  # fmt: skip
def test_what_cannot_be_compared_is_refused_with_a_fix(field: str, than: str) -> None:
    with pytest.raises(SemanticError) as refused:
        compile_query(compare(field, "gt", than), model=MODEL)

    assert refused.value.suggestion


@pytest.mark.parametrize("more", [{"op": "eq"}, {"op": "in"}, {"op": "is_null"}, {"op": "gt", "values": [3]}])
def test_a_comparison_with_another_property_has_an_order_and_no_values(more: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="without values"):
        make_query(**{"kind": "comparison", "field": "resolved_at", "than": "due_date"} | more)


def test_it_is_described_and_its_chip_can_be_removed() -> None:
    query = compare("resolved_at", "gt", "due_date")
    described = describe_query(query, model=MODEL)

    assert "resolved after due date" in described.text
    assert remove_chip(query, 0).where is None


@pytest.mark.parametrize(("start", "end"), [("2026-10-01", "2026-10-01"), ("2026-10-02", "2026-10-01")])
def test_a_range_without_days_is_refused_of_what_happens_at_a_moment(start: str, end: str) -> None:
    with pytest.raises(SemanticError, match="no time"):
        compile_query(make_query(kind="time", role="created", start=start, end=end), model=MODEL)


def test_a_range_that_ends_before_it_begins_is_refused_of_what_lasts() -> None:
    with pytest.raises(SemanticError, match="no time"):
        compile_query(make_query(kind="time", role="open_during", start="2026-10-02", end="2026-10-01"), model=MODEL)
