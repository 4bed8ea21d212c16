"""
What people do with a conversation: ask, stop, approve, reject, ask again, fork, rename, share, delete.

Each action is a use case of agents, called through the one entry as the person who is logged in.
"""

from collections.abc import Awaitable, Callable
from typing import TypeVar
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from agents import use_cases
from agents.contracts import (
    CALL_CHANGED,
    MAX_DIGEST,
    MAX_MESSAGE,
    MAX_TITLE,
    Approval,
    Fork,
    NewConversation,
    Rejection,
)
from agents.runs.run_caller import find_readable_toolkits
from console.conversations.pages import open_conversation, render_run
from console.tools.result_table import parse_json
from console.unsent_forms import UnsentForm, show_unsent_form
from toolbox.access.people import require_person
from toolbox.contract.caller import Caller
from toolbox.contract.errors import KERNEL_ENVELOPE, Refusal
from toolbox.database import event_loop
from toolbox.dispatch.entry import Operation, Reply, Request, perform
from toolbox.http.django_requests import find_request_id
from toolbox.http.form_submissions import mark_submission
from toolbox.http.pages import TRANSPORT
from toolbox.text.redaction import MaskedText

Result = TypeVar("Result")
Work = Callable[[Caller], Awaitable[object]]
MAX_REASON = 2_000
MAX_AUDITED_TEXT = 4_000
MAX_DIGITS = 9
WRONG_LENGTH = f"Enter a question of at most {MAX_MESSAGE:,} characters."


@require_POST
@login_required
def begin(request: HttpRequest) -> HttpResponse:
    """Start a conversation with its first question."""
    text = _read_question(request)
    if not text:
        return _go_back(request, why=WRONG_LENGTH)
    domains = find_readable_toolkits(require_person(request))
    toolkits = [domain for domain in request.POST.getlist("toolkits") if domain in domains]
    wanted = NewConversation(toolkits=toolkits)
    created = _perform(
        request, use_cases.CREATE, work=lambda caller: use_cases.create_conversation(wanted, caller=caller)
    )
    if isinstance(created, Reply):
        return _keep_question(request, why=_explain(created))
    return _ask(request, conversation_id=created.id, text=text)


@require_POST
@login_required
def say(request: HttpRequest, *, conversation_id: UUID) -> HttpResponse:
    """Ask another question in the conversation."""
    text = _read_question(request)
    if not text:
        return _go_back(request, why=WRONG_LENGTH, conversation_id=conversation_id)
    return _ask(request, conversation_id=conversation_id, text=text)


@require_POST
@login_required
def rename(request: HttpRequest, *, conversation_id: UUID) -> HttpResponse:
    """Rename the conversation."""
    if title := " ".join(request.POST.get("text", "").split())[:MAX_TITLE]:
        renamed = _perform(
            request,
            use_cases.RENAME,
            work=lambda caller: use_cases.rename_conversation(conversation_id, title=title, caller=caller),
        )
        if isinstance(renamed, Reply):
            why = _explain(renamed)
            return _go_back(request, why=why, conversation_id=conversation_id)
    return redirect("console:conversation", conversation_id=conversation_id)


@require_POST
@login_required
def share(request: HttpRequest, *, conversation_id: UUID) -> HttpResponse:
    """Share the conversation with everybody who can log in, or stop sharing it."""
    is_shared = request.POST.get("shared") == "1"
    shared = _perform(
        request,
        use_cases.SHARE,
        work=lambda caller: use_cases.share_conversation(conversation_id, is_shared=is_shared, caller=caller),
    )
    if isinstance(shared, Reply):
        raise Http404
    text = "Everybody who can log in can read it at this address." if is_shared else "Only you can read it now."
    messages.success(request, text)
    return redirect("console:conversation", conversation_id=conversation_id)


@require_POST
@login_required
def fork(request: HttpRequest, *, conversation_id: UUID) -> HttpResponse:
    """Copy the conversation up to a message into a new one; a reader of a shared conversation may fork it too."""
    wanted = Fork(message=max(1, _number(request.POST.get("message", "")) or 1))
    copy = _perform(
        request,
        use_cases.FORK,
        work=lambda caller: use_cases.fork_conversation(
            conversation_id, wanted=wanted, caller=caller, may_be_shared=True
        ),
    )
    if isinstance(copy, Reply):
        why = _explain(copy)
        return _go_back(request, why=why, conversation_id=conversation_id)
    messages.success(request, "This is a copy: what you ask here does not change the original.")
    return redirect("console:conversation", conversation_id=copy.id)


@require_POST
@login_required
def delete(request: HttpRequest, *, conversation_id: UUID) -> HttpResponse:
    """Delete the conversation with all its runs."""
    deleted = _perform(
        request, use_cases.DELETE, work=lambda caller: use_cases.delete_conversation(conversation_id, caller=caller)
    )
    if isinstance(deleted, Reply):
        raise Http404
    messages.success(request, "The conversation is deleted.")
    return redirect("console:ask")


@require_POST
@login_required
def decide(request: HttpRequest, *, conversation_id: UUID, run_id: UUID, word: str) -> HttpResponse:
    """Stop a run, approve or reject its waiting call, or ask its question again."""
    operation, work = _decision(request, conversation_id=conversation_id, run_id=run_id, word=word)
    decided = _perform(request, operation, work=work)
    problem = _explain(decided) if isinstance(decided, Reply) else ""
    if request.headers.get("HX-Request") and word != "again":
        conversation, caller = open_conversation(request, conversation_id=conversation_id)
        return render_run(request, conversation=conversation, caller=caller, run_id=run_id, problem=problem)
    if problem:
        return _go_back(request, why=problem, conversation_id=conversation_id)
    return redirect("console:conversation", conversation_id=conversation_id)


def _decision(request: HttpRequest, *, conversation_id: UUID, run_id: UUID, word: str) -> tuple[Operation, Work]:
    step = _number(request.POST.get("step", ""))
    match word:
        case "cancel":
            return use_cases.CANCEL, lambda caller: use_cases.cancel_run(conversation_id, run_id=run_id, caller=caller)
        case "approve":
            return use_cases.APPROVE, lambda caller: use_cases.approve_step(
                conversation_id, run_id=run_id, approval=_read_approval(request, step=step), caller=caller
            )
        case "reject":
            rejection = Rejection(step=step, word=request.POST.get("text", "")[:MAX_REASON])
            return use_cases.REJECT, lambda caller: use_cases.reject_step(
                conversation_id, run_id=run_id, rejection=rejection, caller=caller
            )
        case "again":
            return use_cases.AGAIN, lambda caller: use_cases.run_again(conversation_id, run_id=run_id, caller=caller)
    raise Http404


def _read_approval(request: HttpRequest, *, step: int | None) -> Approval:
    """
    Read what the person approves: the call that the page showed, by its digest, or arguments that they edited.

    Raises Refusal if the form has no digest, or if the edited arguments are not a JSON object.
    """
    digest = request.POST.get("digest", "")
    if not digest or len(digest) > MAX_DIGEST:
        raise Refusal(CALL_CHANGED, CALL_CHANGED.meaning, suggestion="Reload the page, and decide about what it shows.")
    written, shown = (request.POST.get(name, "").replace("\r\n", "\n").strip() for name in ("arguments", "before"))
    edited = None if written == shown else parse_json(written)
    if written != shown and not isinstance(edited, dict):
        raise Refusal(
            KERNEL_ENVELOPE.bad_input,
            "The arguments that you wrote are no JSON object; nothing was approved.",
            suggestion="Write them as a JSON object, or approve the call as it is shown.",
        )
    return Approval(step=step, arguments=None if edited == parse_json(shown) else edited, digest=digest)


def _ask(request: HttpRequest, *, conversation_id: UUID, text: str) -> HttpResponse:
    posted = _perform(
        request,
        use_cases.POST,
        work=lambda caller: use_cases.post_message(conversation_id, text=text, caller=caller),
    )
    if isinstance(posted, Reply):
        return _keep_question(request, why=_explain(posted))
    return redirect("console:conversation", conversation_id=conversation_id)


def _keep_question(request: HttpRequest, *, why: str) -> HttpResponse:
    """Show the question that was refused, so that it can be sent later."""
    unsent = UnsentForm.find(request)
    return show_unsent_form(request, unsent=unsent, why=why) if unsent else _go_back(request, why=why)


def _read_question(request: HttpRequest) -> str:
    """Return the question, with the value that was chosen for a part of it; "" if there is none or it is too long."""
    text = " ".join((request.POST.get("text", ""), request.POST.get("value", ""))).strip().replace("\r\n", "\n")
    return text if len(text) <= MAX_MESSAGE else ""


def _go_back(request: HttpRequest, *, why: str, conversation_id: UUID | None = None) -> HttpResponse:
    """Redirect to a page that says why nothing was done; the form may be sent again."""
    messages.error(request, why)
    to = reverse("console:conversation", args=[conversation_id]) if conversation_id else reverse("console:ask")
    return mark_submission(redirect(to), is_done=False)


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS else None


def _perform(
    request: HttpRequest, operation: Operation, *, work: Callable[[Caller], Awaitable[Result]]
) -> Result | Reply:
    """Perform an operation as the logged-in person; returns the use case's result, or a refusal."""
    text = request.POST.get("text", "")[:MAX_AUDITED_TEXT]
    called = Request(
        credential=require_person(request),
        transport=TRANSPORT,
        request_id=find_request_id(request),
        arguments=MaskedText(f"{request.path} {text}").encode(),
    )
    return event_loop.run(perform(operation, request=called, work=lambda call: work(call.caller)))


def _explain(refusal: Reply) -> str:
    """Return in one line why the request was refused and what to do."""
    error = refusal.error
    return f"{error.message} {error.suggestion}".strip() if error else "The server refused it."
