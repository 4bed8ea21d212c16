"""
The walk over a parsed statement: every node in every container, by name. A node that is not listed is refused.

Relations are resolved as in PostgreSQL: a name without a schema is the nearest WITH entry of that name, else a view.
Views are written back with their schema, so that what was checked is what runs.
"""

from collections.abc import Callable
from typing import Any, ClassVar

from google.protobuf.message import Message
from postgast import pg_query_pb2

from sprints.schema.view_catalog import ViewCatalog
from sprints.sql_sandbox.guard import allowed_names
from sprints.sql_sandbox.guard.function_fields import FieldCalls
from sprints.sql_sandbox.guard.keywords import DATA_CHANGES, LOCKS
from sprints.sql_sandbox.guard.message_shapes import MANY, SCALARS, kinds_of, messages_of
from sprints.sql_sandbox.guard.refusals import Refused, echo_text, forbidden_keyword, no_such_relation, not_allowed
from sprints.sql_sandbox.sql_vocabulary import CLOCK_VALUES

_MATERIALIZED_BY_USE, _NOT_MATERIALIZED = 1, 3  # CTEMaterialize

Scope = frozenset[str]
Rule = Callable[["Walk", Any, Scope], None]

_CATALOGUE_SCHEMAS = frozenset({"pg_catalog", "information_schema", "pg_toast", "pg_temp"})


_PLAIN = (
    "A_ArrayExpr A_Indices Alias BoolExpr BooleanTest CTECycleClause CTESearchClause CaseExpr CaseWhen CoalesceExpr "
    "ColumnDef GroupingFunc GroupingSet JoinExpr JsonAggConstructor JsonArgument JsonArrayAgg JsonArrayConstructor "
    "JsonArrayQueryConstructor JsonBehavior JsonFormat JsonFuncExpr JsonIsPredicate JsonKeyValue JsonObjectAgg "
    "JsonObjectConstructor JsonOutput JsonParseExpr JsonReturning JsonScalarExpr JsonSerializeExpr JsonTable "
    "JsonTableColumn JsonTablePathSpec JsonValueExpr List MinMaxExpr NamedArgExpr NullTest "
    "RangeSubselect ResTarget RowExpr TypeCast WindowDef"
)
_LEAVES = "A_Const A_Star BitString Boolean Float Integer String"
_LEAF_KINDS = frozenset(kinds_of(dict.fromkeys(_LEAVES.split())))


class Walk:
    """One walk over one statement. Raises Refused at the first violation."""

    def __init__(self, catalog: ViewCatalog) -> None:
        self.catalog = catalog
        self.field_calls = FieldCalls()

    def look_at(self, statement: Message) -> None:
        """Check a whole statement. Writes the schema into the names of views."""
        self._node(statement, frozenset())
        self.field_calls.check(self.catalog)

    def _node(self, message: Any, scope: Scope) -> None:
        try:
            if type(message) is pg_query_pb2.Node:
                kind = message.WhichOneof("node")
                if kind is None or kind in _LEAF_KINDS:
                    return
                message = getattr(message, kind)
                rule = self._rules_by_kind[kind]
            else:
                rule = self._rules[type(message)]
        except KeyError:
            raise _unknown(message.DESCRIPTOR.name) from None
        if rule is None:
            self._children(message, scope)
        else:
            rule(self, message, scope)

    def _children(self, message: Message, scope: Scope, *, skipped: str = "") -> None:
        for field, value in message.ListFields():
            kind = type(value)
            if kind in SCALARS or (skipped and field.name == skipped):
                continue
            if kind is MANY:
                for item in value:
                    self._node(item, scope)
            else:
                self._node(value, scope)

    def _select(self, select: Any, scope: Scope) -> None:
        if select.HasField("into_clause"):
            raise forbidden_keyword("INTO")
        if select.locking_clause:
            strength = select.locking_clause[0].locking_clause.strength
            raise forbidden_keyword(LOCKS.get(strength, "FOR UPDATE"), suggestion="Leave out the locking clause.")
        if select.HasField("with_clause"):
            scope = self._check_with(select.with_clause, scope)
        self._children(select, scope, skipped="with_clause")

    def _check_with(self, clause: Any, scope: Scope) -> Scope:
        """Check the entries of WITH, each in its scope. Returns the scope of what follows them."""
        names = [entry.common_table_expr.ctename for entry in clause.ctes]
        for name in names:
            if name.startswith("pg_"):
                raise not_allowed(
                    f"The name {echo_text(name)}", suggestion="Give the WITH query a name that does not begin with pg_."
                )
        inner = scope | frozenset(names) if clause.recursive else scope
        for entry, name in zip(clause.ctes, names, strict=True):
            if entry.common_table_expr.ctematerialized == _NOT_MATERIALIZED:
                # Each use would be planned anew: twelve entries that read the one before twice are 4,096 relations.
                entry.common_table_expr.ctematerialized = _MATERIALIZED_BY_USE
            self._children(entry.common_table_expr, inner)
            inner |= {name}
        return inner

    def _relation(self, relation: Any, scope: Scope) -> None:
        name = relation.relname
        if not relation.schemaname and not relation.catalogname and name in scope:
            self._children(relation, scope)
            return
        if relation.schemaname in _CATALOGUE_SCHEMAS or (not relation.schemaname and name.startswith("pg_")):
            raise not_allowed("Reading the catalogue", suggestion="Call get_schema for the views and their columns.")
        if (
            relation.catalogname
            or relation.schemaname not in ("", self.catalog.schema)
            or name not in self.catalog.views
        ):
            full = ".".join(part for part in (relation.catalogname, relation.schemaname, name) if part)
            raise no_such_relation(full, views=self.catalog.views)
        relation.schemaname = self.catalog.schema
        self._children(relation, scope)

    def _function(self, call: Any, scope: Scope) -> None:
        allowed_names.check_call(call, catalog=self.catalog)
        self._children(call, scope)

    def _operator(self, expression: Any, scope: Scope) -> None:
        allowed_names.check_operator(expression.name)
        self._children(expression, scope)

    def _sublink(self, link: Any, scope: Scope) -> None:
        if link.oper_name:
            allowed_names.check_operator(link.oper_name)
        self._children(link, scope)

    def _sort(self, sort: Any, scope: Scope) -> None:
        if sort.use_op:
            allowed_names.check_operator(sort.use_op)
        self._children(sort, scope)

    def _type(self, name: Any, scope: Scope) -> None:
        allowed_names.check_type(name)
        self._children(name, scope)

    def _column(self, column: Any, scope: Scope) -> None:
        last = column.fields[-1]
        if last.WhichOneof("node") == "string" and last.string.sval in self.catalog.columns:
            return  # a view's column: neither a system column nor the name of a function
        allowed_names.check_column(column)
        self.field_calls.note_column(column)

    def _from_function(self, function: Any, scope: Scope) -> None:
        self.field_calls.note_function(function)
        self._children(function, scope)

    def _indirection(self, indirection: Any, scope: Scope) -> None:
        allowed_names.check_indirection(indirection, catalog=self.catalog)
        self._children(indirection, scope)

    def _collation(self, clause: Any, scope: Scope) -> None:
        allowed_names.check_collation(clause.collname)
        self._children(clause, scope)

    def _value_function(self, value: Any, scope: Scope) -> None:
        if value.op not in CLOCK_VALUES:
            raise not_allowed("Asking who is connected", suggestion="Ask about the views' rows; get_schema lists them.")

    def _parameter(self, parameter: Any, scope: Scope) -> None:
        raise not_allowed(f"The parameter ${parameter.number}", suggestion="Write the value itself into the statement.")

    def _accept_leaf(self, leaf: Any, scope: Scope) -> None:
        """Accept a leaf."""

    _rules_by_name: ClassVar[dict[str, Rule | None]] = {
        **dict.fromkeys(_PLAIN.split()),
        **dict.fromkeys(_LEAVES.split(), _accept_leaf),
        "A_Expr": _operator,
        "A_Indirection": _indirection,
        "CollateClause": _collation,
        "ColumnRef": _column,
        "FuncCall": _function,
        "ParamRef": _parameter,
        "RangeFunction": _from_function,
        "RangeVar": _relation,
        "SQLValueFunction": _value_function,
        "SelectStmt": _select,
        "SortBy": _sort,
        "SubLink": _sublink,
        "TypeName": _type,
    }
    _rules: ClassVar[dict[type, Rule | None]] = messages_of(_rules_by_name)
    _rules_by_kind: ClassVar[dict[str, Rule | None]] = kinds_of(_rules_by_name)


_MEANINGS = {
    "RangeTableFunc": "XMLTABLE",
    "RangeTableSample": "TABLESAMPLE",
    "SetToDefault": "DEFAULT",
    "CurrentOfExpr": "CURRENT OF",
    "XmlExpr": "XML",
    "XmlSerialize": "XML",
}


def _unknown(kind: str) -> Refused:
    """Refuse a node that is not listed."""
    if kind in DATA_CHANGES:
        return forbidden_keyword(DATA_CHANGES[kind])
    what = _MEANINGS.get(kind, f"The construct {kind}")
    return not_allowed(what, suggestion="Write it as a plain SELECT with joins, WITH, window functions or JSON.")
