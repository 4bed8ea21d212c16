"""Queries of django-oauth-toolkit's tables."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, Subquery
from django.db.models.functions import Now
from oauth2_provider.models import AccessToken, Application, Grant, RefreshToken, clear_expired

from toolbox.access import keys
from toolbox.models import ApiKey, ToolCall
from toolbox.oauth.grants import compute_digest
from toolbox.oauth.validators import ISSUER

UNUSED_CLIENT = timedelta(days=7)
MAX_UNUSED_CLIENTS = 5_000
"""Limit of self-registered clients without a token; newer ones replace the oldest."""
UNUSED_GRANT = timedelta(days=90)
"""How long a row among the keys outlives its last token: the audit log names it, and it may have settings."""

MAX_TOKENS = 1_000


@dataclass(slots=True, kw_only=True)
class ConnectedClient:
    """A client that a person allowed."""

    id: int
    name: str
    client_id: str
    goes_to: str
    since: datetime
    used_at: datetime | None = None
    scopes: list[str] = field(default_factory=list)


def find_connected_clients(user_id: int) -> list[ConnectedClient]:
    """Return the clients with a valid token of this person, the last used first; five queries."""
    refreshing = RefreshToken.objects.filter(user_id=user_id, revoked=None).select_related(
        "application", "access_token"
    )
    calling = AccessToken.objects.filter(user_id=user_id, expires__gt=Now()).select_related("application")
    found: dict[int, ConnectedClient] = {}
    for token in [*refreshing.order_by("created")[:MAX_TOKENS], *calling.order_by("created")[:MAX_TOKENS]]:
        one = found.setdefault(token.application_id, _make_connected_client(token))
        said = token if isinstance(token, AccessToken) else token.access_token
        one.scopes = sorted({*one.scopes, *(said.scope.split() if said else ())})
    _add_last_use(found.values(), user_id=user_id)
    return sorted(found.values(), key=lambda one: one.used_at or one.since, reverse=True)


def revoke_client(application_id: int, *, user_id: int) -> str | None:
    """Revoke all tokens and codes of a client for a person; returns its name, or None if it had none."""
    application = Application.objects.filter(pk=application_id).first()
    if application is None:
        return None
    of_both = {"user_id": user_id, "application": application}
    revoked = 0
    with transaction.atomic():
        # Repeat until none is left: a refresh in progress adds a token while its old one is locked.
        while refreshing := list(RefreshToken.objects.filter(**of_both, revoked=None)[:MAX_TOKENS]):
            revoked += len(refreshing)
            for token in refreshing:
                token.revoke()
        count = AccessToken.objects.filter(**of_both).delete()[0] + Grant.objects.filter(**of_both).delete()[0]
        _expire_key(user_id, client=application)
    keys.forget()
    return application.name or application.client_id if revoked or count else None


def _make_connected_client(token: Any) -> ConnectedClient:
    client = token.application
    places = {urlsplit(address) for address in client.redirect_uris.split()}
    goes_to = ", ".join(sorted({one.netloc if one.scheme in ("http", "https") else f"{one.scheme}:" for one in places}))
    return ConnectedClient(
        id=client.pk, name=client.name, client_id=client.client_id, goes_to=goes_to, since=token.created
    )


def _add_last_use(clients: Iterable[ConnectedClient], *, user_id: int) -> None:
    """Add when each client was first allowed and last used."""
    by_digest = {compute_digest(issuer=ISSUER, subject=str(user_id), client=one.client_id): one for one in clients}
    calls = ToolCall.objects.filter(key_id=OuterRef("pk")).order_by("-called_at").values("called_at")
    for row in ApiKey.objects.filter(digest__in=by_digest).annotate(used_at=Subquery(calls[:1])):
        one = by_digest[row.digest]
        one.since, one.used_at = min(one.since, row.created_at), row.used_at


def find_token_owner(token: str, *, client: Any) -> int | None:
    """Return the id of the person whose token the client holds."""
    checksum = hashlib.sha256(token.encode()).hexdigest()
    for kind in (AccessToken, RefreshToken):
        if row := kind.objects.filter(token_checksum=checksum, application=client).first():
            owner_id: int | None = row.user_id
            return owner_id
    return None


def expire_key_without_tokens(user_id: int, *, client: Any) -> None:
    """Expire a client's row among the keys, and so its runs, if the person has no token left for it."""
    of_both = {"user_id": user_id, "application": client}
    is_refreshing = RefreshToken.objects.filter(**of_both, revoked=None).exists()
    if not is_refreshing and not AccessToken.objects.filter(**of_both, expires__gt=Now()).exists():
        _expire_key(user_id, client=client)


def _expire_key(user_id: int, *, client: Any) -> None:
    digest = compute_digest(issuer=ISSUER, subject=str(user_id), client=client.client_id)
    ApiKey.objects.filter(digest=digest, expires_at__gt=Now()).update(expires_at=Now())


def revoke_family(family: UUID, *, client: Any) -> None:
    """Revoke every token that one consent led to."""
    for token in RefreshToken.objects.filter(token_family=family, application=client, revoked=None):
        token.revoke()


def replace_secret(client: Any, *, stored: str) -> None:
    """Store a new hash of a client's secret, unless the secret changed since the client was read."""
    Application.objects.filter(pk=client.pk, client_secret=client.client_secret).update(client_secret=stored)


def delete_surplus_clients() -> None:
    """Delete the oldest self-registered clients that nobody allowed, beyond MAX_UNUSED_CLIENTS."""
    of_client = {"application_id": OuterRef("pk")}
    unused = Application.objects.exclude(registration_source=Application.RegistrationSource.MANUAL).filter(
        ~Exists(RefreshToken.objects.filter(**of_client)),
        ~Exists(AccessToken.objects.filter(**of_client, user__isnull=False)),
        ~Exists(Grant.objects.filter(**of_client)),
    )
    surplus = unused.order_by("-created").values_list("pk", flat=True)[MAX_UNUSED_CLIENTS:][:MAX_TOKENS]
    Application.objects.filter(pk__in=list(surplus)).delete()


def forget_old() -> None:
    """Delete expired tokens, clients and keys of clients; revoked keys stay, so that the revocation stays."""
    clear_expired()
    in_use = RefreshToken.objects.filter(revoked=None).values("application_id")
    old = Application.objects.exclude(registration_source=Application.RegistrationSource.MANUAL).exclude(pk__in=in_use)
    old.filter(updated__lt=Now() - UNUSED_CLIENT).delete()
    over = ApiKey.objects.filter(digest__startswith="oauth:", revoked_at=None)
    over.filter(expires_at__lt=Now() - UNUSED_GRANT).delete()
