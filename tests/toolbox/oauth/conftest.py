"""Fixtures of OAuth: an external issuer, and people who allow clients."""

import secrets
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from oauth2_provider.models import Application

from tests.toolbox.oauth.browser import RawClient, session_of
from tests.toolbox.oauth.local_issuer import HERE, ISSUER, LocalIssuer
from toolbox.access import keys
from toolbox.models import ApiKey
from toolbox.oauth import authorization_server, client_secrets, endpoints
from toolbox.oauth.issuer_keys import IssuerKeys
from toolbox.oauth.validators import external_tokens


@pytest.fixture(autouse=True)
def fresh_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reset the counts of requests for each test: all come from one address."""
    for module, name in (
        (authorization_server, "REGISTRATIONS"),
        (endpoints.RegistrationView, "limit"),
        (endpoints._LimitedView, "limit"),
        (client_secrets, "SLOW_CHECKS"),
    ):
        limit = getattr(module, name)
        monkeypatch.setattr(module, name, replace(limit, name=f"{limit.name}-{secrets.token_hex(6)}"))


@pytest.fixture
def issuer(database_access: None, settings: Any) -> Iterator[LocalIssuer]:
    """Trust an issuer in this process; its subjects' rows are deleted after the test."""
    local = LocalIssuer()
    settings.OAUTH_ISSUER, settings.TOOLROOM_URL, before = ISSUER, HERE, external_tokens.keys
    external_tokens.keys = IssuerKeys(issuer=ISSUER, fetch_json=local.ask, clock=lambda: local.now)
    keys.forget()
    yield local
    external_tokens.keys = before
    keys.forget()
    User.objects.filter(username__startswith=f"{ISSUER} ").delete()


@pytest.fixture
def make_person(database_access: None) -> Iterator[Callable[..., User]]:
    """Yield a function that creates people with scopes, deleted after the test."""
    made: list[int] = []

    def make(*scopes: str) -> User:
        person = User.objects.create_user(f"person-{secrets.token_hex(6)}")
        person.groups.set([Group.objects.get_or_create(name=scope)[0] for scope in scopes])
        made.append(person.pk)
        return person

    yield make
    Application.objects.exclude(registration_source="manual").delete()
    ApiKey.objects.filter(owner_id__in=made).delete()
    User.objects.filter(pk__in=made).delete()


@pytest.fixture
def cookie(make_person: Callable[..., User]) -> str:
    """Log in a person who reads linescore."""
    return session_of(make_person("linescore:read"))


@pytest.fixture
def client(server: str, make_person: object) -> RawClient:
    """Register a client, deleted after the test."""
    return RawClient(server)
