"""REST of conversations: `/api/agents/conversations…`."""

from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase, StreamingHttpResponse
from ninja import Router

from agents.rest import conversation_endpoints, not_found, openapi, run_endpoints
from agents.rest.event_stream import CONTENT_TYPE, HEADERS
from agents.rest.replies import READ, WRITE, answered
from agents.rest.request_bodies import APPROVAL, CREATE, FORK, MESSAGE, REJECTION, RENAME, read
from toolbox.contract.caller import Caller

router = Router()
ONE = "/conversations/{conversation_id}"
RUN = ONE + "/runs/{run_id}"


def _at(operation: openapi.Operation) -> dict[str, Any]:
    return {
        "auth": None,
        "tags": ["agents"],
        "operation_id": operation.name,
        "summary": operation.summary,
        "description": operation.description,
        "openapi_extra": operation.openapi,
        "response": None,
    }


@router.post("/conversations", **_at(openapi.CREATE))
async def create_conversation(request: HttpRequest) -> HttpResponseBase:
    """Begin a conversation."""
    return await answered(
        request,
        name=openapi.CREATE.name,
        scope=WRITE,
        work=lambda caller: conversation_endpoints.create(read(request, form=CREATE), caller=caller),
    )


@router.get("/conversations", **_at(openapi.LIST))
async def list_conversations(request: HttpRequest) -> HttpResponseBase:
    """List the caller's conversations."""
    return await answered(
        request,
        name=openapi.LIST.name,
        scope=READ,
        work=lambda caller: conversation_endpoints.listed(request, caller=caller),
    )


@router.get(ONE, **_at(openapi.SHOW))
async def show_conversation(request: HttpRequest, *, conversation_id: str) -> HttpResponseBase:
    """Show one."""
    return await answered(
        request,
        name=openapi.SHOW.name,
        scope=READ,
        work=lambda caller: conversation_endpoints.show(conversation_id, caller=caller),
    )


@router.patch(ONE, **_at(openapi.RENAME))
async def rename_conversation(request: HttpRequest, *, conversation_id: str) -> HttpResponseBase:
    """Give it another title."""
    return await answered(
        request,
        name=openapi.RENAME.name,
        scope=WRITE,
        work=lambda caller: conversation_endpoints.rename(
            conversation_id, title=read(request, form=RENAME).title, caller=caller
        ),
    )


@router.delete(ONE, **_at(openapi.DELETE))
async def delete_conversation(request: HttpRequest, *, conversation_id: str) -> HttpResponseBase:
    """Delete it with its runs; one at work is stopped."""
    return await answered(
        request,
        name=openapi.DELETE.name,
        scope=WRITE,
        work=lambda caller: conversation_endpoints.delete(conversation_id, caller=caller),
    )


@router.post(ONE + "/fork", **_at(openapi.FORK))
async def fork_conversation(request: HttpRequest, *, conversation_id: str) -> HttpResponseBase:
    """Begin another with its first messages."""
    return await answered(
        request,
        name=openapi.FORK.name,
        scope=WRITE,
        work=lambda caller: conversation_endpoints.fork(
            conversation_id, wanted=read(request, form=FORK), caller=caller
        ),
    )


@router.get(ONE + "/messages", **_at(openapi.MESSAGES))
async def list_messages(request: HttpRequest, *, conversation_id: str) -> HttpResponseBase:
    """Give its messages."""
    return await answered(
        request,
        name=openapi.MESSAGES.name,
        scope=READ,
        work=lambda caller: conversation_endpoints.messages(request, conversation_id=conversation_id, caller=caller),
    )


@router.post(ONE + "/messages", **_at(openapi.POST))
async def post_message(request: HttpRequest, *, conversation_id: str) -> HttpResponseBase:
    """Take a message, to be answered by a worker."""
    return await answered(
        request,
        name=openapi.POST.name,
        scope=WRITE,
        work=lambda caller: conversation_endpoints.post(
            conversation_id, text=read(request, form=MESSAGE).text, caller=caller
        ),
    )


@router.get(RUN, **_at(openapi.RUN))
async def show_run(request: HttpRequest, *, conversation_id: str, run_id: str) -> HttpResponseBase:
    """Say where a run stands."""
    return await answered(
        request,
        name=openapi.RUN.name,
        scope=READ,
        work=lambda caller: run_endpoints.show(conversation_id, run_id=run_id, caller=caller),
    )


@router.get(RUN + "/steps/{number}", **_at(openapi.STEP))
async def show_step(request: HttpRequest, *, conversation_id: str, run_id: str, number: str) -> HttpResponseBase:
    """Give one step's whole answer."""
    return await answered(
        request,
        name=openapi.STEP.name,
        scope=READ,
        work=lambda caller: run_endpoints.step(conversation_id, run_id=run_id, number=number, caller=caller),
    )


@router.get(RUN + "/events", **_at(openapi.EVENTS))
async def stream_events(request: HttpRequest, *, conversation_id: str, run_id: str) -> HttpResponseBase:
    """Stream a run's events, from the one after Last-Event-ID."""

    async def stream(caller: Caller) -> StreamingHttpResponse:
        last, after = request.headers.get("Last-Event-ID", "").strip(), request.GET.get("after", "")
        opened = await run_endpoints.events(conversation_id, run_id=run_id, last=last, after=after, caller=caller)
        return StreamingHttpResponse(opened.pieces(), content_type=CONTENT_TYPE, headers=HEADERS)

    return await answered(request, name=openapi.EVENTS.name, scope=READ, work=stream)


@router.post(RUN + "/cancel", **_at(openapi.CANCEL))
async def cancel_run(request: HttpRequest, *, conversation_id: str, run_id: str) -> HttpResponseBase:
    """Stop a run, wherever it stands."""
    return await answered(
        request,
        name=openapi.CANCEL.name,
        scope=WRITE,
        work=lambda caller: run_endpoints.cancel(conversation_id, run_id=run_id, caller=caller),
    )


@router.post(RUN + "/approve", **_at(openapi.APPROVE))
async def approve_step(request: HttpRequest, *, conversation_id: str, run_id: str) -> HttpResponseBase:
    """Let a call that waits be made."""
    return await answered(
        request,
        name=openapi.APPROVE.name,
        scope=WRITE,
        work=lambda caller: run_endpoints.approve(
            conversation_id, run_id=run_id, word=read(request, form=APPROVAL), caller=caller
        ),
    )


@router.post(RUN + "/reject", **_at(openapi.REJECT))
async def reject_step(request: HttpRequest, *, conversation_id: str, run_id: str) -> HttpResponseBase:
    """Have a call that waits not be made."""
    return await answered(
        request,
        name=openapi.REJECT.name,
        scope=WRITE,
        work=lambda caller: run_endpoints.reject(
            conversation_id, run_id=run_id, word=read(request, form=REJECTION), caller=caller
        ),
    )


not_found.refuse_the_rest(router)
