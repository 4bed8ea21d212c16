"""Fixtures for upstreams: rows that are deleted after the test, a server that misbehaves, a small schema."""

import secrets
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import pytest
from django.db import connections

from tests.bad_upstream import BadUpstream, bad_upstream
from toolbox.database.caches import clear_all_caches

MakeUpstream = Callable[..., str]
MakeKey = Callable[..., Any]
Result = TypeVar("Result")


@pytest.fixture(scope="session")
def bad() -> Iterator[BadUpstream]:
    """Run a server that misbehaves as the path says."""
    with bad_upstream() as running:
        yield running


@pytest.fixture
def make_upstream(cast: object, django_db_blocker: Any) -> Iterator[MakeUpstream]:
    """Yield a function that creates upstreams and returns their names; deleted afterwards. `headers` are sealed."""
    from graphql_proxy.execution.execute import response_cache
    from graphql_proxy.models import Upstream, UpstreamHeader
    from graphql_proxy.schema.store import schemas
    from graphql_proxy.secrets import seal

    made: list[int] = []

    def make(address: str, *, headers: dict[str, str] | None = None, sdl: str = "", **options: Any) -> str:
        def rows() -> Upstream:
            usual = {"slug": f"test-{secrets.token_hex(4)}", "is_local": True, "timeout_seconds": 5.0}
            row = Upstream.objects.create(address=address, **usual | options)
            for name, value in (headers or {}).items():
                UpstreamHeader.objects.create(upstream=row, name=name, sealed_value=seal(value))
            if sdl:
                _store(row, sdl)
            return row

        row = in_a_thread(rows)
        made.append(row.pk)
        clear_all_caches()
        return row.slug

    with django_db_blocker.unblock():
        yield make
        Upstream.objects.filter(pk__in=made).delete()
    clear_all_caches()
    schemas.forget()
    response_cache.forget()


def _store(upstream: Any, sdl: str) -> None:
    import hashlib
    from datetime import UTC, datetime

    from graphql_proxy.models import SchemaSnapshot

    digest = hashlib.sha256(sdl.encode()).hexdigest()
    counts = {"query_count": 5, "type_count": 13, "source": "sdl", "taken_at": datetime(2025, 1, 1, tzinfo=UTC)}
    SchemaSnapshot.objects.create(upstream=upstream, version=1, sdl=sdl, digest=digest, **counts)


@pytest.fixture
def make_key(cast: object, django_db_blocker: Any) -> Iterator[MakeKey]:
    """Yield a function that creates reading keys and returns row and key; deleted after the test."""
    made: list[int] = []

    def make(**options: Any) -> Any:
        def rows() -> Any:
            from django.contrib.auth.models import User

            from toolbox.models import ApiKey

            owner = User.objects.get(username="alice")
            usual: dict[str, Any] = {"name": f"key-{secrets.token_hex(4)}", "scopes": ["graphql_proxy:read"]}
            return ApiKey.make(owner_id=owner.pk, **usual | options)

        row, key = in_a_thread(rows)
        made.append(row.pk)
        return row, key

    with django_db_blocker.unblock():
        yield make
        from toolbox.models import ApiKey

        ApiKey.objects.filter(pk__in=made).delete()


@pytest.fixture
def shipped_hints(make_upstream: MakeUpstream) -> None:
    """Load the shipped hints; existing ones are left unchanged."""
    from graphql_proxy.ingest.load import load_hints

    in_a_thread(load_hints)
    clear_all_caches()


def in_a_thread(work: Callable[[], Result]) -> Result:
    """Run what Django refuses in a test with a running loop, and leave no connection behind."""

    def whole() -> Result:
        try:
            return work()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(whole).result()
