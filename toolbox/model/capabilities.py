"""What a server and a model can do, found out by asking and remembered by this process."""

from dataclasses import dataclass
from typing import Literal, Self

from toolbox.model.failures import Declined
from toolbox.model.openai_client import is_about_tools

ToolMode = Literal["native", "json_schema", "prompt", "auto"]
SchemaForm = Literal["json_schema", "json_object", "none"]


@dataclass(slots=True)
class Abilities:
    """
    What is known of one model on one server; begins with the best, and learns downwards from refusals.

    With a mode other than auto, that mode is kept, whatever happens.
    """

    mode: ToolMode = "auto"
    tools: Literal["native", "json_schema", "prompt"] = "native"
    schema: SchemaForm = "json_schema"
    counts_tokens: bool = True
    calls_natively: bool = False

    def __post_init__(self) -> None:
        if self.mode != "auto":
            self.tools = self.mode

    def learn(self, declined: Declined, *, asked: Self, with_tools: bool) -> bool:
        """
        Take from a refusal what the server cannot do; True if another form of the request is left to try.

        `asked` is what was known when the request was made; another that was refused meanwhile may have taught more.
        """
        if asked.counts_tokens and "stream_options" in declined.said:
            self.counts_tokens = False
            return True
        if not with_tools or self.mode != "auto":
            return False
        if asked.tools != self.tools:
            return True
        if self.tools == "native" and is_about_tools(declined.said):
            self.tools = "json_schema"
            return True
        if self.tools == "json_schema":
            self.tools = "prompt"
            return True
        return False

    def learn_shape(self, *, asked: SchemaForm) -> bool:
        """Take from a refused shape the next weaker way to ask for it; False when none is left."""
        weaker: dict[SchemaForm, SchemaForm] = {"json_schema": "json_object", "json_object": "none"}
        if asked == "none":
            return False
        if asked == self.schema:
            self.schema = weaker[asked]
        return True

    def saw_call(self, *, is_written: bool) -> None:
        """
        Note how the model made a call when tools were offered natively.

        One that never did so and writes them as text is asked otherwise from then on; one that did has slipped.
        """
        if not is_written:
            self.calls_natively = True
        elif self.mode == "auto" and self.tools == "native" and not self.calls_natively:
            self.tools = "json_schema"
