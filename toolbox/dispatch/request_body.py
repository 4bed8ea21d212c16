"""Bodies of addresses that are no tools, parsed and refused like a tool's arguments."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

import orjson

from toolbox.contract.encoding import encode
from toolbox.contract.errors import (
    KERNEL_CODES,
    KERNEL_ENVELOPE,
    PAYLOAD_TOO_LARGE,
    ErrorCode,
    ErrorEnvelope,
    Refusal,
    Schema,
)
from toolbox.contract.json_schema import make_input_schema
from toolbox.contract.models import ToolInput
from toolbox.dispatch.arguments import parse_arguments
from toolbox.dispatch.dispatch import MAX_ARGUMENTS

Read = TypeVar("Read", bound=ToolInput)


@dataclass(frozen=True, kw_only=True, eq=False)
class Form(Generic[Read]):
    """An input model with an example, for `toolbox.dispatch.arguments.parse_arguments`."""

    question: type[Read]
    example: Read
    envelope: ErrorEnvelope = KERNEL_ENVELOPE

    @cached_property
    def input_schema(self) -> Schema:
        """Return the JSON Schema of the body."""
        return make_input_schema(self.question)

    @cached_property
    def example_arguments(self) -> bytes:
        """Return the example as JSON."""
        return encode(self.example.model_dump(by_alias=True, exclude_unset=True))

    def parse(self, body: bytes | None) -> Read:
        """
        Parse a body, None if it could not be read. Raises ToolError as a tool does for its arguments.

        Raises Refusal if it is too large.
        """
        if body is None or len(body) > MAX_ARGUMENTS:
            raise Refusal(PAYLOAD_TOO_LARGE, "The body is too large.", suggestion="Send less at once.")
        question = parse_arguments(self, body)
        if not isinstance(question, self.question):
            raise TypeError(f"{type(question)} is not what the form asks for")
        return question


def address_openapi(
    *, form: Form[Any] | None = None, answers: Mapping[int, Schema], errors: tuple[ErrorCode, ...] = ()
) -> dict[str, Any]:
    """Describe an address for OpenAPI: its body, its answers by status, and its errors with the kernel's."""
    envelope = form.envelope if form else KERNEL_ENVELOPE
    kernel = [code for code in KERNEL_CODES if code.code not in _OF_TOOLS]
    codes = (envelope.bad_input, *errors, *kernel, envelope.database_down)
    responses: dict[int, Any] = {status: _response("", schema) for status, schema in answers.items()}
    for status in sorted({code.status for code in codes}):
        meanings = " ".join(f"`{code.code}`: {code.meaning}" for code in codes if code.status == status)
        responses[status] = _response(meanings, envelope.refusal_schema())
    described: dict[str, Any] = {"responses": responses, "security": [{"key": []}]}
    if form is not None:
        content = {"schema": form.input_schema, "example": orjson.loads(form.example_arguments)}
        described["requestBody"] = {"required": True, "content": {"application/json": content}}
    return described


_OF_TOOLS = ("UNKNOWN_TOOL", "METHOD_NOT_ALLOWED")


def _response(description: str, schema: Schema) -> dict[str, Any]:
    content = {"application/json": {"schema": schema}} if schema else {}
    return {"description": description or "The answer.", "content": content}
