"""The error envelope of this domain, with the contract's codes. Imports no Django."""

from typing import Any

from toolbox.contract.errors import ErrorCode, ErrorEnvelope, Schema, ToolError, make_object_schema, merge_details

INVALID_PARAMETERS = ErrorCode("INVALID_PARAMETERS", 400, "A parameter is missing, unknown or of the wrong form.")
TOOL_TIMEOUT = ErrorCode("TOOL_TIMEOUT", 504, "The tool did not answer within 2 s.")
DB_CONNECTION_FAILED = ErrorCode("DB_CONNECTION_FAILED", 503, "The database cannot be reached.")
INTERNAL_ERROR = ErrorCode("INTERNAL_ERROR", 500, "The tool failed in a way nobody planned; the server's log has more.")

UNKNOWN_WORKSPACE = ErrorCode("UNKNOWN_WORKSPACE", 404, "No such workspace is open to this key.")

FILE_NOT_FOUND = ErrorCode("FILE_NOT_FOUND", 404, "The workspace has no such file.")
PERMISSION_DENIED = ErrorCode("PERMISSION_DENIED", 403, "The path leaves the workspace, or the file may not be read.")
BINARY_FILE = ErrorCode("BINARY_FILE", 415, "The file is not text of the encoding asked for.")
TOO_LARGE = ErrorCode("TOO_LARGE", 413, "The file is larger than 10 MB.")
LINE_OUT_OF_RANGE = ErrorCode("LINE_OUT_OF_RANGE", 400, "The file has fewer lines.")

FUNCTION_NOT_FOUND = ErrorCode("FUNCTION_NOT_FOUND", 404, "The file defines no function of that name.")
LSP_UNAVAILABLE = ErrorCode("LSP_UNAVAILABLE", 503, "No language server runs for the file's language.")
TIMEOUT = ErrorCode("TIMEOUT", 504, "The language server did not answer in time.")

RATE_LIMIT_EXCEEDED = ErrorCode("RATE_LIMIT_EXCEEDED", 429, "The source takes no more questions for now.")
API_ERROR = ErrorCode("API_ERROR", 502, "The source cannot be reached, or answered with an error.")
NO_RESULTS = ErrorCode("NO_RESULTS", 404, "Nothing fits.")

EMBEDDING_FAILED = ErrorCode("EMBEDDING_FAILED", 503, "The query could not be embedded.")
COLLECTION_NOT_FOUND = ErrorCode("COLLECTION_NOT_FOUND", 404, "There is no such collection of root causes.")

NO_ACTIVE_EDITOR = ErrorCode("NO_ACTIVE_EDITOR", 404, "No editor has told its state lately.")
NO_DIAGNOSTICS = ErrorCode("NO_DIAGNOSTICS", 404, "The editor has no diagnostics.")

FILE_CODES = (UNKNOWN_WORKSPACE, FILE_NOT_FOUND, PERMISSION_DENIED, BINARY_FILE, TOO_LARGE)
"""The error codes of every tool that opens a workspace file."""

DEADLINE_SECONDS = 2.0
"""The contract's limit for every tool of this domain."""


class DevassistErrorEnvelope(ErrorEnvelope):
    """`{success: true, data}`, or `{success: false, error: {code, message, suggestion, details?}}`."""

    bad_input = INVALID_PARAMETERS
    timeout = TOOL_TIMEOUT
    database_down = DB_CONNECTION_FAILED
    crash = INTERNAL_ERROR

    def success(self, answer: object) -> object:
        """Wrap the answer as the contract's success."""
        return {"success": True, "data": answer}

    def refusal(self, error: ToolError) -> object:
        """Convert a refusal to the contract's error."""
        said: dict[str, Any] = {
            "code": error.code.code,
            "message": error.message,
            "suggestion": error.suggestion,
        }
        field = {"field": error.field} if error.field else {}
        if details := {**field, **merge_details(error)}:
            said["details"] = details
        return {"success": False, "error": said}

    def success_schema(self, answer: Schema) -> Schema:
        """Describe the contract's success."""
        success = {"type": "boolean", "const": True, "description": "The question was answered."}
        data = {**answer, "description": "The answer."}
        return make_object_schema({"success": success, "data": data}, required=["success", "data"])

    def refusal_schema(self) -> Schema:
        """Describe the contract's error."""
        error = make_object_schema(
            {
                "code": {"type": "string", "description": "What went wrong, by name."},
                "message": {"type": "string", "description": "What went wrong, in words."},
                "suggestion": {"type": "string", "description": "What to do next."},
                "details": {
                    "type": "object",
                    "description": "More about it: field is the parameter at fault; retryWith, merged into the "
                    "parameters, fixes the call.",
                },
            },
            required=["code", "message", "suggestion"],
            description="Why there is no answer.",
        )
        success = {"type": "boolean", "const": False, "description": "The question was not answered."}
        return make_object_schema({"success": success, "error": error}, required=["success", "error"])
