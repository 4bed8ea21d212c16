"""Input and output models of `ask_agent`."""

from typing import Self
from uuid import UUID

from pydantic import Field, model_validator

from agents.contracts import MAX_MESSAGE, ContractModel, Name, RunState
from toolbox.contract.models import ToolInput, WholeNumber

MAX_WAIT_SECONDS = 50


class AgentQuestion(ToolInput):
    """A question, or a run to look at again."""

    question: str | None = Field(
        None, min_length=1, max_length=MAX_MESSAGE, pattern=r"\S", description="What you want to know, in words."
    )
    toolkits: list[Name] = Field([], max_length=50, description="Only these domains' tools; empty: all that you may.")
    conversation_id: UUID | None = Field(None, description="Go on with this conversation.")
    run_id: UUID | None = Field(None, description="In place of a question: a run of yours to look at again.")
    wait_seconds: WholeNumber = Field(
        20, ge=0, le=MAX_WAIT_SECONDS, description="How long to wait for the answer, where this call is no task."
    )

    @model_validator(mode="after")
    def _says_one_thing(self) -> Self:
        if (self.question is None) == (self.run_id is None):
            raise ValueError("give a question, or the runId of one asked before")
        return self


class WaitsFor(ContractModel):
    """A call that waits for a person's word."""

    tool: str = Field(description="Which tool.")
    arguments: str = Field(description="With what, as JSON; secrets blanked.")
    reason: str = Field(description="Why it waits.")


class AgentAnswer(ContractModel):
    """Where the run stands; the answer once it has ended."""

    state: RunState = Field(description="succeeded, or another end; else it goes on.")
    answer: str | None = Field(None, description="What the agent answered.")
    error_code: str | None = Field(None, description="What went wrong, by name.")
    error: str | None = Field(None, description="What went wrong, in a sentence.")
    waits_for: WaitsFor | None = Field(None, description="The call that a person must approve first.")
    next: str | None = Field(None, description="What to do now, where it has not ended.")
    run_id: UUID = Field(description="The run.")
    conversation_id: UUID = Field(description="Its conversation; give it to ask on.")
    page: str = Field(description="Where a person sees every step, and approves: a path of this server.")
    steps: int = Field(description="Calls of the model and of tools so far.")
    prompt_tokens: int = Field(description="Tokens that the model read.")
    completion_tokens: int = Field(description="Tokens that the model wrote.")
    cost: str = Field(description="By the server's prices, exact.")
