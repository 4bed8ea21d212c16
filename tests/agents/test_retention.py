"""Old runs lose their steps and events, and nothing else."""

from io import StringIO
from typing import Any
from uuid import UUID

import pytest
from django.core.management import CommandError, call_command

from agents.tasks import forget
from tests.agents.conversation_client import Observer, Owner
from tests.agents.own_worker import FEBRUARY, Scripted, calls, says, work_on


def make_ended_run(talk: Owner, onlooker: Observer, scripted_as: Scripted, *, days_ago: int) -> UUID:
    """Create a run that ended so long ago."""
    scripted_as(calls(FEBRUARY), says("21 periods."))
    run_id = talk.say("How did Carolina do?", is_told=False)
    work_on(run_id)
    past = "UPDATE agents_runs SET finished_at = now() - make_interval(days => %s) WHERE id = %s"
    onlooker.ask(past, days_ago, run_id)
    return run_id


def forget_runs(days: int) -> str:
    """Run the command and return its output."""
    said = StringIO()
    call_command("forget_runs", days=days, stdout=said)
    return said.getvalue()


@pytest.mark.django_db
def test_what_was_said_and_spent_stays(quiet_talk: Owner, onlooker: Observer, scripted_as: Scripted) -> None:
    old = make_ended_run(quiet_talk, onlooker, scripted_as, days_ago=20_001)

    assert forget_runs(20_000) == "1 runs forgotten\n"
    assert (onlooker.steps(old), onlooker.events(old)) == ([], [])
    assert onlooker.answer(old) == "21 periods."
    assert onlooker.run(old)["prompt_tokens"] > 0
    assert forget_runs(20_000) == "0 runs forgotten\n"


@pytest.mark.django_db
def test_younger_runs_and_those_at_work_stay_whole(
    quiet_talk: Owner, onlooker: Observer, scripted_as: Scripted
) -> None:
    young = make_ended_run(quiet_talk, onlooker, scripted_as, days_ago=19_999)
    waiting = quiet_talk.say("And Toronto?", is_told=False)

    forget_runs(20_000)

    assert onlooker.steps(young)
    assert onlooker.events(young)
    assert onlooker.events(waiting)


def test_the_scheduler_forgets_where_it_is_told_to(
    quiet_talk: Owner, onlooker: Observer, scripted_as: Scripted, settings: Any
) -> None:
    old = make_ended_run(quiet_talk, onlooker, scripted_as, days_ago=20_001)

    settings.AGENT_KEEP_DAYS = 0
    forget()
    kept = onlooker.events(old)
    settings.AGENT_KEEP_DAYS = 20_000
    forget()

    assert kept
    assert onlooker.events(old) == []


@pytest.mark.django_db
@pytest.mark.parametrize("days", [0, -1, 36_501])
def test_days_that_cannot_be_are_refused(days: int) -> None:
    with pytest.raises(CommandError, match="must be from 1"):
        forget_runs(days)
