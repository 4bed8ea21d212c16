"""Who may work on a run: one worker at a time, in turn, and nobody who was taken for dead."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from agents.queries import ending, leases, run_requests
from agents.queries import steps as rows
from agents.queries.abandoned_runs import forgotten, reclaim
from agents.queries.rows import RunLost, Said
from agents.runs import sweeper
from tests.agents.conversation_client import Observer, Owner
from tests.agents.own_worker import Scripted, says, work_on
from toolbox.database import event_loop


def claim(run_id: UUID, worker: str = "one") -> Any:
    """Claim a run."""
    return event_loop.run(leases.claim(run_id, worker=worker))


def silence(onlooker: Observer, run_id: UUID) -> None:
    """Have the run's worker be silent for a minute."""
    onlooker.ask("UPDATE agents_runs SET heartbeat_at = heartbeat_at - interval '1 min' WHERE id = %s", run_id)


@pytest.fixture
def run_id(quiet_talk: Owner) -> UUID:
    """Have a run that nobody works on."""
    return quiet_talk.say("How did Carolina do?", is_told=False)


def test_one_worker_takes_a_run(run_id: UUID) -> None:
    assert claim(run_id, "one").held.attempt == 1
    assert claim(run_id, "two") is None


def test_a_worker_that_lost_its_connection_takes_its_own_run_up_again(run_id: UUID) -> None:
    claim(run_id, "one")

    assert claim(run_id, "one").held.attempt == 2


def test_a_run_waits_for_the_one_before_it_in_the_conversation(quiet_talk: Owner) -> None:
    conversation = quiet_talk.begin()
    first = quiet_talk.say("one?", to=conversation, is_told=False)
    second = quiet_talk.say("two?", to=conversation, is_told=False)

    assert claim(second) is None
    held = claim(first).held

    assert event_loop.run(ending.finish(held, state="succeeded", text="One.")) == second
    assert claim(second)


def test_a_second_message_replaces_the_first_where_that_is_the_policy(quiet_talk: Owner, onlooker: Observer) -> None:
    conversation = quiet_talk.begin(second_message="replace")
    first = quiet_talk.say("one?", to=conversation, is_told=False)
    held = claim(first).held

    second = quiet_talk.say("two?", to=conversation, is_told=False)

    assert onlooker.run(first)["state"] == "cancelled"
    assert not event_loop.run(leases.heartbeat(held))
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

    taken = event_loop.run(reclaim(stale_seconds=sweeper.STALE_SECONDS))

    assert run_id in taken
    assert event_loop.run(reclaim(stale_seconds=sweeper.STALE_SECONDS)) == []
    assert (onlooker.run(run_id)["state"], onlooker.run(run_id)["losses"]) == ("queued", 1)


def test_a_worker_that_says_it_lives_keeps_its_run(run_id: UUID, onlooker: Observer) -> None:
    held = claim(run_id).held
    silence(onlooker, run_id)

    assert event_loop.run(leases.heartbeat(held))
    assert run_id not in event_loop.run(reclaim(stale_seconds=sweeper.STALE_SECONDS))


@pytest.mark.parametrize("is_taken_up_again", [False, True])
def test_a_worker_that_was_taken_for_dead_can_write_nothing(
    run_id: UUID, onlooker: Observer, *, is_taken_up_again: bool
) -> None:
    held = claim(run_id, "one").held
    silence(onlooker, run_id)
    event_loop.run(reclaim(stale_seconds=sweeper.STALE_SECONDS))
    if is_taken_up_again:
        claim(run_id, "two")
    events = len(onlooker.events(run_id))

    for write in (
        leases.tell(held, kind="text", data={}),
        rows.begin_model(held, number=1),
        rows.keep_said(held, number=1, said=Said(text="Too late.")),
        ending.finish(held, state="succeeded", text="Too late."),
    ):
        with pytest.raises(RunLost):
            event_loop.run(write)

    assert not event_loop.run(leases.heartbeat(held))
    assert len(onlooker.events(run_id)) == events
    assert onlooker.steps(run_id) == []


def test_a_run_that_ends_worker_after_worker_is_given_up(
    run_id: UUID, onlooker: Observer, scripted_as: Scripted
) -> None:
    scripted_as(says("never asked"))
    onlooker.ask("UPDATE agents_runs SET losses = 5 WHERE id = %s", run_id)

    work_on(run_id)

    assert (onlooker.run(run_id)["state"], onlooker.run(run_id)["error_code"]) == ("failed", "WORKERS_LOST")


def test_a_queued_run_that_nobody_took_is_told_of_again_ever_more_seldom(run_id: UUID, onlooker: Observer) -> None:
    assert run_id not in event_loop.run(forgotten(after_seconds=5))

    waits = []
    for _ in range(3):
        while run_id not in event_loop.run(forgotten(after_seconds=5)):
            onlooker.ask("UPDATE agents_runs SET enqueued_at = enqueued_at - interval '5 s' WHERE id = %s", run_id)
            waits.append(onlooker.run(run_id)["enqueues"])

    assert [waits.count(times) for times in range(3)] == [1, 2, 4]


def test_what_waits_for_another_run_is_not_forgotten(quiet_talk: Owner, onlooker: Observer) -> None:
    conversation = quiet_talk.begin()
    first = quiet_talk.say("one?", to=conversation, is_told=False)
    second = quiet_talk.say("two?", to=conversation, is_told=False)
    onlooker.ask(
        "UPDATE agents_runs SET enqueued_at = enqueued_at - %s WHERE conversation_id = %s",
        timedelta(minutes=1),
        conversation,
    )

    told = event_loop.run(forgotten(after_seconds=5))

    assert first in told
    assert second not in told


def test_a_step_that_was_kept_is_not_counted_twice(run_id: UUID, onlooker: Observer) -> None:
    held = claim(run_id).held
    event_loop.run(rows.begin_model(held, number=1))
    said = Said(text="Four.", prompt_tokens=7)

    event_loop.run(rows.keep_said(held, number=1, said=said))
    event_loop.run(rows.keep_said(held, number=1, said=said))

    assert (onlooker.run(run_id)["prompt_tokens"], onlooker.run(run_id)["step_count"]) == (7, 1)
