"""How a domain words its answers: one dialect per contract, stated once."""

from typing import Any

from toolbox.contract.errors import ErrorCode, ToolError

Schema = dict[str, Any]


class ErrorEnvelope:
    """
    The kernel's own way of answering, and the base of the domains' ways.

    A success is the bare answer; a refusal is `{error: {code, message, suggestion, details?}}`. A domain names its
    codes for what the kernel finds out: bad input, a passed deadline, a database that is away, a crash.
    """

    bad_input = ErrorCode("INVALID_PARAMETERS", 400, "A parameter is missing, unknown or of the wrong form.")
    timeout = ErrorCode("TIMEOUT", 504, "The tool did not answer within its deadline.")
    database_down = ErrorCode("DATABASE_ERROR", 503, "The database cannot be reached.")
    crash = ErrorCode("INTERNAL_ERROR", 500, "The tool failed in a way nobody planned; the server's log has more.")

    @property
    def own_codes(self) -> tuple[ErrorCode, ...]:
        """The codes that any tool of this dialect may answer."""
        return (self.bad_input, self.timeout, self.database_down, self.crash)

    def success(self, answer: object) -> object:
        """Give the body of a success."""
        return answer

    def refusal(self, error: ToolError) -> object:
        """Give the body of a refusal."""
        body: dict[str, Any] = {"code": error.code.code, "message": error.message, "suggestion": error.suggestion}
        if details := merged_details(error):
            body["details"] = details
        return {"error": body}

    def success_schema(self, answer: Schema) -> Schema:
        """Give the JSON Schema of a success's body, from that of the answer."""
        return answer

    def refusal_schema(self) -> Schema:
        """Give the JSON Schema of a refusal's body."""
        return object_schema(
            {
                "error": object_schema(
                    {
                        "code": {"type": "string", "description": "What went wrong, by name."},
                        "message": {"type": "string", "description": "What went wrong, in words."},
                        "suggestion": {"type": "string", "description": "What to do next."},
                        "details": {"type": "object", "description": "More about it; retryWith mends the call."},
                    },
                    required=["code", "message", "suggestion"],
                    description="Why the call was refused.",
                )
            },
            required=["error"],
        )


def merged_details(error: ToolError) -> dict[str, Any]:
    """Give the error's details with its merge patch among them, as `retryWith`."""
    return error.details | ({"retryWith": error.retry_with} if error.retry_with else {})


def object_schema(properties: Schema, *, required: list[str], description: str | None = None) -> Schema:
    """Write the JSON Schema of an object."""
    described = {"description": description} if description else {}
    return {"type": "object", "properties": properties, "required": required, **described}


KERNEL_ENVELOPE = ErrorEnvelope()
