"""Response cache: equal queries to an upstream that allows caching, for the time set on its row."""

import hashlib
from collections import OrderedDict
from dataclasses import dataclass, replace

import orjson

from graphql_proxy.execution.responses import Outcome

MAX_BYTES = 33_554_432
"""The cache size of one process, counted in bytes as received."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _CachedOutcome:
    outcome: Outcome
    size: int
    asked_at: float


class ResponseCache:
    """An LRU cache of answers for one process. Times are monotonic seconds, passed in by the caller."""

    def __init__(self, *, most_bytes: int = MAX_BYTES) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._kept: OrderedDict[str, _CachedOutcome] = OrderedDict()

    def find(self, key: str, *, now: float, seconds: int) -> Outcome | None:
        """Return an answer younger than `seconds`, with its age."""
        kept = self._kept.get(key)
        if kept is None or now - kept.asked_at >= seconds:
            return None
        self._kept.move_to_end(key)
        return replace(kept.outcome, age_seconds=int(now - kept.asked_at))

    def keep(self, key: str, *, outcome: Outcome, size: int, now: float) -> None:
        """Store an answer without errors, unless it alone exceeds the capacity."""
        if outcome.errors or size > self._most_bytes // 4:
            return
        self._drop(key)
        self._kept[key] = _CachedOutcome(outcome=outcome, size=size, asked_at=now)
        self._bytes += size
        while self._bytes > self._most_bytes:
            self._drop(next(iter(self._kept)))

    def forget(self) -> None:
        """Clear the cache."""
        self._kept.clear()
        self._bytes = 0

    def _drop(self, key: str) -> None:
        kept = self._kept.pop(key, None)
        self._bytes -= kept.size if kept else 0


def answer_key(body: bytes, *, address: str, upstream_id: int) -> str:
    """Return the cache key of a request: equal bytes to the same row and address have the same key."""
    where = orjson.dumps([upstream_id, address])
    return hashlib.sha256(where + b"\n" + body).hexdigest()
