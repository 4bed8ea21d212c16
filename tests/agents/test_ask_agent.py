"""A run asked for as a tool: as a task, or waited for a while; never with more rights than the key that asks."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID, uuid4

import orjson
import pytest

from tests.agents.conversation_client import Observer, lock_table
from tests.agents.own_worker import FEBRUARY, LINESCORE, Scripted, calls, hangs, says, work_on
from tests.conftest import ALICE_KEY, BOB_KEY
from toolbox.access.keys import identify
from toolbox.contract.caller import Caller
from toolbox.contract.client_channel import BecomeTask, ClientChannel, RetriedCall
from toolbox.database import event_loop
from toolbox.dispatch.dispatch import Call, Reply, dispatch
from toolbox.mcp import task_worker
from toolbox.models import ApiKey
from toolbox.work import task_queries, worker
from toolbox.work.lease import Row
from toolbox.work.publisher import publisher

ASKED = {"question": "How did Carolina do in February 2025?"}
TASKS: dict[str, Any] = {"extensions": {"io.modelcontextprotocol/tasks": {}}}
FORMS = TASKS | {"elicitation": {"form": {}}}
A_WRITE = '{"startDate": "2025-02-01", "endDate": "2025-02-01", "source": "shipped"}'
INGEST = "ingest_linescore_games"


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch, cast: object) -> None:
    """Use no broker."""
    monkeypatch.setattr(publisher, "take", lambda *_, **__: None)


@pytest.fixture
def alice() -> Caller:
    return event_loop.run(identify(ALICE_KEY))


@pytest.fixture
def another_key(alice: Caller, django_db_blocker: Any) -> Iterator[Callable[..., Caller]]:
    """Yield a function that creates further keys of alice's, deleted after the test."""
    made = []

    def make(*scopes: str) -> Caller:
        owner = ApiKey.objects.get(pk=alice.key_id or 0).owner_id
        row, key = ApiKey.make(name="another", owner_id=owner, scopes=scopes)
        made.append(row)
        return event_loop.run(identify(key))

    with django_db_blocker.unblock():
        yield make
        for row in made:
            row.delete()


def _call(asked: dict[str, Any], *, caller: Caller, client: ClientChannel | None = None) -> Call:
    return Call(
        tool="ask_agent", arguments=orjson.dumps(asked), credential=caller, transport="test", request_id="r",
        client=client or ClientChannel(),
    )  # fmt: skip


def _ask(asked: dict[str, Any], *, caller: Caller, client: ClientChannel | None = None) -> Reply:
    return event_loop.run(dispatch(_call(asked, caller=caller, client=client)))


async def _carry_out(task_id: UUID) -> None:
    await worker.execute(task_queries.TASKS, work_id=task_id, work=task_worker.carry_out)


class _Task:
    """A task that this process executes."""

    def __init__(self, caller: Caller, *, capabilities: dict[str, Any] = TASKS, **asked: Any) -> None:
        call = _call(ASKED | asked, caller=caller, client=RetriedCall(capabilities=capabilities))
        assert isinstance(event_loop.run(dispatch(call)).continuation, BecomeTask)
        self.id, self._caller = uuid4(), caller
        event_loop.run(task_queries.create(self.id, call=call, caller=caller, keep_seconds=60))

    def work(self) -> Row:
        event_loop.run(_carry_out(self.id))
        return self.row()

    def row(self) -> Row:
        row = event_loop.run(task_queries.read(self.id, caller=self._caller))
        assert row is not None
        return row

    def tell(self, **given: Any) -> None:
        name = next(iter(self.row()["inquiries"]))
        assert event_loop.run(task_queries.tell(self.id, given={name: given}, caller=self._caller))

    def cancel(self) -> None:
        event_loop.run(task_queries.cancel(self.id, caller=self._caller))


def _result(row: Row) -> Any:
    assert row["status"] == "completed", row
    return orjson.loads(row["outcome"])["structuredContent"]


def test_a_task_is_its_run_and_ends_with_the_answer_and_what_it_cost(
    alice: Caller, scripted_as: Scripted, onlooker: Observer
) -> None:
    scripted_as(calls(FEBRUARY), says("21 periods."))

    task = _Task(alice)
    told = _result(task.work())

    assert onlooker.run(task.id)["key_id"] == alice.key_id
    assert told["state"] == "succeeded"
    assert told["answer"] == "21 periods."
    assert told["runId"] == str(task.id)
    assert (told["steps"], told["promptTokens"], told["completionTokens"]) == (3, 20, 10)


def test_it_is_offered_what_the_key_may_and_never_itself(
    alice: Caller, another_key: Callable[..., Caller], scripted_as: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agents.runs.tool_choice.MAX_TOOL_BYTES", 10**6)
    narrow = scripted_as(says("Little."))
    _Task(another_key("agents:write", "linescore:read")).work()
    wide = scripted_as(says("Much."))
    _Task(alice).work()

    assert narrow.tools == [[LINESCORE, "list_game_results"]]
    assert INGEST in wide.tools[0]
    assert "ask_agent" not in wide.tools[0]


@pytest.mark.parametrize(
    ("given", "is_made"),
    [
        ({"action": "accept", "content": {"approve": True}}, True),
        ({"action": "accept", "content": {"approve": False, "word": "Not today."}}, False),
        ({"action": "decline"}, False),
    ],
)
def test_an_approval_is_the_task_s_question(
    django_db_blocker: Any,
    alice: Caller,
    scripted_as: Scripted,
    onlooker: Observer,
    given: dict[str, Any],
    *,
    is_made: bool,
) -> None:
    script = scripted_as(calls(A_WRITE, tool=INGEST), says("Done."))
    task = _Task(alice, capabilities=FORMS)

    with django_db_blocker.unblock():  # the tool loads games through Django
        parked = task.work()
        asked = next(iter(parked["inquiries"].values()))
        task.tell(**given)
        told = _result(task.work())

    assert parked["status"] == "input_required"
    assert INGEST in asked["params"]["message"]
    assert told["answer"] == "Done."
    assert bool(onlooker.steps(task.id)[1]["state"] == "answered") is is_made
    assert ("Not today." in script.told[1][-1].text) is bool(given.get("content", {}).get("word"))


def test_who_cannot_be_asked_is_told_where_to_approve(alice: Caller, scripted_as: Scripted) -> None:
    scripted_as(calls(A_WRITE, tool=INGEST))

    told = _result(_Task(alice).work())

    assert told["state"] == "awaiting_approval"
    assert told["waitsFor"]["tool"] == INGEST
    assert told["page"] in told["next"]
    _ask({"runId": told["runId"]}, caller=alice)


def _is_running(onlooker: Observer, run_id: UUID) -> bool:
    return bool(onlooker.ask("SELECT 1 FROM agents_runs WHERE id = %s AND state = 'running'", run_id))


@pytest.mark.parametrize("is_parked", [True, False])
def test_with_the_task_its_run_is_cancelled(
    alice: Caller, scripted_as: Scripted, onlooker: Observer, *, is_parked: bool
) -> None:
    scripted_as(calls(A_WRITE, tool=INGEST) if is_parked else hangs())
    task = _Task(alice, capabilities=FORMS)
    working = asyncio.run_coroutine_threadsafe(_carry_out(task.id), event_loop.get_loop())
    onlooker.until(lambda: task.row()["status"] == "input_required" if is_parked else _is_running(onlooker, task.id))
    task.cancel()
    working.result(60)

    event_loop.run(worker.sweep())

    assert onlooker.run(task.id)["state"] == "cancelled"


def test_without_tasks_it_is_begun_and_looked_at_again(
    alice: Caller, scripted_as: Scripted, onlooker: Observer
) -> None:
    scripted_as(says("Carolina won."))

    begun = orjson.loads(_ask(ASKED | {"waitSeconds": 0}, caller=alice).body)
    work_on(UUID(begun["runId"]))
    ended = orjson.loads(_ask({"runId": begun["runId"]}, caller=alice).body)

    assert begun["state"] == "queued"
    assert "runId" in begun["next"]
    assert (ended["state"], ended["answer"]) == ("succeeded", "Carolina won.")
    assert "next" not in ended


def test_the_runs_and_conversations_of_other_keys_are_not_there(
    alice: Caller, another_key: Callable[..., Caller], scripted_as: Scripted
) -> None:
    scripted_as(says("Mine."), says("Still mine."))
    mine = _result(_Task(alice).work())
    on = _result(_Task(alice, conversationId=mine["conversationId"]).work())
    other = another_key("agents:write")

    looked = _ask({"runId": mine["runId"]}, caller=other)
    asked = _ask(ASKED | {"conversationId": mine["conversationId"]}, caller=other)

    assert on["answer"] == "Still mine."
    assert (looked.status, looked.code) == (404, "UNKNOWN_RUN")
    assert (asked.status, asked.code) == (404, "UNKNOWN_CONVERSATION")
    assert _ask(ASKED, caller=event_loop.run(identify(BOB_KEY))).code == "FORBIDDEN"


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({}, "Give a question, or the runId of one asked before."),
        (ASKED | {"runId": str(uuid4())}, "Give a question, or the runId of one asked before."),
        ({"question": "  "}, "question cannot be"),
        (ASKED | {"toolkits": ["agents"]}, "toolkit"),
    ],
)
def test_what_says_nothing_or_two_things_is_refused(alice: Caller, asked: dict[str, Any], said: str) -> None:
    refused = _ask(asked, caller=alice)

    assert refused.status == 400
    assert said in orjson.loads(refused.body)["error"]["message"]


def test_a_drained_worker_finishes_the_tool_call_of_the_task_s_run_and_loses_nothing(
    monkeypatch: pytest.MonkeyPatch, alice: Caller, scripted_as: Scripted, onlooker: Observer
) -> None:
    monkeypatch.setattr(worker, "_is_draining", False)
    monkeypatch.setattr("agents.runs.ask_agent.AGAIN_SECONDS", 0.0)
    scripted_as(calls(FEBRUARY))
    task = _Task(alice)
    with lock_table("linescore_period_results"):
        working = asyncio.run_coroutine_threadsafe(_carry_out(task.id), event_loop.get_loop())
        onlooker.until(lambda: onlooker.find_waiting("linescore"))
        event_loop.run(worker.drain())
        drained_at = onlooker.ask("SELECT clock_timestamp() + interval '1.5 s' AS at")[0]["at"]
        # the task's call is cancelled; the run's goes on, and so does the heartbeat
        onlooker.until(lambda: onlooker.run(task.id)["heartbeat_at"] > drained_at)
    working.result(60)
    kept = [(onlooker.run(task.id)[column], _task_row(onlooker, task.id)[column]) for column in ("state", "losses")]
    called = onlooker.steps(task.id)[1]

    monkeypatch.setattr(worker, "_is_draining", False)
    scripted_as(says("21 periods."))

    assert kept == [("queued", "queued"), (0, 0)]
    assert (called["state"], called["attempt"]) == ("answered", 1)
    assert _result(task.work())["answer"] == "21 periods."


def _task_row(onlooker: Observer, task_id: UUID) -> dict[str, Any]:
    return onlooker.ask("SELECT * FROM toolbox_tasks WHERE id = %s", task_id)[0]
