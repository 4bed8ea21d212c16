"""View models of the schema explorer: lists, types with members, queries with a runnable document. Pure."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from graphql import (
    GraphQLAbstractType,
    GraphQLArgument,
    GraphQLEnumType,
    GraphQLField,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLNamedType,
    GraphQLObjectType,
    GraphQLScalarType,
    GraphQLSchema,
    GraphQLUnionType,
    get_named_type,
    is_abstract_type,
)

from graphql_proxy.schema.examples import example_for
from graphql_proxy.schema.search import Entry, arguments_signature, default_text, row_type

MAX_RELATED = 40

_KINDS: dict[str, type[GraphQLNamedType]] = {
    "object": GraphQLObjectType,
    "interface": GraphQLInterfaceType,
    "union": GraphQLUnionType,
    "input": GraphQLInputObjectType,
    "enum": GraphQLEnumType,
    "scalar": GraphQLScalarType,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeName:
    """The notation of a type, split around the name that can be looked up: `[`, `Team`, `!]!`."""

    before: str
    name: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """One argument of a field."""

    name: str
    type: TypeName
    description: str = ""
    default: str = ""
    deprecated: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A field, an input field, or a value of an enum. With `is_query` it has a page of its own."""

    name: str
    type: TypeName | None = None
    arguments: Sequence[Argument] = ()
    description: str = ""
    default: str = ""
    deprecated: str | None = None
    is_query: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ListRow:
    """A row of a list: kind, address, text."""

    kind: str
    name: str
    signature: str
    description: str
    of: str = ""
    deprecated: bool = False

    @property
    def is_query(self) -> bool:
        """Return whether its page is a query's."""
        return self.kind == "query"


def kind_of(of: GraphQLNamedType) -> str:
    """Return the kind of a type."""
    return next(name for name, kind in _KINDS.items() if isinstance(of, kind))


def types_of(schema: GraphQLSchema, *, kind: str) -> list[GraphQLNamedType]:
    """Return the types of a kind by name, without root types and introspection types."""
    roots = {root.name for root in (schema.query_type, schema.mutation_type, schema.subscription_type) if root}
    wanted = _KINDS[kind]
    named = [of for name, of in schema.type_map.items() if not name.startswith("__") and name not in roots]
    return sorted((of for of in named if isinstance(of, wanted)), key=lambda of: of.name.lower())


def kinds_of(schema: GraphQLSchema) -> dict[str, int]:
    """Count the elements of a schema by kind, without empty kinds."""
    counted = {"query": len(schema.query_type.fields) if schema.query_type else 0}
    counted["mutation"] = len(schema.mutation_type.fields) if schema.mutation_type else 0
    counted |= {kind: len(types_of(schema, kind=kind)) for kind in _KINDS}
    return {kind: number for kind, number in counted.items() if number}


def list_rows(schema: GraphQLSchema, *, kind: str) -> list[ListRow]:
    """List all elements of a kind. Cheap enough for thousands; the page slices the list."""
    if kind in ("query", "mutation"):
        root = schema.query_type if kind == "query" else schema.mutation_type
        return (
            [] if root is None else [_field(name, about, kind=kind, of=root.name) for name, about in _sort_fields(root)]
        )
    return [
        ListRow(kind=kind, name=of.name, signature=of.name, description=_join_lines(of.description), of=of.name)
        for of in types_of(schema, kind=kind)
    ]


def list_found(entries: Iterable[Entry], *, schema: GraphQLSchema) -> list[ListRow]:
    """List the search results, each with the type whose page shows it."""
    mutations = schema.mutation_type.name if schema.mutation_type else ""
    return [
        ListRow(
            kind=entry.kind,
            name=entry.name,
            signature=entry.signature,
            description=entry.description,
            of=mutations if entry.kind == "mutation" else entry.path.rpartition(".")[0] or entry.path,
        )
        for entry in entries
    ]


def members(of: GraphQLNamedType, *, root: GraphQLNamedType | None = None) -> list[Member]:
    """Return a type's fields or values in the schema's order. Fields of the query root are queries."""
    if isinstance(of, GraphQLEnumType):
        return [
            Member(name=name, description=_join_lines(value.description), deprecated=value.deprecation_reason)
            for name, value in of.values.items()
        ]
    if isinstance(of, GraphQLInputObjectType):
        return [_input(name, about) for name, about in of.fields.items()]
    if isinstance(of, GraphQLObjectType | GraphQLInterfaceType):
        return [member(name, about=about, is_query=of is root) for name, about in of.fields.items()]
    return []


def list_interfaces(of: GraphQLNamedType) -> list[str]:
    """Return the names of the interfaces that a type implements."""
    return [one.name for one in getattr(of, "interfaces", ())]


def possible(schema: GraphQLSchema, *, of: GraphQLNamedType) -> list[str]:
    """Return the names of the possible types of a union or an interface."""
    if not is_abstract_type(of):
        return []
    abstract: GraphQLAbstractType = of  # is_abstract_type says so
    return sorted(one.name for one in schema.get_possible_types(abstract))


def list_queries_giving(schema: GraphQLSchema, *, of: GraphQLNamedType) -> list[str]:
    """Return the names of up to 41 queries that return a type, directly or as rows of a connection."""
    return list(islice(_queries(schema, of=of, is_given=True), MAX_RELATED + 1))


def list_queries_taking(schema: GraphQLSchema, *, of: GraphQLNamedType) -> list[str]:
    """Return the names of up to 41 queries that have an argument of a type."""
    return list(islice(_queries(schema, of=of, is_given=False), MAX_RELATED + 1))


def document(schema: GraphQLSchema, *, name: str) -> dict[str, object]:
    """Return a document that runs one query, its variables, and both as arguments of a tool's page."""
    example = example_for(schema, name=name)
    return {**example, "written": json.dumps(example["variables"], indent=2, ensure_ascii=False)}


def _queries(schema: GraphQLSchema, *, of: GraphQLNamedType, is_given: bool) -> Iterator[str]:
    root = schema.query_type
    for name, about in root.fields.items() if root else ():
        if is_given:
            answer = get_named_type(about.type)
            if of in (answer, row_type(answer)):
                yield name
        elif any(get_named_type(argument.type) is of for argument in about.args.values()):
            yield name


def _sort_fields(root: GraphQLObjectType) -> list[tuple[str, GraphQLField]]:
    return sorted(root.fields.items(), key=lambda item: item[0].lower())


def _field(name: str, about: GraphQLField, *, kind: str, of: str) -> ListRow:
    return ListRow(
        kind=kind,
        name=name,
        signature=f"{name}{arguments_signature(about.args, most=3)}: {about.type}",
        description=_join_lines(about.description),
        of=of,
        deprecated=about.deprecation_reason is not None,
    )


def member(name: str, *, about: GraphQLField, is_query: bool) -> Member:
    """Return one field with all its arguments."""
    return Member(
        name=name,
        type=type_name(about.type),
        arguments=[_argument(one, of) for one, of in about.args.items()],
        description=_join_lines(about.description),
        deprecated=about.deprecation_reason,
        is_query=is_query,
    )


def _input(name: str, about: GraphQLInputField) -> Member:
    return Member(
        name=name,
        type=type_name(about.type),
        description=_join_lines(about.description),
        default=default_text(about),
        deprecated=about.deprecation_reason,
    )


def _argument(name: str, of: GraphQLArgument) -> Argument:
    return Argument(
        name=name,
        type=type_name(of.type),
        description=_join_lines(of.description),
        default=default_text(of),
        deprecated=of.deprecation_reason,
    )


def type_name(of: object) -> TypeName:
    """Split a type's notation around the name in it."""
    before, name, after = str(of).partition(str(get_named_type(of)))  # type: ignore[call-overload]  # any type
    return TypeName(before=before, name=name, after=after)


def _join_lines(text: str | None) -> str:
    return " ".join((text or "").split())


def arguments_address(values: Mapping[str, object]) -> str:
    """Encode arguments as the query string of a tool's page."""
    return json.dumps({name: value for name, value in values.items() if value not in (None, {})}, ensure_ascii=False)
