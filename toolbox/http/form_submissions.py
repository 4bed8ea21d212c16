"""
A page's form is carried out once: sent again with the same contents, it gets the response of the first time.

Browsers send a form again after a double click, after Enter was pressed twice, and when a response is reloaded. Django
masks the CSRF token anew for each response, so the token and the contents together name one submission of one page:
corrected contents, a page that was loaded again and a second tab are other submissions.

A redirect says that something was done, and is kept; any other response leaves the form to be sent again. A view to
which this does not apply uses `mark_submission`. Responses are stored encrypted: the key is the token, which only the
page has, because a response may show an API key.
"""

import asyncio
import base64
import hashlib
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self, TypeVar

import orjson
import psycopg
from cryptography.fernet import Fernet
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.csrf import CSRF_TOKEN_LENGTH
from django.shortcuts import render

from toolbox.contract.errors import DatabaseUnavailable, StatementTimeout
from toolbox.database import event_loop
from toolbox.database.pools import owner_pool, writer

logger = logging.getLogger(__name__)

AnyResponse = TypeVar("AnyResponse", bound=HttpResponseBase)

KEPT_SECONDS = 3_600
"""A form that is sent again later is carried out again."""
MAX_WAIT_SECONDS = 10.0
POLL_SECONDS = 0.05
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")

_CLAIM = """
INSERT INTO toolbox_form_submissions AS known (id, sent_at, response) VALUES (%(id)s, now(), NULL)
ON CONFLICT (id) DO UPDATE SET sent_at = now(), response = NULL
WHERE known.sent_at < now() - make_interval(secs => %(kept)s)
RETURNING id
"""
_READ = "SELECT response FROM toolbox_form_submissions WHERE id = %s LIMIT 1"
_KEEP = "UPDATE toolbox_form_submissions SET response = %s WHERE id = %s"
_RELEASE = "DELETE FROM toolbox_form_submissions WHERE id = %s"
_DELETE_OLD = "DELETE FROM toolbox_form_submissions WHERE sent_at < now() - make_interval(secs => %s)"


class SubmitOnceMiddleware:
    """
    Django middleware for the forms of people who are logged in.

    It comes after CSRF and authentication, and before messages, whose cookies are kept with the response.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer the request; keep the response of a submission that was carried out."""
        response = self._get_response(request)
        if submission := getattr(request, "claimed_submission", None):
            try:
                event_loop.run(_settle(submission, response=response))
            except (DatabaseUnavailable, StatementTimeout, psycopg.Error):
                logger.exception("the response of a form is not kept: sent again, it waits in vain")
        return response

    def process_view(self, request: HttpRequest, *view: Any) -> HttpResponseBase | None:
        """Claim the submission, or return the response of the request that claimed it."""
        is_form = not getattr(view[0], "csrf_exempt", False) and settings.SESSION_COOKIE_NAME in request.COOKIES
        submission = Submission.find(request) if is_form else None
        if submission is None:
            return None
        try:
            stored = event_loop.run(_claim(submission))
        except (DatabaseUnavailable, StatementTimeout):
            return render(request, "503.html", status=503)
        if stored is not None:
            if not stored:
                return render(request, "409.html", status=409)
            return _read_response(submission.cipher.decrypt(stored))
        request.claimed_submission = submission  # type: ignore[attr-defined]
        return None


def mark_submission(response: AnyResponse, *, is_done: bool) -> AnyResponse:
    """Say whether this response reports that a form was carried out; without this, redirects alone do."""
    response.is_done = is_done  # type: ignore[attr-defined]
    return response


async def forget_old() -> None:
    """Delete the responses that are no longer kept."""
    await writer.run(lambda connection: connection.execute(_DELETE_OLD, [KEPT_SECONDS]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """One page's form with its contents; the cipher reads its response."""

    id: str
    cipher: Fernet

    @classmethod
    def find(cls, request: HttpRequest) -> Self | None:
        """Return the submission in a request; None if nobody is logged in, or if no page of ours sent it."""
        if request.method != "POST" or request.content_type not in _FORMS or not request.user.is_authenticated:
            return None
        token = request.POST.get("csrfmiddlewaretoken", "")
        if len(token) != CSRF_TOKEN_LENGTH:  # a shorter one is the cookie's, the same for all pages
            return None
        files = [(name, file.name, file.size) for name, given in request.FILES.lists() for file in given]
        sent = [request.user.pk, request.get_full_path(), "HX-Request" in request.headers, list(request.POST.lists())]
        return cls(
            id=hashlib.sha256(orjson.dumps([*sent, files])).hexdigest(),
            cipher=Fernet(base64.urlsafe_b64encode(hashlib.sha256(b"response" + token.encode()).digest())),
        )


async def _claim(submission: Submission) -> bytes | None:
    """
    Return None for the request that is to carry the submission out, or the response that is stored for it.

    Waits for a request that carries it out just now; b"" if that has not ended after MAX_WAIT_SECONDS.
    """

    async def claim(connection: Any) -> bool:
        claimed = await connection.execute(_CLAIM, {"id": submission.id, "kept": KEPT_SECONDS})
        return await claimed.fetchone() is not None

    loop = asyncio.get_running_loop()
    until = loop.time() + MAX_WAIT_SECONDS
    while not await writer.run(claim):
        found = (await owner_pool.fetch(_READ, [submission.id])).rows
        if found and found[0]["response"] is not None:
            return bytes(found[0]["response"])
        if loop.time() >= until:
            return b""
        await asyncio.sleep(POLL_SECONDS)
    return None


async def _settle(submission: Submission, *, response: HttpResponseBase) -> None:
    is_done = getattr(response, "is_done", 300 <= response.status_code < 400)  # noqa: PLR2004 - redirects
    if is_done and isinstance(response, HttpResponse):
        stored = submission.cipher.encrypt(_write_response(response))
        await writer.run(lambda connection: connection.execute(_KEEP, [stored, submission.id]))
    else:
        await writer.run(lambda connection: connection.execute(_RELEASE, [submission.id]))


def _write_response(response: HttpResponse) -> bytes:
    cookies = [cookie.OutputString() for cookie in response.cookies.values()]
    head = {"status": response.status_code, "headers": dict(response.headers), "cookies": cookies}
    return orjson.dumps(head) + b"\n" + response.content


def _read_response(stored: bytes) -> HttpResponse:
    head, _, body = stored.partition(b"\n")
    kept = orjson.loads(head)
    response = HttpResponse(body, status=kept["status"], headers=kept["headers"])
    for cookie in kept["cookies"]:
        response.cookies.load(cookie)
    return response
