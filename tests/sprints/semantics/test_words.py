"""Queries in the same words mean the same: each leaf of the algebra, and what is built of leaves."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import date, datetime
from itertools import permutations

import pytest

from sprints.semantics.compile import compile_query
from sprints.semantics.describe import describe_query
from sprints.semantics.enums import Grain, Operator
from sprints.semantics.errors import SemanticError
from sprints.semantics.model import Dimension, Entity, shipped_model
from sprints.semantics.query import (
    And,
    Comparison,
    Condition,
    DimensionGroup,
    Has,
    InPeriod,
    MeasureLimit,
    MetricQuery,
    NamedCondition,
    Not,
    Or,
    Order,
    Rank,
    Share,
    Side,
    TimeGroup,
    TimeRange,
    Value,
)
from sprints.semantics.scope import reaches
from tests.sprints.semantics.running import run_sql

MODEL = shipped_model()
ENTITIES = ["issue", "membership", "sprint", "sprint_day"]
"""Between them they reach every kind of term; the others reach the same terms over an issue or a sprint."""
SPRINT_7 = Comparison(field="sprint_number", op=Operator.EQ, values=(7,))
MARCH, APRIL = date(2026, 3, 1), date(2026, 4, 1)


def at(text: str) -> datetime:
    """Read a moment."""
    return datetime.fromisoformat(text)


RANGES: list[tuple[date | datetime | None, date | datetime | None]] = [
    (MARCH, APRIL), (MARCH, None), (None, MARCH), (MARCH, date(2026, 3, 2)), (date(2026, 1, 1), date(2027, 1, 1)),
    (at("2026-03-01T00:00"), at("2026-03-01T12:00")), (at("2026-03-01T09:00"), at("2026-03-01T17:00")),
    (at("2026-03-01T00:00"), at("2026-03-31T23:59")), (at("2026-03-01T09:00"), at("2026-03-01T09:00:01")),
    (at("2026-03-01T02:00:00+02:00"), at("2026-04-01T00:00:00+02:00")),
]  # fmt: skip
VALUES: dict[str, tuple[Value, ...]] = {
    "text": ("Alpha", "Beta", "Alpha or Beta", "Alpha, Beta", "(Alpha)", " Alpha", ""),
    "number": (3, 5),
    "boolean": (True, False),
    "date": ("2026-03-01", "2026-04-01"),
    "moment": ("2026-03-01", "2026-04-01"),
}


def list_comparisons(dimension: Dimension) -> Iterator[Condition]:
    """List comparisons with each operator, and each value."""
    values: tuple[Value, ...] = dimension.values[:3] or VALUES[dimension.type]
    for op in Operator:
        if op in (Operator.IS_NULL, Operator.IS_NOT_NULL):
            yield Comparison(field=dimension.id, op=op)
            continue
        yield from (Comparison(field=dimension.id, op=op, values=(value,)) for value in values)
        if op in (Operator.IN, Operator.NOT_IN):
            yield from (Comparison(field=dimension.id, op=op, values=both) for both in permutations(values[:3], 2))


def list_leaves(entity: Entity) -> list[Condition]:
    """List every condition without parts that rows of an entity may be asked for, and its negation."""
    roles = [role.id for role in MODEL.time_roles.values() if reaches(entity, term=role, model=MODEL)]
    leaves: list[Condition] = []
    for dimension in MODEL.dimensions.values():
        leaves += list_comparisons(dimension) if reaches(entity, term=dimension, model=MODEL) else ()
    leaves += [
        NamedCondition(predicate=one.id)
        for one in MODEL.predicates.values()
        if not one.hidden and reaches(entity, term=one, model=MODEL)
    ]
    leaves += [TimeRange(role=role, start=start, end=end) for role in (None, *roles) for start, end in RANGES]
    leaves += [InPeriod(how="in", role=role, where=SPRINT_7) for role in (None, *roles)]
    leaves += [InPeriod(how="during", role=role, where=SPRINT_7) for role in (None, *roles)]
    leaves += [Has(relation=name, at_least=least) for name in entity.relations for least in (1, 2)]
    return [*leaves, *(Not(part=leaf) for leaf in leaves)]


def find_shared_words(queries: Iterable[MetricQuery]) -> dict[str, list[str]]:
    """Return the words that describe different queries, with their statements. The order of parts is no difference."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for query in queries:
        try:
            sql = compile_query(query, model=MODEL).sql
        except SemanticError:
            continue
        rest = query.model_copy(update={"where": None}).model_dump_json()
        found[describe_query(query, model=MODEL).text][f"{normalise(query.where)} {rest}"] = sql
    return {words: list(statements.values()) for words, statements in found.items() if len(statements) > 1}


def normalise(condition: Condition | None) -> str:
    """Return a condition with its parts in one order, each once."""
    match condition:
        case And(parts=parts) | Or(parts=parts):
            flat = [one for part in parts for one in (part.parts if type(part) is type(condition) else (part,))]
            listed = sorted({normalise(one) for one in flat})
            return listed[0] if len(listed) == 1 else f"{condition.kind}({', '.join(listed)})"
        case Not(part=part):
            return f"not({normalise(part)})"
        case InPeriod(where=where):
            return f"{condition.how} {condition.role} ({normalise(where)})"
    return condition.model_dump_json() if condition else ""


@pytest.mark.slow
@pytest.mark.django_db
@pytest.mark.parametrize("entity", ENTITIES)
def test_conditions_in_the_same_words_give_the_same_rows(entity: str) -> None:
    queries = [MetricQuery(rows_of=entity, where=leaf) for leaf in list_leaves(MODEL.entities[entity])]

    for words, statements in find_shared_words(queries).items():
        first, *others = [run_sql(sql) for sql in statements]
        assert all(rows == first for rows in others), words


def _leaf(field: str, op: str, *values: Value) -> Comparison:
    return Comparison(field=field, op=Operator(op), values=values)


POOL: list[Condition] = [
    NamedCondition(predicate="open"), NamedCondition(predicate="urgent"),
    _leaf("issue_type", "in", "Bug", "Story"), _leaf("issue_type", "in", "Bug", "open"), _leaf("label", "eq", "open"),
    _leaf("label", "in", "a", "b"), _leaf("team", "eq", "ORBIT"), _leaf("story_points", "gt", 3),
    TimeRange(role="created", start=MARCH), InPeriod(where=SPRINT_7), InPeriod(how="during", where=SPRINT_7),
    Has(relation="blocked_periods"),
]  # fmt: skip


def list_trees() -> list[Condition]:
    """List conditions of two and three leaves, in every nesting."""
    pairs = [one for two in permutations(POOL, 2) for one in (And(parts=two), Or(parts=two))]
    periods = [Or(parts=(SPRINT_7, _leaf("team", "eq", "ORBIT"))), And(parts=(SPRINT_7, _leaf("team", "eq", "ORBIT")))]
    nested: list[Condition] = [*pairs, *(InPeriod(how="during", where=where) for where in periods)]
    nested += [InPeriod(where=where) for where in periods]
    trees: list[Condition] = [*nested, *(Not(part=one) for one in nested)]
    for leaf in POOL[:6]:
        trees += [kind(parts=(leaf, one)) for one in nested[::3] for kind in (And, Or)]
        trees += [kind(parts=(one, Not(part=leaf))) for one in nested[::3] for kind in (And, Or)]
    return trees


def test_conditions_built_of_others_are_told_apart() -> None:
    queries = [MetricQuery(rows_of="issue", where=tree) for tree in list_trees()]

    assert len(queries) > 2000
    assert find_shared_words(queries) == {}


def list_forms() -> list[MetricQuery]:
    """List queries that differ in what is done with the rows."""
    team, month = DimensionGroup(dimension="team"), TimeGroup(grain=Grain.MONTH, role="created")
    bug, story = _leaf("issue_type", "eq", "Bug"), _leaf("issue_type", "eq", "Story")
    forms = [MetricQuery(measures=("issues",)), MetricQuery(rows_of="issue")]
    forms += [MetricQuery(rows_of="issue", columns=columns) for columns in (("issue",), ("issue", "title"))]
    forms += [MetricQuery(rows_of="issue", limit=limit) for limit in (3, 5)]
    forms += [
        MetricQuery(rows_of="issue", limit=3, order=(Order(by=by, direction=direction),))
        for by in ("created_at", "story_points") for direction in ("asc", "desc")
    ]  # fmt: skip
    for groups in ((), (team,), (month,), (team, month), (TimeGroup(grain=Grain.WEEK, role="created"),)):
        forms += [
            MetricQuery(measures=names, group_by=groups) for names in (("issues",), ("points",), ("issues", "points"))
        ]
        forms += [
            MetricQuery(measures=("issues",), group_by=groups, share=share) for share in (Share(), Share(part=bug))
        ]
        forms += [MetricQuery(measures=("issues",), group_by=groups, trend=True)]
        forms += [
            MetricQuery(measures=("issues",), group_by=groups, rank=Rank(by=by, count=count, direction=direction))
            for by in ("issues", "points") for count in (1, 2) for direction in ("desc", "asc")
        ]  # fmt: skip
        forms += [
            MetricQuery(measures=("issues",), group_by=groups, having=(MeasureLimit(measure="issues", op=op, value=3),))
            for op in (Operator.EQ, Operator.NE, Operator.LT, Operator.LE, Operator.GT, Operator.GE)
        ]  # fmt: skip
        forms += [
            MetricQuery(
                measures=("issues",), group_by=groups,
                compare=(Side(label="A", where=bug), Side(label="B", where=other)),
            )
            for other in (story, Not(part=bug))
        ]  # fmt: skip
    return forms


def test_what_is_done_with_the_rows_is_told_apart() -> None:
    assert find_shared_words(list_forms()) == {}


@pytest.mark.parametrize("kind", ["measures", "dimensions"])
def test_no_two_terms_that_are_offered_have_one_label(kind: str) -> None:
    labels = defaultdict(list)
    for term in getattr(MODEL, kind).values():
        if not getattr(term, "hidden", False):
            labels[term.label].append(term.id)

    assert {label: names for label, names in labels.items() if len(names) > 1} == {}
