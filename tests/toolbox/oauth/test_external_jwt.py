"""Tokens of an outside issuer: who they make the caller, what refuses them, and how seldom the issuer is asked."""

import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import httpx
import jwt
import orjson
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from django.contrib.auth.models import User

from tests.toolbox.oauth.local_issuer import HERE, ISSUER, LocalIssuer, pem
from tests.toolbox.transports import A_TOOL, TOOLS, address, mcp_in_memory
from toolbox.access import keys
from toolbox.access.keys import identify
from toolbox.audit.log import audit
from toolbox.contract.caller import AddressedToken, Caller
from toolbox.database import event_loop
from toolbox.dispatch.dispatch import Call, Reply, dispatch
from toolbox.models import ApiKey, ToolCall

OTHER = next(tool for tool in TOOLS if tool.domain == "backtests")
STRANGER = ec.generate_private_key(ec.SECP256R1())
RSA = rsa.generate_private_key(65_537, 2_048)

TokenMaker = Callable[[LocalIssuer], str]
REFUSED: dict[str, TokenMaker] = {
    "expired": lambda issuer: issuer.token(exp=int(time.time()) - 60),
    "not yet good": lambda issuer: issuer.token(nbf=int(time.time()) + 600),
    "for another server": lambda issuer: issuer.token(aud="https://elsewhere.example/mcp"),
    "for an address that only begins like ours": lambda issuer: issuer.token(aud=f"{HERE}.evil.example/mcp"),
    "for nobody": lambda issuer: issuer.token(aud=None),
    "of another issuer": lambda issuer: issuer.token(iss="https://issuer.example.evil"),
    "without an end": lambda issuer: issuer.token(exp=None),
    "with a word for its end": lambda issuer: issuer.token(exp="tomorrow"),
    "without a subject": lambda issuer: issuer.token(sub=None),
    "with an empty subject": lambda issuer: issuer.token(sub=""),
    "with a NUL in its subject": lambda issuer: issuer.token(sub="ada\x00"),
    "signed by a stranger": lambda issuer: issuer.token(key=STRANGER),
    "signed by a stranger with RSA": lambda issuer: issuer.token(key=RSA),
    "with a key that nobody has": lambda issuer: issuer.token(key_id="nobody-s", key=STRANGER),
    "not signed": lambda _: jwt.encode({"sub": "ada"}, "", algorithm="none"),
    "with something critical": lambda issuer: issuer.token(header={"crit": ["b64"], "b64": True}),
    "changed after signing": lambda issuer: _set_claims(issuer.token()),
    "huge": lambda issuer: issuer.token(padding="x" * 20_000),
    "no token at all": lambda _: "a.b.c",
    "dots": lambda _: "..",
}


def _set_claims(token: str) -> str:
    head, body, signature = token.split(".")
    claims = orjson.loads(jwt.utils.base64url_decode(body)) | {"scope": "*:write"}
    return f"{head}.{jwt.utils.base64url_encode(orjson.dumps(claims)).decode()}.{signature}"


def _call(token: str, *, tool: Any = A_TOOL) -> Reply:
    call = Call(
        tool=tool.name, arguments=tool.example_arguments, credential=token, transport="test", request_id="oauth-test"
    )
    return event_loop.run(dispatch(call))


def _caller(token: str) -> Caller:
    return event_loop.run(identify(token))


def test_a_good_token_makes_a_caller_of_its_subject(issuer: LocalIssuer) -> None:
    caller = _caller(issuer.token())

    assert caller.name == f"{ISSUER} ada"
    assert caller.scopes == {"linescore:read"}
    assert caller.issuer == ISSUER
    assert caller.key_id is not None  # without key and owner it would be the local operator
    assert caller.owner_id is not None


@pytest.mark.parametrize("why", REFUSED)
def test_a_bad_token_is_refused(issuer: LocalIssuer, why: str) -> None:
    token = REFUSED[why](issuer)

    reply = _call(token)

    assert (reply.status, reply.code) == (401, "UNAUTHENTICATED")
    assert reply.bearer is not None
    assert reply.bearer.error == "invalid_token"
    assert token.encode() not in reply.body
    assert not User.objects.filter(username__startswith=f"{ISSUER} ").exists()


def test_a_public_key_is_no_secret_to_sign_with(issuer: LocalIssuer) -> None:
    issuer.keys["first"] = RSA
    head = jwt.utils.base64url_encode(b'{"alg":"HS256","kid":"first","typ":"JWT"}')
    body = jwt.utils.base64url_encode(orjson.dumps({"iss": ISSUER, "sub": "ada", "aud": HERE, "exp": time.time() + 99}))
    import hashlib
    import hmac

    signature = jwt.utils.base64url_encode(hmac.digest(pem(RSA), head + b"." + body, hashlib.sha256))

    assert _call(b".".join((head, body, signature)).decode()).status == 401


@pytest.mark.parametrize(
    ("claims", "scopes"),
    [
        ({"scope": "openid linescore:read profile"}, {"linescore:read"}),
        ({"scope": None, "scp": ["linescore:read", 7]}, {"linescore:read"}),
        ({"scope": None}, set()),
        ({"scope": {"linescore:read": True}}, set()),
        ({"scope": "*:read backtests:write", "aud": f"{HERE}/mcp/linescore"}, {"linescore:read"}),
        ({"scope": "*:read", "aud": ["https://elsewhere.example", HERE]}, {"*:read"}),
        ({"scope": "backtests:read", "aud": [f"{HERE}/mcp/linescore", f"{HERE}/mcp/backtests"]}, {"backtests:read"}),
    ],
)
def test_scopes_are_those_of_keys_within_what_the_token_is_for(
    issuer: LocalIssuer, claims: dict[str, Any], scopes: set[str]
) -> None:
    token = AddressedToken(issuer.token(**claims), path="/mcp/linescore")

    assert _caller(token).scopes == scopes


def test_a_token_for_a_part_of_this_server_is_refused_elsewhere(issuer: LocalIssuer) -> None:
    token = issuer.token(scope="*:read", aud=[f"{HERE}/mcp/linescore", "https://elsewhere.example"])

    assert _call(AddressedToken(token, path="/mcp/linescore")).status == 200
    assert _call(AddressedToken(token, path="/mcp/backtests")).status == 401
    assert _call(token).status == 401


def test_an_rsa_key_signs_as_well(issuer: LocalIssuer) -> None:
    issuer.keys["second"] = RSA

    assert _caller(issuer.token(key_id="second")).name.endswith(" ada")


def test_keys_made_up_by_the_hundred_have_the_issuer_asked_once(issuer: LocalIssuer) -> None:
    for number in range(100):
        assert _call(issuer.token(key_id=f"made-up-{number}", key=STRANGER)).status == 401

    assert issuer.asked == [f"{ISSUER}/.well-known/oauth-authorization-server", f"{ISSUER}/jwks"]


def test_a_new_key_of_the_issuer_is_found_and_an_old_one_goes(issuer: LocalIssuer) -> None:
    old = issuer.token()
    assert _call(old).status == 200
    issuer.keys = {"second": RSA}
    issuer.now += 11

    assert _call(issuer.token(key_id="second")).status == 200
    keys.forget()
    assert _call(old).status == 401
    assert issuer.asked.count(f"{ISSUER}/jwks") == 2


def test_an_issuer_that_is_away_is_named_and_not_waited_for(issuer: LocalIssuer) -> None:
    issuer.is_away = True

    replies = [_call(issuer.token(sub=f"ada-{number}")) for number in range(5)]

    assert {reply.status for reply in replies} == {503}
    assert ISSUER.encode() in replies[0].body
    assert replies[0].retry_after_seconds
    assert len(issuer.asked) == 2  # its two kinds of metadata, and then nobody asks for ten seconds


def test_while_the_issuer_is_away_its_known_keys_are_good_for_a_day(issuer: LocalIssuer) -> None:
    assert _call(issuer.token()).status == 200
    issuer.is_away = True

    issuer.now += 3_600
    assert _call(issuer.token(sub="bea")).status == 200
    issuer.now += 86_400
    assert _call(issuer.token(sub="cora")).status == 503


def test_the_audit_names_issuer_and_subject_and_keeps_no_token(issuer: LocalIssuer) -> None:
    token = issuer.token(sub="audited-ada")
    _call(token)
    event_loop.run(audit.flush())

    row = ToolCall.objects.filter(caller=f"{ISSUER} audited-ada").get()

    assert row.key_id == ApiKey.objects.get(name=f"{ISSUER} audited-ada").pk
    assert token.split(".")[2] not in str(vars(row))


def test_an_administrator_ends_and_limits_a_subject_as_a_key(issuer: LocalIssuer) -> None:
    assert _call(issuer.token()).status == 200
    row = ApiKey.objects.filter(name=f"{ISSUER} ada")
    row.update(calls_per_minute=1)
    keys.forget()
    assert [_call(issuer.token()).status for _ in range(3)].count(429) >= 1

    row.update(revoked_at="2026-01-01T00:00Z")
    keys.forget()

    assert _call(issuer.token()).status == 401


def test_nothing_that_is_presented_is_a_subject_s_key(issuer: LocalIssuer) -> None:
    _call(issuer.token())
    row = ApiKey.objects.get(name=f"{ISSUER} ada")

    for presented in (row.digest, row.digest.removeprefix("oauth:"), f"{ISSUER}\nada\na-client"):
        assert _call(presented).status == 401


async def test_a_call_beyond_the_token_says_which_scopes_to_fetch(
    fast_client: httpx.AsyncClient, ninja_client: httpx.AsyncClient, issuer: LocalIssuer
) -> None:
    sent = {"Authorization": f"Bearer {issuer.token()}", "X-Request-Id": "parity-0123456789"}

    fast = await fast_client.post(address(OTHER), content=b"{}", headers=sent)
    ninja = await ninja_client.post(address(OTHER), content=b"{}", headers=sent)

    assert fast.status_code == 403
    assert fast.headers["www-authenticate"] == (
        'Bearer realm="Toolroom", error="insufficient_scope", scope="backtests:read linescore:read", '
        f'resource_metadata="{HERE}/.well-known/oauth-protected-resource"'
    )
    assert sorted(fast.headers.multi_items()) == sorted(ninja.headers.multi_items())


async def test_two_authorization_headers_are_none(fast_client: httpx.AsyncClient, issuer: LocalIssuer) -> None:
    fast_client.headers.pop("Authorization")
    twice = [("Authorization", f"Bearer {issuer.token()}"), ("Authorization", f"Bearer {issuer.token(sub='bea')}")]

    answered = await fast_client.post(address(A_TOOL), content=b"{}", headers=twice)

    assert answered.status_code == 401


async def test_lists_show_what_the_token_may(issuer: LocalIssuer) -> None:
    caller = await event_loop.run_on_loop(lambda: identify(issuer.token()))

    async with mcp_in_memory(caller) as client:
        shown = {tool.name for tool in (await client.list_tools()).tools}

    assert shown == {tool.name for tool in TOOLS if tool.scope == "linescore:read"}


async def test_resources_and_keys_go_on_beside_the_issuer(
    ninja_client: httpx.AsyncClient, issuer: LocalIssuer, cast: SimpleNamespace
) -> None:
    by_token = {"Authorization": f"Bearer {issuer.token()}"}

    read = await ninja_client.get("/api/resources/linescore/teams/", headers=by_token)
    forged = await ninja_client.get("/api/resources/linescore/teams/", headers={"Authorization": "Bearer a.b.c"})
    by_key = await ninja_client.get("/api/resources/linescore/teams/")

    assert (read.status_code, forged.status_code, by_key.status_code) == (200, 401, 200)
    assert 'error="invalid_token"' in forged.headers["www-authenticate"]


@pytest.mark.parametrize("path", ["", "/mcp", "/mcp/linescore"])
async def test_the_metadata_name_the_resource_and_the_issuer(
    ninja_client: httpx.AsyncClient, issuer: LocalIssuer, path: str
) -> None:
    answered = await ninja_client.get(f"/.well-known/oauth-protected-resource{path}")

    told = answered.json()
    assert told["resource"] == f"{HERE}{path}"
    assert told["authorization_servers"] == [ISSUER]
    assert "linescore:read" in told["scopes_supported"]
    assert ("backtests:read" in told["scopes_supported"]) is (path != "/mcp/linescore")


async def test_the_metadata_know_no_other_resource(ninja_client: httpx.AsyncClient, issuer: LocalIssuer) -> None:
    assert (await ninja_client.get("/.well-known/oauth-protected-resource/mcp/no-domain")).status_code == 404
