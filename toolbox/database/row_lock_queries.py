"""Locks on rows that are about to be deleted with what depends on them."""

from collections.abc import Iterable
from typing import Any

from django.db.models import Model


def lock_rows(model: type[Model], *, keys: Iterable[Any], using: str | None = None) -> None:
    """
    Lock rows until the transaction ends; call it before Django collects what depends on them.

    Work that writes dependent rows locks their parent first. Then a deletion waits for such work and deletes what it
    wrote; without the lock it would not see it and be refused, or each would wait for the other.
    """
    rows = model._base_manager.using(using).filter(pk__in=list(keys))  # noqa: SLF001 - Django's own name for every row
    list(rows.order_by("pk").select_for_update().values_list("pk"))
