"""Set the id of every request that Django serves: the caller's own if well-formed, or a new one."""

from collections.abc import Awaitable, Callable

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from toolbox.audit.current_request import current_request
from toolbox.http.headers import read_request_id

Handler = Callable[[HttpRequest], HttpResponseBase | Awaitable[HttpResponseBase]]


class RequestIdMiddleware:
    """Django middleware that sets each request's id and returns it; ASGI middleware before it does the same."""

    sync_capable = async_capable = True

    def __init__(self, get_response: Handler) -> None:
        self._get_response = get_response
        if iscoroutinefunction(get_response):
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        """Serve the request under its id."""
        known = read_request_id(request.headers.get("X-Request-Id", ""))
        request.META["HTTP_X_REQUEST_ID"] = known
        current_request.set(known)
        answer = self._get_response(request)
        return _mark(answer, request_id=known) if isinstance(answer, HttpResponseBase) else _mark_later(answer, known)


async def _mark_later(answer: Awaitable[HttpResponseBase], known: str) -> HttpResponseBase:
    return _mark(await answer, request_id=known)


def _mark(response: HttpResponseBase, *, request_id: str) -> HttpResponseBase:
    response.setdefault("X-Request-Id", request_id)
    return response
