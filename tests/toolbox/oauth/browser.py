"""OAuth requests of a person's browser and of a raw client over HTTP, without what a browser adds by itself."""

import base64
import hashlib
import re
import secrets
from html import unescape
from importlib import import_module
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User

REDIRECT = "http://127.0.0.1:33418/callback"


def session_of(person: User) -> str:
    """Log a person in, and return their cookie."""
    session = import_module(settings.SESSION_ENGINE).SessionStore()
    session[SESSION_KEY] = str(person.pk)
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session[HASH_SESSION_KEY] = person.get_session_auth_hash()
    session.create()
    cookie: str = session.session_key
    return cookie


def answer_consent(address: str, *, cookie: str, ticks: set[str] | None = None, allow: bool = True) -> dict[str, str]:
    """Submit the consent page; returns what the client is told. Raises ValueError if the page refuses."""
    with httpx.Client(cookies={"sessionid": cookie}, timeout=60) as browser:
        page = browser.get(address)
        if page.status_code != 200:
            raise ValueError(page.text)
        hidden = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page.text)
        fields: Any = {name: unescape(value) for name, value in hidden}
        choices = set(re.findall(r'name="granted" value="([^"]*)"', page.text))
        fields["granted"] = sorted(choices if ticks is None else choices & ticks)
        fields["allow" if allow else "deny"] = "yes"
        answered = browser.post(address, data=fields, headers={"Referer": address})
    told = parse_qs(urlsplit(answered.headers["location"]).query)
    return {name: values[0] for name, values in told.items()}


class RawClient:
    """A client that sends what it is told, right or wrong."""

    def __init__(self, server: str, *, redirect: str = REDIRECT) -> None:
        self.server, self.redirect = server, redirect
        self.verifier = secrets.token_urlsafe(48)
        registered = self.register(redirect_uris=[redirect])
        self.id: str = registered.json()["client_id"]

    def register(self, **metadata: Any) -> httpx.Response:
        """Register dynamically."""
        whole = {"client_name": "raw", "token_endpoint_auth_method": "none", "grant_types": ["authorization_code"]}
        return httpx.post(f"{self.server}/oauth/register/", json=whole | metadata, timeout=60)

    def address(self, **changes: Any) -> str:
        """Return the address of the consent page."""
        challenge = base64.urlsafe_b64encode(hashlib.sha256(self.verifier.encode()).digest()).decode().rstrip("=")
        asked: dict[str, Any] = {
            "response_type": "code", "client_id": self.id, "redirect_uri": self.redirect, "state": "kept",
            "scope": "linescore:read", "code_challenge": challenge, "code_challenge_method": "S256",
            "resource": f"{self.server}/mcp",
        }  # fmt: skip
        whole = {name: value for name, value in (asked | changes).items() if value is not None}
        return f"{self.server}/oauth/authorize/?{urlencode(whole, doseq=True)}"

    def exchange(self, code: str, **changes: Any) -> httpx.Response:
        """Exchange a code for tokens."""
        asked = {
            "grant_type": "authorization_code", "code": code, "client_id": self.id, "redirect_uri": self.redirect,
            "code_verifier": self.verifier,
        }  # fmt: skip
        return httpx.post(f"{self.server}/oauth/token/", data=asked | changes, timeout=60)

    def refresh(self, token: str, **changes: Any) -> httpx.Response:
        """Exchange a refresh token for tokens."""
        asked = {"grant_type": "refresh_token", "refresh_token": token, "client_id": self.id}
        return httpx.post(f"{self.server}/oauth/token/", data=asked | changes, timeout=60)

    def revoke(self, token: str) -> httpx.Response:
        """Revoke a token."""
        data = {"token": token, "client_id": self.id}
        return httpx.post(f"{self.server}/oauth/revoke/", data=data, timeout=60)


def lists_tools(server: str, token: str, *, path: str) -> int:
    """Return the status of a tools/list at an MCP address with this token."""
    sent = {"Authorization": f"Bearer {token}", "Accept": "application/json, text/event-stream"}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    return httpx.post(f"{server}{path}", json=message, headers=sent, timeout=60).status_code


def calls(server: str, token: str) -> int:
    """Return the status of a call of a linescore tool with this token."""
    sent = {"Authorization": f"Bearer {token}"}
    return httpx.post(
        f"{server}/api/tools/linescore/query_linescore_data", content=b'{"limit":1}', headers=sent, timeout=60
    ).status_code


def allow_client(client: RawClient, *, cookie: str) -> dict[str, Any]:
    """Allow a client, and return its tokens."""
    code = answer_consent(client.address(), cookie=cookie)["code"]
    tokens: dict[str, Any] = client.exchange(code).json()
    return tokens
