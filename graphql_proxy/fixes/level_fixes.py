"""Fixes for fields at the wrong level: below or around the rows of a page, or in a part of their type."""

from collections.abc import Iterable

from graphql import (
    FieldNode,
    GraphQLField,
    GraphQLNamedType,
    SelectionSetNode,
    get_named_type,
    get_nullable_type,
    is_abstract_type,
    is_list_type,
    is_required_argument,
)

from graphql_proxy.fixes.cases import Candidate, Case, end, start, wrap_nodes
from graphql_proxy.fixes.drafts import Change, Edit
from graphql_proxy.fixes.names import is_said_by, words
from graphql_proxy.fixes.places import Place, arguments_of, fields_of, is_object, selected_fields

LIST_LEVELS = ("nodes", "edges", "node", "items", "data", "results")
"""The levels around lists by the conventions of Relay and others, the shortest path first."""
MAX_LEVELS = 2
IDENTIFYING = ("id", "name", "nameWithOwner", "title", "login", "slug", "number", "url", "totalCount")


def fields_beside(node: FieldNode, *, place: Place) -> list[FieldNode]:
    """Return the fields of one selection, including this one."""
    around = place.around[-1]
    parts = around.selections if isinstance(around, SelectionSetNode) else (node,)
    return [part for part in parts if isinstance(part, FieldNode)]


def takes_selection(node: FieldNode, *, known: GraphQLField) -> bool:
    """Return whether a field accepts the selection and every argument that is set."""
    if is_object(known.type) != bool(node.selection_set):
        return False
    given = {part.name.value for part in arguments_of(node)}
    required = {name for name, argument in known.args.items() if is_required_argument(argument)}
    if not given <= known.args.keys() or not required <= given:
        return False
    below = get_named_type(known.type)
    wanted = [part.name.value for part in selected_fields(node)]
    return not wanted or any(name in fields_of(below) for name in wanted) or is_abstract_type(below)


def replace_levels(node: FieldNode, *, parent: GraphQLNamedType) -> list[Candidate]:
    """Remove levels like edges and node from a list that has none, or add the levels that hold its rows."""
    inner, left = node, list[str]()
    ways = [((), parent), *_find_rows(parent)]
    while inner.name.value in LIST_LEVELS and inner.selection_set and not inner.arguments and not inner.alias:
        left.append(inner.name.value)
        below = selected_fields(inner)
        for path, kind in ways:
            held = [part.name.value in fields_of(kind) for part in below]
            if (any(held) if path else bool(held) and all(held)) and tuple(left) != path:
                return [_write_levels(node, inner=inner, left=left, path=path, parent=parent)]
        if len(below) != 1 or len(inner.selection_set.selections) != 1:
            return []
        inner = below[0]
    return []


def _write_levels(
    node: FieldNode, *, inner: FieldNode, left: list[str], path: tuple[str, ...], parent: GraphQLNamedType
) -> Candidate:
    selection, levels = inner.selection_set or inner, " { ".join(left)
    opening, closing = start(selection), end(selection)
    if path:
        says = f"`{parent.name}` has no level `{levels}`: its rows stand below `{' { '.join(path)}`."
    else:
        says = f"`{parent.name}` has no level `{levels}`: select its fields here."
    before, after = " { ".join(path) + " {" * bool(path), " ".join("}" * len(path))
    edits = (Edit(start(node), opening + 1, before), Edit(closing - 1, end(node), after))
    return Candidate(change=Change(edits=edits), says=says)


def _find_rows(parent: GraphQLNamedType) -> list[tuple[tuple[str, ...], GraphQLNamedType]]:
    """Return the only field of a page that is a list of objects, and the only object of its rows: edges and node."""
    lists = [name for name, known in _open_objects(parent).items() if is_list_type(get_nullable_type(known.type))]
    if len(lists) != 1:
        return []
    rows = get_named_type(fields_of(parent)[lists[0]].type)
    inner = _open_objects(rows)
    found: list[tuple[tuple[str, ...], GraphQLNamedType]] = [((lists[0],), rows)]
    if len(inner) == 1 and not fields_of(rows).keys() & IDENTIFYING:
        name, known = next(iter(inner.items()))
        found.append(((lists[0], name), get_named_type(known.type)))
    return found


def _open_objects(kind: GraphQLNamedType) -> dict[str, GraphQLField]:
    """Return the object fields of a type that need no argument."""
    return {
        name: known
        for name, known in fields_of(kind).items()
        if is_object(known.type) and not any(is_required_argument(argument) for argument in known.args.values())
    }


def wrap_in_levels(node: FieldNode, *, place: Place, parent: GraphQLNamedType) -> list[Candidate]:
    """Move the field below nodes, or edges and node, if it exists there, with its siblings."""
    for levels, below in list_levels(parent):
        if node.name.value in fields_of(below):
            first, last = find_run(node, place=place, here=parent, below=below)
            before, after = "".join(f"{level} {{ " for level in levels), " }" * len(levels)
            path = " { ".join([*levels, node.name.value]) + " }" * len(levels)
            says = f"`{parent.name}` is a list's page: its rows stand deeper, as `{path}`."
            return [Candidate(change=wrap_nodes(first, last=last, before=before, after=after), says=says)]
    return []


def wrap_in_part(node: FieldNode, *, place: Place, parent: GraphQLNamedType) -> list[Candidate]:
    """
    Move the field into the only part of its type that has it, as `count` into `orders_aggregate.aggregate`.

    A part is one object, no list, without an identity of its own; a thing of its own, such as an author, is another
    question. The type's name, several fields, or a name of several words tells that this part was meant.
    """
    wanted = node.name.value
    parts = [
        (name, get_named_type(known.type))
        for name, known in fields_of(parent).items()
        if not is_list_type(get_nullable_type(known.type))
        and not any(is_required_argument(argument) for argument in known.args.values())
        and wanted in fields_of(get_named_type(known.type))
        and not fields_of(get_named_type(known.type)).keys() & IDENTIFYING
    ]
    if len(parts) != 1 or not takes_selection(node, known=fields_of(parts[0][1])[wanted]):
        return []
    level, below = parts[0]
    first, last = find_run(node, place=place, here=parent, below=below)
    if first is last and len(words(wanted)) == 1 and not is_said_by([level], wanted=parent.name):
        return []
    says = f"`{wanted}` is a field of `{level}`: write `{level} {{ {wanted} }}`."
    return [Candidate(change=wrap_nodes(first, last=last, before=f"{level} {{ ", after=" }"), says=says)]


def list_levels(parent: GraphQLNamedType) -> Iterable[tuple[tuple[str, ...], GraphQLNamedType]]:
    """Return the types below list levels, the shortest path first."""
    known: list[tuple[tuple[str, ...], GraphQLNamedType]] = [((), parent)]
    for _ in range(MAX_LEVELS):
        below = []
        for path, kind in known:
            fields = fields_of(kind)
            below += [
                ((*path, level), get_named_type(fields[level].type))
                for level in LIST_LEVELS
                if level in fields and not any(is_required_argument(arg) for arg in fields[level].args.values())
            ]
        yield from below
        known = below


def find_run(
    node: FieldNode, *, place: Place, here: GraphQLNamedType, below: GraphQLNamedType
) -> tuple[FieldNode, FieldNode]:
    """Return the first and last of the adjacent sibling fields that exist below as well."""
    around = place.around[-1]
    siblings = list(around.selections) if isinstance(around, SelectionSetNode) else [node]
    run: list[FieldNode] = []
    for part in siblings:
        misplaced = (
            isinstance(part, FieldNode)
            and part.name.value in fields_of(below)
            and part.name.value not in fields_of(here)
        )
        if misplaced and isinstance(part, FieldNode):
            run.append(part)
        elif node in run:
            break
        else:
            run = []
    return (run[0], run[-1]) if node in run else (node, node)


def lift_field(node: FieldNode, *, place: Place, case: Case) -> list[Candidate]:
    """Move a field of the page, such as totalCount, up beside the level that it was written below."""
    level, inner = place.find_enclosing(FieldNode), place.around[-1]
    if not isinstance(level, FieldNode) or level.name.value not in LIST_LEVELS:
        return []
    outer = case.places.find(level)
    if outer is None or node.name.value not in fields_of(outer.parent_type):
        return []
    if not isinstance(inner, SelectionSetNode) or len(inner.selections) < 2:  # noqa: PLR2004 - one besides this
        return []
    edits = (Edit(start(level), start(level), f"{case.text(node)} "), Edit(start(node), end(node), ""))
    says = f"`{node.name.value}` stands beside `{level.name.value}`, not below it."
    return [Candidate(change=Change(edits=edits), says=says)]
