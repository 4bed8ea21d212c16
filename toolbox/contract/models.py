"""Base classes and building blocks of tools' inputs and outputs. Imports no Django."""

from base64 import b64encode
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.alias_generators import to_camel
from pydantic_core import CoreSchema, core_schema


class ToolInput(BaseModel):
    """
    The input of a tool: snake_case in Python, the contract's camelCase in JSON; unknown parameters are refused.

    A parameter whose default is None may be left out or sent as null, and is published so, but for `RefusesNull`.
    """

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid", frozen=True, strict=True)

    @classmethod
    def from_json(cls, arguments: bytes) -> Self:
        """
        Parse the arguments that a caller sends. Raises ValidationError.

        `strict` is needed here too: this class's configuration does not reach the models that it contains, which may be
        models of answers.
        """
        return cls.model_validate_json(arguments, by_alias=True, by_name=False, strict=True)


class ToolOutput(BaseModel):
    """
    The output of a tool. Attribute names are the JSON names unless a model sets `alias_generator`.

    A field with default None is left out of the JSON when it is None; a field without default is always there.
    """

    model_config = ConfigDict(populate_by_name=True, frozen=True)

    def row_count(self) -> int | None:
        """Return how many rows the answer holds, for the audit log; None if that means nothing."""
        return None

    def error_count(self) -> int:
        """Return how many errors came with the answer, for upstreams that answer in part."""
        return 0


@dataclass(frozen=True, slots=True)
class KeepsDigits:
    """Marks a parameter of free JSON whose numbers keep the digits that the caller wrote (encoding.ExactNumber)."""


@dataclass(frozen=True, slots=True)
class NullMeans:
    """Read null as this default, and publish that null may be sent."""

    default: Any

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Replace null with the default before any other validation."""
        return core_schema.no_info_before_validator_function(
            lambda value: self.default if value is None else value, handler(source)
        )

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Describe the value, or null."""
        return {"anyOf": [handler(schema), {"type": "null"}]}


@dataclass(frozen=True, slots=True)
class RefusesNull:
    """Marks a parameter `X | None` that may be left out but not sent as null; its schema is published without null."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Return the schema of the type without None."""
        found = handler(source)
        return found["schema"] if found["type"] == "nullable" else found


def _integral(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


WholeNumber = Annotated[int, BeforeValidator(_integral)]
"""An integer; 5.0 is accepted too, as JSON Schema says."""


class Text(ToolOutput):
    """Words."""

    type: Literal["text"] = Field(default="text", description="What kind of content this is.")
    text: str = Field(description="The words.")


class Image(ToolOutput):
    """A picture; `data` is base64."""

    type: Literal["image"] = Field(default="image", description="What kind of content this is.")
    data: str = Field(description="The bytes, base64.")
    mime_type: str = Field(serialization_alias="mimeType", description="As image/png.")

    @classmethod
    def from_bytes(cls, raw: bytes, *, mime_type: str) -> "Image":
        """Build an image from its bytes."""
        return cls(data=b64encode(raw).decode(), mime_type=mime_type)


class Audio(ToolOutput):
    """Sound; `data` is base64."""

    type: Literal["audio"] = Field(default="audio", description="What kind of content this is.")
    data: str = Field(description="The bytes, base64.")
    mime_type: str = Field(serialization_alias="mimeType", description="As audio/wav.")

    @classmethod
    def from_bytes(cls, raw: bytes, *, mime_type: str) -> "Audio":
        """Build audio from its bytes."""
        return cls(data=b64encode(raw).decode(), mime_type=mime_type)


class Document(ToolOutput):
    """What is read at an address: its text, or its bytes as base64 in `blob`."""

    uri: str = Field(description="Where it is read.")
    mime_type: str = Field(serialization_alias="mimeType", description="As text/plain.")
    text: str | None = Field(default=None, description="Its text.")
    blob: str | None = Field(default=None, description="Its bytes, base64, where it is no text.")

    @classmethod
    def from_content(cls, content: str | bytes, *, uri: str, mime_type: str) -> "Document":
        """Build a document from its text or its bytes."""
        if isinstance(content, bytes):
            return cls(uri=uri, mime_type=mime_type, blob=b64encode(content).decode())
        return cls(uri=uri, mime_type=mime_type, text=content)


class EmbeddedResource(ToolOutput):
    """A document within an answer."""

    type: Literal["resource"] = Field(default="resource", description="What kind of content this is.")
    resource: Document = Field(description="The document.")


class Link(ToolOutput):
    """Where a document can be read."""

    type: Literal["resource_link"] = Field(default="resource_link", description="What kind of content this is.")
    uri: str = Field(description="Where to read it.")
    name: str = Field(description="What it is called.")
    description: str | None = Field(default=None, description="What is in it.")
    mime_type: str | None = Field(default=None, serialization_alias="mimeType", description="As application/json.")


Block = Text | Image | Audio | EmbeddedResource | Link


class Contents(ToolOutput):
    """An answer made of blocks. A tool that returns it publishes no output schema on MCP."""

    content: list[Block] = Field(description="The blocks, in order.")

    @classmethod
    def from_blocks(cls, *blocks: Text | Image | Audio | EmbeddedResource | Link | str) -> "Contents":
        """Build an answer from blocks; a string becomes a text block."""
        return cls(content=[Text(text=block) if isinstance(block, str) else block for block in blocks])


class Message(ToolOutput):
    """One message of a prompt."""

    role: Literal["user", "assistant"] = Field(default="user", description="Who says it.")
    content: Block = Field(description="What is said.")

    @classmethod
    def from_block(cls, block: Text | Image | Audio | EmbeddedResource | Link | str) -> "Message":
        """Build a message of the user."""
        return cls(content=Text(text=block) if isinstance(block, str) else block)
