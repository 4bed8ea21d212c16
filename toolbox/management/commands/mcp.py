"""MCP over standard input and output: `manage.py mcp`."""

import asyncio
import os
import sys
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.db import connection
from mcp.server.stdio import stdio_server

from toolbox.catalogue.registry import registry
from toolbox.contract.caller import LOCAL_OPERATOR
from toolbox.database import event_loop
from toolbox.database.command import DatabaseCommand
from toolbox.mcp.jsonrpc import StdioErrorResponder
from toolbox.mcp.server import mcp_server

TRANSPORT = "stdio"


class Command(DatabaseCommand):
    """Serve one MCP client; standard output carries the protocol and nothing else."""

    help = "Serve MCP on standard input and output, as TOOLROOM_API_KEY or, without it, as the local operator."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add which tools to offer."""
        parser.add_argument("--domain", help="Offer this domain's tools only.")
        parser.add_argument("--compact", action="store_true", help="Offer all behind three: find, describe, call.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Serve until the client closes its end; starts the embedded database if needed."""
        domains = [toolkit.domain for toolkit in registry.toolkits()]
        if options["domain"] not in (None, *domains):
            raise CommandError(f"there is no domain {options['domain']}; there are {', '.join(domains)}")
        connection.close()
        asyncio.run(_serve(domain=options["domain"], is_compact=options["compact"]))


async def _serve(*, domain: str | None, is_compact: bool) -> None:
    event_loop.adopt_running_loop()
    caller = settings.TOOLROOM_API_KEY or LOCAL_OPERATOR
    server = mcp_server(
        registry, transport=TRANSPORT, credential_of=lambda _: caller, domain=domain, is_compact=is_compact
    )
    try:
        async with stdio_server() as (read, write):
            lines = StdioErrorResponder(read, write=write)
            await server.run(lines, write, server.create_initialization_options())
    except* BrokenPipeError:
        _forget_output()
    finally:
        await event_loop.close()


def _forget_output() -> None:
    """Redirect standard output to the null device after the client closed its end, so that Python exits cleanly."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
