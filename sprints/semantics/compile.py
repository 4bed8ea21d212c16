"""From a query to one SELECT, the same for the same query; guard and role judge it as they judge any other."""

from sprints.semantics.aggregation import Aggregation
from sprints.semantics.model import SemanticModel
from sprints.semantics.query import MetricQuery, Rank
from sprints.semantics.result import CompiledQuery
from sprints.semantics.rows import compile_rows


def compile_query(query: MetricQuery, *, model: SemanticModel) -> CompiledQuery:
    """Write a query as SQL; raises SemanticError where a term is missing or does not fit."""
    return compile_rows(query, model=model) if query.rows_of else Aggregation(query, model=model).compile()


def keep_ties(query: MetricQuery) -> MetricQuery:
    """Rank what is sorted and cut: a limit alone leaves out rows that share the last place, and nobody sees it."""
    if query.limit is None or query.rank is not None or len(query.order) != 1:
        return query
    rank = Rank(count=query.limit, by=query.order[0].by, direction=query.order[0].direction)
    return query.model_copy(update={"rank": rank, "order": (), "limit": None})
