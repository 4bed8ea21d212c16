"""Calls that wait for a person's approval."""

import json
from typing import Any
from uuid import UUID

import psycopg
import pytest

from agents.queries import run_requests
from agents.queries.rows import digest_call
from tests.agents.conversation_client import APPROVER, Observer, Owner
from tests.agents.own_worker import FEBRUARY, LINESCORE, Scripted, calls, says, work_on
from toolbox.contract.errors import Refusal
from toolbox.database import event_loop


def decide(run_id: UUID, *, digest: str) -> int | None:
    """Approve the call of that digest."""
    return event_loop.run(run_requests.approve(run_id, number=None, caller=APPROVER, digest=digest))


@pytest.fixture
def waiting_run(quiet_talk: Owner, scripted_as: Scripted) -> UUID:
    """Create a run that waits for the approval of its call."""
    scripted_as(calls(FEBRUARY))
    run_id = quiet_talk.say("How did Carolina do?", is_told=False, approve_tools=[LINESCORE])
    work_on(run_id)
    return run_id


@pytest.fixture
def person(quiet_talk: Owner, monkeypatch: pytest.MonkeyPatch) -> Owner:
    """Decide without notifying a broker."""
    monkeypatch.setattr(quiet_talk, "_tell", lambda _: None)
    return quiet_talk


def test_the_run_waits_and_its_worker_is_free(waiting_run: UUID, onlooker: Observer) -> None:
    run = onlooker.run(waiting_run)

    assert (run["state"], run["worker"]) == ("awaiting_approval", "")
    assert onlooker.steps(waiting_run)[1]["state"] == "awaiting_approval"
    assert onlooker.events(waiting_run)[-1]["kind"] == "approval.needed"
    assert onlooker.events(waiting_run)[-1]["data"]["tool"] == LINESCORE


def test_an_approved_call_is_made_by_whichever_worker_comes(
    waiting_run: UUID, person: Owner, onlooker: Observer, scripted_as: Scripted
) -> None:
    script = scripted_as(says("21 periods."))

    person.approve(waiting_run)
    work_on(waiting_run)

    assert onlooker.answer(waiting_run) == "21 periods."
    assert "BEGIN DATA" in script.told[0][-1].text


def test_a_person_s_arguments_are_used_and_the_model_is_told(
    waiting_run: UUID, person: Owner, onlooker: Observer, scripted_as: Scripted
) -> None:
    script = scripted_as(says("Other periods."))
    other = json.loads(FEBRUARY) | {"teamCode": "TOR"}

    person.approve(waiting_run, arguments=other)
    work_on(waiting_run)

    rows = json.loads(onlooker.steps(waiting_run)[1]["answer"])["data"]["results"]
    assert all("TOR" in (row["home_team_code"], row["away_team_code"]) for row in rows)
    assert "A person changed the arguments" in script.told[0][-1].text


def test_an_approval_says_by_whom_with_which_scopes_and_for_what(
    waiting_run: UUID, person: Owner, onlooker: Observer, scripted_as: Scripted
) -> None:
    scripted_as(says("21 periods."))
    needed = onlooker.events(waiting_run)[-1]["data"]

    person.approve(waiting_run)

    step = onlooker.steps(waiting_run)[1]
    assert (step["approved_by"], step["approved_scopes"], step["approval_used_at"]) == (
        "approver",
        "*:read *:write",
        None,
    )
    assert step["approval_digest"] == needed["digest"] == digest_call(LINESCORE, arguments=FEBRUARY)
    assert onlooker.events(waiting_run)[-1]["data"]["by"] == "approver"
    work_on(waiting_run)
    assert onlooker.steps(waiting_run)[1]["approval_used_at"]


@pytest.mark.parametrize(
    "change", ["""arguments = '{"teamCode": "TOR"}'""", "approval_used_at = now()", "approval_digest = ''"]
)
def test_an_approval_is_good_for_its_arguments_once(
    waiting_run: UUID, person: Owner, onlooker: Observer, scripted_as: Scripted, change: str
) -> None:
    scripted_as(says("never asked"))
    person.approve(waiting_run)
    onlooker.ask(f"UPDATE agents_steps SET {change} WHERE run_id = %s AND kind = 'tool'", waiting_run)

    work_on(waiting_run)

    assert onlooker.run(waiting_run)["state"] == "awaiting_approval"
    assert "was approved for other arguments" in onlooker.events(waiting_run)[-1]["data"]["reason"]
    assert onlooker.calls(waiting_run) == []


def test_only_the_call_that_was_shown_is_approved(waiting_run: UUID, onlooker: Observer) -> None:
    shown = onlooker.events(waiting_run)[-1]["data"]["digest"]

    with pytest.raises(Refusal, match="not the one that was shown"):
        decide(waiting_run, digest="0" * 64)
    assert onlooker.steps(waiting_run)[1]["state"] == "awaiting_approval"

    assert decide(waiting_run, digest=shown) == 2


def test_other_arguments_are_another_call(waiting_run: UUID, person: Owner, onlooker: Observer) -> None:
    before = onlooker.steps(waiting_run)[1]["idempotency_key"]

    person.approve(waiting_run, arguments={"teamCode": "TOR"})

    step = onlooker.steps(waiting_run)[1]
    assert step["approval_digest"] == digest_call(LINESCORE, arguments='{"teamCode": "TOR"}')
    assert step["idempotency_key"] == f"{before}-{step['approval_digest'][:8]}"


def test_other_arguments_stay_when_the_call_is_approved_again(
    waiting_run: UUID, person: Owner, onlooker: Observer, scripted_as: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agents.runs.execution._may_repeat", lambda name: name != LINESCORE)
    scripted_as(says("Other periods."))
    person.approve(waiting_run, arguments=json.loads(FEBRUARY) | {"teamCode": "TOR"})
    onlooker.ask("UPDATE agents_steps SET state = 'started' WHERE run_id = %s AND kind = 'tool'", waiting_run)
    work_on(waiting_run)
    assert onlooker.run(waiting_run)["state"] == "awaiting_approval"

    person.approve(waiting_run)
    work_on(waiting_run)

    rows = json.loads(onlooker.steps(waiting_run)[1]["answer"])["data"]["results"]
    assert all("TOR" in (row["home_team_code"], row["away_team_code"]) for row in rows)


def test_a_rejected_call_is_not_made_and_the_model_goes_on_with_the_word(
    waiting_run: UUID, person: Owner, onlooker: Observer, scripted_as: Scripted
) -> None:
    script = scripted_as(says("Then not."))

    person.reject(waiting_run, word="Ask about Toronto.")
    work_on(waiting_run)

    assert onlooker.answer(waiting_run) == "Then not."
    assert "Ask about Toronto." in script.told[0][-1].text
    assert onlooker.calls(waiting_run) == []


def test_nothing_is_decided_twice(waiting_run: UUID, person: Owner) -> None:
    person.approve(waiting_run)

    with pytest.raises(AssertionError):
        person.reject(waiting_run)


def test_waiting_for_a_person_costs_none_of_the_run_s_time(
    waiting_run: UUID, person: Owner, onlooker: Observer, scripted_as: Scripted
) -> None:
    hour = "UPDATE agents_runs SET deadline_at = deadline_at - interval '1 h', paused_at = paused_at - interval '1 h'"
    onlooker.ask(f"{hour} WHERE id = %s", waiting_run)
    scripted_as(says("21 periods."))

    person.approve(waiting_run)
    work_on(waiting_run)

    assert onlooker.run(waiting_run)["state"] == "succeeded"


def test_a_run_that_waits_can_be_cancelled(waiting_run: UUID, person: Owner, onlooker: Observer) -> None:
    person.cancel(waiting_run)

    assert onlooker.run(waiting_run)["state"] == "cancelled"
    assert onlooker.events(waiting_run)[-1]["data"]["state"] == "cancelled"


def test_a_write_that_a_lost_worker_may_have_made_is_asked_about(
    quiet_talk: Owner, onlooker: Observer, scripted_as: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripted_as(calls(FEBRUARY))
    monkeypatch.setattr("agents.runs.execution._may_repeat", lambda name: name != LINESCORE)
    run_id = quiet_talk.say("Change something.", is_told=False, approve_tools=[LINESCORE])
    work_on(run_id)
    onlooker.ask("UPDATE agents_steps SET state = 'started' WHERE run_id = %s AND kind = 'tool'", run_id)
    onlooker.ask("UPDATE agents_runs SET state = 'queued' WHERE id = %s", run_id)

    work_on(run_id)

    assert onlooker.run(run_id)["state"] == "awaiting_approval"
    assert "may have been done already" in onlooker.events(run_id)[-1]["data"]["reason"]
    assert onlooker.calls(run_id) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [("succeeded", "running"), ("cancelled", "queued"), ("queued", "succeeded"), ("queued", "awaiting_approval")],
)
def test_the_database_refuses_a_course_that_no_run_takes(
    quiet_talk: Owner, onlooker: Observer, before: str, after: str
) -> None:
    run_id = quiet_talk.say("How did Carolina do?", is_told=False)
    finished: Any = "now()" if before != "queued" else "NULL"
    onlooker.ask("ALTER TABLE agents_runs DISABLE TRIGGER agents_run_course")
    onlooker.ask(f"UPDATE agents_runs SET state = '{before}', finished_at = {finished} WHERE id = %s", run_id)
    onlooker.ask("ALTER TABLE agents_runs ENABLE TRIGGER agents_run_course")

    with pytest.raises(psycopg.errors.CheckViolation, match="cannot go from"):
        onlooker.ask(f"UPDATE agents_runs SET state = '{after}' WHERE id = %s", run_id)
