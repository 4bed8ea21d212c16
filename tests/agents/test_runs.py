"""Runs, executed by a worker inside the test: what is kept, what is told, how they end."""

import asyncio
import json
from typing import Any

import pytest

from agents.runs.tool_step import call_tool
from tests.agents.conversation_client import Observer, Owner
from tests.agents.own_worker import FEBRUARY, LINESCORE, Scripted, begin_work_on, calls, hangs, says, work_on
from toolbox.database import event_loop
from toolbox.model import ContextOverrun, ModelUnavailable, RetryNotice, TextDelta
from toolbox.work import worker

MARCH = FEBRUARY.replace("2025-02", "2025-03").replace("-28", "-31")
WRONG = '{"teamCode": "QQQ"}'


def test_a_call_and_an_answer_are_kept_step_by_step(
    quiet_talk: Owner, onlooker: Observer, scripted_as: Scripted
) -> None:
    scripted_as(calls(FEBRUARY), says("21 periods."))
    run_id = quiet_talk.say("How did Carolina do?", is_told=False)

    work_on(run_id)

    run, steps = onlooker.run(run_id), onlooker.steps(run_id)
    assert (run["state"], run["step_count"], run["prompt_tokens"], run["completion_tokens"]) == ("succeeded", 3, 20, 10)
    assert [(step["kind"], step["state"]) for step in steps] == [
        ("model", "answered"), ("tool", "answered"), ("model", "answered"),
    ]  # fmt: skip
    assert json.loads(steps[1]["answer"])["data"]["count"] == 21
    assert onlooker.answer(run_id) == "21 periods."


def test_watchers_are_told_in_order(quiet_talk: Owner, onlooker: Observer, scripted_as: Scripted) -> None:
    scripted_as(calls(FEBRUARY), says("21 periods."))
    run_id = quiet_talk.say("How did Carolina do?", is_told=False)

    work_on(run_id)

    events = onlooker.events(run_id)
    assert [event["number"] for event in events] == list(range(1, len(events) + 1))
    assert [event["kind"] for event in events] == [
        "run.queued", "run.started", "model.asked", "model.answered", "tool.called", "tool.answered", "model.asked",
        "text", "model.answered", "run.finished",
    ]  # fmt: skip
    assert events[5]["data"]["rows"] == 21
    assert events[-1]["data"]["text"] == "21 periods."


def test_the_model_reads_what_the_tool_answered_as_data(quiet_talk: Owner, scripted_as: Scripted) -> None:
    script = scripted_as(calls(FEBRUARY), says("21 periods."))

    work_on(quiet_talk.say("How did Carolina do?", is_told=False))

    assert script.told[1][-1].role == "tool"
    assert script.told[1][-1].text.startswith("BEGIN DATA ")


def test_a_first_refusal_goes_back_and_a_mended_call_succeeds(
    quiet_talk: Owner, onlooker: Observer, scripted_as: Scripted
) -> None:
    script = scripted_as(calls(WRONG), calls(FEBRUARY), says("21 periods."))
    run_id = quiet_talk.say("How did Carolina do?", is_told=False)

    work_on(run_id)

    assert onlooker.run(run_id)["state"] == "succeeded"
    assert "Valid team codes" in script.told[1][-1].text
    assert script.told[1][-1].is_refusal


def test_after_a_second_refusal_the_person_is_asked_to_rephrase(
    quiet_talk: Owner, onlooker: Observer, scripted_as: Scripted
) -> None:
    scripted_as(calls(WRONG), calls('{"teamCode": "XXX"}'))
    run_id = quiet_talk.say("How did Quebec do?", is_told=False)

    work_on(run_id)

    assert (onlooker.run(run_id)["state"], onlooker.run(run_id)["error_code"]) == ("failed", "INVALID_TEAM_CODE")
    assert "Please rephrase" in onlooker.answer(run_id)
    assert "XXX" in onlooker.answer(run_id)


def test_a_long_answer_is_shortened_for_the_model_and_kept_whole(
    quiet_talk: Owner, onlooker: Observer, scripted_as: Scripted
) -> None:
    script = scripted_as(calls(FEBRUARY), says("Many."))
    run_id = quiet_talk.say("How did Carolina do?", is_told=False, max_answer_bytes=1_500)

    work_on(run_id)

    step = onlooker.steps(run_id)[1]
    assert json.loads(step["answer"])["data"]["count"] == 21
    assert len(step["shown"].encode()) <= 1_500
    assert "Shortened" in script.told[1][-1].text


@pytest.mark.parametrize(
    ("budget", "code"), [({"max_tokens": 15}, "TOKENS_USED_UP"), ({"max_steps": 2}, "STEPS_USED_UP")]
)
def test_a_used_up_budget_fails_the_run_with_a_sentence(
    quiet_talk: Owner, onlooker: Observer, scripted_as: Scripted, budget: dict[str, Any], code: str
) -> None:
    scripted_as(calls(FEBRUARY), says("never asked"))
    run_id = quiet_talk.say("How did Carolina do?", is_told=False, **budget)

    work_on(run_id)

    run = onlooker.run(run_id)
    assert (run["state"], run["error_code"]) == ("failed", code)
    assert run["error"].endswith("ask for less at once.")


def test_a_run_past_its_time_is_timed_out(quiet_talk: Owner, onlooker: Observer, scripted_as: Scripted) -> None:
    scripted_as(hangs())
    run_id = quiet_talk.say("How did Carolina do?", is_told=False, max_seconds=1)

    work_on(run_id)

    assert onlooker.run(run_id)["state"] == "timed_out"
    assert onlooker.run(run_id)["error"] == "The time of this run is over."


def test_a_model_that_fails_fails_the_run_with_its_sentence(
    quiet_talk: Owner, onlooker: Observer, scripted_as: Scripted
) -> None:
    scripted_as(ModelUnavailable("The model's server cannot be reached."))
    run_id = quiet_talk.say("How did Carolina do?", is_told=False)

    work_on(run_id)

    run = onlooker.run(run_id)
    assert (run["state"], run["error_code"]) == ("failed", "MODEL_UNAVAILABLE")
    assert run["error"] == "The model's server cannot be reached."


def test_a_conversation_too_long_for_the_model_is_told_shorter(
    quiet_talk: Owner, onlooker: Observer, scripted_as: Scripted
) -> None:
    conversation = quiet_talk.begin()
    scripted_as(says("A" * 20_000))
    work_on(quiet_talk.say("first?", to=conversation, is_told=False))
    script = scripted_as(ContextOverrun("too long"), says("Short."))
    run_id = quiet_talk.say("second?", to=conversation, is_told=False)

    work_on(run_id)

    assert onlooker.run(run_id)["state"] == "succeeded"
    assert [len(told) for told in script.told] == [len(script.told[1]) + 2, len(script.told[1])]


def test_what_came_before_a_retry_is_void(quiet_talk: Owner, onlooker: Observer, scripted_as: Scripted) -> None:
    again = RetryNotice(reason="The model's server broke off.", delay_seconds=0.0, attempt=2)
    scripted_as([TextDelta(text="Half an"), again, *says("A whole answer.")])
    run_id = quiet_talk.say("How did Carolina do?", is_told=False)

    work_on(run_id)

    kinds = [event["kind"] for event in onlooker.events(run_id)]
    assert kinds.index("text") < kinds.index("model.retrying") < kinds.index("model.answered")
    assert onlooker.answer(run_id) == "A whole answer."


def test_the_same_call_forever_is_stopped(quiet_talk: Owner, onlooker: Observer, scripted_as: Scripted) -> None:
    scripted_as(*[calls(FEBRUARY) for _ in range(9)])
    run_id = quiet_talk.say("How did Carolina do?", is_told=False)

    work_on(run_id)

    assert onlooker.run(run_id)["error_code"] == "REPEATED_CALL"
    onlooker.until(lambda: onlooker.calls(run_id))
    assert len(onlooker.calls(run_id)) == 1


def test_cancelling_stops_a_model_that_never_ends(quiet_talk: Owner, onlooker: Observer, scripted_as: Scripted) -> None:
    scripted_as(hangs())
    run_id = quiet_talk.say("How did Carolina do?", is_told=False)
    work = begin_work_on(run_id)
    onlooker.until(lambda: "text" in [event["kind"] for event in onlooker.events(run_id)])

    quiet_talk.cancel(run_id)
    work.result(60)

    assert onlooker.run(run_id)["state"] == "cancelled"
    assert onlooker.events(run_id)[-1]["kind"] == "run.finished"


def test_a_deleted_conversation_stops_its_worker(quiet_talk: Owner, onlooker: Observer, scripted_as: Scripted) -> None:
    from agents.queries import conversations
    from toolbox.database import event_loop

    scripted_as(hangs())
    conversation = quiet_talk.begin()
    run_id = quiet_talk.say("How did Carolina do?", to=conversation, is_told=False)
    work = begin_work_on(run_id)
    onlooker.until(lambda: "text" in [event["kind"] for event in onlooker.events(run_id)])

    assert event_loop.run(conversations.delete(conversation, owner_id=None))
    work.result(60)

    assert onlooker.ask("SELECT 1 FROM agents_events WHERE run_id = %s", run_id) == []


def test_text_that_no_column_can_hold_is_made_to_fit(
    quiet_talk: Owner, onlooker: Observer, scripted_as: Scripted
) -> None:
    scripted_as(calls('{"teamCode": "\x00"}'), says("A \x00 and \ud800."))
    run_id = quiet_talk.say("How did Carolina do?", is_told=False)

    work_on(run_id)

    assert onlooker.answer(run_id) == "A \N{REPLACEMENT CHARACTER} and ?."


def test_a_fault_of_our_own_ends_the_run_without_details(
    quiet_talk: Owner, onlooker: Observer, scripted_as: Scripted
) -> None:
    scripted_as(ZeroDivisionError("a secret"))
    run_id = quiet_talk.say("How did Carolina do?", is_told=False)

    work_on(run_id)

    run = onlooker.run(run_id)
    assert (run["state"], run["error_code"]) == ("failed", "INTERNAL_ERROR")
    assert "secret" not in run["error"]


def test_a_run_offers_the_tools_of_its_toolkits_alone(quiet_talk: Owner, scripted_as: Scripted) -> None:
    script = scripted_as(says("Nothing to do."))

    work_on(quiet_talk.say("What can you do?", is_told=False, toolkits=["linescore"]))

    assert script.tools == [[LINESCORE, "list_game_results"]]


def test_reads_of_one_step_are_under_way_at_once(
    quiet_talk: Owner, onlooker: Observer, scripted_as: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    together = asyncio.Barrier(2)

    async def call_together(*args: Any, **options: Any) -> Any:
        async with asyncio.timeout(60):
            await together.wait()
        return await call_tool(*args, **options)

    monkeypatch.setattr("agents.runs.execution.call_tool", call_together)
    script = scripted_as(calls(FEBRUARY, MARCH), says("Both."))
    run_id = quiet_talk.say("How did Carolina do?", is_told=False)

    work_on(run_id)

    assert onlooker.answer(run_id) == "Both."
    assert [step["state"] for step in onlooker.steps(run_id)] == ["answered"] * 4
    kinds = [event["kind"] for event in onlooker.events(run_id)]
    assert kinds[4:8] == ["tool.called", "tool.called", "tool.answered", "tool.answered"]
    assert [message.role for message in script.told[1][-3:]] == ["assistant", "tool", "tool"]


def test_a_worker_that_is_told_to_end_gives_its_run_back_at_once(
    quiet_talk: Owner, onlooker: Observer, scripted_as: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "_is_draining", False)
    scripted_as(calls(FEBRUARY), hangs())
    run_id = quiet_talk.say("How did Carolina do?", is_told=False)
    work = begin_work_on(run_id)
    onlooker.until(lambda: "text" in [event["kind"] for event in onlooker.events(run_id)])

    event_loop.run(worker.drain())
    work.result(60)

    assert (onlooker.run(run_id)["state"], onlooker.run(run_id)["losses"]) == ("queued", 0)
    work_on(run_id)
    assert onlooker.run(run_id)["state"] == "queued"

    monkeypatch.setattr(worker, "_is_draining", False)
    scripted_as(says("21 periods."))
    work_on(run_id)
    assert onlooker.answer(run_id) == "21 periods."
    assert len([step for step in onlooker.steps(run_id) if step["kind"] == "tool"]) == 1
