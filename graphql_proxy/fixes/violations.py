"""Violations of a stored schema: document, variables and operation, each with its rule and place."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from graphql import (
    ASTValidationRule,
    DocumentNode,
    GraphQLError,
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLSchema,
    Node,
    OperationDefinitionNode,
    Undefined,
    VariableDefinitionNode,
    coerce_input_value,
    get_nullable_type,
    get_variable_values,
    is_input_type,
    is_list_type,
    is_non_null_type,
    is_required_input_field,
    specified_rules,
    type_from_ast,
    validate,
)
from graphql.validation import ASTValidationContext

from graphql_proxy.fixes.drafts import Draft

MAX_VIOLATIONS = 20
MAX_VALUE_DEPTH = 12
VARIABLE_RULE, OPERATION_RULE = "VariableValues", "OperationName"

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """
    One rule that a request breaks.

    `nodes` are where, the first one at fault. A variable's value has its path, which begins with the variable, and the
    type that is expected there.
    """

    rule: str
    message: str
    nodes: tuple[Node, ...] = ()
    path: Path = ()
    value: Any = None
    wanted: GraphQLInputType | None = None
    is_unknown_key: bool = False

    @property
    def key(self) -> tuple[str, str, Path]:
        """The identity of a violation after another one was fixed."""
        return self.rule, self.message, self.path


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The violations found. `operation` is the one that would run, None if that is ambiguous."""

    violations: list[Violation]
    operation: OperationDefinitionNode | None


def find_violations(
    document: DocumentNode,
    *,
    draft: Draft,
    schema: GraphQLSchema,
    rules: Iterable[type[ASTValidationRule]] = specified_rules,
    hides_suggestions: bool = True,
) -> Judgement:
    """Validate a document with its variables and its operation name. Returns at most twenty violations."""
    found: list[Violation] = []
    validate(
        schema,
        document,
        [_report_to(rule, found) for rule in rules],
        MAX_VIOLATIONS,
        hide_suggestions=hides_suggestions,
    )
    operation, misnamed = choose_operation(document, name=draft.operation_name)
    found += misnamed
    if operation is not None:
        found += _judge_variables(operation, schema=schema, given=draft.variables)
    return Judgement(violations=found[:MAX_VIOLATIONS], operation=operation)


def choose_operation(
    document: DocumentNode, *, name: str | None
) -> tuple[OperationDefinitionNode | None, list[Violation]]:
    """Return the operation that a server would run, or the reason why it would run none."""
    operations = [part for part in document.definitions if isinstance(part, OperationDefinitionNode)]
    named = {part.name.value: part for part in operations if part.name}
    if name:
        if name in named:
            return named[name], []
        message = f"Unknown operation named {name[:100]!r}."
        return None, [Violation(rule=OPERATION_RULE, message=message, nodes=tuple(operations[:1]))]
    if len(operations) == 1:
        return operations[0], []
    message = (
        "Must provide operation name if query contains multiple operations."
        if operations
        else "Must provide an operation."
    )
    return None, [Violation(rule=OPERATION_RULE, message=message, nodes=tuple(operations))]


class _RuleContext:
    """A validation context that records the rule of each error. The validator's errors do not name it."""

    def __init__(self, context: ASTValidationContext, *, rule: str, found: list[Violation]) -> None:
        self._context = context
        self._rule = rule
        self._found = found

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def report_error(self, error: GraphQLError) -> None:
        """Record the rule of an error, then report it."""
        self._found.append(Violation(rule=self._rule, message=error.message, nodes=tuple(error.nodes or ())))
        self._context.report_error(error)


def _report_to(rule: type[ASTValidationRule], found: list[Violation]) -> type[ASTValidationRule]:
    """Wrap a rule so that its errors are recorded with its name."""
    name = rule.__name__.removesuffix("Rule")

    class NamedRule(rule):  # type: ignore[valid-type, misc]  # the rules are a list
        def __init__(self, context: Any) -> None:
            super().__init__(_RuleContext(context, rule=name, found=found))

    return NamedRule


def _judge_variables(
    operation: OperationDefinitionNode, *, schema: GraphQLSchema, given: Mapping[str, Any]
) -> list[Violation]:
    """Validate the values of variables. The executor decides; our own traversal finds the places."""
    definitions = [
        part for part in operation.variable_definitions or () if is_input_type(type_from_ast(schema, part.type))
    ]
    try:
        coerced = get_variable_values(schema, definitions, dict(given), MAX_VIOLATIONS, hide_suggestions=True)
    except (GraphQLError, RecursionError, ValueError, TypeError) as wrong:
        return [Violation(rule=VARIABLE_RULE, message=str(wrong), nodes=(operation,))]
    if not isinstance(coerced, list):
        return []
    found: list[Violation] = []
    for part in definitions:
        found += _judge_variable(part, schema=schema, given=given)
    return found or [Violation(rule=VARIABLE_RULE, message=coerced[0].message, nodes=tuple(coerced[0].nodes or ()))]


def _judge_variable(
    part: VariableDefinitionNode, *, schema: GraphQLSchema, given: Mapping[str, Any]
) -> list[Violation]:
    name = part.variable.name.value
    wanted: Any = type_from_ast(schema, part.type)
    if name not in given and (part.default_value or not is_non_null_type(wanted)):
        return []
    problems = list(find_bad_values(given.get(name), wanted=wanted, path=(name,)))
    return [
        Violation(
            rule=VARIABLE_RULE,
            message=f"Variable ${name} has no value that fits {bad.wanted}"
            if len(bad.path) == 1
            else f"{'.'.join(map(str, bad.path))} is no field of {bad.wanted}"
            if bad.is_unknown_key
            else f"The value at {'.'.join(map(str, bad.path))} does not fit {bad.wanted}",
            nodes=(part,),
            path=bad.path,
            value=bad.value,
            wanted=bad.wanted,
            is_unknown_key=bad.is_unknown_key,
        )
        for bad in problems
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class BadValue:
    """A value that its type does not accept, with its path. An unknown key has its input object as `wanted`."""

    path: Path
    value: Any
    wanted: GraphQLInputType
    is_unknown_key: bool = False


def find_bad_values(value: Any, *, wanted: GraphQLInputType, path: Path) -> Iterable[BadValue]:
    """Return the innermost values that do not fit. Unknown and missing fields belong to their input object."""
    bare: Any = get_nullable_type(wanted)
    if len(path) <= MAX_VALUE_DEPTH and value is not None:
        if is_list_type(bare):
            items = enumerate(value) if isinstance(value, list | tuple) else [(None, value)]
            for at, item in items:
                yield from find_bad_values(item, wanted=bare.of_type, path=path if at is None else (*path, at))
            return
        if isinstance(bare, GraphQLInputObjectType) and isinstance(value, Mapping):
            yield from _find_bad_fields(value, wanted=bare, path=path)
            return
    if not fits(value, wanted=wanted):
        yield BadValue(path=path, value=value, wanted=wanted)


def _find_bad_fields(value: Mapping[str, Any], *, wanted: GraphQLInputObjectType, path: Path) -> Iterable[BadValue]:
    for name in value:
        if name not in wanted.fields:
            yield BadValue(path=(*path, name), value=value[name], wanted=wanted, is_unknown_key=True)
    for name, field in wanted.fields.items():
        if name in value or is_required_input_field(field):
            yield from find_bad_values(value.get(name), wanted=field.type, path=(*path, name))


def fits(value: Any, *, wanted: GraphQLInputType) -> bool:
    """Return whether a type accepts a value."""
    try:
        return coerce_input_value(value, wanted) is not Undefined
    except RecursionError:
        return False


def name_place(violation: Violation, *, at: int = 0) -> tuple[int, int] | None:
    """Return line and column of a node at fault, by default the first one."""
    loc = violation.nodes[at].loc if len(violation.nodes) > at else None
    if loc is None:
        return None
    start = loc.source.get_location(loc.start)
    return start.line, start.column
