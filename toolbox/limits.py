"""How often a key may call: a fixed window of a minute, counted in Redis or Valkey where configured, else here."""

import logging
import math
import time
from typing import cast

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from limits import RateLimitItemPerMinute
from limits.aio.storage import MemoryStorage, Storage
from limits.aio.strategies import FixedWindowRateLimiter
from limits.errors import StorageError
from limits.storage import storage_from_string

from toolbox.callers import Caller
from toolbox.errors import RATE_LIMITED, Refusal

logger = logging.getLogger(__name__)

AWAY_SECONDS = 5.0
"""How long a shared counter that did not answer is left alone, so that calls do not wait for it one by one."""


class CallLimits:
    """Counts the calls of keys that have a limit. When the shared counter is away, this process counts alone."""

    def __init__(self, *, url: str) -> None:
        self._own = FixedWindowRateLimiter(MemoryStorage())
        self._shared = FixedWindowRateLimiter(_shared_storage(url)) if url else None
        self._away_until = 0.0

    @property
    def is_shared(self) -> bool:
        """Tell whether all processes count together."""
        return self._shared is not None

    async def count(self, caller: Caller) -> None:
        """Count one call; raises Refusal RATE_LIMITED with the seconds to wait."""
        if caller.calls_per_minute is None or caller.key_id is None:
            return
        window = RateLimitItemPerMinute(caller.calls_per_minute)
        key = f"toolroom-key-{caller.key_id}"
        if self._shared and time.monotonic() >= self._away_until:
            try:
                await self._count(self._shared, window, key=key)
            except StorageError as away:
                self._away_until = time.monotonic() + AWAY_SECONDS
                logger.warning("The shared rate limit counter is away; this process counts alone: %s", away)
            else:
                return
        await self._count(self._own, window, key=key)

    async def _count(self, limiter: FixedWindowRateLimiter, window: RateLimitItemPerMinute, *, key: str) -> None:
        if await limiter.hit(window, key):
            return
        wait = max(1, math.ceil((await limiter.get_window_stats(window, key)).reset_time - time.time()))
        raise Refusal(
            RATE_LIMITED,
            f"This key may call {window.amount} times a minute, and has.",
            suggestion=f"Wait {wait} s, then call again.",
            retry_after_seconds=wait,
        )


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
