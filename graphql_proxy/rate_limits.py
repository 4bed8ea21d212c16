"""
Rate limits that upstreams state, and how requests respect them.

`read_limits` reads the cost of a request and what is left, from headers, `extensions` and GitHub's `rateLimit`.
`find_refusal` tells whether a response is a refusal for too many requests, and when to come back. `Pacer` remembers
both for each upstream and credential: it slows requests down when little is left, and holds them back when nothing is.
"""

import math
import re
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

MAX_WAIT_SECONDS = 86_400
MAX_PAUSE_SECONDS = 1.0
"""The maximum delay of a request. One that would have to wait longer is refused."""
LITTLE_LEFT = 0.1
"""The share of the quota below which requests are delayed."""
MAX_KEPT = 1_000
DEFAULT_BLOCK_SECONDS = 1.0
"""How long nothing is sent after a refusal without Retry-After."""

_HEADER = re.compile(r"(?P<bucket>(?:x-)?rate-?limit(?:-\w+)*?)-(?P<part>limit|remaining|reset|cost|used)")
_STRUCTURED = re.compile(r"(?:^|[;,\s])(?P<key>r|remaining|t|reset|q|limit)=(?P<value>\d+)")
_PARTS = {"r": "remaining", "t": "reset", "q": "limit"}
_MILLISECONDS, _EPOCH = 1e11, 1e9
"""A reset above these is a time in milliseconds or in seconds. Below, it is the number of seconds left."""
_WORDS = re.compile(rb"(?i)rate.?limit|throttl|too many requests|abuse detection")
_CODES = re.compile(r"(?i)rate.?limit|throttl|too.?many.?requests|max_?cost_?exceeded")
_REFUSALS, _FORBIDDEN, _UNAVAILABLE = 429, 403, 503
MAX_BODY_LOOKED_INTO = 4_096


@dataclass(frozen=True, slots=True, kw_only=True)
class UpstreamLimits:
    """The rate limits that an upstream states. Of several buckets, the one with the least left."""

    cost: float | None = None
    remaining: float | None = None
    limit: float | None = None
    resets_in_seconds: float | None = None
    restores_per_second: float | None = None

    def seconds_until_paid(self) -> float | None:
        """Return how long until the same request can be paid for. None if the upstream does not say."""
        if self.restores_per_second and self.cost is not None and self.remaining is not None:
            return max(self.cost - self.remaining, 0.0) / self.restores_per_second
        return self.resets_in_seconds


def read_limits(headers: Mapping[str, str], *, body: object, now: datetime) -> UpstreamLimits | None:
    """Read the limits that a response states. None if it states none. Malformed values are skipped."""
    now = _date(headers.get("date")) or now
    found = [*_from_headers(headers, now=now), *_from_body(body, now=now)]
    cost = next((one.cost for one in reversed(found) if one.cost is not None), None)
    buckets = [one for one in found if one.remaining is not None]
    if not buckets:
        return UpstreamLimits(cost=cost) if cost is not None else None
    return replace(min(buckets, key=_share_left), cost=cost)


def find_refusal(status: int, *, headers: Mapping[str, str], body: bytes, now: datetime) -> float | None:
    """
    Return the seconds to wait if a response refuses for too many requests, NaN if it does not say how long.

    That is 429, 503 with Retry-After, and a 403 that says so in its headers or its first words. None for all others.
    """
    after = _retry_after(headers, now=_date(headers.get("date")) or now)
    if status == _REFUSALS or (status == _UNAVAILABLE and after is not None):
        return after if after is not None else _until_reset(headers, now=now)
    if status == _FORBIDDEN:
        limits = read_limits(headers, body=None, now=now)
        is_used_up = limits is not None and limits.remaining == 0
        if after is not None or is_used_up or _WORDS.search(body[:MAX_BODY_LOOKED_INTO]):
            return after if after is not None else _until_reset(headers, now=now)
    return None


def is_throttled(body: object) -> bool:
    """Return whether an answer consists only of errors whose codes say that there are too many requests."""
    if not isinstance(body, dict) or not isinstance(body.get("errors"), list) or not body["errors"] or body.get("data"):
        return False
    return all(any(_CODES.search(code) for code in _codes(error)) for error in body["errors"])


@dataclass(slots=True)
class _State:
    limits: UpstreamLimits
    noted_at: float
    blocked_until: float = 0.0

    def estimate_remaining(self, now: float) -> float | None:
        """Return the quota left now, including what was restored since. None if unknown, or after the reset."""
        limits, passed = self.limits, now - self.noted_at
        if limits.remaining is None:
            return None
        if limits.restores_per_second:
            return min(limits.remaining + passed * limits.restores_per_second, limits.limit or math.inf)
        if limits.resets_in_seconds is None or passed >= limits.resets_in_seconds:
            return None
        return limits.remaining

    def seconds_until(self, need: float, now: float) -> float:
        """Return how long until a request can be paid for."""
        limits, left = self.limits, self.estimate_remaining(now)
        if left is None or left >= need:
            return 0.0
        if limits.restores_per_second:
            return (need - left) / limits.restores_per_second
        return max((limits.resets_in_seconds or 0) - (now - self.noted_at), 0.0)


class Pacer:
    """The known limits of upstreams, by credential. Times are monotonic seconds."""

    def __init__(self) -> None:
        self._states: OrderedDict[str, _State] = OrderedDict()

    def seconds_to_wait(self, key: str, *, now: float) -> float:
        """
        Return how long a request should wait: usually 0, up to a second on a low quota, longer on an empty one.

        A request that goes on after a wait of at most MAX_PAUSE_SECONDS is counted as sent.
        """
        state = self._states.get(key)
        if state is None:
            return 0.0
        need = max(state.limits.cost or 1.0, 1.0)
        wait = max(state.blocked_until - now, state.seconds_until(need, now), 0.0)
        left = state.estimate_remaining(now)
        if left is None or wait > MAX_PAUSE_SECONDS:
            return wait
        if state.limits.remaining is not None:
            state.limits = replace(state.limits, remaining=max(state.limits.remaining - need, 0.0))
        if state.limits.limit and left < state.limits.limit * LITTLE_LEFT:
            wait = max(wait, min(self._spread(state, left, need, now), MAX_PAUSE_SECONDS))
        return wait

    def note(self, key: str, *, limits: UpstreamLimits | None, now: float) -> None:
        """Record the limits that a response stated."""
        if limits is not None:
            known = self._states.get(key)
            self._remember(key, _State(limits, now, known.blocked_until if known else 0.0))

    def block(self, key: str, *, seconds: float, now: float) -> None:
        """Record that nothing may be sent for some seconds."""
        state = self._states.get(key) or _State(UpstreamLimits(), now)
        state.blocked_until = now + (DEFAULT_BLOCK_SECONDS if math.isnan(seconds) else min(seconds, MAX_WAIT_SECONDS))
        self._remember(key, state)

    def forget(self) -> None:
        """Clear all limits."""
        self._states.clear()

    def _spread(self, state: _State, left: float, need: float, now: float) -> float:
        """Return the pause that spreads the remaining quota over the time until the reset."""
        if state.limits.restores_per_second:
            return need / state.limits.restores_per_second
        until = (state.limits.resets_in_seconds or 0.0) - (now - state.noted_at)
        return max(until, 0.0) * need / max(left, need)

    def _remember(self, key: str, state: _State) -> None:
        self._states[key] = state
        self._states.move_to_end(key)
        while len(self._states) > MAX_KEPT:
            self._states.popitem(last=False)


def _from_headers(headers: Mapping[str, str], *, now: datetime) -> Iterable[UpstreamLimits]:
    buckets: dict[str, dict[str, float]] = {}
    for name, value in headers.items():
        if name in ("ratelimit", "x-ratelimit"):
            for one in _STRUCTURED.finditer(value):
                key = _PARTS.get(one["key"], one["key"])
                buckets.setdefault(name, {})[key] = float(one["value"])
        elif (found := _HEADER.fullmatch(name)) and (number := _number(value.split(",")[0].split(";")[0])) is not None:
            buckets.setdefault(found["bucket"], {})[found["part"]] = number
    for bucket in buckets.values():
        yield UpstreamLimits(
            cost=bucket.get("cost"),
            remaining=bucket.get("remaining"),
            limit=bucket.get("limit"),
            resets_in_seconds=_seconds_left(bucket.get("reset"), now=now),
        )


def _from_body(body: object, *, now: datetime) -> Iterable[UpstreamLimits]:
    extensions, data = (_dict(_dict(body).get(name)) for name in ("extensions", "data"))
    stated = extensions.get("cost")
    if isinstance(stated, dict):
        throttle = _dict(stated.get("throttleStatus"))
        cost = _number(stated.get("actualQueryCost"))
        yield UpstreamLimits(
            cost=cost if cost is not None else _number(stated.get("requestedQueryCost")),
            remaining=_number(throttle.get("currentlyAvailable")),
            limit=_number(throttle.get("maximumAvailable")),
            restores_per_second=_number(throttle.get("restoreRate")) or None,
        )
    elif (number := _number(stated)) is not None:
        yield UpstreamLimits(cost=number)
    for one in (extensions.get("rateLimit"), data.get("rateLimit")):
        if isinstance(one, dict):
            resets_at = _iso(one.get("resetAt"))
            yield UpstreamLimits(
                cost=_number(one.get("cost")),
                remaining=_number(one.get("remaining")),
                limit=_number(one.get("limit")),
                resets_in_seconds=max((resets_at - now).total_seconds(), 0.0) if resets_at else None,
            )


def _codes(error: object) -> Iterable[str]:
    """Return the codes of an error: graphql-ruby's `type`, and the codes in `extensions`."""
    said = _dict(error)
    extensions = _dict(said.get("extensions"))
    return [str(one) for one in (said.get("type"), extensions.get("code"), extensions.get("type")) if one]


def _share_left(limits: UpstreamLimits) -> float:
    return (limits.remaining or 0.0) / (limits.limit or math.inf) if limits.limit else limits.remaining or 0.0


def _retry_after(headers: Mapping[str, str], *, now: datetime) -> float | None:
    """Read Retry-After in both forms: seconds, or a date."""
    said = headers.get("retry-after", "").strip()
    if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,6})?", said):
        return min(float(said), MAX_WAIT_SECONDS)
    moment = _date(said)
    return min(max((moment - now).total_seconds(), 0.0), MAX_WAIT_SECONDS) if moment else None


def _until_reset(headers: Mapping[str, str], *, now: datetime) -> float:
    limits = read_limits(headers, body=None, now=now)
    seconds = limits.resets_in_seconds if limits and limits.remaining == 0 else None
    return min(seconds, MAX_WAIT_SECONDS) if seconds is not None else math.nan


def _seconds_left(reset: float | None, *, now: datetime) -> float | None:
    if reset is None or reset < _EPOCH:
        return reset
    moment = reset / 1_000 if reset > _MILLISECONDS else reset
    return max(moment - now.timestamp(), 0.0)


def _date(text: str | None) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text) if text else None
    except ValueError:
        return None
    return moment.replace(tzinfo=UTC) if moment and moment.tzinfo is None else moment


def _iso(text: object) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None
    return moment.replace(tzinfo=UTC) if moment and moment.tzinfo is None else moment


def _number(said: object) -> float | None:
    """Read a count. None unless it is a finite number from 0 to 10^15."""
    if isinstance(said, bool) or not isinstance(said, int | float | str):
        return None
    try:
        number = float(said)
    except (ValueError, OverflowError):
        return None
    return number if 0 <= number <= _MOST else None


_MOST = 1e15


def _dict(said: object) -> dict[str, Any]:
    return said if isinstance(said, dict) else {}
