"""Queries of the console on Django's own tables."""

from django.contrib.auth.models import User

_MAX_ID = 2**31 - 1


def find_active_user(user_id: int) -> User | None:
    """Return a user who may log in, by id."""
    if not 0 < user_id <= _MAX_ID:
        return None
    return User.objects.filter(pk=user_id, is_active=True).first()


def find_active_user_by_name(name: str) -> User | None:
    """Return a user who may log in, by name."""
    return User.objects.filter(username=name, is_active=True).first()


def list_superusers() -> list[User]:
    """Return the first two active superusers: enough to see whether there is exactly one."""
    return list(User.objects.filter(is_superuser=True, is_active=True).order_by("pk")[:2])
