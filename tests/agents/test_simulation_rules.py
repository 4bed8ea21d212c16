"""The rules that the simulation stands on are those of the real SQL: the same commits and outcomes on 200 seeds."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

import pytest

from agents.budgets import ModelCall
from agents.queries import leases, run_requests, steps
from agents.queries.leases import RUNS
from agents.queries.rows import ModelReply, StepRow, ToolReply
from tests.agents.conversation_client import APPROVER, Owner
from tests.agents.own_worker import LINESCORE
from tests.agents.simulation.rules import Rules, describe
from toolbox.database import event_loop
from toolbox.database.pools import work_pool
from toolbox.work import lease as work
from toolbox.work.lease import Lease, LeaseLost

SEEDS, COMMITS = 200, 20
SILENT, FORGOTTEN = 60.0, 1_000.0
CALL = ModelCall(model="x", prompt_tokens=0, max_tokens=100, held_back=0)
_ROWS = """
SELECT run.state, run.attempt, run.losses, run.event_count,
    (SELECT coalesce(json_agg(json_build_array(number, kind, state, answer <> '') ORDER BY number), '[]')
     FROM agents_steps WHERE run_id = run.id) AS steps,
    (SELECT json_agg(json_build_array(number, kind) ORDER BY number) FROM agents_events
     WHERE run_id = run.id) AS events,
    (SELECT coalesce(json_agg(text ORDER BY number), '[]') FROM agents_messages
     WHERE run_id = run.id AND role = 'assistant') AS answers
FROM agents_runs AS run WHERE run.id = %s
"""


@dataclass
class Pair:
    """The same runs twice: in the model of the rules, and in the database."""

    rng: random.Random
    ids: list[UUID]
    rules: Rules = field(default_factory=lambda: Rules(max_seconds=60))
    held: list[Lease] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    async def commit_something(self) -> None:
        """Make one commit in both, and compare the results."""
        self.rules.now += 1.0
        run_id = self.rng.choice(self.ids)
        waiting = [one for one, run in self.rules.runs.items() if run.state == "awaiting_approval"]
        if waiting and self.rng.random() < 0.7:
            await self._decide(waiting[0])
            return
        lease = self._choose_lease()
        free: list[Callable[[], Awaitable[None]]] = [
            lambda: self._claim(run_id), lambda: self._claim(run_id), lambda: self._decide(run_id),
            lambda: self._lose_worker(run_id), lambda: self._forget(run_id), lambda: self._cancel(run_id),
        ]  # fmt: skip
        if self.rng.random() < (0.2 if lease else 0.7):
            await self.rng.choice(free)()
        elif lease:
            await self._write(lease)
        else:
            await self._claim(run_id)

    def _choose_lease(self) -> Lease | None:
        """Return the lease of a run's holder, sometimes a lost one; None if a claim is due."""
        current = [lease for lease in self.held if self.rules.runs[lease.id].state == "running"][-1:]
        if self.held and self.rng.random() < 0.2:
            return self.rng.choice(self.held)
        return current[0] if current else None

    async def _claim(self, run_id: UUID) -> None:
        worker = self.rng.choice("ab")
        claimed = await work.claim(RUNS, work_id=run_id, worker=worker)
        self._agree("claim", claimed and (claimed.attempt, claimed.losses), self.rules.claim(run_id, worker=worker))
        if claimed:
            self.held.append(claimed)

    async def _decide(self, run_id: UUID) -> None:
        is_approved, arguments = self.rng.random() < 0.7, self.rng.choice(["", '{"limit": 3}'])
        if is_approved:
            number = await run_requests.approve(run_id, number=None, caller=APPROVER, arguments=arguments)
        else:
            number = await run_requests.reject(run_id, number=None)
        expected = self.rules.decide(run_id, is_approved=is_approved, arguments=arguments)
        self._agree("decide", number is not None, expected)

    async def _lose_worker(self, run_id: UUID) -> None:
        await work_pool.fetch(
            "UPDATE agents_runs SET heartbeat_at = heartbeat_at - make_interval(secs => %s) WHERE id = %s RETURNING id",
            [SILENT, run_id],
        )
        self.rules.runs[run_id].heartbeat_at -= SILENT
        for other in self.rules.runs.values():  # the model's seconds are longer than the test's
            other.heartbeat_at = other.heartbeat_at if other.id == run_id else self.rules.now
        self._agree("reclaim", self._own(await work.reclaim(RUNS)), self.rules.reclaim())

    async def _forget(self, run_id: UUID) -> None:
        await work_pool.fetch(
            "UPDATE agents_runs SET enqueued_at = enqueued_at - make_interval(secs => %s) WHERE id = %s RETURNING id",
            [FORGOTTEN, run_id],
        )
        self.rules.runs[run_id].enqueued_at -= FORGOTTEN
        for other in self.rules.runs.values():
            other.enqueued_at = other.enqueued_at if other.id == run_id else self.rules.now
        self._agree("find forgotten", self._own(await work.find_forgotten(RUNS)), self.rules.find_forgotten())
        await work_pool.fetch("UPDATE agents_runs SET enqueued_at = now() WHERE id = ANY(%s) RETURNING id", [self.ids])

    async def _cancel(self, run_id: UUID) -> None:
        if self.rng.random() < 0.3:
            self._agree("cancel", await leases.cancel(run_id), self.rules.cancel(run_id))

    async def _write(self, lease: Lease) -> None:
        """Write with a valid or a lost lease."""
        known = self.rules.load_steps(lease.id)
        tools = [step for step in known if not step.is_model and not step.is_over]
        started = [step for step in known if step.is_model and step.state == "started"]
        following = started[0].number if started else len(known) + 1
        choices = ["heartbeat", "event", "release", "finish"] + ["begin model"] * (1 if tools else 4)
        choices += ["save model"] * 6 * bool(started) + ["begin tool", "begin tool", "save tool", "pause"] * 3 * bool(
            tools
        )
        name = self.rng.choice(choices)
        step = self._change(self.rng.choice(tools)) if tools else None
        reply, told = self._model_reply(), ToolReply(state=self.rng.choice(["answered", "refused"]), answer="{}")
        pairs: dict[str, tuple[Callable[[], Awaitable[Any]], Callable[[], Any]]] = {
            "heartbeat": (lease.heartbeat, lambda: self.rules.heartbeat(lease)),
            "event": (
                lambda: leases.append_event(lease, kind="run.started", data={}),
                lambda: self.rules.append_event(lease, kind="run.started"),
            ),
            "begin model": (
                lambda: _nothing(steps.begin_model(lease, number=following, call=CALL)),
                lambda: self.rules.begin_model(lease, number=following),
            ),
            "save model": (
                lambda: steps.save_model_reply(lease, number=following, reply=reply),
                lambda: self.rules.save_model_reply(lease, number=following, reply=reply),
            ),
            "release": (lease.release, lambda: self.rules.release(lease)),
            "finish": (
                lambda: leases.finish(lease, state="succeeded", text="Done."),
                lambda: self.rules.finish(lease, state="succeeded", text="Done."),
            ),
        }
        if step:
            pairs |= {
                "begin tool": (
                    lambda: steps.begin_tool(lease, step=step, data={}),
                    lambda: self.rules.begin_tool(lease, step=step),
                ),
                "save tool": (
                    lambda: steps.save_tool_reply(lease, step=step, reply=told),
                    lambda: self.rules.save_tool_reply(lease, step=step, reply=told),
                ),
                "pause": (
                    lambda: steps.pause(lease, step=step, data={}),
                    lambda: self.rules.pause(lease, step=step),
                ),
            }
        real, model = pairs[name]
        self._agree(name, await _outcome(real), await _outcome(_as_coroutine(model)))

    def _change(self, step: StepRow) -> StepRow:
        """Return a step as it is, or as an outdated reader has it."""
        chance = 0.5 if step.state == "approved" else 0.1
        return replace(step, edited_arguments='{"old": 1}') if self.rng.random() < chance else step

    def _model_reply(self) -> ModelReply:
        calls = tuple(
            {"id": f"c{place}", "name": LINESCORE, "arguments": f'{{"limit": {place}}}'}
            for place in range(self.rng.randint(0, 3))
        )
        return ModelReply(text="Well.", calls=calls)

    def _own(self, found: list[Any]) -> list[UUID]:
        return [run_id for run_id in found if run_id in self.ids]

    def _agree(self, name: str, real: object, expected: object) -> None:
        self.said.append(f"{name}: {expected}")
        assert real == expected, self.said

    async def compare(self) -> None:
        """Compare every row with the model's."""
        for run_id in self.ids:
            row = (await work_pool.fetch(_ROWS, [run_id])).rows[0]
            expected = describe(self.rules.runs[run_id])
            if row["state"] == "cancelled":  # its answer lists what was found
                expected["answers"] = row["answers"]
            assert row.pop("event_count") == len(expected["events"]), self.said
            real = row | {name: [tuple(one) for one in row[name]] for name in ("steps", "events")}
            assert real == expected, self.said


async def _nothing(work: Awaitable[object]) -> None:
    await work


def _as_coroutine(function: Callable[[], Any]) -> Callable[[], Awaitable[Any]]:
    async def call() -> Any:
        return function()

    return call


async def _outcome(function: Callable[[], Awaitable[Any]]) -> object:
    try:
        return await function()
    except LeaseLost:
        return LeaseLost


MET = (
    "claim: (2,", "decide: True", "begin tool: True", "begin tool: False", "save tool: None", "pause: None",
    "finish: None", "begin tool: <class", "save tool: <class", "reclaim: [UUID", "find forgotten: [UUID",
)  # fmt: skip
"""What these commits come to, among other things."""


@pytest.mark.slow
def test_the_rules_of_the_simulation_are_those_of_the_database(quiet_talk: Owner) -> None:
    said: list[str] = []
    for seed in range(SEEDS):
        conversation = quiet_talk.begin()
        ids = [quiet_talk.say("How?", to=conversation, is_told=False) for _ in range(2)]
        pair = Pair(rng=random.Random(seed), ids=ids)
        for run_id in ids:
            pair.rules.post(run_id, conversation=1)
            pair.rules.now += 1.0

        event_loop.run(_live(pair))
        said += pair.said
    assert [outcome for outcome in MET if not any(one.startswith(outcome) for one in said)] == []


async def _live(pair: Pair) -> None:
    for _ in range(COMMITS):
        await pair.commit_something()
    await pair.compare()
    for run_id in pair.ids:
        await leases.cancel(run_id)
    await asyncio.sleep(0)
