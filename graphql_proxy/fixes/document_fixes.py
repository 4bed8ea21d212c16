"""Fixes for variable declarations, fragments, directives, types and operations."""

from graphql import (
    DirectiveNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLInputType,
    NamedTypeNode,
    NameNode,
    Node,
    OperationDefinitionNode,
    StringValueNode,
    VariableDefinitionNode,
    VariableNode,
    get_named_type,
    is_abstract_type,
    is_composite_type,
    is_input_type,
    print_ast,
)

from graphql_proxy.fixes.cases import MAX_NEAREST, Candidate, Case, Diagnosis, Nearest, end, replace_node, start
from graphql_proxy.fixes.drafts import Change, Edit
from graphql_proxy.fixes.names import is_short_form, pick_sure, rank_names
from graphql_proxy.fixes.places import arguments_of
from graphql_proxy.fixes.violations import Violation


def fix_undefined_variable(violation: Violation, *, case: Case) -> Diagnosis:
    """Declare a variable with the type that its places expect, or use the declared variable that it misspells."""
    node = violation.nodes[0]
    operation = next((part for part in violation.nodes if isinstance(part, OperationDefinitionNode)), case.operation)
    if not isinstance(node, VariableNode) or operation is None:
        return Diagnosis()
    name = node.name.value
    unused = [part.variable.name.value for part in _find_unused(case)]
    near = pick_sure(rank_names(name, names=unused)) if name not in case.draft.variables else None
    if near:
        says = f"`${name}` is declared as `${near}`."
        return Diagnosis(
            coordinate=f"${name}", candidates=(Candidate(change=_respell(name, near, case=case), says=says),)
        )
    kind = wanted_type(name, case=case)
    if kind is None:
        hint = f"Declare it where the operation begins: `query Name(${name}: Type) {{ … }}`."
        return Diagnosis(coordinate=f"${name}", hint=hint)
    says = f"Declare `${name}: {kind}` where the operation begins, and send its value in variables."
    candidate = Candidate(change=_declare(name, kind, operation=operation), says=says)
    return Diagnosis(
        coordinate=f"${name}", hint=says, nearest=(Nearest(name=f"${name}", type=str(kind)),), candidates=(candidate,)
    )


def _find_unused(case: Case) -> list[VariableDefinitionNode]:
    nodes = [node for one in case.of_rule("NoUnusedVariables") for node in one.nodes]
    return [node for node in nodes if isinstance(node, VariableDefinitionNode)]


def _find_undefined(case: Case) -> list[NameNode]:
    nodes = [node for one in case.of_rule("NoUndefinedVariables") for node in one.nodes]
    return [node.name for node in nodes if isinstance(node, VariableNode)]


def _respell(name: str, other: str, *, case: Case) -> Change:
    uses = _uses(name, case=case)
    return Change(edits=tuple(Edit(start(use), end(use), f"${other}") for use in uses))


def _uses(name: str, *, case: Case) -> list[VariableNode]:
    return [
        place.node
        for place in case.places.all_of(VariableNode)
        if isinstance(place.node, VariableNode)
        and place.node.name.value == name
        and not isinstance(place.around[-1], VariableDefinitionNode)
    ]


def wanted_type(name: str, *, case: Case) -> GraphQLInputType | None:
    """Return the type that fits every place of a variable: the strictest one. None if they differ."""
    kinds: dict[str, GraphQLInputType] = {}
    for use in _uses(name, case=case):
        place = case.places.find(use)
        if place is None or place.input_type is None:
            return None
        kinds[str(place.input_type)] = place.input_type
    bare = {text.rstrip("!") for text in kinds}
    if len(bare) != 1:
        return None
    return max(kinds.items(), key=lambda entry: len(entry[0]))[1]


def _declare(name: str, kind: GraphQLInputType, *, operation: OperationDefinitionNode) -> Change:
    declared = operation.variable_definitions or ()
    if declared:
        at = end(declared[-1])
        return Change(edits=(Edit(at, at, f", ${name}: {kind}"),))
    if operation.name:
        at = end(operation.name)
        return Change(edits=(Edit(at, at, f"(${name}: {kind})"),))
    at = start(operation)
    is_short = start(operation.selection_set) == at
    word = operation.operation.value
    insert = (
        Edit(at, at, f"{word} (${name}: {kind}) ")
        if is_short
        else Edit(at + len(word), at + len(word), f"(${name}: {kind})")
    )
    return Change(edits=(insert,))


def fix_unused_variable(violation: Violation, *, case: Case) -> Diagnosis:
    """Use a variable that was written as text, else remove its declaration: the answer is the same without it."""
    node = violation.nodes[0]
    if not isinstance(node, VariableDefinitionNode):
        return Diagnosis()
    name = node.variable.name.value
    if pick_sure(rank_names(name, names=[one.value for one in _find_undefined(case)])):  # the other violation's fix
        return Diagnosis(coordinate=f"${name}", hint="")
    quoted = [
        place.node
        for place in case.places.all_of(StringValueNode)
        if isinstance(place.node, StringValueNode)
        and place.node.value in (f"${name}", f"{{{{{name}}}}}", f"${{{name}}}")
    ]
    if quoted:
        change = Change(edits=tuple(Edit(start(part), end(part), f"${name}") for part in quoted))
        says = f'`"${name}"` in quotes is a text: write `${name}`.'
        return Diagnosis(coordinate=f"${name}", candidates=(Candidate(change=change, says=says),))
    says = f"`${name}` is declared and nothing uses it: without the declaration the answer is the same."
    takers = _takers(name, case=case)
    if takers:
        says += f" If it was meant to filter: {', '.join(takers)} would take it."
    return Diagnosis(
        coordinate=f"${name}", hint=says, candidates=(Candidate(change=remove_definition(node, case=case), says=says),)
    )


def _takers(name: str, *, case: Case) -> list[str]:
    """List the fields of the document with an argument of a variable's name that is not set."""
    found = []
    for place in case.places.all_of(FieldNode):
        given = {part.name.value for part in arguments_of(place.node)} if isinstance(place.node, FieldNode) else set()
        if place.field and name in place.field.args and name not in given and place.parent_type:
            found.append(f"`{place.parent_type.name}.{place.node.name.value}`")  # type: ignore[attr-defined]  # a field
    return list(dict.fromkeys(found))[:3]


def remove_definition(node: VariableDefinitionNode, *, case: Case) -> Change:
    """Remove a variable's declaration and its value. Some servers refuse a value without a declaration."""
    place = case.places.find(node)
    operation = place.around[-1] if place else None
    definitions = (
        list(operation.variable_definitions or ()) if isinstance(operation, OperationDefinitionNode) else [node]
    )
    query = case.draft.query
    gone = set(_find_unused(case))
    opening, closing = start(node), end(node)
    if all(part in gone for part in definitions):
        opening = query.rfind("(", 0, start(definitions[0]))
        closing = query.find(")", end(definitions[-1])) + 1
    name = node.variable.name.value
    is_declared_elsewhere = any(
        isinstance(other.node, VariableDefinitionNode) and other.node.variable.name.value == name and other.node != node
        for other in case.places.all_of(VariableDefinitionNode)
    )
    return Change(edits=(Edit(opening, closing, ""),), removed_variables=() if is_declared_elsewhere else (name,))


def fix_variable_position(violation: Violation, *, case: Case) -> Diagnosis:
    """Declare a variable with the type that its places expect, if the value that was sent fits it."""
    definition = next((part for part in violation.nodes if isinstance(part, VariableDefinitionNode)), None)
    if definition is None:
        return Diagnosis()
    name = definition.variable.name.value
    kind = wanted_type(name, case=case)
    given = print_ast(definition.type)
    if kind is None:
        return Diagnosis(
            coordinate=f"${name}", hint=f"`${name}: {given}` does not fit all of its places: declare two variables."
        )
    says = f"Declare `${name}` as `{kind}` instead of `{given}`."
    candidate = Candidate(change=replace_node(definition.type, text=str(kind)), says=says)
    return Diagnosis(
        coordinate=f"${name}", hint=says, nearest=(Nearest(name=f"${name}", type=str(kind)),), candidates=(candidate,)
    )


def fix_unknown_type(violation: Violation, *, case: Case) -> Diagnosis:
    """Replace an unknown type by the one that the variable's places or the fragment's field have."""
    node = violation.nodes[0]
    place = case.places.find(node)
    if place is None:
        return Diagnosis()
    definition = place.find_enclosing(VariableDefinitionNode) or (
        node if isinstance(node, VariableDefinitionNode) else None
    )
    if isinstance(definition, VariableDefinitionNode):
        kind = wanted_type(definition.variable.name.value, case=case)
        written = print_ast(definition.type)
        if kind is not None:
            says = f"`${definition.variable.name.value}` is of type `{kind}`, not `{written}`."
            return Diagnosis(
                coordinate=written,
                candidates=(Candidate(change=replace_node(definition.type, text=str(kind)), says=says),),
            )
    if not isinstance(node, NamedTypeNode):
        return Diagnosis()
    return _near_type(node, case=case, inputs=definition is not None)


def _near_type(node: NamedTypeNode, *, case: Case, inputs: bool) -> Diagnosis:
    fits_here = is_input_type if inputs else is_composite_type
    names = [name for name, kind in case.schema.type_map.items() if fits_here(kind) and not name.startswith("__")]
    wanted = node.name.value
    ranked = rank_names(wanted, names=names)
    chosen = _possible_type(node, case=case) or pick_sure(ranked)
    nearest = tuple(Nearest(name=near.name, type=_kind_of(near.name, case=case)) for near in ranked[:MAX_NEAREST])
    listed = ", ".join(f"`{near.name}`" for near in nearest)
    says = f"The type `{wanted}` is called `{chosen}`."
    return Diagnosis(
        coordinate=wanted,
        hint=f"There is no type `{wanted}`.{f' Nearest: {listed}.' if listed else ''}",
        nearest=nearest,
        candidates=(Candidate(change=replace_node(node, text=chosen), says=says),) if chosen else (),
    )


def _possible_type(node: NamedTypeNode, *, case: Case) -> str | None:
    """Return the only possible type of a field whose name resembles a fragment's."""
    place = case.places.find(node)
    field = place.find_enclosing(FieldNode) if place else None
    outer = case.places.find(field) if field else None
    kind = get_named_type(outer.output_type) if outer and outer.output_type else None
    if not is_abstract_type(kind):
        return None
    names = [member.name for member in case.schema.get_possible_types(kind)]
    near = [name for name in names if is_short_form(node.name.value, like=name)]
    return pick_sure(rank_names(node.name.value, names=names)) or (near[0] if len(near) == 1 else None)


def _kind_of(name: str, *, case: Case) -> str:
    return type(case.schema.type_map[name]).__name__.removeprefix("GraphQL").removesuffix("Type").lower()


def fix_unknown_fragment(violation: Violation, *, case: Case) -> Diagnosis:
    """Use the fragment with the most similar name, or the only unused one."""
    node = violation.nodes[0]
    spread = next(
        (
            part
            for part in case.places.all_of(FragmentSpreadNode)
            if node in (part.node, getattr(part.node, "name", None))
        ),
        None,
    )
    if spread is None or not isinstance(spread.node, FragmentSpreadNode):
        return Diagnosis()
    wanted = spread.node.name.value
    defined = [part.name.value for part in case.document.definitions if isinstance(part, FragmentDefinitionNode)]
    ranked = rank_names(wanted, names=defined)
    chosen = pick_sure(ranked)
    unused = [
        node.name.value
        for one in case.of_rule("NoUnusedFragments")
        for node in one.nodes
        if isinstance(node, FragmentDefinitionNode)
    ]
    unknown = {one.nodes[0] for one in case.of_rule("KnownFragmentNames")}
    if chosen is None and len(unused) == 1 and len(unknown) == 1:
        chosen = unused[0]
    says = f"The fragment `{wanted}` is called `{chosen}`."
    listed = ", ".join(f"`{name}`" for name in defined[:MAX_NEAREST])
    return Diagnosis(
        coordinate=f"...{wanted}",
        hint=f"No fragment `{wanted}` is in the document{f', only {listed}' if listed else ''}: write its fields out.",
        candidates=(Candidate(change=replace_node(spread.node.name, text=chosen), says=says),) if chosen else (),
    )


def fix_unused_fragment(violation: Violation, *, case: Case) -> Diagnosis:
    """Remove an unused fragment."""
    node = violation.nodes[0]
    if not isinstance(node, FragmentDefinitionNode):
        return Diagnosis()
    if case.of_rule("KnownFragmentNames"):  # its name may be the one that is misspelt
        return Diagnosis(coordinate=f"...{node.name.value}")
    says = f"Nothing spreads the fragment `{node.name.value}`: without it the answer is the same."
    return Diagnosis(
        coordinate=f"...{node.name.value}", candidates=(Candidate(change=replace_node(node, text=""), says=says),)
    )


def fix_unknown_directive(violation: Violation, *, case: Case) -> Diagnosis:
    """Correct the name of a directive."""
    node = violation.nodes[0]
    if not isinstance(node, DirectiveNode):
        return Diagnosis()
    names = [directive.name for directive in case.schema.directives]
    ranked = rank_names(node.name.value, names=names)
    chosen = pick_sure(ranked)
    says = f"The directive `@{node.name.value}` is called `@{chosen}`."
    known = chosen if chosen != node.name.value else None
    listed = ", ".join(f"`@{name}`" for name in names[:MAX_NEAREST])
    return Diagnosis(
        coordinate=f"@{node.name.value}",
        hint=f"`@{node.name.value}` cannot stand here. The upstream knows {listed}.",
        candidates=(Candidate(change=replace_node(node.name, text=known), says=says),) if known else (),
    )


def fix_repeated(violation: Violation, *, case: Case) -> Diagnosis:
    """Remove an exact duplicate. If two definitions differ, the caller chooses."""
    texts = [_find_owner(node, case=case) for node in violation.nodes]
    first, second = texts[0], texts[-1]
    if len(texts) > 1 and case.text(first) == case.text(second):
        says = f"`{case.text(second)[:80]}` is written twice: once is enough."
        return Diagnosis(candidates=(Candidate(change=replace_node(second, text=""), says=says),))
    return Diagnosis(hint=f"{violation.message} Keep one of them.")


def _find_owner(node: Node, *, case: Case) -> Node:
    """Return the node that owns the name at a violation."""
    place = case.places.find(node)
    return place.around[-1] if place and isinstance(node, NameNode) else node


def fix_operation(_: Violation, *, case: Case) -> Diagnosis:
    """Correct the operation name. If there are several operations, the caller chooses."""
    operations = [part for part in case.document.definitions if isinstance(part, OperationDefinitionNode)]
    names = [part.name.value for part in operations if part.name]
    if not operations:
        return Diagnosis(hint="The document holds no operation: write `query { … }`.")
    given = case.draft.operation_name
    listed = ", ".join(f"`{name}`" for name in names[:MAX_NEAREST])
    hint = (
        f"Set operationName to one of {listed}."
        if names
        else "Send one operation at a time, or give each a name and set operationName."
    )
    if not given:
        return Diagnosis(coordinate="operationName", hint=hint)
    chosen = pick_sure(rank_names(given, names=names)) or (names[0] if len(operations) == len(names) == 1 else None)
    if chosen is None and len(operations) == 1:
        says = "The only operation has no name: leave operationName out."
        return Diagnosis(
            coordinate="operationName", candidates=(Candidate(change=Change(operation_name=""), says=says),)
        )
    says = f"The operation is called `{chosen}`."
    candidates = (Candidate(change=Change(operation_name=chosen), says=says),) if chosen else ()
    return Diagnosis(coordinate="operationName", hint=hint, candidates=candidates)
