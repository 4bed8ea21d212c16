"""The resource API accepts the same keys and scopes as the tools, on the real server."""

from types import SimpleNamespace

import httpx
import pytest
from django.contrib.auth.models import User
from django.db import OperationalError
from django.test import Client

from toolbox.contract.caller import Caller
from toolbox.contract.errors import DatabaseUnavailable
from toolbox.models import ApiKey

GAMES = "/api/resources/linescore/games/"


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def test_a_key_reads_what_its_scope_covers(server: str, cast: SimpleNamespace) -> None:
    answer = httpx.get(server + GAMES, headers=bearer(cast.bob))

    assert answer.status_code == 200
    assert answer.json()["count"] == 1312


def test_the_key_may_come_in_a_header_of_its_own(server: str, cast: SimpleNamespace) -> None:
    assert httpx.get(server + GAMES, headers={"X-API-Key": cast.bob}).status_code == 200


@pytest.mark.parametrize(
    "headers", [{}, bearer("tr_nobody_ever_made_this_key_at_all_0000"), {"Authorization": "Bearer"}]
)
def test_without_a_valid_key_one_is_told_what_to_send(server: str, headers: dict[str, str]) -> None:
    answer = httpx.get(server + GAMES, headers=headers)

    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"].startswith('Bearer realm="Toolroom", ')
    assert answer.headers["WWW-Authenticate"].endswith('/.well-known/oauth-protected-resource"')
    assert answer.json()["error"]["code"] == "UNAUTHENTICATED"
    assert "key" in answer.json()["error"]["suggestion"]


@pytest.mark.parametrize("address", [GAMES, f"{GAMES}2024020001/", "/api/resources/linescore/"])
def test_a_key_without_the_scope_is_refused(server: str, cast: SimpleNamespace, address: str) -> None:
    answer = httpx.get(server + address, headers=bearer(cast.charlie))

    assert answer.status_code == 403
    assert answer.json()["error"]["code"] == "FORBIDDEN"


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_nothing_is_written_here(server: str, cast: SimpleNamespace, method: str) -> None:
    answer = httpx.request(method, f"{server}{GAMES}2024020001/", headers=bearer(cast.alice), json={"season": "x"})

    assert answer.status_code == 405
    assert answer.json()["error"]["code"] == "METHOD_NOT_ALLOWED"


def test_many_threads_are_served_at_once(server: str, cast: SimpleNamespace) -> None:
    from concurrent.futures import ThreadPoolExecutor

    def status(_: int) -> int:
        return httpx.get(f"{server}{GAMES}?page_size=5", headers=bearer(cast.bob), timeout=30).status_code

    with ThreadPoolExecutor(16) as threads:
        statuses = list(threads.map(status, range(48)))

    assert set(statuses) == {200}


def test_a_key_over_its_limit_is_told_how_long_to_wait(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    row, _ = ApiKey.make(name="hasty", owner_id=User.objects.get(username="bob").pk, scopes=["linescore:read"])
    caller = Caller(name="hasty", scopes=frozenset(row.scopes), key_id=row.pk, calls_per_minute=2)

    async def hasty(_: str) -> Caller:
        return caller

    monkeypatch.setattr("toolbox.dispatch.entry.identify", hasty)

    answers = [Client().get(GAMES, headers=bearer("tr_whatever")) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert 1 <= int(answers[2]["Retry-After"]) <= 60
    assert answers[2].json()["error"]["code"] == "RATE_LIMITED"


def test_staff_who_are_logged_in_may_read(db: None) -> None:
    client = Client()
    client.force_login(User.objects.get(username="curator"))

    assert client.get(GAMES).status_code == 200


def test_people_who_are_no_staff_may_not(db: None) -> None:
    client = Client()
    client.force_login(User.objects.get(username="bob"))

    assert client.get(GAMES).status_code == 403


def test_a_staff_session_does_not_widen_a_key(db: None, cast: SimpleNamespace) -> None:
    client = Client()
    client.force_login(User.objects.get(username="curator"))

    assert client.get(GAMES, headers=bearer(cast.charlie)).status_code == 403


def test_while_the_database_is_away_no_key_can_be_checked(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    async def away(_: str) -> None:
        raise DatabaseUnavailable("gone")

    monkeypatch.setattr("toolbox.dispatch.entry.identify", away)

    answer = Client().get(GAMES, headers=bearer("tr_whatever"))

    assert answer.status_code == 503
    assert answer.json()["error"]["code"] == "DATABASE_ERROR"


def test_a_database_that_goes_away_between_is_no_crash(
    db: None, cast: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail_gone(*_: object, **__: object) -> None:
        raise OperationalError("server closed the connection unexpectedly")

    monkeypatch.setattr("django.db.models.sql.compiler.SQLCompiler.execute_sql", fail_gone)

    answer = Client().get(GAMES, headers=bearer(cast.bob))

    assert answer.status_code == 503
    assert "closed" not in answer.content.decode()


@pytest.mark.parametrize("address", ["/api/resources/docs", "/api/resources/openapi.json"])
def test_the_documentation_needs_no_key(server: str, address: str) -> None:
    assert httpx.get(server + address).status_code == 200


def test_the_documentation_loads_nothing_from_elsewhere(server: str) -> None:
    page = httpx.get(f"{server}/api/resources/docs").text

    assert "https://" not in page
    assert "/static/drf_spectacular_sidecar/" in page
