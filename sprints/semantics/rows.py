"""Compilation of lists of rows to SQL."""

from sprints.semantics.conditions import ConditionWriter
from sprints.semantics.errors import SemanticError, unknown_term
from sprints.semantics.lookup import default_time_of, find_dimension
from sprints.semantics.model import Dimension, SemanticModel
from sprints.semantics.query import MAX_LIMIT, MetricQuery
from sprints.semantics.result import CompiledQuery, ResultColumn
from sprints.semantics.scope import AliasNames, Scope, quote_name


def compile_rows(query: MetricQuery, *, model: SemanticModel) -> CompiledQuery:
    """Compile a list of rows."""
    if query.rows_of not in model.entities:
        listed = (entity.id for entity in model.entities.values() if entity.columns)
        raise unknown_term("kind of rows", name=str(query.rows_of), candidates=listed)
    entity = model.entities[query.rows_of]
    scope = Scope(entity, model=model, names=AliasNames())
    writer = ConditionWriter(
        scope=scope, default_time=default_time_of(entity, model=model), needs_period_role=entity.membership is None
    )
    dimensions = [find_dimension(name, model=model) for name in query.columns or entity.columns]
    if not dimensions:
        raise SemanticError(f"{entity.plural.capitalize()} have no columns of their own.", suggestion="Give columns.")
    selected = [f"{_write_column(dimension, scope=scope)} AS {dimension.id}" for dimension in dimensions]
    conditions = [writer.write(query.where)] if query.where is not None else []
    order = [
        f"{_raw(find_dimension(by.by, model=model), scope=scope)} {by.direction.upper()} NULLS LAST"
        for by in query.order
    ]
    order += [_default_order(name, model=model, scope=scope) for name in entity.order]
    source: list[str] = []
    if query.rank is not None:
        by = _raw(find_dimension(query.rank.by, model=model), scope=scope)
        direction = f"{by} {query.rank.direction.upper()}"
        within = [_raw(find_dimension(name, model=model), scope=scope) for name in query.rank.within]
        partition = f"PARTITION BY {', '.join(within)} " if within else ""
        conditions.append(f"{by} IS NOT NULL")
        order.insert(len(query.order), direction)
        selected.append(f"rank() OVER ({partition}ORDER BY {direction}) AS place")
        selected.append(f"row_number() OVER (ORDER BY {', '.join(order)}) AS line")
        names = ", ".join(quote_name(dimension.id) for dimension in dimensions)
        source = [f"SELECT {names} FROM (", ") AS ranked", f"WHERE place <= {query.rank.count}", "ORDER BY line"]
    inner = [f"SELECT {', '.join(selected)}", scope.write_from()]
    inner += [f"WHERE {' AND '.join(conditions)}"] if conditions else []
    sorted_rows = [*inner, f"ORDER BY {', '.join(order)}"] if order else inner
    lines = [source[0], *inner, *source[1:]] if source else sorted_rows
    lines.append(f"LIMIT {query.limit or MAX_LIMIT}")
    columns = tuple(ResultColumn(d.id, d.label, d.unit, "value", d.id) for d in dimensions)
    return CompiledQuery(sql="\n".join(lines), columns=columns)


def _raw(dimension: Dimension, *, scope: Scope) -> str:
    return scope.expand(dimension.expression.strip(), path=scope.path_to(dimension))


def _write_column(dimension: Dimension, *, scope: Scope) -> str:
    raw = _raw(dimension, scope=scope)
    return raw if dimension.decimals is None else f"round(CAST({raw} AS numeric), {dimension.decimals})"


def _default_order(name: str, *, model: SemanticModel, scope: Scope) -> str:
    dimension = find_dimension(name.removeprefix("-"), model=model)
    path = scope.path_to(dimension)
    by = scope.expand((dimension.sort or dimension.expression).strip(), path=path)
    return f"{by} DESC NULLS LAST" if name.startswith("-") else by
