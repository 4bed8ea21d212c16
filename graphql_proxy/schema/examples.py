"""Example documents: a runnable document for any query field, with the variables it needs."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from graphql import (
    GraphQLArgument,
    GraphQLEnumType,
    GraphQLField,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLScalarType,
    GraphQLSchema,
    GraphQLUnionType,
    Undefined,
    get_named_type,
    is_required_argument,
    is_required_input_field,
)

MAX_LEAVES = 6
MAX_OBJECTS = 2
DEPTH = 4
PAGE = 5

_PAGE_ARGUMENTS = ("limit", "first", "pageSize")
_GOOD_FIRST = ("id", "slug", "name", "fullName", "title", "date")
_PREFERRED_OBJECTS = ("player", "team", "stats", "regularStats", "season")
_DULL = re.compile(r"(?i:logo|image|urlpath|updatedat)|Url$")
_BY_NAME = {"season": "2024-2025", "slug": "nhl", "league": "nhl", "country": "canada", "q": "carolina", "year": 2025}
_SCALARS: dict[str, Any] = {"ID": "1", "String": "example", "Int": 1, "Float": 1.0, "Boolean": True}

Selectable = GraphQLObjectType | GraphQLInterfaceType


def example_for(schema: GraphQLSchema, *, name: str, operation: str = "query") -> dict[str, Any]:
    """
    Write `{query, variables}` for the query field `name`, or the mutation.

    Variables are its required arguments and a page size where it takes one. The selection is small: some leaves, then
    what `edges` or the first objects hold. Raises KeyError where there is no such field.
    """
    root = schema.mutation_type if operation == "mutation" else schema.query_type
    if root is None:
        raise KeyError(name)
    about = root.fields[name]
    chosen = {argument: of for argument, of in about.args.items() if _is_needed(argument, of)}
    declared = ", ".join(f"${argument}: {of.type}" for argument, of in chosen.items())
    passed = ", ".join(f"{argument}: ${argument}" for argument in chosen)
    head = f"{operation} Example({declared})" if chosen else f"{operation} Example"
    call = f"{name}({passed})" if chosen else name
    selection = "\n".join(_selection(schema, about, depth=DEPTH, indent="  "))
    variables = {argument: _value(of, name=argument) for argument, of in chosen.items()}
    return {"query": f"{head} {{\n  {call}{selection}\n}}", "variables": variables}


def _is_needed(name: str, of: GraphQLArgument) -> bool:
    return is_required_argument(of) or (name in _PAGE_ARGUMENTS and get_named_type(of.type).name == "Int")


def _selection(schema: GraphQLSchema, about: GraphQLField, *, depth: int, indent: str) -> Iterator[str]:
    """Return the lines of a selection in braces. A leaf has none."""
    of = get_named_type(about.type)
    if isinstance(of, GraphQLUnionType):
        yield f" {{\n{indent}  __typename"
        for member in of.types:
            leaves = " ".join(_leaves(member)[:MAX_LEAVES]) or "__typename"
            yield f"{indent}  ... on {member.name} {{ {leaves} }}"
        yield f"{indent}}}"
    elif isinstance(of, GraphQLObjectType | GraphQLInterfaceType):
        inside = list(_inside(schema, of, depth=depth, indent=f"{indent}  "))
        yield " {\n" + "\n".join(inside or [f"{indent}  __typename"])
        yield f"{indent}}}"


def _inside(schema: GraphQLSchema, of: Selectable, *, depth: int, indent: str) -> Iterator[str]:
    leaves = _leaves(of)[:MAX_LEAVES]
    yield from (f"{indent}{leaf}" for leaf in leaves)
    if depth <= 1:
        return
    objects = _objects(of)
    rows = [name for name in objects if name in ("edges", "nodes", "node", "items")]
    preferred = [name for name in _PREFERRED_OBJECTS if name in objects] if leaves else objects
    for name in rows[:1] or preferred[:MAX_OBJECTS]:
        left = depth - 1 if name in rows or not leaves else 1
        below = list(_selection(schema, of.fields[name], depth=left, indent=indent))
        yield f"{indent}{name}" + "\n".join(below)


def _leaves(of: Selectable) -> list[str]:
    """Return the fields that need neither selection nor argument, preferred ones first."""
    leaves = [name for name, about in of.fields.items() if _is_leaf(about) and not _asks(about)]
    first = {name: place for place, name in enumerate(_GOOD_FIRST)}
    return sorted(leaves, key=lambda name: (bool(_DULL.search(name)), first.get(name, len(first))))


def _objects(of: Selectable) -> list[str]:
    return [name for name, about in of.fields.items() if not _is_leaf(about) and not _asks(about)]


def _is_leaf(about: GraphQLField) -> bool:
    return isinstance(get_named_type(about.type), GraphQLScalarType | GraphQLEnumType)


def _asks(about: GraphQLField) -> bool:
    return any(is_required_argument(argument) for argument in about.args.values())


def _value(of: GraphQLArgument | GraphQLInputField, *, name: str, within: tuple[str, ...] = ()) -> Any:
    """Return an example value of a type, in JSON form."""
    kind = of.type.of_type if isinstance(of.type, GraphQLNonNull) else of.type
    if isinstance(kind, GraphQLList):
        inner = get_named_type(kind)
        return [] if inner.name in within else [_named_value(inner, name=name, within=within)]
    return _named_value(kind, name=name, within=within)


def _named_value(of: Any, *, name: str, within: tuple[str, ...]) -> Any:
    if isinstance(of, GraphQLEnumType):
        return next(iter(of.values))
    if isinstance(of, GraphQLInputObjectType):
        if of.name in within:
            return {}  # it requires itself, so no value fits
        fields: Mapping[str, GraphQLInputField] = of.fields
        needed = {key: part for key, part in fields.items() if is_required_input_field(part)}
        if of.is_one_of:
            needed = dict(list(fields.items())[:1])
        return {key: _value(part, name=key, within=(*within, of.name)) for key, part in needed.items()}
    if name in _PAGE_ARGUMENTS:
        return PAGE
    known = _BY_NAME.get(name, Undefined)
    fitting = {"ID": str, "String": str, "Int": int}.get(of.name)
    if known is not Undefined and fitting is not None and isinstance(known, fitting):
        return known
    return _SCALARS.get(of.name, "example")
