"""HTTP client of the NHL's web API, with a rate limit and retries."""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import Self

import httpx

from linescore.ingest.record import NotReadable

BASE_URL = "https://api-web.nhle.com"
REQUESTS_A_SECOND = 2.0
ATTEMPTS = 5
TIMEOUT_SECONDS = 20.0
MAX_WAIT_SECONDS = 120.0
MAX_BODY_BYTES = 32 << 20
TRY_AGAIN = {429, 500, 502, 503, 504}


class NoAnswer(NotReadable):
    """The server did not return the document within all attempts."""


@dataclass(slots=True, kw_only=True)
class Wire:
    """
    A client of the API with a rate limit and retries.

    It sends at most `requests_a_second`. After a 429, a 5xx, a timeout or a broken connection it retries, up to
    `attempts` requests in all, after 1, 2, 4 ... seconds or as Retry-After says; it gives up if that is longer than two
    minutes. `sleep` and `clock` are for tests.
    """

    base_url: str = BASE_URL
    requests_a_second: float = REQUESTS_A_SECOND
    attempts: int = ATTEMPTS
    timeout_seconds: float = TIMEOUT_SECONDS
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    _client: httpx.Client = field(init=False)
    _free_at: float = field(init=False, default=0.0)

    def __post_init__(self) -> None:
        """Open the client; it reuses connections."""
        self._client = httpx.Client(
            timeout=self.timeout_seconds, follow_redirects=True, headers={"User-Agent": "Toolroom-linescore/1"}
        )

    def __enter__(self) -> Self:
        """Enter the block in which the client is open."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Close the connections."""
        self._client.close()

    def get(self, path: str) -> bytes:
        """Fetch the document at a path such as /v1/score/2025-02-01. Raises NoAnswer, which says why."""
        reason, wait = "", 0.0
        for attempt in range(self.attempts):
            if attempt:
                self.sleep(wait)
            wait = 2.0**attempt
            try:
                status, headers, body = self._ask(path)
            except httpx.RequestError as error:
                reason = f"{type(error).__name__}: {error}"
                continue
            if status == httpx.codes.OK:
                return body
            reason = f"HTTP {status}"
            if status not in TRY_AGAIN:
                raise NoAnswer(reason)
            wait = max(wait, _retry_after(headers))
            if wait > MAX_WAIT_SECONDS:
                raise NoAnswer(f"{reason}, and not to be asked again for {wait:.0f} s")
        raise NoAnswer(f"{reason}, {self.attempts} times")

    def _ask(self, path: str) -> tuple[int, httpx.Headers, bytes]:
        self._wait_for_turn()
        body = bytearray()
        with self._client.stream("GET", self.base_url.rstrip("/") + path) as answer:
            for part in answer.iter_bytes():
                body += part
                if len(body) > MAX_BODY_BYTES:
                    raise NoAnswer(f"an answer over {MAX_BODY_BYTES >> 20} MB")
        return answer.status_code, answer.headers, bytes(body)

    def _wait_for_turn(self) -> None:
        if (early := self._free_at - self.clock()) > 0:
            self.sleep(early)
        self._free_at = self.clock() + 1 / self.requests_a_second


def _retry_after(headers: httpx.Headers) -> float:
    """Parse Retry-After, in seconds or as a date; return 0 if it is missing or invalid."""
    value = headers.get("Retry-After", "").strip()
    if re.fullmatch("[0-9]{1,9}", value):
        return float(value)
    try:
        when = parsedate_to_datetime(value)
    except ValueError:
        return 0.0
    return max(0.0, (when.astimezone(UTC) - datetime.now(UTC)).total_seconds())
