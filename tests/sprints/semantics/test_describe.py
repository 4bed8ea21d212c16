"""The parse shown back: words, pieces to take away, definitions."""

import pytest

from sprints.semantics.describe import describe_query, remove_chip
from sprints.semantics.model import shipped_model
from sprints.semantics.query import MetricQuery

MODEL = shipped_model()

OPEN = {"kind": "named", "predicate": "open"}
ORBIT = {"kind": "comparison", "field": "team", "op": "eq", "values": ["ORBIT"]}
CUSTOMER = {"kind": "comparison", "field": "label", "op": "eq", "values": ["customer"]}
SPRINT_7 = {"kind": "comparison", "field": "sprint_number", "op": "eq", "values": [7]}


def _query(**parts: object) -> MetricQuery:
    return MetricQuery.model_validate(parts)


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (
            {"measures": ["issues"], "where": {"kind": "and", "parts": [OPEN, CUSTOMER, ORBIT]}},
            "open issues, labelled customer, team ORBIT, now",
        ),
        (
            {"measures": ["resolved_points"], "where": {"kind": "time", "start": "2026-01-01", "end": "2027-01-01"}},
            "resolved points, in 2026",
        ),
        (
            {"measures": ["resolved_issues"], "where": {"kind": "time", "start": "2026-02-01", "end": "2026-03-01"}},
            "resolved issues, in February 2026",
        ),
        (
            {"measures": ["created_issues"], "where": {"kind": "time", "start": "2026-02-03", "end": "2026-02-10"}},
            "created issues, from 3 February 2026 to 9 February 2026",
        ),
        (
            {"rows_of": "issue", "where": {"kind": "in_period", "how": "during", "role": "blocked", "where": SPRINT_7}},
            "list of issues, blocked during sprint 7",
        ),
        (
            {
                "measures": ["issues"],
                "where": {"kind": "not", "part": OPEN},
                "group_by": [{"kind": "dimension", "dimension": "team"}],
                "rank": {"by": "issues", "count": 1},
            },
            "issues, not open, by team, the highest by issues, now",
        ),
        (
            {
                "measures": ["issues"],
                "where": {"kind": "or", "parts": [{"kind": "and", "parts": [ORBIT, CUSTOMER]}, OPEN]},
            },
            "issues, (team ORBIT and labelled customer), or open, now",
        ),
        (
            {"measures": ["issues"], "share": {"part": {"kind": "named", "predicate": "unassigned"}}, "where": OPEN},
            "open issues, share that is unassigned, now",
        ),
    ],
)
def test_a_query_reads_as_a_person_would_say_it(parts: dict[str, object], text: str) -> None:
    assert describe_query(_query(**parts), model=MODEL).text == text


def test_each_filter_is_a_piece_with_its_field_and_value() -> None:
    query = _query(measures=["issues"], where={"kind": "and", "parts": [OPEN, ORBIT]})

    chips = describe_query(query, model=MODEL).chips

    assert [(chip.field, chip.operator, chip.values) for chip in chips] == [
        ("open", "is", ()),
        ("team", "eq", ("ORBIT",)),
    ]


def test_taking_every_piece_away_leaves_the_bare_question() -> None:
    query = _query(
        measures=["issues"],
        where={"kind": "and", "parts": [OPEN, ORBIT]},
        group_by=[{"kind": "dimension", "dimension": "team"}],
        having=[{"measure": "issues", "op": "gt", "value": 3}],
        rank={"by": "issues"},
    )

    while chips := describe_query(query, model=MODEL).chips:
        query = remove_chip(query, chips[-1].position)

    assert query == _query(measures=["issues"])


def test_terms_are_defined_beside_the_words() -> None:
    query = _query(measures=["velocity"], where={"kind": "time", "start": "2026-01-01"})

    assumptions = describe_query(query, model=MODEL).assumptions

    assert any("closed sprint" in line for line in assumptions)
    assert "The time is when the sprint closed." in assumptions
