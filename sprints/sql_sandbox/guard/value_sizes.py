"""
How large values become, and how much work one row is.

PostgreSQL looks for a timeout between rows, not inside a function: one `translate` of a megabyte by ten kilobytes takes
a minute that nothing can stop. So every value gets an upper bound of its size, from the sizes of what it is made of,
and every function a bound of the steps that it takes. What only the data decides (aggregates, ARRAY(SELECT …),
recursion) is measured while the statement runs: `sprintscope.limit_size(value)` raises an error above MAX_VALUE_BYTES.

The bounds are estimates in bytes, right within a small factor. A column of a view counts as STORED_BYTES.
"""

import math
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

import postgast
from postgast import pg_query_pb2

from sprints.schema.view_catalog import ViewCatalog
from sprints.sql_sandbox.guard.message_shapes import MANY, SCALARS, messages_of
from sprints.sql_sandbox.guard.operation_steps import (
    LINEAR_STEPS,
    count_cast_steps,
    count_function_steps,
    count_operator_steps,
    count_path_bytes,
    count_path_steps,
)
from sprints.sql_sandbox.guard.refusals import Refused
from sprints.sql_sandbox.guard.result_sizes import (
    MAX_VALUE_BYTES,
    NUMERIC_BYTES,
    SMALL,
    bound_repetitions,
    cast_bytes,
    get_path,
    get_text,
    get_type_name,
    part_bytes,
    power_bytes,
    result_bytes,
)
from sprints.sql_sandbox.sql_vocabulary import (
    FIXED_SIZE,
    FIXED_SIZE_TYPES,
    FUNCTIONS,
    GROWING_AGGREGATES,
    GUARD_FUNCTIONS,
    RESULT_COLUMNS,
    SAME_SIZE_OPERATORS,
    SET_FUNCTIONS,
)

MAX_RECURSIVE_ROW_BYTES = 100_000
MAX_ROW_WORK = 200_000_000
"""The maximum steps of all functions for one row: about a second at worst, and 50 MB of values."""
MAX_COLUMNS = 250
STORED_BYTES = 1_000
_NO_NAME = "?column?"
_CHECK, _STOP = GUARD_FUNCTIONS
_SUBLINK_EXPRESSION, _SUBLINK_ARRAY = 5, 7  # SubLinkType
_NEVER_LARGE = FIXED_SIZE_TYPES | {"numeric"}
_LIST_KINDS = frozenset({2, 3})  # A_Expr_Kind: ANY and ALL of a list
_NO_SIZE = frozenset({"BoolExpr", "BooleanTest", "GroupingFunc", "NullTest", "Alias", "A_Star"})
_MAX_OF = frozenset({"CaseExpr", "CaseWhen", "CoalesceExpr", "MinMaxExpr"})


class ValueSizes:
    """One analysis of one statement, which it changes. Raises Refused."""

    def __init__(self, catalog: ViewCatalog) -> None:
        self._catalog = catalog
        self._columns: dict[str, int] = {}
        self._unnamed = SMALL
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
            return SMALL
        return max(sizes, default=0) if name in _MAX_OF else sum(sizes) + SMALL

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
        self._spend(size * LINEAR_STEPS)
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
        if len(column.fields) > 1 and name in FUNCTIONS:
            return self._field_call(node, name, size=max(self._columns.get(name, 0), self._whole_row(column)))
        if name in self._columns or name in self._catalog.columns:
            return max(self._columns.get(name, 0), STORED_BYTES)
        return max(self._unnamed, self._widest_row)  # a function's own name, or a whole row

    def _whole_row(self, column: Any) -> int:
        alias = column.fields[-2].string.sval
        return max(self._unnamed, self._widest_row, self._columns.get(alias, 0))

    def _indirection(self, node: Any, indirection: Any) -> int:
        size = sum(self._children(indirection)) + SMALL
        names = [part.string.sval for part in indirection.indirection if part.WhichOneof("node") == "string"]
        return self._field_call(node, names[-1], size=size) if names and names[-1] in FUNCTIONS else size

    def _field_call(self, node: Any, name: str, *, size: int) -> int:
        """Measure `value.name`, which calls the function of that name where no column has it."""
        self._spend(count_function_steps(name, sizes=[size]))
        if name in GROWING_AGGREGATES:
            return self._limit_size(node, size=MAX_VALUE_BYTES + 1)
        return self._limit_size(node, size=max(size, result_bytes(name, sizes=[size], call=None)))

    def _constant(self, node: Any, constant: Any) -> int:
        kind = constant.WhichOneof("val")
        if kind == "sval":
            return len(constant.sval.sval.encode()) + SMALL
        if kind == "bsval":
            return len(constant.bsval.bsval)
        return len(constant.fval.fval) + SMALL if kind == "fval" else SMALL

    def _sublink(self, node: Any, link: Any) -> int:
        tested, selected = self._node(link.testexpr), self._node(link.subselect)
        if link.oper_name:
            self._spend(count_operator_steps(link.oper_name[-1].string.sval, left=tested, right=selected))
        size = max(tested, selected)
        if link.sub_link_type == _SUBLINK_ARRAY:
            return self._limit_size(node, size=MAX_VALUE_BYTES + 1)
        return size if link.sub_link_type == _SUBLINK_EXPRESSION else SMALL

    def _json_aggregate(self, node: Any, aggregate: Any) -> int:
        self._children(aggregate)
        return self._limit_size(node, size=MAX_VALUE_BYTES + 1)

    def _json_path(self, node: Any, call: Any) -> int:
        """Measure JSON_EXISTS, JSON_QUERY and JSON_VALUE."""
        size, path = sum(self._children(call)), get_text(call.pathspec)
        self._spend(count_path_steps(path, size=size))
        self._spend(count_cast_steps(get_type_name(call.output.type_name), size=size))
        return self._limit_size(node, size=count_path_bytes(path, size=size))

    def _json_table(self, node: Any, table: Any) -> int:
        size = sum(self._children(table))
        self._spend(count_path_steps(get_text(table.pathspec.string), size=size))
        self._json_table_columns(table.columns, size=size)
        self._name_columns(table.alias.colnames, size=size)
        return size

    def _json_table_columns(self, columns: Any, *, size: int) -> None:
        for item in columns:
            column = item.json_table_column
            self._spend(count_path_steps(get_text(column.pathspec.string, missing="$"), size=size))
            self._define_column(column.name, type_name=column.type_name, size=size)
            self._json_table_columns(column.columns, size=size)

    def _define_column(self, name: str, *, type_name: Any, size: int) -> None:
        """Name a column that a function in FROM casts to a type."""
        self._spend(count_cast_steps(get_type_name(type_name), size=size))
        made = cast_bytes(type_name, size=size)
        self._spend(made * LINEAR_STEPS if made <= MAX_VALUE_BYTES * 8 else math.inf)
        self._name_column(name, size=int(made))

    def _cast(self, node: Any, cast: Any) -> int:
        size = self._node(cast.arg)
        self._spend(count_cast_steps(get_type_name(cast.type_name), size=size))
        made = cast_bytes(cast.type_name, size=size)
        if get_type_name(cast.type_name) in _NEVER_LARGE and not cast.type_name.array_bounds:
            return int(made)
        return self._limit_size(node, size=made)

    def _operator(self, node: Any, expression: Any) -> int:
        name = expression.name[-1].string.sval if expression.name else ""
        left, right = self._node(expression.lexpr), self._node(expression.rexpr)
        total = left + right
        path = get_text(expression.rexpr, missing="")
        if name in ("@@", "@?") and path:
            self._spend(count_path_steps(path, size=total))
        self._spend(count_operator_steps(name, left=left, right=right, is_list=expression.kind in _LIST_KINDS))
        if name == "^":
            return power_bytes(left, exponent=expression.rexpr)
        if name in ("+", "*", "/", "%"):
            return min(total, NUMERIC_BYTES)
        if name == "||":
            return self._limit_size(node, size=total)
        return total if name in SAME_SIZE_OPERATORS else SMALL

    def _function(self, node: Any, call: Any) -> int:
        name = call.funcname[-1].string.sval
        if len(call.funcname) > 1 and call.funcname[0].string.sval == self._catalog.schema:
            return self._own_function(call)
        if name in ("repeat", "lpad", "rpad"):
            bound_repetitions(call, name=name)
        sizes = [self._node(argument) for argument in call.args]
        for part in (*call.agg_order, call.agg_filter, call.over):
            self._node(part)
        if name.startswith("jsonb_path_"):
            self._spend(count_path_steps(get_path(call), size=sum(sizes)))
        else:
            self._spend(count_function_steps(name, sizes=sizes))
        if name in FIXED_SIZE:
            return SMALL
        if name in GROWING_AGGREGATES:
            return self._limit_size(node, size=MAX_VALUE_BYTES + 1)
        if name in SET_FUNCTIONS:
            return self._limit_element(part_bytes(name, sizes=sizes, call=call))
        if name == "regexp_match":
            return self._limit_size(node, size=part_bytes(name, sizes=sizes, call=call))
        return self._limit_size(node, size=result_bytes(name, sizes=sizes, call=call))

    def _limit_element(self, size: float) -> int:
        """Return the size of one row of a set. In FROM, PostgreSQL allows no call around its function."""
        self._spend(size * LINEAR_STEPS if size <= MAX_VALUE_BYTES else math.inf)
        return int(size)

    def _own_function(self, call: Any) -> int:
        """Measure a function of an earlier pass. The value inside is checked already."""
        for argument in call.args:
            kind = argument.WhichOneof("node")
            if kind is not None:
                self._children(getattr(argument, kind))
        return MAX_VALUE_BYTES if call.funcname[-1].string.sval == _CHECK else SMALL

    def _from_function(self, node: Any, function: Any) -> int:
        size = max(self._children(function), default=0)
        self._name_columns(function.alias.colnames, size=size)
        for name in RESULT_COLUMNS:
            self._name_column(name, size=size)
        defined = [one for item in function.functions for part in item.list.items[1:] for one in part.list.items]
        for one in (*function.coldeflist, *defined):
            self._define_column(one.column_def.colname, type_name=one.column_def.type_name, size=size)
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
        "A_Indirection": _indirection,
        "ColumnRef": _column,
        "FuncCall": _function,
        "JoinExpr": _join,
        "JsonArrayAgg": _json_aggregate,
        "JsonArrayQueryConstructor": _json_aggregate,
        "JsonFuncExpr": _json_path,
        "JsonObjectAgg": _json_aggregate,
        "JsonTable": _json_table,
        "RangeFunction": _from_function,
        "RangeSubselect": _from_query,
        "SelectStmt": _query,
        "SubLink": _sublink,
        "TypeCast": _cast,
    }
    _rules: ClassVar[dict[type, Callable[["ValueSizes", Any, Any], int]]] = messages_of(_rules_by_name)


_NAMES_BY_KIND = {
    "a_array_expr": "array",
    "coalesce_expr": "coalesce",
    "json_array_agg": "json_arrayagg",
    "json_array_query_constructor": "json_array",
    "json_object_agg": "json_objectagg",
    "row_expr": "row",
}


def _figure_name(node: Any) -> str:
    """Return PostgreSQL's name of a column without one. Empty for one that keeps its name when checked."""
    kind = node.WhichOneof("node")
    inner: Any = getattr(node, kind) if kind else None
    match kind:
        case "a_expr" | "a_const" | "case_expr":
            return _NO_NAME
        case "column_ref":
            return _last_name(inner.fields)
        case "func_call":
            return _last_name(inner.funcname)
        case "type_cast":
            name = _figure_name(inner.arg)
            return _last_name(inner.type_name.names) if name == _NO_NAME else name
        case "a_indirection" | "collate_clause":
            field = _last_name(inner.indirection) if kind == "a_indirection" else ""
            return field or _figure_name(inner.arg)
        case "json_func_expr":
            return ("", "json_exists", "json_query", "json_value")[inner.op]
        case "sub_link" if inner.sub_link_type == _SUBLINK_ARRAY:
            return "array"
    return _NAMES_BY_KIND.get(str(kind), "")


def _last_name(parts: Any) -> str:
    return str(parts[-1].string.sval)


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
