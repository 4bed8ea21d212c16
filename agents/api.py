"""
REST endpoints of conversations: `/api/agents/conversations…`.

Each endpoint reads its input, calls one use case through the one entry, and encodes its result. Every other address and
method below `/api/agents` is refused in the kernel's envelope.
"""

import inspect
import re
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase, StreamingHttpResponse
from ninja import Router
from pydantic import BaseModel, TypeAdapter

from agents import contracts, use_cases
from agents.contracts import Approval, Fork, NewConversation, NewMessage, Rejection, Rename
from agents.event_stream import CONTENT_TYPE, EVENTS_DESCRIPTION, HEADERS, EventStream, open_stream
from agents.queries import conversations
from toolbox.contract.caller import Caller
from toolbox.contract.encoding import encode
from toolbox.contract.errors import ErrorCode, Refusal
from toolbox.contract.json_schema import make_output_schema
from toolbox.dispatch.entry import Operation, Reply, Request, perform, render_refusal
from toolbox.dispatch.request_body import Form, Read, address_openapi
from toolbox.http.django_requests import find_request_id, read_body, read_request, to_response

router = Router()

CREATE_FORM = Form(question=NewConversation, example=NewConversation(toolkits=["linescore"], max_steps=12))
RENAME_FORM = Form(question=Rename, example=Rename(title="Carolina in February"))
FORK_FORM = Form(question=Fork, example=Fork(message=2))
MESSAGE_FORM = Form(question=NewMessage, example=NewMessage(text="How did Carolina do in February 2025?"))
APPROVAL_FORM = Form(question=Approval, example=Approval())
REJECTION_FORM = Form(question=Rejection, example=Rejection(word="Not that run."))

_METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")
_ONE = "/conversations/{conversation_id}"
_RUN = _ONE + "/runs/{run_id}"
_RUN_ERRORS = (contracts.UNKNOWN_CONVERSATION, contracts.UNKNOWN_RUN)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Input:
    """A request to an endpoint: the caller, the body, and the parts of the path."""

    http: HttpRequest
    request: Request
    caller: Caller
    body: bytes | None
    path: dict[str, str]

    @property
    def conversation_id(self) -> UUID:
        return use_cases.parse_conversation_id(self.path["conversation_id"])

    @property
    def run_id(self) -> UUID:
        return use_cases.parse_run_id(self.path["run_id"])

    @property
    def number(self) -> int:
        """Return the number of a step; 0, which no step has, if it is not a number."""
        sent = self.path["number"]
        return int(sent) if sent.isascii() and sent.isdigit() and len(sent) < len(str(use_cases.MAX_NUMBER)) else 0

    def read_body(self, form: Form[Read]) -> Read:
        return form.parse(self.body)

    def read_number(self, name: str, *, default: int, maximum: int, minimum: int = 1) -> int:
        """Return a number from the query string."""
        sent = self.http.GET.get(name, "")
        return use_cases.parse_number(sent, name=name, default=default, maximum=maximum, minimum=minimum)


Handler = Callable[[_Input], Awaitable[BaseModel | EventStream | None]]


def _endpoint(
    method: str,
    path: str,
    operation: Operation,
    *,
    summary: str,
    status: int = 200,
    answer: type[BaseModel] | None = None,
    form: Form[Any] | None = None,
    description: str = "",
    parameters: tuple[tuple[str, str], ...] = (),
    errors: tuple[ErrorCode, ...] = (contracts.UNKNOWN_CONVERSATION,),
) -> Callable[[Handler], Handler]:
    """Register a handler at an address, with its OpenAPI description."""
    openapi = address_openapi(form=form, answers={status: make_output_schema(TypeAdapter(answer)) if answer else {}},
                              errors=errors)  # fmt: skip
    if parameters:
        openapi["parameters"] = [
            {"name": name, "in": "query", "required": False, "description": text, "schema": {"type": "string"}}
            for name, text in parameters
        ]
    if operation is use_cases.EVENTS:
        content = {CONTENT_TYPE: {"schema": {"type": "string"}}}
        openapi["responses"][200] = {"description": "The stream.", "content": content}

    def register(handle: Handler) -> Handler:
        async def view(request: HttpRequest, **ids: str) -> HttpResponseBase:
            return await _respond(request, operation=operation, status=status, path=ids, handle=handle)

        router.add_api_operation(
            path, [method], _declare_path_parameters(view, path=path), auth=None, tags=["agents"],
            operation_id=operation.name, summary=summary, description=description.strip() or f"{summary}.",
            openapi_extra=openapi, response=None,
        )  # fmt: skip
        return handle

    return register


async def _respond(
    http: HttpRequest, *, operation: Operation, status: int, path: dict[str, str], handle: Handler
) -> HttpResponseBase:
    body = read_body(http)
    request = read_request(http, arguments=http.path.encode("utf-8", "replace") + (b" " + body if body else b""))
    if http.method == "GET":  # the session only counts for GET: a form of another site would send it too
        request.session = http.COOKIES.get(settings.SESSION_COOKIE_NAME, "")

    async def answer(caller: Caller) -> EventStream | Reply:
        given = await handle(_Input(http=http, request=request, caller=caller, body=body, path=path))
        if isinstance(given, EventStream):
            return given
        return Reply(body=b"" if given is None else encode(given), status=status)

    reply = await perform(operation, request=request, work=lambda call: answer(call.caller))
    if isinstance(reply, EventStream):
        return StreamingHttpResponse(reply.pieces(), content_type=CONTENT_TYPE, headers=HEADERS)
    return to_response(reply, request=http, request_id=request.request_id)


def _declare_path_parameters(view: Callable[..., Any], *, path: str) -> Callable[..., Any]:
    """Set the view's signature from which django-ninja reads the parameters of its path."""
    names = [part.rpartition(":")[2] for part in re.findall(r"\{([^}]+)\}", path)]
    request = inspect.Parameter("request", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=HttpRequest)
    parts = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=str) for name in names]
    view.__signature__ = inspect.Signature([request, *parts])  # type: ignore[attr-defined]
    return view


@_endpoint("POST", "/conversations", use_cases.CREATE, summary="Begin a conversation", status=201,
           answer=contracts.ConversationAnswer, form=CREATE_FORM, errors=())  # fmt: skip
async def _create(sent: _Input) -> BaseModel:
    return await use_cases.create_conversation(sent.read_body(CREATE_FORM), caller=sent.caller)


@_endpoint("GET", "/conversations", use_cases.LIST, summary="List your conversations", answer=contracts.Conversations,
           errors=(), parameters=(("before", "`next` of the page before."),
                                  ("limit", "How many at most; 50 where not given.")))  # fmt: skip
async def _list(sent: _Input) -> BaseModel:
    limit = sent.read_number("limit", default=50, maximum=conversations.MAX_LISTED)
    before = use_cases.parse_moment(sent.http.GET.get("before", ""))
    return await use_cases.list_conversations(caller=sent.caller, before=before, limit=limit)


@_endpoint("GET", _ONE, use_cases.SHOW, summary="Show a conversation", answer=contracts.ConversationAnswer)
async def _show(sent: _Input) -> BaseModel:
    return await use_cases.show_conversation(sent.conversation_id, caller=sent.caller)


@_endpoint("PATCH", _ONE, use_cases.RENAME, summary="Rename a conversation", answer=contracts.ConversationAnswer,
           form=RENAME_FORM)  # fmt: skip
async def _rename(sent: _Input) -> BaseModel:
    title = sent.read_body(RENAME_FORM).title
    return await use_cases.rename_conversation(sent.conversation_id, title=title, caller=sent.caller)


@_endpoint("DELETE", _ONE, use_cases.DELETE, summary="Delete a conversation and its runs", status=204)
async def _delete(sent: _Input) -> None:
    await use_cases.delete_conversation(sent.conversation_id, caller=sent.caller)


@_endpoint("POST", _ONE + "/fork", use_cases.FORK, summary="Fork a conversation from a message", status=201,
           answer=contracts.ConversationAnswer, form=FORK_FORM,
           errors=(contracts.UNKNOWN_CONVERSATION, contracts.UNKNOWN_MESSAGE))  # fmt: skip
async def _fork(sent: _Input) -> BaseModel:
    wanted = sent.read_body(FORK_FORM)
    return await use_cases.fork_conversation(sent.conversation_id, wanted=wanted, caller=sent.caller)


@_endpoint("GET", _ONE + "/messages", use_cases.MESSAGES, summary="Read a conversation's messages",
           answer=contracts.Messages, parameters=(("after", "`next` of the page before."),
                                                  ("limit", "How many at most; 200 where not given.")))  # fmt: skip
async def _list_messages(sent: _Input) -> BaseModel:
    after = sent.read_number("after", default=0, maximum=use_cases.MAX_NUMBER, minimum=0)
    limit = sent.read_number("limit", default=200, maximum=conversations.MAX_MESSAGES)
    return await use_cases.list_messages(sent.conversation_id, caller=sent.caller, after=after, limit=limit)


@_endpoint("POST", _ONE + "/messages", use_cases.POST, summary="Say something, to be answered", status=202,
           answer=contracts.AcceptedMessage, form=MESSAGE_FORM,
           description="The message is stored and a run is queued; a worker answers it. "
           "Its events come as they happen.",
           errors=(contracts.UNKNOWN_CONVERSATION, contracts.CONVERSATION_BUSY))  # fmt: skip
async def _post_message(sent: _Input) -> BaseModel:
    text = sent.read_body(MESSAGE_FORM).text
    return await use_cases.post_message(sent.conversation_id, text=text, caller=sent.caller)


@_endpoint("GET", _RUN, use_cases.RUN, summary="See where a run stands", answer=contracts.RunAnswer,
           errors=_RUN_ERRORS)  # fmt: skip
async def _show_run(sent: _Input) -> BaseModel:
    return await use_cases.show_run(sent.conversation_id, run_id=sent.run_id, caller=sent.caller)


@_endpoint("GET", _RUN + "/steps/{number}", use_cases.STEP, summary="Read the whole answer of a step",
           answer=contracts.WholeStep, errors=(*_RUN_ERRORS, contracts.UNKNOWN_STEP))  # fmt: skip
async def _show_step(sent: _Input) -> BaseModel:
    run_id = sent.run_id
    return await use_cases.show_step(sent.conversation_id, run_id=run_id, number=sent.number, caller=sent.caller)


@_endpoint("GET", _RUN + "/events", use_cases.EVENTS, summary="Watch a run", description=EVENTS_DESCRIPTION,
           errors=_RUN_ERRORS,
           parameters=(("after", "Begin after this event; Last-Event-ID goes first."),))  # fmt: skip
async def _stream_events(sent: _Input) -> EventStream:
    last, after = sent.http.headers.get("Last-Event-ID", ""), sent.http.GET.get("after", "")
    return await open_stream(
        sent.conversation_id, run_id=sent.run_id, last=last, after=after, request=sent.request, caller=sent.caller
    )


@_endpoint("POST", _RUN + "/cancel", use_cases.CANCEL, summary="Stop a run", answer=contracts.Cancellation,
           description="Takes effect at once, wherever the run stands; "
           "a tool's statement is cancelled in the database.",
           errors=(*_RUN_ERRORS, contracts.RUN_OVER))  # fmt: skip
async def _cancel(sent: _Input) -> BaseModel:
    return await use_cases.cancel_run(sent.conversation_id, run_id=sent.run_id, caller=sent.caller)


@_endpoint("POST", _RUN + "/approve", use_cases.APPROVE, summary="Approve a call that waits", answer=contracts.Decision,
           form=APPROVAL_FORM, errors=(*_RUN_ERRORS, contracts.NOT_AWAITING, contracts.CALL_CHANGED))  # fmt: skip
async def _approve(sent: _Input) -> BaseModel:
    approval = sent.read_body(APPROVAL_FORM)
    return await use_cases.approve_step(sent.conversation_id, run_id=sent.run_id, approval=approval, caller=sent.caller)


@_endpoint("POST", _RUN + "/reject", use_cases.REJECT, summary="Reject a call that waits", answer=contracts.Decision,
           form=REJECTION_FORM, errors=(*_RUN_ERRORS, contracts.NOT_AWAITING))  # fmt: skip
async def _reject(sent: _Input) -> BaseModel:
    rejection = sent.read_body(REJECTION_FORM)
    return await use_cases.reject_step(
        sent.conversation_id, run_id=sent.run_id, rejection=rejection, caller=sent.caller
    )


def _refuse_everything_else(router: Router) -> None:
    """Refuse the other methods of every address with 405, and every other address with 404."""
    hidden: dict[str, Any] = {"auth": None, "include_in_schema": False}
    for path, view in list(router.path_operations.items()):
        allowed = sorted({method for operation in view.operations for method in operation.methods})
        others = [method for method in _METHODS if method not in allowed]
        router.add_api_operation(path, others, _declare_path_parameters(_refuse_method(allowed), path=path), **hidden)
    for path in ("/", "/{path:rest}"):
        router.add_api_operation(path, list(_METHODS), _declare_path_parameters(_refuse_address(), path=path), **hidden)


def _refuse_address() -> Callable[..., HttpResponse]:
    def view(request: HttpRequest, **_: str) -> HttpResponse:
        refusal = Refusal(
            contracts.UNKNOWN_ADDRESS,
            "There is no such address of conversations.",
            suggestion="Begin at /api/agents/conversations; /api/docs shows every address.",
        )
        return to_response(render_refusal(refusal), request=request, request_id=find_request_id(request))

    return view


def _refuse_method(allowed: Iterable[str]) -> Callable[..., HttpResponse]:
    methods = ", ".join(allowed)

    def view(request: HttpRequest, **_: str) -> HttpResponse:
        message = f"This address takes {methods}, and not {request.method}."
        refusal = Refusal(contracts.WRONG_METHOD, message, suggestion=f"Use {methods.replace(', ', ' or ')}.")
        response = to_response(render_refusal(refusal), request=request, request_id=find_request_id(request))
        response["Allow"] = methods
        return response

    return view


_refuse_everything_else(router)
