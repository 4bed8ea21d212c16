"""Dynamic tools made from rows of SavedOperation."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from graphql import GraphQLError, GraphQLSchema, OperationDefinitionNode, OperationType, print_ast, validate
from pydantic import ValidationError

from graphql_proxy import queries
from graphql_proxy.contracts import ASKING_DEADLINE_SECONDS
from graphql_proxy.operations import counting
from graphql_proxy.operations.hockey_contracts import OPERATION_ERRORS, OperationAnswer
from graphql_proxy.operations.operation import Operation, run
from graphql_proxy.operations.parameters import NoParameters, question_model
from graphql_proxy.operations.result_mapping import NoMapping, read_mapping
from graphql_proxy.schema.store import schemas
from graphql_proxy.upstreams import KnownUpstream, upstream_for, upstream_named, who_may_ask
from toolbox.contract.caller import CallContext
from toolbox.contract.errors import ToolError
from toolbox.contract.models import ToolInput
from toolbox.contract.tool import InvalidTool, SkippedRow, Tool, ToolFunction, Toolkit
from toolbox.database.caches import clear_all_caches
from toolbox.database.pools import reader

Row = queries.Row

_STEPS = {
    "get_player": {"Find", "Answer"},
    "get_team": {"Find", "Answer"},
    "get_league_standings": {"Answer"},
    "get_league_leaders": {"Skaters", "Goalies"},
    "get_games": {"Answer", "HeadToHead"},
    "get_game_logs": {"Answer"},
}


class NotATool(ValueError):
    """A row that cannot be offered; the message says what to fix."""


async def load_tools(toolkit: Toolkit) -> Sequence[Tool | SkippedRow]:
    """Make tools of all rows. Clears the caches of the domain's tables first."""
    clear_all_caches()
    schemas.forget()
    await counting.refresh()
    rows = await queries.operations(reader=reader)
    return [await _build_tool(row, toolkit=toolkit) for row in rows if not row["is_contract"]]


async def _build_tool(row: Row, *, toolkit: Toolkit) -> Tool | SkippedRow:
    try:
        upstream = await upstream_named(row["slug"])
        known = await schemas.find(upstream.slug)
        tool = made_tool(row, schema=known.schema if known else None, toolkit=toolkit)
        return await _for_its_callers(tool, row, upstream=upstream)
    except (NotATool, InvalidTool) as unusable:
        return SkippedRow(name=row["name"], reason=str(unusable))
    except ToolError as refused:
        return SkippedRow(name=row["name"], reason=refused.message)


async def _for_its_callers(tool: Tool, row: Row, *, upstream: KnownUpstream) -> Tool:
    """Limit a tool of a closed upstream to its callers. A row without an upstream uses the key's own default."""
    if row["slug"] is None or upstream.is_open:
        return tool
    return replace(tool, is_visible_to=await who_may_ask(upstream))


def check_operation(row: Row, *, schema: GraphQLSchema | None) -> None:
    """Raise NotATool where a row cannot be offered."""
    try:
        made_tool(row, schema=schema, toolkit=Toolkit(domain="graphql_proxy", summary="To check rows with."))
    except InvalidTool as mistake:
        raise NotATool(str(mistake)) from mistake


def check_contract_document(row: Row) -> None:
    """Raise NotATool where the document of one of the contract's tools cannot be used."""
    try:
        mapping = read_mapping(row["result_mapping"] or {})
        document = Operation(name=row["name"], text=row["document"], mapping=mapping).document
    except NoMapping as unusable:
        raise NotATool(str(unusable)) from unusable
    except GraphQLError as wrong:
        raise NotATool(f"the document does not parse: {wrong.message}") from wrong
    steps = {
        part.name.value for part in document.definitions if isinstance(part, OperationDefinitionNode) and part.name
    }
    if missing := set(mapping) - steps:
        raise NotATool(f"the mapping names {sorted(missing)[0]!r}, which the document does not hold")
    if missing := _STEPS.get(row["name"], set()) - steps:
        raise NotATool(f"the tool needs an operation {sorted(missing)[0]!r} in its document")


def made_tool(row: Row, *, schema: GraphQLSchema | None, toolkit: Toolkit) -> Tool:
    """Make the tool of a row, validated against the upstream's schema if known. Raises NotATool, InvalidTool."""
    question = _question(row)
    operation, step = _operation(row, question=question, schema=schema)
    try:
        example = question.model_validate(row["example"] or {})
    except ValidationError as invalid:
        first = invalid.errors()[0]
        raise NotATool(f"the example does not fit: {'.'.join(map(str, first['loc']))}: {first['msg']}") from invalid
    function = _function(row, operation=operation, step=step, question=question)
    return toolkit.make_tool(
        function,
        example=example,
        errors=OPERATION_ERRORS,
        queries=4,
        deadline_seconds=ASKING_DEADLINE_SECONDS,
        is_open_world=True,
    )


def _question(row: Row) -> type[ToolInput]:
    try:
        return question_model(row["name"], schema=row["variables_schema"] or {})
    except NoParameters as unusable:
        raise NotATool(str(unusable)) from unusable


def _operation(row: Row, *, question: type[ToolInput], schema: GraphQLSchema | None) -> tuple[Operation, str]:
    try:
        mapping = read_mapping(row["result_mapping"] or {})
        operation = Operation(name=row["name"], text=row["document"], mapping=mapping)
        document = operation.document
    except NoMapping as unusable:
        raise NotATool(str(unusable)) from unusable
    except GraphQLError as wrong:
        raise NotATool(f"the document does not parse: {wrong.message}") from wrong
    found = [part for part in document.definitions if isinstance(part, OperationDefinitionNode)]
    if len(found) != 1 or found[0].operation is not OperationType.QUERY:
        raise NotATool("the document must hold one query, and nothing that writes")
    _refuse_other_variables(found[0], question=question)
    if schema is not None and (errors := validate(schema, document, max_errors=1)):
        raise NotATool(f"the upstream's schema does not take it: {errors[0].message}")
    step = found[0].name.value if found[0].name else ""
    if strangers := set(mapping) - {step}:
        raise NotATool(f"the mapping names {sorted(strangers)[0]!r}; the document's operation is {step!r}")
    return operation, step


def _refuse_other_variables(found: OperationDefinitionNode, *, question: type[ToolInput]) -> None:
    declared = {part.variable.name.value: part for part in found.variable_definitions or ()}
    fields = {str(field.alias): field for field in question.model_fields.values()}
    if strangers := declared.keys() ^ fields.keys():
        raise NotATool(f"{sorted(strangers)[0]!r} must be both a variable of the document and a parameter")
    for name, part in declared.items():
        if print_ast(part.type).endswith("!") and part.default_value is None and not fields[name].is_required():
            raise NotATool(f"the document cannot do without ${name}: list it in required")


def _function(row: Row, *, operation: Operation, step: str, question: type[ToolInput]) -> ToolFunction:
    slug = row["slug"]

    async def function(ask: Any, call: CallContext) -> OperationAnswer:
        upstream = await upstream_for(call.caller, named=slug)
        given = ask.model_dump(by_alias=True, exclude_none=True)
        return (await run(operation, step=step, variables=given, upstream=upstream)).answer(upstream)

    function.__name__ = row["name"]
    function.__doc__ = row["description"]
    function.__annotations__ = {"ask": question, "call": CallContext, "return": OperationAnswer}
    return function
