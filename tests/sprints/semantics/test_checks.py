"""What is checked before an answer is given: numbers of the text, filters of the rows, a second derivation."""

from typing import Any

import pytest

from sprints.semantics.checks import (
    find_cut,
    find_disagreements,
    find_missing_change,
    find_second_derivation,
    find_ties,
    find_total,
    find_unfiltered_rows,
    find_unused_values,
)
from sprints.semantics.model import shipped_model
from sprints.semantics.query import MetricQuery

MODEL = shipped_model()
ROWS = [{"team": "ACCEL", "points": 41.5}, {"team": "ORBIT", "points": 30}]
OPEN = {"kind": "named", "predicate": "open"}


def query(**parts: Any) -> MetricQuery:
    return MetricQuery.model_validate(parts)


def compare(field: str, op: str, *values: object) -> dict[str, Any]:
    return {"kind": "comparison", "field": field, "op": op, "values": list(values)}


@pytest.mark.parametrize(
    ("where", "row", "is_doubted"),
    [
        (OPEN, {"status_category": "Done"}, True),
        (OPEN, {"status_category": "To Do"}, False),
        (OPEN, {"issue": "ACCEL-1"}, False),
        ({"kind": "not", "part": OPEN}, {"status_category": "To Do"}, True),
        (compare("team", "eq", "ORBIT"), {"team_key": "ACCEL"}, True),
        (compare("team", "eq", "orbit"), {"team": "ORBIT"}, False),
        (compare("team", "ne", "ORBIT"), {"team": "ORBIT"}, True),
        (compare("issue_type", "in", "Bug", "Task"), {"issue_type": "Story"}, True),
        (compare("story_points", "gt", 5), {"story_points": 5}, True),
        (compare("story_points", "gt", 5), {"story_points": 8}, False),
        (compare("assignee", "is_null"), {"assignee": "Levi Walker"}, True),
        ({"kind": "time", "role": "created", "start": "2026-10-01"}, {"created_at": "2026-09-30T23:59:00.000Z"}, True),
        ({"kind": "time", "role": "created", "start": "2026-10-01"}, {"created_at": "2026-10-01T00:00:00.000Z"}, False),
    ],
)
def test_rows_that_fail_a_filter_are_doubted(where: dict[str, Any], row: dict[str, Any], is_doubted: bool) -> None:  # noqa: FBT001 - a parameter of the table
    doubts = find_unfiltered_rows([row], query=query(rows_of="issue", where=where), model=MODEL)

    assert bool(doubts) == is_doubted


def test_a_statement_of_somebody_else_must_name_the_values_of_the_question() -> None:
    asked = query(measures=["issues"], where={"kind": "and", "parts": [OPEN, compare("label", "eq", "customer")]})

    assert find_unused_values("SELECT count(*) FROM issues WHERE status_category <> 'Done'", query=asked)
    assert not find_unused_values("SELECT count(*) FROM issues WHERE 'Customer' = ANY (labels)", query=asked)


def test_a_second_derivation_that_disagrees_is_named_by_group() -> None:
    asked = query(measures=["velocity"], group_by=[{"kind": "dimension", "dimension": "team"}])

    second = find_second_derivation(asked, model=MODEL)

    assert second is not None
    assert second.measures == ("velocity_by_membership",)
    rows = [{"team": "ACCEL", "velocity": 40}, {"team": "ORBIT", "velocity": 30}]
    others = [{"team": "ACCEL", "velocity_by_membership": 40}, {"team": "ORBIT", "velocity_by_membership": 31}]
    doubts = find_disagreements(rows, second_rows=others, query=asked, model=MODEL)
    assert doubts == ("Two ways to compute velocity disagree for ORBIT: 30 and 31.",)


def test_what_the_second_derivation_cannot_filter_is_not_checked() -> None:
    asked = query(measures=["completed_points"], where=compare("issue_type", "eq", "Bug"))

    assert find_second_derivation(asked, model=MODEL) is None


RANKED = query(
    measures=["points"], group_by=[{"kind": "dimension", "dimension": "team"}], rank={"count": 1, "by": "points"}
)


def test_rows_beyond_a_rank_share_its_last_place_and_that_is_said() -> None:
    tied = [{"team": "ACCEL", "points": 30}, {"team": "ORBIT", "points": 30}]

    assert find_ties(tied, query=RANKED) == ("2 rows share the first place.",)
    assert not find_ties(tied[:1], query=RANKED)
    two = RANKED.model_copy(update={"rank": RANKED.rank.model_copy(update={"count": 2})})  # type: ignore[union-attr]
    rows = [{"team": "ACCEL", "points": 40}, *tied]
    assert find_ties(rows, query=two) == (
        "3 rows are listed instead of 2, because the last of them share their place.",
    )


def test_a_change_from_a_time_without_a_number_is_said_to_be_none() -> None:
    by_quarter = [{"kind": "time", "grain": "quarter"}]
    change = query(measures=["velocity"], group_by=by_quarter, trend=True)
    rows = [{"quarter": "2026-04-01", "velocity": 35}, {"quarter": "2026-07-01", "velocity": 37}]

    assert find_missing_change(rows[1:], query=change)
    assert not find_missing_change(rows, query=change)
    assert not find_missing_change(rows[1:], query=change.model_copy(update={"trend": False}))


@pytest.mark.parametrize(
    ("sql", "is_said"),
    [
        ("SELECT issue_key FROM issues ORDER BY created_at LIMIT 2", True),
        ("SELECT issue_key FROM issues ORDER BY created_at\nLIMIT 2;", True),
        ("SELECT issue_key FROM issues ORDER BY created_at LIMIT 3", False),
        ("SELECT issue_key FROM issues ORDER BY created_at FETCH FIRST 2 ROWS WITH TIES", False),
    ],
)
def test_a_statement_that_ends_at_its_limit_may_cut_a_tie(sql: str, *, is_said: bool) -> None:
    assert bool(find_cut(ROWS, sql=sql)) is is_said


def by(*dimensions: str) -> list[dict[str, str]]:
    return [{"kind": "dimension", "dimension": dimension} for dimension in dimensions]


@pytest.mark.parametrize(
    ("asked", "column"),
    [
        ({"measures": ["issues"], "group_by": by("team")}, "issues"),
        ({"measures": ["issues"], "group_by": by("label")}, ""),
        ({"measures": ["points"], "group_by": by("team", "label")}, ""),
        ({"measures": ["average_points"], "group_by": by("team")}, ""),
        ({"measures": ["velocity"], "group_by": by("sprint")}, ""),
        ({"measures": ["issues"], "group_by": by("team"), "limit": 2}, ""),
        ({"measures": ["issues"], "group_by": by("team"), "rank": {"by": "issues"}}, ""),
        ({"rows_of": "issue"}, "story_points"),
        ({"rows_of": "sprint"}, ""),
        ({"rows_of": "issue", "columns": ["issue", "title"]}, ""),
        ({"rows_of": "membership"}, "points_at_end"),
        ({"rows_of": "scope_change"}, "scope_change_points"),
        ({"rows_of": "sprint_day"}, ""),
        ({"rows_of": "points_change"}, ""),
    ],
)
def test_only_rows_that_add_up_have_a_total(asked: dict[str, Any], column: str) -> None:
    assert find_total(query(**asked), model=MODEL) == column
