"""People read their own changes made on pages, also when reads go to replicas."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase

from toolbox.database import event_loop
from toolbox.database.own_writes import mark_written_by

_READS = ("GET", "HEAD", "OPTIONS", "TRACE")


class OwnWritesMiddleware:
    """Django middleware, installed if the reader has replicas; must come after the authentication middleware."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer the request; mark the person if it may have written."""
        response = self._get_response(request)
        if request.method not in _READS and request.user.is_authenticated and request.user.pk is not None:
            event_loop.run(mark_written_by(request.user.pk))
        return response
