"""From nothing to a served season: `manage.py quickstart`."""

import signal
import subprocess
from argparse import ArgumentParser
from contextlib import suppress
from importlib import import_module
from typing import Any

import httpx
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError
from django.utils.module_loading import module_has_submodule
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from config.child_servers import ServerDidNotStart, free_port, reachable, web_server, workers
from config.demo import Demo, DemoKeyRevoked, ensure_demo
from config.embedded.broker import BrokerDidNotStart
from config.embedded.components import start_embedded
from config.postgres.cluster import PostgresDidNotStart
from config.sample_conversation import ConversationFailed, converse
from console.accounts.login import login_link_path
from devassist.editor.load import ensure_sample_state
from devassist.ingest.samples import UnusableWorkspace, give_configured
from graphql_proxy.ingest.samples import point_at
from toolbox.catalogue.prompts import load_prompts
from toolbox.catalogue.registry import registry
from toolbox.contract.tool import Tool
from toolbox.examples.cache import load_examples
from toolbox.http.server_address import announce_address

QUESTION = "How did Carolina do in February 2025, period by period?"
SHOWN_ROWS = 9
HEADINGS = {
    "game_date": "date", "home_team_code": "home", "away_team_code": "away", "period_number": "period",
    "goals_for": "for", "goals_against": "against", "empty_net_goals": "empty net", "period_outcome": "outcome",
}  # fmt: skip
FAILURES = (
    PostgresDidNotStart, BrokerDidNotStart, ServerDidNotStart, DemoKeyRevoked, DatabaseError, httpx.HTTPError,
    ConversationFailed, UnusableWorkspace,
)  # fmt: skip


class Command(BaseCommand):
    """Start the parts, load the samples, serve, and answer two real questions over HTTP."""

    help = "Start every part, load the samples, make a demo user and key, serve, and show real answers."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add where to serve, and whether only to check."""
        parser.add_argument("--check", action="store_true", help="Do it all, then stop: exit 0 if it worked, else 1.")
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8000, help="The first port to try.")
        parser.add_argument("--workers", type=int, default=1, help="Web processes.")
        parser.add_argument("--runs", type=int, default=20, help="Conversations that the worker answers at once.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the steps; a part that does not start ends the command with its reason."""
        console = Console(stderr=False, highlight=False)
        _listen_for_stop()
        try:
            demo = prepare(console)
            give_configured(demo.key)
            port = free_port(options["host"], wanted=0 if options["check"] else options["port"])
            point_at(f"http://{reachable(options['host'])}:{port}/graphql/")
            with (
                web_server(host=options["host"], port=port, workers=options["workers"]) as server,
                workers(runs=options["runs"]),
            ):
                address = f"http://{reachable(options['host'])}:{port}"
                show(console, demo=demo, address=address)
                converse(console, address=address, key=demo.key)
                if options["check"]:
                    console.print("[bold green]Everything works.[/]")
                    return
                console.print("Serving. Stop with Ctrl-C.")
                with announce_address(address):
                    _wait_for_stop(server)
        except FAILURES as failed:
            raise CommandError(f"quickstart stopped: {failed}") from failed
        except KeyboardInterrupt:
            raise SystemExit(130) from None


def prepare(console: Console) -> Demo:
    """Start the database, migrate it and load the samples; changes nothing that exists."""
    with console.status("Starting PostgreSQL 18 with pgvector, and Valkey (the first time takes some seconds) ..."):
        start_embedded()
    if settings.TOOLROOM_DATABASE_IS_EMBEDDED:
        console.print("[green]✓[/] PostgreSQL runs")
    if settings.TOOLROOM_BROKER_IS_EMBEDDED:
        console.print("[green]✓[/] Valkey runs, for jobs")
    with console.status("Migrating the database ..."):
        call_command("migrate", verbosity=0, interactive=False)
    console.print("[green]✓[/] The database is migrated")
    for toolkit in registry.toolkits():
        _load_samples(console, domain=toolkit.domain)
    loaded = [load_examples(toolkit.domain) for toolkit in registry.toolkits()]
    added, skipped = sum(one.added for one in loaded), sum(one.skipped for one in loaded)
    console.print(f"[green]✓[/] examples: {added:,} added, {skipped:,} already there")
    prompts = [load_prompts(toolkit.domain) for toolkit in registry.toolkits()]
    added, skipped = sum(one.added for one in prompts), sum(one.skipped for one in prompts)
    console.print(f"[green]✓[/] prompts: {added:,} added, {skipped:,} already there")
    demo = ensure_demo()
    ensure_sample_state(demo.username)
    return demo


def show(console: Console, *, demo: Demo, address: str) -> None:
    """Print the addresses and the key, and one answer fetched over HTTP."""
    tool = next(registry.tools(domain="linescore"))
    answer = _ask(tool, address=address, key=demo.key)
    took = answer["query_metadata"]["execution_time_ms"]
    console.print(f"\n[bold]{QUESTION}[/] {answer['count']} rows in {took} ms")
    table = Table(box=SIMPLE_HEAD)
    for column in answer["results"][0]:
        table.add_column(HEADINGS.get(column, column), no_wrap=True)
    for row in answer["results"][:SHOWN_ROWS]:
        table.add_row(*map(str, row.values()))
    if answer["count"] > SHOWN_ROWS:
        table.add_row("…", *[""] * (len(table.columns) - 1))
    console.print(table)
    console.print(
        f"\n  [bold]Open this first   {address}{login_link_path(demo.user)}[/]\n"
        f"  It logs you in once, within the hour; later {address}/ with the user and password below.\n\n"
        f"  Tools over REST   {address}/api/docs\n"
        f"  Tools over MCP    {address}/mcp\n"
        f"  Tables            {address}/api/resources/docs\n"
        f"  Pages             {address}/        ask, watch, and try each tool\n"
        f"  Admin             {address}/admin/   user [bold]{demo.username}[/], password [bold]{demo.password}[/]\n"
        f"  API key           [bold]{demo.key}[/]\n"
        f"  Connect a client  {address}/connect/   or: manage.py connect claude\n\n"
        f"  curl -X POST {address}/api/tools/{tool.domain}/{tool.name} \\\n"
        f"    -H 'Authorization: Bearer {demo.key}' \\\n"
        f"    -d '{tool.example_arguments.decode()}'\n",
        soft_wrap=True,
    )


def _load_samples(console: Console, *, domain: str) -> None:
    package = import_module(f"{domain}.ingest") if module_has_submodule(import_module(domain), "ingest") else None
    if package is None or not module_has_submodule(package, "samples"):
        return
    samples = import_module(f"{domain}.ingest.samples")
    with console.status(f"Loading the samples of {domain} ...") as status:
        report = samples.load_samples(
            on_progress=lambda report: status.update(f"Loading the samples of {domain}: {report.total:,} ...")
        )
    console.print(f"[green]✓[/] {domain}: {report.added:,} added, {report.skipped:,} already there")


def _ask(tool: Tool, *, address: str, key: str) -> dict[str, Any]:
    answer = httpx.post(
        f"{address}/api/tools/{tool.domain}/{tool.name}",
        content=tool.example_arguments,
        headers={"Authorization": f"Bearer {key}"},
        timeout=30,
    ).raise_for_status()
    data: dict[str, Any] = answer.json()["data"]
    return data


def _listen_for_stop() -> None:
    """End on SIGINT and SIGTERM alike from the beginning; a shell makes background processes ignore SIGINT."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    for sent in (signal.SIGINT, signal.SIGTERM):
        signal.signal(sent, stop)


def _wait_for_stop(server: subprocess.Popen[bytes]) -> None:
    """Wait until the server is stopped; raises ServerDidNotStart if it ends by itself."""
    with suppress(KeyboardInterrupt):
        raise ServerDidNotStart(f"the web server ended by itself, with {server.wait()}")
