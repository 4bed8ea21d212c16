"""
Two workers, a sweep, a person and a broker, all unreliable, around the real code of runs.

The code under test is `toolbox/work/worker.py`, `toolbox/work/lease.py` (sweep), `agents/runs/execution.py`,
`run_policy.py` and `model_step.py`. The database is `Rules`; each of its commits may be lost, before or after it is
made.
"""

import asyncio
import logging
import random
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, replace
from typing import Any, TypeVar
from unittest.mock import patch
from uuid import UUID

from agents.queries.leases import RUNS
from agents.queries.rows import Budgets, ClaimedRun, StepRow, ToolReply
from agents.runs import execution
from tests.agents.simulation.rules import LIVE, Rules, describe, numbers_without_gap
from tests.agents.simulation.virtual_time import run_in_virtual_time
from toolbox.contract.caller import Caller
from toolbox.contract.errors import DatabaseUnavailable
from toolbox.model import CallRequested, Message, ModelEvent, StepEnd, TextDelta, ToolRequest, Used
from toolbox.work import lease as leases
from toolbox.work import worker
from toolbox.work.lease import Lease, LeaseLost

Result = TypeVar("Result")
MAX_SECONDS = 120.0
HORIZON_SECONDS = 3_000.0
RUN_IDS = [UUID(int=number) for number in (1, 2, 3)]
KIND = replace(RUNS, on_sweep=None)
CALLER = Caller(name="simulated", scopes=frozenset({"*:read", "*:write"}))
ACTOR: ContextVar["Actor"] = ContextVar("actor")
TOOLS = {"read": (False, False), "write": (True, False), "upsert": (True, True)}
"""Name: whether it writes, whether it is idempotent."""


@dataclass(frozen=True)
class FakeTool:
    """The attributes of a tool that the execution uses."""

    name: str

    @property
    def writes(self) -> bool:
        return TOOLS[self.name][0]

    @property
    def may_repeat(self) -> bool:
        return not self.writes or TOOLS[self.name][1]

    scope = "x:write"


@dataclass(frozen=True, kw_only=True)
class Faults:
    """Probabilities of faults: per commit, per delivery, and per second of a worker."""

    lost_commit: float = 0.03
    stopped: float = 0.03
    """A worker is paused or killed just before a commit."""
    lost_delivery: float = 0.1
    double_delivery: float = 0.1
    interrupted: float = 0.05
    drained: float = 0.03
    cancelled: float = 0.3


class Actor:
    """A process, which may be slow, paused or dead."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self.is_dead = False
        self.paused_until = 0.0

    async def take_time(self) -> None:
        """Let time pass; for a dead process this never returns."""
        loop = asyncio.get_running_loop()
        if self._world.is_over:
            raise asyncio.CancelledError
        await asyncio.sleep(self._world.rng.uniform(0.001, 0.05))
        while loop.time() < self.paused_until:  # noqa: ASYNC110 - it may be paused again meanwhile
            await asyncio.sleep(self.paused_until - loop.time())
        if self.is_dead:
            await loop.create_future()


class World:
    """One history; `problems` lists what should never have happened."""

    def __init__(self, seed: int, *, faults: Faults | None = None, rules: type[Rules] = Rules) -> None:
        self.rng = random.Random(seed)
        self.rules = rules(max_seconds=MAX_SECONDS)
        self.faults = faults or Faults()
        self.effects: list[tuple[UUID, int, str]] = []
        self.approvals: Counter[tuple[UUID, int]] = Counter()
        self.history: list[str] = []
        self.problems: list[str] = []
        self.is_over = False
        self._actors: list[Actor] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._news: dict[UUID, set[asyncio.Event]] = {}

    async def live(self) -> None:
        """Run everything until every run has ended, or for 50 minutes."""
        self._actors = [Actor(self), Actor(self)]
        loop = asyncio.get_running_loop()
        for number, run_id in enumerate(RUN_IDS):
            self.rules.post(run_id, conversation=number // 2)
            self.enqueue(KIND, work_id=run_id)
        others = [
            asyncio.create_task(self._as(Actor(self), work())) for work in (self._sweep, self._decide, self._harm)
        ]
        while any(run.state in LIVE for run in self.rules.runs.values()) and loop.time() < HORIZON_SECONDS:  # noqa: ASYNC110
            await asyncio.sleep(0.5)
        self.is_over = True
        for task in (*others, *self._tasks):
            task.cancel()
        await asyncio.gather(*others, *self._tasks, return_exceptions=True)
        self._judge()

    async def commit(self, name: str, apply: Callable[[], Result]) -> Result:
        """Make one commit; its connection may break before it, or after it but before the answer."""
        actor = ACTOR.get()
        await actor.take_time()
        if actor in self._actors and self.rng.random() < self.faults.stopped and self._may_harm():
            self._stop(actor)
            await actor.take_time()
        if self.rng.random() < self.faults.lost_commit:
            raise DatabaseUnavailable(f"before {name}")
        self.rules.now = asyncio.get_running_loop().time()
        try:
            result = apply()
        except LeaseLost:
            self.history.append(f"{self.rules.now:.3f} {name}: lease lost")
            raise
        self.history.append(f"{self.rules.now:.3f} {name}: {result!r}")
        await actor.take_time()
        if self.rng.random() < self.faults.lost_commit:
            raise DatabaseUnavailable(f"after {name}")
        return result

    def enqueue(self, kind: Any, *, work_id: UUID) -> None:
        """Deliver work to a worker: once, never or twice."""
        chance = self.rng.random()
        faults = self.faults
        times = (
            0 if chance < faults.lost_delivery else 2 if chance < faults.lost_delivery + faults.double_delivery else 1
        )
        for _ in range(times):
            self._start(self._deliver(work_id))

    @contextmanager
    def subscribe(self, run_id: UUID, *, kinds: object = None, notified: asyncio.Event) -> Iterator[None]:
        """Register an event to be set at the run's end."""
        self._news.setdefault(run_id, set()).add(notified)
        try:
            yield
        finally:
            self._news[run_id].discard(notified)

    async def call_tool(self, step: StepRow, **_: object) -> ToolReply:
        """Call the fake tool."""
        actor = ACTOR.get()
        await actor.take_time()
        if TOOLS[step.tool][0]:
            run_id = UUID(hex=step.idempotency_key.split("-")[0])
            self.effects.append((run_id, step.number, step.tool))
            self.history.append(f"effect of {step.tool} in step {step.number} of run {run_id.int}")
        await actor.take_time()
        state = "refused" if self.rng.random() < 0.1 else "answered"
        return ToolReply(state=state, answer='{"rows": []}', event={})

    async def _deliver(self, work_id: UUID) -> None:
        await asyncio.sleep(self.rng.uniform(0.0, 0.3))
        actor = self.rng.choice(self._actors)
        self._start(worker._execute(KIND, work_id=work_id, work=execution.carry_out), actor=actor)

    def _start(self, work: Coroutine[Any, Any, None], *, actor: Actor | None = None) -> None:
        task = asyncio.get_running_loop().create_task(self._as(actor, work) if actor else work, context=copy_context())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    @staticmethod
    async def _as(actor: Actor, work: Coroutine[Any, Any, None]) -> None:
        ACTOR.set(actor)
        await work

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(worker.SWEEP_SECONDS)
            with suppress(DatabaseUnavailable):
                for work_id in await leases.sweep(KIND):
                    self.enqueue(KIND, work_id=UUID(int=int(getattr(work_id, "int", work_id))))

    async def _decide(self) -> None:
        """Approve, change or reject as a person would, and sometimes cancel."""
        cancelled = {run_id: self.rng.uniform(0, 60) for run_id in RUN_IDS if self.rng.random() < self.faults.cancelled}
        while True:
            await asyncio.sleep(self.rng.uniform(0.2, 3.0))
            for run_id, run in self.rules.runs.items():
                with suppress(DatabaseUnavailable):
                    if run.state == "awaiting_approval":
                        await self._decide_step(run_id)
                    if run.state in LIVE and asyncio.get_running_loop().time() > cancelled.get(run_id, HORIZON_SECONDS):
                        await self._cancel(run_id)

    async def _decide_step(self, run_id: UUID) -> None:
        steps = self.rules.load_steps(run_id)
        step = next((step for step in steps if step.state == "awaiting_approval"), None)
        is_approved = self.rng.random() < 0.8
        arguments = '{"edited": true}' if self.rng.random() < 0.2 else ""

        def decide() -> bool:
            done = self.rules.decide(run_id, is_approved=is_approved, arguments=arguments)
            if done and is_approved and step:
                self.approvals[run_id, step.number] += 1
            return done

        if await self.commit("decide", decide):
            self.enqueue(KIND, work_id=run_id)

    async def _cancel(self, run_id: UUID) -> None:
        following = await self.commit("cancel", lambda: self.rules.cancel(run_id))
        for news in self._news.get(run_id, ()):
            news.set()
        if following:
            self.enqueue(KIND, work_id=following)

    async def _harm(self) -> None:
        """Pause and drain workers at any time."""
        while self._may_harm():
            await asyncio.sleep(1.0)
            for actor in list(self._actors):
                chance = self.rng.random()
                if chance < self.faults.interrupted:
                    self._stop(actor)
                elif chance < self.faults.interrupted + self.faults.drained:
                    for held in [held for held in worker._held if held.row.get("actor") is actor]:
                        held.on_drain()

    def _may_harm(self) -> bool:
        """Return whether faults still happen: for five minutes, so that everything can end afterwards."""
        return asyncio.get_running_loop().time() < 300

    def _stop(self, actor: Actor) -> None:
        """Pause a worker for a while, or kill it and replace it at once."""
        if self.rng.random() < 0.5:
            actor.paused_until = asyncio.get_running_loop().time() + self.rng.uniform(1.0, 20.0)
        else:
            actor.is_dead = True
            self._actors[self._actors.index(actor)] = Actor(self)

    def _judge(self) -> None:
        for run_id, run in self.rules.runs.items():
            name = f"run {run_id.int}"
            if run.state in LIVE:
                self.problems.append(f"{name} never ended: {run.state}")
            if not numbers_without_gap(run.events):
                self.problems.append(f"{name} has a gap in its events")
            kinds = [kind for _, kind in run.events]
            if run.state not in LIVE and kinds.count("run.finished") != 1:
                self.problems.append(f"{name} finished {kinds.count('run.finished')} times")
            if "run.finished" in kinds[:-1]:
                self.problems.append(f"{name} went on after its end")
            if run.state == "succeeded" and any(not step.is_over for step in run.steps.values()):
                self.problems.append(f"{name} succeeded with a step whose outcome is unknown")
        for (run_id, number, tool), times in Counter(self.effects).items():
            if not FakeTool(tool).may_repeat and times > self.approvals[run_id, number]:
                self.problems.append(f"step {number} of run {run_id.int} wrote {times} times")


class SimulatedModel:
    """A model that requests some calls and then answers, by the world's random numbers."""

    name = "simulated"

    def __init__(self, world: World) -> None:
        self._world = world

    def estimate_tokens(self, *_: object, **__: object) -> int:
        """Return 0."""
        return 0

    async def turn(self, messages: Sequence[Any], **_: object) -> AsyncGenerator[ModelEvent, None]:
        """Request up to three calls, or answer."""
        rng = self._world.rng
        await asyncio.sleep(rng.uniform(0.05, 2.0))
        yield TextDelta(text="Well. ")
        rounds = sum(message.role == "assistant" for message in messages)
        if rounds < 3 and rng.random() < 0.7:
            for place in range(rng.randint(1, 3)):
                tool = rng.choice(list(TOOLS))
                yield CallRequested(
                    request=ToolRequest(id=f"{rounds}-{place}", name=tool, arguments=f'{{"n": {rng.random()}}}')
                )
            yield Used(prompt_tokens=0, completion_tokens=0)
            yield StepEnd(reason="calls")
        else:
            yield Used(prompt_tokens=0, completion_tokens=0)
            yield StepEnd(reason="stop")


def simulate(seed: int, *, faults: Faults | None = None, rules: type[Rules] = Rules) -> World:
    """Run one history."""
    world = World(seed, faults=faults, rules=rules)
    with _real_code_over(world):
        run_in_virtual_time(world.live())
    return world


class Statements:
    """The world's replacements where the real code reaches the database, the broker, the model and the tools."""

    def __init__(self, world: World) -> None:
        self._world, self._rules = world, world.rules

    def list_replacements(self) -> dict[str, Any]:
        """Return the replacements by the name of what they replace."""
        return {
            "toolbox.work.lease.claim": self.claim,
            "toolbox.work.lease.reclaim": lambda _: self._world.commit("reclaim", self._rules.reclaim),
            "toolbox.work.lease.find_forgotten": lambda _: self._world.commit(
                "find forgotten", self._rules.find_forgotten
            ),
            "toolbox.work.lease.Lease.heartbeat": lambda lease: self._world.commit(
                "heartbeat", lambda: self._rules.heartbeat(lease)
            ),
            "toolbox.work.lease.Lease.release": lambda lease: self.release(lease),  # noqa: PLW0108 - takes the lease
            "toolbox.work.worker.enqueue": self._world.enqueue,
            "toolbox.work.worker._held": set(),
            "agents.queries.leases.load_claimed": self.load_claimed,
            "agents.queries.leases.append_event": self.append_event,
            "agents.queries.leases.finish": self.finish,
            "agents.queries.steps.load_steps": lambda run_id: self._world.commit(
                "load steps", lambda: self._rules.load_steps(run_id)
            ),
            "agents.queries.steps.save_model_reply": self.save_model_reply,
            "agents.queries.steps.begin_tool": self.begin_tool,
            "agents.queries.steps.save_tool_reply": self.save_tool_reply,
            "agents.queries.steps.pause": self.pause,
            "agents.queries.conversations.find_messages_until": self.find_messages,
            "agents.runs.model_step.begin_model": self.begin_model,
            "agents.runs.model_step.append_event": self.append_event,
            "agents.runs.execution.enqueue": self._world.enqueue,
            "agents.runs.execution.run_listeners": self._world,
            "agents.runs.execution.run_caller.resolve_caller": self.as_operator,
            "agents.runs.execution.dynamic_tools.wait_until_loaded": self.nothing,
            "agents.runs.execution.registry.visible_to": lambda _: [],
            "agents.runs.execution.registry.find": lambda name: FakeTool(name) if name in TOOLS else None,
            "agents.runs.execution.choose_model": lambda _: SimulatedModel(self._world),
            "agents.runs.execution.find_guidance": self.no_messages,
            "agents.runs.execution.call_tool": self._world.call_tool,
            "asyncio.to_thread": self.call_here,
        }

    async def hold(self, name: str, lease: Lease, apply: Callable[[], Result]) -> Result:
        """Commit under a lease, and check that only its holder changes the row."""

        def watch() -> Result:
            run = self._rules.runs[lease.id]
            is_held, before = run.state == "running" and run.attempt == lease.attempt, describe(run)
            result = apply()
            if not is_held and describe(run) != before:
                self._world.problems.append(f"run {lease.id.int} was changed by an attempt that had lost it")
            return result

        return await self._world.commit(name, watch)

    async def claim(self, kind: Any, *, work_id: UUID, worker: str) -> Lease | None:
        actor = ACTOR.get()
        found = await self._world.commit("claim", lambda: self._rules.claim(work_id, worker=worker))
        return found and Lease(kind=kind, id=work_id, attempt=found[0], losses=found[1], row={"actor": actor})

    async def release(self, lease: Lease) -> None:
        lease.is_ending = True
        await self.hold("release", lease, lambda: self._rules.release(lease))

    async def load_claimed(self, lease: Lease) -> ClaimedRun:
        seconds = await self._world.commit("load", lambda: self._rules.seconds_left(lease))
        return ClaimedRun(
            lease=lease, conversation_id=lease.id, question_number=1, owner_id=None, owner_name="local", key_id=None,
            toolkits=(), model="", approve_tools=frozenset(), budgets=Budgets(steps=24, answer_bytes=20_000),
            seconds_left=seconds, asked_on="2026-01-01",
        )  # fmt: skip

    async def append_event(self, lease: Lease, *, kind: str, data: object) -> None:
        await self.hold(kind, lease, lambda: self._rules.append_event(lease, kind=kind))

    async def begin_model(self, lease: Lease, *, number: int, call: Any) -> int:
        await self.hold("begin model", lease, lambda: self._rules.begin_model(lease, number=number))
        return int(call.max_tokens)

    async def save_model_reply(self, lease: Lease, *, number: int, reply: Any) -> None:
        await self.hold("save model", lease, lambda: self._rules.save_model_reply(lease, number=number, reply=reply))

    async def begin_tool(self, lease: Lease, *, step: StepRow, data: object) -> bool:
        return await self.hold("begin tool", lease, lambda: self._rules.begin_tool(lease, step=step))

    async def save_tool_reply(self, lease: Lease, *, step: StepRow, reply: ToolReply) -> None:
        await self.hold("save tool", lease, lambda: self._rules.save_tool_reply(lease, step=step, reply=reply))

    async def pause(self, lease: Lease, *, step: StepRow, data: object) -> None:
        lease.is_ending = True
        await self.hold("pause", lease, lambda: self._rules.pause(lease, step=step))

    async def finish(self, lease: Lease, *, state: str, text: str = "", code: str = "", error: str = "") -> UUID | None:
        lease.is_ending = True
        if code == "INTERNAL_ERROR":
            self._world.problems.append(f"run {lease.id.int} failed in a way nobody planned")
        return await self.hold(
            f"finish {state} {code}", lease, lambda: self._rules.finish(lease, state=state, text=text)
        )

    async def find_messages(self, *_: object, **__: object) -> list[dict[str, Any]]:
        return [{"number": 1, "role": "user", "text": "How?", "answers": None}]

    async def call_here(self, function: Callable[..., Result], *arguments: object, **named: object) -> Result:
        return function(*arguments, **named)

    async def nothing(self, *_: object, **__: object) -> None:
        return None

    async def no_messages(self, *_: object, **__: object) -> list[Message]:
        return []

    async def as_operator(self, _: object) -> object:
        return CALLER


@contextmanager
def _real_code_over(world: World) -> Iterator[None]:
    patches = [patch(name, new) for name, new in Statements(world).list_replacements().items()]
    logging.disable(logging.ERROR)
    for one in patches:
        one.start()
    try:
        yield
    finally:
        for one in reversed(patches):
            one.stop()
        logging.disable(logging.NOTSET)
