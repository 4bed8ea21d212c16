"""Schema lookups of hints: similar names, and where they occur."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from graphql import (
    GraphQLEnumType,
    GraphQLField,
    GraphQLNamedType,
    GraphQLSchema,
    NonNullTypeNode,
    get_named_type,
    is_leaf_type,
)

from graphql_proxy.documents import Document
from graphql_proxy.fixes.field_fixes import find_deeper
from graphql_proxy.fixes.level_fixes import LIST_LEVELS
from graphql_proxy.fixes.names import find_similar, fold_name
from graphql_proxy.fixes.places import fields_of

MAX_NAMES = 12

Groups = Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Context:
    """The context of a lookup: the schema if one is stored, the document if it parsed, the variables."""

    schema: GraphQLSchema | None = None
    document: Document | None = None
    variables: Mapping[str, Any] = field(default_factory=dict)


def look_up(lookup: str, *, groups: Groups, context: Context) -> str | None:
    """Return the replacement of {found}. None if nothing is known or the lookup is unknown."""
    if lookup == "variable":
        return _missing_variables(context)
    finder = _FINDERS.get(lookup)
    return finder(groups, context.schema) if finder and context.schema else None


def _field(groups: Groups, schema: GraphQLSchema) -> str | None:
    return _list_names(find_similar(groups.get("field", ""), names=fields_of(_parent(groups, schema))))


def _level(groups: Groups, schema: GraphQLSchema) -> str | None:
    """Find the field below the type it was requested on, nearest first, unless the type itself has it."""
    wanted, parent = groups.get("field", ""), _parent(groups, schema)
    if any(fold_name(name) == fold_name(wanted) for name in fields_of(parent)):
        return None
    return next(iter(find_deeper(wanted, parent=parent)), None)


def _type(groups: Groups, schema: GraphQLSchema) -> str | None:
    names = [name for name in schema.type_map if not name.startswith("__")]
    return _list_names(find_similar(_bare(groups.get("type", "")), names=names))


def _argument(groups: Groups, schema: GraphQLSchema) -> str | None:
    known = _asked_field(groups, schema)
    if known is None:
        return None
    return _list_names(
        find_similar(groups.get("argument", ""), names=known.args) or list(islice(known.args, MAX_NAMES))
    )


def _enum_value(groups: Groups, schema: GraphQLSchema) -> str | None:
    known = schema.get_type(_bare(groups.get("type", "")))
    if not isinstance(known, GraphQLEnumType):
        return None
    return _list_names(
        find_similar(groups.get("value", ""), names=known.values) or list(islice(known.values, MAX_NAMES))
    )


def _selection(groups: Groups, schema: GraphQLSchema) -> str | None:
    """Show what can be selected: scalars first, then fields that need a selection of their own."""
    fields = fields_of(_parent(groups, schema))
    plain = [name for name, known in fields.items() if is_leaf_type(get_named_type(known.type)) and not known.args]
    deeper = [
        f"{name} {{ … }}" for name, known in _levels_first(fields) if not is_leaf_type(get_named_type(known.type))
    ]
    shown = [*plain[: MAX_NAMES - 4], *deeper[:4]]
    return f"{{ {' '.join(shown)} }}" if shown else None


def _missing_variables(context: Context) -> str | None:
    if context.document is None:
        return None
    required = {
        one.variable.name.value: f"${one.variable.name.value}"
        for operation in context.document.operations
        for one in operation.variable_definitions or ()
        if isinstance(one.type, NonNullTypeNode) and one.default_value is None
    }
    return _list_names([shown for name, shown in required.items() if context.variables.get(name) is None], quote="")


_FINDERS: dict[str, Callable[[Groups, GraphQLSchema], str | None]] = {
    "field": _field,
    "level": _level,
    "type": _type,
    "argument": _argument,
    "enum_value": _enum_value,
    "selection": _selection,
}


def _parent(groups: Groups, schema: GraphQLSchema) -> GraphQLNamedType | None:
    """Return the type that an error names."""
    return schema.get_type(_bare(groups.get("type", "")))


def _asked_field(groups: Groups, schema: GraphQLSchema) -> GraphQLField | None:
    """Return the field by type and name, or by the path from the query root that Java servers print."""
    if groups.get("type"):
        return fields_of(_parent(groups, schema)).get(groups.get("field", ""))
    parent: GraphQLNamedType | None = schema.query_type
    known: GraphQLField | None = None
    for name in groups.get("path", "").split("/"):
        known = fields_of(parent).get(name)
        parent = get_named_type(known.type) if known else None
    return known


def _levels_first(fields: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return sorted(fields.items(), key=lambda entry: entry[0] not in LIST_LEVELS)


def _bare(type_name: str) -> str:
    return type_name.strip("[]! ")


def _list_names(names: list[str], *, quote: str = "`") -> str | None:
    return ", ".join(f"{quote}{name}{quote}" for name in names[:MAX_NAMES]) or None
