"""Connecting a client: a configuration that works as it stands, a key of its own, its first call seen."""

import json
import re
import shlex
import tomllib
from io import StringIO
from typing import Any

import httpx
import pytest
from django.contrib.auth.models import Group, User
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.utils import timezone

from console.connect.clients import CLIENTS, write_instructions
from toolbox.contract.caller import hash_api_key
from toolbox.models import ApiKey, ToolCall

SITE = "https://tools.example.org"
KEY = "tr_k'ey"


def read_configuration(client: str, *, key: str) -> tuple[str, str]:
    """Return the address and key that a client would read from its instructions."""
    texts = [step.text for step in write_instructions(client, site=SITE, key=key)]
    if client == "claude":
        words = shlex.split(texts[0])
        assert words[:6] == ["claude", "mcp", "add", "--transport", "http", "toolroom"]
        return words[6], words[8] if len(words) > 8 else ""
    if client == "codex":
        server = tomllib.loads(texts[0])["mcp_servers"]["toolroom"]
        exported = texts[1].removeprefix(f"export {server.get('bearer_token_env_var')}=")
        return server["url"], f"Authorization: Bearer {shlex.split(exported)[0]}" if key else ""
    [server] = [one["toolroom"] for one in json.loads(texts[0]).values()]
    held = server.get("headers", {}).get("Authorization", "")
    return server["url"], f"Authorization: {held}" if held else ""


@pytest.mark.parametrize("client", CLIENTS)
def test_a_configuration_holds_the_address_and_the_key(client: str) -> None:
    assert read_configuration(client, key=KEY) == (f"{SITE}/mcp", f"Authorization: Bearer {KEY}")
    assert read_configuration(client, key="") == (f"{SITE}/mcp", "")


@pytest.mark.usefixtures("scratch_database")
class TestPage:
    @pytest.fixture
    def operator(self) -> Client:
        """Log in a person who may create keys, and read only hockey."""
        user = User.objects.create_user("olga")
        user.groups.add(Group.objects.get(name="Operator"), Group.objects.create(name="linescore:read"))
        client = Client()
        client.force_login(user)
        return client

    def test_a_key_is_made_with_no_more_than_its_maker_may_and_shown_once(self, operator: Client) -> None:
        page = operator.post("/connect/key/", {"client": "cursor", "name": "mine", "writes": "on"}).content.decode()

        row = ApiKey.objects.get(name="mine")
        shown = page[page.index("tr_") :][:46]
        key = next(shown[:end] for end in range(len(shown), 10, -1) if hash_api_key(shown[:end]) == row.digest)
        assert (row.owner.username, row.expires_at is not None) == ("olga", True)
        assert set(row.scopes) == {"agents:read", "agents:write", "linescore:read"}
        assert key not in operator.get("/connect/?client=cursor").content.decode()

    def test_who_may_make_no_key_connects_without_one(self, client: Client) -> None:
        client.force_login(User.objects.create_user("erin"))

        page = client.get("/connect/?client=vscode").content.decode()

        assert "http://testserver/mcp" in page
        assert "Make a key" not in page
        assert client.post("/connect/key/", {"client": "vscode"}).status_code == 403

    def test_the_first_call_arrives(self, operator: Client) -> None:
        user = User.objects.get(username="olga")
        row, _ = ApiKey.make(name="mine", owner_id=user.pk, scopes=["linescore:read"])
        since = timezone.now().isoformat()
        watched: dict[str, Any] = {"since": since, "key": row.pk}

        for method in ("initialize", "tools/list"):  # what the page's own test sends, and no call of a tool
            make_call(key_id=row.pk, tool=method)
        waiting = operator.get("/connect/calls/", watched).content.decode()
        make_call(key_id=row.pk)
        arrived = operator.get("/connect/calls/", watched).content.decode()
        any_of_mine = operator.get("/connect/calls/", {"since": since}).content.decode()

        assert ("every 2s" in waiting, "every 2s" in arrived) == (True, False)
        assert "query_linescore_data" in arrived
        assert "query_linescore_data" in any_of_mine

    def test_another_person_s_calls_are_not_shown(self, operator: Client) -> None:
        alice = ApiKey.objects.get(name="alice")
        since = timezone.now().isoformat()
        make_call(key_id=alice.pk)

        watched: dict[str, Any] = {"since": since, "key": alice.pk}
        shown = operator.get("/connect/calls/", watched).content.decode()

        assert "query_linescore_data" not in shown

    @pytest.mark.parametrize(
        "query",
        [
            {},
            {"since": "x"},
            {"since": "2025-01-01"},
            {"since": "2025-02-30T00:00:00Z"},
            {"since": "9999-12-31T23:59:59-23:59"},
            {"since": "0001-01-01T00:00:00+23:59"},
            {"since": "2025-01-01T00:00:00Z", "key": "9" * 30},
        ],
    )
    def test_nonsense_is_not_found(self, operator: Client, query: dict[str, Any]) -> None:
        assert operator.get("/connect/calls/", query).status_code == 404


def make_call(*, key_id: int, tool: str = "query_linescore_data") -> None:
    ToolCall.objects.create(
        called_at=timezone.now(), request_id="r", caller="mine", key_id=key_id, transport="mcp", domain="linescore",
        tool=tool, arguments="{}", outcome="answered", status=200, answer_bytes=2, milliseconds=1.5,
    )  # fmt: skip


class TestCommand:
    def test_it_makes_a_key_that_works_where_the_server_is(self, server: str, scratch: None) -> None:
        printed, said = StringIO(), StringIO()

        call_command("connect", "cursor", user="alice", at=server, wait=0, name="laptop", stdout=printed, stderr=said)

        configuration = json.loads(printed.getvalue().partition("\n")[2])["mcpServers"]["toolroom"]
        answer = httpx.post(
            configuration["url"], headers=configuration["headers"], json={"jsonrpc": "2.0", "id": 1, "method": "ping"}
        )
        assert configuration["url"] == f"{server}/mcp"
        assert answer.status_code == 200
        assert "tools" in said.getvalue()

    def test_a_server_that_is_not_there_is_said(self, scratch: None) -> None:
        with pytest.raises(CommandError, match=re.escape("No answer from http://127.0.0.1:9/mcp")):
            call_command("connect", "cursor", user="alice", at="http://127.0.0.1:9", wait=0)

    def test_whose_key_it_is_must_be_clear(self, scratch: None) -> None:
        with pytest.raises(CommandError, match="nobody-here"):
            call_command("connect", "cursor", user="nobody-here", at="http://127.0.0.1:9")


@pytest.fixture
def scratch(django_db_setup: None, django_db_blocker: Any) -> Any:
    """Let the test write to the server's database, and delete its keys afterwards."""
    with django_db_blocker.unblock():
        before = set(ApiKey.objects.values_list("pk", flat=True))
        yield
        ApiKey.objects.exclude(pk__in=before).delete()
