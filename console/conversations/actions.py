"""What people decide about a conversation: say more, stop, approve, reject, ask again, fork, rename, share, delete."""

from collections.abc import Awaitable, Callable
from uuid import UUID

import orjson
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from agents.contracts import CONVERSATION_BUSY, MAX_MESSAGE, MAX_TITLE, Approval, Fork, Rejection
from agents.models import LIVE
from agents.queries import history, run_requests
from agents.rest import conversation_endpoints, openapi, run_endpoints
from agents.rest.replies import success, unknown_conversation
from agents.runs.messenger import enqueue
from console.conversations.pages import opened, run_part
from console.conversations.perform_as_user import spoken, why
from console.tools.result_table import parsed
from toolbox.contract.caller import Caller
from toolbox.contract.errors import Refusal
from toolbox.dispatch.dispatch import Reply

Work = Callable[[Caller], Awaitable[Reply]]
MAX_WORD = 2_000


@require_POST
@login_required
def say(request: HttpRequest, *, conversation_id: UUID) -> HttpResponse:
    """Take another question."""
    text = request.POST.get("text", "").strip()
    if not text or len(text) > MAX_MESSAGE:
        messages.error(request, f"Ask something, in {MAX_MESSAGE:,} characters at most.")
        return redirect("console:conversation", conversation_id=conversation_id)
    return _back(
        request,
        conversation_id=conversation_id,
        name=openapi.POST.name,
        work=lambda caller: conversation_endpoints.post(str(conversation_id), text=text, caller=caller),
    )


@require_POST
@login_required
def rename(request: HttpRequest, *, conversation_id: UUID) -> HttpResponse:
    """Give it another title."""
    title = " ".join(request.POST.get("text", "").split())[:MAX_TITLE]
    if not title:
        return redirect("console:conversation", conversation_id=conversation_id)
    return _back(
        request,
        conversation_id=conversation_id,
        name=openapi.RENAME.name,
        work=lambda caller: conversation_endpoints.rename(str(conversation_id), title=title, caller=caller),
    )


@require_POST
@login_required
def share(request: HttpRequest, *, conversation_id: UUID) -> HttpResponse:
    """Open it to everybody who is logged in, or close it again."""
    is_shared = request.POST.get("shared") == "1"
    done = spoken(
        request,
        name="share_conversation",
        work=lambda caller: _share(conversation_id, is_shared=is_shared, caller=caller),
    )
    if done.is_refusal:
        raise Http404
    said = "Everybody who can log in may read it at this address." if is_shared else "Only you can read it now."
    messages.success(request, said)
    return redirect("console:conversation", conversation_id=conversation_id)


@require_POST
@login_required
def fork(request: HttpRequest, *, conversation_id: UUID) -> HttpResponse:
    """Begin another with what was said up to a message; whoever may read a conversation may go on from it."""
    sent = request.POST.get("message", "")
    number = int(sent) if sent.isascii() and sent.isdigit() and 0 < len(sent) < 10 else 1  # noqa: PLR2004 - an int4
    wanted = Fork(message=max(1, number))
    made = spoken(
        request,
        name=openapi.FORK.name,
        work=lambda caller: conversation_endpoints.fork(
            str(conversation_id), wanted=wanted, caller=caller, by_reader=True
        ),
    )
    if made.is_refusal:
        messages.error(request, why(made))
        return redirect("console:conversation", conversation_id=conversation_id)
    messages.success(request, "This is a copy: what you ask here does not change the other.")
    return redirect("console:conversation", conversation_id=orjson.loads(made.body)["id"])


@require_POST
@login_required
def delete(request: HttpRequest, *, conversation_id: UUID) -> HttpResponse:
    """Delete it with all its runs."""
    gone = spoken(
        request,
        name=openapi.DELETE.name,
        work=lambda caller: conversation_endpoints.delete(str(conversation_id), caller=caller),
    )
    if gone.is_refusal:
        raise Http404
    messages.success(request, "The conversation is deleted.")
    return redirect("console:ask")


@require_POST
@login_required
def decide(request: HttpRequest, *, conversation_id: UUID, run_id: UUID, word: str) -> HttpResponse:
    """Stop a run, let its waiting call be made or not, or ask its question again."""
    name, work = _decision(request, conversation_id=str(conversation_id), run_id=str(run_id), word=word)
    reply = spoken(request, name=name, work=work)
    said = why(reply) if reply.is_refusal else ""
    if request.headers.get("HX-Request") and word != "again":
        talk, caller = opened(request, conversation_id=conversation_id)
        return run_part(request, talk=talk, caller=caller, run_id=run_id, said=said)
    if said:
        messages.error(request, said)
    return redirect("console:conversation", conversation_id=conversation_id)


def _decision(request: HttpRequest, *, conversation_id: str, run_id: str, word: str) -> tuple[str, Work]:
    step = request.POST.get("step", "")
    number = int(step) if step.isascii() and step.isdigit() and 0 < len(step) < 10 else None  # noqa: PLR2004 - an int4
    match word:
        case "cancel":
            return openapi.CANCEL.name, lambda caller: run_endpoints.cancel(
                conversation_id, run_id=run_id, caller=caller
            )
        case "approve":
            approval = _approval(request, step=number)
            return openapi.APPROVE.name, lambda caller: run_endpoints.approve(
                conversation_id, run_id=run_id, word=approval, caller=caller
            )
        case "reject":
            rejection = Rejection(step=number, word=request.POST.get("text", "")[:MAX_WORD])
            return openapi.REJECT.name, lambda caller: run_endpoints.reject(
                conversation_id, run_id=run_id, word=rejection, caller=caller
            )
        case "again":
            return "run_again", lambda caller: _again(conversation_id, run_id=run_id, caller=caller)
    raise Http404


def _approval(request: HttpRequest, *, step: int | None) -> Approval:
    """Read the arguments where the person changed them; text that is no object stays as the model wrote it."""
    sent, before = parsed(request.POST.get("arguments", "")), parsed(request.POST.get("before", ""))
    return Approval(step=step, arguments=sent if isinstance(sent, dict) and sent != before else None)


async def _share(conversation_id: UUID, *, is_shared: bool, caller: Caller) -> Reply:
    if not await history.share(conversation_id, owner_id=caller.owner_id or 0, is_shared=is_shared):
        raise unknown_conversation()
    return success({"isShared": is_shared})


async def _again(conversation_id: str, *, run_id: str, caller: Caller) -> Reply:
    row = await run_endpoints.owned(conversation_id, run_id=run_id, caller=caller)
    if row["state"] in LIVE:
        raise Refusal(CONVERSATION_BUSY, "It is being answered already.", suggestion="Wait for it, or stop it first.")
    again = await run_requests.run_again(row["id"], by_owner=True)
    enqueue(again)
    return success({"id": str(again)})


def _back(request: HttpRequest, *, conversation_id: UUID, name: str, work: Work) -> HttpResponse:
    reply = spoken(request, name=name, work=work)
    if reply.is_refusal:
        messages.error(request, why(reply))
    return redirect("console:conversation", conversation_id=conversation_id)
