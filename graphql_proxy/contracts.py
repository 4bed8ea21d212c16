"""Input and output models of `execute_graphql`, `execute_graphql_mutation` and `validate_query`."""

from typing import Annotated, Any

from pydantic import Field

from toolbox.contract.errors import ErrorCode, ErrorEnvelope
from toolbox.contract.models import KeepsDigits, ToolInput, ToolOutput

NO_UPSTREAM = ErrorCode("NO_UPSTREAM", 503, "No upstream is configured.")
UNKNOWN_UPSTREAM = ErrorCode("UNKNOWN_UPSTREAM", 404, "No such upstream is open to this key.")
DOCUMENT_REFUSED = ErrorCode("DOCUMENT_REFUSED", 400, "The document goes past a limit, or is not safe to send.")
MUTATION_REFUSED = ErrorCode("MUTATION_REFUSED", 403, "Documents that write or subscribe are not sent by this tool.")
UPSTREAM_UNREACHABLE = ErrorCode("UPSTREAM_UNREACHABLE", 502, "The upstream cannot be reached.")
UPSTREAM_ERROR = ErrorCode("UPSTREAM_ERROR", 502, "The upstream's answer is no GraphQL answer.")
UPSTREAM_TOO_LARGE = ErrorCode("UPSTREAM_TOO_LARGE", 413, "The upstream's answer is larger than is read.")
UPSTREAM_TIMEOUT = ErrorCode("UPSTREAM_TIMEOUT", 504, "The upstream did not answer in time.")
UPSTREAM_LIMIT = ErrorCode("UPSTREAM_LIMIT", 429, "The upstream takes no more requests now.")

CREDENTIAL_REFUSED = ErrorCode(
    "CREDENTIAL_REFUSED", 403, "The caller's own credential for the upstream is missing, or is not passed on."
)

CHOICE_ERRORS = (NO_UPSTREAM, UNKNOWN_UPSTREAM)
ASKING_ERRORS = (
    *CHOICE_ERRORS,
    DOCUMENT_REFUSED,
    MUTATION_REFUSED,
    UPSTREAM_UNREACHABLE,
    UPSTREAM_ERROR,
    UPSTREAM_TOO_LARGE,
    UPSTREAM_TIMEOUT,
    UPSTREAM_LIMIT,
    CREDENTIAL_REFUSED,
)
"""The error codes of every tool that sends a document."""

MAX_UPSTREAM_SECONDS = 60
ASKING_DEADLINE_SECONDS = MAX_UPSTREAM_SECONDS + 5.0
"""Above every upstream's own timeout, which is the one that is reported."""

UPSTREAM = Field(None, description="The upstream; else the default.", max_length=40)


class GraphqlEnvelope(ErrorEnvelope):
    """The kernel's own words: a bare answer, or `{error: {code, message, suggestion, details?}}`."""


class GraphqlQuery(ToolInput):
    """A GraphQL document with what it needs."""

    query: str = Field(description="The GraphQL document, such as '{ team(id: 75) { name } }'.", min_length=1)
    variables: Annotated[dict[str, Any] | None, KeepsDigits()] = Field(
        None, description="Values of the document's variables, by name, no $."
    )
    operation_name: str | None = Field(None, description="Which operation to run, of several.", max_length=200)
    upstream: str | None = UPSTREAM


class GraphqlRequest(GraphqlQuery):
    """A GraphQL document that is sent, with how much may come back."""

    max_tokens: int | None = Field(
        None,
        ge=50,
        le=1_000_000,
        description="Tokens of four bytes; a larger answer is cut at a list.",
    )


class GraphqlMutation(GraphqlRequest):
    """A GraphQL document that may write."""


class ErrorLocation(ToolOutput):
    """A place in the document."""

    line: int = Field(description="Line, from 1.")
    column: int = Field(description="Column, from 1.")


class GraphqlError(ToolOutput):
    """One error as the upstream worded it."""

    message: str = Field(description="The upstream's own message first; for an unknown query, help after it.")
    path: list[str | int] | None = Field(None, description="Which field of the answer it is about.")
    locations: list[ErrorLocation] | None = Field(None, description="Where in the document.")
    extensions: dict[str, Any] | None = Field(
        None,
        description="The upstream's own extensions, bounded; under toolroom what the stored schema says of the error: "
        "rule, line, column, coordinate, nearest (name, type), hint.",
    )


class GraphqlAnswer(ToolOutput):
    """What the upstream answered."""

    data: Any = Field(description="The upstream's data as it came; null if there is none.")
    errors: list[GraphqlError] = Field(description="The upstream's errors; empty where all went well.")
    hints: list[str] = Field(description="How to fix the errors; empty where nothing is known.")
    retry_with: dict[str, Any] | None = Field(
        None,
        description="Arguments to change (query, variables, operationName) so that the stored schema accepts the "
        "request; only where there is exactly one valid fix for every error.",
        serialization_alias="retryWith",
    )
    age_seconds: int | None = Field(
        None,
        description="How long ago the upstream was asked, where it was not now.",
        serialization_alias="ageSeconds",
    )
    upstream_cost: dict[str, float] | None = Field(
        None,
        description="What the upstream states: cost, remaining, limit, resetsInSeconds.",
        serialization_alias="upstreamCost",
    )
    cut: dict[str, Any] | None = Field(
        None, description="Where an answer too large was cut: path, items (of how many), after, next."
    )

    def error_count(self) -> int:
        """Count the upstream's errors."""
        return len(self.errors)


class DocumentCost(ToolOutput):
    """What a document asks for, fragments spread out."""

    bytes: int = Field(description="Length of the document in bytes.")
    tokens: int = Field(description="Words and signs.")
    depth: int = Field(description="Selections inside each other.")
    fields: int = Field(description="Fields.")
    aliases: int = Field(description="Fields under another name.")
    root_fields: int = Field(description="Queries.", serialization_alias="rootFields")
    directives: int = Field(description="Directives.")
    largest_list: int = Field(description="The highest list size asked for.", serialization_alias="largestList")
    cost: int = Field(description="Fields, each times the sizes of the lists around it.")


class Validity(ToolOutput):
    """Whether a document would be understood, and whether it would be sent."""

    valid: bool = Field(description="True if it parses and, where a schema is stored, fits that schema.")
    errors: list[GraphqlError] = Field(description="Why it is not valid.")
    hints: list[str] = Field(description="How to fix the errors.")
    retry_with: dict[str, Any] | None = Field(
        None,
        description="Arguments to change (query, variables, operationName) so that the request is valid; only where "
        "there is exactly one valid fix for every error.",
        serialization_alias="retryWith",
    )
    would_be_sent: bool = Field(
        description="True if execute_graphql would send it; validity is not asked for, only safety.",
        serialization_alias="wouldBeSent",
    )
    refusal: str | None = Field(None, description="Why it would not be sent.")
    cost: DocumentCost | None = Field(None, description="What it asks for; absent where it does not parse.")
    most_cost: int = Field(description="The highest cost of a document that is sent.", serialization_alias="mostCost")
    schema_version: int | None = Field(
        None,
        description="The stored schema it was held to; absent where none is stored.",
        serialization_alias="schemaVersion",
    )
