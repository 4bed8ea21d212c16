"""Groups that have no rows: the station with the fewest trips may have none."""

from collections.abc import Sequence

from sprints.semantics.conditions import ConditionWriter, quote, write_comparison
from sprints.semantics.enums import Operator
from sprints.semantics.model import Dimension, Entity, Measure, SemanticModel
from sprints.semantics.query import (
    MAX_VALUES,
    And,
    Comparison,
    Condition,
    DimensionGroup,
    InPeriod,
    MetricQuery,
    NamedCondition,
    Not,
    Or,
    TimeRange,
)
from sprints.semantics.scope import AliasNames, Scope, reaches

_HOLDS_FOR_ZERO = frozenset({Operator.LT, Operator.LE, Operator.EQ})


def write_empty_groups(
    query: MetricQuery, *, measures: tuple[Measure, ...], columns: list[str], model: SemanticModel
) -> str:
    """
    Write a row with no number for each group that the question names, or whose rows it names, or of the fewest.

    Empty if the groups without rows are not asked for.
    """
    if rows := _find_named_rows(query, measures=measures, model=model):
        parts = _list_row_parts(query)
        return _write_groups_of(rows[1], dimension=rows[0], conditions=parts, columns=columns, model=model)
    if named := _find_named_groups(query, measures=measures, model=model):
        return _write_named_groups(named[0], named=named[1], columns=columns, model=model)
    owner = _find_owner(query, measures=measures, model=model)
    if owner is None:
        return ""
    entity = model.entities[owner.entity]
    return _write_groups_of(entity, dimension=owner, conditions=_list_parts(query), columns=columns, model=model)


def _find_group(query: MetricQuery, *, measures: tuple[Measure, ...], model: SemanticModel) -> Dimension | None:
    """Return the only group of plain numbers, of which those without rows are zero."""
    is_other = query.compare or query.share or query.having or query.rank or query.limit or query.trend
    if len(query.group_by) != 1 or is_other:
        return None
    [group] = query.group_by
    dimension = model.dimensions.get(group.dimension) if isinstance(group, DimensionGroup) else None
    is_zero = dimension is not None and not dimension.many and all(one.empty == "zero" for one in measures)
    return dimension if is_zero else None


def _find_named_rows(
    query: MetricQuery, *, measures: tuple[Measure, ...], model: SemanticModel
) -> tuple[Dimension, Entity] | None:
    """Return the only group, and the entity of several named rows that belong to it: in these sprints, by team."""
    dimension = _find_group(query, measures=measures, model=model)
    if dimension is None or dimension.key is None or dimension.role is not None:
        return None
    for condition in _list_row_parts(query):
        named = condition if isinstance(condition, Comparison) and condition.values[1:] else None
        known = model.dimensions[named.field] if named is not None and named.op is Operator.IN else dimension
        rows = model.entities[known.entity]
        is_row = known.id != dimension.id and known.key is not None and known.role is None
        if is_row and reaches(rows, term=dimension, model=model):
            parts = _list_row_parts(query)
            return (dimension, rows) if all(_is_plain(one, owner=rows, model=model) for one in parts) else None
    return None


def _write_groups_of(
    rows: Entity, *, dimension: Dimension, conditions: Sequence[Condition], columns: list[str], model: SemanticModel
) -> str:
    """Write the groups that rows belong to with no number each, of the rows that the conditions on them leave."""
    scope = Scope(rows, model=model, names=AliasNames())
    writer, path = ConditionWriter(scope=scope), scope.path_to(dimension)
    written = [writer.write(one) for one in conditions if _is_about(one, owner=rows, model=model)]
    written += [f"{scope.expand(rows.span.start)} IS NOT NULL"] if rows.span and rows.id == dimension.entity else []
    selected = [f"{scope.expand(dimension.expression.strip(), path=path)} AS g1"]
    selected += [f"{scope.expand(dimension.key or '', path=path)} AS k1"]
    selected += [f"{scope.expand(dimension.sort, path=path)} AS s1"] if dimension.sort else []
    selected += [f"CAST(NULL AS numeric) AS {column}" for column in columns]
    where = f"\nWHERE {' AND '.join(written)}" if written else ""
    return f"SELECT {', '.join(selected)}\n{scope.write_from()}{where}"


def _find_named_groups(
    query: MetricQuery, *, measures: tuple[Measure, ...], model: SemanticModel
) -> tuple[Dimension, Comparison] | None:
    """Return the only group and the condition that names several of its values: each is shown, without rows as zero."""
    dimension = _find_group(query, measures=measures, model=model)
    if dimension is None:
        return None
    if dimension.key is None and (dimension.type != "text" or dimension.sort):
        return None
    said = [one for one in _list_row_parts(query) if isinstance(one, Comparison) and one.field == dimension.id]
    is_list = len(said) == 1 and said[0].op is Operator.IN and len(said[0].values) > 1
    return (dimension, said[0]) if is_list else None


def _write_named_groups(dimension: Dimension, *, named: Comparison, columns: list[str], model: SemanticModel) -> str:
    """Write a row with no number for each named value that the data has, as the data spells it."""
    scope = Scope(model.entities[dimension.entity], model=model, names=AliasNames())
    empty = [f"NULL AS {column}" for column in columns]
    expression, source = scope.expand(dimension.expression.strip()), scope.write_from()
    if dimension.key is None:
        known = (
            f"(SELECT {expression} {source} WHERE lower({expression}) = lower({quote(str(value))}) LIMIT 1)"
            for value in named.values
        )
        spelt = " UNION ALL ".join(f"SELECT {one}" for one in known)
        selected = ["known.g1", *empty]
        return (
            f"SELECT {', '.join(selected)}\nFROM ({spelt}) AS known (g1)\nWHERE known.g1 IS NOT NULL\n"
            f"LIMIT {len(named.values)}"
        )
    selected = [f"{expression} AS g1", f"{scope.expand(dimension.key)} AS k1"]
    selected += [f"{scope.expand(dimension.sort)} AS s1"] if dimension.sort else []
    where = write_comparison(named, dimension=dimension, scope=scope, path=())
    return f"SELECT {', '.join([*selected, *empty])}\n{source}\nWHERE {where}"


def _find_owner(query: MetricQuery, *, measures: tuple[Measure, ...], model: SemanticModel) -> Dimension | None:
    """
    Return the group whose rows without any count too: the fewest of each, or fewer than so many.

    It is the only group, and names rows of its own by a key, not in one of several roles.
    """
    if len(query.group_by) != 1 or query.compare or query.share or not _asks_for_few(query):
        return None
    [group] = query.group_by
    dimension = model.dimensions.get(group.dimension) if isinstance(group, DimensionGroup) else None
    if dimension is None or dimension.key is None or dimension.role is not None or dimension.many:
        return None
    owner = model.entities[dimension.entity]
    is_counted = all(one.empty == "zero" and one.entity != owner.id for one in measures)
    is_plain = all(_is_plain(one, owner=owner, model=model) for one in _list_parts(query))
    return dimension if is_counted and is_plain and owner.count else None


def _asks_for_few(query: MetricQuery) -> bool:
    is_least = query.rank is not None and query.rank.direction == "asc" and query.rank.by in query.measures
    return is_least or holds_for_none(query)


def lists_only_empty(query: MetricQuery, *, model: SemanticModel) -> bool:
    """Return whether a limit holds only for groups without any, for which no row is written: exactly 0 open bugs."""
    is_none = any(
        (one.op is Operator.LT and one.value == 1) or (one.op in (Operator.EQ, Operator.LE) and one.value == 0)
        for one in query.having
    )
    measures = tuple(model.measures[one] for one in query.measures)
    return is_none and not write_empty_groups(query, measures=measures, columns=[*query.measures], model=model)


def holds_for_none(query: MetricQuery) -> bool:
    """Return whether a limit of groups holds for those without any: fewer than so many."""
    return any(one.op in _HOLDS_FOR_ZERO and one.value is not None and (
        one.op != Operator.EQ or not one.value) for one in query.having)  # fmt: skip


def _list_parts(query: MetricQuery) -> tuple[Condition, ...]:
    if isinstance(query.where, And):
        return query.where.parts
    return () if query.where is None else (query.where,)


def _list_row_parts(query: MetricQuery) -> list[Condition]:
    """List the conditions, those of the periods in place of being in these, and equal ones of one dimension joined."""
    return [_join_equal(one.where if isinstance(one, InPeriod) else one) for one in _list_parts(query)]


def _join_equal(condition: Condition) -> Condition:
    """Return one comparison for several of one dimension: of sprint 8, or of sprint 9."""
    if not isinstance(condition, Or):
        return condition
    parts = [one.where if isinstance(one, InPeriod) else one for one in condition.parts]
    equal = [one for one in parts if isinstance(one, Comparison) and one.op in (Operator.EQ, Operator.IN)]
    values = tuple(value for one in equal for value in one.values)
    if len(equal) < len(parts) or len({one.field for one in equal}) > 1 or len(values) > MAX_VALUES:
        return condition
    return Comparison(field=equal[0].field, op=Operator.IN, values=values)


def _is_plain(condition: Condition, *, owner: Entity, model: SemanticModel) -> bool:
    """Return whether a condition is either one on the rows of the group, or says nothing of them."""
    match condition:
        case And() | Or():
            return not any(_mentions(one, owner=owner, model=model) for one in condition.parts)
        case Not():
            return not _mentions(condition.part, owner=owner, model=model)
        case TimeRange():
            return owner.span is None
        case _:
            return True


def _mentions(condition: Condition, *, owner: Entity, model: SemanticModel) -> bool:
    is_plain = _is_plain(condition, owner=owner, model=model)
    return not is_plain or _is_about(condition, owner=owner, model=model)


def _is_about(condition: Condition, *, owner: Entity, model: SemanticModel) -> bool:
    """Return whether a condition is one on the rows of the group themselves: of the sprints of ACCEL."""
    match condition:
        case Comparison():
            return reaches(owner, term=model.dimensions[condition.field], model=model)
        case NamedCondition():
            return reaches(owner, term=model.predicates[condition.predicate], model=model)
        case _:
            return False
