"""How often a key may call: a fixed window of a minute, counted in Redis or Valkey where configured, else here."""

import logging
import math
import time

from django.conf import settings
from limits import RateLimitItemPerMinute
from limits.aio.storage import MemoryStorage, Storage
from limits.aio.strategies import FixedWindowRateLimiter
from limits.errors import StorageError
from limits.storage import storage_from_string

from toolbox.callers import Caller
from toolbox.errors import RATE_LIMITED, Refusal

logger = logging.getLogger(__name__)


class CallLimits:
    """Counts the calls of keys that have a limit. When the shared counter is away, this process counts alone."""

    def __init__(self, *, url: str) -> None:
        self._own = FixedWindowRateLimiter(MemoryStorage())
        self._shared = FixedWindowRateLimiter(_shared_storage(url)) if url else None

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
        if self._shared:
            try:
                await self._count(self._shared, window, key=key)
            except StorageError:
                logger.exception("The shared rate limit counter is away; this process counts alone")
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
    storage = storage_from_string(f"async+{url}", wrap_exceptions=True, socket_timeout=1, socket_connect_timeout=1)
    if not isinstance(storage, Storage):
        raise TypeError(f"TOOLROOM_LIMITS_URL does not name a Redis or Valkey: {url.partition(':')[0]}")
    return storage


call_limits = CallLimits(url=settings.TOOLROOM_LIMITS_URL)
