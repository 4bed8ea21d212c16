"""Input and output models of our own tool `propose_rca`."""

from typing import Annotated, Literal

from pydantic import AfterValidator, ConfigDict, Field, StringConstraints
from pydantic.alias_generators import to_camel

from toolbox.contract.models import ToolInput, ToolOutput
from toolbox.text.redaction import MaskedText

MAX_CONFIDENCE = 0.6


def _refuse_unstorable(text: str) -> str:
    """Refuse what the database cannot store: NUL and lone surrogates."""
    text.encode()
    if "\x00" in text:
        raise ValueError("a NUL character cannot be stored")
    return text


def _mask(text: str) -> MaskedText:
    """Mask secrets, since every key can read a proposal."""
    return MaskedText(text)


_Storable = (AfterValidator(_refuse_unstorable), AfterValidator(_mask))
_Text = Annotated[
    str,
    StringConstraints(max_length=4_000, strip_whitespace=True, pattern=r"\S[\s\S]{8,}\S"),  # ten characters
    *_Storable,
]
_Name = Annotated[str, StringConstraints(max_length=40, strip_whitespace=True, pattern=r"\S"), *_Storable]
_Type = Annotated[str, StringConstraints(max_length=200, strip_whitespace=True, pattern=r"\S"), *_Storable]
_Path = Annotated[str, StringConstraints(max_length=500, strip_whitespace=True), *_Storable]


class Proposal(ToolInput):
    """An error that was solved, in general words."""

    error_description: _Text = Field(description="The error message, and when it is met.")
    root_cause: _Text = Field(description="Why it happened.")
    solution: _Text = Field(description="What fixed it.")
    language: _Name = Field(description="Programming language, such as kotlin.")
    error_type: _Type = Field(description="Type or code of the error, such as NullPointerException or TS2322.")
    fixed_in: _Path = Field("", description="Path of the file that was fixed.")
    confidence: float = Field(
        0.5, ge=0, le=MAX_CONFIDENCE, description="How sure it is, at most 0.6: a person says more on validating."
    )


class SimilarEntry(ToolOutput):
    """An entry that may say the same already."""

    model_config = ConfigDict(alias_generator=to_camel)

    id: str = Field(description="Names the entry.")
    error_description: str = Field(description="Its error.")
    similarity: float = Field(description="Cosine similarity to the proposal.")


class StoredProposal(ToolOutput):
    """What was stored."""

    model_config = ConfigDict(alias_generator=to_camel)

    id: str = Field(description="Names the entry; the same proposal again has the same.")
    status: Literal["proposed", "validated", "retired"] = Field(description="Proposed, until a person decides.")
    user_validated: bool = Field(description="False until a person validates it.")
    similar: list[SimilarEntry] = Field(description="Entries that may say the same already, for who validates.")
