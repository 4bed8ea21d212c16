"""Input and output models of `introspect_schema`."""

from typing import Annotated, Any

from pydantic import Field

from graphql_proxy.contracts import CHOICE_ERRORS
from toolbox.contract.errors import ErrorCode
from toolbox.contract.models import NullMeans, ToolInput, ToolOutput, WholeNumber

NO_SCHEMA = ErrorCode("NO_SCHEMA", 503, "No schema of the upstream is stored.")
UNKNOWN_NAME = ErrorCode("UNKNOWN_NAME", 404, "The schema has no query or type of that name.")
SCHEMA_ERRORS = (*CHOICE_ERRORS, NO_SCHEMA, UNKNOWN_NAME)

MAX_DEPTH = 5
DEFAULT_DEPTH = 1
TOKEN_BUDGET = 1_500
"""The default length of an answer, at four characters a token."""
MAX_TOKEN_BUDGET = 20_000


class SchemaQuestion(ToolInput):
    """What to look at. Nothing given: counts, and where to begin."""

    query_name: str | None = Field(
        None,
        min_length=1,
        max_length=200,
        description="A query or mutation, such as 'leagueStandings'.",
    )
    field: str | None = Field(
        None,
        min_length=3,
        max_length=400,
        pattern=r"^[^.]+\.[^.]+$",
        description="A field of a type, such as 'Team.players'.",
    )
    type_name: str | None = Field(
        None, min_length=1, max_length=200, description="A type, input or enum, such as 'Team'."
    )
    search: str | None = Field(
        None,
        min_length=1,
        max_length=200,
        description="Words of names and descriptions, such as 'league standings'.",
    )
    depth: Annotated[WholeNumber, Field(ge=1, le=MAX_DEPTH), NullMeans(DEFAULT_DEPTH)] = Field(
        DEFAULT_DEPTH,
        description="How many levels of types to show.",
    )
    page: WholeNumber = Field(1, ge=1, le=1_000, description="Page of a type's members.")
    max_tokens: WholeNumber = Field(TOKEN_BUDGET, ge=300, le=MAX_TOKEN_BUDGET, description="The longest answer.")
    upstream: str | None = Field(None, min_length=1, max_length=40, description="The upstream; else the default.")


class SchemaCounts(ToolOutput):
    """How large the schema is."""

    queries: int = Field(description="Query fields.")
    mutations: int = Field(description="Mutation fields; refused unless the upstream allows them.")
    types: int = Field(description="Types of every kind, built-in ones left out.")
    enums: int = Field(description="Enums among the types.")
    inputs: int = Field(description="Input types among the types.")


class ExampleDocument(ToolOutput):
    """A document that the schema accepts; real ids and names have to be put in."""

    query: str = Field(description="The document, for execute_graphql.")
    variables: dict[str, Any] = Field(description="Its variables, made up.")


class FoundEntry(ToolOutput):
    """Something that fits the search."""

    kind: str = Field(description="query, mutation, type, field or value.")
    signature: str = Field(description="How the schema writes it, arguments cut.")
    description: str | None = Field(None, description="What the schema says of it.")


class FieldDescription(ToolOutput):
    """One field of a type."""

    signature: str = Field(description="Name and type of the answer, as the schema writes them.")
    description: str | None = Field(None, description="What the schema says of it.")
    arguments: list[str] = Field(description="Every argument as `name: Type = default`, required ones first.")
    enums: dict[str, list[str]] = Field(description="Values of the enums among the arguments.")
    inputs: dict[str, list[str]] | None = Field(None, description="Fields of the input types among them.")
    returns: dict[str, list[str]] = Field(description="The types it returns, by name, with their fields.")


class QueryDescription(FieldDescription):
    """One query or mutation."""

    example: ExampleDocument = Field(description="A document that the schema accepts.")


class TypeDescription(ToolOutput):
    """One type."""

    kind: str = Field(description="object, interface, union, enum, input or scalar.")
    description: str | None = Field(None, description="What the schema says of it.")
    members: list[str] = Field(description="Its fields as `name: Type`, its values, or the types of a union.")
    below: dict[str, list[str]] = Field(description="The types of its fields, to the asked depth.")
    queries: list[str] = Field(description="Query fields that return it.")


class SchemaAnswer(ToolOutput):
    """What was found; no longer than was asked for."""

    upstream: str = Field(description="Whose schema it is.")
    version: int = Field(description="Which version of the stored schema.")
    counts: SchemaCounts = Field(description="How large the schema is.")
    found: list[FoundEntry] | None = Field(None, description="What fits the search, best first.")
    unmatched: list[str] | None = Field(
        None, description="Words of the search that are not in the schema; what was found is spelt alike at best."
    )
    nearest: list[str] | None = Field(
        None, description="Set where nothing fits the search: what is spelt most like it, queries first."
    )
    query: QueryDescription | None = Field(None, description="The query or mutation asked for.")
    field: FieldDescription | None = Field(None, description="The field asked for.")
    type: TypeDescription | None = Field(None, description="The type asked for.")
    left_out: list[str] = Field(description="What did not fit, and how to ask for it.", serialization_alias="leftOut")
    next: str = Field(description="What to do next.")

    def row_count(self) -> int | None:
        """Count the results."""
        return len(self.found) if self.found is not None else None
