"""One query for two questions about the same rows: a list with the columns of both, the whole and a part, two sides."""

from collections.abc import Sequence

from sprints.semantics.describe import describe_condition, join_conditions, split_conditions
from sprints.semantics.enums import Operator
from sprints.semantics.model import SemanticModel
from sprints.semantics.query import (
    Comparison,
    Condition,
    MetricQuery,
    NamedCondition,
    Not,
    Share,
    Side,
)
from sprints.semantics.questions.context_changes import list_undecided, negate


def combine(first: MetricQuery, *, second: MetricQuery, model: SemanticModel) -> MetricQuery | None:
    """Return a query that answers both. None if there is none."""
    if first.rows_of is not None and second.rows_of is not None:
        return _combine_lists(first, second=second, model=model)
    if first.rows_of is None and second.rows_of is None:
        return _combine_numbers(first, second=second, model=model)
    rows, number = (first, second) if first.rows_of is not None else (second, first)
    return rows if _tells_number(rows, number=number, model=model) else None


def _combine_lists(first: MetricQuery, *, second: MetricQuery, model: SemanticModel) -> MetricQuery | None:
    """Return the rows of the first, with a column that decides what the second asks of them."""
    common, own, other = _compare_conditions(first, second=second)
    is_same = (first.rows_of, first.rank, first.limit) == (second.rows_of, second.rank, second.limit)
    decided = [_find_decisive(one, model=model) for one in other]
    is_part = not own or _are_opposite(own, other=other, query=first, model=model)
    if not is_same or not is_part or not all(decided):
        return None
    shown = model.entities[str(first.rows_of)].columns
    columns = () if first.columns == second.columns == () and not other else (
        *(first.columns or shown), *second.columns, *decided
    )  # fmt: skip
    where = join_conditions(common if own else split_conditions(first.where))
    return first.model_copy(update={"where": where, "columns": tuple(dict.fromkeys(columns))})


def _combine_numbers(first: MetricQuery, *, second: MetricQuery, model: SemanticModel) -> MetricQuery | None:
    """Return both numbers of the same rows; the whole and a part, or both parts, of one number; or two sides."""
    common, own, other = _compare_conditions(first, second=second)
    if not (_is_plain(first) and _is_plain(second) and {*first.group_by} == {*second.group_by}):
        return None
    if not (own or other):
        measures = tuple(dict.fromkeys((*first.measures, *second.measures)))
        return first.model_copy(update={"measures": measures}) if len(measures) > 1 else None
    is_ratio = any(model.measures[one].ratio for one in first.measures)
    if first.measures != second.measures or (is_ratio and any(isinstance(one, NamedCondition) for one in own + other)):
        return None  # the progress of what is done
    where, is_sum = join_conditions(common), all(model.measures[one].additive for one in first.measures)
    if is_sum and not (own and other):
        return first.model_copy(update={"where": where, "share": Share(part=join_conditions([*own, *other]))})
    if is_sum and _are_opposite(own, other=other, query=first, model=model):
        where = join_conditions([*common, *list_undecided(own[0], query=first, model=model)])
        return first.model_copy(update={"where": where, "share": Share(part=own[0], rest=True)})
    sides = [_make_side(parts, query=first, model=model) for parts in (own, other)]
    return first.model_copy(update={"where": where, "compare": tuple(sides)})


def list_differences(
    first: MetricQuery, *, second: MetricQuery, model: SemanticModel
) -> tuple[list[Condition], list[Condition]]:  # fmt: skip
    """Return the conditions that each of two queries has alone. Those of a number beside a list are its own, too."""
    if (first.rows_of is None) != (second.rows_of is None):
        first, second = (_add_conditions(one, model=model) for one in (first, second))
    _, own, other = _compare_conditions(first, second=second)
    return own, other


def _add_conditions(query: MetricQuery, *, model: SemanticModel) -> MetricQuery:
    """Return a query with the conditions that its measures say."""
    implied = [NamedCondition(predicate=name) for one in query.measures for name in model.measures[one].where]
    return query.model_copy(update={"where": join_conditions([*split_conditions(query.where), *implied])})


def _compare_conditions(
    first: MetricQuery, *, second: MetricQuery
) -> tuple[list[Condition], list[Condition], list[Condition]]:  # fmt: skip
    """Return the conditions that two queries share, and those that each has alone."""
    ours, theirs = ({_make_key(one): one for one in split_conditions(query.where)} for query in (first, second))
    common = [part for key, part in ours.items() if key in theirs]
    return (common, [part for key, part in ours.items() if key not in theirs],
            [part for key, part in theirs.items() if key not in ours])  # fmt: skip


def _make_key(condition: Condition) -> str:
    """Return what is the same for one value and a list of it, and for a list in any order."""
    if isinstance(condition, Comparison) and condition.op in (Operator.EQ, Operator.IN):
        values = tuple(sorted(condition.values, key=str))
        condition = condition.model_copy(update={"op": Operator.IN, "values": values})
    return condition.model_dump_json()


def _is_plain(query: MetricQuery) -> bool:
    return not (query.rank or query.limit or query.having or query.compare or query.share or query.trend)


def _make_side(parts: Sequence[Condition], *, query: MetricQuery, model: SemanticModel) -> Side:
    label = ", ".join(describe_condition(one, model=model) for one in parts)
    if parts and (where := join_conditions(parts)) is not None:
        return Side(label=label, where=where)
    entity = model.measures[query.measures[0]].entity
    return Side(label="all", where=Comparison(field=entity, op=Operator.IS_NOT_NULL))


def _tells_number(rows: MetricQuery, *, number: MetricQuery, model: SemanticModel) -> bool:
    """Return whether a list says a number of its rows: how many they are, and the points that are summed below it."""
    if len(number.measures) != 1 or number.group_by or not _is_plain(number) or rows.rank or rows.limit:
        return False
    [measure] = [model.measures[one] for one in number.measures]
    if measure.entity != rows.rows_of or any(list_differences(rows, second=number, model=model)):
        return False
    if measure.id == model.entities[measure.entity].count or measure.unit == "issues":
        return True
    shown = rows.columns or model.entities[measure.entity].columns
    return any(measure.expression == f"sum({model.dimensions[name].expression})" for name in shown)


def _are_opposite(
    own: Sequence[Condition], *, other: Sequence[Condition], query: MetricQuery, model: SemanticModel
) -> bool:  # fmt: skip
    """Return whether each row of a query is one or the other, if that is known of it."""
    rest = list(other)
    for part in other:
        if len(own) == 1 and part == negate(own[0], model=model):
            rest.remove(part)
            return all(one in list_undecided(own[0], query=query, model=model) for one in rest)
    return False


def _find_decisive(condition: Condition, *, model: SemanticModel) -> str:
    """Return the property that decides a condition. Empty if there is none."""
    inner = condition.part if isinstance(condition, Not) else condition
    if isinstance(inner, NamedCondition):
        decided = model.predicates[inner.predicate].comparison
        return decided.field if decided else ""
    return inner.field if isinstance(inner, Comparison) else ""
