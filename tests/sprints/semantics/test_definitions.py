"""Every term of the shipped model compiles with every other that it may be combined with, and the database plans it."""

from typing import Any

import pytest

from sprints.semantics.compile import compile_query
from sprints.semantics.enums import Grain, Operator
from sprints.semantics.lookup import allowed_dimensions, allowed_times
from sprints.semantics.model import shipped_model
from sprints.semantics.query import (
    Comparison,
    DimensionGroup,
    MetricQuery,
    NamedCondition,
    Not,
    TimeGroup,
    TimeRange,
)
from sprints.semantics.scope import reaches
from tests.sprints.semantics.running import explain

MODEL = shipped_model()


@pytest.fixture(autouse=True)
def _database(django_db_setup: None, django_db_blocker: Any) -> Any:
    with django_db_blocker.unblock():
        yield


@pytest.mark.slow
@pytest.mark.parametrize("name", MODEL.measures)
def test_a_measure_combines_with_every_dimension_and_time_that_it_allows(name: str) -> None:
    measure = MODEL.measures[name]

    queries = [MetricQuery(measures=(name,))]
    groups = [DimensionGroup(dimension=d.id) for d in allowed_dimensions(measure, model=MODEL) if d.groupable]
    queries += [
        MetricQuery(measures=(name,), group_by=tuple(groups[start : start + 4])) for start in range(0, len(groups), 4)
    ]
    queries += [
        MetricQuery(measures=(name,), where=TimeRange(role=role, start="2026-01-01", end="2026-02-01"))
        for role in allowed_times(measure, model=MODEL)
    ]
    queries += [
        MetricQuery(measures=(name,), group_by=(TimeGroup(grain=Grain.MONTH, role=role),))
        for role in allowed_times(measure, model=MODEL)
        if MODEL.time_roles[role].is_moment
    ]

    for query in queries:
        explain(compile_query(query, model=MODEL).sql)


@pytest.mark.parametrize("name", [entity.id for entity in MODEL.entities.values() if entity.columns])
def test_rows_of_an_entity_can_be_listed_with_every_dimension_and_predicate(name: str) -> None:
    entity = MODEL.entities[name]
    dimensions = [dimension for dimension in MODEL.dimensions.values() if reaches(entity, term=dimension, model=MODEL)]
    predicates = [predicate for predicate in MODEL.predicates.values() if reaches(entity, term=predicate, model=MODEL)]

    explain(compile_query(MetricQuery(rows_of=name), model=MODEL).sql)
    for start in range(0, len(dimensions), 30):
        columns = tuple(dimension.id for dimension in dimensions[start : start + 30])
        explain(compile_query(MetricQuery(rows_of=name, columns=columns), model=MODEL).sql)
    for dimension in dimensions:
        for op in (Operator.IS_NULL, Operator.IS_NOT_NULL):
            where = Comparison(field=dimension.id, op=op)
            explain(compile_query(MetricQuery(rows_of=name, where=where), model=MODEL).sql)
    for predicate in predicates:
        negated = Not(part=NamedCondition(predicate=predicate.id))
        explain(compile_query(MetricQuery(rows_of=name, where=negated), model=MODEL).sql)
