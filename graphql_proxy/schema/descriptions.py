"""Descriptions of a schema that fit a token budget. Pure."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from graphql import (
    GraphQLArgument,
    GraphQLEnumType,
    GraphQLField,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLNamedType,
    GraphQLObjectType,
    GraphQLSchema,
    GraphQLUnionType,
    get_named_type,
    is_required_argument,
    is_required_input_field,
)

from graphql_proxy.schema.contracts import (
    TOKEN_BUDGET,
    ExampleDocument,
    FieldDescription,
    FoundEntry,
    QueryDescription,
    SchemaCounts,
    TypeDescription,
)
from graphql_proxy.schema.examples import example_for
from graphql_proxy.schema.search import SchemaIndex, arguments_signature, default_text, row_type

CHARACTERS_A_TOKEN = 4
ENVELOPE_CHARACTERS = 900
MAX_FOUND = 12
MAX_DESCRIPTION = 160
MAX_QUERIES = 8
MAX_NAMED = 20
MAX_REASON = 100
MEMBERS_SHARE = 0.8
"""The share of the budget for a type's own members. The rest is for nested types."""

Uses = Counter[str]
NO_USES: Uses = Counter()


@dataclass(slots=True)
class Budget:
    """The characters that an answer may still use, and what was left out."""

    left: int = TOKEN_BUDGET * CHARACTERS_A_TOKEN - ENVELOPE_CHARACTERS
    left_out: list[str] = field(default_factory=list)

    @classmethod
    def from_tokens(cls, tokens: int) -> "Budget":
        """Convert a number of tokens to characters."""
        return cls(left=max(tokens * CHARACTERS_A_TOKEN - ENVELOPE_CHARACTERS, 200))

    def take(self, text: str) -> bool:
        """Reserve room for a text, if there is any left."""
        if len(text) + 4 > self.left:
            return False
        self.left -= len(text) + 4
        return True

    def lines(self, lines: Iterable[str], *, what: str, share: float = 1.0) -> list[str]:
        """Keep as many lines as fit into a share of the rest, and name those that do not."""
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
    """Count the elements of a schema."""
    types = [of for name, of in schema.type_map.items() if not name.startswith("__")]
    return SchemaCounts(
        queries=len(schema.query_type.fields) if schema.query_type else 0,
        mutations=len(schema.mutation_type.fields) if schema.mutation_type else 0,
        types=len(types),
        enums=sum(isinstance(of, GraphQLEnumType) for of in types),
        inputs=sum(isinstance(of, GraphQLInputObjectType) for of in types),
    )


def list_found(index: SchemaIndex, *, text: str, budget: Budget) -> list[FoundEntry]:
    """Return the search results, best first."""
    entries = index.search(text, limit=MAX_FOUND)
    kept = []
    for entry in entries:
        said = _cut(entry.description)
        if not budget.take(f"{entry.kind} {entry.signature} {said or ''}"):
            break
        kept.append(FoundEntry(kind=entry.kind, signature=entry.signature, description=said))
    return kept


def query_description(
    schema: GraphQLSchema, *, name: str, depth: int, budget: Budget, uses: Uses = NO_USES
) -> QueryDescription:
    """Describe a query, else a mutation. Raises KeyError if there is none of that name."""
    for operation, root in (("query", schema.query_type), ("mutation", schema.mutation_type)):
        if root is not None and name in root.fields:
            example = ExampleDocument(**example_for(schema, name=name, operation=operation))
            budget.take(f"{example.query}{example.variables}")
            about = _describe_field(
                root.fields[name], name=name, owner=f"{root.name}.{name}", depth=depth, budget=budget, uses=uses
            )
            return QueryDescription(**dict(about), example=example)
    raise KeyError(name)


def field_description(
    schema: GraphQLSchema, *, coordinate: str, depth: int, budget: Budget, uses: Uses = NO_USES
) -> FieldDescription:
    """Describe a field or an input field by its coordinate, as `Repository.issues`. Raises KeyError."""
    type_name, _, name = coordinate.partition(".")
    of = schema.type_map[type_name]
    if not isinstance(of, GraphQLObjectType | GraphQLInterfaceType | GraphQLInputObjectType):
        raise KeyError(coordinate)
    return _describe_field(of.fields[name], name=coordinate, owner=coordinate, depth=depth, budget=budget, uses=uses)


def _describe_field(
    about: GraphQLField | GraphQLInputField, *, name: str, owner: str, depth: int, budget: Budget, uses: Uses
) -> FieldDescription:
    described = _cut(_with_deprecation(about.description, about.deprecation_reason))
    budget.take(described or "")
    args: Mapping[str, GraphQLArgument] = about.args if isinstance(about, GraphQLField) else {}
    named = {argument: get_named_type(of.type) for argument, of in args.items()}
    enums = {of.name: of for of in named.values() if isinstance(of, GraphQLEnumType)}
    inputs = {of.name: of for of in named.values() if isinstance(of, GraphQLInputObjectType)}
    kept_arguments = budget.lines(_inputs(args, owner=owner, uses=uses), what="arguments", share=0.5)
    kept_inputs = {
        of.name: lines
        for of in inputs.values()
        if (
            lines := budget.lines(
                _inputs(of.fields, owner=of.name, uses=uses), what=f"fields of {of.name} (ask typeName)", share=0.4
            )
        )
    }
    kept_enums = {
        enum: values
        for enum, of in enums.items()
        if (values := budget.lines(_members(of), what=f"values of {enum} (ask typeName)", share=0.3))
    }
    returned = get_named_type(about.type)
    default = "" if isinstance(about, GraphQLField) else _default(about)
    return FieldDescription(
        signature=f"{name}{arguments_signature(args, most=2)}: {about.type}{default}",
        description=described,
        arguments=kept_arguments,
        enums=kept_enums,
        inputs=kept_inputs or None,
        returns=_below([returned], depth=depth + _wrappings(about.type), budget=budget, uses=uses)
        or {returned.name: [_kind(returned)]},
    )


def type_description(
    schema: GraphQLSchema, *, name: str, depth: int, budget: Budget, page: int = 1, uses: Uses = NO_USES
) -> TypeDescription:
    """Describe a type, with one page of its members. Raises KeyError if there is none of that name."""
    of = schema.type_map[name]
    described = _cut(of.description)
    budget.take(described or "")
    pages = _pages(_ranked_members(of, uses=uses), room=int(budget.left * MEMBERS_SHARE))
    members = pages[page - 1] if page <= len(pages) else []
    budget.left -= sum(len(line) + 4 for line in members)
    if len(pages) > 1 or page > 1:
        rest = sum(len(other) for other in pages) - len(members)
        budget.left_out.append(f"{rest} members of {name}: this is page {page} of {len(pages)}; ask page or maxTokens.")
    queries = schema.query_type.fields.items() if schema.query_type else ()
    returning = [query for query, about in queries if row_type(get_named_type(about.type)) is of]
    below = [get_named_type(part.type) for part in getattr(of, "fields", {}).values()]
    return TypeDescription(
        kind=_kind(of),
        description=described,
        members=members,
        queries=_cut_names(returning, budget=budget),
        below=_below(below, depth=depth - 1, budget=budget, uses=uses, seen={name}),
    )


def _pages(lines: list[str], *, room: int) -> list[list[str]]:
    """Split lines into pages that fit. A line that fits no page has a page of its own."""
    pages: list[list[str]] = [[]]
    left = room
    for line in lines:
        if pages[-1] and len(line) + 4 > left:
            pages.append([])
            left = room
        pages[-1].append(line)
        left -= len(line) + 4
    return pages


def nearest(name: str, *, index: SchemaIndex, kind: str) -> list[str]:
    """Return the names of one kind most similar to `name`."""
    like_it = [entry for entry in index.search(name, limit=40) if entry.kind == kind]
    near = [entry.path if kind == "field" else entry.name for entry in like_it]
    return near[:5]


def _cut_names(names: list[str], *, budget: Budget) -> list[str]:
    if len(names) > MAX_QUERIES:
        budget.left_out.append(f"{len(names) - MAX_QUERIES} more queries that return it; ask search.")
    return [name for name in names[:MAX_QUERIES] if budget.take(name)]


def _below(
    start: list[GraphQLNamedType], *, depth: int, budget: Budget, uses: Uses, seen: set[str] | None = None
) -> dict[str, list[str]]:
    """Return the members of types, then of their types, down to a depth, while there is room."""
    shown: dict[str, list[str]] = {}
    known, level = set(seen or ()), start
    missing: list[str] = []
    for _ in range(depth):
        following: list[GraphQLNamedType] = []
        for of in level:
            members = _ranked_members(of, uses=uses)
            if of.name in known or not members or _kind(of) == "scalar":
                continue
            known.add(of.name)
            if missing or not budget.take("".join(members) + of.name + "    " * len(members)):
                missing.append(of.name)
                if not shown:
                    shown[of.name] = budget.lines(members, what=f"members of {of.name} (ask typeName)", share=0.8)
                continue
            shown[of.name] = members
            following += [get_named_type(part.type) for part in getattr(of, "fields", {}).values()]
        level = following
    if missing:
        budget.left_out.append(f"{len(missing)} types (ask typeName): {', '.join(missing[:MAX_NAMED])}.")
    return shown


def _wrappings(of: object) -> int:
    """Count list wrappers, such as TeamConnection. They do not count as depth."""
    named = get_named_type(of)  # type: ignore[call-overload]  # any type of a field
    return int(row_type(named) is not named)


def _ranked_members(of: GraphQLNamedType, *, uses: Uses) -> list[str]:
    """Return the members of a type, the most used first, deprecated ones last."""
    if isinstance(of, GraphQLInputObjectType):
        return _inputs(of.fields, owner=of.name, uses=uses)
    if not isinstance(of, GraphQLObjectType | GraphQLInterfaceType):
        return list(_members(of))
    ranked = sorted(
        of.fields.items(), key=lambda item: (item[1].deprecation_reason is not None, -uses[f"{of.name}.{item[0]}"])
    )
    return [_field_line(name, about) for name, about in ranked]


def _inputs(inputs: Mapping[str, GraphQLArgument | GraphQLInputField], *, owner: str, uses: Uses) -> list[str]:
    """Write arguments or input fields with types and defaults, required ones first, then the most used."""
    ranked = sorted(
        inputs.items(),
        key=lambda item: (
            not _is_required(item[1]),
            item[1].deprecation_reason is not None,
            -uses[f"{owner}.{item[0]}"],
        ),
    )
    return [f"{name}: {of.type}{_default(of)}{_deprecation(of.deprecation_reason)}" for name, of in ranked]


def _is_required(of: GraphQLArgument | GraphQLInputField) -> bool:
    return is_required_argument(of) if isinstance(of, GraphQLArgument) else is_required_input_field(of)


def _members(of: GraphQLNamedType) -> Iterator[str]:
    """Return the values of an enum, or the types of a union."""
    if isinstance(of, GraphQLEnumType):
        yield from (f"{name}{_deprecation(value.deprecation_reason)}" for name, value in of.values.items())
    elif isinstance(of, GraphQLUnionType):
        yield from (member.name for member in of.types)


def _field_line(name: str, about: GraphQLField) -> str:
    signature = arguments_signature(about.args, most=3)
    return f"{name}{signature}: {about.type}{_deprecation(about.deprecation_reason)}"


def _deprecation(reason: str | None) -> str:
    return f" @deprecated({' '.join(reason.split())[:MAX_REASON]})" if reason is not None else ""


def _with_deprecation(description: str | None, reason: str | None) -> str:
    return f"Deprecated: {reason} {description or ''}" if reason is not None else description or ""


def _kind(of: GraphQLNamedType) -> str:
    name = type(of).__name__.removeprefix("GraphQL").removesuffix("Type").removesuffix("Object").lower()
    return name or "object"


def _default(of: GraphQLArgument | GraphQLInputField) -> str:
    return f" = {text}" if (text := default_text(of)) else ""


def _cut(text: str | None) -> str | None:
    said = " ".join((text or "").split())
    return f"{said[:MAX_DESCRIPTION]}…" if len(said) > MAX_DESCRIPTION else said or None
