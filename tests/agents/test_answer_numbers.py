"""Numbers of an answer come from what the run's tools answered, or are marked."""

import pytest

from agents.runs.answer_numbers import MARK
from tests.agents.conversation_client import Observer, Owner
from tests.agents.own_worker import FEBRUARY, Scripted, calls, says, work_on


@pytest.mark.parametrize(
    ("said", "marked"),
    [
        ("Carolina won 14 periods in February.", ""),
        ("Carolina won 77 periods in February.", "77"),
        ("Carolina won 77 of 99 periods, on 2025-02-01 to 2025-02-28.", "77, 99"),
        ("As you said, 1,917 is a year.", ""),
    ],
)
def test_numbers_that_no_tool_gave_are_marked(
    quiet_talk: Owner, onlooker: Observer, scripted_as: Scripted, said: str, marked: str
) -> None:
    scripted_as(calls(FEBRUARY), says(said))
    run_id = quiet_talk.say("How did Carolina do in February 2025? (The NHL began in 1917.)", is_told=False)

    work_on(run_id)

    expected = f"{said}\n\n{MARK}{marked}.)" if marked else said
    assert onlooker.answer(run_id) == expected
    assert onlooker.events(run_id)[-1]["data"]["text"] == expected


def test_a_partial_answer_is_checked_and_its_own_words_are_not(
    quiet_talk: Owner, onlooker: Observer, scripted_as: Scripted
) -> None:
    scripted_as(calls(FEBRUARY), says("77 so far."))
    run_id = quiet_talk.say("How did Carolina do?", is_told=False, max_steps=2)

    work_on(run_id)

    assert onlooker.answer(run_id) == (
        "(Partial answer: The run took 2 steps without coming to an answer; ask for less at once.)\n\n77 so far.\n\n"
        f"{MARK}77.)"
    )


def test_a_marked_number_is_marked_again_when_it_is_repeated(
    quiet_talk: Owner, onlooker: Observer, scripted_as: Scripted
) -> None:
    scripted_as(says("It is 4711, since 2020."), says("4711, as I said."), says("4711, as you said."))
    first = quiet_talk.say("How many, since 2020?", is_told=False)
    work_on(first)
    second = quiet_talk.say("Sure?", is_told=False, conversation=onlooker.run(first)["conversation_id"])
    work_on(second)
    third = quiet_talk.say("So 4711?", is_told=False, conversation=onlooker.run(first)["conversation_id"])
    work_on(third)

    assert onlooker.answer(first) == f"It is 4711, since 2020.\n\n{MARK}4711.)"
    assert onlooker.answer(second) == f"4711, as I said.\n\n{MARK}4711.)"
    assert onlooker.answer(third) == "4711, as you said."
