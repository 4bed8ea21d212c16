"""
Rate limits of keys and of log-ins: fixed windows, counted in Redis or Valkey where configured.

Without one, each process counts alone.
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
"""How long a shared counter that did not answer is not used, so that calls do not wait for it one by one."""


Result = TypeVar("Result")


class CallLimits:
    """
    Counts the calls of keys that have a limit, and attempts to log in.

    While the shared counter is unavailable, this process counts alone.
    """

    def __init__(self, *, url: str) -> None:
        self._own = FixedWindowRateLimiter(MemoryStorage())
        self._shared = FixedWindowRateLimiter(_shared_storage(url)) if url else None
        self._unavailable_until = 0.0

    @property
    def is_shared(self) -> bool:
        """Tell whether all processes count together."""
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
        """Count one; return 0, or the seconds that are left of a window that was full already."""
        return await self._use_limiter(lambda limiter: _hit(limiter, window, key=key))

    async def clear(self, window: RateLimitItem, *, key: str) -> None:
        """Reset the count."""
        await self._use_limiter(lambda limiter: limiter.clear(window, key))

    async def _use_limiter(self, use: Callable[[FixedWindowRateLimiter], Awaitable[Result]]) -> Result:
        """Use the shared counter where it answers, else this process's own."""
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
    """Connect to the counter; Valkey speaks Redis' protocol, so one client serves both."""
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
