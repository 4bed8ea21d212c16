"""What our authorization server asks of django-oauth-toolkit's tables."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db.models.functions import Now
from oauth2_provider.models import Application, RefreshToken, clear_expired

from toolbox.models import ApiKey

UNUSED_CLIENT = timedelta(days=7)
UNUSED_GRANT = timedelta(days=90)
"""How long a row among the keys outlives its last token: the audit names it, and it may have been set up."""


def end_family(family: UUID, *, client: Any) -> None:
    """End every token that came of one consent."""
    for token in RefreshToken.objects.filter(token_family=family, application=client, revoked=None):
        token.revoke()


def clients_of_this_hour() -> int:
    """Count the clients that registered themselves in the last hour."""
    themselves = Application.objects.exclude(registration_source=Application.RegistrationSource.MANUAL)
    count: int = themselves.filter(created__gt=Now() - timedelta(hours=1)).count()
    return count


def forget_old() -> None:
    """Delete what nobody can use any more; what an administrator ended stays ended."""
    clear_expired()
    in_use = RefreshToken.objects.filter(revoked=None).values("application_id")
    old = Application.objects.exclude(registration_source=Application.RegistrationSource.MANUAL).exclude(pk__in=in_use)
    old.filter(updated__lt=Now() - UNUSED_CLIENT).delete()
    over = ApiKey.objects.filter(digest__startswith="oauth:", revoked_at=None)
    over.filter(expires_at__lt=Now() - UNUSED_GRANT).delete()
