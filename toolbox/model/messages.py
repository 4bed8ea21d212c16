"""What is said to a model: messages that can be stored as JSON and read back."""

from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict

Role = Literal["system", "user", "assistant", "tool"]


class ToolRequest(BaseModel):
    """
    A call that a model asks for.

    `arguments` is JSON as the model wrote it, and so may be none; whoever calls the tool finds out. `id` is unique
    within a conversation's run.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    name: str
    arguments: str = "{}"


class Message(BaseModel):
    """
    One message of a conversation; `model_dump(mode="json", exclude_defaults=True)` stores it.

    An assistant's may carry `calls`. A tool's answers one of them, by `call_id`: `text` is what the model reads, and
    may be fenced or shortened; `answer` is the whole body as data, which is never sent and which only the examples
    provider reads; `is_refusal` says that the body is a refusal, `edited_arguments` what a person put in place of the
    arguments that were asked for.
    """

    model_config = ConfigDict(frozen=True)

    role: Role
    text: str = ""
    calls: tuple[ToolRequest, ...] = ()
    call_id: str = ""
    tool: str = ""
    answer: Any = None
    is_refusal: bool = False
    edited_arguments: str = ""

    @classmethod
    def system(cls, text: str) -> Self:
        """Say how the model should behave."""
        return cls(role="system", text=text)

    @classmethod
    def user(cls, text: str) -> Self:
        """Say what a person said."""
        return cls(role="user", text=text)

    @classmethod
    def assistant(cls, text: str = "", *, calls: tuple[ToolRequest, ...] = ()) -> Self:
        """Say what the model said and which tools it asked for."""
        return cls(role="assistant", text=text, calls=calls)

    @classmethod
    def tool_answer(
        cls,
        text: str,
        *,
        request: ToolRequest,
        answer: Any = None,
        is_refusal: bool = False,
        edited_arguments: str = "",
    ) -> Self:
        """Say what a tool answered to a request."""
        return cls(
            role="tool",
            text=text,
            call_id=request.id,
            tool=request.name,
            answer=answer,
            is_refusal=is_refusal,
            edited_arguments=edited_arguments,
        )
