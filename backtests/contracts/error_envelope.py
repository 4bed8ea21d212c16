"""The contract's error codes and envelope, and the errors of bad parameters. Imports no Django."""

from datetime import datetime
from typing import Any

from toolbox.contract.encoding import format_timestamp
from toolbox.contract.errors import ErrorCode, ErrorEnvelope, Schema, ToolError, make_object_schema, merge_details

INVALID_PARAMETER = ErrorCode("INVALID_PARAMETER", 400, "A parameter is missing, unknown or of the wrong form.")
RUN_NOT_FOUND = ErrorCode("RUN_NOT_FOUND", 404, "There is no run of that id.")
EVENT_NOT_FOUND = ErrorCode("EVENT_NOT_FOUND", 404, "The run has no event of that id.")
QUERY_TIMEOUT = ErrorCode("QUERY_TIMEOUT", 408, "The query took longer than 10 s and was cancelled.")
RESULT_TOO_LARGE = ErrorCode("RESULT_TOO_LARGE", 413, "Not even the first part of the answer fits its size limit.")
INVALID_TIME_RANGE = ErrorCode("INVALID_TIME_RANGE", 400, "The times are reversed, or after the run's end.")
INVALID_JSON_PATH = ErrorCode("INVALID_JSON_PATH", 400, "The property path is not of the form $.Name or $.Name.Name.")
PERFORMANCE_NOT_BUILT = ErrorCode(
    "PERFORMANCE_NOT_BUILT", 409, "What the run came to is not built for all of its events."
)
FILE_NOT_FOUND = ErrorCode("FILE_NOT_FOUND", 404, "You have no uploaded file of that id.")
FILE_REFUSED = ErrorCode("FILE_REFUSED", 422, "The files cannot be loaded as asked; nothing of them is stored.")
DATABASE_ERROR = ErrorCode("DATABASE_ERROR", 500, "The database could not answer.")


MAX_FIX_CHARACTERS = 200


class BacktestsErrorEnvelope(ErrorEnvelope):
    """A bare answer, or `{error: {code, message, details}}`; what to do next is in details, as suggestion."""

    bad_input = INVALID_PARAMETER
    timeout = QUERY_TIMEOUT
    database_down = DATABASE_ERROR
    crash = DATABASE_ERROR

    @property
    def own_codes(self) -> tuple[ErrorCode, ...]:
        """Return the codes that any tool of this domain may answer with."""
        return (INVALID_PARAMETER, QUERY_TIMEOUT, DATABASE_ERROR)

    def refusal(self, error: ToolError) -> object:
        """Render an error in the contract's error envelope."""
        field = {"field": error.field} if error.field else {}
        details = {**field, **merge_details(error), "suggestion": error.suggestion}
        return {"error": {"code": error.code.code, "message": error.message, "details": details}}

    def refusal_schema(self) -> Schema:
        """Return the JSON Schema of an error."""
        error = make_object_schema(
            {
                "code": {"type": "string", "description": "What went wrong, by name."},
                "message": {"type": "string", "description": "What went wrong, in words."},
                "details": {
                    "type": ["object", "null"],
                    "description": "More about it: suggestion says what to do; retryWith, merged into the parameters, "
                    "fixes the call.",
                },
            },
            required=["code", "message", "details"],
            description="Why there is no answer.",
        )
        return make_object_schema({"error": error}, required=["error"])


def bad_guid(field: str, *, value: str) -> ToolError:
    """Build the error of an invalid GUID, which says where a run's or an event's id is found."""
    source = "list_backtest_runs has the runs' ids" if field == "runId" else "take the eventId of an event in an answer"
    return ToolError(
        INVALID_PARAMETER,
        f"{field} is not a GUID: {value[:60]!r}.",
        suggestion=f"Give {field} as 8-4-4-4-12 hexadecimal digits; {source}.",
        field=field,
    )


def bad_time(field: str, *, value: str) -> ToolError:
    """Build the error of an invalid time."""
    return ToolError(
        INVALID_PARAMETER,
        f"{field} is not an ISO 8601 time: {value[:60]!r}.",
        suggestion="Use the form '2025-06-15T14:30:00Z'; any offset will do, none means UTC.",
        field=field,
    )


def bad_path(field: str, *, value: str) -> ToolError:
    """Build the error of an invalid property path; the fix of a bare name is to prepend `$.`."""
    bare = value.lstrip("$.") if len(value) < MAX_FIX_CHARACTERS else ""
    fixed = f"$.{bare}" if bare.isascii() and bare.replace("_", "").replace(".", "").isalnum() else ""
    return ToolError(
        INVALID_JSON_PATH,
        f"{field} must match ^\\$\\.[a-zA-Z0-9_\\.]+$, not {value[:60]!r}.",
        suggestion=f"Use '{fixed}'." if fixed else "Use the form '$.Price' or '$.StateAfter.Total'.",
        field=field,
        retry_with={field: fixed} if fixed else None,
    )


def reversed_range(*, first: datetime, last: datetime, names: tuple[str, str] = ("startTime", "endTime")) -> ToolError:
    """Build the error of a range that ends before it starts."""
    said: dict[str, Any] = {names[0]: format_timestamp(first), names[1]: format_timestamp(last)}
    start, end = (name[0].upper() + name[1:] for name in names)
    return ToolError(
        INVALID_TIME_RANGE,
        f"{start} must be before or equal to {end}",
        suggestion=f"Exchange {names[0]} and {names[1]}.",
        field=names[0],
        details=said,
        retry_with={names[0]: said[names[1]], names[1]: said[names[0]]},
    )
