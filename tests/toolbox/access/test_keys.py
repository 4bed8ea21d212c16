"""Who may call: keys over HTTP, what each status says, and that no key is kept anywhere."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import httpx
import orjson
import pytest
from django.contrib.auth.models import User
from django.db import connections

from tests.toolbox.transports import A_TOOL, TOOLS, address, mcp_over_http
from toolbox.access import keys
from toolbox.audit.log import audit
from toolbox.contract.caller import make_api_key
from toolbox.database import event_loop
from toolbox.dispatch.dispatch import Call, Reply, dispatch
from toolbox.models import ApiKey

TOOL = A_TOOL
KeyMaker = Callable[..., tuple[ApiKey, str]]


def _call(key: str | None, *, tool: str = TOOL.name) -> Reply:
    call = Call(tool=tool, arguments=TOOL.example_arguments, credential=key, transport="test", request_id="keys-test")
    return event_loop.run(dispatch(call))


def _code(reply: Reply) -> str:
    code: str = orjson.loads(reply.body)["error"]["code"]
    return code


async def test_without_a_key_a_call_is_refused_with_how_to_send_one(fast_client: httpx.AsyncClient) -> None:
    fast_client.headers.pop("Authorization")

    answered = await fast_client.post(address(TOOL), content=TOOL.example_arguments)

    assert answered.status_code == 401
    assert answered.headers["www-authenticate"].startswith("Bearer")
    assert "Authorization: Bearer" in answered.json()["error"]["suggestion"]


@pytest.mark.parametrize("header", ["X-API-Key", "x-api-key"])
async def test_a_key_may_come_in_its_own_header(
    fast_client: httpx.AsyncClient, cast: SimpleNamespace, header: str
) -> None:
    fast_client.headers.pop("Authorization")

    answered = await fast_client.post(address(TOOL), content=TOOL.example_arguments, headers={header: cast.bob})

    assert answered.status_code == 200


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
async def test_the_scheme_s_case_does_not_matter(
    fast_client: httpx.AsyncClient, cast: SimpleNamespace, scheme: str
) -> None:
    headers = {"Authorization": f"{scheme} {cast.bob}"}

    answered = await fast_client.post(address(TOOL), content=TOOL.example_arguments, headers=headers)

    assert answered.status_code == 200


@pytest.mark.parametrize("key", ["tr_nobody", "x", "tr_", "'; --", "tr_" + "a" * 5000])
def test_an_unknown_key_is_refused(cast: SimpleNamespace, key: str) -> None:
    reply = _call(key)

    assert (reply.status, _code(reply)) == (401, "UNAUTHENTICATED")
    assert key.encode() not in reply.body or len(key) < 4


def test_an_expired_key_is_refused(make_key: KeyMaker) -> None:
    _, expired = make_key(expires_at=datetime.now(UTC) - timedelta(seconds=1))
    _, lasting = make_key(expires_at=datetime.now(UTC) + timedelta(hours=1))

    assert _call(expired).status == 401
    assert _call(lasting).status == 200


def test_a_revoked_key_is_refused(make_key: KeyMaker) -> None:
    row, key = make_key()
    assert _call(key).status == 200

    ApiKey.objects.filter(pk=row.pk).update(revoked_at=datetime.now(UTC))
    keys.forget()

    assert _call(key).status == 401


def test_a_revocation_takes_effect_within_five_seconds_by_itself(
    make_key: KeyMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    row, key = make_key()
    assert _call(key).status == 200
    ApiKey.objects.filter(pk=row.pk).update(revoked_at=datetime.now(UTC))

    monkeypatch.setattr(keys, "time", SimpleNamespace(monotonic=lambda: time.monotonic() + 5))

    assert _call(key).status == 401


def test_a_key_ends_with_its_owner_s_account(make_key: KeyMaker) -> None:
    owner = User.objects.create_user("dismissed")
    _, key = make_key(owner_id=owner.pk)
    assert _call(key).status == 200

    User.objects.filter(pk=owner.pk).update(is_active=False)
    keys.forget()
    reply = _call(key)
    owner.delete()

    assert reply.status == 401


def test_a_key_without_the_scope_is_told_which_it_lacks(cast: SimpleNamespace) -> None:
    reply = _call(cast.charlie)

    assert (reply.status, _code(reply)) == (403, "FORBIDDEN")
    assert TOOL.scope.encode() in reply.body


@pytest.mark.parametrize(
    "scopes", [[], ["linescore:write"], ["*:write"], ["linescore"], ["linescore:"], ["*"], ["lines:read"]]
)
def test_only_the_scope_itself_or_its_star_lets_in(make_key: KeyMaker, scopes: list[str]) -> None:
    _, key = make_key(scopes=scopes)

    assert _call(key).status == 403


def test_the_catalogue_does_not_show_what_a_key_may_not_use(cast: SimpleNamespace) -> None:
    reply = _call(cast.charlie, tool="no_such_tool")

    assert reply.status == 404
    assert TOOL.name.encode() not in reply.body


@pytest.mark.parametrize("path", ["/mcp", "/mcp/linescore"])
async def test_charlie_sees_no_tool_over_mcp_and_bob_sees_his(server: str, cast: SimpleNamespace, path: str) -> None:
    seen = {}
    for name in ("alice", "bob", "charlie"):
        async with mcp_over_http(server, key=getattr(cast, name), path=path) as client:
            seen[name] = {tool.name for tool in (await client.list_tools()).tools}

    assert seen["charlie"] == set()
    assert TOOL.name in seen["alice"] & seen["bob"]
    assert seen["bob"] <= {tool.name for tool in TOOLS if tool.domain == "linescore"}


async def test_what_is_not_seen_cannot_be_called_over_mcp(server: str, cast: SimpleNamespace) -> None:
    async with mcp_over_http(server, key=cast.charlie) as client:
        told = await client.call_tool(TOOL.name, {})

    assert told.is_error is True
    assert told.structured_content["error"]["code"] == "FORBIDDEN"


@pytest.fixture
def limited_key(make_key: KeyMaker) -> str:
    """Create a key that may call twice a minute."""
    return make_key(calls_per_minute=2)[1]


async def test_over_the_limit_a_call_is_refused_with_the_seconds_to_wait(
    limited_key: str, fast_client: httpx.AsyncClient
) -> None:
    headers = {"Authorization": f"Bearer {limited_key}"}

    answers = [await fast_client.post(address(TOOL), content=TOOL.example_arguments, headers=headers) for _ in range(5)]

    statuses = [answered.status_code for answered in answers]
    refused = answers[-1]
    assert statuses == [200, 200, 429, 429, 429]
    assert 1 <= int(refused.headers["retry-after"]) <= 60
    assert refused.headers["retry-after"] in refused.json()["error"]["suggestion"]


def test_one_key_s_limit_is_not_another_s(make_key: KeyMaker) -> None:
    (_, first), (_, second) = make_key(calls_per_minute=1), make_key(calls_per_minute=1)
    _call(first)

    assert _call(second).status == 200


def test_a_key_is_nowhere_in_the_database_in_clear_text(make_key: KeyMaker) -> None:
    _, key = make_key()
    for arguments in (f'{{"team": "{key}"}}', f'{{"{key}": 1}}', f"Bearer {key}", key):
        call = Call(
            tool=key, arguments=arguments.encode(), credential=key, transport="test", request_id=key, domain=key
        )
        event_loop.run(dispatch(call))
    event_loop.run(audit.flush())

    with connections["default"].cursor() as cursor:
        for table in ("toolbox_api_keys", "toolbox_tool_calls"):
            cursor.execute(f"SELECT count(*) FROM {table} AS r WHERE r::text LIKE %s", [f"%{key[10:30]}%"])
            assert cursor.fetchone() == (0,), table


def test_two_keys_are_never_alike() -> None:
    made = {make_api_key() for _ in range(100)}

    assert len(made) == 100
    assert all(key.startswith("tr_") and len(key) >= 43 for key in made)
