"""Storing of workspaces."""

from collections.abc import Mapping, Sequence

from django.db import transaction
from django.db.models import Q

from devassist.models import Workspace
from toolbox.models import ApiKey


class NoSuchKey(Exception):
    """No active key has that name or prefix, or several have."""


@transaction.atomic
def add_workspace(name: str, *, columns: Mapping[str, object], keys: Sequence[str] = ()) -> tuple[Workspace, bool]:
    """
    Add or change a workspace and open it to keys by name or prefix. Keys that see it keep their access.

    Raises NoSuchKey, and ValidationError for what the admin would refuse.
    """
    row = Workspace.objects.filter(name=name).first() or Workspace(name=name)
    is_new = row.pk is None
    for column, value in columns.items():
        setattr(row, column, value)
    row.full_clean()
    row.save()
    row.keys.add(*(_key(named) for named in keys))
    return row, is_new


def ensure_workspace(name: str, *, root: str, is_open: bool = False, is_default: bool = False) -> bool:
    """Add a workspace unless its name exists, since a curator may have changed it. Returns True if it was added."""
    wanted = is_default and not Workspace.objects.filter(is_default=True).exists()
    _, is_new = Workspace.objects.get_or_create(
        name=name, defaults={"root": root, "is_open": is_open, "is_default": wanted}
    )
    return is_new


def set_root(name: str, *, root: str) -> None:
    """Update the root of a shipped workspace, since a clone may have been moved."""
    Workspace.objects.filter(name=name).exclude(root=root).update(root=root)


def give_workspace(name: str, *, key_digest: str) -> None:
    """Let a key see a workspace."""
    for row in Workspace.objects.filter(name=name):
        row.keys.add(*ApiKey.objects.filter(digest=key_digest))


def _key(named: str) -> ApiKey:
    found = ApiKey.objects.filter(Q(name=named) | Q(start=named), revoked_at=None)[:2]
    if len(found) != 1:
        raise NoSuchKey(named)
    return found[0]
