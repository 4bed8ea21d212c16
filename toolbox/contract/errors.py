"""Errors of tools. Knows no Django; a domain's envelope renders what is raised here."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ErrorCode:
    """An error code of a contract: its name, HTTP status and meaning."""

    code: str
    status: int
    meaning: str


class ToolError(Exception):
    """
    A planned error in the domain's words.

    `suggestion` tells a model what to do next. `retry_with` is the same as data: a JSON merge patch (RFC 7396) that
    fixes the arguments. Validators of an input model may raise it: pydantic lets it pass.
    """

    def __init__(
        self,
        code: ErrorCode,
        message: str,
        *,
        suggestion: str,
        field: str | None = None,
        details: Mapping[str, Any] | None = None,
        retry_with: Mapping[str, Any] | None = None,
        retry_after_seconds: int | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.suggestion = suggestion
        self.field = field
        self.details = dict(details or {})
        self.retry_with = dict(retry_with or {})
        self.retry_after_seconds = retry_after_seconds


class Refusal(ToolError):
    """
    An error of the kernel itself, rendered the same in every domain.

    `bearer` is its part in the WWW-Authenticate header (RFC 6750), None if it has none.
    """

    bearer: "Bearer | None" = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bearer:
    """What is wrong with a bearer token: OAuth's error code, empty if no token was sent, and the scopes needed."""

    error: str = ""
    scope: str = ""


class AuthenticationRequired(Refusal):
    """The caller is unknown: no credential was sent, or it is not valid."""

    def __init__(self, message: str, *, suggestion: str, is_missing: bool = False) -> None:
        super().__init__(UNAUTHENTICATED, message, suggestion=suggestion)
        self.bearer = Bearer(error="" if is_missing else "invalid_token")


class ScopeMissing(Refusal):
    """The caller lacks a scope; `held` are the scopes of a caller who can fetch a token with more, otherwise None."""

    def __init__(self, scope: str, *, held: Iterable[str] | None = None, is_tool: bool = True) -> None:
        what, how = ("key", "Use a key") if held is None else ("token", "Get a token")
        super().__init__(
            FORBIDDEN,
            f"This {what} lacks the scope {scope}.",
            suggestion=f"{how} with the scope {scope}{', or use another tool' if is_tool else ''}.",
        )
        if held is not None:
            self.bearer = Bearer(error="insufficient_scope", scope=" ".join(sorted({*held, scope})))


UNAUTHENTICATED = ErrorCode("UNAUTHENTICATED", 401, "No API key was sent, or it is unknown, expired or revoked.")
FORBIDDEN = ErrorCode("FORBIDDEN", 403, "The API key lacks the scope of this tool.")
NOT_FOUND = ErrorCode("NOT_FOUND", 404, "There is nothing at this address.")
UNKNOWN_TOOL = ErrorCode("UNKNOWN_TOOL", 404, "There is no such tool, or not for this key.")
METHOD_NOT_ALLOWED = ErrorCode("METHOD_NOT_ALLOWED", 405, "Tools are called with POST.")
PAYLOAD_TOO_LARGE = ErrorCode("PAYLOAD_TOO_LARGE", 413, "The arguments are larger than a call may be.")
RATE_LIMITED = ErrorCode("RATE_LIMITED", 429, "The key has used up its calls of this minute.")
UNAVAILABLE = ErrorCode("UNAVAILABLE", 503, "The server cannot take the call now.")

REQUEST_TIMEOUT = ErrorCode("REQUEST_TIMEOUT", 408, "The request did not come whole in time.")
WRONG_HOST = ErrorCode("WRONG_HOST", 421, "MCP: the Host header names another server.")
WRONG_ORIGIN = ErrorCode("WRONG_ORIGIN", 403, "MCP: a page of another site is asking.")

KERNEL_CODES = (
    UNAUTHENTICATED,
    FORBIDDEN,
    UNKNOWN_TOOL,
    METHOD_NOT_ALLOWED,
    PAYLOAD_TOO_LARGE,
    RATE_LIMITED,
    UNAVAILABLE,
)


class DatabaseUnavailable(Exception):
    """The database cannot be reached, or the connection was lost during a statement."""


class StatementTimeout(DatabaseUnavailable):
    """The database cancelled a statement that ran too long; a DatabaseUnavailable for code that does not care."""


Schema = dict[str, Any]


class ErrorEnvelope:
    """
    The form of the kernel's answers, and the base class of the domains' forms.

    A success is the bare answer; a refusal is `{error: {code, message, suggestion, details?}}`. A domain names its own
    codes for what the kernel detects: bad input, a passed deadline, no database, a crash.
    """

    bad_input = ErrorCode("INVALID_PARAMETERS", 400, "A parameter is missing, unknown or of the wrong form.")
    timeout = ErrorCode("TIMEOUT", 504, "The tool did not answer within its deadline.")
    database_down = ErrorCode("DATABASE_ERROR", 503, "The database cannot be reached.")
    crash = ErrorCode("INTERNAL_ERROR", 500, "The tool failed in a way nobody planned; the server's log has more.")

    @property
    def own_codes(self) -> tuple[ErrorCode, ...]:
        """Return the codes that any tool with this envelope may answer."""
        return (self.bad_input, self.timeout, self.database_down, self.crash)

    def success(self, answer: object) -> object:
        """Return the body of a success."""
        return answer

    def refusal(self, error: ToolError) -> object:
        """Return the body of a refusal."""
        body: dict[str, Any] = {"code": error.code.code, "message": error.message, "suggestion": error.suggestion}
        if details := merge_details(error):
            body["details"] = details
        return {"error": body}

    def success_schema(self, answer: Schema) -> Schema:
        """Return the JSON Schema of a success's body, given the answer's."""
        return answer

    def refusal_schema(self) -> Schema:
        """Return the JSON Schema of a refusal's body."""
        return make_object_schema(
            {
                "error": make_object_schema(
                    {
                        "code": {"type": "string", "description": "What went wrong, by name."},
                        "message": {"type": "string", "description": "What went wrong, in words."},
                        "suggestion": {"type": "string", "description": "What to do next."},
                        "details": {"type": "object", "description": "More about it; retryWith fixes the call."},
                    },
                    required=["code", "message", "suggestion"],
                    description="Why the call was refused.",
                )
            },
            required=["error"],
        )


def merge_details(error: ToolError) -> dict[str, Any]:
    """Return the error's details, with its merge patch as `retryWith`."""
    return error.details | ({"retryWith": error.retry_with} if error.retry_with else {})


def make_object_schema(properties: Schema, *, required: list[str], description: str | None = None) -> Schema:
    """Build the JSON Schema of an object."""
    described = {"description": description} if description else {}
    return {"type": "object", "properties": properties, "required": required, **described}


KERNEL_ENVELOPE = ErrorEnvelope()
