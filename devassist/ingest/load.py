"""Workspaces into the table."""

from devassist.models import Workspace


def ensure_workspace(name: str, *, root: str, is_open: bool = False, is_default: bool = False) -> bool:
    """Add a workspace unless one of that name is there, which a curator may have changed; True where it was added."""
    wanted = is_default and not Workspace.objects.filter(is_default=True).exists()
    _, is_new = Workspace.objects.get_or_create(
        name=name, defaults={"root": root, "is_open": is_open, "is_default": wanted}
    )
    return is_new


def move_workspace(name: str, *, root: str) -> None:
    """Tell where a shipped workspace lies now: a clone may have been moved."""
    Workspace.objects.filter(name=name).exclude(root=root).update(root=root)
