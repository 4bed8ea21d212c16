"""Our own authorization server, and those who would misuse it."""

from collections.abc import Callable

import httpx
import pytest
from django.contrib.auth.models import Group, User
from django.db.models.functions import Now
from oauth2_provider.models import AccessToken, RefreshToken

from tests.toolbox.oauth.browser import RawClient, allow_client, answer_consent, calls, lists_tools, session_of
from toolbox.access import keys, people
from toolbox.access.keys import identify
from toolbox.database import event_loop
from toolbox.models import ApiKey

People = Callable[..., User]
OTHER = "list_backtest_runs"


def test_the_metadata_say_what_the_server_does_and_no_more(server: str) -> None:
    told = httpx.get(f"{server}/.well-known/oauth-authorization-server").json()

    assert told["issuer"] == server
    assert told["code_challenge_methods_supported"] == ["S256"]
    assert told["response_types_supported"] == ["code"]
    assert told["grant_types_supported"] == ["authorization_code", "refresh_token"]
    assert told["client_id_metadata_document_supported"] is True
    assert told["authorization_response_iss_parameter_supported"] is True
    assert "none" in told["token_endpoint_auth_methods_supported"]
    assert {told[f"{name}_endpoint"] for name in ("authorization", "token", "registration", "revocation")} == {
        f"{server}/oauth/{name}/" for name in ("authorize", "token", "register", "revoke")
    }


def test_without_a_credential_one_learns_where_to_get_one(server: str) -> None:
    answered = httpx.post(f"{server}/mcp/linescore", json={})

    assert answered.status_code == 401
    assert answered.headers["www-authenticate"] == (
        f'Bearer realm="Toolroom", resource_metadata="{server}/.well-known/oauth-protected-resource/mcp/linescore"'
    )


def test_a_code_gives_tokens_that_are_kept_as_hashes(server: str, client: RawClient, cookie: str) -> None:
    told = answer_consent(client.address(), cookie=cookie)
    answered = client.exchange(told["code"])
    tokens = answered.json()

    assert (told["state"], told["iss"]) == ("kept", server)
    assert answered.headers["cache-control"] == "no-store"
    assert tokens["scope"] == "linescore:read"
    assert calls(server, tokens["access_token"]) == 200
    assert not AccessToken.objects.exclude(token="").exists()
    assert not RefreshToken.objects.exclude(token="").exists()


def test_a_code_that_comes_twice_ends_what_the_first_gave(server: str, client: RawClient, cookie: str) -> None:
    code = answer_consent(client.address(), cookie=cookie)["code"]
    tokens = client.exchange(code).json()
    refreshed = client.refresh(tokens["refresh_token"]).json()

    again = client.exchange(code)

    assert (again.status_code, again.json()["error"]) == (400, "invalid_grant")
    assert client.refresh(refreshed["refresh_token"]).status_code == 400
    assert calls(server, refreshed["access_token"]) == 401


def test_a_refresh_token_that_comes_twice_ends_its_family(server: str, client: RawClient, cookie: str) -> None:
    first = allow_client(client, cookie=cookie)
    second = client.refresh(first["refresh_token"]).json()

    assert client.refresh(first["refresh_token"]).status_code == 400
    assert client.refresh(second["refresh_token"]).status_code == 400
    assert calls(server, second["access_token"]) == 401


@pytest.mark.parametrize(
    "changes",
    [
        {"code_verifier": "x" * 43},
        {"code_verifier": ""},
        {"redirect_uri": "http://127.0.0.1:33418/other"},
        {"resource": "https://elsewhere.example/mcp"},
        {"client_id": "nobody"},
        {"code": "no-code"},
    ],
    ids=" ".join,
)
def test_a_code_is_given_nothing_for_a_wrong_word(client: RawClient, cookie: str, changes: dict[str, str]) -> None:
    code = answer_consent(client.address(), cookie=cookie)["code"]

    answered = client.exchange(changes.get("code", code), **{k: v for k, v in changes.items() if k != "code"})

    assert answered.status_code in (400, 401)
    assert "access_token" not in answered.text


def test_another_client_s_tokens_are_nobody_else_s(server: str, client: RawClient, cookie: str) -> None:
    code = answer_consent(client.address(), cookie=cookie)["code"]
    thief = RawClient(server)
    thief.verifier = client.verifier

    assert thief.exchange(code).status_code == 400
    tokens = client.exchange(code).json()
    assert thief.refresh(tokens["refresh_token"]).status_code == 400
    thief.revoke(tokens["access_token"])
    assert calls(server, tokens["access_token"]) == 200


def test_a_client_gives_its_tokens_back(server: str, client: RawClient, cookie: str) -> None:
    tokens = allow_client(client, cookie=cookie)

    assert client.revoke(tokens["refresh_token"]).status_code == 200

    assert client.refresh(tokens["refresh_token"]).status_code == 400
    assert calls(server, tokens["access_token"]) == 401


def test_a_client_that_gives_its_last_token_back_ends_what_it_began(
    server: str, client: RawClient, cookie: str
) -> None:
    tokens = allow_client(client, cookie=cookie)
    assert calls(server, tokens["access_token"]) == 200
    [key] = ApiKey.objects.filter(digest__startswith="oauth:", expires_at__gt=Now())

    client.revoke(tokens["refresh_token"])

    assert event_loop.run(keys.find_caller_by_key_id(key.pk)) is None


def test_a_token_for_one_domain_s_address_is_for_that_domain(
    client: RawClient, server: str, make_person: People
) -> None:
    both = session_of(make_person("linescore:read", "backtests:read"))
    address = client.address(scope="linescore:read backtests:read", resource=f"{server}/mcp/backtests")

    tokens = client.exchange(answer_consent(address, cookie=both)["code"]).json()

    token = tokens["access_token"]
    assert tokens["scope"] == "backtests:read"
    assert lists_tools(server, token, path="/mcp/backtests") == 200
    assert lists_tools(server, token, path="/mcp/backtests/") == 200
    assert [lists_tools(server, token, path=path) for path in ("/mcp", "/mcp/linescore", "/mcp/compact")] == [401] * 3
    assert calls(server, token) == 401
    assert (
        httpx.get(f"{server}/api/agents/conversations", headers={"Authorization": f"Bearer {token}"}).status_code == 401
    )


def test_a_refreshed_token_is_for_the_same_address(client: RawClient, server: str, cookie: str) -> None:
    address = client.address(resource=f"{server}/mcp/linescore")
    first = client.exchange(answer_consent(address, cookie=cookie)["code"]).json()

    second = client.refresh(first["refresh_token"]).json()["access_token"]

    assert lists_tools(server, second, path="/mcp/linescore") == 200
    assert lists_tools(server, second, path="/mcp") == 401


@pytest.mark.parametrize("version", ["2025-06-18", "2025-11-25"])
def test_over_mcp_a_missing_scope_is_http_s_own_refusal(
    client: RawClient, server: str, cookie: str, version: str
) -> None:
    token = allow_client(client, cookie=cookie)["access_token"]
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": OTHER, "arguments": {}}}
    sent = {
        "Authorization": f"Bearer {token}", "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": version,
    }  # fmt: skip

    answered = httpx.post(f"{server}/mcp", json=call, headers=sent)

    assert answered.status_code == 403
    assert 'error="insufficient_scope", scope="' in answered.headers["www-authenticate"]
    assert answered.headers["www-authenticate"].endswith('/.well-known/oauth-protected-resource/mcp"')


def test_what_a_person_loses_their_tokens_lose(client: RawClient, make_person: People) -> None:
    person = make_person("linescore:read")
    token = allow_client(client, cookie=session_of(person))["access_token"]
    before = event_loop.run(identify(token))
    person.groups.remove(Group.objects.get(name="linescore:read"))
    keys.forget()
    people._cache.clear()

    after = event_loop.run(identify(token))

    assert before.name == f"{person.username} via raw"
    assert (before.owner_id, before.scopes) == (person.pk, frozenset({"linescore:read"}))
    assert (after.key_id, after.scopes) == (before.key_id, frozenset())
