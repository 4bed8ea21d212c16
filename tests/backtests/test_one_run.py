"""
Every statement of the backtests tools names one run by equality, on each of the large tables that it reads.

So a database that is sharded by run sends it to one shard, and ours reads one partition. Statements are what modules of
`backtests` hold as constants; functions are read from the database.
"""

import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any
from uuid import uuid4

import postgast
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from google.protobuf.json_format import MessageToDict

import backtests
from backtests.ingest.load import load_lines
from backtests.ingest.report import LoadReport
from backtests.management.commands.distribute_backtests import KEYS
from tests.backtests.makers import jsonl, strategy

LARGE = {"backtests_events", "backtests_lists", "backtests_order_states"}
LOADS = ("backtests.ingest", "backtests.management", "backtests.migrations")
OF_RUN = "of_run"
"""What functions in the database call the run that they are asked about."""


def find_unbound(sql: str) -> list[str]:
    """Return the large tables of a statement whose run is not fixed by equality."""
    tree = MessageToDict(postgast.parse(sql), preserving_proto_field_name=True)
    return [name for select in _selects(tree) for name in _unbound_of(select)]


def _selects(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        for name, part in node.items():
            if name in ("select_stmt", "larg", "rarg") and isinstance(part, dict) and "from_clause" in part:
                yield part
            yield from _selects(part)
    elif isinstance(node, list):
        for part in node:
            yield from _selects(part)


def _unbound_of(select: dict[str, Any]) -> Iterator[str]:
    tables = dict(_tables(select["from_clause"]))
    bound = {*_bound_aliases([select.get("where_clause", {})]), *_bound_aliases(_conditions(select["from_clause"]))}
    for alias, name in tables.items():
        if name in LARGE and alias not in bound and not ("" in bound and len(tables) == 1):
            yield f"{name} AS {alias}"


def _tables(node: Any) -> Iterator[tuple[str, str]]:
    """Yield alias and name of the tables of a FROM clause, without those of subqueries."""
    if isinstance(node, list):
        for part in node:
            yield from _tables(part)
    elif "range_var" in node:
        table = node["range_var"]
        yield table.get("alias", {}).get("aliasname", table["relname"]), table["relname"]
    elif "join_expr" in node:
        yield from _tables([node["join_expr"]["larg"], node["join_expr"]["rarg"]])


def _conditions(node: Any) -> list[Any]:
    if isinstance(node, list):
        return [condition for part in node for condition in _conditions(part)]
    join = node.get("join_expr")
    return [join.get("quals", {}), *_conditions([join["larg"], join["rarg"]])] if join else []


def _bound_aliases(conditions: list[Any]) -> Iterator[str]:
    """Yield the aliases whose run_id must equal a given value; "" for a column without an alias."""
    for condition in conditions:
        both = condition.get("bool_expr", {})
        if both.get("boolop") == "AND_EXPR":
            yield from _bound_aliases(both["args"])
        compared = condition.get("a_expr", {})
        if compared.get("kind") == "AEXPR_OP" and compared["name"][0]["string"]["sval"] == "=":
            for column, value in ((compared["lexpr"], compared["rexpr"]), (compared["rexpr"], compared["lexpr"])):
                names = _names(column)
                if names[-1:] == ["run_id"] and ("param_ref" in _uncast(value) or _names(value) == [OF_RUN]):
                    yield names[0] if len(names) > 1 else ""


def _uncast(node: Any) -> Any:
    return _uncast(node["type_cast"]["arg"]) if "type_cast" in node else node


def _names(node: Any) -> list[str]:
    fields = node.get("column_ref", {}).get("fields", [])
    return [field["string"]["sval"] for field in fields if "string" in field]


def list_statements() -> Iterator[tuple[str, str]]:
    """Yield the statements on large tables in modules of backtests, with their names."""
    for module in pkgutil.walk_packages(backtests.__path__, "backtests."):
        if module.name.startswith(LOADS):
            continue
        for name, value in vars(import_module(module.name)).items():
            if isinstance(value, str) and re.search(r"(?i)\bselect\b", value) and any(t in value for t in LARGE):
                yield f"{module.name}.{name}", re.sub(r"%(\(\w+\))?s|\{\w+\}", "$1", value).replace("%%", "%")


STATEMENTS = dict(list_statements())


def test_statements_are_found() -> None:
    assert len(STATEMENTS) >= 6


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_statement_names_one_run(name: str) -> None:
    assert find_unbound(STATEMENTS[name]) == []


@pytest.mark.django_db
def test_functions_name_one_run() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT proname, prosrc FROM pg_proc JOIN pg_language AS language ON language.oid = prolang "
            "WHERE proname LIKE 'backtests%%' AND lanname = 'sql' ORDER BY 1 LIMIT 100"
        )
        functions = dict(cursor.fetchall())

    assert "backtests_rank" in functions
    assert {name: unbound for name, body in functions.items() if (unbound := find_unbound(body))} == {}


@pytest.mark.django_db
def test_the_run_is_in_every_unique_key_of_distributed_tables_and_none_has_triggers() -> None:
    run_id = uuid4()
    with connection.cursor() as cursor:
        cursor.execute(KEYS)
        load_lines(jsonl(strategy(str(run_id), events=100)), run_id=run_id, report=LoadReport())
        cursor.execute("SELECT number FROM backtests_runs WHERE run_id = %s", [run_id])
        (number,) = cursor.fetchone()
        tables = [*sorted(LARGE), *(f"{table}_{number}" for table in sorted(LARGE))]
        cursor.execute(
            "SELECT count(*), count(*) FILTER (WHERE NOT EXISTS ("
            "  SELECT 1 FROM pg_attribute WHERE attrelid = indrelid AND attnum = ANY (indkey) AND attname = 'run_id'))"
            " FROM pg_index WHERE indisunique AND indrelid = ANY (%s::regclass[])",
            [tables],
        )
        keys = cursor.fetchone()
        cursor.execute("SELECT count(*) FROM pg_trigger WHERE tgrelid = ANY (%s::regclass[])", [tables])
        triggers = cursor.fetchone()

    assert (keys, triggers) == ((8, 0), (0,))


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1 FROM backtests_events",
        "SELECT 1 FROM backtests_events AS e WHERE e.run_id = $1 OR true",
        "SELECT 1 FROM backtests_events AS e JOIN backtests_lists AS l ON l.run_id <> e.run_id WHERE e.run_id = $1",
        "SELECT (SELECT number FROM backtests_events LIMIT 1) FROM backtests_lists AS l WHERE l.run_id = $1",
        "SELECT 1 FROM backtests_order_states WHERE run_id = ANY ($1)",
    ],
)
def test_a_statement_that_may_read_other_runs_is_found(sql: str) -> None:
    assert find_unbound(sql) != []


@pytest.mark.django_db
def test_without_citus_the_tables_stay_as_they_are() -> None:
    with pytest.raises(CommandError, match="no Citus extension, and nothing was changed"):
        call_command("distribute_backtests")
