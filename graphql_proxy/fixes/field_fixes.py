"""Fixes for fields: unknown fields, missing selections, selections on scalars, conflicts."""

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
    is_leaf_type,
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
    wrap_nodes,
)
from graphql_proxy.fixes.drafts import Change, Edit
from graphql_proxy.fixes.level_fixes import (
    IDENTIFYING,
    LIST_LEVELS,
    fields_beside,
    find_run,
    lift_field,
    list_levels,
    replace_levels,
    takes_selection,
    wrap_in_levels,
    wrap_in_part,
)
from graphql_proxy.fixes.names import (
    MAX_DESCRIPTION,
    SAME_WORDS,
    NearName,
    fold_name,
    is_count_of,
    is_full_form,
    is_qualified,
    is_said_by,
    match_abbreviations,
    pick_sure,
    rank_names,
    words,
)
from graphql_proxy.fixes.places import Place, fields_of, is_object, selected_fields
from graphql_proxy.fixes.violations import Violation
from graphql_proxy.schema.search import arguments_signature

MAX_DEEPER, MAX_VISITED, MAX_WAYS = 3, 200, 3
MAX_PLAIN = 12
MAX_FRAGMENTS = 4
"""The maximum union types that get a fragment. With more, the caller chooses."""
MAX_SELECTED = 6


def fix_unknown_field(violation: Violation, *, case: Case) -> Diagnosis:
    """Find the intended field: renamed on the type, in a list's wrapper, or in a member of a union."""
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
        or _rename_field(node, ranked, place=place, parent=parent, case=case)
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
    """Return the fields whose type has the requested name: the dates of `date`, `roster: [Player!]` of `players`."""
    kinds = {name: get_named_type(known.type).name for name, known in fields_of(parent).items()}
    return [name for name, kind in kinds.items() if is_said_by([wanted], wanted=kind)]


def find_deeper(wanted: str, *, parent: GraphQLNamedType | None) -> list[str]:
    """Return up to three paths to a field of that name below a type, nearest first, list levels before others."""
    level: list[tuple[tuple[str, ...], GraphQLNamedType | None]] = [((), parent)]
    folded, found = fold_name(wanted), list[str]()
    for _ in range(MAX_DEEPER):
        below: list[tuple[tuple[str, ...], GraphQLNamedType | None]] = []
        for path, kind in level:
            fields = fields_of(kind)
            for name in sorted(fields, key=_rank_level):
                if path and fold_name(name) == folded:
                    found.append(" { ".join((*path, name)) + " }" * len(path))
                    if len(found) == MAX_WAYS:
                        return found
                elif len(below) < MAX_VISITED:
                    below.append(((*path, name), get_named_type(fields[name].type)))
        if found:
            return found
        level = below
    return []


def _rank_level(name: str) -> int:
    return LIST_LEVELS.index(name) if name in LIST_LEVELS else len(LIST_LEVELS)


def _nearest(name: str, known: GraphQLField) -> Nearest:
    return Nearest(name=name, type=f"{arguments_signature(known.args, most=2)}: {known.type}".removeprefix(": "))


def _same_name(node: FieldNode, ranked: list[NearName], *, fields: dict[str, GraphQLField]) -> list[Candidate]:
    """Return the field whose name differs only by case, underscores or plural."""
    wanted = node.name.value
    folded = [name for name in fields if fold_name(name) == fold_name(wanted)]
    near = folded or [near.name for near in ranked if near.score >= SAME_WORDS]
    return [_rename(node, name) for name in near if folded or takes_selection(node, known=fields[name])]


def _rename_field(
    node: FieldNode, ranked: list[NearName], *, place: Place, parent: GraphQLNamedType, case: Case
) -> list[Candidate]:
    """Return the only field that has a similar spelling, counts what is named, or has one more word."""
    wanted, fields = node.name.value, fields_of(parent)
    fitting = [near for near in ranked if takes_selection(node, known=fields[near.name])]
    counts = [near.name for near in fitting if is_count_of(wanted, name=near.name)]
    qualified = [
        near.name
        for near in fitting
        if is_qualified(
            wanted,
            name=near.name,
            owner=parent.name,
            entities=case.entities,
            is_plain_elsewhere=case.has_field(wanted),
        )
    ]
    known_names = {"_".join(words(name)) for name in fields}
    full = [near.name for near in fitting if is_full_form(wanted, name=near.name, names=known_names)]
    shaped = [near.name for near in fitting if _is_same_call(node, name=near.name, known=fields[near.name])]
    unknown = [part.name.value for part in fields_beside(node, place=place) if part.name.value not in fields]
    cut = match_abbreviations(unknown, names=fields, known_words=case.known_words)
    alone = [names[0] for names in (counts, qualified, full, shaped) if len(names) == 1]
    alone = [name for name in alone if not _has_rival(node, name=name, parent=parent)]
    chosen = (
        pick_sure(fitting) or cut.get(wanted) or (alone[0] if alone else case.prefer_mentioned(fitting, wanted=wanted))
    )
    return [_rename(node, chosen)] if chosen else []


def _has_rival(node: FieldNode, *, name: str, parent: GraphQLNamedType) -> bool:
    """
    Return whether another field may be meant too: by its description, or by a prefix of the type's name.

    So `username` of a `User` may be its `name` or the login that is described as a username, not its `twitterUsername`.
    """
    wanted = node.name.value
    return any(
        other != name
        and is_object(known.type) == bool(node.selection_set)
        and (
            fold_name(wanted) == fold_name(parent.name + other)
            or is_said_by([wanted], wanted=(known.description or "")[:MAX_DESCRIPTION])
        )
        for other, known in fields_of(parent).items()
    )


def _is_same_call(node: FieldNode, *, name: str, known: GraphQLField) -> bool:
    """
    Return whether a field's name and type match the request and it accepts all arguments and fields unchanged.

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


def _structural(node: FieldNode, *, place: Place, parent: GraphQLNamedType, case: Case) -> list[Candidate]:
    """Find the field in the structure: one level up, below the levels of a list, or on members of a union."""
    return (
        replace_levels(node, parent=parent)
        or wrap_in_levels(node, place=place, parent=parent)
        or wrap_in_part(node, place=place, parent=parent)
        or lift_field(node, place=place, case=case)
        or _wrap_in_fragments(node, place=place, parent=parent, case=case)
    )


def _wrap_in_fragments(node: FieldNode, *, place: Place, parent: GraphQLNamedType, case: Case) -> list[Candidate]:
    """Wrap a field of an interface or a union in fragments on the types that have it."""
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
        first, last = find_run(node, place=place, here=parent, below=chosen[0])
        change = wrap_nodes(first, last=last, before=f"... on {chosen[0].name} {{ ", after=" }")
    else:
        written = " ".join(f"... on {kind.name} {{ {case.text(node)} }}" for kind in chosen)
        change = replace_node(node, text=written)
    listed = ", ".join(f"`... on {kind.name} {{ {node.name.value} }}`" for kind in chosen)
    says = f"`{node.name.value}` is not a field of `{parent.name}`, but of types that it may be: {listed}."
    return [Candidate(change=change, says=says)]


def _members_with(name: str, *, parent: GraphQLNamedType, case: Case) -> list[GraphQLNamedType]:
    """Return the possible types of an interface or a union that have a field."""
    return [kind for kind in _possible(parent, case=case) if name in fields_of(kind)]


def fields_of_interfaces(kind: GraphQLNamedType) -> list[GraphQLInterfaceType]:
    """Return the interfaces that a type implements."""
    return list(kind.interfaces) if isinstance(kind, GraphQLObjectType) else []


def fix_leaf_or_object(violation: Violation, *, case: Case) -> Diagnosis:
    """Add a missing selection, or remove the selection of a scalar."""
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
    rows = next((f" or `{{ {' { '.join(levels)} {{ … }}{' }' * len(levels)}`" for levels, _ in list_levels(kind)), "")
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
    """Return the scalar fields that identify an object, or __typename if it has none."""
    plain = plain_fields(kind)
    known = [name for name in IDENTIFYING if name in plain]
    return (known or plain)[:MAX_SELECTED] or ["__typename"]


def plain_fields(kind: GraphQLNamedType) -> list[str]:
    """Return the fields of a type that need no selection and no arguments and are not deprecated."""
    return [
        name
        for name, known in fields_of(kind).items()
        if is_leaf_type(get_named_type(known.type))
        and not known.deprecation_reason
        and not any(is_required_argument(argument) for argument in known.args.values())
    ]


def fix_conflict(violation: Violation, *, case: Case) -> Diagnosis:
    """Show where an alias is needed. The caller chooses its name."""
    nodes = [node for node in violation.nodes if isinstance(node, FieldNode)]
    name = (nodes[-1].alias or nodes[-1].name).value if nodes else ""
    written = case.text(nodes[-1])[:80] if nodes else "field"
    return Diagnosis(
        coordinate=name, hint=f"Two different fields are called `{name}`: give one an alias, as `other: {written}`."
    )


def fix_impossible_fragment(violation: Violation, *, case: Case) -> Diagnosis:
    """Fix a fragment on an impossible type: move it to a list's rows, or onto the type itself."""
    node = violation.nodes[0]
    place = case.place(violation)
    around = _parent_of(node, case=case)
    if place is None or around is None or not isinstance(node, InlineFragmentNode) or node.type_condition is None:
        return Diagnosis(hint="No value can be of both types: ask the fragment where its type stands.")
    wanted = node.type_condition.name.value
    for levels, below in list_levels(around):
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
    """Return the type that a fragment was spread on. Inside the fragment its own type applies."""
    place = case.places.find(node)
    field = place.find_enclosing(FieldNode, InlineFragmentNode) if place else None
    outer = case.places.find(field) if field else None
    return get_named_type(outer.output_type) if outer and outer.output_type else None


def _possible(kind: GraphQLNamedType, *, case: Case) -> Iterable[GraphQLNamedType]:
    if isinstance(kind, GraphQLInterfaceType | GraphQLUnionType):
        return case.schema.get_possible_types(kind)
    return ()
