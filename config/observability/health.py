"""
The health of the server's parts: all are checked at once, within a time, at most once in two seconds per process.

What is said of a part names no address, user or error message, because the page is public.
"""

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib import import_module

from django.conf import settings

from config.celery import app
from config.topology.presence import presence, reach_broker
from graphql_proxy.upstreams import KnownUpstream, upstreams
from toolbox.database.caches import SingleFlight, TtlCache
from toolbox.database.event_loop import run_on_loop
from toolbox.database.notifications import notifications
from toolbox.database.pools import owner_pool, reader
from toolbox.database.replicas import ReplicatedPool
from toolbox.outbound.web import Destination, web

logger = logging.getLogger(__name__)

PATIENCE_SECONDS = 2.0
MAX_UPSTREAMS = 20
OPENAI = "https://api.openai.com/v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part by name; `is_up` is None for one that is not configured, which is no fault."""

    name: str
    is_up: bool | None
    is_needed: bool = False
    says: str = ""


PartCheck = Callable[[], Awaitable[str]]
_known: TtlCache[list[Part]] = TtlCache(seconds=PATIENCE_SECONDS)
_under_way: SingleFlight[list[Part]] = SingleFlight()


async def parts() -> list[Part]:
    """Return the state of every part."""
    return await run_on_loop(lambda: _under_way.run("parts", lambda: _known.get("parts", _check_parts)))


def is_ready(parts: list[Part]) -> bool:
    """Return whether every part that is needed answers."""
    return not any(part.is_needed and not part.is_up for part in parts)


async def _check_parts() -> list[Part]:
    """Check all parts at once; only the database is needed (docs/operations.md has what works without the rest)."""
    fixed = await asyncio.gather(
        _part("database", _database, is_needed=True),
        _notifications(),
        _secret_key(),
        _replicas(),
        _part("broker", _broker),
        _part("workers", _workers),
        _model(),
        _language_servers(),
        _upstreams(),
    )
    return [part for found in fixed for part in (found if isinstance(found, list) else [found])]


async def _part(name: str, ask: PartCheck, *, is_needed: bool = False) -> Part:
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            return Part(name=name, is_up=True, is_needed=is_needed, says=await ask())
    except TimeoutError:
        return Part(name=name, is_up=False, is_needed=is_needed, says=f"no answer within {PATIENCE_SECONDS:g} s")
    except Exception as away:  # noqa: BLE001 - any failure means that the part is down
        logger.info("%s is away: %s", name, type(away).__name__)
        return Part(name=name, is_up=False, is_needed=is_needed, says="does not answer")


async def _database() -> str:
    await asyncio.gather(reader.ping(), owner_pool.fetch("SELECT 1 FROM toolbox_api_keys LIMIT 1"))
    return "reader and owner answer"


async def _notifications() -> Part:
    """Return whether NOTIFY arrives in this process; listeners poll meanwhile."""
    says = {None: "not checked yet", True: "arrive", False: "do not arrive; what waits for them polls every 2 s"}
    return Part(name="notifications", is_up=notifications.is_arriving, says=says[notifications.is_arriving])


async def _secret_key() -> Part:
    """Return whether other processes have another key: hosts with their own keys, or a rotation in progress."""
    others = presence.other_secrets
    says = "not compared yet" if others is None else "the same in all processes"
    if others:
        says = f"{others} processes have another; what one signs and encrypts, the other cannot read"
    return Part(name="signing key", is_up=None if others is None else not others, says=says)


async def _replicas() -> list[Part]:
    """Return how many replicas are used; [] if none is configured."""
    if not isinstance(reader, ReplicatedPool):
        return []
    usable, known = reader.list_usable(), reader.replicas
    lags = [one.lag_seconds for one in known if not one.why_away]
    says = f"{len(usable)} of {len(known)} are read; the primary is read for the others"
    if lags and max(lags) < math.inf:
        says += f"; at most {max(lags):.0f} s behind"
    return [Part(name="replicas", is_up=len(usable) == len(known), says=says)]


async def _broker() -> str:
    await asyncio.to_thread(reach_broker)
    return "answers"


async def _workers() -> str:
    replies = await asyncio.to_thread(app.control.broadcast, "ping", reply=True, timeout=1, limit=1)
    if not replies:
        raise LookupError
    return "at least one answers"


async def _model() -> Part:
    if not settings.AGENT_MODEL:
        return Part(name="model", is_up=None, says="none is configured; curated examples answer")
    to = Destination(url=settings.OPENAI_BASE_URL or OPENAI, timeout_seconds=PATIENCE_SECONDS, is_local=True)
    return await _part("model", lambda: _reach(to, body=b""))


async def _language_servers() -> Part | list[Part]:
    """Return which are installed; [] if no installed domain uses any. None installed is no fault."""
    if "devassist" not in settings.INSTALLED_APPS:
        return []
    here = await asyncio.to_thread(import_module("devassist.find_callers").list_installed)
    missing = [name for name, is_here in here.items() if not is_here]
    says = ", ".join(name for name, is_here in here.items() if is_here) or "none"
    says += f"; not installed: {', '.join(missing)} (manage.py install_language_servers)" if missing else ""
    return Part(name="language servers", is_up=True if any(here.values()) else None, says=says)


async def _upstreams() -> list[Part]:
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            known = (await upstreams())[:MAX_UPSTREAMS]
    except Exception:  # noqa: BLE001 - the database is reported by itself
        return []
    return list(await asyncio.gather(*[_part(f"upstream {one.slug}", _make_upstream_check(one)) for one in known]))


def _make_upstream_check(upstream: KnownUpstream) -> PartCheck:
    """Return a check that sends no headers: any HTTP status means that the upstream answers."""
    to = Destination(
        url=upstream.address,
        headers={"Content-Type": "application/json"},
        timeout_seconds=PATIENCE_SECONDS,
        most_bytes=65_536,
        is_local=upstream.is_local,
    )
    return lambda: _reach(to, body=b'{"query":"{__typename}"}')


async def _reach(to: Destination, *, body: bytes) -> str:
    answer = await web.post(to, body=body, is_repeatable=True)
    if answer.status >= 500:  # noqa: PLR2004 - HTTP's own number
        raise ConnectionError
    return "answers"
