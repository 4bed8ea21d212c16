"""What owners do with conversations; each function answers one address."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest

from agents.contracts import (
    CONVERSATION_BUSY,
    UNKNOWN_MESSAGE,
    Accepted,
    ConversationAnswer,
    Conversations,
    Fork,
    MessageAnswer,
    Messages,
    NewConversation,
)
from agents.queries import conversations, history, run_requests
from agents.rest.replies import conversation_id as parsed
from agents.rest.replies import success, unknown_conversation
from agents.rest.request_bodies import page_number
from agents.runs.messenger import enqueue
from agents.runs.run_caller import refuse_unknown, usable_toolkits
from toolbox.catalogue.dynamic_tools import dynamic_tools
from toolbox.catalogue.registry import registry
from toolbox.contract.caller import Caller
from toolbox.contract.errors import KERNEL_ENVELOPE, Refusal
from toolbox.dispatch.dispatch import Reply

PREFIX = "/api/agents/conversations"
PAGE = 50


async def create(wanted: NewConversation, *, caller: Caller) -> Reply:
    """Begin a conversation; unknown toolkits and tools are refused, with the nearest known one."""
    await dynamic_tools.ready()
    refuse_unknown("toolkits", names=wanted.toolkits, known=usable_toolkits())
    tools = [*registry.tools(), *registry.dynamic_tools()]
    refuse_unknown("approveTools", names=wanted.approve_tools, known=[tool.name for tool in tools])
    return success(_conversation(await conversations.create(wanted.model_dump(), owner_id=caller.owner_id)), status=201)


async def listed(request: HttpRequest, *, caller: Caller) -> Reply:
    """List the caller's conversations, the latest first."""
    limit = page_number(request.GET.get("limit", ""), name="limit", usual=PAGE, most=conversations.MAX_LISTED)
    before = moment(request.GET.get("before", ""))
    rows = await conversations.listed(owner_id=caller.owner_id, before=before, limit=limit)
    following = rows[-1]["updated_at"].isoformat() if len(rows) == limit else None
    return success(Conversations(conversations=[_conversation(row) for row in rows], next=following))


async def show(conversation_id: str, *, caller: Caller) -> Reply:
    """Show one."""
    return success(_conversation(await owned(conversation_id, caller=caller)))


async def rename(conversation_id: str, *, title: str, caller: Caller) -> Reply:
    """Give it another title."""
    row = await conversations.rename(parsed(conversation_id), owner_id=caller.owner_id, title=title)
    if row is None:
        raise unknown_conversation()
    return success(_conversation(row))


async def delete(conversation_id: str, *, caller: Caller) -> Reply:
    """Delete it with all that hangs on it."""
    if not await conversations.delete(parsed(conversation_id), owner_id=caller.owner_id):
        raise unknown_conversation()
    return Reply(body=b"", status=204)


async def fork(conversation_id: str, *, wanted: Fork, caller: Caller, by_reader: bool = False) -> Reply:
    """Begin another with its messages up to one; `by_reader` also with those of one that somebody shared."""
    original = await (_readable if by_reader else owned)(conversation_id, caller=caller)
    made = await conversations.fork(
        original["id"],
        owner_id=caller.owner_id,
        number=wanted.message,
        title=wanted.title or original["title"],
        by_reader=by_reader,
    )
    if made is None:
        count = original["message_count"]
        raise Refusal(
            UNKNOWN_MESSAGE,
            f"The conversation has no message {wanted.message}.",
            suggestion=f"Give a number from 1 to {count}." if count else "Say something in it first.",
        )
    return success(_conversation(made), status=201)


async def messages(request: HttpRequest, *, conversation_id: str, caller: Caller) -> Reply:
    """Give its messages, a page at a time."""
    row = await owned(conversation_id, caller=caller)
    after = page_number(request.GET.get("after", ""), name="after", usual=0, most=2**31 - 1, least=0)
    limit = page_number(request.GET.get("limit", ""), name="limit", usual=200, most=conversations.MAX_MESSAGES)
    rows = await conversations.messages(row["id"], after=after, limit=limit)
    following = rows[-1]["number"] if len(rows) == limit else None
    return success(Messages(messages=[MessageAnswer(**said) for said in rows], next=following))


async def post(conversation_id: str, *, text: str, caller: Caller) -> Reply:
    """Take a message; a worker is asked for, and the answer comes as events."""
    wanted = parsed(conversation_id)
    posted = await run_requests.post(wanted, owner_id=caller.owner_id, key_id=caller.key_id, text=text)
    if not isinstance(posted, run_requests.Posted):
        raise _not_posted(posted)
    enqueue(posted.run_id)
    address = f"{PREFIX}/{wanted}/runs/{posted.run_id}"
    accepted = Accepted(
        run_id=posted.run_id, message=posted.number, state="queued", run=address, events=f"{address}/events"
    )
    return success(accepted, status=202)


async def owned(conversation_id: str, *, caller: Caller) -> dict[str, Any]:
    """Give the conversation's row, if it is the caller's; raises Refusal."""
    row = await conversations.one(parsed(conversation_id), owner_id=caller.owner_id)
    if row is None:
        raise unknown_conversation()
    return row


async def _readable(conversation_id: str, *, caller: Caller) -> dict[str, Any]:
    """Give a conversation that is the person's own or shared; raises Refusal."""
    row = await history.readable(parsed(conversation_id), reader_id=caller.owner_id or 0)
    if row is None:
        raise unknown_conversation()
    return row


def _conversation(row: dict[str, Any]) -> ConversationAnswer:
    return ConversationAnswer(**row | {"forked_from": row["forked_from_id"]})


def _not_posted(why: run_requests.NotPosted) -> Refusal:
    match why:
        case "unknown":
            return unknown_conversation()
        case "busy":
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


def moment(text: str) -> datetime | None:
    """Read `before` of a page; raises Refusal where it is no moment."""
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text.replace(" ", "+"))
    except ValueError as invalid:
        raise Refusal(
            KERNEL_ENVELOPE.bad_input, "before is no moment.", suggestion="Give `next` of the page before, as it came."
        ) from invalid
    if moment.tzinfo is None:
        raise Refusal(
            KERNEL_ENVELOPE.bad_input, "before has no time zone.", suggestion="Give `next` of the page before."
        )
    return moment
