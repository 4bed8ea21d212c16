"""What a run does next, decided from its steps alone."""

from dataclasses import replace
from typing import Any

import orjson
import pytest

from agents.queries.rows import Budgets, StepRow
from agents.runs.run_policy import MAX_PARALLEL_READS, AskModel, AskPerson, End, Repeat, RunPolicy, UseTools, reason

BUDGETS = Budgets(steps=10, answer_bytes=1_000)


def make_policy(*, budgets: Budgets = BUDGETS, approve: tuple[str, ...] = ()) -> RunPolicy:
    """Build rules in which `write` writes, and the named tools need approval too."""
    return RunPolicy(
        budgets=budgets,
        writes=lambda name: name in ("write", "upsert"),
        may_repeat=lambda name: name != "write",
        needs_approval=lambda name: name in ("write", *approve),
    )


def model_step(number: int, *, text: str = "", reason: str = "stop") -> StepRow:
    """Build an answered model step."""
    answer = orjson.dumps({"text": text, "calls": [], "reason": reason}).decode()
    return StepRow(number=number, kind="model", state="answered", idempotency_key=f"k{number}", answer=answer)


def call(number: int, *, tool: str = "read", state: str = "answered", arguments: str = "{}", **more: Any) -> StepRow:
    """Build a tool's step."""
    known = {"answer": '{"error": {"code": "NO", "message": "Not so.", "suggestion": "Do so."}}'} | more
    return StepRow(
        number=number, kind="tool", state=state, idempotency_key=f"k{number}", tool=tool, arguments=arguments, **known
    )


def test_a_run_begins_with_the_model() -> None:
    assert make_policy().next_action([]) == AskModel(number=1)


def test_a_model_step_that_a_dead_worker_began_is_taken_again_under_its_number() -> None:
    begun = StepRow(number=1, kind="model", state="started", idempotency_key="k")

    assert make_policy().next_action([begun]) == AskModel(number=1)


def test_a_planned_call_is_made() -> None:
    planned = call(2, state="planned")

    assert make_policy().next_action([model_step(1), planned]) == UseTools(steps=(planned,))


def test_after_its_answer_the_model_is_asked_again() -> None:
    assert make_policy().next_action([model_step(1), call(2)]) == AskModel(number=3)


def test_several_calls_of_one_step_are_made_one_after_the_other() -> None:
    second = make_planned(3)

    assert make_policy().next_action([model_step(1), call(2), second]) == UseTools(steps=(second,))


def make_planned(number: int, *, tool: str = "read") -> StepRow:
    """Build a planned call with arguments of its own."""
    return call(number, tool=tool, state="planned", arguments=f'{{"n": {number}}}')


def test_reads_that_follow_each_other_are_made_at_once() -> None:
    steps = [make_planned(number) for number in range(2, 8)]

    assert make_policy().next_action([model_step(1), *steps]) == UseTools(steps=tuple(steps[:MAX_PARALLEL_READS]))


def test_a_write_is_made_alone_after_the_reads_before_it_and_before_those_after_it() -> None:
    first, write, last = make_planned(2), make_planned(3, tool="upsert"), make_planned(4)

    assert make_policy().next_action([model_step(1), first, write, last]) == UseTools(steps=(first,))
    done = replace(first, state="answered")
    assert make_policy().next_action([model_step(1), done, write, last]) == UseTools(steps=(write,))
    over = replace(write, state="answered")
    assert make_policy().next_action([model_step(1), done, over, last]) == UseTools(steps=(last,))


def test_a_read_that_waits_for_approval_ends_the_reads_made_at_once() -> None:
    first, asked = make_planned(2), make_planned(3, tool="secret")

    policy = make_policy(approve=("secret",))
    assert policy.next_action([model_step(1), first, asked, make_planned(4)]) == UseTools(steps=(first,))


def test_the_same_read_twice_in_a_step_is_made_once() -> None:
    first, second = make_planned(2), replace(make_planned(3), arguments='{"n": 2}')

    assert make_policy().next_action([model_step(1), first, second]) == UseTools(steps=(first,))
    done = replace(first, state="answered")
    assert make_policy().next_action([model_step(1), done, second]) == Repeat(step=second, earlier=done)


def test_an_idempotent_write_that_a_dead_worker_began_is_made_again() -> None:
    begun = call(2, tool="upsert", state="started")

    assert make_policy().next_action([model_step(1), begun]) == UseTools(steps=(begun,))


def test_a_text_without_calls_ends_the_run() -> None:
    assert make_policy().next_action([model_step(1, text=" Four. ")]) == End(
        state="succeeded", text="Four.", said="Four."
    )


def test_the_answer_is_all_that_the_model_said_as_watchers_read_it() -> None:
    steps = [model_step(1, text="Let me look."), call(2), model_step(3, text="Four.")]

    end = make_policy().next_action(steps)

    assert end == End(state="succeeded", text="Let me look.\n\nFour.", said="Let me look.\n\nFour.")


def test_an_empty_answer_fails_with_a_sentence() -> None:
    end = make_policy().next_action([model_step(1)])

    assert isinstance(end, End)
    assert (end.state, end.code) == ("failed", "EMPTY_ANSWER")
    assert "answered nothing" in end.error


def test_an_answer_that_was_cut_says_so() -> None:
    end = make_policy().next_action([model_step(1, text="Four and", reason="length")])

    assert isinstance(end, End)
    assert end.text.startswith("Four and\n\n(The model stopped here")


def test_a_read_that_a_dead_worker_began_is_made_again() -> None:
    begun = call(2, state="started")

    assert make_policy().next_action([model_step(1), begun]) == UseTools(steps=(begun,))


def test_a_write_that_a_dead_worker_began_is_left_to_a_person() -> None:
    begun = call(2, tool="write", state="started")

    assert make_policy().next_action([model_step(1), begun]) == AskPerson(step=begun, is_unsure=True)


def test_a_write_waits_for_approval_and_is_made_after_it() -> None:
    planned, approved = call(2, tool="write", state="planned"), call(2, tool="write", state="approved")

    assert make_policy().next_action([model_step(1), planned]) == AskPerson(step=planned)
    assert make_policy().next_action([model_step(1), approved]) == UseTools(steps=(approved,))


def test_a_tool_that_the_policy_names_waits_for_approval() -> None:
    planned = call(2, state="planned")

    assert make_policy(approve=("read",)).next_action([model_step(1), planned]) == AskPerson(step=planned)


def test_one_refusal_goes_back_to_the_model() -> None:
    assert make_policy().next_action([model_step(1), call(2, state="refused")]) == AskModel(number=3)


def test_a_second_refusal_of_the_tool_asks_the_person_to_rephrase_with_what_went_wrong() -> None:
    steps = [
        model_step(1),
        call(2, state="refused"),
        model_step(3),
        call(4, state="refused", arguments='{"n": 2}', code="NO"),
    ]

    end = make_policy().next_action(steps)

    assert isinstance(end, End)
    assert (end.state, end.code) == ("failed", "NO")
    assert end.text == ("I could not get an answer: Not so. Do so.\n\nPlease rephrase the question with that in mind.")


def test_a_second_refusal_counts_though_another_tool_refuses() -> None:
    steps = [model_step(1), call(2, state="refused"), model_step(3), call(4, tool="other", state="refused")]

    assert isinstance(make_policy().next_action(steps), End)


def test_a_refusal_after_an_answer_is_a_first_one_again() -> None:
    steps = [
        model_step(1), call(2, state="refused"), model_step(3), call(4, arguments='{"n": 2}'), model_step(5),
        call(6, state="refused", arguments='{"n": 3}'),
    ]  # fmt: skip

    assert make_policy().next_action(steps) == AskModel(number=7)


def test_two_calls_of_one_step_that_are_refused_are_one_try() -> None:
    steps = [model_step(1), call(2, state="refused"), call(3, state="refused", arguments='{"n": 2}')]

    assert make_policy().next_action(steps) == AskModel(number=4)


def test_a_rejected_call_is_no_refusal() -> None:
    steps = [model_step(1), call(2, state="rejected"), model_step(3), call(4, state="rejected")]

    assert make_policy().next_action(steps) == AskModel(number=5)


def test_the_same_call_again_is_not_made_again_however_it_is_written() -> None:
    first, again = call(2, arguments='{"a": 1, "b": 2}'), call(4, state="planned", arguments='{"b":2,"a":1}')

    assert make_policy().next_action([model_step(1), first, model_step(3), again]) == Repeat(step=again, earlier=first)


def test_the_same_call_a_third_time_ends_the_run() -> None:
    steps = [model_step(1), call(2), model_step(3), call(4), model_step(5), call(6, state="planned")]

    end = make_policy().next_action(steps)

    assert isinstance(end, End)
    assert (end.state, end.code) == ("failed", "REPEATED_CALL")


def test_reading_again_after_a_change_is_no_repetition() -> None:
    again = call(6, state="planned")
    steps = [model_step(1), call(2), model_step(3), call(4, tool="write"), model_step(5), again]

    assert make_policy().next_action(steps) == UseTools(steps=(again,))


def test_steps_that_are_used_up_end_the_run_before_the_model_is_asked() -> None:
    end = make_policy(budgets=Budgets(steps=2, answer_bytes=1_000)).next_action([model_step(1), call(2)])

    assert isinstance(end, End)
    assert (end.state, end.code) == ("failed", "STEPS_USED_UP")


def test_an_answer_is_an_answer_though_the_budget_is_used_up() -> None:
    end = make_policy(budgets=Budgets(steps=1, answer_bytes=1_000)).next_action([model_step(1, text="Four.")])

    assert end == End(state="succeeded", text="Four.", said="Four.")


def test_more_calls_than_the_budget_has_steps_are_not_made() -> None:
    steps = [model_step(1), *[call(number, state="planned", arguments=f'{{"n": {number}}}') for number in range(2, 20)]]

    end = make_policy().next_action(steps)

    assert isinstance(end, End)
    assert end.code == "STEPS_USED_UP"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('{"error": {"code": "A", "message": "Bad.", "suggestion": "Fix."}}', ("Bad.", "Fix.")),
        ('{"success": false, "error": {"message": "Bad.", "details": {"suggestion": "Fix."}}}', ("Bad.", "Fix.")),
        ('{"rows": [], "error": "Bad."}', ("Bad.", "")),
        ('{"error": {"code": "A"}}', ("A", "")),
        ("[]", ("the tool refused.", "")),
        ("no JSON", ("no JSON", "")),
    ],
)
def test_a_refusal_is_understood_in_every_dialect(body: str, expected: tuple[str, str]) -> None:
    assert reason(body) == expected
