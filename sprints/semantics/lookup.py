"""Lookup of a model's terms by name, and of their combinations."""

from collections.abc import Sequence

from sprints.semantics.errors import unknown_term
from sprints.semantics.model import Dimension, Entity, Measure, Predicate, SemanticModel, TimeRole
from sprints.semantics.query import DimensionGroup, Group, MetricQuery, TimeGroup
from sprints.semantics.scope import reaches


def get_entity(query: MetricQuery, *, model: SemanticModel) -> str:
    """Return the entity whose rows a query lists or measures."""
    return query.rows_of or model.measures[query.measures[0]].entity


def find_measure(name: str, *, model: SemanticModel) -> Measure:
    """Return a measure. Raises SemanticError with the nearest names."""
    if name not in model.measures:
        raise unknown_term("measure", name=name, candidates=(m.id for m in model.measures.values() if not m.hidden))
    return model.measures[name]


def allowed_dimensions(measure: Measure, *, model: SemanticModel) -> tuple[Dimension, ...]:
    """Return the dimensions that may filter a measure. Those that are `groupable` may group it."""
    entity = model.entities[measure.entity]
    return tuple(
        dimension
        for dimension in model.dimensions.values()
        if dimension.id not in measure.excludes and reaches(entity, term=dimension, model=model)
    )


def summing_dimensions(measure: Measure, *, model: SemanticModel) -> tuple[Dimension, ...]:
    """
    Return the dimensions whose groups of a measure sum to the whole.

    Groups of a dimension of which a row may have many values, as labels, share rows.
    """
    groupable = (one for one in allowed_dimensions(measure, model=model) if one.groupable)
    return tuple(one for one in groupable if measure.additive and not one.many)


def allowed_predicates(measure: Measure, *, model: SemanticModel) -> tuple[Predicate, ...]:
    """Return the predicates that may filter a measure."""
    entity = model.entities[measure.entity]
    return tuple(
        predicate
        for predicate in model.predicates.values()
        if not predicate.hidden and reaches(entity, term=predicate, model=model)
    )


def allowed_times(measure: Measure, *, model: SemanticModel) -> tuple[str, ...]:
    """Return the time roles that may limit a measure."""
    return roles_of(model.entities[measure.entity], model=model)


def find_dimension(name: str, *, model: SemanticModel) -> Dimension:
    """Return a dimension. Raises SemanticError with the nearest names."""
    if name not in model.dimensions:
        raise unknown_term("dimension", name=name, candidates=model.dimensions)
    return model.dimensions[name]


def find_predicate(name: str, *, model: SemanticModel) -> Predicate:
    """Return a predicate. Raises SemanticError with the nearest names."""
    if name not in model.predicates:
        raise unknown_term("predicate", name=name, candidates=(p.id for p in model.predicates.values() if not p.hidden))
    return model.predicates[name]


def find_time_role(name: str, *, model: SemanticModel) -> TimeRole:
    """Return a time role. Raises SemanticError with the nearest names."""
    if name not in model.time_roles:
        raise unknown_term("time role", name=name, candidates=model.time_roles)
    return model.time_roles[name]


def default_time_of(entity: Entity, *, model: SemanticModel) -> str | None:
    """Return the time that rows of an entity are counted by."""
    return model.measures[entity.count].time if entity.count else None


def find_measured_time(
    measure: Measure, *, beside: Sequence[str], groups: Sequence[Group], model: SemanticModel
) -> str | None:
    """
    Return the time that measures beside each other are counted by: that of whole groups if these have one, as sprints.

    Points completed per sprint since May are those of whole sprints, not of the days of sprints that are since May.
    """
    named = [model.dimensions.get(group.dimension) for group in groups if isinstance(group, DimensionGroup)]
    dimension = next((one for one in named if one is not None and one.time), None)
    is_series = any(isinstance(group, TimeGroup) and group.role is None for group in groups)
    if measure.time is None or is_series or dimension is None:
        return measure.time
    times = {one.time for name in beside if (one := model.measures.get(name))}
    is_of_group = len(times) == 1 and model.time_roles[measure.time].entity == dimension.entity
    return measure.time if is_of_group else dimension.time


def roles_of(entity: Entity, *, model: SemanticModel) -> tuple[str, ...]:
    """Return the time roles of an entity's rows."""
    return tuple(role.id for role in model.time_roles.values() if reaches(entity, term=role, model=model))
