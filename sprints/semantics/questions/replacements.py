"""What a follow-up names as replaced: HARBOR instead of ORBIT, blocked instead of open."""

from collections.abc import Sequence

from sprints.semantics.describe import join_conditions, split_conditions
from sprints.semantics.enums import Operator
from sprints.semantics.model import SemanticModel
from sprints.semantics.query import Comparison, Condition, MetricQuery, NamedCondition, Not
from sprints.semantics.questions.terms import Unbound


def replace_named(
    context: MetricQuery, *, new: Sequence[Condition], model: SemanticModel
) -> tuple[MetricQuery, list[Condition]]:
    """
    Return the query without what is replaced, and the conditions that take its place.

    Other values of the same property stay: of ACCEL and ORBIT, | HARBOR instead of ORBIT. Raises Unbound where the
    query is not limited to what is to be replaced, or nothing of its kind takes its place.
    """
    before, put = list(split_conditions(context.where)), list(new)
    for part in new:
        state = next((one for one in before if _is_opposite(part, other=one, model=model)), None)
        if state is not None:
            before.remove(state)
            put.remove(part)
        elif isinstance(part, Comparison) and part.op in (Operator.NE, Operator.NOT_IN):
            put.remove(part)
            _put_values(put, replaced=part, before=before)
    if not put or put == list(new):
        raise Unbound(None)
    return context.model_copy(update={"where": join_conditions(before)}), put


def _put_values(put: list[Condition], *, replaced: Comparison, before: Sequence[Condition]) -> None:
    """Add to the new values of a property those of the query that are not replaced."""
    [old, *_] = [*_list_choices(before, field=replaced.field), None]
    [other, *_] = [*_list_choices(put, field=replaced.field), None]
    if old is None or other is None or not {*replaced.values} <= {*old.values}:
        raise Unbound(None)
    rest = [value for value in old.values if value not in replaced.values]
    values = tuple(dict.fromkeys((*rest, *other.values)))
    put[put.index(other)] = Comparison(field=replaced.field, op=Operator.IN, values=values)


def _list_choices(parts: Sequence[Condition], *, field: str) -> list[Comparison]:
    found = [one for one in parts if isinstance(one, Comparison) and one.field == field]
    return [one for one in found if one.op in (Operator.EQ, Operator.IN)]


def _is_opposite(condition: Condition, *, other: Condition, model: SemanticModel) -> bool:
    """Return whether it holds for all rows for which another condition does not."""
    if not isinstance(other, NamedCondition):
        return False
    opposite = model.predicates[other.predicate].opposite
    return condition == Not(part=other) or (opposite is not None and condition == NamedCondition(predicate=opposite))
