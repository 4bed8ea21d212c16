"""The addresses of conversations as OpenAPI tells of them."""

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, TypeAdapter

from agents import contracts
from agents.rest import request_bodies
from toolbox.contract.json_schema import make_output_schema
from toolbox.dispatch.request_body import Form, address_openapi

EVENTS_DESCRIPTION = """
Server-sent events of a run, from its first or from the one after `Last-Event-ID` (or `after`), live to its end.

Each has an `id` that counts from 1, an `event` and `data` of one line of JSON. `run.queued`, `run.started` (a worker
took it up; what was said in an unfinished step is void), `model.asked`, `text` (a piece of what the model writes in a
`step`), `model.retrying` (what came of the step so far is void), `model.answered`, `tool.called`, `tool.answered`,
`approval.needed`, `approval.given`, `approval.refused`, `run.taken_back` (its worker was lost) and at last
`run.finished` with `state` and, where there is one, the whole `text` or the `error`.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """An address: its name, what it does, and its OpenAPI."""

    name: str
    summary: str
    description: str
    openapi: dict[str, Any]


def _operation(
    name: str,
    summary: str,
    *,
    status: int = 200,
    answer: type[BaseModel] | None = None,
    form: Form[Any] | None = None,
    description: str = "",
    parameters: tuple[tuple[str, str], ...] = (),
    also: tuple[Any, ...] = (contracts.UNKNOWN_CONVERSATION,),
) -> Operation:
    schema = make_output_schema(TypeAdapter(answer)) if answer else {}
    openapi = address_openapi(form=form, answers={status: schema}, errors=also)
    if parameters:
        openapi["parameters"] = [
            {"name": known, "in": "query", "required": False, "description": said, "schema": {"type": "string"}}
            for known, said in parameters
        ]
    return Operation(name=name, summary=summary, description=description.strip() or f"{summary}.", openapi=openapi)


_RUN_CODES = (contracts.UNKNOWN_CONVERSATION, contracts.UNKNOWN_RUN)

CREATE = _operation(
    "create_conversation", "Begin a conversation", status=201, answer=contracts.ConversationAnswer,
    form=request_bodies.CREATE, also=(),
)  # fmt: skip
LIST = _operation(
    "list_conversations", "List your conversations", answer=contracts.Conversations, also=(),
    parameters=(("before", "`next` of the page before."), ("limit", "How many at most; 50 where not given.")),
)  # fmt: skip
SHOW = _operation("show_conversation", "Show a conversation", answer=contracts.ConversationAnswer)
RENAME = _operation(
    "rename_conversation", "Rename a conversation", answer=contracts.ConversationAnswer, form=request_bodies.RENAME
)
DELETE = _operation("delete_conversation", "Delete a conversation and its runs", status=204)
FORK = _operation(
    "fork_conversation", "Fork a conversation from a message", status=201, answer=contracts.ConversationAnswer,
    form=request_bodies.FORK, also=(contracts.UNKNOWN_CONVERSATION, contracts.UNKNOWN_MESSAGE),
)  # fmt: skip
MESSAGES = _operation(
    "list_messages", "Read a conversation's messages", answer=contracts.Messages,
    parameters=(("after", "`next` of the page before."), ("limit", "How many at most; 200 where not given.")),
)  # fmt: skip
POST = _operation(
    "post_message", "Say something, to be answered", status=202, answer=contracts.Accepted, form=request_bodies.MESSAGE,
    description="The message is stored and a run is queued; a worker answers it. Its events come as they happen.",
    also=(contracts.UNKNOWN_CONVERSATION, contracts.CONVERSATION_BUSY),
)  # fmt: skip
RUN = _operation("show_run", "See where a run stands", answer=contracts.RunAnswer, also=_RUN_CODES)
STEP = _operation(
    "show_step",
    "Read the whole answer of a step",
    answer=contracts.WholeStep,
    also=(*_RUN_CODES, contracts.UNKNOWN_STEP),
)
CANCEL = _operation(
    "cancel_run", "Stop a run", answer=contracts.Cancelled, also=(*_RUN_CODES, contracts.RUN_OVER),
    description="Takes effect at once, wherever the run stands; a tool's statement is cancelled in the database.",
)  # fmt: skip
APPROVE = _operation(
    "approve_step", "Approve a call that waits", answer=contracts.Decided, form=request_bodies.APPROVAL,
    also=(*_RUN_CODES, contracts.NOT_AWAITING),
)  # fmt: skip
REJECT = _operation(
    "reject_step", "Reject a call that waits", answer=contracts.Decided, form=request_bodies.REJECTION,
    also=(*_RUN_CODES, contracts.NOT_AWAITING),
)  # fmt: skip
EVENTS = _operation(
    "stream_run_events", "Watch a run", description=EVENTS_DESCRIPTION, also=_RUN_CODES,
    parameters=(("after", "Begin after this event; Last-Event-ID goes first."),),
)  # fmt: skip
EVENTS.openapi["responses"][200] = {
    "description": "The stream.",
    "content": {"text/event-stream": {"schema": {"type": "string"}}},
}
