"""An event stream ends with its reader's key, token or session, and says why."""

import asyncio
import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.core.asgi import get_asgi_application
from django.test import Client
from django.utils import timezone
from oauth2_provider.models import AccessToken, Application

from agents import event_stream
from agents.event_stream import EventStreamMiddleware
from tests.agents.conversation_client import Observer, Owner
from toolbox.database.caches import TtlCache
from toolbox.models import ApiKey

SECONDS = 60
TOKEN = "tro_a_token_that_this_server_gave"


@pytest.fixture
def user(scratch_database: None) -> User:
    """Create a person who may log in."""
    return User.objects.create_user("erin")


@pytest.fixture
def run_id(user: User) -> UUID:
    """Create a run that waits for a worker."""
    return Owner("", owner_id=user.pk).say("How did Carolina do?", is_told=False)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Identify readers again twenty times a second."""
    monkeypatch.setattr(event_stream, "IDENTIFY_SECONDS", 0.05)
    monkeypatch.setattr(event_stream, "_callers", TtlCache(seconds=0.0))


@pytest.fixture(params=["middleware", "django"])
def application(request: pytest.FixtureRequest) -> Any:
    """Return the application that serves streams in one of the two ways."""
    django = get_asgi_application()
    return EventStreamMiddleware(django) if request.param == "middleware" else django  # type: ignore[arg-type]


def watch(application: Any, address: str, *, header: tuple[bytes, bytes], end: Callable[[], Any]) -> dict[str, Any]:
    """Read a stream and end its credential after the first event; returns the data of the last event."""
    received: list[bytes] = []
    requests = [{"type": "http.request", "body": b"", "more_body": False}]
    has_event = asyncio.Event()

    async def send(message: dict[str, Any]) -> None:
        assert message.get("status", 200) == 200
        received.append(message.get("body", b""))
        if b"event: run.queued" in received[-1]:
            has_event.set()

    async def receive() -> dict[str, Any]:
        if requests:
            return requests.pop()
        await asyncio.Event().wait()
        raise AssertionError

    async def read() -> None:
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET", "path": address,
            "raw_path": address.encode(), "query_string": b"", "headers": [(b"host", b"localhost"), header],
            "client": ("127.0.0.1", 1), "server": ("localhost", 80), "scheme": "http", "root_path": "",
        }  # fmt: skip
        reading = asyncio.create_task(application(scope, receive, send))
        async with asyncio.timeout(SECONDS):
            await has_event.wait()
            await asyncio.to_thread(end)
            await reading

    asyncio.run(read())
    kind, data = b"".join(received).decode().strip().split("\n\n")[-1].split("\n")
    assert kind == "event: stream.ended"
    error: dict[str, Any] = json.loads(data.removeprefix("data: "))["error"]
    return error


def address_of(run_id: UUID, onlooker: Observer) -> str:
    """Return the address of a run's events."""
    return f"/api/agents/conversations/{onlooker.run(run_id)['conversation_id']}/runs/{run_id}/events"


@pytest.mark.parametrize(
    "ending",
    [
        ("UPDATE toolbox_api_keys SET revoked_at = now() WHERE name = 'erin'", "UNAUTHENTICATED"),
        ("UPDATE toolbox_api_keys SET expires_at = now() WHERE name = 'erin'", "UNAUTHENTICATED"),
        ("DELETE FROM toolbox_api_keys WHERE name = 'erin'", "UNAUTHENTICATED"),
        ("UPDATE auth_user SET is_active = false WHERE username = 'erin'", "UNAUTHENTICATED"),
        ("UPDATE toolbox_api_keys SET scopes = '{linescore:read}' WHERE name = 'erin'", "FORBIDDEN"),
    ],
    ids=["revoked", "expired", "deleted", "owner deactivated", "scope removed"],
)
def test_with_its_key(application: Any, user: User, run_id: UUID, onlooker: Observer, ending: tuple[str, str]) -> None:
    key = ApiKey.make(name="erin", owner_id=user.pk, scopes=["agents:read"])[1]

    error = watch(
        application,
        address_of(run_id, onlooker),
        header=(b"authorization", f"Bearer {key}".encode()),
        end=lambda: onlooker.ask(ending[0]),
    )

    assert error["code"] == ending[1]


def test_with_its_oauth_token(application: Any, user: User, run_id: UUID, onlooker: Observer, settings: Any) -> None:
    settings.TOOLROOM_OAUTH = True
    client = Application.objects.create(
        name="a client", client_type="public", authorization_grant_type="authorization-code"
    )
    expires = timezone.now() + timedelta(hours=1)
    AccessToken.objects.create(user=user, application=client, token=TOKEN, expires=expires, scope="agents:read")

    error = watch(
        application,
        address_of(run_id, onlooker),
        header=(b"authorization", f"Bearer {TOKEN}".encode()),
        end=lambda: onlooker.ask("DELETE FROM oauth2_provider_accesstoken"),
    )

    assert error["code"] == "UNAUTHENTICATED"


def test_with_the_session_of_a_browser(application: Any, user: User, run_id: UUID, onlooker: Observer) -> None:
    browser = Client()
    browser.force_login(user)

    error = watch(
        application,
        address_of(run_id, onlooker),
        header=(b"cookie", f"sessionid={browser.cookies['sessionid'].value}".encode()),
        end=lambda: onlooker.ask("DELETE FROM django_session"),
    )

    assert error["code"] == "UNAUTHENTICATED"


def test_a_reader_is_identified_often_enough_for_five_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()

    assert 2 * event_stream.IDENTIFY_SECONDS < 5
