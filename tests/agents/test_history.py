"""When a page says that no worker has taken a run up yet: only of runs whose turn it is, and that none ever had."""

from uuid import UUID

import pytest

from agents.queries import history, run_requests
from agents.queries.leases import RUNS
from tests.agents.conversation_client import APPROVER, Observer, Owner
from tests.agents.own_worker import FEBRUARY, LINESCORE, Scripted, calls, work_on
from toolbox.database import event_loop
from toolbox.work import lease


@pytest.fixture
def conversation(quiet_talk: Owner) -> UUID:
    return quiet_talk.begin(approve_tools=[LINESCORE])


def asked_a_while_ago(talk: Owner, onlooker: Observer, *, conversation: UUID) -> UUID:
    """Post a message, date it a minute back, and return the run's id."""
    run_id = talk.say("How did Carolina do?", to=conversation, is_told=False)
    onlooker.ask("UPDATE agents_runs SET created_at = created_at - interval '1 min' WHERE id = %s", run_id)
    return run_id


def waiting_long(conversation: UUID) -> list[bool]:
    """Return for each question whether it is waiting for a worker."""
    return [row["is_waiting_long"] for row in event_loop.run(history.find_exchanges(conversation))]


def test_a_run_that_nobody_takes_up_waits_long_after_a_while(
    conversation: UUID, quiet_talk: Owner, onlooker: Observer
) -> None:
    run_id = quiet_talk.say("How did Carolina do?", to=conversation, is_told=False)
    at_first = waiting_long(conversation)
    onlooker.ask("UPDATE agents_runs SET created_at = created_at - interval '9 s' WHERE id = %s", run_id)

    assert (at_first, waiting_long(conversation)) == ([False], [True])


@pytest.mark.parametrize("decision", ["approve", "reject"])
def test_a_run_that_was_decided_on_has_been_taken_up(
    conversation: UUID, quiet_talk: Owner, onlooker: Observer, scripted_as: Scripted, decision: str
) -> None:
    scripted_as(calls(FEBRUARY))
    run_id = asked_a_while_ago(quiet_talk, onlooker, conversation=conversation)
    work_on(run_id)
    if decision == "approve":
        assert event_loop.run(run_requests.approve(run_id, number=None, caller=APPROVER, arguments=""))
    else:
        assert event_loop.run(run_requests.reject(run_id, number=None, word=""))

    assert onlooker.run(run_id)["state"] == "queued"
    assert waiting_long(conversation) == [False]


@pytest.mark.parametrize("is_first_taken_up", [False, True])
def test_a_run_behind_another_one_waits_for_that(
    conversation: UUID, quiet_talk: Owner, onlooker: Observer, *, is_first_taken_up: bool
) -> None:
    first = asked_a_while_ago(quiet_talk, onlooker, conversation=conversation)
    asked_a_while_ago(quiet_talk, onlooker, conversation=conversation)
    if is_first_taken_up:
        assert event_loop.run(lease.claim(RUNS, work_id=first, worker="one"))

    assert waiting_long(conversation) == [not is_first_taken_up, False]
