"""How long queries of the semantic layer take to describe, compile and pass the guard; no database is asked."""

from collections.abc import Callable
from functools import partial
from importlib.resources import files
from statistics import median, quantiles
from time import process_time

from sprints.contracts import SchemaInfo
from sprints.schema.view_catalog import SCHEMA, ViewCatalog
from sprints.semantics.compile import compile_query
from sprints.semantics.definition_check import find_definition_errors
from sprints.semantics.describe import describe_query
from sprints.semantics.enums import Grain, Operator
from sprints.semantics.lookup import allowed_dimensions
from sprints.semantics.model import shipped_model
from sprints.semantics.query import (
    And,
    Comparison,
    DimensionGroup,
    InPeriod,
    MetricQuery,
    NamedCondition,
    TimeGroup,
)
from sprints.sql_sandbox.guard import check

MAX_COMPILE_MS = 10.0


def main() -> None:
    """Print the table."""
    model = shipped_model()
    queries = _list_queries()
    schema = SchemaInfo.model_validate_json((files("sprints.schema") / "stored.json").read_text(encoding="utf-8"))
    views = {table.name: frozenset(column.name for column in table.columns) for table in schema.tables}
    catalog = ViewCatalog(schema=SCHEMA, views=views)
    statements = [compile_query(query, model=model).sql for query in queries]
    print("| what | median CPU ms | p95 | most | goal |\n|---|--:|--:|--:|---|")
    _row(f"compile, {len(queries)} queries", [_time(partial(compile_query, q, model=model)) for q in queries])
    _row("describe, the same", [_time(partial(describe_query, q, model=model)) for q in queries])
    _row("guard, their statements", [_time(partial(check, s, catalog=catalog)) for s in statements])
    _row("check of all definitions, once", [_time(partial(find_definition_errors, model))])


def _list_queries() -> list[MetricQuery]:
    """List a query for each measure and each dimension that it goes with, filtered as much as questions are."""
    model = shipped_model()
    queries = []
    for measure in model.measures.values():
        names = {dimension.id for dimension in allowed_dimensions(measure, model=model)}
        filters = [Comparison(field="team", op=Operator.EQ, values=("ACCEL",))] if "team" in names else []
        for dimension in allowed_dimensions(measure, model=model):
            if not dimension.groupable:
                continue
            groups: list[DimensionGroup | TimeGroup] = [DimensionGroup(dimension=dimension.id)]
            if measure.time is not None:
                groups.append(TimeGroup(grain=Grain.MONTH))
            parts = [*filters, *([NamedCondition(predicate="open")] if measure.entity == "issue" else [])]
            if measure.entity == "issue" and measure.time is None:
                parts.append(InPeriod(where=NamedCondition(predicate="sprint_active")))
            where = And(parts=tuple(parts)) if parts else None
            queries.append(MetricQuery(measures=(measure.id,), group_by=tuple(groups), where=where))
    return queries


def _time(work: Callable[[], object]) -> float:
    started = process_time()
    work()
    return (process_time() - started) * 1000


def _row(name: str, taken: list[float]) -> None:
    high = quantiles(taken, n=20)[-1] if len(taken) > 1 else taken[0]
    goal = f"under {MAX_COMPILE_MS:g}: {'met' if high < MAX_COMPILE_MS else '**missed**'}" if "compile" in name else ""
    print(f"| {name} | {median(taken):.2f} | {high:.2f} | {max(taken):.2f} | {goal} |")


if __name__ == "__main__":
    main()
