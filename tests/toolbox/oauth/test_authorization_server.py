"""The page of the clients that a person allowed, and what ending one ends."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from oauth2_provider.models import AccessToken, Application, RefreshToken

from tests.toolbox.oauth.browser import RawClient, allow_client, answer_consent, session_of
from tests.toolbox.transports import A_TOOL
from toolbox.access import keys
from toolbox.access.keys import find_caller_by_key_id, identify
from toolbox.audit.log import audit
from toolbox.contract.errors import Refusal
from toolbox.database import event_loop
from toolbox.database.caches import clear_all_caches
from toolbox.dispatch.dispatch import Call, dispatch
from toolbox.models import ApiKey

PAGE = "/clients/"


@pytest.fixture
def person(make_person: Callable[..., User]) -> User:
    return make_person("linescore:read", "backtests:read")


@pytest.fixture
def browser(person: User) -> Client:
    opened = Client()
    opened.force_login(person)
    return opened


def _revoke(browser: Client, client: RawClient) -> Any:
    return browser.post(f"{PAGE}{Application.objects.get(client_id=client.id).pk}/end/", follow=True)


def test_it_says_who_may_what_since_when_and_when_it_was_used(
    server: str, client: RawClient, person: User, browser: Client
) -> None:
    empty = browser.get(PAGE).content.decode()
    tokens = allow_client(client, cookie=session_of(person))
    unused = browser.get(PAGE).content.decode()
    call = Call(tool=A_TOOL.name, arguments=b"{}", credential=tokens["access_token"], transport="test", request_id="r")
    assert event_loop.run(dispatch(call)).status == 200
    event_loop.run(audit.flush())
    used = browser.get(PAGE).content.decode()

    assert "No apps are connected. Give an MCP client" in empty
    assert "<h2>raw</h2>" in unused
    assert "Read linescore" in unused
    assert "Read backtests" not in unused
    assert "127.0.0.1:33418" in unused
    assert "never used" in unused
    assert "last used 20" in used


def test_what_is_ended_is_refused_at_once_and_may_come_back(
    server: str, client: RawClient, person: User, browser: Client
) -> None:
    cookie = session_of(person)
    tokens = allow_client(client, cookie=cookie)
    pending = answer_consent(client.address(), cookie=cookie)["code"]
    caller = event_loop.run(identify(tokens["access_token"]))
    told = _revoke(browser, client).content.decode()
    clear_all_caches()

    assert "raw is disconnected" in told
    assert "No apps are connected" in told
    with pytest.raises(Refusal):
        event_loop.run(identify(tokens["access_token"]))
    assert client.refresh(tokens["refresh_token"]).status_code == 400
    assert client.exchange(pending).status_code == 400
    assert event_loop.run(find_caller_by_key_id(caller.key_id or 0)) is None
    again = allow_client(client, cookie=cookie)
    assert event_loop.run(identify(again["access_token"])).key_id == caller.key_id


def test_nobody_ends_what_another_let_in(
    server: str, client: RawClient, person: User, make_person: Callable[..., User]
) -> None:
    tokens = allow_client(client, cookie=session_of(person))
    stranger = Client()
    stranger.force_login(make_person("linescore:read"))

    refused = _revoke(stranger, client)
    page = stranger.get(PAGE).content.decode()
    keys.forget()

    assert refused.status_code == 404
    assert "<h2>raw</h2>" not in page
    assert event_loop.run(identify(tokens["access_token"])).owner_id == person.pk
    assert stranger.get(f"{PAGE}1/end/").status_code == 405
    assert Client().get(PAGE).status_code == 302


def test_the_page_asks_few_statements_however_many_were_let_in(
    person: User, browser: Client, django_assert_max_num_queries: Any
) -> None:
    for number in range(20):
        client = Application.objects.create(
            name=f"many-{number}", redirect_uris="https://a.example/back cursor://back", client_type="public",
            authorization_grant_type="authorization-code", hash_client_secret=False,
        )  # fmt: skip
        access = AccessToken.objects.create(
            user=person, application=client, token=f"t{number}", expires="2099-01-01T00:00Z", scope="linescore:read"
        )
        RefreshToken.objects.create(user=person, application=client, token=f"r{number}", access_token=access)

    with django_assert_max_num_queries(8):
        page = browser.get(PAGE).content.decode()
    Application.objects.filter(name__startswith="many-").delete()

    assert page.count("<h2>many-") == 20
    assert "a.example, cursor:" in page
    assert not ApiKey.objects.filter(owner=person).exists()
