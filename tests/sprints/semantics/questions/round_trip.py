"""Queries that the algebra can say, generated from the model, and when two of them are the same."""

from collections.abc import Iterator
from datetime import date
from itertools import product
from random import Random

from sprints.linking.names import Kind
from sprints.semantics.compile import compile_query
from sprints.semantics.describe import describe_condition, join_conditions, split_conditions
from sprints.semantics.enums import Grain, Operator
from sprints.semantics.errors import SemanticError
from sprints.semantics.lookup import roles_of
from sprints.semantics.model import Dimension, Entity, Measure, shipped_model
from sprints.semantics.query import (
    And,
    Comparison,
    Condition,
    DimensionGroup,
    Group,
    Has,
    InPeriod,
    MeasureLimit,
    MetricQuery,
    NamedCondition,
    Not,
    Or,
    Order,
    Rank,
    Reference,
    Share,
    Side,
    TimeGroup,
    TimeRange,
    Value,
)
from sprints.semantics.questions.grammar import Parse
from sprints.semantics.questions.values import is_among, to_value
from sprints.semantics.scope import reaches
from tests.sprints.cast import TODAY
from tests.sprints.semantics.questions.reading import INDEX

MODEL = shipped_model()
MEASURES = [measure for measure in MODEL.measures.values() if not measure.hidden]
RANGES = (
    (date(2026, 9, 1), date(2026, 10, 1)), (date(2025, 1, 1), date(2026, 1, 1)), (date(2026, 8, 3), None),
    (None, date(2026, 10, 5)), (date(2026, 8, 3), date(2026, 10, 6)), (date(2026, 9, 14), date(2026, 9, 15)),
)  # fmt: skip
NAMED: dict[str, Kind] = {
    "team": "team", "assignee": "person", "reporter": "person", "person": "person", "sprint": "sprint",
    "status": "status", "priority": "priority", "issue_type": "type", "label": "label",
}  # fmt: skip
LAST_CLOSED = 9
SAID_OF_SPRINTS = ("open", "done", "sprint_closed")
"""Predicates whose words say of issues in sprints what became of them there: done is completed."""
NUMBERS = (Operator.EQ, Operator.GT, Operator.GE, Operator.LT, Operator.LE)


def list_queries(*, seed: int, pairs: int) -> list[MetricQuery]:
    """
    List queries that compile: each measure alone and with some conditions, groups, limits, ranks and shares.

    The number of rows of each entity, and the list of them, is joined with every condition. Of each further kind there
    are `pairs` for each measure.
    """
    random = Random(seed)
    found = [query for measure in MEASURES for query in _list_aggregates(measure, random=random, pairs=pairs)]
    found += [query for entity in MODEL.entities.values() if entity.columns for query in _list_row_queries(entity)]
    return [query for query in dict.fromkeys(found) if _compiles(query)]


def _list_aggregates(measure: Measure, *, random: Random, pairs: int) -> Iterator[MetricQuery]:
    entity, names = MODEL.entities[measure.entity], (measure.id,)
    conditions, groups = list(_conditions(entity)), list(_groups(entity))
    is_count = measure.id == entity.count
    yield MetricQuery(measures=names)
    for one in conditions if is_count else random.sample(conditions, k=min(4 * pairs, len(conditions))):
        yield MetricQuery(measures=names, where=one)
    for group in groups if is_count else random.sample(groups, k=min(2 * pairs, len(groups))):
        alone = MetricQuery(measures=names, group_by=(group,))
        yield from (alone, alone.model_copy(update=random.choice(_on_groups(measure))))
    for _ in range(pairs if conditions else 0):
        first, second, third = random.choices(conditions, k=3)
        yield MetricQuery(measures=names, where=And(parts=(first, second)))
        yield MetricQuery(measures=names, where=Or(parts=(first, second)))
        yield MetricQuery(measures=names, where=And(parts=(first, Or(parts=(second, third)))))
        yield MetricQuery(measures=names, where=first, share=Share(part=second))
        yield MetricQuery(measures=names, compare=(_side(first), _side(second)))
        if groups:
            grouped = MetricQuery(measures=names, where=first, group_by=(random.choice(groups),))
            yield from (grouped, grouped.model_copy(update=random.choice(_on_groups(measure))))


def _on_groups(measure: Measure) -> list[dict[str, object]]:
    """List what a query may say of its groups."""
    more = (MeasureLimit(measure=measure.id, op=Operator.GT, value=5),)
    return [
        {"rank": Rank(by=measure.id)}, {"rank": Rank(by=measure.id, count=3, direction="asc")}, {"having": more},
        {"share": Share()}, {"trend": True}, {"order": (Order(by=measure.id, direction="desc"),)},
    ]  # fmt: skip


def _list_row_queries(entity: Entity) -> Iterator[MetricQuery]:
    yield MetricQuery(rows_of=entity.id)
    for one in _conditions(entity):
        yield MetricQuery(rows_of=entity.id, where=one)
    for name in entity.columns:
        if MODEL.dimensions[name].type in ("number", "date", "moment"):
            yield MetricQuery(rows_of=entity.id, rank=Rank(by=name, count=5))


def _side(condition: Condition) -> Side:
    return Side(label=describe_condition(condition, model=MODEL)[:200], where=condition)


def _conditions(entity: Entity) -> Iterator[Condition]:
    for predicate in MODEL.predicates.values():
        is_other = entity.id == "membership" and predicate.id in SAID_OF_SPRINTS
        if not predicate.hidden and not is_other and reaches(entity, term=predicate, model=MODEL):
            yield from _both_ways(NamedCondition(predicate=predicate.id))
    for dimension in MODEL.dimensions.values():
        if reaches(entity, term=dimension, model=MODEL):
            yield from _comparisons(dimension)
    for role, (start, end) in product(roles_of(entity, model=MODEL), RANGES):
        yield TimeRange(role=role, start=start, end=end)
    if entity.count and MODEL.measures[entity.count].time:
        yield from (TimeRange(start=start, end=end) for start, end in RANGES)
    if entity.membership:
        seventh = Comparison(field="sprint", op=Operator.EQ, values=(_values("sprint")[6],))
        yield from _both_ways(InPeriod(where=seventh))
        yield InPeriod(how="during", where=seventh)
        yield InPeriod(how="during", role="blocked", where=seventh)
        yield InPeriod(where=NamedCondition(predicate="sprint_active"))
        yield InPeriod(where=Comparison(field="sprint_number", op=Operator.GE, values=(5,)))
    for name, relation in entity.relations.items():
        yield from _both_ways(Has(relation=name))
        related = MODEL.entities[relation.entity]
        named = (one for one in MODEL.predicates.values() if not one.hidden and reaches(related, term=one, model=MODEL))
        for predicate in named:
            yield from _both_ways(Has(relation=name, where=NamedCondition(predicate=predicate.id)))
        yield Has(relation=name, at_least=3)


def _both_ways(condition: Condition) -> tuple[Condition, Condition]:
    return condition, Not(part=condition)


def _comparisons(dimension: Dimension) -> Iterator[Condition]:
    values = _values(dimension.id)
    if values:
        yield Comparison(field=dimension.id, op=Operator.EQ, values=values[:1])
        yield Comparison(field=dimension.id, op=Operator.NE, values=values[:1])
        yield Comparison(field=dimension.id, op=Operator.IN, values=values[:2])
        yield Comparison(field=dimension.id, op=Operator.NOT_IN, values=values[:2])
    if dimension.type == "number":
        yield from (Comparison(field=dimension.id, op=op, values=(3,)) for op in NUMBERS)
    if dimension.type == "boolean":
        yield from (Comparison(field=dimension.id, op=Operator.EQ, values=(value,)) for value in (True, False))
    if dimension.nullable:
        yield Comparison(field=dimension.id, op=Operator.IS_NULL)
        yield Comparison(field=dimension.id, op=Operator.IS_NOT_NULL)


def _values(dimension: str) -> tuple[Value, ...]:
    kind = NAMED.get(dimension)
    if kind is None:
        own = MODEL.dimensions[dimension].values
        return tuple(own) if own else ("ACCEL-12", "ACCEL-13") if dimension in ("epic", "issue") else ()
    if kind in ("status", "priority", "type", "label"):
        return tuple(name.text for name in INDEX.of_kind(kind))
    return tuple(Reference(key=name.value, label=name.text) for name in INDEX.of_kind(kind))


def _groups(entity: Entity) -> Iterator[Group]:
    for dimension in MODEL.dimensions.values():
        if dimension.groupable and reaches(entity, term=dimension, model=MODEL):
            yield DimensionGroup(dimension=dimension.id)
    for role in roles_of(entity, model=MODEL):
        if MODEL.time_roles[role].is_moment:
            yield from (TimeGroup(grain=grain, role=role) for grain in (Grain.WEEK, Grain.MONTH))
    if entity.count and MODEL.measures[entity.count].time:
        yield TimeGroup(grain=Grain.MONTH)


def _compiles(query: MetricQuery) -> bool:
    try:
        compile_query(query, model=MODEL)
    except SemanticError:
        return False
    return True


def is_same(parsed: Parse, *, as_query: MetricQuery) -> bool:
    """Return whether a parse means the query, apart from the assumption about open issues that it shows."""
    assert parsed.query is not None
    queries = [as_query]
    if isinstance(has := as_query.where, Has) and not as_query.group_by:
        of = MODEL.measures[as_query.measures[0]].entity if as_query.measures else str(as_query.rows_of)
        queries += _count_related(has, of=of)
        if has.relation == "re_estimates" and has.where is None:  # changes of an estimate that there was before
            again = Has(relation="points_changes", where=NamedCondition(predicate="re_estimate"))
            queries.append(as_query.model_copy(update={"where": again}))
    is_shown_apart = parsed.query.group_by in (_BY_TEAM, _BY_SPRINT) and "Sprint" in str(parsed.query.where)
    if not as_query.group_by and is_shown_apart:
        queries.append(as_query.model_copy(update={"group_by": parsed.query.group_by}))  # of several: each for itself
    if NamedCondition(predicate="member_now") in split_conditions(parsed.query.where):  # what is not so, of those in it
        within = join_conditions([*split_conditions(as_query.where), NamedCondition(predicate="member_now")])
        queries.append(as_query.model_copy(update={"where": within}))
    if any(one.startswith("Only issues that are not done") for one in parsed.assumptions):
        opened = join_conditions([*split_conditions(as_query.where), NamedCondition(predicate="open")])
        queries.append(as_query.model_copy(update={"where": opened}))
    meanings = [meaning_of(one) for one in (parsed.query, _name_running(parsed.query))]
    return any(meaning_of(one) in meanings for one in queries)


def _name_running(query: MetricQuery) -> MetricQuery:
    """Return the query with "active" for the sprints that run, all of which it names."""
    running = is_among("sprint", values=[to_value(name) for name in INDEX.sprints if name.state == "active"])
    active = NamedCondition(predicate="sprint_active")
    parts = [active if one == running else one for one in split_conditions(query.where)]
    return query.model_copy(update={"where": join_conditions(parts)})


_BY_TEAM, _BY_SPRINT = (DimensionGroup(dimension="team"),), (DimensionGroup(dimension="sprint"),)


def _count_related(has: Has, *, of: str) -> list[MetricQuery]:
    """Return the same rows with the number of their related ones, which answers which have that many."""
    if of not in MODEL.entities or has.where is not None:
        return []
    relation = MODEL.entities[of].relations[has.relation]
    count, owner = str(MODEL.entities[relation.entity].count), relation.by or ("assignee" if of == "person" else of)
    least = MeasureLimit(measure=count, op=Operator.GE, value=has.at_least)
    known: Condition = Comparison(field=owner, op=Operator.IS_NOT_NULL)
    if has.relation == "re_estimates":  # changes of an estimate that there was before
        known = And(parts=(known, NamedCondition(predicate="re_estimate")))
    return [MetricQuery(measures=(count,), group_by=(DimensionGroup(dimension=owner),), where=known,
                        having=(least,) if has.at_least > 1 else ())]  # fmt: skip


def meaning_of(query: MetricQuery) -> tuple[object, ...]:
    """
    Return what a query means, the same for two that have the same rows whatever the data.

    A list and the number of the same rows mean the same: the words for both are the same.
    """
    measures = [MODEL.measures[name] for name in query.measures]
    implied: list[Condition] = []
    if query.rows_of and MODEL.entities[query.rows_of].count:
        measures = [MODEL.measures[str(MODEL.entities[query.rows_of].count)]]
    if len(query.measures) == 1 and not query.share:
        implied = [NamedCondition(predicate=one) for one in measures[0].where]
    times = {one.time for one in measures}
    time = times.pop() if len(times) == 1 else None
    subjects = tuple(sorted(_subject(one, is_one=bool(len(measures) == 1 and not query.share)) for one in measures))
    groups = tuple(
        sorted(
            f"{one.grain} {one.role or time}" if isinstance(one, TimeGroup) else one.dimension
            for one in query.group_by
            if not (isinstance(one, DimensionGroup) and one.dimension == "epic_title")
        )
    )
    where = [*split_conditions(query.where), *implied]
    said = [*where, *query.group_by]
    where = [one for one in where if not _is_implied(one, by=said, time=time)]
    sides = frozenset(_canonical(side.where, time=time) for side in query.compare)
    share = None if query.share is None else _all_of([query.share.part] if query.share.part else [], time=time)
    return (
        subjects or (query.rows_of,), groups, _all_of(where, time=time), sides, share, query.trend,
        frozenset((_measure_name(one.measure, query=query), one.op, one.value, one.than) for one in query.having),
        query.rank and (query.rank.count, query.rank.direction, query.rank.within,
                        _measure_name(query.rank.by, query=query)),
    )  # fmt: skip


def _measure_name(name: str, *, query: MetricQuery) -> str:
    return "measure" if name in query.measures else name


def _subject(measure: Measure, *, is_one: bool) -> str:
    """Return how it is counted. Whether its conditions are its own or those of the query is the same."""
    if not is_one:
        return measure.id
    count = MODEL.entities[measure.entity].count
    is_count = count is not None and measure.time is not None and not measure.where and measure.unit == (
        MODEL.measures[count].unit
    )  # fmt: skip
    expression = MODEL.measures[str(count)].expression if is_count else measure.expression
    return f"{measure.entity} {expression or measure.ratio}"


_IMPLIED = {"done": "resolved", "sprint_closed": "sprint_closed"}


def _is_implied(condition: Condition, *, by: list[Condition | Group], time: str | None) -> bool:
    """Return whether another condition says it: what was resolved is done; a sprint of a team has its name."""
    for predicate, role in _IMPLIED.items():
        said: list[Condition] = [NamedCondition(predicate=predicate)]
        said += [Not(part=NamedCondition(predicate=str(MODEL.predicates[predicate].opposite)))]
        timed = [one.role or time for one in by if isinstance(one, TimeRange | TimeGroup)]
        if condition in said and role in timed:
            return True
    if isinstance(condition, Comparison) and condition.field == "team" and condition.op is Operator.EQ:
        return any(
            str(condition.values[0].label) + " Sprint" in str(one)
            for one in by
            if one is not condition and not isinstance(one, Not) and isinstance(condition.values[0], Reference)
        )
    return False


def _all_of(conditions: list[Condition], *, time: str | None) -> frozenset[object]:
    found: set[object] = set()
    for one in conditions:
        part = _canonical(one, time=time)
        found |= part[1] if isinstance(part, tuple) and part[0] == "and" else {part}
    return frozenset(found)


def _canonical(condition: Condition, *, time: str | None) -> object:  # noqa: C901 - one case a node
    match condition:
        case NamedCondition():
            predicate = MODEL.predicates[condition.predicate]
            needed: list[Condition] = [NamedCondition(predicate=one) for one in predicate.requires]
            if predicate.id == "in_closed_sprint":
                return _canonical(NamedCondition(predicate="sprint_closed"), time=time)
            if predicate.comparison is None:
                return ("and", _all_of(needed, time=time) | {predicate.id}) if needed else predicate.id
            return _canonical(And(parts=(predicate.comparison, *needed)) if needed else predicate.comparison, time=time)
        case Comparison():
            values = frozenset(
                one.key if isinstance(one, Reference) else str(one).casefold() for one in condition.values
            )
            positive = {Operator.IN: Operator.EQ, Operator.NOT_IN: Operator.EQ, Operator.NE: Operator.EQ,
                        Operator.IS_NULL: Operator.IS_NOT_NULL}.get(condition.op, condition.op)  # fmt: skip
            field = "epic" if condition.field == "epic_title" and not values else condition.field
            if field in ("sprint_number", "sprint_recency") and (keys := _sprints_of(condition)):
                field, positive, values = "sprint", Operator.EQ, keys
            said = (field, positive, values)
            if values == {"false"}:
                return ("not", (condition.field, positive, frozenset({"true"})))
            is_negative = condition.op in (Operator.NE, Operator.NOT_IN, Operator.IS_NULL)
            return ("not", said) if is_negative else said
        case TimeRange():
            end = None if condition.end and str(condition.end) > str(TODAY) else condition.end
            return ("time", condition.role or time, str(condition.start), str(end))
        case InPeriod():
            return (condition.kind, condition.how, condition.role, _canonical(condition.where, time=time))
        case Has():
            where = _canonical(condition.where, time=None) if condition.where else None
            return ("has", condition.relation, condition.at_least, where)
        case And() | Or():
            parts = _all_of(list(condition.parts), time=time) if isinstance(condition, And) else frozenset(
                _canonical(one, time=time) for one in condition.parts)  # fmt: skip
            if isinstance(condition, Or):
                parts = _merge_values(parts)
            return next(iter(parts)) if len(parts) == 1 else (condition.kind, parts)
        case Not():
            part = _canonical(condition.part, time=time)
            return part[1] if isinstance(part, tuple) and part[0] == "not" else ("not", part)


def _sprints_of(condition: Comparison) -> frozenset[str]:
    """Return the sprints of the cast that a number, or a place from the end, stands for: of each team the same."""
    is_range = condition.op is Operator.LE and condition.field == "sprint_recency"
    if condition.op is not Operator.EQ and not is_range:
        return frozenset()
    value = int(str(condition.values[0]))
    last = LAST_CLOSED + 1 - value
    numbers = {value} if condition.field == "sprint_number" else {last}
    numbers |= set(range(last, LAST_CLOSED + 1)) if condition.op is Operator.LE else set()
    return frozenset(one.value for one in INDEX.of_kind("sprint") if int(one.text.rpartition(" ")[2]) in numbers)


def _merge_values(parts: frozenset[object]) -> frozenset[object]:
    """Return alternatives with the values of one dimension as one comparison."""
    values: dict[str, frozenset[str]] = {}
    others: set[object] = set()
    for part in parts:
        if isinstance(part, tuple) and len(part) == 3 and part[1] is Operator.EQ:
            values[part[0]] = values.get(part[0], frozenset()) | part[2]
        else:
            others.add(part)
    return frozenset({*others, *((name, Operator.EQ, found) for name, found in values.items())})
