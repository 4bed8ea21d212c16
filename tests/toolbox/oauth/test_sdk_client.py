"""The official SDK's own OAuth client against the real server: found, registered, allowed, refreshed, stepped up."""

from collections.abc import Callable

import httpx2
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from mcp.client import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from pydantic import AnyUrl

from tests.toolbox.oauth.browser import REDIRECT, answer_consent, session_of
from tests.toolbox.transports import A_TOOL, PLAIN_HTTP

OTHER = "list_backtest_runs"
METADATA = OAuthClientMetadata(client_name="SDK", redirect_uris=[AnyUrl(REDIRECT)])


class StoredTokens:
    """What a client stores between its starts."""

    def __init__(self) -> None:
        self.tokens: list[OAuthToken] = []
        self.client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens[-1] if self.tokens else None

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens.append(tokens)

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


async def test_the_sdk_s_client_finds_its_way_in_and_on(server: str, make_person: Callable[..., User]) -> None:
    person = await sync_to_async(make_person)("linescore:read", "backtests:read")
    cookie = await sync_to_async(session_of)(person)
    ticks, kept, told = {"linescore:read"}, StoredTokens(), dict[str, str]()

    async def go(address: str) -> None:
        told.update(await sync_to_async(answer_consent, thread_sensitive=False)(address, cookie=cookie, ticks=ticks))

    async def come_back() -> AuthorizationCodeResult:
        return AuthorizationCodeResult(code=told["code"], state=told["state"], iss=told["iss"])

    auth = OAuthClientProvider(f"{server}/mcp", METADATA, kept, go, come_back)
    async with (
        httpx2.AsyncClient(auth=auth, timeout=30, verify=PLAIN_HTTP) as http,
        Client(streamable_http_client(f"{server}/mcp", http_client=http)) as client,
    ):
        listed = {tool.name for tool in (await client.list_tools()).tools}
        answered = await client.call_tool(A_TOOL.name, {"limit": 1})
        auth.context.token_expiry_time = 1.0  # as if an hour had passed
        again = await client.call_tool(A_TOOL.name, {"limit": 1})
        ticks.add("backtests:read")
        stepped_up = await client.call_tool(OTHER, {})

    scopes = [set((tokens.scope or "").split()) for tokens in kept.tokens]
    assert A_TOOL.name in listed
    assert OTHER not in listed
    assert not any(result.is_error for result in (answered, again, stepped_up))
    assert scopes == [{"linescore:read"}, {"linescore:read"}, {"linescore:read", "backtests:read"}]
    assert kept.tokens[0].refresh_token != kept.tokens[1].refresh_token
