"""
Check the hints for things that a schema lacks: each field, argument and enum value is removed and asked for.

    python -m benchmarks.graphql_absent [SCHEMA ...]         # about a minute of CPU time for the shipped schemas

What was removed is not there under another name, so any fix that does not ask for that very name is wrong.
"""

import argparse
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

import django

django.setup()

from graphql import (  # noqa: E402
    DocumentNode,
    EnumTypeDefinitionNode,
    GraphQLEnumType,
    GraphQLField,
    GraphQLSchema,
    InterfaceTypeDefinitionNode,
    ObjectTypeDefinitionNode,
    build_ast_schema,
    get_named_type,
    is_composite_type,
    is_input_object_type,
    is_leaf_type,
    is_required_argument,
    is_union_type,
    parse,
)

from benchmarks.graphql_mistakes import FOLDER  # noqa: E402
from graphql_proxy.contracts import GraphqlError  # noqa: E402
from graphql_proxy.fixes.advice import advise  # noqa: E402
from graphql_proxy.fixes.drafts import Draft  # noqa: E402
from graphql_proxy.schema.search import SchemaIndex  # noqa: E402
from graphql_proxy.schema.store import KnownSchema  # noqa: E402

VALUES = {"Int": "5", "Float": "1.5", "Boolean": "true"}
REFUSED = [GraphqlError(message="refused")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Absence:
    """A schema without one thing, a document that asks for it, and the offered fix."""

    coordinate: str
    name: str
    document: str
    offered: str | None

    @property
    def is_wrong(self) -> bool:
        """Return whether something else was offered instead."""
        return self.offered is not None and self.name not in re.findall(r"\w+", self.offered)


def main() -> None:
    """Print how many things were removed from each schema, and each wrong fix."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("schemas", nargs="*", type=Path, default=sorted(FOLDER.glob("*.graphql")))
    for path in parser.parse_args().schemas:
        found = list(find_absences(path.read_text()))
        wrong = [one for one in found if one.is_wrong]
        print(f"{path.stem}: {len(found)} taken out, {sum(one.offered is not None for one in found)} offers, ", end="")
        print(f"{len(wrong)} wrong")
        for one in wrong:
            print(f"    {one.coordinate}: {one.document} -> {one.offered}")


def find_absences(text: str) -> Iterator[Absence]:
    """Remove each thing of a schema in turn, and ask for it."""
    tree = parse(text, no_location=True)
    schema = _build(tree)
    ways = _ways(schema)
    for part in tree.definitions:
        if isinstance(part, ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode) and part.name.value in ways:
            yield from _absent_members(tree, part, schema=schema, way=ways[part.name.value])
        elif isinstance(part, EnumTypeDefinitionNode):
            yield from _absent_values(tree, part, schema=schema, ways=ways)


def _absent_members(tree: DocumentNode, part: Any, *, schema: GraphQLSchema, way: list[str]) -> Iterator[Absence]:
    kind: Any = schema.type_map[part.name.value]
    for node in part.fields:
        name, known = node.name.value, kind.fields[node.name.value]
        rest = tuple(one for one in part.fields if one is not node)
        if rest and not is_union_type(get_named_type(known.type)):
            without = _replace_part(tree, part, replace(part, fields=rest))
            yield _ask(
                without, coordinate=f"{kind.name}.{name}", name=name, way=[*way, _call(name, known)], known=known
            )
        for argument in node.arguments or ():
            given, other = argument.name.value, tuple(one for one in node.arguments if one is not argument)
            if other and not is_input_object_type(get_named_type(known.args[given].type)):
                fields = tuple(replace(one, arguments=other) if one is node else one for one in part.fields)
                without, call = _replace_part(tree, part, replace(part, fields=fields)), _call(name, known, also=given)
                coordinate = f"{kind.name}.{name}({given}:)"
                yield _ask(without, coordinate=coordinate, name=given, way=[*way, call], known=known)


def _absent_values(
    tree: DocumentNode, part: EnumTypeDefinitionNode, *, schema: GraphQLSchema, ways: dict[str, list[str]]
) -> Iterator[Absence]:
    """Yield a request for each value of an enum that is an argument of a field."""
    for owner, way in ways.items():
        kind: Any = schema.type_map[owner]
        for name, known in kind.fields.items():
            for given, argument in known.args.items():
                if get_named_type(argument.type).name == part.name.value and len(part.values or ()) > 1:
                    for value in part.values or ():
                        rest = tuple(one for one in part.values or () if one is not value)
                        call = _call(name, known, also=given, value=value.name.value)
                        without = _replace_part(tree, part, replace(part, values=rest))
                        coordinate = f"{part.name.value}.{value.name.value}"
                        yield _ask(without, coordinate=coordinate, name=value.name.value, way=[*way, call], known=known)
                    return


def _ask(tree: DocumentNode, *, coordinate: str, name: str, way: list[str], known: GraphQLField) -> Absence:
    selection = [] if is_leaf_type(get_named_type(known.type)) else ["__typename"]
    path = [*way, *selection]
    document = f"{{ {' { '.join(path)}{' }' * len(path)}"
    schema = _build(tree)
    known_schema = KnownSchema(schema=schema, index=SchemaIndex.from_schema(schema), version=1)
    advice = advise(REFUSED, draft=Draft(query=document), known=known_schema)
    offered = advice.retry_with["query"] if advice.retry_with else None
    return Absence(coordinate=coordinate, name=name, document=document, offered=offered)


def _call(name: str, known: GraphQLField, *, also: str = "", value: str = "") -> str:
    """Write a field with its required arguments and one more."""
    given = {one: _value(argument.type) for one, argument in known.args.items() if is_required_argument(argument)}
    if also:
        given[also] = value or _value(known.args[also].type)
    listed = ", ".join(f"{one}: {text}" for one, text in given.items())
    return f"{name}({listed})" if listed else name


def _value(kind: Any) -> str:
    named = get_named_type(kind)
    return next(iter(named.values)) if isinstance(named, GraphQLEnumType) else VALUES.get(named.name, '"x"')


def _ways(schema: GraphQLSchema) -> dict[str, list[str]]:
    """Return for each type with fields a shortest path from the root that needs no input object."""
    root = schema.query_type
    found: dict[str, list[str]] = {root.name: []} if root else {}
    queue: list[Any] = [root] if root else []
    for kind in queue:
        for name, known in kind.fields.items():
            below = get_named_type(known.type)
            needs = [get_named_type(one.type) for one in known.args.values() if is_required_argument(one)]
            is_new = is_composite_type(below) and not is_union_type(below) and below.name not in found
            if is_new and not any(is_input_object_type(one) for one in needs):
                found[below.name] = [*found[kind.name], _call(name, known)]
                queue.append(below)
    return found


def _replace_part(tree: DocumentNode, part: Any, other: Any) -> DocumentNode:
    return replace(tree, definitions=tuple(other if one is part else one for one in tree.definitions))


def _build(tree: DocumentNode) -> GraphQLSchema:
    return build_ast_schema(tree, assume_valid=True, assume_valid_sdl=True)


if __name__ == "__main__":
    main()
