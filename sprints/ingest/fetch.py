"""The HTTP client of one Jira, with retries, rate limits and a time limit."""

import ipaddress
import json
import re
import time
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

import httpx

from sprints.ingest.record import NotReadable

ATTEMPTS = 6
TIMEOUT_SECONDS = 60.0
MAX_WAIT_SECONDS = 300.0
MAX_BODY_BYTES = 256 << 20
TRY_AGAIN = {429, 500, 502, 503, 504}


class NoAnswer(NotReadable):
    """The site did not return the document after all attempts. `status` is the last status, 0 without a response."""

    def __init__(self, reason: str, *, status: int = 0) -> None:
        super().__init__(reason)
        self.status = status


class TimeIsUp(NoAnswer):
    """The time limit of the run is over. What was stored so far is kept."""


def authorization(*, token: str, email: str = "") -> str:
    """Return the Authorization header: e-mail and API token for Cloud, a personal access token for Server."""
    if not token:
        return ""
    return f"Basic {b64encode(f'{email}:{token}'.encode()).decode()}" if email else f"Bearer {token}"


@dataclass(slots=True, kw_only=True)
class JiraClient:
    """
    A polite client of one Jira.

    A 429, a failure of the server, a time-out or a broken connection is asked again up to `attempts` times in all,
    after 1, 2, 4 ... seconds or as long as Retry-After says; nothing is waited for past `most_seconds` of the whole
    run. Redirects are not followed, so that the token goes to no other host. `sleep` and `clock` are for tests.
    """

    site_url: str
    authorization: str = ""
    most_seconds: float = 3_600.0
    attempts: int = ATTEMPTS
    timeout_seconds: float = TIMEOUT_SECONDS
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    _client: httpx.Client = field(init=False)
    _ends_at: float = field(init=False)

    def __post_init__(self) -> None:
        """Open the connection pool."""
        parts = urlsplit(self.site_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise NotReadable(f"{self.site_url!r} is no address as https://example.atlassian.net")
        if self.authorization and parts.scheme == "http" and not _is_here(parts.hostname):
            raise NotReadable("a token is not sent over http:// to another machine; use https://")
        headers = {"User-Agent": "Toolroom-sprints/1", "Accept": "application/json"}
        if self.authorization:
            headers["Authorization"] = self.authorization
        self._client = httpx.Client(timeout=self.timeout_seconds, headers=headers)
        self._ends_at = self.clock() + self.most_seconds

    def __enter__(self) -> Self:
        """Return the client."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Close the connections."""
        self._client.close()

    def get(self, path: str, **parameters: Any) -> Any:
        """Return the JSON at a path, as /rest/api/2/field. Raises NoAnswer, or TimeIsUp at the time limit."""
        reason, status, wait = "", 0, 0.0
        for attempt in range(self.attempts):
            self._wait(wait if attempt else 0.0)
            wait = 2.0**attempt
            try:
                status, headers, body = self._ask(path, parameters)
            except httpx.RequestError as error:
                reason, status = f"{type(error).__name__}: {error}", 0
                continue
            if status == httpx.codes.OK:
                return _json(body)
            reason = _reason(status, headers=headers, body=body)
            if status not in TRY_AGAIN:
                raise NoAnswer(reason, status=status)
            wait = max(wait, _retry_after(headers))
            if wait > MAX_WAIT_SECONDS:
                raise NoAnswer(f"{reason}, and not to be asked again for {wait:.0f} s", status=status)
        raise NoAnswer(f"{reason}, {self.attempts} times", status=status)

    def _wait(self, seconds: float) -> None:
        if self.clock() + seconds >= self._ends_at:
            raise TimeIsUp(f"the {self.most_seconds:.0f} s that the run may take are over")
        if seconds:
            self.sleep(seconds)

    def _ask(self, path: str, parameters: dict[str, Any]) -> tuple[int, httpx.Headers, bytes]:
        body = bytearray()
        given = {name: value for name, value in parameters.items() if value is not None}
        with self._client.stream("GET", self.site_url.rstrip("/") + path, params=given) as answer:
            for part in answer.iter_bytes():
                body += part
                if len(body) > MAX_BODY_BYTES:
                    raise NoAnswer(f"an answer over {MAX_BODY_BYTES >> 20} MB")
        return answer.status_code, answer.headers, bytes(body)


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise NoAnswer(f"an answer that is no JSON ({body[:60]!r})") from error


def _reason(status: int, *, headers: httpx.Headers, body: bytes) -> str:
    """Return the error of the site. Jira has reasons in errorMessages."""
    told = {
        401: "HTTP 401: the token is not accepted",
        403: "HTTP 403: the token may not read this",
        404: "HTTP 404: not there, or not to be seen with this token",
    }
    if status in told:
        return told[status]
    if 300 <= status < 400:  # noqa: PLR2004 - redirects
        return f"HTTP {status}: it redirects to {headers.get('Location', 'no address')[:200]}; give that address"
    try:
        said = json.loads(body)["errorMessages"]
    except (ValueError, KeyError, TypeError):
        return f"HTTP {status}"
    return f"HTTP {status}: {'; '.join(map(str, said))[:300]}"


def _retry_after(headers: httpx.Headers) -> float:
    """Parse Retry-After, in seconds or as a date. 0 if it is missing or malformed."""
    said = headers.get("Retry-After", "").strip()
    if re.fullmatch("[0-9]{1,9}", said):
        return float(said)
    try:
        when = parsedate_to_datetime(said)
    except ValueError:
        return 0.0
    return max(0.0, (when.astimezone(UTC) - datetime.now(UTC)).total_seconds())
