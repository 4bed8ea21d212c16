"""One run of mcp_load.py: servers, alternating rounds, the table."""

import json
import os
import platform
import secrets
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import Group, User
from django.core.management import call_command
from django.db import connections
from django.utils import timezone
from oauth2_provider.models import AccessToken, Application, set_token_value

from benchmarks.peers import CONNECTIONS, PeerMissing, fastmcp_server, toolbox_arguments, toolbox_server
from benchmarks.questions import PATTERN_1
from benchmarks.run import Contender
from benchmarks.scratch import Scratch
from benchmarks.servers import HOST, RunningServer, free_port, running, toolroom_server
from benchmarks.throughput import Load, drive, generator_name, middle
from benchmarks.tool_requests import KeptConnection, WrongAnswer, mcp_request, rows_answered
from linescore.ingest.samples import load_samples
from toolbox.models import ApiKey, ToolCall
from toolbox.oauth.validators import PREFIX

CLIENTS = 10
OURS, OAUTH, SDK = "Toolroom, API key", "Toolroom, OAuth token", "official SDK's server"
ON_TWO = "Toolroom, API key, two workers"
FASTMCP, TOOLBOX = "FastMCP", "MCP Toolbox"
LEAST_TIMES_THE_SDK = 5.0
LEAST_TIMES_A_KEY = 0.9


def run(scratch: Scratch, *, quick: bool, with_peers: bool) -> None:
    """Fill the database, measure in alternation, print."""
    rounds, seconds = (1, 2) if quick else (5, 3)
    call_command("migrate", verbosity=0)
    load_samples()
    key, token = _credentials()
    with ExitStack() as stack:
        ours = stack.enter_context(toolroom_server(environment={}))
        contenders = [
            Contender(name=OURS, server=ours, request=mcp_request(PATTERN_1.arguments, key=key)),
            Contender(name=OAUTH, server=ours, request=mcp_request(PATTERN_1.arguments, key=token)),
            Contender(name=SDK, server=_sdk(stack, scratch=scratch), request=mcp_request(PATTERN_1.arguments)),
        ]
        if with_peers:
            on_two = stack.enter_context(toolroom_server(environment={}, workers=2))
            contenders.append(Contender(name=ON_TWO, server=on_two, request=contenders[0].request))
            contenders += _peers(stack, scratch=scratch)
        _check_answers(contenders)
        before = ToolCall.objects.count()
        measured: dict[str, list[Load]] = {contender.name: [] for contender in contenders}
        for contender in contenders:
            drive(contender.server, contender.request, clients=CLIENTS, seconds=1)
        for number in range(rounds):
            for contender in contenders[number:] + contenders[:number]:
                load = drive(contender.server, contender.request, clients=CLIENTS, seconds=seconds)
                measured[contender.name].append(load)
    _print({name: middle(loads) for name, loads in measured.items()}, quick=quick)
    calls = sum(load.calls for name in (OURS, OAUTH, ON_TWO) for load in measured.get(name, []))
    _goal("every call left an audit row", f"{ToolCall.objects.count() - before:,} for {calls:,} counted calls",
          met=ToolCall.objects.count() - before >= calls)  # fmt: skip
    connections.close_all()


def _credentials() -> tuple[str, str]:
    """Create a key, and an OAuth token of a client; both may read linescore."""
    owner = User.objects.create_user("benchmark")
    owner.groups.add(Group.objects.get_or_create(name="linescore:read")[0])
    key = ApiKey.make(name="benchmark", owner_id=owner.pk, scopes=["linescore:read"])[1]
    client = Application.objects.create(
        name="benchmark", client_type="public", authorization_grant_type="authorization-code",
        redirect_uris="http://127.0.0.1/callback",
    )  # fmt: skip
    row = AccessToken(
        user=owner, application=client, scope="linescore:read", expires=timezone.now() + timedelta(hours=1)
    )
    token = PREFIX + secrets.token_urlsafe(32)
    set_token_value(row, token)
    row.save()
    return key, token


def _sdk(stack: ExitStack, *, scratch: Scratch) -> RunningServer:
    port = free_port()
    setup = {
        "database": scratch.reader_url, "connections": CONNECTIONS, "statement": PATTERN_1.statement.sql, "host": HOST,
        "port": port,
    }  # fmt: skip
    program = Path(__file__).with_name("mcp_sdk_peer.py")
    environment = {"BENCHMARK_PEER": json.dumps(setup)}
    return stack.enter_context(running([sys.executable, str(program)], port=port, environment=environment))


def _peers(stack: ExitStack, *, scratch: Scratch) -> list[Contender]:
    folder = Path(settings.TOOLROOM_VAR) / "bench"
    found = []
    with _or_without(FASTMCP):
        peer = stack.enter_context(fastmcp_server(folder, question=PATTERN_1, scratch=scratch))
        found.append(Contender(name=FASTMCP, server=peer, request=mcp_request(PATTERN_1.arguments)))
    with _or_without(TOOLBOX):
        peer = stack.enter_context(toolbox_server(folder, question=PATTERN_1, scratch=scratch))
        found.append(Contender(name=TOOLBOX, server=peer, request=mcp_request(toolbox_arguments(PATTERN_1))))
    return found


def _check_answers(contenders: list[Contender]) -> None:
    """Check that all servers return the same rows before measuring; raises WrongAnswer."""
    expected = 0
    for contender in contenders:
        kept = KeptConnection(port=contender.server.port)
        rows = rows_answered(kept.call(contender.request))
        kept.close()
        expected = expected or rows
        if rows not in (expected, expected // 2, 2 * expected):
            raise WrongAnswer(f"{contender.name} answered {rows} rows, not {expected}")


def _print(measured: dict[str, Load], *, quick: bool) -> None:
    busy = os.getloadavg()[0]
    print(f"{os.cpu_count()} cores, Python {platform.python_version()}, load by {generator_name()}, {CLIENTS} clients,")
    print(f"load average {busy:.1f} at the end{'; a quick run: the figures are rough' if quick else ''}.\n")
    print("| MCP tool calls | calls a second | p50 ms | p99 ms | CPU µs a call | failed |\n|---|--:|--:|--:|--:|--:|")
    for name, load in measured.items():
        cpu = "?" if load.cpu_us_per_call is None else f"{load.cpu_us_per_call:,.0f}"
        print(
            f"| {name} | {load.calls_per_second:,.0f} | {load.p50_ms:.1f} | {load.p99_ms:.1f} | {cpu} | {load.failed} |"
        )
    print()
    ours = measured[OURS]
    times = ours.calls_per_second / measured[SDK].calls_per_second
    _goal(f"at least {LEAST_TIMES_THE_SDK:g}x the SDK's calls a second", f"{times:.2f}x",
          met=times >= LEAST_TIMES_THE_SDK)  # fmt: skip
    beside = measured[OAUTH].calls_per_second / ours.calls_per_second
    _goal("a token of OAuth costs what a key does", f"{beside:.2f}x", met=beside >= LEAST_TIMES_A_KEY)
    used = measured[SDK].cpu_us_per_call, ours.cpu_us_per_call
    if used[0] and used[1]:
        print(f"- CPU a call: {used[0] / used[1]:.2f}x less than the SDK's, which a busy machine distorts least")
    for name in (SDK, TOOLBOX):
        if name in measured:
            _goal(f"p99 lower than {name}", f"{ours.p99_ms:.1f} against {measured[name].p99_ms:.1f} ms",
                  met=ours.p99_ms < measured[name].p99_ms)  # fmt: skip
    if TOOLBOX in measured:
        for name in (OURS, ON_TWO):
            times = measured[name].calls_per_second / measured[TOOLBOX].calls_per_second
            _goal(f"at least MCP Toolbox's calls a second, by {name}", f"{times:.2f}x", met=times >= 1)


def _goal(what: str, figure: str, *, met: bool) -> None:
    print(f"- {'met' if met else 'MISSED'}: {what}: {figure}")


@contextmanager
def _or_without(name: str) -> Iterator[None]:
    try:
        yield
    except PeerMissing as missing:
        print(f"{name} is left out: {missing}.")
