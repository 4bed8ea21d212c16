"""Who may work on a run: in turn, and nobody who was taken for dead (see also tests/toolbox/work/test_lease.py)."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from agents.budgets import ModelCall
from agents.queries import leases, run_requests
from agents.queries import steps as rows
from agents.queries.leases import RUNS
from agents.queries.rows import ModelReply
from tests.agents.conversation_client import Observer, Owner
from tests.agents.own_worker import Scripted, says, work_on
from toolbox.database import event_loop
from toolbox.work import lease
from toolbox.work.lease import LeaseLost

CALL = ModelCall(model="script", prompt_tokens=10, max_tokens=100)


def claim(run_id: UUID, worker: str = "one") -> Any:
    """Claim a run."""
    return event_loop.run(lease.claim(RUNS, work_id=run_id, worker=worker))


def silence(onlooker: Observer, run_id: UUID) -> None:
    """Date the heartbeat of the run's worker a minute back."""
    onlooker.ask("UPDATE agents_runs SET heartbeat_at = heartbeat_at - interval '1 min' WHERE id = %s", run_id)


@pytest.fixture
def run_id(quiet_talk: Owner) -> UUID:
    """Create a run that nobody works on."""
    return quiet_talk.say("How did Carolina do?", is_told=False)


def test_a_run_waits_for_the_one_before_it_in_the_conversation(quiet_talk: Owner) -> None:
    conversation = quiet_talk.begin()
    first = quiet_talk.say("one?", to=conversation, is_told=False)
    second = quiet_talk.say("two?", to=conversation, is_told=False)

    assert claim(second) is None
    held = claim(first)

    assert event_loop.run(leases.finish(held, state="succeeded", text="One.")) == second
    assert claim(second)


def test_a_second_message_replaces_the_first_where_that_is_the_policy(quiet_talk: Owner, onlooker: Observer) -> None:
    conversation = quiet_talk.begin(second_message="replace")
    first = quiet_talk.say("one?", to=conversation, is_told=False)
    held = claim(first)

    second = quiet_talk.say("two?", to=conversation, is_told=False)

    assert onlooker.run(first)["state"] == "cancelled"
    assert not event_loop.run(held.heartbeat())
    assert claim(second)


def test_a_second_message_is_refused_where_that_is_the_policy(quiet_talk: Owner) -> None:
    conversation = quiet_talk.begin(second_message="refuse")
    quiet_talk.say("one?", to=conversation, is_told=False)

    assert event_loop.run(run_requests.post_message(conversation, owner_id=None, key_id=None, text="two?")) == "busy"


def test_only_so_many_messages_may_wait(quiet_talk: Owner) -> None:
    conversation = quiet_talk.begin()
    for number in range(run_requests.MAX_WAITING):
        quiet_talk.say(f"{number}?", to=conversation, is_told=False)

    assert event_loop.run(run_requests.post_message(conversation, owner_id=None, key_id=None, text="more?")) == "full"


def test_a_silent_worker_s_run_is_queued_again_once(run_id: UUID, onlooker: Observer) -> None:
    claim(run_id)
    silence(onlooker, run_id)

    taken = event_loop.run(lease.reclaim(RUNS))

    assert run_id in taken
    assert event_loop.run(lease.reclaim(RUNS)) == []
    assert (onlooker.run(run_id)["state"], onlooker.run(run_id)["losses"]) == ("queued", 1)


@pytest.mark.parametrize("is_taken_up_again", [False, True])
def test_a_worker_that_was_taken_for_dead_can_write_nothing(
    run_id: UUID, onlooker: Observer, *, is_taken_up_again: bool
) -> None:
    held = claim(run_id, "one")
    silence(onlooker, run_id)
    event_loop.run(lease.reclaim(RUNS))
    if is_taken_up_again:
        claim(run_id, "two")
    events = len(onlooker.events(run_id))

    for write in (
        leases.append_event(held, kind="text", data={}),
        rows.begin_model(held, number=1, call=CALL),
        rows.save_model_reply(held, number=1, reply=ModelReply(text="Too late.")),
        leases.finish(held, state="succeeded", text="Too late."),
    ):
        with pytest.raises(LeaseLost):
            event_loop.run(write)

    assert not event_loop.run(held.heartbeat())
    assert len(onlooker.events(run_id)) == events
    assert onlooker.steps(run_id) == []


def test_a_run_that_ends_worker_after_worker_is_given_up(
    run_id: UUID, onlooker: Observer, scripted_as: Scripted
) -> None:
    scripted_as(says("never asked"))
    onlooker.ask("UPDATE agents_runs SET losses = 5 WHERE id = %s", run_id)

    work_on(run_id)

    assert (onlooker.run(run_id)["state"], onlooker.run(run_id)["error_code"]) == ("failed", "WORKERS_LOST")


def test_what_waits_for_another_run_is_not_forgotten(quiet_talk: Owner, onlooker: Observer) -> None:
    conversation = quiet_talk.begin()
    first = quiet_talk.say("one?", to=conversation, is_told=False)
    second = quiet_talk.say("two?", to=conversation, is_told=False)
    onlooker.ask(
        "UPDATE agents_runs SET enqueued_at = enqueued_at - %s WHERE conversation_id = %s",
        timedelta(minutes=1),
        conversation,
    )

    told = event_loop.run(lease.find_forgotten(RUNS))

    assert first in told
    assert second not in told


def test_a_step_that_was_kept_is_not_counted_twice(run_id: UUID, onlooker: Observer) -> None:
    held = claim(run_id)
    event_loop.run(rows.begin_model(held, number=1, call=CALL))
    said = ModelReply(text="Four.", prompt_tokens=7)

    event_loop.run(rows.save_model_reply(held, number=1, reply=said))
    event_loop.run(rows.save_model_reply(held, number=1, reply=said))

    assert (onlooker.run(run_id)["prompt_tokens"], onlooker.run(run_id)["step_count"]) == (7, 1)
