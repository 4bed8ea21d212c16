"""The with-model path through the kernel's client and a server on a socket."""

import json
from datetime import UTC, datetime

import pytest
from django.test import override_settings

from sprints.asking.chat import chat
from sprints.semantics.questions.coverage import BY_MODEL
from tests.sprints.asking.chat_server import chat_server
from toolbox.database import event_loop
from toolbox.database.pools import reader
from toolbox.model import configured_model

pytest.importorskip("toolbox.model")
pytest.importorskip("openai")
NOW = datetime(2026, 11, 18, 13, tzinfo=UTC)


@pytest.mark.usefixtures("django_db_setup")
def test_a_question_is_written_run_mended_and_explained_by_a_server_s_model() -> None:
    answers = (
        {"sql": "SELECT t.name, count(*) AS issues FROM teams t JOIN issues i USING (team_id) GROUP BY 1",
         "clarification": None, "assumptions": ["Counted every issue."]},
        {"explanation": "Three teams have issues.", "suggestions": ["And by month?"]},
    )  # fmt: skip

    with (
        chat_server(*answers) as server,
        override_settings(AGENT_MODEL="scripted", OPENAI_BASE_URL=server.address, OPENAI_API_KEY="sk-none"),
    ):
        answer = event_loop.run(chat("Issues of every team, ever?", now=NOW, reader=reader, model=configured_model()))

    assert answer.answer == f"Not certain: {BY_MODEL} Three teams have issues."
    assert (answer.count, answer.error) == (3, None)
    assert answer.sql == "SELECT t.team_name, count(*) AS issues FROM teams t JOIN issues i USING (team_id) GROUP BY 1"
    assert answer.assumptions[0] == "Counted every issue."
    assert answer.suggestions == ["And by month?"]
    assert [request["model"] for request in server.asked] == ["scripted", "scripted"]
    assert "response_format" in server.asked[0]
    assert "Issues of every team, ever?" in json.dumps(server.asked[0]["messages"])
