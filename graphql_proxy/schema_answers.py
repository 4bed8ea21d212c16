"""Answers about a schema, made to fit a token budget; pure."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLNamedType,
    GraphQLObjectType,
    GraphQLSchema,
    GraphQLUnionType,
    get_named_type,
    is_required_argument,
)

from graphql_proxy.schema_contracts import (
    TOKEN_BUDGET,
    ExampleDocument,
    FoundEntry,
    QueryDescription,
    SchemaCounts,
    TypeDescription,
)
from graphql_proxy.schema_examples import example_for
from graphql_proxy.schema_search import SchemaIndex, arguments_signature

CHARACTERS_A_TOKEN = 4
ENVELOPE_CHARACTERS = 900
MAX_FOUND = 12
MAX_DESCRIPTION = 160
MAX_QUERIES = 8
MAX_NAMED = 20


@dataclass(slots=True)
class Budget:
    """Characters that an answer may still take, and what was left out for want of them."""

    left: int = TOKEN_BUDGET * CHARACTERS_A_TOKEN - ENVELOPE_CHARACTERS
    left_out: list[str] = field(default_factory=list)

    def take(self, text: str) -> bool:
        """Take room for a text, if there is any left."""
        if len(text) + 4 > self.left:
            return False
        self.left -= len(text) + 4
        return True

    def lines(self, lines: Iterable[str], *, what: str, share: float = 1.0) -> list[str]:
        """Keep as many lines as fit into a share of what is left; name the rest."""
        floor = int(self.left * (1 - share))
        wanted = list(lines)
        kept = 0
        for line in wanted:
            if self.left - len(line) - 4 < floor or not self.take(line):
                break
            kept += 1
        if rest := [line.split(":")[0].split("(")[0] for line in wanted[kept:]]:
            more = f", and {len(rest) - MAX_NAMED} more" if len(rest) > MAX_NAMED else ""
            self.left_out.append(f"{len(rest)} {what}: {', '.join(rest[:MAX_NAMED])}{more}.")
            self.left -= len(self.left_out[-1])
        return wanted[:kept]


def counts(schema: GraphQLSchema) -> SchemaCounts:
    """Count what a schema holds."""
    types = [of for name, of in schema.type_map.items() if not name.startswith("__")]
    return SchemaCounts(
        queries=len(schema.query_type.fields) if schema.query_type else 0,
        mutations=len(schema.mutation_type.fields) if schema.mutation_type else 0,
        types=len(types),
        enums=sum(isinstance(of, GraphQLEnumType) for of in types),
        inputs=sum(isinstance(of, GraphQLInputObjectType) for of in types),
    )


def found(index: SchemaIndex, *, text: str, budget: Budget) -> list[FoundEntry]:
    """Give what fits a search, best first."""
    entries = index.search(text, limit=MAX_FOUND)
    kept = []
    for entry in entries:
        said = _cut(entry.description)
        if not budget.take(f"{entry.kind} {entry.signature} {said or ''}"):
            break
        kept.append(FoundEntry(kind=entry.kind, signature=entry.signature, description=said))
    return kept


def query_description(schema: GraphQLSchema, *, name: str, depth: int, budget: Budget) -> QueryDescription:
    """Describe a query field; raises KeyError where there is none of that name."""
    if schema.query_type is None:
        raise KeyError(name)
    about = schema.query_type.fields[name]
    example = ExampleDocument(**example_for(schema, name=name))
    budget.take(example.query + str(example.variables) + str(about.description or "")[:MAX_DESCRIPTION])
    ordered = sorted(about.args.items(), key=lambda item: not is_required_argument(item[1]))
    arguments = [f"{argument}: {of.type}" + _default(of.ast_node) for argument, of in ordered]
    enums = {of.name: of for _, argument in ordered if isinstance(of := get_named_type(argument.type), GraphQLEnumType)}
    kept_arguments = budget.lines(arguments, what="arguments", share=0.5)
    kept_enums = {
        enum: values
        for enum, of in enums.items()
        if (values := budget.lines(of.values, what=f"values of {enum} (ask typeName)", share=0.3))
    }
    return QueryDescription(
        signature=f"{name}{arguments_signature(about.args, most=2)}: {about.type}",
        description=_cut(about.description),
        arguments=kept_arguments,
        enums=kept_enums,
        returns=_below([get_named_type(about.type)], depth=depth + _wrappings(about.type), budget=budget),
        example=example,
    )


def type_description(schema: GraphQLSchema, *, name: str, depth: int, budget: Budget) -> TypeDescription:
    """Describe a type; raises KeyError where there is none of that name."""
    of = schema.type_map[name]
    budget.take(str(of.description or "")[:MAX_DESCRIPTION])
    members = budget.lines(_members(of), what=f"members of {name}", share=0.8)
    queries = schema.query_type.fields.items() if schema.query_type else ()
    returning = [query for query, about in queries if _row(get_named_type(about.type)) is of]
    below = [get_named_type(part.type) for part in getattr(of, "fields", {}).values()]
    return TypeDescription(
        kind=_kind(of),
        description=_cut(of.description),
        members=members,
        queries=_some(returning, budget=budget),
        below=_below(below, depth=depth - 1, budget=budget, seen={name}),
    )


def nearest(name: str, *, index: SchemaIndex, kind: str) -> list[str]:
    """Name what is spelt or called like `name`, of one kind."""
    near = [entry.name for entry in index.search(name, limit=40) if entry.kind == kind]
    return near[:5]


def _some(names: list[str], *, budget: Budget) -> list[str]:
    if len(names) > MAX_QUERIES:
        budget.left_out.append(f"{len(names) - MAX_QUERIES} more queries that return it; ask search.")
    return [name for name in names[:MAX_QUERIES] if budget.take(name)]


def _below(
    start: list[GraphQLNamedType], *, depth: int, budget: Budget, seen: set[str] | None = None
) -> dict[str, list[str]]:
    """Give the members of types, then of the types of those, down to a depth, as far as there is room."""
    shown: dict[str, list[str]] = {}
    known, level = set(seen or ()), start
    missing: list[str] = []
    for _ in range(depth):
        following: list[GraphQLNamedType] = []
        for of in level:
            members = list(_members(of))
            if of.name in known or not members or _kind(of) == "scalar":
                continue
            known.add(of.name)
            if missing or not budget.take("".join(members) + of.name + "    " * len(members)):
                missing.append(of.name)
                continue
            shown[of.name] = members
            following += [get_named_type(part.type) for part in getattr(of, "fields", {}).values()]
        level = following
    if missing:
        budget.left_out.append(f"{len(missing)} types (ask typeName): {', '.join(missing[:MAX_NAMED])}.")
    return shown


def _wrappings(of: object) -> int:
    """Count a list's own type, as TeamConnection: it is not what anyone asks the depth of."""
    named = get_named_type(of)  # type: ignore[call-overload]  # any type of a field
    return int(_row(named) is not named)


def _row(of: GraphQLNamedType) -> GraphQLNamedType:
    """Give the type of a connection's rows, else the type itself."""
    if isinstance(of, GraphQLObjectType) and "edges" in of.fields:
        rows: GraphQLNamedType = get_named_type(of.fields["edges"].type)
        return rows
    return of


def _members(of: GraphQLNamedType) -> Iterator[str]:
    if isinstance(of, GraphQLEnumType):
        yield from of.values
    elif isinstance(of, GraphQLUnionType):
        yield from (member.name for member in of.types)
    elif isinstance(of, GraphQLObjectType | GraphQLInterfaceType):
        for name, about in of.fields.items():
            yield f"{name}{arguments_signature(about.args, most=3)}: {about.type}"
    elif isinstance(of, GraphQLInputObjectType):
        for name, part in of.fields.items():
            yield f"{name}: {part.type}"


def _kind(of: GraphQLNamedType) -> str:
    name = type(of).__name__.removeprefix("GraphQL").removesuffix("Type").removesuffix("Object").lower()
    return name or "object"


def _default(node: object) -> str:
    value = getattr(getattr(node, "default_value", None), "value", None)
    return "" if value is None else f" = {value}"


def _cut(text: str | None) -> str | None:
    said = " ".join((text or "").split())
    return f"{said[:MAX_DESCRIPTION]}…" if len(said) > MAX_DESCRIPTION else said or None
