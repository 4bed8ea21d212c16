"""Groups that a query names run with every property, in a series too."""

from collections.abc import Iterator

import pytest

from sprints.semantics.compile import compile_query
from sprints.semantics.errors import SemanticError
from sprints.semantics.model import shipped_model
from sprints.semantics.query import MetricQuery
from sprints.sql_sandbox.execution import try_execute
from toolbox.database import event_loop

pytestmark = pytest.mark.usefixtures("django_db_setup")

MODEL = shipped_model()
VALUES: dict[str, list[object]] = {
    "number": [3, 5], "boolean": [True, False], "date": ["2026-10-01", "2026-10-02"], "text": ["p0", "p1"],
}  # fmt: skip


def list_statements(measure: str, *, trend: bool) -> Iterator[str]:
    for dimension in MODEL.dimensions.values():
        if not dimension.groupable or dimension.many or dimension.type not in VALUES:
            continue
        named = {"kind": "comparison", "field": dimension.id, "op": "in", "values": VALUES[dimension.type]}
        group = {"kind": "dimension", "dimension": dimension.id}
        try:
            query = MetricQuery.model_validate(
                {"measures": [measure], "group_by": [group], "where": named, "trend": trend}
            )
            yield compile_query(query, model=MODEL).sql
        except SemanticError:
            continue  # the measure has no such group


@pytest.mark.parametrize("trend", [False, True], ids=["plain", "series"])
@pytest.mark.parametrize("measure", ["issues", "completed_points"])
def test_named_groups_run_with_every_property(measure: str, trend: bool) -> None:  # noqa: FBT001 - a parameter
    statements = list(list_statements(measure, trend=trend))

    failed = [(result.error, sql) for sql in statements if (result := event_loop.run(try_execute(sql))).error]

    assert statements
    assert failed == []
