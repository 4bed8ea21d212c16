"""What asks for no address of conversations, or by a wrong method, is refused in the kernel's form too."""

import inspect
import re
from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router

from agents.contracts import UNKNOWN_ADDRESS, WRONG_METHOD
from agents.rest.replies import refusal_reply, response_of
from toolbox.contract.errors import Refusal
from toolbox.http.headers import read_request_id

METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")
View = Callable[[HttpRequest], HttpResponse]

_PART = re.compile(r"\{([^}]+)\}")
_HIDDEN: dict[str, Any] = {"auth": None, "include_in_schema": False}


def refuse_the_rest(router: Router) -> None:
    """Give every address of the router an answer to its other methods, and every other address one."""
    for address, view in list(router.path_operations.items()):
        allowed = sorted({method for operation in view.operations for method in operation.methods})
        others = [method for method in METHODS if method not in allowed]
        router.add_api_operation(address, others, _taking_parts(_wrong_method(allowed), of=address), **_HIDDEN)
    for address in ("/", "/{path:rest}"):
        router.add_api_operation(address, list(METHODS), _taking_parts(_no_address, of=address), **_HIDDEN)


def _taking_parts(view: View, *, of: str) -> View:
    """Have the view declare the address's parts, which django-ninja looks for in its signature."""

    def taking(request: HttpRequest, **_: str) -> HttpResponse:
        return view(request)

    own = inspect.Parameter("request", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=HttpRequest)
    names = [part.rpartition(":")[2] for part in _PART.findall(of)]
    parts = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=str) for name in names]
    taking.__signature__ = inspect.Signature([own, *parts])  # type: ignore[attr-defined]
    return taking


def _no_address(request: HttpRequest) -> HttpResponse:
    refusal = Refusal(
        UNKNOWN_ADDRESS,
        "There is no such address of conversations.",
        suggestion="Begin at /api/agents/conversations; /api/docs shows every address.",
    )
    return _refused(request, refusal)


def _wrong_method(allowed: list[str]) -> View:
    methods = ", ".join(allowed)

    def refuse(request: HttpRequest) -> HttpResponse:
        message = f"This address takes {methods}, and not {request.method}."
        refused = _refused(request, Refusal(WRONG_METHOD, message, suggestion=f"Use {' or '.join(allowed)}."))
        refused["Allow"] = methods
        return refused

    return refuse


def _refused(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    return response_of(refusal_reply(refusal), request_id=read_request_id(request.headers.get("X-Request-Id", "")))
