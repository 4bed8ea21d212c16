"""Conversations, runs and steps, as a curator sees them."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.test import Client

from agents.models import Conversation, Message, Run, Step

RUNS = "/admin/agents/run/"
START = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def curator(db: None, monkeypatch: pytest.MonkeyPatch) -> Client:
    """Log the curator in, without a broker."""
    monkeypatch.setattr("agents.admin.enqueue", lambda *_, **__: None)
    client = Client()
    client.force_login(User.objects.get(username="curator"))
    return client


def run_of(text: str, *, state: str = "succeeded", seconds: int = 1, tokens: int = 10, **more: Any) -> Run:
    """Create a run with its conversation and question."""
    conversation = Conversation.objects.create(title=text, message_count=1)
    question = Message.objects.create(conversation=conversation, number=1, role="user", text=text)
    ended = {"finished_at": START + timedelta(seconds=seconds)} if state not in ("queued", "running") else {}
    known: dict[str, Any] = {"created_at": START, "started_at": START, "prompt_tokens": tokens} | ended
    return Run.objects.create(conversation=conversation, question=question, state=state, **known | more)


@pytest.fixture
def runs(db: None) -> dict[str, Run]:
    """Create one run for each filter."""
    Run.objects.all().delete()
    return {
        "good": run_of("good one"),
        "failed": run_of("failed one", state="failed", error="It went wrong.", error_code="MODEL_UNAVAILABLE"),
        "slow": run_of("slow one", seconds=90),
        "costly": run_of("costly one", tokens=50_000),
        "queued": run_of("queued one", state="queued"),
    }


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ({}, {"good", "failed", "slow", "costly", "queued"}),
        ({"state": "wrong"}, {"failed"}),
        ({"state": "queued"}, {"queued"}),
        ({"longer": "60"}, {"slow"}),
        ({"tokens": "10000"}, {"costly"}),
        ({"error_code__icontains": "unavailable"}, {"failed"}),
        ({"q": "slow"}, {"slow"}),
        ({"longer": "nonsense"}, {"good", "failed", "slow", "costly", "queued"}),
    ],
)
def test_runs_are_found_by_what_went_wrong_was_slow_or_cost_much(
    curator: Client, runs: dict[str, Run], query: dict[str, str], names: set[str]
) -> None:
    page = curator.get(RUNS, query, follow=True).content.decode()

    assert {name for name in runs if f"{name} one" in page} == names


def test_a_run_shows_its_steps_and_a_step_its_answer_without_secrets(curator: Client, runs: dict[str, Run]) -> None:
    step = Step.objects.create(
        run=runs["good"], number=1, kind="tool", state="answered", attempt=1, idempotency_key="k1", tool="get_team",
        arguments='{"teamCode": "CAR", "apiKey": "hush"}', answer='{"name": "Hurricanes", "token": "hush"}',
        milliseconds=12.5, created_at=START, finished_at=START,
    )  # fmt: skip

    run_page = curator.get(f"{RUNS}{runs['good'].pk}/change/").content.decode()
    step_page = curator.get(f"/admin/agents/step/{step.pk}/change/").content.decode()

    assert "get_team" in run_page
    assert "Hurricanes" in step_page
    assert "CAR" in step_page
    assert "hush" not in run_page + step_page


def test_a_conversation_shows_what_was_said(curator: Client, runs: dict[str, Run]) -> None:
    page = curator.get(f"/admin/agents/conversation/{runs['good'].conversation_id}/change/").content.decode()

    assert "good one" in page


@pytest.mark.parametrize("address", ["conversation", "run", "step"])
def test_nobody_writes_by_hand_what_the_engine_writes(curator: Client, runs: dict[str, Run], address: str) -> None:
    assert curator.get(f"/admin/agents/{address}/add/").status_code == 403


@pytest.mark.parametrize("address", ["conversation", "run", "step"])
def test_lists_open(curator: Client, runs: dict[str, Run], address: str) -> None:
    assert curator.get(f"/admin/agents/{address}/").status_code == 200


def test_runs_are_cancelled_from_the_list(
    curator: Client, runs: dict[str, Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[UUID] = []

    async def cancel(run_id: UUID) -> None:
        ended.append(run_id)

    monkeypatch.setattr("agents.admin.leases.cancel", cancel)
    chosen = [str(runs[name].pk) for name in ("queued", "good")]

    answer = curator.post(RUNS, {"action": "cancel", "_selected_action": chosen}, follow=True)

    assert ended == [runs["queued"].pk]
    assert "1 cancelled; 1 had ended before." in answer.content.decode()


def test_questions_are_run_again_from_the_list(
    curator: Client, runs: dict[str, Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run_again(run_id: UUID) -> UUID:
        return run_id

    monkeypatch.setattr("agents.admin.run_requests.run_again", run_again)

    answer = curator.post(RUNS, {"action": "run_again", "_selected_action": [str(runs["failed"].pk)]}, follow=True)

    assert "1 queued again." in answer.content.decode()
