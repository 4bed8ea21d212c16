"""Requests for pages wait until the addresses are loaded, once for all."""

import asyncio
import threading
from types import SimpleNamespace
from typing import Any

import pytest

from config import pages_application
from config.pages_application import PagesApplication


class Resolver:
    """A resolver whose addresses are there when the test says so."""

    def __init__(self) -> None:
        self.is_asked, self.may_answer, self.times = threading.Event(), threading.Event(), 0
        self.fails = False

    @property
    def url_patterns(self) -> list[object]:
        self.times += 1
        self.is_asked.set()
        assert self.may_answer.wait(10)
        if self.fails:
            raise ImportError("no such page")
        return []


@pytest.fixture
def resolver(monkeypatch: pytest.MonkeyPatch) -> Resolver:
    resolver = Resolver()
    monkeypatch.setattr(pages_application, "get_resolver", lambda: resolver)
    return resolver


@pytest.fixture
def django() -> SimpleNamespace:
    """Stand in for Django: counts what it is asked."""
    counted = SimpleNamespace(requests=0)

    async def answer(*_: Any) -> None:
        counted.requests += 1

    counted.application = PagesApplication(answer)
    return counted


async def test_requests_wait_until_the_addresses_are_loaded_once(django: SimpleNamespace, resolver: Resolver) -> None:
    requests = [asyncio.create_task(django.application({}, None, None)) for _ in range(3)]
    await asyncio.to_thread(resolver.is_asked.wait, 10)  # the loop is free meanwhile

    assert django.requests == 0
    resolver.may_answer.set()
    await asyncio.gather(*requests)
    await django.application({}, None, None)
    assert (django.requests, resolver.times) == (4, 1)


async def test_addresses_that_do_not_load_are_tried_again_by_the_next_request(
    django: SimpleNamespace, resolver: Resolver
) -> None:
    resolver.may_answer.set()
    resolver.fails = True
    with pytest.raises(ImportError):
        await django.application({}, None, None)

    resolver.fails = False
    await django.application({}, None, None)

    assert (django.requests, resolver.times) == (1, 2)
