"""Pages through the one entry: each view writes an audit row, also when it refuses or crashes."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render

from toolbox.access.people import require_person
from toolbox.contract.errors import FORBIDDEN, ErrorCode, Refusal, ScopeMissing
from toolbox.dispatch.entry import ActiveCall, Operation, Reply, Request, perform_in_thread
from toolbox.http.django_requests import find_request_id

TRANSPORT = "console"
NOT_FOUND = ErrorCode("NOT_FOUND", 404, "There is no such page, or it is another person's.")

Rest = ParamSpec("Rest")
View = Callable[Concatenate[HttpRequest, Rest], HttpResponseBase]


def require_scope(*, scope: str) -> Callable[[View[Rest]], View[Rest]]:
    """Restrict a domain's page to people with this scope; others are sent to log in or told what they lack."""
    return page(domain=scope.partition(":")[0], scope=scope)


def page(*, domain: str, scope: str | None = None, writes: bool = False) -> Callable[[View[Rest]], View[Rest]]:
    """
    Run a view through the one entry as the logged-in person; others are sent to log in.

    The view's exceptions reach Django's error pages. A form that calls a tool or a use case of agents does not need
    this: that call passes the entry itself.
    """

    def guard(view: View[Rest]) -> View[Rest]:
        operation = Operation(
            name=f"page_{view.__name__}", domain=domain, scope=scope, deadline_seconds=None, writes=writes
        )

        @wraps(view)
        def perform_page(request: HttpRequest, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponseBase:
            raised: list[Exception] = []

            def render_page(_: ActiveCall) -> HttpResponseBase:
                try:
                    return view(request, *args, **kwargs)
                except Http404 as error:
                    raised.append(error)
                    raise Refusal(NOT_FOUND, "There is no such page.", suggestion="") from error
                except PermissionDenied as error:
                    raised.append(error)
                    raise Refusal(FORBIDDEN, str(error), suggestion="") from error
                except Exception as error:
                    raised.append(error)
                    raise

            called = Request(
                credential=require_person(request),
                transport=TRANSPORT,
                request_id=find_request_id(request),
                arguments=request.get_full_path().encode(),
            )
            response = perform_in_thread(operation, request=called, work=render_page)
            if raised:
                raise raised[0]
            if isinstance(response, Reply):
                if isinstance(response.error, ScopeMissing):
                    raise PermissionDenied(
                        f"This page requires the right {scope}. Ask an administrator to add you to its group."
                    )
                return render(request, "503.html", status=response.status)
            return response

        return login_required(perform_page)

    return guard
