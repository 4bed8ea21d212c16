"""Fixtures for workspaces and keys: rows and folders that are deleted after the test."""

import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.graphql_proxy.conftest import in_a_thread
from toolbox.database.caches import clear_all_caches

MakeWorkspace = Callable[..., str]
MakeReader = Callable[..., Any]


@pytest.fixture
def make_workspace(cast: object, django_db_blocker: Any) -> Iterator[MakeWorkspace]:
    """Yield a function that creates workspaces, closed by default, and returns their names."""
    from devassist.models import Workspace

    made: list[int] = []

    def make(root: Path | str, *, keys: tuple[Any, ...] = (), **options: Any) -> str:
        def rows() -> Workspace:
            row = Workspace.objects.create(**{"name": f"test-{secrets.token_hex(4)}", "root": str(root)} | options)
            row.keys.set(keys)
            return row

        row = in_a_thread(rows)
        made.append(row.pk)
        clear_all_caches()
        return row.name

    with django_db_blocker.unblock():
        yield make
        Workspace.objects.filter(pk__in=made).delete()
    clear_all_caches()


@pytest.fixture
def make_reader(cast: object, django_db_blocker: Any) -> Iterator[MakeReader]:
    """Yield a function that creates keys that read this domain, and returns row and key; deleted after the test."""
    from django.contrib.auth.models import User

    from toolbox.models import ApiKey

    made: list[int] = []

    def make(*, owner: str = "alice", **options: Any) -> Any:
        def rows() -> Any:
            usual: dict[str, Any] = {"name": f"key-{secrets.token_hex(4)}", "scopes": ["devassist:read"]}
            return ApiKey.make(owner_id=User.objects.get(username=owner).pk, **usual | options)

        row, key = in_a_thread(rows)
        made.append(row.pk)
        return row, key

    with django_db_blocker.unblock():
        yield make
        ApiKey.objects.filter(pk__in=made).delete()
    clear_all_caches()
