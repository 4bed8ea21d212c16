"""Error envelopes of the sprints tools, in the fields of the contract."""

from typing import Any

from toolbox.contract.errors import KERNEL_ENVELOPE, ErrorCode, ErrorEnvelope, Schema, ToolError, make_object_schema

QUERY_REFUSED = ErrorCode("QUERY_REFUSED", 200, "The statement may not be run; error and suggestion say why.")
QUERY_FAILED = ErrorCode("QUERY_FAILED", 200, "The database refused the statement; error is what it said.")
QUERY_TIMEOUT = ErrorCode("QUERY_TIMEOUT", 200, "The statement took too long and was stopped.")
QUERY_UNAVAILABLE = ErrorCode("QUERY_UNAVAILABLE", 200, "The database cannot be reached, or statements are off.")
TOO_LARGE = ErrorCode("TOO_LARGE", 400, "The metric's statement would be too long, or take too much time or memory.")


class SprintsEnvelope(ErrorEnvelope):
    """The kernel's own words: a bare answer, or `{error: {code, message, suggestion, details?}}`."""


class ExecuteQueryEnvelope(SprintsEnvelope):
    """
    Failures of a statement are the contract's body with status 200: `{rows: [], rowCount: 0, runtimeMs, error}`.

    Arguments that are no statement at all, and crashes, keep the kernel's words and statuses. A refusal's details may
    carry `runtimeMs`.
    """

    timeout = QUERY_TIMEOUT
    database_down = QUERY_UNAVAILABLE

    def refusal(self, error: ToolError) -> object:
        """Convert a refusal to the contract's error."""
        if error.code.status != QUERY_REFUSED.status:
            return super().refusal(error)
        body: dict[str, Any] = {
            "rows": [],
            "rowCount": 0,
            "runtimeMs": error.details.get("runtimeMs", 0),
            "error": error.message,
        }
        return body | ({"suggestion": error.suggestion} if error.suggestion else {})

    def refusal_schema(self) -> Schema:
        """Describe the contract's error, and the kernel's for arguments that are no statement."""
        failed = make_object_schema(
            {
                "rows": {"type": "array", "maxItems": 0, "description": "Empty."},
                "rowCount": {"type": "integer", "const": 0, "description": "0."},
                "runtimeMs": {"type": "number", "description": "Milliseconds until it was known."},
                "error": {"type": "string", "description": "Why there are no rows."},
                "suggestion": {"type": "string", "description": "What to write instead."},
            },
            required=["rows", "rowCount", "runtimeMs", "error"],
        )
        return {"type": "object", "anyOf": [failed, KERNEL_ENVELOPE.refusal_schema()]}


class GenerateSqlEnvelope(SprintsEnvelope):
    """A question that could not be turned into SQL is the contract's error: ambiguous, try again, status 200."""

    timeout = ErrorCode("GENERATION_TIMEOUT", 200, "No SQL was ready within the deadline.")
    database_down = ErrorCode("GENERATION_UNAVAILABLE", 200, "The database cannot be reached.")

    def refusal(self, error: ToolError) -> object:
        """Convert a failure to the contract's error."""
        if error.code.status != self.timeout.status:
            return super().refusal(error)
        return {
            "sql": None,
            "clarification": "Error generating SQL. Please try again.",
            "isAmbiguous": True,
            "assumptions": [],
        }
