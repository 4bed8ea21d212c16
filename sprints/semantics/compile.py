"""Compilation of a query to one SELECT. It is deterministic; guard and role check it as any other statement."""

from sprints.semantics.aggregation import Aggregation
from sprints.semantics.model import SemanticModel
from sprints.semantics.query import MetricQuery, Rank
from sprints.semantics.result import CompiledQuery
from sprints.semantics.rows import compile_rows


def compile_query(query: MetricQuery, *, model: SemanticModel) -> CompiledQuery:
    """Compile a query to SQL. Raises SemanticError if a term is missing or does not fit."""
    return compile_rows(query, model=model) if query.rows_of else Aggregation(query, model=model).compile()


def keep_ties(query: MetricQuery) -> MetricQuery:
    """Rank sorted and limited rows. A plain LIMIT would silently drop rows that tie for the last place."""
    if query.limit is None or query.rank is not None or len(query.order) != 1:
        return query
    rank = Rank(count=query.limit, by=query.order[0].by, direction=query.order[0].direction)
    return query.model_copy(update={"rank": rank, "order": (), "limit": None})
