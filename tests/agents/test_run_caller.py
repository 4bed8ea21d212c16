"""With whose rights a run calls tools."""

from collections.abc import Iterator
from types import SimpleNamespace
from uuid import UUID

import pytest

from agents.runs import run_caller
from tests.agents.conversation_client import Observer, Owner
from tests.agents.own_worker import FEBRUARY, LINESCORE, Scripted, begin_work_on, calls, hangs, says, work_on
from toolbox.contract.caller import hash_api_key


@pytest.fixture
def bob(cast: SimpleNamespace, onlooker: Observer) -> Iterator[Owner]:
    """Hold conversations as bob, who may only read linescore."""
    key = onlooker.ask("SELECT id, owner_id FROM toolbox_api_keys WHERE digest = %s", hash_api_key(cast.bob))[0]
    run_caller._cache.clear()
    yield Owner("", owner_id=key["owner_id"], key_id=key["id"])
    onlooker.ask("UPDATE toolbox_api_keys SET revoked_at = NULL WHERE id = %s", key["id"])
    run_caller._cache.clear()


def test_it_is_offered_what_the_owner_s_key_may_use(bob: Owner, scripted_as: Scripted) -> None:
    script = scripted_as(says("Nothing."))

    work_on(bob.say("What can you do?", is_told=False))

    assert script.tools == [[LINESCORE, "list_game_results"]]


def test_what_the_key_may_not_use_is_refused_whoever_asks_for_it(
    bob: Owner, onlooker: Observer, scripted_as: Scripted
) -> None:
    scripted_as(calls("{}", tool="list_backtest_runs"), says("I may not."))
    run_id = bob.say("Which runs are there?", is_told=False)

    work_on(run_id)

    step = onlooker.steps(run_id)[1]
    assert (step["state"], step["code"]) == ("refused", "FORBIDDEN")


def test_a_conversation_s_toolkits_narrow_what_the_key_may(
    quiet_talk: Owner, onlooker: Observer, scripted_as: Scripted
) -> None:
    scripted_as(calls("{}", tool="list_backtest_runs"), says("I may not."))
    run_id = quiet_talk.say("Which runs are there?", is_told=False, toolkits=["linescore"])

    work_on(run_id)

    assert onlooker.steps(run_id)[1]["code"] == "FORBIDDEN"


def test_calls_are_audited_under_the_key_s_name(bob: Owner, onlooker: Observer, scripted_as: Scripted) -> None:
    scripted_as(calls(FEBRUARY), says("21 periods."))
    run_id: UUID = bob.say("How did Carolina do?", is_told=False)

    work_on(run_id)

    onlooker.until(lambda: onlooker.calls(run_id))
    [call] = onlooker.calls(run_id)
    assert (call["caller"], call["transport"], call["outcome"]) == ("bob", "agents", "answered")


def test_a_key_that_was_revoked_ends_its_runs_with_a_sentence(
    bob: Owner, onlooker: Observer, scripted_as: Scripted
) -> None:
    scripted_as(says("never asked"))
    run_id = bob.say("How did Carolina do?", is_told=False)
    onlooker.ask("UPDATE toolbox_api_keys SET revoked_at = now() WHERE id = %s", bob._key_id)

    work_on(run_id)

    run = onlooker.run(run_id)
    assert (run["state"], run["error_code"]) == ("failed", "KEY_ENDED")


def test_a_key_that_is_revoked_in_the_middle_of_a_model_s_answer_ends_the_run(
    bob: Owner, onlooker: Observer, scripted_as: Scripted
) -> None:
    script = scripted_as(hangs())
    run_id = bob.say("How did Carolina do?", is_told=False)
    work = begin_work_on(run_id)
    onlooker.until(lambda: onlooker.events(run_id)[-1]["kind"] == "text")

    onlooker.ask("UPDATE toolbox_api_keys SET revoked_at = now() WHERE id = %s", bob._key_id)
    run_caller._cache.clear()

    run = onlooker.end_of(run_id)
    work.result(60)
    assert (run["state"], run["error_code"]) == ("failed", "KEY_ENDED")
    assert script.is_closed
