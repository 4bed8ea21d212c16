"""
Error pages: an unavailable database and oversized requests are named as such.

Programs that request an unknown address get JSON.
"""

import sys

from django.core.exceptions import DisallowedHost, RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.defaults import page_not_found, server_error

from toolbox.contract.errors import NOT_FOUND, DatabaseUnavailable, ToolError
from toolbox.dispatch.entry import render_refusal
from toolbox.http.django_requests import find_request_id, to_response

RETRY_SECONDS = 5
FOR_PROGRAMS = ("/api/", "/oauth/", "/.well-known/")
TOO_MUCH = (RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent)


def show_failure(request: HttpRequest) -> HttpResponse:
    """Render the page of a crash; reads nothing from the database."""
    if not _is_away(sys.exc_info()[1]):
        return server_error(request)
    page = render(None, "503.html", status=503)  # without the request, so that no session is read
    page["Retry-After"] = str(RETRY_SECONDS)
    return page


def show_missing(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Render a 404: a page for a person, the kernel's error for a program."""
    if not f"{request.path}/".startswith(FOR_PROGRAMS):
        return page_not_found(request, exception)
    missing = ToolError(NOT_FOUND, NOT_FOUND.meaning, suggestion="/api/docs lists every address of the API.")
    return to_response(render_refusal(missing), request=request, request_id=find_request_id(request))


def show_refusal(_: HttpRequest, exception: Exception) -> HttpResponse:
    """Render a refused request: too large, for another host, or malformed."""
    is_too_much = isinstance(exception, TOO_MUCH)
    said = {"is_too_much": is_too_much, "is_elsewhere": isinstance(exception, DisallowedHost)}
    return render(None, "400.html", said, status=413 if is_too_much else 400)


def _is_away(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, OperationalError | InterfaceError | DatabaseUnavailable):
            return True
        error = error.__cause__
    return False
