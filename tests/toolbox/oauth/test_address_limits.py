"""What anybody may ask of the authorization server: cheap, and limited for each address."""

import base64
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.hashers import identify_hasher, make_password
from django.test import Client
from limits import RateLimitItemPerMinute
from oauth2_provider.models import Application

from tests.toolbox.oauth.browser import REDIRECT, RawClient, allow_client
from toolbox.access.address_limits import find_network
from toolbox.oauth import client_secrets, endpoints, queries

SLOW = "pbkdf2_sha256"


@pytest.fixture
def register(database_access: None) -> Iterator[Callable[..., Any]]:
    """Register clients over HTTP, deleted after the test."""

    def post(*, address: str = "192.0.2.1", **metadata: Any) -> Any:
        whole = {"client_name": "limited", "redirect_uris": [REDIRECT]} | metadata
        browser = Client(REMOTE_ADDR=address)
        return browser.post("/oauth/register/", whole, content_type="application/json", headers={"host": "localhost"})

    yield post
    Application.objects.exclude(registration_source="manual").delete()


def ask_tokens(client_id: str, secret: str, *, address: str = "192.0.2.1", at: str = "token") -> Any:
    asked = {"grant_type": "refresh_token", "refresh_token": "none", "token": "none", "client_id": client_id}
    sent = Client(REMOTE_ADDR=address)
    return sent.post(f"/oauth/{at}/", asked | {"client_secret": secret}, headers={"host": "localhost"})


@pytest.fixture
def slow_hashes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record the secrets that are hashed slowly."""
    hashed: list[str] = []
    slow = identify_hasher(make_password("x", hasher=SLOW)).__class__
    encode = slow.encode

    def count(*args: Any, **kwargs: Any) -> str:
        hashed.append(args[1])
        encoded: str = encode(*args, **kwargs)
        return encoded

    monkeypatch.setattr(slow, "encode", count)
    return hashed


def test_a_wrong_secret_is_refused_without_a_slow_hash(register: Callable[..., Any], slow_hashes: list[str]) -> None:
    made = register().json()
    public = register(token_endpoint_auth_method="none").json()

    wrong = ask_tokens(made["client_id"], "wrong")
    right = ask_tokens(made["client_id"], made["client_secret"])
    of_public = ask_tokens(public["client_id"], "wrong")

    assert (wrong.status_code, wrong.json()["error"]) == (401, "invalid_client")
    assert (right.status_code, right.json()["error"]) == (400, "invalid_grant")
    assert of_public.json()["error"] == "invalid_client"
    assert ask_tokens(made["client_id"], "wrong", at="revoke").status_code == 401
    assert ask_tokens(made["client_id"], made["client_secret"], at="revoke").status_code == 200
    assert slow_hashes == []


def test_a_secret_in_the_header_of_basic_is_checked_too(register: Callable[..., Any]) -> None:
    made = register().json()

    def ask(credentials: str) -> int:
        headers = {"host": "localhost", "authorization": f"Basic {credentials}"}
        asked = {"grant_type": "refresh_token", "refresh_token": "none"}
        return Client().post("/oauth/token/", asked, headers=headers).status_code

    right = base64.b64encode(f"{made['client_id']}:{made['client_secret']}".encode()).decode()
    wrong = base64.b64encode(f"{made['client_id']}:wrong".encode()).decode()

    assert [ask(right), ask(wrong), ask("=="), ask(base64.b64encode(b"\xff\x00").decode())] == [400, 401, 401, 401]


def test_a_secret_that_was_stored_slowly_is_stored_anew_when_it_is_right(
    register: Callable[..., Any], slow_hashes: list[str]
) -> None:
    made = register().json()
    rows = Application.objects.filter(client_id=made["client_id"])
    rows.update(client_secret=make_password(made["client_secret"], hasher=SLOW))
    slow_hashes.clear()

    assert ask_tokens(made["client_id"], made["client_secret"]).json()["error"] == "invalid_grant"
    assert len(slow_hashes) == 1
    assert rows.get().client_secret.startswith("sha256_secret$")
    assert ask_tokens(made["client_id"], made["client_secret"]).json()["error"] == "invalid_grant"
    assert ask_tokens(made["client_id"], "wrong").status_code == 401
    assert len(slow_hashes) == 1


def test_slow_checks_are_few_for_each_address(
    register: Callable[..., Any], slow_hashes: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    limit = replace(client_secrets.SLOW_CHECKS, window=RateLimitItemPerMinute(2))
    monkeypatch.setattr(client_secrets, "SLOW_CHECKS", limit)
    made = register().json()
    stored = make_password(made["client_secret"], hasher=SLOW)
    Application.objects.filter(client_id=made["client_id"]).update(client_secret=stored)
    slow_hashes.clear()

    refused = [ask_tokens(made["client_id"], "wrong") for _ in range(4)]

    assert [one.status_code for one in refused] == [401, 401, 429, 429]
    assert refused[2].json()["error"] == "temporarily_unavailable"
    assert 1 <= int(refused[2].headers["retry-after"]) <= 60
    assert len(slow_hashes) == 2
    right = ask_tokens(made["client_id"], made["client_secret"], address="192.0.2.9")
    assert right.json()["error"] == "invalid_grant"


@pytest.mark.parametrize(
    ("view", "path"),
    [
        (endpoints.TokensView, "/oauth/token/"),
        (endpoints.RevocationView, "/oauth/revoke/"),
        (endpoints.RegistrationView, "/oauth/register/"),
        (endpoints.ClientConfigurationView, "/oauth/register/somebody/"),
    ],
)
def test_an_address_that_asks_too_often_waits_alone(
    database_access: None, monkeypatch: pytest.MonkeyPatch, view: Any, path: str
) -> None:
    monkeypatch.setattr(view, "limit", replace(view.limit, window=RateLimitItemPerMinute(2)))

    def ask(address: str) -> Any:
        method = Client(REMOTE_ADDR=address).get if "somebody" in path else Client(REMOTE_ADDR=address).post
        return method(path, headers={"host": "localhost"})

    asked = [ask("2001:db8::1").status_code, ask("2001:db8::2").status_code]
    refused = ask("2001:db8::ffff")

    assert 429 not in asked
    assert refused.status_code == 429
    assert 1 <= int(refused.headers["retry-after"]) <= 60
    assert ask("2001:db8:1::1").status_code != 429


def test_the_clients_that_nobody_uses_are_bounded_and_none_is_locked_out(
    register: Callable[..., Any], client: RawClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queries, "MAX_UNUSED_CLIENTS", 3)

    answered = [register(address=f"192.0.2.{number}") for number in range(6)]

    names = set(Application.objects.exclude(registration_source="manual").values_list("client_id", flat=True))
    assert {one.status_code for one in answered} == {201}
    assert len(names) <= 4
    assert {one.json()["client_id"] for one in answered[-3:]} <= names


def test_a_client_with_a_token_is_not_counted_among_the_unused(
    register: Callable[..., Any], client: RawClient, cookie: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queries, "MAX_UNUSED_CLIENTS", 0)
    tokens = allow_client(client, cookie=cookie)

    for number in range(3):
        assert register(address=f"192.0.2.{number}").status_code == 201

    assert client.refresh(tokens["refresh_token"]).status_code == 200


def test_a_client_changes_its_registration_under_the_same_rules(register: Callable[..., Any]) -> None:
    made = register().json()

    def put(**metadata: Any) -> Any:
        headers = {"host": "localhost", "authorization": f"Bearer {made['registration_access_token']}"}
        whole = {"redirect_uris": [REDIRECT], "client_name": "changed"} | metadata
        path = f"/oauth/register/{made['client_id']}/"
        return Client().put(path, whole, content_type="application/json", headers=headers)

    assert put().status_code == 200
    assert put(grant_types=["client_credentials"]).status_code == 400
    assert put(redirect_uris=["http://a.example/back"]).json()["error"] == "invalid_redirect_uri"


@pytest.mark.parametrize("redirect", ["http://127.0.0.1:1/x", "http://localhost/x", "http://[::1]:9/x", "cursor://x"])
def test_addresses_on_the_client_s_own_machine_are_registered(register: Callable[..., Any], redirect: str) -> None:
    assert register(redirect_uris=[redirect]).status_code == 201


def test_the_device_grant_is_unknown_here(database_access: None) -> None:
    asked = {"grant_type": "urn:ietf:params:oauth:grant-type:device_code"}

    answered = Client().post("/oauth/token/", asked, headers={"host": "localhost"})

    assert (answered.status_code, answered.json()["error"]) == (400, "unsupported_grant_type")


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("", ""),
        ("a socket", "a socket"),
    ],
)
def test_an_ipv6_network_is_one_sender(address: str, network: str) -> None:
    assert find_network(address) == network
