"""
Use cases of conversations and runs: typed input, typed output, whatever the transport.

Each function takes the caller whom the one entry admitted, returns a model of `agents.contracts`, and raises Refusal.
Another owner's conversation is refused like one that does not exist.
"""

from datetime import datetime
from typing import Any
from uuid import UUID

import orjson

from agents.contracts import (
    CONVERSATION_BUSY,
    NOT_AWAITING,
    RUN_OVER,
    UNKNOWN_CONVERSATION,
    UNKNOWN_MESSAGE,
    UNKNOWN_RUN,
    UNKNOWN_STEP,
    AcceptedMessage,
    Approval,
    Cancellation,
    ConversationAnswer,
    Conversations,
    Decision,
    Fork,
    MessageAnswer,
    Messages,
    NewConversation,
    Rejection,
    RunAnswer,
    StepAnswer,
    WholeStep,
)
from agents.models import LIVE
from agents.queries import conversations, history, leases, run_requests
from agents.queries.leases import RUNS
from agents.runs.run_caller import refuse_unknown, usable_toolkits
from agents.runs.tool_step import shown_arguments
from agents.step_access import hide_contents, hide_requested_calls, require_scope
from toolbox.catalogue.dynamic_tools import dynamic_tools
from toolbox.catalogue.registry import registry
from toolbox.contract.caller import Caller
from toolbox.contract.encoding import encode
from toolbox.contract.errors import KERNEL_ENVELOPE, Refusal
from toolbox.dispatch.entry import Operation
from toolbox.text.moments import read_moment
from toolbox.work.publisher import enqueue

PATH = "/api/agents/conversations"
MAX_NUMBER = 2**31 - 1
Row = dict[str, Any]


def _operation(name: str, *, writes: bool = True) -> Operation:
    return Operation(name=name, domain="agents", scope=f"agents:{'write' if writes else 'read'}", writes=writes)


CREATE = _operation("create_conversation")
LIST = _operation("list_conversations", writes=False)
SHOW = _operation("show_conversation", writes=False)
RENAME = _operation("rename_conversation")
SHARE = _operation("share_conversation")
DELETE = _operation("delete_conversation")
FORK = _operation("fork_conversation")
MESSAGES = _operation("list_messages", writes=False)
POST = _operation("post_message")
RUN = _operation("show_run", writes=False)
STEP = _operation("show_step", writes=False)
EVENTS = _operation("stream_run_events", writes=False)
CANCEL = _operation("cancel_run")
APPROVE = _operation("approve_step")
REJECT = _operation("reject_step")
AGAIN = _operation("run_again")


async def create_conversation(wanted: NewConversation, *, caller: Caller) -> ConversationAnswer:
    """Create a conversation; refuses unknown toolkits and tools, suggesting the nearest known one."""
    await dynamic_tools.wait_until_loaded()
    refuse_unknown("toolkits", names=wanted.toolkits, known=usable_toolkits())
    tools = [*registry.tools(), *registry.dynamic_tools()]
    refuse_unknown("approveTools", names=wanted.approve_tools, known=[tool.name for tool in tools])
    return _conversation(await conversations.create(wanted.model_dump(), owner_id=caller.owner_id))


async def list_conversations(*, caller: Caller, before: datetime | None, limit: int) -> Conversations:
    """List the caller's conversations, the latest first."""
    rows = await conversations.find_page(owner_id=caller.owner_id, before=before, limit=limit)
    following = rows[-1]["updated_at"].isoformat() if len(rows) == limit else None
    return Conversations(conversations=[_conversation(row) for row in rows], next=following)


async def show_conversation(conversation_id: UUID, *, caller: Caller) -> ConversationAnswer:
    """Show a conversation."""
    return _conversation(await _find_conversation(conversation_id, caller=caller))


async def rename_conversation(conversation_id: UUID, *, title: str, caller: Caller) -> ConversationAnswer:
    """Rename a conversation."""
    row = await conversations.rename(conversation_id, owner_id=caller.owner_id, title=title)
    if row is None:
        raise _unknown_conversation()
    return _conversation(row)


async def share_conversation(conversation_id: UUID, *, is_shared: bool, caller: Caller) -> None:
    """Let everyone who can log in read a conversation, or only its owner."""
    if not await history.share(conversation_id, owner_id=caller.owner_id or 0, is_shared=is_shared):
        raise _unknown_conversation()


async def delete_conversation(conversation_id: UUID, *, caller: Caller) -> None:
    """Delete a conversation with its runs; a running one stops."""
    if not await conversations.delete(conversation_id, owner_id=caller.owner_id):
        raise _unknown_conversation()


async def fork_conversation(
    conversation_id: UUID, *, wanted: Fork, caller: Caller, may_be_shared: bool = False
) -> ConversationAnswer:
    """Copy a conversation's first messages into a new one; a person may also fork what others share."""
    original: Row | None
    if may_be_shared:
        original = await history.find_readable(conversation_id, reader_id=caller.owner_id or 0)
        if original is None:
            raise _unknown_conversation()
    else:
        original = await _find_conversation(conversation_id, caller=caller)
    copy = await conversations.fork(
        conversation_id,
        owner_id=caller.owner_id,
        number=wanted.message,
        title=wanted.title or original["title"],
        by_reader=may_be_shared,
    )
    if copy is None:
        count = original["message_count"]
        raise Refusal(
            UNKNOWN_MESSAGE,
            f"The conversation has no message {wanted.message}.",
            suggestion=f"Give a number from 1 to {count}." if count else "Post a message to it first.",
        )
    return _conversation(copy)


async def list_messages(conversation_id: UUID, *, caller: Caller, after: int, limit: int) -> Messages:
    """List a conversation's messages in order."""
    await _find_conversation(conversation_id, caller=caller)
    rows = await conversations.find_messages(conversation_id, after=after, limit=limit)
    following = rows[-1]["number"] if len(rows) == limit else None
    return Messages(messages=[MessageAnswer(**row) for row in rows], next=following)


async def post_message(conversation_id: UUID, *, text: str, caller: Caller) -> AcceptedMessage:
    """Store a message and queue the run that answers it, which acts with the scopes of the caller's key."""
    posted = await run_requests.post_message(conversation_id, owner_id=caller.owner_id, key_id=caller.key_id, text=text)
    if not isinstance(posted, run_requests.PostedMessage):
        raise _not_posted(posted)
    enqueue(RUNS, work_id=posted.run_id)
    address = f"{PATH}/{conversation_id}/runs/{posted.run_id}"
    return AcceptedMessage(
        run_id=posted.run_id, message=posted.number, state="queued", run=address, events=f"{address}/events"
    )


async def show_run(conversation_id: UUID, *, run_id: UUID, caller: Caller) -> RunAnswer:
    """Return a run's state, steps and cost."""
    row = await find_run(conversation_id, run_id=run_id, caller=caller)
    await dynamic_tools.wait_until_loaded()
    steps = [_step(step, caller=caller) for step in await run_requests.find_steps(row["id"])]
    cost = f"{row['cost'].normalize():f}" if row["cost"] else "0"
    texts = {name: row[name] or None for name in ("error_code", "error", "model")}
    return RunAnswer(**row | texts | {"cost": cost, "steps": steps})


async def show_step(conversation_id: UUID, *, run_id: UUID, number: int, caller: Caller) -> WholeStep:
    """Return a step's whole answer; raises ScopeMissing if the caller may not use its tool."""
    row = await find_run(conversation_id, run_id=run_id, caller=caller)
    found = await run_requests.find_step(row["id"], number=number)
    if found is None:
        raise Refusal(
            UNKNOWN_STEP, "This run has no such step.", suggestion="GET the run; it lists its steps by number."
        )
    await dynamic_tools.wait_until_loaded()
    require_scope(caller, tool=found["tool"], code=found["code"])
    try:
        answer = orjson.loads(found["answer"])
    except ValueError:
        answer = found["answer"]
    if found["kind"] == "model":
        answer = hide_requested_calls(answer, caller=caller)
    return WholeStep(number=number, answer=answer, shown=found["shown"] or None)


async def cancel_run(conversation_id: UUID, *, run_id: UUID, caller: Caller) -> Cancellation:
    """Cancel a run; its worker stops at once. Cancelling again gives the same answer."""
    row = await find_run(conversation_id, run_id=run_id, caller=caller)
    if following := await leases.cancel(row["id"]):
        enqueue(RUNS, work_id=following)
    state = (await find_run(conversation_id, run_id=run_id, caller=caller))["state"]
    if state != "cancelled":
        raise Refusal(RUN_OVER, f"The run has ended already: {state}.", suggestion="GET the run; it has its answer.")
    return Cancellation(state="cancelled")


async def approve_step(conversation_id: UUID, *, run_id: UUID, approval: Approval, caller: Caller) -> Decision:
    """Approve the waiting call, with other arguments if some are given; requires the call's scope."""
    row = await find_run(conversation_id, run_id=run_id, caller=caller)
    arguments = "" if approval.arguments is None else encode(approval.arguments).decode()
    number = await run_requests.approve(
        row["id"], number=approval.step, caller=caller, arguments=arguments, digest=approval.digest
    )
    return _confirm_decision(row, number=number)


async def reject_step(conversation_id: UUID, *, run_id: UUID, rejection: Rejection, caller: Caller) -> Decision:
    """Reject the waiting call; the model continues and is told why."""
    row = await find_run(conversation_id, run_id=run_id, caller=caller)
    return _confirm_decision(
        row, number=await run_requests.reject(row["id"], number=rejection.step, word=rejection.word)
    )


async def run_again(conversation_id: UUID, *, run_id: UUID, caller: Caller) -> UUID:
    """Queue a new run of the same question, with the rights of the person who asks again; returns its id."""
    row = await find_run(conversation_id, run_id=run_id, caller=caller)
    if row["state"] in LIVE:
        raise Refusal(CONVERSATION_BUSY, "It is being answered already.", suggestion="Wait for it, or stop it first.")
    again = await run_requests.run_again(row["id"], by_owner=True)
    if again is None:
        raise _unknown_run()
    enqueue(RUNS, work_id=again)
    return again


async def find_run(conversation_id: UUID, *, run_id: UUID, caller: Caller) -> Row:
    """Return a run of the caller's conversation; raises Refusal."""
    row = await run_requests.owned_run(run_id, owner_id=caller.owner_id, conversation_id=conversation_id)
    if row is None:
        raise _unknown_run()
    return row


def parse_conversation_id(text: str) -> UUID:
    """Parse an id; raises the same Refusal as for an unknown conversation."""
    try:
        return UUID(text)
    except ValueError:
        raise _unknown_conversation() from None


def parse_run_id(text: str) -> UUID:
    """Parse an id; raises the same Refusal as for an unknown run."""
    try:
        return UUID(text)
    except ValueError:
        raise _unknown_run() from None


def parse_number(text: str, *, name: str, default: int, maximum: int = MAX_NUMBER, minimum: int = 1) -> int:
    """Parse a whole number and clamp it; raises Refusal if it is not a number."""
    if not text:
        return default
    if not (text.isascii() and text.lstrip("-").isdigit()):
        suggestion = f"Give {name} from {minimum} to {maximum}."
        raise Refusal(KERNEL_ENVELOPE.bad_input, f"{name} is no whole number.", suggestion=suggestion)
    return max(minimum, min(int(text[:20]), maximum))


def parse_moment(text: str) -> datetime | None:
    """Parse `before` of a page; raises Refusal if it is not a time with a time zone."""
    if not text:
        return None
    moment = read_moment(text.replace(" ", "+"))
    if moment is None:
        raise Refusal(
            KERNEL_ENVELOPE.bad_input,
            "before is no moment with a time zone.",
            suggestion="Give `next` of the page before, as it came.",
        )
    return moment


def _unknown_conversation() -> Refusal:
    """Return the refusal of a conversation that is unknown or another owner's; both in the same words."""
    return Refusal(UNKNOWN_CONVERSATION, "There is no such conversation.", suggestion=f"GET {PATH} lists yours.")


def _unknown_run() -> Refusal:
    return Refusal(
        UNKNOWN_RUN,
        "This conversation has no such run.",
        suggestion="GET the conversation's messages; each names its run.",
    )


async def _find_conversation(conversation_id: UUID, *, caller: Caller) -> Row:
    row = await conversations.find(conversation_id, owner_id=caller.owner_id)
    if row is None:
        raise _unknown_conversation()
    return row


def _conversation(row: Row) -> ConversationAnswer:
    return ConversationAnswer(**row | {"forked_from": row["forked_from_id"]})


def _not_posted(why: run_requests.NotPosted) -> Refusal:
    if why == "unknown":
        return _unknown_conversation()
    if why == "busy":
        return Refusal(
            CONVERSATION_BUSY,
            "Another message is being answered.",
            suggestion="Wait for its run to end, or cancel it; secondMessage says what a conversation does.",
        )
    return Refusal(
        CONVERSATION_BUSY,
        f"{run_requests.MAX_WAITING} messages of this conversation wait already.",
        suggestion="Wait for some of them to be answered, or cancel their runs.",
    )


def _confirm_decision(row: Row, *, number: int | None) -> Decision:
    if number is None:
        raise Refusal(
            NOT_AWAITING,
            f"Nothing of this run waits for that: it is {row['state']}.",
            suggestion="GET the run; a step that waits is awaiting_approval.",
        )
    enqueue(RUNS, work_id=row["id"])
    return Decision(step=number, state="queued")


def _step(row: Row, *, caller: Caller) -> StepAnswer:
    row = row | {
        "approved_by": row["approved_by"] or None,
        "approved_scopes": row["approved_scopes"].split() if row["approved_at"] else None,
    }
    if row["kind"] == "model":
        return StepAnswer(**row | {"tool": None, "arguments": None, "code": None})
    shown = row | {"arguments": shown_arguments(row["arguments"]), "code": row["code"] or None}
    return StepAnswer(**hide_contents(shown, caller=caller))
