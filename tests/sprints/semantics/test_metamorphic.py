"""
What must hold between answers, whatever the data: tests written from the definitions, for every measure.

A filter never adds; a filter and its negation make up all; groups of an additive measure sum to its total; every
answer that can be derived another way is the same.
"""

from collections import Counter
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sprints.semantics.checks import find_disagreements, find_second_derivation, find_unfiltered_rows
from sprints.semantics.compile import compile_query
from sprints.semantics.enums import Grain, Operator
from sprints.semantics.lookup import allowed_dimensions, allowed_predicates, allowed_times
from sprints.semantics.model import Measure, shipped_model
from sprints.semantics.query import (
    And,
    Comparison,
    Condition,
    DimensionGroup,
    Has,
    MeasureLimit,
    MetricQuery,
    NamedCondition,
    Not,
    Or,
    Order,
    Rank,
    Share,
    TimeGroup,
    TimeRange,
)
from sprints.semantics.scope import reaches
from tests.sprints.semantics.running import Answer, run_sql

MODEL = shipped_model()
pytestmark = pytest.mark.slow
SHOWN = [measure.id for measure in MODEL.measures.values() if not measure.hidden]
COUNTS = [m.id for m in MODEL.measures.values() if m.additive and "count" in (m.expression or "")]
ADDITIVE = [m.id for m in MODEL.measures.values() if m.additive]
CHECKED = [m.id for m in MODEL.measures.values() if m.checked_by]
LISTED = [entity.id for entity in MODEL.entities.values() if entity.columns]


@pytest.fixture(autouse=True)
def _database(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    with django_db_blocker.unblock():
        yield


def value(measure: str, where: Condition | None = None) -> Decimal:
    return Decimal(str(Answer.of(MetricQuery(measures=(measure,), where=where)).value))


def count_rows(entity: str, where: Condition) -> int:
    return int(value(str(MODEL.entities[entity].count), where))


def groupable(measure: Measure) -> list[str]:
    return [d.id for d in allowed_dimensions(measure, model=MODEL) if d.groupable and not d.many]


@pytest.mark.parametrize("name", ADDITIVE)
def test_groups_of_an_additive_measure_sum_to_its_total(name: str) -> None:
    measure = MODEL.measures[name]
    total = value(name)

    for dimension in groupable(measure):
        answer = Answer.of(MetricQuery(measures=(name,), group_by=(DimensionGroup(dimension=dimension),)))
        rounding = len(answer.rows) * Decimal("0.05")
        assert len(answer.rows) < 1000
        assert sum(map(Decimal, map(str, answer.column(name)))) == pytest.approx(total, abs=rounding), dimension


@pytest.mark.parametrize("name", COUNTS)
def test_a_predicate_and_its_negation_make_up_all_and_neither_adds(name: str) -> None:
    total = value(name)

    for predicate in allowed_predicates(MODEL.measures[name], model=MODEL):
        holds = NamedCondition(predicate=predicate.id)
        met, failed = value(name, holds), value(name, Not(part=holds))
        assert met + failed == total, predicate.id
        assert value(name, Or(parts=(holds, Not(part=holds)))) == total
        assert value(name, And(parts=(holds, Not(part=holds)))) == 0
        if predicate.opposite:
            assert value(name, NamedCondition(predicate=predicate.opposite)) == failed


@pytest.mark.parametrize("name", [m for m in COUNTS if MODEL.measures[m].time])
def test_months_sum_to_the_range_and_a_range_never_adds(name: str) -> None:
    whole = Answer.of(MetricQuery(measures=(name,), group_by=(TimeGroup(grain=Grain.MONTH),)))
    years = Answer.of(MetricQuery(measures=(name,), group_by=(TimeGroup(grain=Grain.YEAR),)))
    if not whole.rows:
        return

    assert sum(whole.column(name)) == sum(years.column(name)) <= value(name)
    first, last = whole.rows[0]["month"], whole.rows[-1]["month"]
    assert value(name, TimeRange(start=first)) == sum(whole.column(name))
    assert value(name, TimeRange(end=first)) == 0
    assert value(name, TimeRange(start=first, end=last)) == sum(whole.column(name)[:-1])


@pytest.mark.parametrize("name", CHECKED)
def test_a_second_derivation_agrees_in_total_and_by_every_group_that_both_have(name: str) -> None:
    other = MODEL.measures[str(MODEL.measures[name].checked_by)]
    shared = set(groupable(MODEL.measures[name])) & set(groupable(other))
    queries = [MetricQuery(measures=(name,))]
    queries += [MetricQuery(measures=(name,), group_by=(DimensionGroup(dimension=d),)) for d in sorted(shared)]

    for query in queries:
        second = find_second_derivation(query, model=MODEL)
        assert second is not None
        second_rows = run_sql(compile_query(second, model=MODEL).sql)
        assert not find_disagreements(Answer.of(query).rows, second_rows=second_rows, query=query, model=MODEL)


@pytest.mark.parametrize("name", ["issues", "sprint_issues", "completed_points", "blockages"])
def test_shares_of_all_groups_sum_to_a_hundred_and_a_part_is_what_its_filter_counts(name: str) -> None:
    team = DimensionGroup(dimension="team")

    shares = Answer.of(MetricQuery(measures=(name,), group_by=(team,), share=Share()))
    urgent = NamedCondition(predicate="urgent") if name != "blockages" else NamedCondition(predicate="still_blocked")
    part = Answer.of(MetricQuery(measures=(name,), share=Share(part=urgent))).rows[0]

    assert sum(shares.column(f"{name}_share")) == pytest.approx(Decimal(100), abs=Decimal("0.3"))
    assert Decimal(str(part[f"{name}_part"])) == value(name, urgent)
    assert Decimal(str(part[name])) == value(name)


def comparisons(entity: str) -> st.SearchStrategy[Condition]:
    """Draw conditions over the terms that an entity's rows have, with values that some row or none has."""
    reached = [d for d in MODEL.dimensions.values() if reaches(MODEL.entities[entity], term=d, model=MODEL)]
    texts = [d.id for d in reached if d.type == "text" and not d.values]
    numbers = [d.id for d in reached if d.type == "number"]
    predicates = [p.id for p in MODEL.predicates.values() if reaches(MODEL.entities[entity], term=p, model=MODEL)]
    times = [r.id for r in MODEL.time_roles.values() if reaches(MODEL.entities[entity], term=r, model=MODEL)]
    words = st.sampled_from(["ACCEL", "Bug", "p1", "Done", "customer", "QA", "it's 100% \\ _x", "ORBIT Sprint 4", ""])
    options: list[st.SearchStrategy[Condition]] = []
    if texts:
        equal = st.sampled_from([Operator.EQ, Operator.NE, Operator.CONTAINS])
        options.append(
            st.builds(lambda f, o, v: Comparison(field=f, op=o, values=(v,)), st.sampled_from(texts), equal, words)
        )
    if numbers:
        ordered = st.sampled_from([Operator.LT, Operator.GE, Operator.EQ, Operator.NE])
        amounts = st.integers(-3, 40)
        options.append(
            st.builds(
                lambda f, o, v: Comparison(field=f, op=o, values=(v,)), st.sampled_from(numbers), ordered, amounts
            )
        )
    if predicates:
        options.append(st.builds(lambda p: NamedCondition(predicate=p), st.sampled_from(predicates)))
    if times:
        days = st.dates(min_value=date(2026, 6, 1), max_value=date(2026, 12, 1))
        options.append(st.builds(lambda r, s: TimeRange(role=r, start=s), st.sampled_from(times), days))
    simple = st.one_of(options)
    return st.recursive(
        simple,
        lambda inner: st.one_of(
            st.builds(lambda part: Not(part=part), inner),
            st.builds(lambda a, b: And(parts=(a, b)), inner, inner),
            st.builds(lambda a, b: Or(parts=(a, b)), inner, inner),
        ),
        max_leaves=4,
    )


@pytest.mark.parametrize("entity", ["issue", "membership", "sprint", "blocked_period"])
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_conditions_obey_the_laws_of_logic(entity: str, data: st.DataObject) -> None:
    one = data.draw(comparisons(entity))
    two = data.draw(comparisons(entity))
    count = str(MODEL.entities[entity].count)
    if MODEL.measures[count].where:
        count = "finished_or_carried_issues"

    total = value(count)
    first, second = value(count, one), value(count, two)
    both, either = value(count, And(parts=(one, two))), value(count, Or(parts=(one, two)))

    assert first + value(count, Not(part=one)) == total
    assert both <= min(first, second)
    assert max(first, second) <= either <= total
    assert both + either == first + second


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_listed_rows_are_as_many_as_are_counted_and_meet_the_filter(data: st.DataObject) -> None:
    where = data.draw(comparisons("issue"))
    dimensions = ("issue", "status_category", "issue_type", "team", "story_points", "priority", "status", "assignee")

    listed = Answer.of(MetricQuery(rows_of="issue", where=where, columns=dimensions))

    assert len(listed.rows) == count_rows("issue", where)
    assert not find_unfiltered_rows(listed.rows, query=MetricQuery(rows_of="issue", where=where), model=MODEL)


@pytest.mark.parametrize("entity", LISTED)
def test_every_row_that_is_counted_is_listed(entity: str) -> None:
    count = MODEL.measures[str(MODEL.entities[entity].count)]
    where: Condition | None = None
    if count.where:
        where = And(parts=tuple(NamedCondition(predicate=name) for name in count.where))

    listed = Answer.of(MetricQuery(rows_of=entity, where=where))

    assert len(listed.rows) == min(int(value(count.id)), 1000)


def test_every_measure_that_is_shown_has_a_time_or_says_how_things_stand() -> None:
    for name in SHOWN:
        measure = MODEL.measures[name]
        assert measure.time is None or measure.time in allowed_times(measure, model=MODEL), name


@pytest.mark.parametrize(
    ("one", "other", "dimension"),
    [
        ("completed_points", "committed_points", "sprint"),
        ("added_issues", "removed_issues", "team"),
        ("created_issues", "resolved_issues", "team"),
        ("open_issues", "resolved_issues", "priority"),
    ],
)
def test_more_and_as_many_and_fewer_make_up_all_groups(one: str, other: str, dimension: str) -> None:
    groups = (DimensionGroup(dimension=dimension),)
    whole = Answer.of(MetricQuery(measures=(one, other), group_by=groups)).rows

    parts = [
        Answer.of(
            MetricQuery(measures=(one, other), group_by=groups, having=(MeasureLimit(measure=one, op=op, than=other),))
        ).rows
        for op in (Operator.GT, Operator.EQ, Operator.LT)
    ]

    assert sorted(map(str, whole)) == sorted(str(row) for part in parts for row in part)
    assert all(row[one] > row[other] for row in parts[0])


@pytest.mark.parametrize("entity", ["person", "team", "sprint", "issue"])
def test_rows_with_and_without_related_rows_make_up_all(entity: str) -> None:
    count = str(MODEL.entities[entity].count)

    for relation in MODEL.entities[entity].relations:
        has = Has(relation=relation)
        assert value(count, has) + value(count, Not(part=has)) == value(count), relation


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(count=st.integers(1, 12), by=st.sampled_from(["points", "issues", "open_issues"]))
def test_a_ranking_keeps_all_that_share_its_last_place_and_no_more(count: int, by: str) -> None:
    groups = (DimensionGroup(dimension="assignee"),)
    everybody = Answer.of(MetricQuery(measures=(by,), group_by=groups)).rows
    numbers = sorted((row[by] for row in everybody if row["assignee"] is not None), reverse=True)

    ranked = Answer.of(MetricQuery(measures=(by,), group_by=groups, rank=Rank(count=count, by=by))).column(by)

    last = numbers[min(count, len(numbers)) - 1]
    assert ranked == [number for number in numbers if number >= last]


@pytest.mark.parametrize("name", SHOWN)
def test_a_limit_gives_the_first_rows_of_the_same_order(name: str) -> None:
    for dimension in groupable(MODEL.measures[name])[::4]:
        for by, direction in ((name, "desc"), (name, "asc"), (dimension, "asc")):
            order = (Order.model_validate({"by": by, "direction": direction}),)
            query = MetricQuery(measures=(name,), group_by=(DimensionGroup(dimension=dimension),), order=order)
            whole = Answer.of(query).rows

            for limit in {1, max(len(whole) // 2, 1)}:
                assert Answer.of(query.model_copy(update={"limit": limit})).rows == whole[:limit], (dimension, by)


@pytest.mark.parametrize("name", COUNTS)
@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_filter_adds_to_no_group_and_makes_none(name: str, data: st.DataObject) -> None:
    measure = MODEL.measures[name]
    dimension = data.draw(st.sampled_from(groupable(measure)))
    groups = (DimensionGroup(dimension=dimension),)
    first, second = data.draw(comparisons(measure.entity)), data.draw(comparisons(measure.entity))

    counts = []
    for where in (None, first, And(parts=(first, second))):
        counted: Counter[Any] = Counter()
        for row in Answer.of(MetricQuery(measures=(name,), group_by=groups, where=where)).rows:
            counted[row[dimension]] += row[name]
        counts.append(counted)

    assert counts[2] <= counts[1] <= counts[0]
