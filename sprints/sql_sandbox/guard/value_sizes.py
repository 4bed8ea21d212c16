"""
How large values become, and how much work one row is.

PostgreSQL looks for a timeout between rows, not inside a function: one `translate` of a megabyte by ten kilobytes takes
a minute that nothing can stop. So every value gets an upper bound of its size, from the sizes of what it is made of,
and every function a bound of the steps that it takes. What only the data decides (aggregates, ARRAY(SELECT …),
recursion) is measured while the statement runs: `sprintscope.limit_size(value)` raises an error above MAX_VALUE_BYTES.

The bounds are estimates in bytes, right within a small factor. A column of a view counts as STORED_BYTES.
"""

import math
import re
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

import postgast
from postgast import pg_query_pb2

from sprints.schema.view_catalog import ViewCatalog
from sprints.sql_sandbox.guard.message_shapes import MANY, SCALARS, messages_of
from sprints.sql_sandbox.guard.number_bounds import limit_number
from sprints.sql_sandbox.guard.refusals import Refused
from sprints.sql_sandbox.sql_vocabulary import (
    FIXED_SIZE,
    FIXED_SIZE_TYPES,
    GROWING_AGGREGATES,
    GUARD_FUNCTIONS,
    LINEAR_FUNCTIONS,
    QUADRATIC_OPERATORS,
    SAME_SIZE_OPERATORS,
    SET_FUNCTIONS,
)

MAX_VALUE_BYTES = 1_000_000
"""The maximum size of a value at run time. The function in migration 0020 has the same number."""
MAX_RECURSIVE_ROW_BYTES = 100_000
MAX_REPETITIONS = 10_000
"""The maximum third argument of repeat, lpad and rpad."""
MAX_ROW_WORK = 200_000_000
"""The maximum steps of all functions for one row: about a second at worst, and 50 MB of values."""
MAX_COLUMNS = 250
STORED_BYTES = 1_000
_NUMERIC_BYTES = 65_000
_SMALL = 16
_NO_NAME = "?column?"
_CHECK, _STOP = GUARD_FUNCTIONS
_LINEAR_STEPS = 4
_OPERATOR_STEPS = 1 / 50
_PATTERN_SIZE = re.compile(r"%[^%a-zA-Z]*(\d{5}|\*)")
_SUBLINK_EXPRESSION, _SUBLINK_ARRAY = 5, 7  # SubLinkType
_NO_SIZE = frozenset({"BoolExpr", "BooleanTest", "GroupingFunc", "NullTest", "Alias", "A_Star"})
_MAX_OF = frozenset({"CaseExpr", "CaseWhen", "CoalesceExpr", "MinMaxExpr"})


class ValueSizes:
    """One analysis of one statement, which it changes. Raises Refused."""

    def __init__(self, catalog: ViewCatalog) -> None:
        self._catalog = catalog
        self._columns: dict[str, int] = {}
        self._unnamed = _SMALL
        self._widest_row = STORED_BYTES
        self._recursive: frozenset[str] = frozenset()
        self._work = 0.0

    def limit(self, select: Any) -> None:
        """Limit the values of a statement, and refuse it if one row is too much work."""
        if len(select.target_list) > MAX_COLUMNS:
            raise Refused(
                f"The statement gives more than {MAX_COLUMNS} columns.",
                suggestion="Select the columns that are needed.",
            )
        self._select(select)

    def _spend(self, steps: float) -> None:
        self._work += steps
        if self._work > MAX_ROW_WORK:
            raise Refused(
                "The statement makes texts or lists that are too long to work on.",
                suggestion="Make shorter texts and lists, compare them with shorter ones, and use each of them once.",
            )

    def _node(self, node: Any) -> int:
        """Return the maximum bytes of an expression. `node` is a Node of the parser's, or a message without one."""
        message = node
        if type(node) is pg_query_pb2.Node:
            kind = node.WhichOneof("node")
            if kind is None:
                return 0
            message = getattr(node, kind)
        rule = self._rules.get(type(message))
        if rule is not None:
            return rule(self, node, message)
        sizes = self._children(message)
        name = message.DESCRIPTOR.name
        if name in _NO_SIZE:
            return _SMALL
        return max(sizes, default=0) if name in _MAX_OF else sum(sizes) + _SMALL

    def _children(self, message: Any) -> list[int]:
        sizes = []
        for _, value in message.ListFields():
            kind = type(value)
            if kind is MANY:
                sizes += [self._node(item) for item in value]
            elif kind not in SCALARS:
                sizes.append(self._node(value))
        return sizes

    def _limit_size(self, node: Any, *, size: float) -> int:
        """Return a value's size. A value that may be too large is checked at run time."""
        self._spend(size * _LINEAR_STEPS)
        if size <= MAX_VALUE_BYTES:
            return int(size)
        value = type(node)()
        value.CopyFrom(node)
        node.Clear()
        for part in (self._catalog.schema, _CHECK):
            node.func_call.funcname.add().string.sval = part
        node.func_call.args.append(value)
        node.func_call.funcformat = 1  # COERCE_EXPLICIT_CALL
        return MAX_VALUE_BYTES

    def _select(self, select: Any) -> int:
        """Measure a SELECT. Returns the size of its largest column."""
        if select.HasField("with_clause"):
            self._measure_with(select.with_clause)
        largest = max(self._select(select.larg), self._select(select.rarg)) if select.HasField("larg") else 0
        for values in select.values_lists:
            largest = self._unnamed = max(self._unnamed, *self._children(values.list))
        for item in select.from_clause:
            self._node(item)
        for alias in _read_from(select.from_clause, names=self._recursive):
            self._limit_row(select, alias=alias)
        for part in (select.where_clause, select.having_clause, select.limit_count, select.limit_offset):
            self._node(part)
        for parts in (select.group_clause, select.window_clause, select.sort_clause, select.distinct_clause):
            for part in parts:
                self._node(part)
        return max(largest, self._targets(select.target_list))

    def _targets(self, targets: Any) -> int:
        named: dict[str, int] = {}
        for item in targets:
            target = item.res_target
            name = target.name or _figure_name(target.val)
            size = self._node(target.val)
            if not target.name and _figure_name(target.val) == _CHECK:
                target.name = name
            named[name] = max(named.get(name, 0), size)
        for name, size in named.items():
            self._name_column(name, size=size)
        self._widest_row = max(self._widest_row, sum(named.values()))
        return max(named.values(), default=0)

    def _name_column(self, name: str, *, size: int) -> None:
        if name and name != _NO_NAME:
            self._columns[name] = max(self._columns.get(name, 0), size)
        else:
            self._unnamed = max(self._unnamed, size)

    def _name_columns(self, names: Iterable[Any], *, size: int) -> None:
        for name in names:
            self._name_column(name.string.sval, size=size)

    def _measure_with(self, clause: Any) -> None:
        outer = self._recursive
        for item in clause.ctes:
            entry = item.common_table_expr
            query = entry.ctequery
            if clause.recursive and query.WhichOneof("node") == "select_stmt" and query.select_stmt.HasField("larg"):
                # The rows that come back into the recursion are bounded; so their columns have a size of their own.
                self._recursive = outer | {entry.ctename}
                self._name_recursive(entry)
            size = self._node(query)
            self._recursive = outer
            self._name_columns(entry.aliascolnames, size=size)

    def _name_recursive(self, entry: Any) -> None:
        first = entry.ctequery.select_stmt
        while first.HasField("larg"):
            first = first.larg
        self._name_columns(entry.aliascolnames, size=MAX_RECURSIVE_ROW_BYTES)
        for item in first.target_list:
            name = item.res_target.name or _figure_name(item.res_target.val)
            self._name_column(name, size=MAX_RECURSIVE_ROW_BYTES)

    def _limit_row(self, select: Any, *, alias: str) -> None:
        """Have a row of the recursion measured before it is used again."""
        condition = _row_condition(alias, schema=self._catalog.schema)
        where = select.where_clause
        if where.WhichOneof("node") is None:
            where.CopyFrom(condition)
        elif not any(_is_same(one, condition) for one in _conjuncts(where)):
            given = type(where)()
            given.CopyFrom(where)
            where.Clear()
            where.bool_expr.boolop = 1  # AND_EXPR
            where.bool_expr.args.extend([given, condition])

    def _query(self, node: Any, select: Any) -> int:
        return self._select(select)

    def _column(self, node: Any, column: Any) -> int:
        last = column.fields[-1]
        if last.WhichOneof("node") != "string":
            return self._widest_row
        name = last.string.sval
        if name in self._columns or name in self._catalog.columns:
            return max(self._columns.get(name, 0), STORED_BYTES)
        return max(self._unnamed, self._widest_row)  # a function's own name, or a whole row

    def _constant(self, node: Any, constant: Any) -> int:
        kind = constant.WhichOneof("val")
        if kind == "sval":
            return len(constant.sval.sval.encode()) + _SMALL
        if kind == "bsval":
            return len(constant.bsval.bsval)
        return len(constant.fval.fval) + _SMALL if kind == "fval" else _SMALL

    def _sublink(self, node: Any, link: Any) -> int:
        size = max(self._children(link), default=0)
        if link.sub_link_type == _SUBLINK_ARRAY:
            return self._limit_size(node, size=MAX_VALUE_BYTES + 1)
        return size if link.sub_link_type == _SUBLINK_EXPRESSION else _SMALL

    def _json_aggregate(self, node: Any, aggregate: Any) -> int:
        self._children(aggregate)
        return self._limit_size(node, size=MAX_VALUE_BYTES + 1)

    def _cast(self, node: Any, cast: Any) -> int:
        size = self._node(cast.arg)
        name = cast.type_name.names[-1].string.sval if cast.type_name.names else ""
        if name in FIXED_SIZE_TYPES and not cast.type_name.array_bounds:
            return _SMALL
        if name == "numeric":
            return min(size + sum(_number(one) or _SMALL for one in cast.type_name.typmods), _NUMERIC_BYTES)
        is_text = name in ("text", "varchar", "bpchar") and not cast.type_name.array_bounds
        return self._limit_size(node, size=size * (1 if is_text else 8))

    def _operator(self, node: Any, expression: Any) -> int:
        name = expression.name[-1].string.sval if expression.name else ""
        sizes = [self._node(side) for side in (expression.lexpr, expression.rexpr)]
        total = sum(sizes)
        if name in QUADRATIC_OPERATORS:
            self._spend(sizes[0] * sizes[1] * _OPERATOR_STEPS)
        self._spend(total * _LINEAR_STEPS)
        if name == "^":
            return _power_bytes(sizes[0], exponent=expression.rexpr)
        if name in ("+", "*", "/", "%"):
            return min(total, _NUMERIC_BYTES)
        if name == "||":
            return self._limit_size(node, size=total)
        return total if name in SAME_SIZE_OPERATORS else _SMALL

    def _function(self, node: Any, call: Any) -> int:
        name = call.funcname[-1].string.sval
        if len(call.funcname) > 1 and call.funcname[0].string.sval == self._catalog.schema:
            return self._own_function(call)
        if name in ("repeat", "lpad", "rpad"):
            _bound_repetitions(call, name=name)
        sizes = [self._node(argument) for argument in call.args]
        for part in (*call.agg_order, call.agg_filter, call.over):
            self._node(part)
        self._spend(sum(sizes) * _LINEAR_STEPS)
        if len(sizes) > 1 and name not in LINEAR_FUNCTIONS and name not in GROWING_AGGREGATES:
            smaller, larger = sorted(sizes)[-2:]
            self._spend(smaller * larger)
        if name in FIXED_SIZE:
            return _SMALL
        if name in GROWING_AGGREGATES:
            return self._limit_size(node, size=MAX_VALUE_BYTES + 1)
        if name in SET_FUNCTIONS:
            return self._limit_element(_part_bytes(name, sizes=sizes, call=call))
        if name == "regexp_match":
            return self._limit_size(node, size=_part_bytes(name, sizes=sizes, call=call))
        return self._limit_size(node, size=_result_bytes(name, sizes=sizes, call=call))

    def _limit_element(self, size: float) -> int:
        """Return the size of one row of a set. In FROM, PostgreSQL allows no call around its function."""
        self._spend(size * _LINEAR_STEPS if size <= MAX_VALUE_BYTES else math.inf)
        return int(size)

    def _own_function(self, call: Any) -> int:
        """Measure a function of an earlier pass. The value inside is checked already."""
        for argument in call.args:
            kind = argument.WhichOneof("node")
            if kind is not None:
                self._children(getattr(argument, kind))
        return MAX_VALUE_BYTES if call.funcname[-1].string.sval == _CHECK else _SMALL

    def _from_function(self, node: Any, function: Any) -> int:
        size = max(self._children(function), default=0)
        self._name_columns(function.alias.colnames, size=size)
        self._name_column(function.alias.aliasname, size=size)
        return size

    def _from_query(self, node: Any, item: Any) -> int:
        size = self._node(item.subquery)
        self._name_columns(item.alias.colnames, size=size)
        return size

    def _join(self, node: Any, join: Any) -> int:
        sizes = self._children(join)
        self._name_columns(join.alias.colnames, size=max(*sizes, self._widest_row))
        return max(sizes)

    _rules_by_name: ClassVar[dict[str, Callable[["ValueSizes", Any, Any], int]]] = {
        "A_Const": _constant,
        "A_Expr": _operator,
        "ColumnRef": _column,
        "FuncCall": _function,
        "JoinExpr": _join,
        "JsonArrayAgg": _json_aggregate,
        "JsonArrayQueryConstructor": _json_aggregate,
        "JsonObjectAgg": _json_aggregate,
        "RangeFunction": _from_function,
        "RangeSubselect": _from_query,
        "SelectStmt": _query,
        "SubLink": _sublink,
        "TypeCast": _cast,
    }
    _rules: ClassVar[dict[type, Callable[["ValueSizes", Any, Any], int]]] = messages_of(_rules_by_name)


def _result_bytes(name: str, *, sizes: list[int], call: Any) -> float:
    """
    Return the maximum size of a function's result, mostly twice the size of its arguments.

    A call with too few arguments names no function of PostgreSQL, which refuses it.
    """
    if not sizes:
        return _SMALL
    total = sum(sizes)
    second = call.args[1] if len(sizes) > 1 else None
    match name:
        case "repeat":
            return sizes[0] * (_number(second) or MAX_REPETITIONS)
        case "lpad" | "rpad":
            return 4 * (_number(second) or MAX_REPETITIONS) + total
        case "replace" | "regexp_replace" if len(sizes) > 2:  # noqa: PLR2004 - a text, a pattern, what takes its place
            return sizes[0] * sizes[2]
        case "array_to_string":
            return sizes[0] * max(1, sum(sizes[1:]) - _SMALL) + 3 * total
        case "concat_ws":
            return total + sizes[0] * len(sizes)
        case "format":
            _refuse_wide_format(call.args[0])
            return total * max(1, sizes[0] / 4)
        case "exp" | "factorial" | "power" | "pow" | "round" | "trunc":
            return _numeric_bytes(name, size=total, second=second)
        case "string_to_array" | "regexp_split_to_array" | "to_char" | "to_json" | "to_jsonb" | "row_to_json":
            return total * 8
    return total * 2 + _SMALL


def _part_bytes(name: str, *, sizes: list[int], call: Any) -> int:
    """Return the maximum size of a part of the arguments. Each group of a pattern may be the whole text."""
    if not name.startswith("regexp_match") or len(sizes) < 2:  # noqa: PLR2004 - a text and a pattern
        return max(sizes, default=_SMALL)
    is_literal = call.args[1].WhichOneof("node") == "a_const"
    groups = call.args[1].a_const.sval.sval.count("(") if is_literal else sizes[1] // 2
    return sizes[0] * max(1, int(groups))


def _numeric_bytes(name: str, *, size: int, second: Any | None) -> int:
    """Limit the digits of a number. An exponent or a number of digits may make many of few."""
    if second is None:
        return _NUMERIC_BYTES if name in ("exp", "factorial") else size
    if name in ("power", "pow"):
        return _power_bytes(size, exponent=second)
    digits = _number(second)
    return _NUMERIC_BYTES if digits is None else size + digits


def _power_bytes(size: int, *, exponent: Any) -> int:
    number = _number(exponent)
    return _NUMERIC_BYTES if number is None else min(size * max(number, 1), _NUMERIC_BYTES)


def _bound_repetitions(call: Any, *, name: str) -> None:
    """Limit the repetitions of a text. A computed number becomes LEAST(number, MAX_REPETITIONS)."""
    if len(call.args) < 2:  # noqa: PLR2004 - a text and a number
        return
    number = _number(call.args[1])
    if number is None:
        limit_number(call.args[1], most=MAX_REPETITIONS)
    elif number > MAX_REPETITIONS:
        raise Refused(
            f"{name}() may make a text of at most {MAX_REPETITIONS:,} characters.",
            suggestion=f"Use a number up to {MAX_REPETITIONS}.",
        )


def _refuse_wide_format(text: Any) -> None:
    is_text = text.WhichOneof("node") == "a_const" and text.a_const.WhichOneof("val") == "sval"
    if not is_text or _PATTERN_SIZE.search(text.a_const.sval.sval):
        raise Refused(
            "format() takes a format written in the statement, with widths below 10,000.",
            suggestion="Use format('%s of %s', a, b) with a literal first argument, or concat().",
        )


def _number(node: Any | None) -> int | None:
    """Return a whole number that is a literal in the statement."""
    if node is None or node.WhichOneof("node") != "a_const" or node.a_const.WhichOneof("val") != "ival":
        return None
    return int(node.a_const.ival.ival)


def _figure_name(node: Any) -> str:
    """Return PostgreSQL's name of a column without one. Empty for one that keeps its name when checked."""
    kind = node.WhichOneof("node")
    match kind:
        case "a_expr" | "a_const" | "case_expr":
            return _NO_NAME
        case "coalesce_expr" | "row_expr" | "a_array_expr":
            return {"c": "coalesce", "r": "row", "a": "array"}[kind[0]]
        case "column_ref":
            last = node.column_ref.fields[-1]
            return str(last.string.sval) if last.WhichOneof("node") == "string" else ""
        case "func_call":
            return str(node.func_call.funcname[-1].string.sval)
        case "type_cast":
            name = _figure_name(node.type_cast.arg)
            return str(node.type_cast.type_name.names[-1].string.sval) if name == _NO_NAME else name
        case "a_indirection" | "collate_clause":
            return _figure_name(getattr(node, kind).arg)
        case "sub_link" if node.sub_link.sub_link_type == _SUBLINK_ARRAY:
            return "array"
        case "json_array_agg" | "json_object_agg" | "json_array_query_constructor":
            return {"a": "json_arrayagg", "o": "json_objectagg"}.get(kind[5], "") if "agg" in kind else "json_array"
    return ""


def _read_from(items: Any, *, names: frozenset[str]) -> list[str]:
    """Return the aliases under which a FROM reads queries of these names."""
    found = []
    for item in items:
        kind = item.WhichOneof("node")
        if kind == "join_expr":
            found += _read_from([item.join_expr.larg, item.join_expr.rarg], names=names)
        elif kind == "range_var" and not item.range_var.schemaname and item.range_var.relname in names:
            found.append(item.range_var.alias.aliasname or item.range_var.relname)
    return found


_CONDITION = "SELECT 1 WHERE coalesce(pg_column_size(a.*), 0) <= {largest} OR s.{stop}()"


def _row_condition(alias: str, *, schema: str) -> Any:
    text = _CONDITION.format(largest=MAX_RECURSIVE_ROW_BYTES, stop=_STOP)
    node = postgast.parse(text).stmts[0].stmt.select_stmt.where_clause
    comparison, stop = node.bool_expr.args
    size = comparison.a_expr.lexpr.coalesce_expr.args[0].func_call
    size.args[0].column_ref.fields[0].string.sval = alias
    stop.func_call.funcname[0].string.sval = schema
    return node


def _conjuncts(where: Any) -> list[Any]:
    is_and = where.WhichOneof("node") == "bool_expr" and where.bool_expr.boolop == 1
    return list(where.bool_expr.args) if is_and else [where]


def _is_same(left: Any, right: Any) -> bool:
    return bool(_without_places(left) == _without_places(right))


def _without_places(node: Any) -> Any:
    bare = type(node)()
    bare.CopyFrom(node)
    _clear_places(bare)
    return bare


def _clear_places(message: Any) -> None:
    for field, value in list(message.ListFields()):
        if field.name == "location":
            message.ClearField(field.name)
        elif field.message_type is not None:
            for item in value if field.is_repeated else [value]:
                _clear_places(item)
