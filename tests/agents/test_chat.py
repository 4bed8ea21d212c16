"""`manage.py chat`, as a person at a terminal uses it: no key, no model, no worker."""

import subprocess
import sys
from types import SimpleNamespace

import pytest
from django.conf import settings

from tests.conftest import server_environment

pytestmark = pytest.mark.slow

FEBRUARY = "How did Carolina do in February 2025?"


def chat(*arguments: str, said: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command on the test's database, with an unreachable broker."""
    alone = server_environment() | {"CELERY_BROKER_URL": "redis://127.0.0.1:1/0", "AGENT_MODEL": ""} | environment
    return subprocess.run(
        [sys.executable, "manage.py", "chat", *arguments], cwd=settings.BASE_DIR, env=alone, text=True, input=said,
        capture_output=True, timeout=60, check=False,
    )  # fmt: skip


@pytest.mark.usefixtures("cast")
def test_a_question_is_answered_with_no_worker_running() -> None:
    done = chat(FEBRUARY)

    assert done.returncode == 0, done.stderr
    assert "Carolina Hurricanes" in done.stdout
    assert "No language model is configured" in done.stdout
    assert "-> list_game_results" in done.stderr


@pytest.mark.usefixtures("cast")
def test_questions_are_read_line_by_line_and_the_conversation_goes_on() -> None:
    done = chat(said=f"{FEBRUARY}\n\nHow did Toronto do in March 2025?\n")

    assert done.returncode == 0, done.stderr
    assert "Carolina Hurricanes" in done.stdout
    assert "Toronto Maple Leafs" in done.stdout


@pytest.mark.usefixtures("cast")
@pytest.mark.parametrize(("word", "is_called"), [("y", True), ("not today", False)])
def test_a_person_is_asked_before_a_tool_that_wants_approval(word: str, *, is_called: bool) -> None:
    done = chat("--approve", "list_game_results", FEBRUARY, said=f"{word}\n")

    assert "list_game_results waits for your approval." in done.stderr
    assert ("-> list_game_results" in done.stderr) == is_called


def test_it_acts_with_the_key_it_is_given(cast: SimpleNamespace) -> None:
    done = chat("Which orders were rejected?", TOOLROOM_API_KEY=cast.bob)

    assert "->" not in done.stderr


@pytest.mark.usefixtures("cast")
def test_what_cannot_be_is_said_without_a_traceback() -> None:
    unknown_toolkit = chat("--toolkit", "unknown", FEBRUARY)
    unknown_conversation = chat("--conversation", "00000000-0000-0000-0000-000000000000", FEBRUARY)
    unknown_key = chat(FEBRUARY, TOOLROOM_API_KEY="tr_nobody")

    for failed in (unknown_toolkit, unknown_conversation, unknown_key):
        assert failed.returncode == 1
        assert "Traceback" not in failed.stderr
    assert "there is no toolkit unknown" in unknown_toolkit.stderr
