"""Execution of stored documents: load, fit to the upstream's schema, send, flatten."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from graphql import DocumentNode, GraphQLSyntaxError, parse

from graphql_proxy import queries
from graphql_proxy.execution.execute import Request, ask_upstream, find_help
from graphql_proxy.operations import refusals
from graphql_proxy.operations.hockey_contracts import OperationAnswer
from graphql_proxy.operations.result_mapping import (
    MAX_ROWS,
    Flat,
    NoMapping,
    OperationMapping,
    flatten_data,
    read_mapping,
)
from graphql_proxy.operations.schema_fitting import MissingInSchema, fit_document
from graphql_proxy.schema.store import schemas
from graphql_proxy.upstreams import KnownUpstream
from toolbox.database.caches import TtlCache
from toolbox.database.pools import reader

MAX_TOKENS = 5_000


@dataclass(frozen=True, kw_only=True)
class Operation:
    """A row of SavedOperation."""

    name: str
    text: str
    mapping: dict[str, OperationMapping]

    @cached_property
    def document(self) -> DocumentNode:
        """The parsed document."""
        return parse(self.text, no_location=True, max_tokens=MAX_TOKENS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """The result of an operation."""

    flat: Flat
    not_offered: list[str]
    notes: list[str]

    def answer(self, upstream: KnownUpstream) -> OperationAnswer:
        """Convert the result to the tool's answer."""
        return OperationAnswer(
            upstream=upstream.slug,
            record=self.flat.record,
            rows=self.flat.rows,
            total=self.flat.total,
            not_offered=self.not_offered,
            notes=self.notes,
        )


_operations: TtlCache[dict[str, Operation]] = TtlCache()


async def operation_named(name: str) -> Operation:
    """Load the stored documents of a tool, cached for 4 s. Raises ToolError."""

    async def read() -> dict[str, Operation]:
        rows = await queries.operations(reader=reader)
        return {row["name"]: read_operation(row) for row in rows if row["is_contract"]}

    found = (await _operations.get("all", read)).get(name)
    if found is None:
        raise refusals.not_configured(name)
    return found


async def run(
    operation: Operation,
    *,
    step: str,
    variables: Mapping[str, Any],
    upstream: KnownUpstream,
    limit: int = MAX_ROWS,
    is_oldest_first: bool = True,
) -> Ran:
    """
    Run one operation of the document with the variables that have a value.

    Raises ToolError: NOT_OFFERED where the upstream lacks it, REFUSED_BY_UPSTREAM where it answers with errors alone.
    """
    given = {name: value for name, value in variables.items() if value is not None}
    mapping = operation.mapping.get(step)
    known = await schemas.find(upstream.slug)
    try:
        fitted = fit_document(
            operation.document,
            operation=step,
            needs=mapping.needs if mapping else (),
            given=given,
            schema=known.schema if known else None,
        )
    except MissingInSchema as lacking:
        raise refusals.missing_in_schema(operation.name, lacking=lacking, upstream=upstream) from lacking
    except (KeyError, GraphQLSyntaxError) as unusable:
        raise refusals.not_configured(operation.name) from unusable
    request = Request(query=fitted.query, variables=_keep_declared(fitted.query, given), operation_name=step or None)
    outcome = await ask_upstream(upstream, request=request)
    notes = [error.message for error in outcome.errors]
    if outcome.errors and not _has_data(outcome.data):
        found = await find_help(outcome.errors, request=request, upstream=upstream)
        raise refusals.refused_by_upstream(operation.name, errors=found.errors, hints=found.hints, upstream=upstream)
    flat = flatten_data(outcome.data, mapping=mapping, limit=limit, reverse=not is_oldest_first)
    return Ran(flat=flat, not_offered=fitted.left_out, notes=notes)


def sort_of(operation: Operation, *, step: str, order: str, stat: str = "") -> str | None:
    """Return the upstream's name of a sort order. None if the document has none."""
    mapping = operation.mapping.get(step)
    template = mapping.sorts.get(order) if mapping else None
    return template.replace("{stat}", stat) if template else None


def read_operation(row: queries.Row) -> Operation:
    """Parse a row. A mapping that cannot be used counts as none."""
    try:
        mapping = read_mapping(row["result_mapping"])
    except NoMapping:
        mapping = {}
    return Operation(name=row["name"], text=row["document"], mapping=mapping)


def _keep_declared(query: str, given: dict[str, Any]) -> dict[str, Any]:
    """Keep the variables that the document still declares. Upstreams may refuse others."""
    head = query.partition("{")[0]
    return {name: value for name, value in given.items() if f"${name}:" in head}


def _has_data(data: Any) -> bool:
    return isinstance(data, dict) and any(value is not None for value in data.values())
