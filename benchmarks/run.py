"""Run the linescore benchmark, from an empty database to the printed tables."""

import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connections

from benchmarks import report
from benchmarks.latency import Latency, measure_in_process, measure_over_http
from benchmarks.load import load_ten_seasons
from benchmarks.peers import (
    PeerMissing,
    fastmcp_server,
    toolbox_arguments,
    toolbox_rest_request,
    toolbox_server,
)
from benchmarks.plans import explain
from benchmarks.questions import CONTRACT_EXAMPLES, HEAVIER, PATTERN_1
from benchmarks.scratch import Scratch
from benchmarks.servers import RunningServer, toolroom_server
from benchmarks.throughput import Load, drive, middle
from benchmarks.tool_requests import KeptConnection, ToolRequest, WrongAnswer, mcp_request, rest_request, rows_answered
from toolbox.models import ApiKey, ToolCall

QUESTIONS = (*CONTRACT_EXAMPLES, *HEAVIER)
CLIENTS = (1, 8, 32)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How long to measure."""

    latency_seconds: float
    rounds: int
    load_seconds: float


FULL = Pace(latency_seconds=0.6, rounds=3, load_seconds=2)
QUICK = Pace(latency_seconds=0.15, rounds=1, load_seconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """One transport of one server, called with pattern 1."""

    name: str
    server: RunningServer
    request: ToolRequest


def run(scratch: Scratch, *, quick: bool, with_peers: bool) -> None:
    """Fill the database, measure, print."""
    pace = QUICK if quick else FULL
    with _step("migrating, and loading ten seasons"):
        call_command("migrate", verbosity=0)
        loaded = load_ten_seasons()
        key = _make_key()
    report.print_head(loaded, quick=quick)
    with _step("asking for plans"):
        plans = {question.name: explain(question, reader_url=scratch.reader_url) for question in QUESTIONS}
    report.print_plans(plans)
    with _step("measuring the statement and answer()"):
        in_process = measure_in_process(QUESTIONS, reader_url=scratch.reader_url, key=key, seconds=pace.latency_seconds)
    with ExitStack() as stack:
        with _step("starting servers"):
            ours = _our_servers(stack)
        with _step("measuring REST and MCP, one client"):
            over_http = _over_http(ours, key=key, seconds=pace.latency_seconds)
        report.print_latency({name: series | over_http[name] for name, series in in_process.items()})
        contenders = _contenders(ours, key=key)
        if with_peers:
            contenders += _peers(stack, scratch=scratch)
        _check_answers(contenders)
        before = ToolCall.objects.count()
        measured = _throughput(contenders, pace=pace)
    # The servers have ended, and with them the audit log is written.
    report.print_throughput(measured)
    report.print_audit(recorded=ToolCall.objects.count() - before, measured=measured)
    connections.close_all()


def _make_key() -> str:
    owner = User.objects.create_user("benchmark")
    return ApiKey.make(name="benchmark", owner_id=owner.pk, scopes=["linescore:read"])[1]


def _our_servers(stack: ExitStack) -> dict[str, RunningServer]:
    setups: dict[str, tuple[dict[str, str], int]] = {
        "middleware": ({"TOOLROOM_FAST_LANE": "1"}, 1),
        "ninja": ({"TOOLROOM_FAST_LANE": "0"}, 1),
        "two workers": ({"TOOLROOM_FAST_LANE": "1"}, 2),
    }
    return {
        name: stack.enter_context(toolroom_server(environment=environment, workers=workers))
        for name, (environment, workers) in setups.items()
    }


def _over_http(ours: Mapping[str, RunningServer], *, key: str, seconds: float) -> dict[str, dict[str, Latency]]:
    fast, ninja = ours["middleware"].port, ours["ninja"].port
    return {
        question.name: measure_over_http(
            {
                "REST": (fast, rest_request(question, key=key)),
                "REST by Django": (ninja, rest_request(question, key=key)),
                "MCP": (fast, mcp_request(question.arguments, key=key)),
            },
            seconds=seconds,
        )
        for question in QUESTIONS
    }


def _contenders(ours: Mapping[str, RunningServer], *, key: str) -> list[Contender]:
    rest, mcp = rest_request(PATTERN_1, key=key), mcp_request(PATTERN_1.arguments, key=key)
    return [
        Contender(name=report.OURS, server=ours["middleware"], request=rest),
        Contender(name=report.OURS_ON_TWO, server=ours["two workers"], request=rest),
        Contender(name="Toolroom REST by Django", server=ours["ninja"], request=rest),
        Contender(name="Toolroom MCP", server=ours["middleware"], request=mcp),
        Contender(name="Toolroom MCP, two workers", server=ours["two workers"], request=mcp),
    ]


def _peers(stack: ExitStack, *, scratch: Scratch) -> list[Contender]:
    folder = Path(settings.TOOLROOM_VAR) / "bench"
    found = []
    with _step("starting FastMCP (installed on the first run)"), _or_without("FastMCP"):
        peer = stack.enter_context(fastmcp_server(folder, question=PATTERN_1, scratch=scratch))
        found.append(Contender(name=report.FASTMCP, server=peer, request=mcp_request(PATTERN_1.arguments)))
    with _step("starting MCP Toolbox (installed on the first run)"), _or_without("MCP Toolbox"):
        peer = stack.enter_context(toolbox_server(folder, question=PATTERN_1, scratch=scratch))
        mcp = mcp_request(toolbox_arguments(PATTERN_1))
        found += [
            Contender(name=report.TOOLBOX_REST, server=peer, request=toolbox_rest_request(PATTERN_1)),
            Contender(name=report.TOOLBOX_MCP, server=peer, request=mcp),
        ]
    return found


def _check_answers(contenders: list[Contender]) -> None:
    """Check that all servers return the same rows before measuring; raises WrongAnswer."""
    expected = 0
    for contender in contenders:
        kept = KeptConnection(port=contender.server.port)
        rows = rows_answered(kept.call(contender.request))
        kept.close()
        expected = expected or rows
        if rows not in (expected, 2 * expected):
            raise WrongAnswer(f"{contender.name} answered {rows} rows, not {expected}")


def _throughput(contenders: list[Contender], *, pace: Pace) -> dict[str, dict[int, Load]]:
    """Measure all servers alternately, and return each one's median round by number of clients."""
    rounds: dict[tuple[str, int], list[Load]] = {}
    for number in range(pace.rounds):
        for contender in contenders:
            with _step(f"round {number + 1} of {pace.rounds}: {contender.name}"):
                drive(contender.server, contender.request, clients=8, seconds=1)
                for clients in CLIENTS:
                    load = drive(contender.server, contender.request, clients=clients, seconds=pace.load_seconds)
                    rounds.setdefault((contender.name, clients), []).append(load)
    return {
        contender.name: {clients: middle(rounds[contender.name, clients]) for clients in CLIENTS}
        for contender in contenders
    }


@contextmanager
def _step(what: str) -> Iterator[None]:
    started = time.monotonic()
    print(f"{what} ...", end=" ", file=sys.stderr, flush=True)
    yield
    print(f"{time.monotonic() - started:.1f} s", file=sys.stderr, flush=True)


@contextmanager
def _or_without(name: str) -> Iterator[None]:
    try:
        yield
    except PeerMissing as missing:
        print(f"{name} is left out: {missing}.")
