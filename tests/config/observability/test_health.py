"""What a probe, Prometheus and a reader of the log see."""

import json
import logging
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from django.core.asgi import get_asgi_application
from prometheus_client.parser import text_string_to_metric_families

from config.observability import health
from config.observability.health_middleware import HealthMiddleware
from config.observability.logs import JsonLines, RequestIds, TextLines
from toolbox.audit import traffic
from toolbox.audit.current_request import current_request
from toolbox.audit.log import audit
from toolbox.catalogue.registry import registry
from toolbox.database import event_loop
from toolbox.mcp.endpoint import McpMiddleware
from toolbox.rest.middleware import ToolCallMiddleware

CALL = "/api/tools/linescore/query_linescore_data"


@pytest.fixture
def client(cast: SimpleNamespace) -> httpx.AsyncClient:
    django = McpMiddleware(get_asgi_application(), registry=registry)  # type: ignore[arg-type]
    transport = httpx.ASGITransport(HealthMiddleware(ToolCallMiddleware(django)))
    headers = {"Authorization": f"Bearer {cast.alice}"}
    return httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=headers, timeout=30)


@pytest.fixture(autouse=True)
def asked_anew() -> None:
    health._known.clear()


async def nothing() -> str:
    return "answers"


async def fail_probe() -> str:
    raise ConnectionError("secret address")


async def test_it_is_alive_under_any_host_without_a_database(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toolbox.database.pools.Pool._run", None)

    answer = await client.get("/healthz", headers={"Host": "10.0.0.7"})

    assert (answer.status_code, answer.json()) == (200, {"status": "alive"})


async def test_it_is_ready_while_what_is_needed_answers_and_says_nothing_secret(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "_broker", fail_probe)
    monkeypatch.setattr(health, "_workers", nothing)
    monkeypatch.setattr("devassist.find_callers.list_installed", lambda: {"ty": True, "jdtls": False})
    degraded = await client.get("/readyz")

    health._known.clear()
    monkeypatch.setattr(health, "_database", fail_probe)
    away = await client.get("/readyz")

    states = {part["name"]: part["state"] for part in degraded.json()["parts"]}
    assert states.pop("language servers") == "up"
    assert states.pop("notifications") in ("up", "none")  # nothing waits for them here
    assert states.pop("signing key") in ("up", "none")  # of the processes that other tests run
    assert "ty; not installed: jdtls" in degraded.text
    assert (degraded.status_code, degraded.json()["status"]) == (200, "degraded")
    assert states == {"database": "up", "broker": "down", "workers": "up", "model": "none", "upstream mock": "up"} | {
        name: state for name, state in states.items() if name.startswith("upstream ") and name != "upstream mock"
    }
    assert (away.status_code, away.json()["status"]) == (503, "not ready")
    assert "secret" not in degraded.text + away.text


async def test_a_part_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    import asyncio

    monkeypatch.setattr(health, "PATIENCE_SECONDS", 0.01)

    part = await health._part("broker", lambda: asyncio.sleep(60, "never"))

    assert (part.is_up, part.says) == (False, "no answer within 0.01 s")


async def test_the_figures_are_those_of_the_calls(
    client: httpx.AsyncClient, cast: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("_broker", "_workers", "_database"):
        monkeypatch.setattr(health, name, nothing)
    before = await figures(client)
    for code in ("CAR", "XYZ", "CAR"):
        await client.post(CALL, json={"teamCode": code})
    for name in ("made_up_1", "made_up_2"):
        await client.post(f"/api/tools/linescore/{name}", json={})

    after = await figures(client)
    bob = await client.get("/metrics", headers={"Authorization": f"Bearer {cast.bob}"})
    nobody = await client.get("/metrics", headers={"Authorization": ""})

    grown = {key: value - before.get(key, 0) for key, value in after.items() if value != before.get(key, 0)}
    tool = (("domain", "linescore"), ("tool", "query_linescore_data"))
    assert grown["toolroom_calls_total", (("domain", "linescore"), ("outcome", "answered"), tool[1])] == 2
    assert grown["toolroom_calls_total", (("domain", "linescore"), ("outcome", "refused"), tool[1])] == 1
    assert grown["toolroom_calls_total", (("domain", ""), ("outcome", "refused"), ("tool", ""))] == 2
    assert grown["toolroom_call_seconds_count", tool] == 3
    assert grown["toolroom_call_seconds_bucket", (tool[0], ("le", "+Inf"), tool[1])] == 3
    assert not any("made_up" in str(key) for key in after)
    assert (bob.status_code, nobody.status_code) == (403, 401)


async def figures(client: httpx.AsyncClient) -> dict[Any, float]:
    """Read /metrics as Prometheus does."""
    await audit.flush()
    answer = await client.get("/metrics")
    assert answer.status_code == 200
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


async def test_a_request_s_id_comes_back_and_stands_in_the_audit_on_every_way(client: httpx.AsyncClient) -> None:
    wanted = {"X-Request-ID": "trace-0123456789"}
    params = {"name": "query_linescore_data", "arguments": {}}
    calling = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    mcp = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}

    rest = await client.post(CALL, json={"teamCode": "CAR"}, headers=wanted)
    fast = await client.post("/mcp", json=calling, headers=wanted | mcp)
    page = await client.get("/api/resources/openapi.json", headers=wanted)
    odd = await client.post(CALL, json={}, headers={"X-Request-ID": 'no spaces or "quotes"'})
    await audit.flush()

    assert {answer.headers["x-request-id"] for answer in (rest, fast, page)} == {"trace-0123456789"}
    assert len(odd.headers["x-request-id"]) == 32
    assert await read_recorded("trace-0123456789") == {"rest", "mcp"}


async def read_recorded(request_id: str) -> set[str]:
    from toolbox.database.pools import owner_pool

    found = await owner_pool.fetch(
        "SELECT transport FROM toolbox_tool_calls WHERE request_id = %s LIMIT 10", [request_id]
    )
    return {row["transport"] for row in found.rows}


def test_a_line_of_the_log_is_an_object_with_the_request_s_id_and_no_secret() -> None:
    record = logging.LogRecord("toolbox", logging.WARNING, "", 1, "sent %s", ("Bearer abcdefgh12345",), None)
    token = current_request.set("trace-0123456789")
    try:
        RequestIds().filter(record)
    finally:
        current_request.reset(token)

    line = json.loads(JsonLines().format(record))

    assert line["message"] == "sent Bearer [redacted]"
    assert (line["request_id"], line["level"], line["logger"]) == ("trace-0123456789", "WARNING", "toolbox")


@pytest.mark.parametrize("formatter", [JsonLines(), TextLines("%(message)s")])
def test_neither_form_of_the_log_holds_a_secret(formatter: logging.Formatter) -> None:
    failure = (ValueError, ValueError("mysql -uroot -phunter2 shop"), None)
    record = logging.LogRecord("toolbox", logging.ERROR, "", 1, "login with password=%s failed", ("hunter2",), failure)

    line = formatter.format(record)

    assert "hunter2" not in line
    assert line.count("[redacted]") == 2
    assert "shop" in line


def test_the_database_counts_by_the_same_bounds_and_quantiles_lie_in_their_bucket(cast: SimpleNamespace) -> None:
    from toolbox.database.pools import owner_pool

    edges = [*(bound - 0.001 for bound in traffic.BOUNDS), traffic.BOUNDS[-1] + 1.0]
    found = event_loop.run(
        owner_pool.fetch("SELECT toolbox_bucket(ms) AS b FROM unnest(%s::float8[]) AS ms LIMIT 99", [edges])
    )
    one = traffic.Traffic("d", "t", {("answered", ""): 10}, [0] * len(traffic.BOUNDS) + [0])
    one.buckets[6] = 10

    assert [row["b"] for row in found.rows] == list(range(len(edges)))
    assert one.quantile(0.5) == 8.75
    assert traffic.Traffic("d", "t").quantile(0.5) is None
