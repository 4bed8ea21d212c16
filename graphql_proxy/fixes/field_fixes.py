"""Fixes for fields: unknown ones, missing selections, selections on plain values, conflicts."""

from collections.abc import Iterable

from graphql import (
    FieldNode,
    GraphQLField,
    GraphQLInterfaceType,
    GraphQLNamedType,
    GraphQLObjectType,
    GraphQLUnionType,
    InlineFragmentNode,
    Node,
    SelectionSetNode,
    get_named_type,
    get_nullable_type,
    is_abstract_type,
    is_leaf_type,
    is_list_type,
    is_required_argument,
)

from graphql_proxy.fixes.cases import (
    MAX_NEAREST,
    Candidate,
    Case,
    Diagnosis,
    Nearest,
    end,
    replace_node,
    start,
    wrap_nodes,
)
from graphql_proxy.fixes.drafts import Change, Edit
from graphql_proxy.fixes.names import (
    SAME_WORDS,
    NearName,
    fold_name,
    is_abbreviation,
    is_count_of,
    is_full_form,
    is_qualified,
    is_said_by,
    pick_sure,
    rank_names,
    words,
)
from graphql_proxy.fixes.places import Place, arguments_of, fields_of, is_object, selected_fields
from graphql_proxy.fixes.violations import Violation
from graphql_proxy.schema.search import arguments_signature

LIST_LEVELS = ("nodes", "edges", "node", "items", "data", "results")
"""The levels that lists are wrapped in, by the conventions of Relay and others; the shortest way first."""
MAX_LEVELS = 2
MAX_DEEPER, MAX_VISITED, MAX_WAYS = 3, 200, 3
MAX_PLAIN = 12
MAX_FRAGMENTS = 4
"""Types of a union that a field is asked of; for more of them the caller chooses."""
MAX_SELECTED = 6
IDENTIFYING = ("id", "name", "nameWithOwner", "title", "login", "slug", "number", "url", "totalCount")


def fix_unknown_field(violation: Violation, *, case: Case) -> Diagnosis:
    """Find the field that was meant: on the type under another name, around a list, below a union."""
    place, node = case.place(violation), violation.nodes[0]
    parent = place.parent_type if place else None
    if place is None or parent is None or not isinstance(node, FieldNode):
        return Diagnosis()
    wanted, fields = node.name.value, fields_of(parent)
    descriptions = {name: known.description or "" for name, known in fields.items()}
    ranked = rank_names(wanted, names=fields, descriptions=descriptions, known_words=case.known_words)
    names = dict.fromkeys([*(near.name for near in ranked), *_fields_of_type(wanted, parent=parent)])
    nearest = tuple(_nearest(name, fields[name]) for name in list(names)[:MAX_NEAREST])
    candidates = (
        _same_name(node, ranked, fields=fields)
        or _structural(node, place=place, parent=parent, case=case)
        or _rename_field(node, ranked, parent=parent, case=case)
    )
    return Diagnosis(
        coordinate=f"{parent.name}.{wanted}",
        hint=_field_hint(wanted, parent=parent, nearest=nearest, case=case),
        nearest=nearest,
        candidates=tuple(candidates),
    )


def _field_hint(wanted: str, *, parent: GraphQLNamedType, nearest: tuple[Nearest, ...], case: Case) -> str:
    kind = parent.name
    if case.schema.mutation_type and parent is case.schema.query_type and wanted in case.schema.mutation_type.fields:
        return f"{wanted} is a mutation: write `mutation {{ {wanted}(…) {{ … }} }}` and use execute_graphql_mutation."
    members = [known.name for known in _members_with(wanted, parent=parent, case=case)]
    if members:
        listed = ", ".join(f"`... on {member} {{ {wanted} }}`" for member in members[:MAX_NEAREST])
        return f"`{wanted}` is not a field of `{kind}`, but of types that it may be: write a fragment, one of {listed}."
    if isinstance(parent, GraphQLUnionType):
        shown = ", ".join(f"`... on {member.name} {{ … }}`" for member in parent.types[:MAX_NEAREST])
        return f"{kind} is a union and has no fields of its own: select {shown}."
    near = ", ".join(f"`{near.name}: {near.type}`" for near in nearest)
    deeper = ", ".join(f"`{way}`" for way in find_deeper(wanted, parent=parent))
    plain = ", ".join(f"`{name}`" for name in plain_fields(parent)[:MAX_PLAIN])
    return " ".join(
        said
        for said in (
            f"{kind} has no field `{wanted}`.",
            f"Nearest: {near}." if near else "",
            f"A field of that name stands deeper: {deeper}." if deeper else "",
            f"Plain fields of {kind}: {plain}." if plain and not deeper else "",
        )
        if said
    )


def _fields_of_type(wanted: str, *, parent: GraphQLNamedType) -> list[str]:
    """Give the fields whose type has the wanted name: the dates of `date`, `roster: [Player!]` of `players`."""
    kinds = {name: get_named_type(known.type).name for name, known in fields_of(parent).items()}
    return [name for name, kind in kinds.items() if is_said_by([wanted], wanted=kind)]


def find_deeper(wanted: str, *, parent: GraphQLNamedType | None) -> list[str]:
    """Give the ways to a field of that name below a type, nearest first, lists' levels before others; three at most."""
    level: list[tuple[tuple[str, ...], GraphQLNamedType | None]] = [((), parent)]
    found: list[str] = []
    for _ in range(MAX_DEEPER):
        below = []
        for path, kind in level:
            fields = fields_of(kind)
            for name in sorted(fields, key=_rank_level):
                if path and fold_name(name) == fold_name(wanted):
                    found.append(" { ".join((*path, name)) + " }" * len(path))
                else:
                    below.append(((*path, name), get_named_type(fields[name].type)))
        if found:
            return found[:MAX_WAYS]
        level = below[:MAX_VISITED]
    return []


def _rank_level(name: str) -> int:
    return LIST_LEVELS.index(name) if name in LIST_LEVELS else len(LIST_LEVELS)


def _nearest(name: str, known: GraphQLField) -> Nearest:
    return Nearest(name=name, type=f"{arguments_signature(known.args, most=2)}: {known.type}".removeprefix(": "))


def _same_name(node: FieldNode, ranked: list[NearName], *, fields: dict[str, GraphQLField]) -> list[Candidate]:
    """Take the field whose name differs by case, underscores or plural alone."""
    wanted = node.name.value
    folded = [name for name in fields if fold_name(name) == fold_name(wanted)]
    near = folded or [near.name for near in ranked if near.score >= SAME_WORDS]
    return [_rename(node, name) for name in near if folded or takes_selection(node, known=fields[name])]


def _rename_field(node: FieldNode, ranked: list[NearName], *, parent: GraphQLNamedType, case: Case) -> list[Candidate]:
    """Take the one field that is spelt almost so, counts what is named, or says the same with one more word."""
    wanted, fields = node.name.value, fields_of(parent)
    fitting = [near for near in ranked if takes_selection(node, known=fields[near.name])]
    counts = [near.name for near in fitting if is_count_of(wanted, name=near.name)]
    qualified = [
        near.name for near in fitting if is_qualified(wanted, name=near.name, owner=parent.name, entities=case.entities)
    ]
    cut = [near.name for near in fitting if is_abbreviation(wanted, name=near.name, known_words=case.known_words)]
    known_names = {"_".join(words(name)) for name in fields}
    full = [near.name for near in fitting if is_full_form(wanted, name=near.name, names=known_names)]
    shaped = [near.name for near in fitting if _is_same_call(node, name=near.name, known=fields[near.name])]
    alone = [names[0] for names in (counts, qualified, cut, full, shaped) if len(names) == 1]
    chosen = pick_sure(fitting) or (alone[0] if alone else case.prefer_mentioned(fitting, wanted=wanted))
    return [_rename(node, chosen)] if chosen else []


def _is_same_call(node: FieldNode, *, name: str, known: GraphQLField) -> bool:
    """
    Tell whether a field's name and type say what was asked, and it takes all arguments and fields as they are.

    So `products_by_pk(id:)`, of type `products`, is the `product(id:)` that was asked; a `product_review(id:)` is not.
    """
    below, wanted = get_named_type(known.type), node.name.value
    return (
        bool(node.arguments and node.selection_set)
        and is_said_by([wanted], wanted=name)
        and is_said_by([below.name], wanted=wanted)
        and all(part.name.value in fields_of(below) for part in selected_fields(node))
    )


def _rename(node: FieldNode, name: str) -> Candidate:
    return Candidate(change=replace_node(node.name, text=name), says=f"`{node.name.value}` is called `{name}`.")


def takes_selection(node: FieldNode, *, known: GraphQLField) -> bool:
    """Tell whether a field takes what is selected of it, and every argument that is given."""
    if is_object(known.type) != bool(node.selection_set):
        return False
    given = {part.name.value for part in arguments_of(node)}
    required = {name for name, argument in known.args.items() if is_required_argument(argument)}
    if not given <= known.args.keys() or not required <= given:
        return False
    below = get_named_type(known.type)
    wanted = [part.name.value for part in selected_fields(node)]
    return not wanted or any(name in fields_of(below) for name in wanted) or is_abstract_type(below)


def _structural(node: FieldNode, *, place: Place, parent: GraphQLNamedType, case: Case) -> list[Candidate]:
    """Take the field where it stands: around this level, below a list's levels, or on some of a union's types."""
    return (
        _unwrap(node, parent=parent)
        or _wrap_in_levels(node, place=place, parent=parent)
        or _wrap_in_part(node, place=place, parent=parent)
        or _lift_field(node, place=place, case=case)
        or _wrap_in_fragments(node, place=place, parent=parent, case=case)
    )


def _unwrap(node: FieldNode, *, parent: GraphQLNamedType) -> list[Candidate]:
    """Leave out levels like edges and node of a list that has none, or write the one that holds its rows."""
    inner, left, rows = node, list[str](), _rows_of(parent)
    while inner.name.value in LIST_LEVELS and inner.selection_set and not inner.arguments and not inner.alias:
        left.append(inner.name.value)
        below = selected_fields(inner)
        levels = " { ".join(left)
        holds_fields = bool(below) and all(part.name.value in fields_of(parent) for part in below)
        if holds_fields or (rows and any(part.name.value in fields_of(rows[1]) for part in below)):
            opening, closing = start(inner.selection_set), end(inner.selection_set)
            if holds_fields or rows is None:
                before, after, says = "", "", f"`{parent.name}` has no level `{levels}`: select its fields here."
            else:
                before, after = f"{rows[0]} {{", "}"
                says = f"`{parent.name}` has no level `{levels}`: its rows stand below `{rows[0]}`."
            edits = (Edit(start(node), opening + 1, before), Edit(closing - 1, end(node), after))
            return [Candidate(change=Change(edits=edits), says=says)]
        if len(below) != 1 or len(inner.selection_set.selections) != 1:
            return []
        inner = below[0]
    return []


def _rows_of(parent: GraphQLNamedType) -> tuple[str, GraphQLNamedType] | None:
    """Give the one field of a page that is a list of objects, with the type of its rows."""
    lists = [
        (name, get_named_type(known.type))
        for name, known in fields_of(parent).items()
        if is_list_type(get_nullable_type(known.type))
        and is_object(known.type)
        and not any(is_required_argument(argument) for argument in known.args.values())
    ]
    return lists[0] if len(lists) == 1 else None


def _wrap_in_levels(node: FieldNode, *, place: Place, parent: GraphQLNamedType) -> list[Candidate]:
    """Put the field below nodes, or edges and node, where it stands there; its neighbours go with it."""
    for levels, below in _levels(parent):
        if node.name.value in fields_of(below):
            first, last = _run_of(node, place=place, here=parent, below=below)
            before, after = "".join(f"{level} {{ " for level in levels), " }" * len(levels)
            path = " { ".join([*levels, node.name.value]) + " }" * len(levels)
            says = f"`{parent.name}` is a list's page: its rows stand deeper, as `{path}`."
            return [Candidate(change=wrap_nodes(first, last=last, before=before, after=after), says=says)]
    return []


def _wrap_in_part(node: FieldNode, *, place: Place, parent: GraphQLNamedType) -> list[Candidate]:
    """
    Put the field into the one part of its type that has it, as `count` into `orders_aggregate.aggregate`.

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
    first, last = _run_of(node, place=place, here=parent, below=below)
    if first is last and len(words(wanted)) == 1 and not is_said_by([level], wanted=parent.name):
        return []
    says = f"`{wanted}` is a field of `{level}`: write `{level} {{ {wanted} }}`."
    return [Candidate(change=wrap_nodes(first, last=last, before=f"{level} {{ ", after=" }"), says=says)]


def _levels(parent: GraphQLNamedType) -> Iterable[tuple[tuple[str, ...], GraphQLNamedType]]:
    """Give the types below list levels, the shortest way first."""
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


def _run_of(
    node: FieldNode, *, place: Place, here: GraphQLNamedType, below: GraphQLNamedType
) -> tuple[FieldNode, FieldNode]:
    """Give the first and last of the fields beside this one that stand below as well, without a gap."""
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


def _lift_field(node: FieldNode, *, place: Place, case: Case) -> list[Candidate]:
    """Put a field of the page, such as totalCount, beside the level that it was written below."""
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


def _wrap_in_fragments(node: FieldNode, *, place: Place, parent: GraphQLNamedType, case: Case) -> list[Candidate]:
    """Ask a field of an interface or a union of those types that have it."""
    members = _members_with(node.name.value, parent=parent, case=case)
    if not members:
        return []
    shared = [
        kind
        for kind in {
            interface.name: interface for member in members for interface in fields_of_interfaces(member)
        }.values()
        if node.name.value in kind.fields and all(case.schema.is_sub_type(kind, member) for member in members)
    ]
    chosen = shared[:1] if shared and len(members) > 1 else members
    if len(chosen) > MAX_FRAGMENTS:
        return []
    first, last = (node, node)
    if len(chosen) == 1:
        first, last = _run_of(node, place=place, here=parent, below=chosen[0])
        change = wrap_nodes(first, last=last, before=f"... on {chosen[0].name} {{ ", after=" }")
    else:
        written = " ".join(f"... on {kind.name} {{ {case.text(node)} }}" for kind in chosen)
        change = replace_node(node, text=written)
    listed = ", ".join(f"`... on {kind.name} {{ {node.name.value} }}`" for kind in chosen)
    says = f"`{node.name.value}` is not a field of `{parent.name}`, but of types that it may be: {listed}."
    return [Candidate(change=change, says=says)]


def _members_with(name: str, *, parent: GraphQLNamedType, case: Case) -> list[GraphQLNamedType]:
    """Give the types that an interface or union may be and that have a field."""
    return [kind for kind in _possible(parent, case=case) if name in fields_of(kind)]


def fields_of_interfaces(kind: GraphQLNamedType) -> list[GraphQLInterfaceType]:
    """Give the interfaces that a type implements."""
    return list(kind.interfaces) if isinstance(kind, GraphQLObjectType) else []


def fix_leaf_or_object(violation: Violation, *, case: Case) -> Diagnosis:
    """Write a selection where one is missing, and leave out the one that a plain value cannot have."""
    node, place = violation.nodes[0], case.place(violation)
    if isinstance(node, SelectionSetNode) and place:
        node, place = place.around[-1], case.places.find(place.around[-1])
    if place is None or place.field is None or not isinstance(node, FieldNode):
        return Diagnosis()
    coordinate = f"{place.parent_type.name if place.parent_type else ''}.{node.name.value}"
    kind = get_named_type(place.field.type)
    if is_leaf_type(kind) and node.selection_set:
        gap = Edit(end(node) - len(case.text(node.selection_set)), end(node), "")
        says = f"`{node.name.value}` is a plain value of type {place.field.type}: it takes no selection."
        return Diagnosis(coordinate=coordinate, candidates=(Candidate(change=Change(edits=(gap,)), says=says),))
    selection = f"{{ {' '.join(_identifying_fields(kind))} }}"
    rows = next((f" or `{{ {' { '.join(levels)} {{ … }}{' }' * len(levels)}`" for levels, _ in _levels(kind)), "")
    if node.selection_set:
        change = replace_node(node.selection_set, text=selection)
    else:
        change = Change(edits=(Edit(end(node), end(node), f" {selection}"),))
    says = f"`{node.name.value}` is of type {place.field.type} and needs a selection, such as `{selection}`{rows}."
    fields = tuple(_nearest(name, known) for name, known in list(fields_of(kind).items())[:MAX_NEAREST])
    return Diagnosis(
        coordinate=coordinate, nearest=fields, candidates=(Candidate(change=change, says=says),), hint=says
    )


def _identifying_fields(kind: GraphQLNamedType) -> list[str]:
    """Give the plain fields that tell a thing from others; __typename where it has none."""
    plain = plain_fields(kind)
    known = [name for name in IDENTIFYING if name in plain]
    return (known or plain)[:MAX_SELECTED] or ["__typename"]


def plain_fields(kind: GraphQLNamedType) -> list[str]:
    """Give the fields of a type that need neither selection nor arguments and are not deprecated."""
    return [
        name
        for name, known in fields_of(kind).items()
        if is_leaf_type(get_named_type(known.type))
        and not known.deprecation_reason
        and not any(is_required_argument(argument) for argument in known.args.values())
    ]


def fix_conflict(violation: Violation, *, case: Case) -> Diagnosis:
    """Show where an alias belongs; its name is the caller's to choose."""
    nodes = [node for node in violation.nodes if isinstance(node, FieldNode)]
    name = (nodes[-1].alias or nodes[-1].name).value if nodes else ""
    written = case.text(nodes[-1])[:80] if nodes else "field"
    return Diagnosis(
        coordinate=name, hint=f"Two different fields are called `{name}`: give one an alias, as `other: {written}`."
    )


def fix_impossible_fragment(violation: Violation, *, case: Case) -> Diagnosis:
    """Take a fragment on a type that cannot stand here: around a list's rows, or on the type itself."""
    node = violation.nodes[0]
    place = case.place(violation)
    around = _parent_of(node, case=case)
    if place is None or around is None or not isinstance(node, InlineFragmentNode) or node.type_condition is None:
        return Diagnosis(hint="No value can be of both types: ask the fragment where its type stands.")
    wanted = node.type_condition.name.value
    for levels, below in _levels(around):
        if below.name == wanted or wanted in {kind.name for kind in _possible(below, case=case)}:
            before, after = "".join(f"{level} {{ " for level in levels), " }" * len(levels)
            says = f"`{wanted}` stands below `{' { '.join(levels)}`."
            change = wrap_nodes(node, last=node, before=before, after=after)
            return Diagnosis(coordinate=around.name, candidates=(Candidate(change=change, says=says),))
    return Diagnosis(
        coordinate=around.name,
        hint=f"A {around.name} is never a {wanted}{_listed_members(around, case=case)}.",
    )


def _listed_members(kind: GraphQLNamedType, *, case: Case) -> str:
    members = [f"`... on {member.name}`" for member in list(_possible(kind, case=case))[:MAX_NEAREST]]
    return f": it may be {', '.join(members)}" if members else ": select its fields without the fragment"


def _parent_of(node: Node, *, case: Case) -> GraphQLNamedType | None:
    """Give the type that a fragment was asked of; inside the fragment its own type holds."""
    place = case.places.find(node)
    field = place.find_enclosing(FieldNode, InlineFragmentNode) if place else None
    outer = case.places.find(field) if field else None
    return get_named_type(outer.output_type) if outer and outer.output_type else None


def _possible(kind: GraphQLNamedType, *, case: Case) -> Iterable[GraphQLNamedType]:
    if isinstance(kind, GraphQLInterfaceType | GraphQLUnionType):
        return case.schema.get_possible_types(kind)
    return ()
