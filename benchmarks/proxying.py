"""Run the proxy's benchmark: judging documents in this process, then requests through servers."""

import asyncio
import json
import time
from collections.abc import Callable

import httpx
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connections
from graphql import GraphQLSchema, build_schema, specified_rules, validate

from benchmarks.latency import Latency, measure_over_http
from benchmarks.scratch import Scratch
from benchmarks.servers import HOST, toolroom_server
from benchmarks.tool_requests import JSON, MCP, KeptConnection, ToolRequest
from graphql_proxy.documents import measure_text, parse_document
from graphql_proxy.ingest.samples import load_samples, point_at
from graphql_proxy.schema.cost import Surroundings, weigh
from graphql_proxy.schema.search import SchemaIndex
from linescore.ingest.samples import load_samples as load_season
from tests.data.reference import read_text
from toolbox.models import ApiKey

STANDINGS = (
    '{ leagueStandings(slug: "nhl", season: "2024-2025", limit: 5) { position team { name } stats { GP W PTS } } }'
)
TYPICAL = """
query Leaders($league: String!, $season: String!) {
  leagueSkaterStats(slug: $league, season: $season, limit: 10, sort: "-regularStats.PTS") {
    totalCount
    edges { player { id name } team { id name } regularStats { GP G A PTS PIM PM } }
  }
}
"""
WORDS = ("goalie save percentage", "standings", "draft pick round", "plaer stats", "team roster season")
TYPES_WANTED = 1_600
CONCURRENT = 100
LEAST_TIMES = 30
ROUNDS = 5


def run(scratch: Scratch, *, seconds: float) -> None:
    """Measure and print."""
    print("| what | median ms | p95 ms | wanted |\n|---|---|---|---|")
    for name, schema in _schemas():
        _judging(name, schema, seconds=seconds)
    key = _fill()
    environment = scratch.environment
    with toolroom_server(environment=environment) as upstream, toolroom_server(environment=environment) as proxy:
        point_at(f"http://{HOST}:{upstream.port}/graphql/")
        connections.close_all()
        _overhead(upstream.port, proxy.port, key=key, seconds=seconds)
        asyncio.run(_together(proxy.port, key=key))


def _schemas() -> list[tuple[str, GraphQLSchema]]:
    """Return a real schema, and one of 1,600 types built from it."""
    text = read_text("graphql/eliteprospects.graphql")
    real = build_schema(text)
    return [(f"{_types(real):,} types", real), _grown(text, real)]


def _grown(text: str, schema: GraphQLSchema) -> tuple[str, GraphQLSchema]:
    """Add types with an average number of fields until there are enough."""
    missing = TYPES_WANTED - _types(schema)
    more = "\n".join(
        f"type Grown{n} {{ {' '.join(f'field{f}(limit: Int): Grown{(n * 7 + f) % missing}' for f in range(12))} }}"
        for n in range(missing)
    )
    grown = build_schema(f"{text}\n{more}\nextend type Query {{ grown: Grown0 }}")
    return f"{_types(grown):,} types", grown


def _types(schema: GraphQLSchema) -> int:
    return sum(not name.startswith("__") for name in schema.type_map)


def _judging(name: str, schema: GraphQLSchema, *, seconds: float) -> None:
    query = TYPICAL if "leagueSkaterStats" in (schema.query_type.fields if schema.query_type else {}) else STANDINGS
    around = Surroundings(variables={"league": "nhl", "season": "2024-2025"}, schema=schema, assumed_list_size=20)
    wanted = 15 if "1,6" in name else 5
    numbers = iter(range(10**9))

    def guard_and_validate() -> None:
        text = f"{query}# {next(numbers)}"  # a document that was never seen
        document = parse_document(text, measure=measure_text(text, most_tokens=5_000))
        weigh(document, around=around)
        if validate(schema, document.node, specified_rules):
            raise RuntimeError(f"the typical query is not valid on {name}")

    _row(f"guard and validate a new document, {name}", _timed(guard_and_validate, seconds=seconds), wanted=wanted)
    index = SchemaIndex.from_schema(schema)
    _row(
        f"search, {name}",
        _timed(lambda: [index.search(words, limit=10) for words in WORDS], seconds=seconds, of=5),
        wanted=10,
    )


def _timed(work: Callable[[], object], *, seconds: float, of: int = 1) -> Latency:
    """Time `work` for so many seconds, a few times at least; returns CPU time per each of the `of` items."""
    for _ in range(5):
        work()
    taken: list[float] = []
    until = time.monotonic() + seconds
    while len(taken) < LEAST_TIMES or time.monotonic() < until:
        started = time.process_time()
        work()
        taken.append((time.process_time() - started) / of)
    return Latency.of(taken)


def _fill() -> str:
    """Fill the scratch database with the season and our own upstream; returns a key."""
    call_command("migrate", verbosity=0)
    load_season()
    load_samples()
    owner = User.objects.create_user("benchmark")
    _, key = ApiKey.make(name="benchmark", owner_id=owner.pk, scopes=["*:read"])
    return key


def _overhead(upstream: int, proxy: int, *, key: str, seconds: float) -> None:
    bearer = {"Authorization": f"Bearer {key}"}
    arguments = {"query": STANDINGS}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": "execute_graphql", "arguments": arguments}}  # fmt: skip
    tool = "/api/tools/graphql_proxy/execute_graphql"
    direct = ToolRequest(path="/graphql/", body=json.dumps(arguments), headers=JSON | bearer)
    rest = ToolRequest(path=tool, body=json.dumps(arguments), headers=JSON | bearer)
    mcp = ToolRequest(path="/mcp", body=json.dumps(call), headers=MCP | bearer)
    series = {"direct": (upstream, direct), "REST": (proxy, rest), "MCP": (proxy, mcp)}
    for name, (port, request) in series.items():
        if b"Winnipeg" not in KeptConnection(port=port).call(request):
            raise RuntimeError(f"{name} did not answer the standings")
    found = measure_over_http(series, seconds=seconds)
    for name, latency in found.items():
        _row(f"one query of our own upstream, {name}", latency)
    for transport in ("REST", "MCP"):
        added = found[transport].median - found["direct"].median
        print(f"| added by the proxy, {transport} | {added:.2f} | | under 5 |")


async def _together(port: int, *, key: str) -> None:
    headers = {"Authorization": f"Bearer {key}"}
    limits = httpx.Limits(max_connections=CONCURRENT)
    address = f"http://{HOST}:{port}/api/tools/graphql_proxy/execute_graphql"
    taken: list[float] = []
    failures = 0
    async with httpx.AsyncClient(headers=headers, limits=limits, timeout=60) as client:

        async def one(number: int) -> None:
            nonlocal failures
            started = time.perf_counter()
            query = STANDINGS.replace("limit: 5", f"limit: {number % 30 + 1}")
            answer = await client.post(address, json={"query": query})
            taken.append(time.perf_counter() - started)
            failures += answer.status_code != httpx.codes.OK or bool(answer.json()["errors"])

        for _ in range(ROUNDS):
            await asyncio.gather(*(one(number) for number in range(CONCURRENT)))
    _row(f"{CONCURRENT} at once, {failures} of {len(taken)} failed", Latency.of(taken))


def _row(what: str, latency: Latency, *, wanted: float | None = None) -> None:
    limit = f"under {wanted:g}" if wanted else ""
    print(f"| {what} | {latency.median:.2f} | {latency.p95:.2f} | {limit} |", flush=True)
