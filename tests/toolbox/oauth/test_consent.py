"""Who registers, who is asked, and what the page lets nobody do."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from django.contrib.auth.models import User
from django.test import Client
from oauth2_provider.models import Application

from tests.toolbox.oauth.browser import RawClient, allow_client, answer_consent
from toolbox.oauth.authorization_server import is_own_resource
from toolbox.oauth.validators import clean_client_name

People = Callable[..., User]
OTHER = "list_backtest_runs"


@pytest.mark.parametrize(
    "changes",
    [
        {"code_challenge": None, "code_challenge_method": None},
        {"code_challenge_method": "plain"},
        {"code_challenge_method": None},
        {"resource": "https://elsewhere.example/mcp"},
        {"redirect_uri": "http://127.0.0.1:33418/other"},
        {"redirect_uri": "https://evil.example/callback"},
        {"redirect_uri": "http://evil.example/callback"},
        {"client_id": "nobody"},
        {"client_id": "https://127.0.0.1/client.json"},
    ],
    ids=str,
)
def test_a_request_that_could_harm_shows_a_page_and_leads_nowhere(
    client: RawClient, cookie: str, changes: dict[str, Any]
) -> None:
    answered = httpx.get(client.address(**changes), cookies={"sessionid": cookie}, timeout=60)

    assert answered.status_code == 400
    assert "cannot be connected" in answered.text


def test_only_a_person_who_is_logged_in_is_asked(client: RawClient) -> None:
    answered = httpx.get(client.address())

    assert answered.status_code == 302
    assert answered.headers["location"].startswith("/login/?next=")


def test_a_person_may_refuse(client: RawClient, cookie: str) -> None:
    assert answer_consent(client.address(), cookie=cookie, allow=False)["error"] == "access_denied"


def test_a_client_that_was_let_in_is_asked_about_again(client: RawClient, cookie: str) -> None:
    allow_client(client, cookie=cookie)

    page = httpx.get(client.address(approval_prompt="auto"), cookies={"sessionid": cookie})

    assert page.status_code == 200
    assert "Connect raw?" in page.text
    assert "form-action 'self' http://127.0.0.1:33418;" in page.headers["content-security-policy"]


def test_a_client_may_be_known_by_a_document_of_its_own(settings: Any, cookie: str) -> None:
    class Documents:
        def fetch(self, client_id: str) -> tuple[dict[str, Any], int]:
            name = "<b>Reader</b>"
            return {"client_id": client_id, "client_name": name, "redirect_uris": ["https://reader.example/back"]}, 300

    settings.OAUTH2_PROVIDER = settings.OAUTH2_PROVIDER | {"CIMD_METADATA_FETCHER": Documents}
    browser = Client()
    browser.cookies["sessionid"] = cookie
    asked = {
        "response_type": "code", "client_id": "https://reader.example/client.json", "code_challenge": "x" * 43,
        "code_challenge_method": "S256", "redirect_uri": "https://reader.example/back", "scope": "linescore:read",
    }  # fmt: skip

    page = browser.get("/oauth/authorize/", asked, headers={"host": "localhost"})
    Application.objects.filter(client_id=asked["client_id"]).delete()

    assert page.status_code == 200
    assert "Connect &lt;b&gt;Reader&lt;/b&gt;?" in page.text
    assert "https://reader.example" in page.text


def test_nobody_gives_more_than_they_have(client: RawClient, cookie: str) -> None:
    address = client.address(scope="linescore:read linescore:write backtests:read")

    tokens = client.exchange(answer_consent(address, cookie=cookie)["code"]).json()

    assert tokens["scope"] == "linescore:read"


def test_a_form_that_ticks_more_than_was_offered_gets_no_more(client: RawClient, cookie: str) -> None:
    page = httpx.get(client.address(scope="backtests:write"), cookies={"sessionid": cookie})

    assert "nothing to grant" in page.text
    assert 'name="allow"' not in page.text


@pytest.mark.parametrize(
    "metadata",
    [
        {"grant_types": ["client_credentials"]},
        {"grant_types": ["implicit"]},
        {"grant_types": "password"},
        {"grant_types": [["authorization_code"]]},
        {"redirect_uris": []},
        {"redirect_uris": ["javascript:alert(1)"]},
        {"redirect_uris": ["https://a.example/#fragment"]},
        {"redirect_uris": "https://a.example/"},
        {"redirect_uris": 7},
        {"redirect_uris": ["http://a.example/"]},
        {"redirect_uris": ["https://a.example/", "HTTP://127.0.0.1.a.example/"]},
        {"redirect_uris": ["http://[1.2/"]},
        {"redirect_uris": ["https://a.example/" + "x" * 20_000]},
        {"client_name": 7},
        {"client_name": "x" * 400},
        {"client_name": "\x00"},
    ],
    ids=lambda metadata: str(metadata)[:40],
)
def test_a_client_that_describes_itself_wrong_is_not_registered(client: RawClient, metadata: dict[str, Any]) -> None:
    answered = client.register(**{"redirect_uris": ["https://a.example/"]} | metadata)

    assert answered.status_code in (400, 413)
    assert answered.json()["error"].startswith("invalid_")


@pytest.mark.parametrize(
    ("resource", "is_known"),
    [
        ("https://a.example", True),
        ("https://a.example/mcp/linescore", True),
        ("https://a.example.evil/mcp", False),
        ("https://a.example/admin", False),
        ("http://a.example/mcp", False),
    ],
)
def test_a_resource_is_ours_to_the_letter(resource: str, *, is_known: bool) -> None:
    assert is_own_resource(resource, place="https://a.example") is is_known


def test_a_client_s_name_stays_on_its_line() -> None:
    assert clean_client_name("Evil\n\u202e client" + "!" * 90) == "Evil client" + "!" * 29
