"""Demands of an upstream beyond its schema: page sizes, successors of removed fields, no introspection."""

import re
from collections.abc import Collection, Iterable, Sequence

from graphql import FieldNode, GraphQLField, IntValueNode, VariableNode, get_named_type

from graphql_proxy.contracts import GraphqlError
from graphql_proxy.fixes.cases import Candidate, Case, Diagnosis, Nearest, replace_node
from graphql_proxy.fixes.drafts import Change
from graphql_proxy.fixes.input_fixes import DEFAULT_PAGE, PAGE_SIZES, add_arguments
from graphql_proxy.fixes.level_fixes import takes_selection
from graphql_proxy.fixes.matching import MAX_TEXT, find_fields, find_names
from graphql_proxy.fixes.places import arguments_of, fields_of
from graphql_proxy.fixes.repair import Explanation
from graphql_proxy.fixes.violations import Violation

DEMAND_RULE, REMOVED_RULE, INTROSPECTION_RULE = "ArgumentDemanded", "FieldRemoved", "IntrospectionRefused"
PAGE_SIZE_RULE, DEPTH_RULE = "PageTooLarge", "TooDeep"
MAX_PATH = 300
_NAME = re.compile(r"[_A-Za-z][_0-9A-Za-z]*")
_NUMBER = re.compile(r"(?<![\w.])[0-9]{1,9}(?![\w.]*\w)")
_DEPTH = re.compile(r"\b(?:depth|deep|deeply|nested|nesting)\b", re.IGNORECASE)


def find_demands(case: Case, *, errors: Sequence[GraphqlError], learned: Collection[str] = ()) -> list[Explanation]:
    """Return what errors demand of a request that is valid by the schema. `learned` are coordinates demanded before."""
    found = {one.finding.coordinate: one for error in errors for one in _of_error(error, case=case)}
    for explanation in find_learned(case, learned=learned) if found else ():
        found.setdefault(explanation.finding.coordinate, explanation)
    return list(found.values()) or list(_find_depth(case, errors=errors))


def find_learned(case: Case, *, learned: Collection[str]) -> Iterable[Explanation]:
    """Return the fields without an argument that the upstream demanded before, as `Repository.issues(first:)`."""
    for place in case.places.all_of(FieldNode) if learned else ():
        node, known = place.node, place.field
        if isinstance(node, FieldNode) and known and place.parent_type:
            owner = f"{place.parent_type.name}.{node.name.value}"
            names = [name for name in known.args if f"{owner}({name}:)" in learned]
            if names and not _gives_any(node, PAGE_SIZES | {"last", *names}):
                yield _demand(node, known, names=names, owner=owner)


def _of_error(error: GraphqlError, *, case: Case) -> Iterable[Explanation]:
    names = find_names(error)
    for node in find_fields(error, case=case):
        place = case.places.find(node)
        known, parent = (place.field, place.parent_type) if place else (None, None)
        if node.name.value in ("__schema", "__type"):
            yield _introspection(node)
        elif known is not None and parent is not None:
            if too_large := _page_too_large(error, node, case=case, owner=f"{parent.name}.{node.name.value}"):
                yield too_large
                continue
            demanded = [name for name in known.args if name in names and name != node.name.value]
            if demanded and not _gives_any(node, demanded):
                yield _demand(node, known, names=demanded, owner=f"{parent.name}.{node.name.value}")
            elif known.deprecation_reason and node.name.value in names:
                yield _explain_deprecated(node, known, owner=parent.name, siblings=fields_of(parent))


def _page_too_large(error: GraphqlError, node: FieldNode, *, case: Case, owner: str) -> Explanation | None:
    """Read the maximum page size from an error that names the requested size and one smaller number."""
    named = {int(number) for number in _NUMBER.findall(error.message[:MAX_TEXT])}
    for part in arguments_of(node):
        is_size = part.name.value.lower() in PAGE_SIZES | {"last"}
        value = part.value
        sent = case.draft.variables.get(value.name.value) if isinstance(value, VariableNode) else None
        asked = int(value.value) if isinstance(value, IntValueNode) else sent
        limits = {number for number in named if isinstance(asked, int) and 0 < number < asked}
        if not is_size or asked not in named or len(limits) != 1:
            continue
        limit = limits.pop()
        says = f"The upstream takes at most {limit} as `{part.name.value}` of `{owner}`: ask for further pages."
        if isinstance(value, VariableNode):
            change = Change(variables=(((value.name.value,), limit),))
        else:
            change = replace_node(value, text=str(limit))
        finding = Diagnosis(
            coordinate=f"{owner}({part.name.value}:)", hint=says, candidates=(Candidate(change=change, says=says),)
        )
        return _explanation(PAGE_SIZE_RULE, finding, node=node)
    return None


def _find_depth(case: Case, *, errors: Sequence[GraphqlError]) -> Iterable[Explanation]:
    """Show the deepest path if an error about the whole request mentions depth."""
    deepest = max(
        (
            [part for part in (*place.around, place.node) if isinstance(part, FieldNode)]
            for place in case.places.all_of(FieldNode)
        ),
        key=len,
        default=[],
    )
    for error in errors if deepest else ():
        if _DEPTH.search(error.message[:MAX_TEXT]):
            limits = [int(number) for number in _NUMBER.findall(error.message[:MAX_TEXT]) if int(number) < len(deepest)]
            most = f"; the upstream takes {max(limits)}" if limits else ""
            path = ".".join(node.name.value for node in deepest)[:MAX_PATH]
            hint = f"The document's depth is {len(deepest)}{most}: `{path}`. Ask for its deep part in another request."
            yield _explanation(DEPTH_RULE, Diagnosis(coordinate=path, hint=hint), node=deepest[-1])
            return


def _gives_any(node: FieldNode, names: Collection[str]) -> bool:
    return any(part.name.value in names for part in arguments_of(node))


def _demand(node: FieldNode, known: GraphQLField, *, names: list[str], owner: str) -> Explanation:
    sizes = [
        name for name in names if name.lower() in PAGE_SIZES and str(get_named_type(known.args[name].type)) == "Int"
    ]
    listed = " or ".join(f"`{name}: {known.args[name].type}`" for name in names)
    says = f"The upstream demands {listed} of `{owner}`, though its schema does not."
    candidates: tuple[Candidate, ...] = ()
    if sizes:
        text = f"{sizes[0]}: {DEFAULT_PAGE}"
        candidates = (Candidate(change=add_arguments(node, text=text), says=f"{says} `{text}` asks for a page."),)
    finding = Diagnosis(
        coordinate=f"{owner}({(sizes or names)[0]}:)",
        hint=says,
        nearest=tuple(Nearest(name=name, type=str(known.args[name].type)) for name in names),
        candidates=candidates,
    )
    return _explanation(DEMAND_RULE, finding, node=node)


def _explain_deprecated(
    node: FieldNode, known: GraphQLField, *, owner: str, siblings: dict[str, GraphQLField]
) -> Explanation:
    """Explain a refused deprecated field. Its successor is the one that the deprecation reason names."""
    reason = known.deprecation_reason or ""
    named = [name for name in dict.fromkeys(_NAME.findall(reason)) if name in siblings and name != node.name.value]
    fitting = [name for name in named if takes_selection(node, known=siblings[name])]
    says = f"`{owner}.{node.name.value}` is deprecated: {reason[:200]}"
    candidates: tuple[Candidate, ...] = ()
    if len(fitting) == 1:
        change = replace_node(node.name, text=fitting[0])
        candidates = (Candidate(change=change, says=f"{says} Its successor is `{fitting[0]}`."),)
    nearest = tuple(Nearest(name=name, type=str(siblings[name].type)) for name in named)
    finding = Diagnosis(coordinate=f"{owner}.{node.name.value}", hint=says, nearest=nearest, candidates=candidates)
    return _explanation(REMOVED_RULE, finding, node=node)


def _introspection(node: FieldNode) -> Explanation:
    hint = "The upstream does not show its schema: use introspect_schema, which answers from the stored one."
    return _explanation(INTROSPECTION_RULE, Diagnosis(coordinate=node.name.value, hint=hint), node=node)


def _explanation(rule: str, finding: Diagnosis, *, node: FieldNode) -> Explanation:
    violation = Violation(rule=rule, message=finding.hint, nodes=(node,))
    chosen = finding.candidates[0] if len(finding.candidates) == 1 else None
    return Explanation(violation=violation, finding=finding, chosen=chosen)


def describe_deprecated(case: Case) -> list[str]:
    """List the deprecated fields and arguments that a document uses, with the reasons."""
    found = []
    for place in case.places.all_of(FieldNode):
        node, known = place.node, place.field
        if isinstance(node, FieldNode) and known and known.deprecation_reason and place.parent_type:
            found.append(
                f"`{place.parent_type.name}.{node.name.value}` is deprecated: {known.deprecation_reason[:200]}"
            )
    return list(dict.fromkeys(found))
