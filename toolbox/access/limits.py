"""
Rate limits of keys and log-ins: fixed windows, counted in Redis or Valkey if configured.

Without one, each process counts on its own.
"""

import logging
import math
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar, cast

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from limits import RateLimitItem, RateLimitItemPerMinute
from limits.aio.storage import MemoryStorage, Storage
from limits.aio.strategies import FixedWindowRateLimiter
from limits.errors import StorageError
from limits.storage import storage_from_string

from toolbox.contract.caller import Caller
from toolbox.contract.errors import RATE_LIMITED, Refusal

logger = logging.getLogger(__name__)

PAUSE_SECONDS = 5.0
"""After an error, how long the shared counter is not tried, so that calls do not each wait for it."""


Result = TypeVar("Result")


class CallLimits:
    """
    Counter of calls by keys with a limit, and of log-in attempts.

    While the shared counter is unavailable, this process counts on its own.
    """

    def __init__(self, *, url: str) -> None:
        self._own = FixedWindowRateLimiter(MemoryStorage())
        self._shared = FixedWindowRateLimiter(_shared_storage(url)) if url else None
        self._unavailable_until = 0.0

    @property
    def is_shared(self) -> bool:
        """Return whether all processes share one counter."""
        return self._shared is not None

    async def count(self, caller: Caller) -> None:
        """Count one call; raises Refusal RATE_LIMITED with the seconds to wait."""
        if caller.calls_per_minute is None or caller.key_id is None:
            return
        window = RateLimitItemPerMinute(caller.calls_per_minute)
        if wait := await self.hit(window, key=f"toolroom-key-{caller.key_id}"):
            raise Refusal(
                RATE_LIMITED,
                f"This key may call {window.amount} times a minute, and has.",
                suggestion=f"Wait {wait} s, then call again.",
                retry_after_seconds=wait,
            )

    async def hit(self, window: RateLimitItem, *, key: str) -> int:
        """Count one hit; return 0, or the seconds until the window resets if it was full already."""
        return await self._use_limiter(lambda limiter: _hit(limiter, window, key=key))

    async def clear(self, window: RateLimitItem, *, key: str) -> None:
        """Reset the count."""
        await self._use_limiter(lambda limiter: limiter.clear(window, key))

    async def _use_limiter(self, use: Callable[[FixedWindowRateLimiter], Awaitable[Result]]) -> Result:
        """Use the shared counter if it answers, otherwise this process's own."""
        if self._shared and time.monotonic() >= self._unavailable_until:
            try:
                return await use(self._shared)
            except StorageError as away:
                self._unavailable_until = time.monotonic() + PAUSE_SECONDS
                logger.warning("The shared rate limit counter is away; this process counts alone: %s", away)
        return await use(self._own)


async def _hit(limiter: FixedWindowRateLimiter, window: RateLimitItem, *, key: str) -> int:
    if await limiter.hit(window, key):
        return 0
    return max(1, math.ceil((await limiter.get_window_stats(window, key)).reset_time - time.time()))


def _shared_storage(url: str) -> Storage:
    """Connect to the counter. Valkey speaks the Redis protocol, so one client serves both."""
    scheme, _, address = url.partition("://")
    if scheme not in ("redis", "rediss", "valkey", "valkeys"):
        raise ImproperlyConfigured("TOOLROOM_LIMITS_URL must be a redis://, rediss://, valkey:// or valkeys:// address")
    storage = storage_from_string(
        f"async+{scheme.replace('valkey', 'redis')}://{address}",
        implementation="redispy",
        wrap_exceptions=True,
        socket_timeout=1,
        socket_connect_timeout=1,
    )
    return cast(Storage, storage)


call_limits = CallLimits(url=settings.TOOLROOM_LIMITS_URL)
