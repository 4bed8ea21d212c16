"""SQL of a dimension's values in the data."""

from sprints.semantics.conditions import quote
from sprints.semantics.model import Dimension, SemanticModel
from sprints.semantics.query import MAX_LIMIT
from sprints.semantics.scope import AliasNames, Scope


def write_known_values(dimension: Dimension, *, model: SemanticModel) -> str:
    """Write the SELECT of a dimension's values in order, as `value`."""
    source, expression = _source(dimension, model=model)
    return f"SELECT DISTINCT {expression} AS value {source} WHERE {expression} IS NOT NULL ORDER BY 1 LIMIT {MAX_LIMIT}"


def write_missing_values(dimension: Dimension, *, values: list[str], model: SemanticModel) -> str:
    """Write the SELECT of those texts that no row has, ignoring case, as `value`."""
    source, expression = _source(dimension, model=model)
    listed = ", ".join(f"({quote(value)})" for value in values)
    return (
        f"SELECT asked.value FROM (VALUES {listed}) AS asked (value) "
        f"WHERE lower(asked.value) NOT IN "
        f"(SELECT lower({expression}) {source} WHERE {expression} IS NOT NULL) LIMIT {len(values)}"
    )


def _source(dimension: Dimension, *, model: SemanticModel) -> tuple[str, str]:
    scope = Scope(model.entities[dimension.entity], model=model, names=AliasNames())
    expression = scope.expand(dimension.expression.strip())
    if dimension.many:
        expression = scope.add_lateral(expression, name=dimension.id)
    return scope.write_from(), f"CAST({expression} AS text)"
