"""`manage.py drill`: what it counts as a broken promise, its journal and its model."""

import json
import os
import subprocess
import sys
import urllib.request
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest
from django.conf import settings
from django.contrib.auth.models import User
from psycopg.conninfo import make_conninfo

from agents.models import Conversation
from config.drill.fake_model import NAME, PHASES, FakeModel
from config.drill.findings import Outcome, find_violations
from config.drill.journal import Journal
from config.drill.processes import DrillFailed
from config.drill.queries import USERNAME, own_key, refuse_others
from toolbox.database.pools import direct_conninfo, owner_pool

KEPT = Outcome(
    run_id=UUID(int=1), phase="writing", state="succeeded", attempt=2, losses=1, event_count=9, events=9, last_event=9,
    answers=1, doubts=1, writes=1, reads=0, was_killed_inside=True,
)  # fmt: skip
BROKEN: dict[str, dict[str, Any]] = {
    "did not end: running": {"state": "running"},
    "ended as failed": {"state": "failed"},
    "answered 2 times": {"answers": 2},
    "answered 0 times": {"answers": 0},
    "wrote 2 times": {"writes": 2},
    "has 8 events, the last 9, counted 9: a gap": {"events": 8},
    "was killed while it wrote, and no person was asked": {"doubts": 0},
}


def ask_model(model: FakeModel, *messages: dict[str, Any]) -> list[dict[str, Any]]:
    """Ask for a completion and return the deltas of the stream."""
    body = json.dumps({"model": NAME, "messages": messages, "stream": True}).encode()
    asked = urllib.request.Request(f"{model.address}/chat/completions", data=body)
    with urllib.request.urlopen(asked, timeout=60) as stream:
        lines = [line[6:] for line in stream.read().decode().splitlines() if line.startswith("data: {")]
    return [choice["delta"] for line in lines for choice in json.loads(line)["choices"]]


@pytest.mark.django_db
def test_an_account_that_no_drill_made_is_refused_and_stays() -> None:
    person = User.objects.create_user(USERNAME)
    kept = Conversation.objects.create(owner_id=person.pk)

    with pytest.raises(DrillFailed, match="was not made by a drill"):
        refuse_others()

    assert Conversation.objects.filter(pk=kept.pk).exists()
    assert User.objects.filter(pk=person.pk).exists()


def test_what_a_drill_that_was_killed_has_left_is_no_person_s(scratch_database: None) -> None:
    drill = own_key()
    drill.__enter__()

    with suppress(DrillFailed):  # other sessions of the tests
        refuse_others()
    drill.__exit__(None, None, None)

    assert not User.objects.filter(username=USERNAME).exists()


def test_sessions_that_a_pooler_keeps_are_no_process_but_one_that_listens_is(scratch_database: None) -> None:
    left = make_conninfo(owner_pool.conninfo(), application_name="toolroom-default")
    with psycopg.connect(left, autocommit=True) as idle:
        idle.execute("SELECT 1")
        refuse_others()

    with psycopg.connect(direct_conninfo(), autocommit=True), pytest.raises(DrillFailed, match="1 web processes"):
        refuse_others()


def test_kept_promises_are_no_violations() -> None:
    assert find_violations([KEPT, replace(KEPT, was_killed_inside=False, doubts=0)]) == []


@pytest.mark.parametrize("said", BROKEN)
def test_a_broken_promise_is_named_with_its_run(said: str) -> None:
    assert find_violations([replace(KEPT, **BROKEN[said])]) == [f"writing {KEPT.run_id}: {said}"]


def test_the_journal_counts_lines_and_holds(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    before = journal.count_lines()
    for token in ("a", "a", "b"):
        journal.note(f"write {token}")
    journal.hold()

    assert (before, journal.count_lines()) == (Counter(), Counter({"write a": 2, "write b": 1}))
    assert journal.is_held
    journal.release()
    assert not journal.is_held


@pytest.mark.parametrize("phase", PHASES)
def test_the_model_answers_as_the_phase_says(phase: str) -> None:
    model = FakeModel()
    model.start()
    question = {"role": "user", "content": f"drill {phase} t1"}
    try:
        first = ask_model(model, question)
        after = ask_model(model, question, {"role": "tool", "content": "{}"})
    finally:
        model.stop()

    assert ("tool_calls" in first[0]) is (phase not in ("waiting", "streaming"))
    assert "".join(delta.get("content", "") for delta in after) == "All of it is done."


ASK = """
import django; django.setup()
from django.middleware.security import SecurityMiddleware
from django.test import RequestFactory
request = RequestFactory().get("/api/agents/conversations", headers={"host": "127.0.0.1:8000"})
print(request.get_host(), SecurityMiddleware(lambda _: None).process_request(request))
"""


@pytest.mark.slow
def test_a_drill_asks_its_processes_also_where_the_system_is_behind_https() -> None:
    own = {
        "DJANGO_SETTINGS_MODULE": "config.drill.settings",
        "TOOLROOM_HTTPS": "1",
        "ALLOWED_HOSTS": "tools.example.org",
    }

    asked = subprocess.run(
        [sys.executable, "-c", ASK], cwd=settings.BASE_DIR, env=os.environ | own, capture_output=True, text=True,
        check=False,
    )  # fmt: skip

    assert asked.stdout.split() == ["127.0.0.1:8000", "None"], asked.stderr
