"""Checks of a model: every referenced name exists and is reachable, and every term compiles."""

from collections.abc import Iterable, Iterator

from sprints.semantics.compile import compile_query
from sprints.semantics.enums import Grain, Operator
from sprints.semantics.errors import SemanticError
from sprints.semantics.lookup import allowed_dimensions
from sprints.semantics.model import Dimension, Entity, Measure, Predicate, SemanticModel, TimeRole
from sprints.semantics.query import (
    Comparison,
    DimensionGroup,
    MetricQuery,
    NamedCondition,
    TimeGroup,
    TimeRange,
)
from sprints.semantics.scope import entity_at, find_path, reaches


def find_definition_errors(model: SemanticModel) -> tuple[str, ...]:
    """Return the errors of a model, each a sentence that names the term."""
    broken = [*_find_missing_names(model)]
    return tuple(broken or _find_broken_terms(model))


def _find_missing_names(model: SemanticModel) -> Iterator[str]:
    clashes = {*model.measures} & {*model.dimensions, *Grain}
    for name in sorted(clashes):
        yield f"{name} is a measure and a dimension or grain; columns of an answer need names of their own."
    for entity in model.entities.values():
        yield from _check_entity(entity, model=model)
    for measure in model.measures.values():
        yield from _report_missing(f"Measure {measure.id}", "entity", [measure.entity], model.entities)
        yield from _report_missing(f"Measure {measure.id}", "predicate", measure.where, model.predicates)
        yield from _report_missing(f"Measure {measure.id}", "measure", _measures_of(measure), model.measures)
        yield from _report_missing(f"Measure {measure.id}", "time role", _list_optional(measure.time), model.time_roles)
        yield from _report_missing(f"Measure {measure.id}", "dimension", measure.excludes, model.dimensions)
    for term in _list_terms(model):
        yield from _report_missing(f"Term {term.id}", "entity", [term.entity], model.entities)
    for dimension in model.dimensions.values():
        yield from _report_missing(
            f"Dimension {dimension.id}", "time role", _list_optional(dimension.time), model.time_roles
        )
    for predicate in model.predicates.values():
        named = [*predicate.requires, *_list_optional(predicate.opposite), *_list_optional(predicate.was)]
        yield from _report_missing(f"Predicate {predicate.id}", "predicate", named, model.predicates)
        yield from _report_missing(
            f"Predicate {predicate.id}", "time role", _list_optional(predicate.time), model.time_roles
        )
        fields = [predicate.comparison.field] if predicate.comparison else []
        yield from _report_missing(f"Predicate {predicate.id}", "dimension", fields, model.dimensions)


def _check_entity(entity: Entity, *, model: SemanticModel) -> Iterator[str]:
    where = f"Entity {entity.id}"
    targets = [join.entity for join in entity.joins.values()]
    targets += [relation.entity for relation in entity.relations.values()]
    yield from _report_missing(where, "entity", targets, model.entities)
    yield from _report_missing(where, "measure", _list_optional(entity.count), model.measures)
    related = [one for relation in entity.relations.values() for one in (relation.row_is, relation.other_is) if one]
    named = [relation.by for relation in entity.relations.values() if relation.by]
    yield from _report_missing(where, "dimension", [*(one.field for one in related), *named], model.dimensions)
    columns = [*entity.columns, *(name.removeprefix("-") for name in entity.order)]
    yield from _report_missing(where, "dimension", columns, model.dimensions)
    if entity.membership is not None:
        rules = [entity.membership.now, entity.membership.ever]
        yield from _report_missing(where, "predicate", rules, model.predicates)
        yield from _report_missing(where, "relation", [entity.membership.relation], entity.relations)


def _list_terms(model: SemanticModel) -> list[Dimension | Predicate | TimeRole]:
    """List the terms that are reached from an entity."""
    return [*model.dimensions.values(), *model.predicates.values(), *model.time_roles.values()]


def _measures_of(measure: Measure) -> list[str]:
    return [*(measure.ratio or ()), *_list_optional(measure.checked_by)]


def _list_optional(name: str | None) -> list[str]:
    return [] if name is None else [name]


def _report_missing(where: str, kind: str, names: Iterable[str], known: Iterable[str]) -> Iterator[str]:
    there = set(known)
    for name in names:
        if name not in there:
            yield f"{where} names the {kind} {name}, which is not defined."


def _find_broken_terms(model: SemanticModel) -> Iterator[str]:
    """Compile every term once, on an entity that has it."""
    for entity in model.entities.values():
        for role in entity.paths:
            if find_path(entity, role=role, model=model) is None:
                yield f"Entity {entity.id}: the path to {role} leads to no entity."
    for measure in model.measures.values():
        if {model.measures[name].time for name in measure.ratio or ()} - {measure.time}:
            yield f"Measure {measure.id} divides measures that are counted by another time than its own."
    for name, query in list_probes(model):
        try:
            compile_query(query, model=model)
        except SemanticError as broken:
            term = next((one for one in _list_terms(model) if one.id == broken.term), None)
            hint = f" A term of an entity is reached by the join or path called {term.reached_as}." if term else ""
            yield f"{name} does not compile: {broken}{hint}"
        except KeyError as broken:
            yield f"{name} does not compile: {broken}"


def list_probes(model: SemanticModel) -> Iterator[tuple[str, MetricQuery]]:
    """List a query of each term, with the term's name."""
    for measure in model.measures.values():
        groups = [d.id for d in allowed_dimensions(measure, model=model) if d.groupable][:1]
        grouped = tuple(DimensionGroup(dimension=name) for name in groups)
        yield f"Measure {measure.id}", MetricQuery(measures=(measure.id,), group_by=grouped)
        if measure.time is not None and model.time_roles[measure.time].is_moment:
            by_month = (TimeGroup(grain=Grain.MONTH),)
            yield f"Measure {measure.id} by month", MetricQuery(measures=(measure.id,), group_by=by_month)
    for entity in model.entities.values():
        if entity.columns:
            yield f"Entity {entity.id}", MetricQuery(rows_of=entity.id)
    for dimension in model.dimensions.values():
        owner = _owner_of(dimension.entity, dimension.reached_as, model=model)
        where = Comparison(field=dimension.id, op=Operator.IS_NOT_NULL)
        yield f"Dimension {dimension.id}", MetricQuery(rows_of=owner, columns=(dimension.id,), where=where)
    for predicate in model.predicates.values():
        owner = _owner_of(predicate.entity, predicate.reached_as, model=model)
        columns = _some_column(owner, model=model)
        named = NamedCondition(predicate=predicate.id)
        yield f"Predicate {predicate.id}", MetricQuery(rows_of=owner, columns=columns, where=named)
    for role in model.time_roles.values():
        owner = _owner_of(role.entity, role.reached_as, model=model)
        time_range = TimeRange.model_validate({"role": role.id, "start": "2000-01-01"})
        columns = _some_column(owner, model=model)
        yield f"Time role {role.id}", MetricQuery(rows_of=owner, columns=columns, where=time_range)


def _owner_of(entity: str, role: str, *, model: SemanticModel) -> str:
    """Return an entity whose rows reach the role."""
    for owner in model.entities.values():
        path = find_path(owner, role=role, model=model)
        if path is not None and entity_at(owner, path=path, model=model).id == entity:
            return owner.id
    return entity


def _some_column(entity: str, *, model: SemanticModel) -> tuple[str, ...]:
    reached = (d.id for d in model.dimensions.values() if reaches(model.entities[entity], term=d, model=model))
    return tuple(list(reached)[:1])
