"""What inputs and outputs of tools are made of. Imports no Django."""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict
from pydantic.alias_generators import to_camel


class ToolInput(BaseModel):
    """
    The input of a tool: snake_case in Python, the contract's camelCase in JSON; unknown parameters are refused.

    A parameter whose default is None may be left out or sent as null, and is published as optional.
    """

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid", frozen=True, strict=True)


class ToolOutput(BaseModel):
    """
    The output of a tool. Attribute names are the JSON names unless a model sets `alias_generator`.

    A field with default None is left out of the JSON when it is None; a field without default is always there.
    """

    model_config = ConfigDict(populate_by_name=True, frozen=True)

    def row_count(self) -> int | None:
        """Tell how many rows the answer holds, for the audit; None where that means nothing."""
        return None


def _integral(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


WholeNumber = Annotated[int, BeforeValidator(_integral)]
"""An integer; JSON's 5.0 is one too, as JSON Schema says."""
