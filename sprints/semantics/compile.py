"""Compilation of a query to one SELECT. It is deterministic; guard and role check it as any other statement."""

from sprints.semantics.aggregation import Aggregation
from sprints.semantics.describe import join_conditions, split_conditions
from sprints.semantics.model import SemanticModel
from sprints.semantics.query import MetricQuery, Rank, Side, TimeRange
from sprints.semantics.result import CompiledQuery
from sprints.semantics.rows import compile_rows


def compile_query(query: MetricQuery, *, model: SemanticModel) -> CompiledQuery:
    """Compile a query to SQL. Raises SemanticError if a term is missing or does not fit."""
    if query.rows_of:
        return compile_rows(query, model=model)
    query = query.model_copy(update={"compare": _put_earlier_first(query.compare)})
    return Aggregation(query, model=model).compile()


def _put_earlier_first(sides: tuple[Side, ...]) -> tuple[Side, ...]:
    """Sort sides that differ only in their time, since a change is from the earlier: this week versus last week."""
    times = [[one for one in split_conditions(side.where) if isinstance(one, TimeRange)] for side in sides]
    others = {
        str(join_conditions([one for one in split_conditions(side.where) if not isinstance(one, TimeRange)]))
        for side in sides
    }
    if len(others) != 1 or any(len(found) != 1 for found in times) or len({found[0].role for found in times}) != 1:
        return sides
    starts = [str(found[0].start or "") for found in times]
    return tuple(side for _, side in sorted(zip(starts, sides, strict=True), key=lambda one: one[0]))


def keep_ties(query: MetricQuery) -> MetricQuery:
    """Rank sorted and limited rows. A plain LIMIT would silently drop rows that tie for the last place."""
    if query.limit is None or query.rank is not None or len(query.order) != 1:
        return query
    rank = Rank(count=query.limit, by=query.order[0].by, direction=query.order[0].direction)
    return query.model_copy(update={"rank": rank, "order": (), "limit": None})
