"""The page where a request failed: that the database is away is said as such, with 503."""

import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.defaults import server_error

from toolbox.errors import DatabaseUnavailable

RETRY_SECONDS = 5


def failed(request: HttpRequest) -> HttpResponse:
    """Answer whoever asked for a page that could not be made; reads nothing from the database."""
    if not _is_away(sys.exc_info()[1]):
        return server_error(request)
    page = render(None, "503.html", status=503)  # without the request: nobody's session is read
    page["Retry-After"] = str(RETRY_SECONDS)
    return page


def _is_away(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, OperationalError | InterfaceError | DatabaseUnavailable):
            return True
        error = error.__cause__
    return False
