"""Fixes for inputs: arguments, literals, input objects, values of variables."""

from collections.abc import Mapping
from typing import Any

from graphql import (
    ArgumentNode,
    DirectiveNode,
    EnumValueNode,
    FieldNode,
    GraphQLArgument,
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLNamedType,
    ListValueNode,
    Node,
    ObjectFieldNode,
    ObjectValueNode,
    ValueNode,
    VariableNode,
    get_named_type,
    get_nullable_type,
    is_composite_type,
    is_input_object_type,
    is_list_type,
    is_required_argument,
    is_required_input_field,
    value_from_ast_untyped,
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
)
from graphql_proxy.fixes.drafts import Change, Edit
from graphql_proxy.fixes.names import (
    NearName,
    fold_name,
    is_of_another,
    match_abbreviations,
    pick_sure,
    rank_names,
)
from graphql_proxy.fixes.places import Place, arguments_of, fields_of
from graphql_proxy.fixes.value_texts import advise_object, advise_values, list_enum_values, write_value
from graphql_proxy.fixes.violations import Violation, fits
from graphql_proxy.schema.cost import SIZE_NAMES

PAGE_SIZES = (SIZE_NAMES | {"num"}) - {"last"}
"""Names of page size arguments. If a field has one of them, it is the one meant."""
OFFSETS = frozenset({"offset", "skip"})
DEFAULT_PAGE = 10
MAX_MEMBERS = 20
Members = Mapping[str, Any]
"""Arguments of a field or directive, or fields of an input object."""


def fix_unknown_argument(violation: Violation, *, case: Case) -> Diagnosis:
    """Find the intended argument: under another name, or inside an input object."""
    node = violation.nodes[0]
    owner = _owner(node, case=case)
    if not isinstance(node, ArgumentNode) or owner is None:
        return Diagnosis()
    name, known, given, where = owner
    ranked = rank_members(node.name.value, members=known, case=case)
    candidates = _rename_member(node, ranked, members=known, given=given, case=case) or _wrap_argument(
        node, known, given=given, where=where, case=case
    )
    candidates = candidates or _pair(node, known, given=given, answer=_answer_of(where, case=case), case=case)
    return Diagnosis(
        coordinate=f"{name}({node.name.value}:)",
        hint=describe_members(name, wanted=node.name.value, ranked=ranked, members=known)
        + _other_fields(node.name.value, where=where, case=case),
        nearest=list_nearest(ranked, members=known),
        candidates=tuple(candidates),
    )


def _other_fields(wanted: str, *, where: Node, case: Case) -> str:
    """List the sibling fields that return the same type and have an argument of that name, or any."""
    place = case.places.find(where)
    if not isinstance(where, FieldNode) or place is None or place.field is None:
        return ""
    fields, kind = fields_of(place.parent_type), get_named_type(place.field.type)
    same = {
        name: known.args
        for name, known in fields.items()
        if name != where.name.value and known.args and get_named_type(known.type) is kind
    }
    taking = [name for name, args in same.items() if wanted in args] or (list(same) if not place.field.args else [])
    listed = ", ".join(
        f"`{name}({', '.join(f'{one}: {of.type}' for one, of in same[name].items())})`" for name in taking[:3]
    )
    return f" Also of type {kind.name}: {listed}." if listed and is_composite_type(kind) else ""


def _owner(node: Node, *, case: Case) -> tuple[str, Members, set[str], Node] | None:
    """Return the owner of an argument: its name, its arguments, those that are set, and its place."""
    place = case.places.find(node)
    outer = place.find_enclosing(FieldNode, DirectiveNode) if place else None
    above = case.places.find(outer) if outer else None
    if isinstance(outer, DirectiveNode):
        directive = case.schema.get_directive(outer.name.value)
        given = {part.name.value for part in arguments_of(outer)}
        return (f"@{outer.name.value}", directive.args, given, outer) if directive else None
    if not isinstance(outer, FieldNode) or above is None or above.field is None:
        return None
    parent = above.parent_type.name if above.parent_type else ""
    given = {part.name.value for part in arguments_of(outer)}
    return f"{parent}.{outer.name.value}", above.field.args, given, outer


def rank_members(wanted: str, *, members: Members, case: Case) -> list[NearName]:
    """Rank the members by similarity to a name. One that the upstream itself suggests comes first."""
    descriptions = {name: known.description or "" for name, known in members.items()}
    ranked = rank_names(wanted, names=members, descriptions=descriptions, known_words=case.known_words)
    suggested = case.prefer_mentioned(ranked, wanted=wanted)
    if suggested and not pick_sure(ranked):
        return [NearName(name=suggested, score=1.0), *(near for near in ranked if near.name != suggested)]
    return ranked


def list_nearest(ranked: list[NearName], *, members: Members) -> tuple[Nearest, ...]:
    """List the nearest members with their types, or all if none is near."""
    near = [near.name for near in ranked][:MAX_NEAREST]
    return tuple(Nearest(name=name, type=str(members[name].type)) for name in near or list(members)[:MAX_MEMBERS])


def describe_members(owner: str, *, wanted: str, ranked: list[NearName], members: Members) -> str:
    """Say which member does not exist and which do."""
    listed = ", ".join(f"`{near.name}: {near.type}`" for near in list_nearest(ranked, members=members))
    kind = "takes" if "." in owner or owner.startswith("@") else "has"
    return f"`{owner}` {kind} no `{wanted}`. It {kind} {listed}." if listed else f"`{owner}` takes no arguments."


def _rename_member(
    node: ArgumentNode | ObjectFieldNode, ranked: list[NearName], *, members: Members, given: set[str], case: Case
) -> list[Candidate]:
    """Rename an argument that differs only in spelling, or that is a page size under another usual name."""
    wanted = node.name.value
    free = [near for near in ranked if near.name not in given and _may_take(node.value, members[near.name].type)]
    cut = match_abbreviations(given - members.keys(), names=members.keys() - given, known_words=case.known_words)
    chosen = pick_sure(free) or cut.get(wanted) or _same_convention(wanted, members, given=given)
    if chosen is None:
        return []
    says = f"`{wanted}` is called `{chosen}` here, of type {members[chosen].type}."
    return [Candidate(change=replace_node(node.name, text=chosen), says=says)]


def _same_convention(wanted: str, members: Members, *, given: set[str]) -> str | None:
    for usual in (PAGE_SIZES, OFFSETS):
        if fold_name(wanted) in usual:
            found = [name for name in members if fold_name(name) in usual]
            if len(found) == 1 and found[0] not in given and str(get_named_type(members[found[0]].type)) == "Int":
                return found[0]
    return None


def _may_take(value: ValueNode, kind: GraphQLInputType) -> bool:
    """Return whether a type may accept a literal after its own mistakes are fixed."""
    if isinstance(value, VariableNode):
        return True
    bare = get_nullable_type(kind)
    if isinstance(value, ObjectValueNode):
        return is_input_object_type(get_named_type(kind)) or not fields_of(get_named_type(kind))
    if isinstance(value, ListValueNode):
        return is_list_type(bare) or len(value.values) == 1
    return not is_input_object_type(get_named_type(bare))


def _wrap_argument(node: ArgumentNode, known: Members, *, given: set[str], where: Node, case: Case) -> list[Candidate]:
    """Move an argument into the only input object that has a field of its name, with its siblings."""
    wanted = node.name.value
    holder = _holder(wanted, known)
    if holder is None:
        return []
    says = f"`{wanted}` is a field of the argument `{holder}`: write `{holder}: {{ {wanted}: … }}`."
    moved = [
        part
        for part in arguments_of(where)
        if part.name.value not in known and _holder(part.name.value, known) == holder
    ]
    if holder not in given:
        texts = ", ".join(case.text(part) for part in moved)
        edits = [Edit(start(part), end(part), "") for part in moved[1:]]
        edits.append(Edit(start(moved[0]), end(moved[0]), f"{holder}: {{ {texts} }}"))
        return [Candidate(change=Change(edits=tuple(sorted(edits))), says=says)]
    held = next((part.value for part in arguments_of(where) if part.name.value == holder), None)
    if not isinstance(held, ObjectValueNode) or wanted in {part.name.value for part in held.fields or ()}:
        return []
    edits = [
        Edit(start(node), end(node), ""),
        Edit(start(held) + 1, start(held) + 1, f"{case.text(node)}{', ' if held.fields else ''}"),
    ]
    return [Candidate(change=Change(edits=tuple(sorted(edits))), says=says)]


def _holder(wanted: str, known: Members) -> str | None:
    """Return the only argument whose input object has a field of this name."""
    holders = [name for name, argument in known.items() if wanted in fields_of(get_named_type(argument.type))]
    return holders[0] if len(holders) == 1 else None


def _answer_of(node: Node, *, case: Case) -> GraphQLNamedType | None:
    """Return the type that a field returns."""
    place = case.places.find(node)
    return get_named_type(place.field.type) if place and place.field else None


def _pair(
    node: ArgumentNode | ObjectFieldNode,
    members: Members,
    *,
    given: set[str],
    case: Case,
    answer: GraphQLNamedType | None = None,
) -> list[Candidate]:
    """Match the only unknown name with the only missing required one, unless it names something else."""
    unknown = [name for name in given if name not in members]
    missing = [name for name, known in members.items() if _is_required(known) and name not in given]
    if len(unknown) == 1 and not missing:
        return _by_shape(node, members, given=given, case=case)
    if len(unknown) != 1 or len(missing) != 1 or not _takes_now(node.value, members[missing[0]].type, case=case):
        return []
    if is_another_member(node.name.value, meant=missing[0], members=members, answer=answer, case=case):
        return []
    says = f"`{missing[0]}: {members[missing[0]].type}` is missing, and `{node.name.value}` unknown: one is the other."
    return [Candidate(change=replace_node(node.name, text=missing[0]), says=says)]


def is_another_member(
    wanted: str, *, meant: str, members: Members, case: Case, answer: GraphQLNamedType | None = None
) -> bool:
    """
    Return whether a name refers to another member of the schema: `email` of a user is not `login`.

    What a field answers says what it may be asked by; for an input object every word of the schema counts.
    """
    known, elsewhere = {*members, *fields_of(answer)}, case.entities if answer else case.known_words
    owner = answer.name if answer else ""
    return is_of_another(wanted, meant=meant, owner=owner, known=known, entities=elsewhere)


def _by_shape(
    node: ArgumentNode | ObjectFieldNode, members: Members, *, given: set[str], case: Case
) -> list[Candidate]:
    """Return the only name whose type accepts the object or enum value. A scalar is no evidence."""
    structured = GraphQLInputObjectType | GraphQLEnumType
    taking = [
        name
        for name, known in members.items()
        if name not in given
        and isinstance(get_named_type(known.type), structured)
        and _takes_now(node.value, known.type, case=case)
    ]
    if len(taking) != 1 or (isinstance(node.value, ObjectValueNode) and not node.value.fields):
        return []
    says = f"`{node.name.value}` is called `{taking[0]}` here, of type {members[taking[0]].type}."
    return [Candidate(change=replace_node(node.name, text=taking[0]), says=says)]


def _is_required(known: Any) -> bool:
    return is_required_argument(known) if isinstance(known, GraphQLArgument) else is_required_input_field(known)


def _takes_now(value: ValueNode, kind: GraphQLInputType, *, case: Case) -> bool:
    """Return whether a type accepts a literal unchanged. A variable is judged by the value that was sent."""
    if isinstance(value, VariableNode):
        return fits(case.draft.variables.get(value.name.value), wanted=kind)
    if isinstance(value, EnumValueNode) != isinstance(get_named_type(kind), GraphQLEnumType):
        return False
    return fits(value_from_ast_untyped(value), wanted=kind)


def fix_missing_argument(violation: Violation, *, case: Case) -> Diagnosis:
    """Set a required argument to the variable of its name. No value is invented except a page size."""
    node = violation.nodes[0]
    place = case.places.find(node)
    if isinstance(node, DirectiveNode):
        directive = case.schema.get_directive(node.name.value)
        name, known = f"@{node.name.value}", directive.args if directive else {}
    elif isinstance(node, FieldNode) and place and place.field:
        name, known = f"{place.parent_type.name if place.parent_type else ''}.{node.name.value}", place.field.args
    else:
        return Diagnosis()
    given = {part.name.value for part in arguments_of(node)}
    missing = [one for one, argument in known.items() if is_required_argument(argument) and one not in given]
    listed = ", ".join(f"`{one}: {known[one].type}`" for one in missing)
    kinds = [get_named_type(known[one].type) for one in missing]
    parts = "".join(
        f" {kind.name} has {node_hint(kind)}." for kind in kinds if isinstance(kind, GraphQLInputObjectType)
    )
    changes = [_from_variable(one, known[one], case=case) for one in missing]
    candidates: tuple[Candidate, ...] = ()
    renamed = any(one not in known for one in given)
    if missing and not renamed and all(changes):
        inserted = add_arguments(node, text=", ".join(text for text in changes if text))
        candidates = (
            Candidate(change=inserted, says=f"`{name}` needs {listed}: the variables of that name are used."),
        )
    elif isinstance(node, FieldNode) and len(missing) == 1 and not renamed and _is_page_size(missing[0], known, place):
        text = f"{missing[0]}: {DEFAULT_PAGE}"
        says = f"`{name}` needs {listed}: `{text}` asks for a page."
        candidates = (Candidate(change=add_arguments(node, text=text), says=says),)
    nearest = tuple(Nearest(name=one, type=str(known[one].type)) for one in missing)
    return Diagnosis(
        coordinate=f"{name}({missing[0]}:)" if missing else name,
        hint="" if renamed and len(missing) == 1 else f"`{name}` needs {listed}: give a value of that type.{parts}",
        nearest=nearest,
        candidates=candidates,
    )


def _is_page_size(name: str, known: Members, place: Place | None) -> bool:
    """Return whether an argument is the size of a list, or of a page that holds one."""
    kind = place.field.type if place and place.field else None
    pages = [field.type for field in fields_of(get_named_type(kind)).values()] if kind else []
    is_page = any(is_list_type(get_nullable_type(one)) for one in (kind, *pages) if one)
    return is_page and name.lower() in PAGE_SIZES and get_named_type(known[name].type).name == "Int"


def _from_variable(name: str, known: GraphQLArgument, *, case: Case) -> str | None:
    """Write the argument with the variable of its name, if the request has a value that fits."""
    value = case.draft.variables.get(name)
    return f"{name}: ${name}" if value is not None and fits(value, wanted=known.type) else None


def add_arguments(node: FieldNode | DirectiveNode, *, text: str) -> Change:
    """Append arguments to the existing ones."""
    if node.arguments:
        at = end(node.arguments[-1])
        return Change(edits=(Edit(at, at, f", {text}"),))
    at = end(node.name)
    return Change(edits=(Edit(at, at, f"({text})"),))


def fix_value(violation: Violation, *, case: Case) -> Diagnosis:
    """Write a literal as its type expects it: spelling of an enum value, quotes, the name of a field."""
    node = violation.nodes[0]
    if isinstance(node, ObjectFieldNode):
        return _fix_input_field(node, case=case)
    place = case.places.find(node)
    if place is None or place.input_type is None or not isinstance(node, ValueNode):
        return Diagnosis()
    wanted = place.object_type if isinstance(node, ListValueNode) else place.input_type
    coordinate = _coordinate(node, case=case)
    if isinstance(node, ObjectValueNode) and is_input_object_type(get_named_type(wanted)):
        return _fix_missing_input_field(node, kind=get_named_type(wanted))
    written = write_value(node, wanted=wanted, case=case)
    nearest = _possible_values(node, wanted=wanted, case=case)
    advice, kind = advise_values([one.name for one in nearest]), get_named_type(wanted)
    if isinstance(kind, GraphQLInputObjectType):
        advice = advise_object(_fields_that_take(node, kind=kind, case=case), kind=kind)
    return Diagnosis(
        coordinate=coordinate,
        hint=f"{case.text(node)[:80]} does not fit {wanted}{f': {advice}' if advice else ''}.",
        nearest=nearest,
        candidates=tuple(
            Candidate(change=replace_node(node, text=text), says=f"A value of type {wanted} is written `{text}`.")
            for text in written
        ),
    )


def _fields_that_take(node: ValueNode, *, kind: GraphQLInputObjectType, case: Case) -> list[str]:
    """Return the fields of an input object that accept a value unchanged, or all if none does."""
    taking = [name for name, known in kind.fields.items() if _takes_now(node, known.type, case=case)]
    return taking or list(kind.fields)


def _coordinate(node: Node, *, case: Case) -> str:
    place = case.places.find(node)
    holder = place.find_enclosing(ArgumentNode, ObjectFieldNode) if place else None
    if isinstance(holder, ObjectFieldNode):
        above = case.places.find(holder)
        kind = get_named_type(above.object_type) if above and above.object_type else None
        return f"{kind.name if kind else ''}.{holder.name.value}"
    owner = _owner(holder, case=case) if holder else None
    return f"{owner[0]}({holder.name.value}:)" if owner and isinstance(holder, ArgumentNode) else ""


def _fix_input_field(node: ObjectFieldNode, *, case: Case) -> Diagnosis:
    place = case.places.find(node)
    outer = place.find_enclosing(ObjectValueNode) if place else None
    above = case.places.find(outer) if outer else None
    kind = get_named_type(above.input_type) if above and above.input_type else None
    if not isinstance(kind, GraphQLInputObjectType) or not isinstance(outer, ObjectValueNode):
        return Diagnosis()
    given = {part.name.value for part in outer.fields or ()}
    ranked = rank_members(node.name.value, members=kind.fields, case=case)
    candidates = _rename_member(node, ranked, members=kind.fields, given=given, case=case) or _pair(
        node, kind.fields, given=given, case=case
    )
    return Diagnosis(
        coordinate=f"{kind.name}.{node.name.value}",
        hint=describe_members(kind.name, wanted=node.name.value, ranked=ranked, members=kind.fields),
        nearest=list_nearest(ranked, members=kind.fields),
        candidates=tuple(candidates),
    )


def _fix_missing_input_field(node: ObjectValueNode, *, kind: Any) -> Diagnosis:
    given = {part.name.value for part in node.fields or ()}
    missing = [name for name, known in kind.fields.items() if is_required_input_field(known) and name not in given]
    if not missing:
        return Diagnosis(coordinate=kind.name, hint=f"The object does not fit {kind.name}: {node_hint(kind)}.")
    choices = "; ".join(
        f"{enum.name} is one of {', '.join(enum.values)}"
        for name in missing
        if isinstance(enum := get_named_type(kind.fields[name].type), GraphQLEnumType)
    )
    listed = ", ".join(f"`{name}: {kind.fields[name].type}`" for name in missing)
    nearest = tuple(Nearest(name=name, type=str(kind.fields[name].type)) for name in missing)
    pairs = len(missing) == 1 and any(name not in kind.fields for name in given)
    hint = (
        "" if pairs else f"{kind.name} needs {listed}: give a value of that type{f' ({choices})' if choices else ''}."
    )
    return Diagnosis(coordinate=f"{kind.name}.{missing[0]}", hint=hint, nearest=nearest)


def node_hint(kind: GraphQLInputObjectType) -> str:
    """List the fields of an input object with their types."""
    return ", ".join(f"{name}: {known.type}" for name, known in list(kind.fields.items())[:MAX_NEAREST])


def _possible_values(node: ValueNode, *, wanted: Any, case: Case) -> tuple[Nearest, ...]:
    kind = get_named_type(wanted)
    if not isinstance(kind, GraphQLEnumType):
        return ()
    return list_enum_values(case.text(node).strip('"'), kind=kind)
