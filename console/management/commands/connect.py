"""Connect an MCP client to this server: `manage.py connect claude`."""

import time
from argparse import ArgumentParser
from typing import Any

import httpx
from django.contrib.auth.models import User
from django.core.management.base import CommandError
from django.utils import timezone

from console.connect.clients import CLIENTS, write_instructions
from console.connect.queries import find_first_calls, list_grantable_scopes, make_key
from console.queries import find_active_user_by_name, list_superusers
from toolbox.access.people import find_person
from toolbox.database import event_loop
from toolbox.database.command import DatabaseCommand
from toolbox.http.server_address import find_address

TIMEOUT_SECONDS = 10
POLL_SECONDS = 0.5
LIST_TOOLS = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


class Command(DatabaseCommand):
    """Make a key, test it at the server's address, print a client's configuration, and wait for its first call."""

    help = "Make a key for an MCP client, print its configuration, test the connection, and show its first call."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add arguments: the client, the key's owner, name and rights, the server's address, and how long to wait."""
        parser.add_argument("client", choices=list(CLIENTS))
        parser.add_argument("--user", default="", help="Whose key it is; the superuser's, where there is one alone.")
        parser.add_argument("--name", default="", help="The key's name, which the audit shows.")
        parser.add_argument("--write", action="store_true", help="The key may also write.")
        parser.add_argument("--at", default="", help="The server's address; else TOOLROOM_URL, or quickstart's.")
        parser.add_argument("--wait", type=float, default=120, help="Seconds to wait for the first call; 0: none.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Connect the client; raises CommandError if the server refuses the key or does not answer."""
        owner = find_owner(options["user"])
        client, site = CLIENTS[options["client"]], (options["at"] or find_address()).rstrip("/")
        caller = event_loop.run(find_person(owner.pk))
        scopes = list_grantable_scopes(caller, writes=options["write"]) if caller else []
        started = timezone.now()
        row, key = make_key(
            name=options["name"] or f"{client.title} of {owner.username}", owner_id=owner.pk, scopes=scopes
        )
        count = count_tools(site, key=key)
        for step in write_instructions(client.id, site=site, key=key):
            self.stdout.write(f"# {step.what}:\n{step.text.rstrip()}\n")
        self.stderr.write(f"{site}/mcp answers with {count} tools. The key {row} may {', '.join(scopes)}.")
        until = time.monotonic() + options["wait"]
        if options["wait"]:
            self.stderr.write("Waiting for the first call; Ctrl-C ends the waiting alone.")
        while time.monotonic() < until:
            if calls := find_first_calls(owner_id=owner.pk, since=started, key_id=row.pk):
                first = calls[-1]
                self.stderr.write(f"First call: {first.tool}, {first.outcome}, {first.milliseconds:.1f} ms.")
                return
            time.sleep(POLL_SECONDS)


def find_owner(name: str) -> User:
    """Return the user of this name, or the only superuser; raises CommandError if there is none."""
    if name:
        if user := find_active_user_by_name(name):
            return user
        raise CommandError(f"No active user is called {name!r}. The admin and createsuperuser make users.")
    found = list_superusers()
    if len(found) != 1:
        raise CommandError("Say whose key it is: --user NAME.")
    return found[0]


def count_tools(site: str, *, key: str) -> int:
    """Return how many tools the server lists over MCP for the key; raises CommandError if it does not list them."""
    headers = {
        "Authorization": f"Bearer {key}", "Accept": "application/json, text/event-stream",
        "Mcp-Protocol-Version": "2025-06-18",
    }  # fmt: skip
    try:
        answer = httpx.post(f"{site}/mcp", json=LIST_TOOLS, headers=headers, timeout=TIMEOUT_SECONDS)
        return len(answer.raise_for_status().json()["result"]["tools"])
    except httpx.HTTPStatusError as refused:
        raise CommandError(f"{site}/mcp refuses the key with {refused.response.status_code}.") from refused
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, KeyError) as away:
        raise CommandError(f"No answer from {site}/mcp: {away}. Start the server, or say where it is: --at.") from away
