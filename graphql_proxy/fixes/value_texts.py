"""Literals for a type: numbers, enum values, quotes."""

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from graphql import (
    BooleanValueNode,
    EnumValueNode,
    FloatValueNode,
    GraphQLEnumType,
    GraphQLInputObjectType,
    IntValueNode,
    ListValueNode,
    StringValueNode,
    ValueNode,
    get_nullable_type,
    is_list_type,
    is_required_input_field,
)

from graphql_proxy.fixes.cases import MAX_NEAREST, Case, Nearest
from graphql_proxy.fixes.names import is_short_form, pick_sure, rank_names
from graphql_proxy.fixes.violations import fits

NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


def write_value(node: ValueNode, *, wanted: Any, case: Case) -> list[str]:
    """Return every way to write a literal for a type that certainly means the same."""
    bare = get_nullable_type(wanted)
    if isinstance(node, ListValueNode):
        return [case.text(node.values[0])] if len(node.values) == 1 and not is_list_type(bare) else []
    if is_list_type(bare):
        return write_value(node, wanted=bare.of_type, case=case)  # a single value stands for a list of one
    if not isinstance(node, StringValueNode | EnumValueNode | IntValueNode | FloatValueNode | BooleanValueNode):
        return []
    raw = str(node.value).lower() if isinstance(node, BooleanValueNode) else str(node.value)
    if isinstance(node, StringValueNode) and raw.startswith("$") and raw[1:] in list_declared(case):
        return [raw]
    if isinstance(bare, GraphQLEnumType):
        chosen = find_enum_value(raw, kind=bare, case=case)
        return [chosen] if chosen else []
    return [text for text in _scalar_texts(raw, node=node) if fits(json.loads(text), wanted=bare)][:1]


def list_declared(case: Case) -> set[str]:
    """Return the names of the variables that the operation declares."""
    definitions = case.operation.variable_definitions if case.operation else ()
    return {part.variable.name.value for part in definitions or ()}


def _scalar_texts(raw: str, *, node: ValueNode) -> Iterable[str]:
    """Return the readings of a scalar without its quotes, or with them."""
    if isinstance(node, StringValueNode | FloatValueNode):
        text = raw.strip().replace("_", "").replace(",", "") if isinstance(node, StringValueNode) else raw
        if NUMBER.fullmatch(text):
            yield text
            if re.fullmatch(r"-?[0-9]+\.0+", text):
                yield text.partition(".")[0]
        if raw.strip().lower() in ("true", "false"):
            yield raw.strip().lower()
    if isinstance(node, EnumValueNode) and raw.lower() in ("true", "false"):
        yield raw.lower()
    if not isinstance(node, StringValueNode):
        yield json.dumps(raw)


def find_enum_value(raw: str, *, kind: GraphQLEnumType, case: Case) -> str | None:
    """Return the enum value that was certainly meant."""
    values = {name: known.description or "" for name, known in kind.values.items()}
    plain = re.sub(r"[^A-Za-z0-9_]+", "_", raw.rpartition(".")[2].strip())
    ranked = rank_names(plain, names=values, known_words=())
    return pick_sure(ranked) or _stem(plain, values) or case.prefer_mentioned(ranked, wanted=raw)


def _stem(plain: str, values: Iterable[str]) -> str | None:
    """Return the only value that differs in its ending: OPENED for OPEN, DESCENDING for DESC."""
    found = [name for name in values if is_short_form(plain, like=name)]
    return found[0] if len(found) == 1 else None


def list_enum_values(raw: str, *, kind: GraphQLEnumType) -> tuple[Nearest, ...]:
    """List an enum's values, those similar to a text first."""
    ranked = [near.name for near in rank_names(raw, names=kind.values)]
    names = list(dict.fromkeys([*ranked, *kind.values]))[:MAX_NEAREST]
    return tuple(Nearest(name=name, type=kind.name) for name in names)


def advise_object(names: Sequence[str], *, kind: GraphQLInputObjectType) -> str:
    """Say which object to write: the one of all required fields, else one that holds one of the named fields."""
    required = [f"{name}: {known.type}" for name, known in kind.fields.items() if is_required_input_field(known)]
    if required:
        return f"write `{{{', '.join(required)}}}`"
    return advise_values([f"{{{name}: …}}" for name in names[:MAX_NEAREST]])


def advise_values(texts: Sequence[str]) -> str:
    """List the possible values. Empty if there are none."""
    return f"use one of {', '.join(f'`{text}`' for text in texts)}" if texts else ""
