"""
A filled database of 0.1.0 upgrades by `migrate`: keys, grants, conversations, audit rows and queued work are intact.

The database is the stored dump that make_dump.py made. Everything is asked over HTTP, as its users would.
"""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from celery import Celery
from django.conf import settings

from tests.agents.model_server import KEY, MODEL, ModelServer, model_server
from tests.agents.processes import own_broker, web, worker
from tests.agents.turns import says
from tests.upgrade.product import Browser, Client, Upstream, running_upstream, wait_for
from tests.upgrade.restoring import FACTS, upgraded
from tests.upgrade.rows import AUDIT, Values, count_rows, find_lost_rows, read_rows, read_values

FILLED_BY_MIGRATIONS = {"auth_group_permissions", "auth_permission", "django_content_type", "django_migrations"}
MADE_BY_MIGRATIONS = {"auth_group": 3}
"""Rows that migrations added since: the groups Curator, Analyst and Operator."""
CONVERTED = {"backtests_signatures"}
"""Shapes of sequences stand in blocks now; backtests/migrations/0005_shapes.py moves them there."""
RENAMED_TABLES: dict[str, str] = {}
"""Tables that a migration gave another name; tests/upgrade/public_names.json names the old one."""
LINESCORE = "linescore/query_linescore_data"
KEYS, RUNS, TASKS, JOBS, OAUTH = (FACTS[kind] for kind in ("keys", "runs", "tasks", "jobs", "oauth"))
SEASON = "linescore://seasons/2024-2025"
END_SECONDS = 90

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not settings.TOOLROOM_DATABASE_IS_EMBEDDED, reason="the dump grants to the embedded roles"),
]


@pytest.fixture(scope="module")
def upstream() -> Iterator[Upstream]:
    with running_upstream({"standings": [{"team": "CAR", "points": 99}]}) as running:
        yield running


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    with model_server() as running:
        yield running


@pytest.fixture(scope="module")
def environment(cast: object, upstream: Upstream, model: ModelServer) -> Iterator[dict[str, str]]:
    """Upgrade the dump; yields the environment of processes that use it."""
    with upgraded(upstream=upstream.address) as database, own_broker() as broker:
        yield database | {
            "CELERY_BROKER_URL": broker.address, "OPENAI_BASE_URL": model.address, "OPENAI_API_KEY": KEY,
            "AGENT_MODEL": MODEL,
        }  # fmt: skip


@pytest.fixture(scope="module")
def counted(environment: dict[str, str]) -> dict[str, int]:
    """Count all rows before anything is served."""
    return count_rows(environment["DATABASE_URL"])


@pytest.fixture(scope="module")
def audit(environment: dict[str, str]) -> dict[str, list[Values]]:
    """Read calls and their counts before any is added."""
    return {table: read_values(environment["DATABASE_URL"], RENAMED_TABLES.get(table, table)) for table in AUDIT}


@pytest.fixture(scope="module")
def address(environment: dict[str, str], counted: object, audit: object) -> Iterator[str]:
    """Serve the upgraded database without a worker."""
    with web(environment) as (address, _):
        yield address


@pytest.fixture(scope="module")
def writer(address: str) -> Client:
    return Client(address, key=KEYS["writer"])


@pytest.fixture(scope="module")
def curator(address: str) -> Browser:
    return Browser(address, name="curator", password=FACTS["password"])


@pytest.fixture(scope="module")
def answers(writer: Client) -> dict[str, Any]:
    """Read, before a worker changes anything, what was read when the dump was made."""
    return {path: writer.get(path) for path in FACTS["answers"]}


@pytest.fixture(scope="module")
def task_answers(writer: Client) -> dict[str, Any]:
    return {name: writer.mcp("tasks/get", about=task, taskId=task) for name, task in TASKS.items()}


@pytest.fixture(scope="module")
def work(
    environment: dict[str, str], answers: object, task_answers: object, writer: Client, model: ModelServer
) -> Iterator[None]:
    """Start a worker of the present code, and decide what waits for a person."""
    for question in ("Is anybody there", "Does a task wait", "Will you finish", "Will a task finish"):
        model.when(question, says(f"{question}: yes."))
    model.when("May I look", says("May I look: yes."))
    model.when("Are all games there", says("Are all games there: yes."))
    with worker(environment), Celery(broker=environment["CELERY_BROKER_URL"], set_as_current=False) as app:
        app.send_task("toolbox.sweep_jobs")  # the scheduler sends it every 5 s
        writer.post(f"{RUNS['awaiting']['run']}/approve")
        name = next(iter(FACTS["taskAnswers"]["awaiting"]["inputRequests"]))
        given = {name: {"action": "accept", "content": {"approve": True}}}
        writer.mcp("tasks/update", about=TASKS["awaiting"], taskId=TASKS["awaiting"], inputResponses=given)
        yield


def find_changes(stored: Any, *, now: Any, place: str = "") -> list[str]:
    """Return what differs from the stored values; added fields are ignored."""
    if isinstance(stored, dict) and isinstance(now, dict):
        parts = [find_changes(part, now=now.get(name), place=f"{place}.{name}") for name, part in stored.items()]
        return [change for changes in parts for change in changes]
    if isinstance(stored, list) and isinstance(now, list) and len(stored) == len(now):
        pairs = enumerate(zip(stored, now, strict=True))
        return [change for number, (a, b) in pairs for change in find_changes(a, now=b, place=f"{place}[{number}]")]
    return [] if stored == now else [f"{place}: {stored!r} is {now!r}"]


def test_every_row_is_still_there(counted: dict[str, int]) -> None:
    before = {name: count for name, count in FACTS["tables"].items() if name not in FILLED_BY_MIGRATIONS | CONVERTED}

    after = {name: counted.get(RENAMED_TABLES.get(name, name)) for name in before}

    assert after == {name: count + MADE_BY_MIGRATIONS.get(name, 0) for name, count in before.items()}


@pytest.mark.parametrize("table", AUDIT)
def test_calls_and_their_counts_say_what_they_said(audit: dict[str, list[Values]], table: str) -> None:
    assert find_lost_rows(FACTS["audit"][table], now=audit[table]) == []


@pytest.mark.parametrize("caller", ["bob's notebook", "alice via raw", "curator", "local"])
def test_the_admin_lists_the_calls(environment: dict[str, str], curator: Browser, caller: str) -> None:
    rows = read_rows(environment["DATABASE_URL"], RENAMED_TABLES.get(AUDIT[0], AUDIT[0]))
    stored = {str(row["id"]) for row in rows if caller in row.values()}

    page = curator.http.get("/admin/toolbox/toolcall/", params={"caller__icontains": caller}).text

    assert stored
    assert stored <= set(re.findall(r"/admin/toolbox/toolcall/(\d+)/change/", page))


@pytest.mark.parametrize(
    ("key", "tool", "status"),
    [
        ("writer", LINESCORE, 200), ("reader", LINESCORE, 200), ("writer", "backtests/list_backtest_runs", 200),
        ("reader", "backtests/list_backtest_runs", 403), ("expired", LINESCORE, 401), ("revoked", LINESCORE, 401),
    ],
)  # fmt: skip
def test_a_key_opens_what_it_opened(address: str, key: str, tool: str, status: int) -> None:
    assert Client(address, key=KEYS[key]).call(tool).status_code == status


def test_a_key_s_default_upstream_is_asked_with_the_secret_that_was_sealed(writer: Client, upstream: Upstream) -> None:
    asked = writer.call("graphql_proxy/execute_graphql", query="{ standings { team points } }")

    assert asked.status_code == 200, asked.text
    assert upstream.headers[-1]["authorization"] == FACTS["upstreamSecret"]


def test_a_saved_operation_is_still_a_tool(writer: Client) -> None:
    called = writer.mcp("tools/call", about="season_table", name="season_table", arguments={"season": "2025"})

    assert "CAR" in str(called["structuredContent"])


def test_tokens_go_on_and_are_refreshed(address: str) -> None:
    token = {"grant_type": "refresh_token", "refresh_token": OAUTH["refreshToken"], "client_id": OAUTH["client"]}
    good, ended = (Client(address, key=OAUTH[name]) for name in ("accessToken", "revokedToken"))
    before = good.call(LINESCORE).status_code

    refreshed = good.http.post("/oauth/token/", data=token)

    assert (before, ended.call(LINESCORE).status_code) == (200, 401)
    assert refreshed.status_code == 200, refreshed.text
    assert Client(address, key=refreshed.json()["access_token"]).call(LINESCORE).status_code == 200


def test_a_code_that_was_given_before_is_exchanged(address: str) -> None:
    brought = {
        "grant_type": "authorization_code", "code": OAUTH["code"], "client_id": OAUTH["otherClient"],
        "redirect_uri": OAUTH["redirect"], "code_verifier": OAUTH["verifier"],
    }  # fmt: skip
    nobody = Client(address, key="none")

    exchanged = nobody.http.post("/oauth/token/", data=brought)

    assert exchanged.status_code == 200, exchanged.text
    assert exchanged.json()["scope"] == "linescore:read"


def test_a_session_of_mcp_goes_on(environment: dict[str, str], writer: Client) -> None:
    rows = read_rows(environment["DATABASE_URL"], "toolbox_mcp_sessions")

    known = writer.mcp_in_session("tools/list", session=FACTS["mcpSession"])
    unknown = writer.mcp_in_session("tools/list", session="forged")

    assert (known.status_code, unknown.status_code) == (200, 404)
    assert "warning" in rows[0].values()
    assert ["linescore://seasons/2024-2025"] in rows[0].values()


def test_rows_of_domains_are_read(writer: Client, curator: Browser) -> None:
    runs = writer.call("backtests/list_backtest_runs").text
    season = writer.mcp("resources/read", about=SEASON, uri=SEASON)
    prompts = [prompt["name"] for prompt in writer.mcp("prompts/list")["prompts"]]
    pages = {
        name: curator.http.get(f"/admin/{name}/").raise_for_status().text
        for name in ("toolbox/example", "sprints/verifiedquery", "devassist/rootcause", "sprints/issue")
    }

    assert "Tiny" in runs
    assert "CAR" in str(season)
    assert "team_form" in prompts
    assert "Who played?" in pages["toolbox/example"]
    assert "How many issues are there?" in pages["sprints/verifiedquery"]
    assert "IllegalStateException" in pages["devassist/rootcause"]
    assert "SHOP-" in pages["sprints/issue"]


def test_conversations_messages_runs_steps_and_events_read_as_before(answers: dict[str, Any]) -> None:
    assert find_changes(FACTS["answers"], now=answers) == []


def test_tasks_read_as_before(task_answers: dict[str, Any]) -> None:
    before = {
        name: {part: said for part, said in task.items() if part not in ("createdAt", "lastUpdatedAt")}
        for name, task in FACTS["taskAnswers"].items()
    }

    assert find_changes(before, now=task_answers) == []


@pytest.mark.usefixtures("work")
@pytest.mark.parametrize("name", ["queued", "lost", "awaiting"])
def test_a_run_is_carried_on_to_its_end(writer: Client, name: str) -> None:
    def find_end() -> str | None:
        state = writer.get(RUNS[name]["run"])["state"]
        return state if state not in ("queued", "running", "awaiting_approval") else None

    assert wait_for(find_end, what=name, seconds=END_SECONDS) == "succeeded"
    assert writer.get(f"{RUNS[name]['conversation']}/messages")["messages"][-1]["text"].endswith(": yes.")


@pytest.mark.usefixtures("work")
@pytest.mark.parametrize("name", ["queued", "lost", "awaiting"])
def test_a_task_is_carried_on_to_its_end(writer: Client, name: str) -> None:
    def find_end() -> dict[str, Any] | None:
        task = writer.mcp("tasks/get", about=TASKS[name], taskId=TASKS[name])
        return task if task["status"] not in ("working", "input_required") else None

    ended = wait_for(find_end, what=name, seconds=END_SECONDS)

    assert ended["status"] == "completed", ended
    assert ended["result"]["structuredContent"]["answer"].endswith(": yes.")


@pytest.mark.usefixtures("work")
@pytest.mark.parametrize(("name", "summary"), [("finished", "9 added"), ("lost", "1 added"), ("queued", "14 added")])
def test_a_job_is_done_with_the_file_that_came_with_it(curator: Browser, name: str, summary: str) -> None:
    def find_summary() -> bool:
        return summary in curator.http.get(f"/admin/toolbox/job/{JOBS[name]}/change/").text

    assert wait_for(find_summary, what=name, seconds=END_SECONDS)


@pytest.mark.usefixtures("work")
def test_what_ended_before_is_left_alone(writer: Client) -> None:
    states = {name: writer.get(RUNS[name]["run"])["state"] for name in ("finished", "failed", "cancelled")}

    assert states == {"finished": "succeeded", "failed": "failed", "cancelled": "cancelled"}


def test_a_change_is_found_at_any_depth() -> None:
    stored = {"runs": [{"state": "queued", "steps": [1, 2]}]}

    assert find_changes(stored, now={"runs": [{"state": "queued", "steps": [1, 2], "new": 1}]}) == []
    assert find_changes(stored, now={"runs": [{"state": "failed", "steps": [1]}]}) == [
        ".runs[0].state: 'queued' is 'failed'",
        ".runs[0].steps: [1, 2] is [1]",
    ]


def test_a_lost_row_is_found_though_columns_were_added() -> None:
    stored = [["a", "b"], ["a", "c"]]

    assert find_lost_rows(stored, now=[["a", "b", "new"], ["c", "d", "new"]]) == [["a", "c"]]
