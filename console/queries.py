"""Queries of pages on Django's own tables."""

from django.contrib.auth.models import User

_MAX_ID = 2**31 - 1


def find_active_user(user_id: int) -> User | None:
    """Give a user who may log in."""
    if not 0 < user_id <= _MAX_ID:
        return None
    return User.objects.filter(pk=user_id, is_active=True).first()


def find_active_user_by_name(name: str) -> User | None:
    """Give a user who may log in, by name."""
    return User.objects.filter(username=name, is_active=True).first()


def list_superusers() -> list[User]:
    """List the first two active superusers: enough to tell whether there is one alone."""
    return list(User.objects.filter(is_superuser=True, is_active=True).order_by("pk")[:2])
