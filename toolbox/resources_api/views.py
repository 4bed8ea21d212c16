"""
Base classes of the domains' resources.

A resource is a model, a serializer, a filter set and the fields it may be ordered by; a ResourceRouter gives the
domain's resources their addresses. Everything is read only; the admin changes rows. Requests pass the one entry
(toolbox.dispatch.entry) before Django REST framework sees them; it admits keys with the domain's read scope, and
logged-in people who have it.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, cast

from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.utils import extend_schema
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.routers import APIRootView, DefaultRouter
from rest_framework.views import APIView, exception_handler
from rest_framework.viewsets import ReadOnlyModelViewSet

from toolbox.access.people import find_person
from toolbox.contract.caller import Caller
from toolbox.contract.errors import (
    KERNEL_ENVELOPE,
    METHOD_NOT_ALLOWED,
    NOT_FOUND,
    DatabaseUnavailable,
    ErrorCode,
    ToolError,
)
from toolbox.database import event_loop
from toolbox.dispatch.entry import ActiveCall, Operation, Outcome, Reply, perform_in_thread
from toolbox.http.django_requests import read_request, to_response
from toolbox.resources_api.access import admit
from toolbox.resources_api.filters import Page, description_of

NOT_ACCEPTABLE = ErrorCode("NOT_ACCEPTABLE", 406, "The resource cannot be had in that format.")

_SUGGESTIONS = {
    KERNEL_ENVELOPE.bad_input: "Fix the parameter; /api/resources/docs lists every filter of a resource.",
    NOT_FOUND: "Follow `next` and `previous` of a page, and ids that a list gave.",
    METHOD_NOT_ALLOWED: "Resources are read with GET; they are changed in the admin.",
    NOT_ACCEPTABLE: "Ask for application/json.",
}
_BY_STATUS = {code.status: code for code in _SUGGESTIONS}


class ThroughEntry(APIView):
    """A view of a `domain` whose requests pass the one entry."""

    domain = "?"

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Answer a caller who may read the domain."""
        basename = getattr(self, "basename", "").removeprefix(f"{self.domain}-")
        name = f"resources/{basename}".rstrip("/")
        operation = Operation(name=name, domain=self.domain, scope=f"{self.domain}:read")

        def work(call: ActiveCall) -> HttpResponseBase:
            admit(request, caller=call.caller)
            try:
                response: Any = super(ThroughEntry, self).dispatch(request, *args, **kwargs)
                response.render()
            except (OperationalError, InterfaceError) as away:
                raise DatabaseUnavailable(str(away)) from away
            code = response.data["error"]["code"] if response.status_code >= KERNEL_ENVELOPE.bad_input.status else ""
            outcome = Outcome.REFUSED if code else Outcome.ANSWERED
            call.note(outcome, status=response.status_code, code=code, answer_bytes=len(response.content))
            return cast(HttpResponseBase, response)

        asked = read_request(request, arguments=request.get_full_path().encode())
        answer = perform_in_thread(operation, request=asked, work=work, find_person=lambda: _find_person(request))
        if isinstance(answer, Reply):
            return to_response(answer, request=request, request_id=asked.request_id)
        return answer


class ReadOnlyResource(ThroughEntry, ReadOnlyModelViewSet[Any]):
    """
    The rows of one model, as a list and one by one. Its domain is the model's app.

    Subclasses state `queryset` (select what the serializer follows), `serializer_class`, `filterset_class`,
    `ordering` and `ordering_fields`; a primary key that is no number needs a `key_form` of its own.
    """

    pagination_class = Page
    lookup_value_regex = "[^/]+"
    key_form = "[0-9]{1,18}"
    ordering_fields: ClassVar[list[str]] = []

    @property
    def domain(self) -> str:  # type: ignore[override]  # read from the model
        """Return the domain whose scope is needed."""
        serializer: Any = self.serializer_class
        return description_of(serializer.Meta.model).app_label

    def get_object(self) -> Any:
        """Return the row; a value that cannot be a key is not found, without a query."""
        if not re.fullmatch(self.key_form, self.kwargs["pk"], re.ASCII):
            raise exceptions.NotFound("There is no such row.")
        return super().get_object()


@extend_schema(exclude=True)
class DomainRoot(ThroughEntry, APIRootView):
    """The addresses of a domain's resources."""


class ResourceRouter(DefaultRouter):
    """Router of one domain's resources; two domains may have resources of the same name."""

    include_format_suffixes = False

    def __init__(self, domain: str) -> None:
        self.domain = domain
        self.root_view_name = f"{domain}-root"
        super().__init__()

    def get_default_basename(self, viewset: Any) -> str:
        """Prefix the routes' names with the domain."""
        return f"{self.domain}-{super().get_default_basename(viewset)}"

    def get_api_root_view(self, api_urls: Any = None) -> Callable[..., Any]:
        """Return the view that lists the resources."""
        names = {prefix: self.routes[0].name.format(basename=basename) for prefix, _, basename in self.registry}
        return DomainRoot.as_view(api_root_dict=names, domain=self.domain)


class KeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """The OpenAPI description of API keys."""

    target_class = "toolbox.resources_api.access.EntryAuthentication"
    name = "key"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        """Return the security scheme."""
        return {"type": "http", "scheme": "bearer"}


def render_error(error: Exception, context: Mapping[str, Any]) -> Response | None:
    """Render a planned error in the kernel's envelope; None leaves others to the entry."""
    response = exception_handler(error, dict(context))
    code = _BY_STATUS.get(response.status_code) if response else None
    if response and code:
        message, details = _describe(error)
        response.data = KERNEL_ENVELOPE.refusal(
            ToolError(code, message, suggestion=_SUGGESTIONS[code], details=details)
        )
    return response


def _describe(error: Exception) -> tuple[str, dict[str, Any]]:
    """Return the message, and for parameters each one's messages."""
    if isinstance(error, exceptions.ValidationError) and isinstance(error.detail, dict):
        fields = {name: [str(reason) for reason in reasons] for name, reasons in error.detail.items()}
        return " ".join(f"{name}: {' '.join(reasons)}" for name, reasons in fields.items()), {"parameters": fields}
    if isinstance(error, Http404):
        return NOT_FOUND.meaning, {}
    return str(getattr(error, "detail", error)), {}


def _find_person(request: HttpRequest) -> Caller | None:
    """Return the logged-in person. Raises DatabaseUnavailable."""
    try:
        user_id = request.user.pk
    except OperationalError as away:
        raise DatabaseUnavailable(str(away)) from away
    return event_loop.run(find_person(user_id)) if user_id else None
