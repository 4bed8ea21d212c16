"""What may be asked about a schema, and what is answered: contract `introspect_schema`."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from toolbox.contract.models import ToolInput, ToolOutput, WholeNumber

MAX_DEPTH = 5
DEFAULT_DEPTH = 1
TOKEN_BUDGET = 1_500
"""What an answer may cost a model, at four characters a token."""


def _default_depth(value: object) -> object:
    return DEFAULT_DEPTH if value is None else value


class SchemaQuestion(ToolInput):
    """What to look at. Nothing given: counts, and where to begin."""

    query_name: str | None = Field(
        None,
        min_length=1,
        max_length=200,
        description="A query field, such as 'leagueStandings': its arguments, what it returns, a document that runs.",
    )
    type_name: str | None = Field(
        None, min_length=1, max_length=200, description="A type, input or enum, such as 'Team': its fields or values."
    )
    search: str | None = Field(
        None,
        min_length=1,
        max_length=200,
        description="Words to look for in names and descriptions, such as 'league standings'; best first.",
    )
    depth: Annotated[WholeNumber, BeforeValidator(_default_depth)] = Field(
        DEFAULT_DEPTH,
        ge=1,
        le=MAX_DEPTH,
        description="How many types deep to show what a query or type returns; 1 if not given.",
    )
    upstream: str | None = Field(
        None, min_length=1, max_length=40, description="Which upstream's schema; the key's default if not given."
    )


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


class QueryDescription(ToolOutput):
    """One query field."""

    signature: str = Field(description="Name and type of the answer, as the schema writes them.")
    description: str | None = Field(None, description="What the schema says of it.")
    arguments: list[str] = Field(description="Every argument as `name: Type`, required ones (Type!) first.")
    enums: dict[str, list[str]] = Field(description="Values of the enums among the arguments.")
    returns: dict[str, list[str]] = Field(description="The types it returns, by name, with their fields.")
    example: ExampleDocument = Field(description="A document that the schema accepts.")


class TypeDescription(ToolOutput):
    """One type."""

    kind: str = Field(description="object, interface, union, enum, input or scalar.")
    description: str | None = Field(None, description="What the schema says of it.")
    members: list[str] = Field(description="Its fields as `name: Type`, its values, or the types of a union.")
    below: dict[str, list[str]] = Field(description="The types of its fields, to the asked depth.")
    queries: list[str] = Field(description="Query fields that return it.")


class SchemaAnswer(ToolOutput):
    """What was found; never longer than about 1,500 tokens."""

    upstream: str = Field(description="Whose schema it is.")
    version: int = Field(description="Which version of the stored schema.")
    counts: SchemaCounts = Field(description="How large the schema is.")
    found: list[FoundEntry] | None = Field(None, description="What fits the search, best first.")
    unmatched: list[str] | None = Field(
        None, description="Words of the search that stand nowhere in the schema; what was found is spelt alike at best."
    )
    nearest: list[str] | None = Field(
        None, description="Set where nothing fits the search: what is spelt most like it, queries first."
    )
    query: QueryDescription | None = Field(None, description="The query asked for.")
    type: TypeDescription | None = Field(None, description="The type asked for.")
    left_out: list[str] = Field(description="What did not fit, and how to ask for it.", serialization_alias="leftOut")
    next: str = Field(description="What to do next.")

    def row_count(self) -> int | None:
        """Count what was found."""
        return len(self.found) if self.found is not None else None
