"""A run that must end tells what it found: by a last turn of the model, or by a list where there is none."""

from uuid import UUID

import pytest

from tests.agents.conversation_client import Observer, Owner
from tests.agents.own_worker import FEBRUARY, LINESCORE, Scripted, begin_work_on, calls, hangs, says, work_on
from toolbox.model import ModelUnavailable, TextDelta, Used

MARCH = FEBRUARY.replace("2025-02", "2025-03").replace("-28", "-31")
FOUND = "Found, to be read in the steps of the run:\n- step 2, query_linescore_data: answered, "


def test_used_up_steps_end_with_one_turn_without_tools(
    quiet_talk: Owner, onlooker: Observer, scripted_as: Scripted
) -> None:
    script = scripted_as(calls(FEBRUARY), says("21 periods in February. March is missing."))
    run_id = quiet_talk.say("How did Carolina do?", is_told=False, max_steps=2)

    work_on(run_id)

    run = onlooker.run(run_id)
    assert (run["state"], run["error_code"]) == ("failed", "STEPS_USED_UP")
    assert onlooker.answer(run_id) == (
        "(Partial answer: The run took 2 steps without coming to an answer; ask for less at once.)\n\n"
        "21 periods in February. March is missing."
    )
    assert script.tools[-1] == []
    assert script.told[-1][-1].text.startswith("No tool can be called any more: The run took 2 steps")
    assert onlooker.events(run_id)[-1]["data"]["text"] == onlooker.answer(run_id)


def test_calls_that_were_not_made_are_named_to_model_and_person(
    quiet_talk: Owner, onlooker: Observer, scripted_as: Scripted
) -> None:
    script = scripted_as(calls(FEBRUARY), calls(MARCH, FEBRUARY), says("February alone."))
    run_id = quiet_talk.say("How did Carolina do?", is_told=False, max_steps=4)

    work_on(run_id)

    assert onlooker.answer(run_id).endswith(
        "February alone.\n\nMissing:\n"
        "- step 4, query_linescore_data: not made\n- step 5, query_linescore_data: not made"
    )
    assert [message.text for message in script.told[-1][-3:-1]] == ["This call was not made."] * 2


def test_used_up_tokens_end_with_a_turn_that_was_kept_back(
    quiet_talk: Owner, onlooker: Observer, scripted_as: Scripted
) -> None:
    script = scripted_as(calls(FEBRUARY), says("21 periods so far."))
    script.prompt_tokens = 100
    run_id = quiet_talk.say("How did Carolina do?", is_told=False, max_tokens=800)

    work_on(run_id)

    run = onlooker.run(run_id)
    assert (run["state"], run["error_code"]) == ("failed", "TOKENS_USED_UP")
    assert onlooker.answer(run_id).endswith("\n\n21 periods so far.")
    assert (script.tools[-1], script.limits) == ([], [700, 685])


def test_time_that_ends_leaves_a_last_turn(quiet_talk: Owner, onlooker: Observer, scripted_as: Scripted) -> None:
    scripted_as(calls(FEBRUARY), hangs(), says("21 periods so far."))
    run_id = quiet_talk.say("How did Carolina do?", is_told=False, max_seconds=2)

    work_on(run_id)

    run = onlooker.run(run_id)
    assert (run["state"], run["error_code"]) == ("timed_out", "TIME_OVER")
    assert onlooker.answer(run_id) == "(Partial answer: The time of this run is over.)\n\n21 periods so far."
    assert run["estimated_tokens"] == 10


@pytest.mark.parametrize("failure", [ModelUnavailable("It is away."), None])
def test_without_a_last_turn_what_was_found_is_listed(
    quiet_talk: Owner, onlooker: Observer, scripted_as: Scripted, failure: Exception | None
) -> None:
    scripted_as(calls(FEBRUARY), failure or says(""))
    run_id = quiet_talk.say("How did Carolina do?", is_told=False, max_steps=2)

    work_on(run_id)

    assert onlooker.run(run_id)["error_code"] == "STEPS_USED_UP"
    assert f"\n\n{FOUND}" in onlooker.answer(run_id)


def test_a_last_turn_that_time_breaks_off_is_told_as_far_as_it_came(
    quiet_talk: Owner, onlooker: Observer, scripted_as: Scripted
) -> None:
    scripted_as(calls(FEBRUARY), [TextDelta(text="21 peri"), Used(prompt_tokens=10, completion_tokens=2)])
    run_id = quiet_talk.say("How did Carolina do?", is_told=False, max_steps=2, max_seconds=2)

    work_on(run_id)

    assert onlooker.answer(run_id).endswith("\n\n21 peri")


def test_where_nothing_was_found_the_model_is_not_asked_again(
    quiet_talk: Owner, onlooker: Observer, scripted_as: Scripted
) -> None:
    script = scripted_as(calls("{}", tool="no_such_tool"), says("never asked"))
    run_id = quiet_talk.say("How did Carolina do?", is_told=False, max_steps=2)

    work_on(run_id)

    assert (onlooker.run(run_id)["error_code"], len(script.told)) == ("STEPS_USED_UP", 1)
    assert onlooker.answer(run_id) == ""


def test_a_last_turn_that_calls_tools_calls_none(quiet_talk: Owner, onlooker: Observer, scripted_as: Scripted) -> None:
    scripted_as(calls(FEBRUARY), [TextDelta(text="21."), *calls(MARCH)])
    run_id = quiet_talk.say("How did Carolina do?", is_told=False, max_steps=2)

    work_on(run_id)

    assert onlooker.answer(run_id).endswith("\n\n21.")
    assert len(onlooker.steps(run_id)) == 3


def test_another_worker_ends_a_run_whose_last_turn_was_saved(
    quiet_talk: Owner, onlooker: Observer, scripted_as: Scripted
) -> None:
    script = scripted_as(calls(FEBRUARY), says("February."))
    run_id = quiet_talk.say("How did Carolina do?", is_told=False, max_steps=2)
    work_on(run_id)
    _bring_back(onlooker, run_id)

    work_on(run_id)

    assert (onlooker.run(run_id)["state"], len(script.told)) == ("failed", 2)
    texts = onlooker.ask("SELECT text FROM agents_messages WHERE run_id = %s", run_id)
    assert [row["text"].partition("\n\n")[2] for row in texts] == [texts[0]["text"].partition("\n\n")[2]] * 2


def test_a_cancelled_run_keeps_what_it_said_and_found(
    quiet_talk: Owner, onlooker: Observer, scripted_as: Scripted
) -> None:
    scripted_as([TextDelta(text="Let me look."), *calls(FEBRUARY)], hangs())
    run_id = quiet_talk.say("How did Carolina do?", is_told=False)
    work = begin_work_on(run_id)
    onlooker.until(lambda: [event["kind"] for event in onlooker.events(run_id)].count("text") == 2)

    quiet_talk.cancel(run_id)
    work.result(60)

    answer = onlooker.answer(run_id)
    assert answer.startswith(f"(Cancelled: this answer is partial.)\n\nLet me look.\n\nWell\n\n{FOUND}")
    assert LINESCORE in answer


def test_a_run_cancelled_before_it_did_anything_answers_nothing(quiet_talk: Owner, onlooker: Observer) -> None:
    run_id = quiet_talk.say("How did Carolina do?", is_told=False)

    quiet_talk.cancel(run_id)

    assert onlooker.answer(run_id) == ""


def _bring_back(onlooker: Observer, run_id: UUID) -> None:
    """Queue an ended run again, as if its worker had died before it wrote the end."""
    onlooker.ask("ALTER TABLE agents_runs DISABLE TRIGGER agents_run_course")
    onlooker.ask("UPDATE agents_runs SET state = 'queued', finished_at = NULL WHERE id = %s", run_id)
    onlooker.ask("ALTER TABLE agents_runs ENABLE TRIGGER agents_run_course")
