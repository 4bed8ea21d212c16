"""Input and output models of conversations over REST. Imports no Django."""

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Literal
from uuid import UUID

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from toolbox.contract.errors import ErrorCode
from toolbox.contract.models import ToolInput, ToolOutput, WholeNumber

MAX_MESSAGE = 20_000
MAX_TITLE = 200
MAX_DIGEST = 64
SecondMessage = Literal["wait", "replace", "refuse"]
RunState = Literal["queued", "running", "awaiting_approval", "succeeded", "failed", "cancelled", "timed_out"]

UNKNOWN_CONVERSATION = ErrorCode("UNKNOWN_CONVERSATION", 404, "There is no such conversation, or it is another's.")
UNKNOWN_RUN = ErrorCode("UNKNOWN_RUN", 404, "There is no such run in this conversation.")
UNKNOWN_STEP = ErrorCode("UNKNOWN_STEP", 404, "The run has no step of that number.")
UNKNOWN_MESSAGE = ErrorCode("UNKNOWN_MESSAGE", 404, "The conversation has no message of that number.")
CONVERSATION_BUSY = ErrorCode("CONVERSATION_BUSY", 409, "Another message is being answered.")
NOT_AWAITING = ErrorCode("NOT_AWAITING_APPROVAL", 409, "Nothing of this run waits for approval.")
ANSWERED_WITH_ERRORS = "ANSWERED_WITH_ERRORS"
"""The code of a step whose tool answered with an upstream's errors."""
CALL_CHANGED = ErrorCode("CALL_CHANGED", 409, "The call that waits is not the one that was shown.")
UNKNOWN_ADDRESS = ErrorCode("UNKNOWN_ADDRESS", 404, "There is no such address of conversations.")
WRONG_METHOD = ErrorCode("METHOD_NOT_ALLOWED", 405, "The address takes another method.")
RUN_OVER = ErrorCode("RUN_OVER", 409, "The run has ended already.")

Name = Annotated[str, Field(min_length=1, max_length=200)]


class NewConversation(ToolInput):
    """Which tools, which model, how far; everything has a default."""

    title: str = Field("", max_length=MAX_TITLE, description="What to call it; else its first message says.")
    toolkits: list[Name] = Field([], max_length=50, description="Domains whose tools it may use; empty: the key's.")
    model: str = Field("", max_length=200, description="A model of the server's; empty: the one the server names.")
    max_steps: WholeNumber = Field(24, ge=1, le=500, description="Model calls and tool calls of one run, together.")
    max_tokens: WholeNumber = Field(200_000, ge=1, le=100_000_000, description="Tokens in and out of one run.")
    max_cost: Decimal | None = Field(None, gt=0, le=1_000_000, description="Cost of one run, by the model prices.")
    max_total_tokens: WholeNumber | None = Field(
        None, ge=1, le=10**12, description="Tokens of all runs of the conversation together."
    )
    max_total_cost: Decimal | None = Field(
        None, gt=0, le=1_000_000, description="Cost of all runs of the conversation together."
    )
    max_seconds: WholeNumber = Field(300, ge=1, le=86_400, description="Time of one run, approval apart.")
    max_answer_bytes: WholeNumber = Field(
        20_000, ge=1_000, le=2_000_000, description="What the model sees of one tool's answer; the whole is kept."
    )
    approve_tools: list[Name] = Field(
        [], max_length=100, description="Tools that wait for approval, beside those that write."
    )
    second_message: SecondMessage = Field(
        "wait", description="What becomes of a message that comes while another is being answered."
    )


class Rename(ToolInput):
    """Another title."""

    title: str = Field(min_length=1, max_length=MAX_TITLE, pattern=r"\S", description="What to call the conversation.")


class Fork(ToolInput):
    """Where to fork."""

    message: WholeNumber = Field(ge=1, description="The number of the last message that the fork takes along.")
    title: str = Field("", max_length=MAX_TITLE, description="What to call the fork; else as the original.")


class NewMessage(ToolInput):
    """A message to be answered."""

    text: str = Field(min_length=1, max_length=MAX_MESSAGE, pattern=r"\S", description="What you want to know.")


class Approval(ToolInput):
    """Leave for a call that waits."""

    step: WholeNumber | None = Field(None, ge=1, description="The step that is meant; else the one that waits.")
    arguments: dict[str, object] | None = Field(None, description="Arguments to call with instead: another call.")
    digest: str = Field(
        "", max_length=MAX_DIGEST, description="The digest of approval.needed: approve only if that call still waits."
    )


class Rejection(ToolInput):
    """No leave for a call that waits."""

    step: WholeNumber | None = Field(None, ge=1, description="The step that is meant; else the one that waits.")
    word: str = Field("", max_length=2_000, description="Why, for the model to read.")


class ContractModel(ToolOutput):
    """An answer whose names are camelCase in JSON."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True)


class ConversationAnswer(ContractModel):
    """A conversation and its policy."""

    id: UUID = Field(description="Its id.")
    title: str = Field(description="What it is called.")
    toolkits: list[str] = Field(description="Domains whose tools it may use; empty: all of the key.")
    model: str = Field(description="The model asked for; empty: the one the server names.")
    max_steps: int = Field(description="Steps of one run at most.")
    max_tokens: int = Field(description="Tokens of one run at most.")
    max_cost: Decimal | None = Field(None, description="Cost of one run at most.")
    max_total_tokens: int | None = Field(None, description="Tokens of all its runs together at most.")
    max_total_cost: Decimal | None = Field(None, description="Cost of all its runs together at most.")
    max_seconds: int = Field(description="Time of one run at most.")
    max_answer_bytes: int = Field(description="What the model sees of one tool's answer at most.")
    approve_tools: list[str] = Field(description="Tools that wait for approval, beside those that write.")
    second_message: SecondMessage = Field(description="What becomes of a second message.")
    message_count: int = Field(description="How many messages it has.")
    forked_from: UUID | None = Field(None, description="The conversation it was forked from.")
    created_at: datetime = Field(description="When it began.")
    updated_at: datetime = Field(description="When something was last said in it.")


class Conversations(ContractModel):
    """A page of conversations."""

    conversations: list[ConversationAnswer] = Field(description="The latest first.")
    next: str | None = Field(None, description="`before` for the next page; absent on the last.")


class MessageAnswer(ContractModel):
    """A message of a conversation."""

    number: int = Field(description="Its place in the conversation, from 1.")
    role: Literal["user", "assistant"] = Field(description="Who said it.")
    text: str = Field(description="What was said.")
    answers: int | None = Field(None, description="The number of the message that this one answers.")
    run_id: UUID | None = Field(None, description="The run that answers it, or that said it.")
    created_at: datetime = Field(description="When it was said.")


class Messages(ContractModel):
    """A page of messages."""

    messages: list[MessageAnswer] = Field(description="In order.")
    next: int | None = Field(None, description="`after` for the next page; absent on the last.")


class AcceptedMessage(ContractModel):
    """A message that was taken."""

    run_id: UUID = Field(description="The run that will answer it.")
    message: int = Field(description="The message's number.")
    state: RunState = Field(description="queued.")
    run: str = Field(description="Address of the run.")
    events: str = Field(description="Address of its events, as they happen.")


class StepAnswer(ContractModel):
    """A step of a run."""

    number: int = Field(description="Its place in the run, from 1.")
    kind: Literal["model", "tool"] = Field(description="Who was asked.")
    state: str = Field(description="planned, awaiting_approval, approved, started, answered, refused or rejected.")
    tool: str | None = Field(None, description="The tool that was called.")
    arguments: str | None = Field(None, description="With what, as JSON; secrets blanked.")
    requires: str | None = Field(None, description="The scope that arguments and answer require, where you lack it.")
    code: str | None = Field(None, description="How it was refused.")
    milliseconds: float | None = Field(None, description="How long it took.")
    answer_bytes: int = Field(description="How long its answer is.")
    prompt_tokens: int = Field(description="Tokens that the model read.")
    completion_tokens: int = Field(description="Tokens that the model wrote.")
    approved_by: str | None = Field(None, description="Who approved the call.")
    approved_at: datetime | None = Field(None, description="When it was approved.")
    approved_scopes: list[str] | None = Field(None, description="The scopes of who approved it, at that moment.")
    is_estimated: bool = Field(description="Its tokens were counted by length: the model's server did not say.")


class RunAnswer(ContractModel):
    """A run: where it stands and what it cost."""

    id: UUID = Field(description="Its id.")
    conversation: UUID = Field(description="Its conversation.")
    message: int = Field(description="The number of the message it answers.")
    state: RunState = Field(description="Where it stands.")
    text: str | None = Field(None, description="Its answer.")
    error_code: str | None = Field(None, description="What went wrong, by name.")
    error: str | None = Field(None, description="What went wrong, in a sentence.")
    model: str | None = Field(None, description="The model that answered last.")
    attempt: int = Field(description="How often a worker took it up.")
    created_at: datetime = Field(description="When the message came.")
    started_at: datetime | None = Field(None, description="When a worker took it up first.")
    finished_at: datetime | None = Field(None, description="When it ended.")
    prompt_tokens: int = Field(description="Tokens that the model read.")
    completion_tokens: int = Field(description="Tokens that the model wrote.")
    estimated_tokens: int = Field(description="Of these, counted by length: the model's server did not say.")
    cost: str = Field(description="By the server's prices, exact.")
    events: int = Field(description="The number of its latest event.")
    steps: list[StepAnswer] = Field(description="What was done, in order.")


class WholeStep(ContractModel):
    """A step with its whole answer."""

    number: int = Field(description="Its place in the run.")
    answer: object = Field(description="The whole answer: the tool's, or what the model said and asked for.")
    shown: str | None = Field(None, description="What the model saw of it, where that was less.")


class Decision(ContractModel):
    """A person's word that was taken."""

    step: int = Field(description="The step that was decided.")
    state: RunState = Field(description="queued: a worker goes on with it.")


class Cancellation(ContractModel):
    """A run that was stopped."""

    state: RunState = Field(description="cancelled.")
