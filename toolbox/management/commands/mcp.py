"""MCP over standard input and output: `manage.py mcp`."""

import asyncio
import os
import sys
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connection
from mcp.server.stdio import stdio_server

from toolbox import home
from toolbox.callers import LOCAL_OPERATOR
from toolbox.mcp_face import mcp_server
from toolbox.mcp_lines import AnsweredLines
from toolbox.registry import registry

FACE = "stdio"


class Command(BaseCommand):
    """Serve one MCP client; standard output carries the protocol and nothing else."""

    help = "Serve MCP on standard input and output, as TOOLROOM_API_KEY or, without it, as the local operator."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take which tools to offer."""
        parser.add_argument("--domain", help="Offer this domain's tools only.")
        parser.add_argument("--compact", action="store_true", help="Offer all behind three: find, describe, call.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Serve until the client closes its end; the database is started on demand."""
        domains = [toolkit.domain for toolkit in registry.toolkits()]
        if options["domain"] not in (None, *domains):
            raise CommandError(f"there is no domain {options['domain']}; there are {', '.join(domains)}")
        connection.ensure_connection()
        connection.close()
        asyncio.run(_serve(domain=options["domain"], is_compact=options["compact"]))


async def _serve(*, domain: str | None, is_compact: bool) -> None:
    home.claim()
    caller = settings.TOOLROOM_API_KEY or LOCAL_OPERATOR
    server = mcp_server(registry, face=FACE, credential_of=lambda _: caller, domain=domain, is_compact=is_compact)
    try:
        async with stdio_server() as (read, write):
            lines = AnsweredLines(read, write=write)
            await server.run(lines, write, server.create_initialization_options())
    except* BrokenPipeError:
        _forget_output()
    finally:
        await home.close()


def _forget_output() -> None:
    """Let Python end without complaint where the client has closed its end: nobody reads what is left."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
