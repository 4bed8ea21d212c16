"""A weak model behind the chat endpoint: none of its wrong rows, nor its wrong words, is presented as certain."""

from typing import Any

import httpx
import pytest
from django.test import override_settings

from tests.sprints.asking.chat_server import chat_server
from tests.sprints.semantics.questions.test_model_faults import FAULTS

PATH = "/api/sprints/chat"
UNREADABLE = "Considering the gizmo, {}"
"""The grammar does not know the word, so the model is asked."""
SPOKEN = {"explanation": "These are the rows.", "suggestions": []}
STATEMENTS = {
    "leaves out the filter": "SELECT count(*) AS issues FROM issues",
    "counts what is done": "SELECT count(*) AS n FROM issues WHERE status_category = 'Done' AND issue_type = 'Bug'",
    "uses every word and joins wrongly": "SELECT count(*) AS issues FROM issues AS i, teams AS t "
    "WHERE t.team_key = 'ACCEL' AND i.issue_type = 'Bug' AND i.status_category <> 'Done'",
    "makes the rows up": "SELECT 5 AS open_bugs_of_accel",
}


async def ask(
    client: httpx.AsyncClient, question: str, *answers: dict[str, Any], context: Any = None
) -> tuple[dict[str, Any], int]:
    """Ask the endpoint with a model that gives these answers in turn; returns the reply and the number of requests."""
    body = {"question": question} | ({"context": context} if context else {})
    with (
        chat_server(*answers) as server,
        override_settings(AGENT_MODEL="weak", OPENAI_BASE_URL=server.address, OPENAI_API_KEY="sk-none"),
    ):
        reply = await client.post(PATH, json=body)
    assert reply.status_code == 200, reply.text
    return reply.json(), len(server.asked)


@pytest.mark.parametrize(("asked", "answered"), FAULTS.values(), ids=FAULTS)
async def test_a_wrong_query_is_not_certain(ninja_client: httpx.AsyncClient, asked: str, answered: str) -> None:
    meant = (await ninja_client.post(PATH, json={"question": answered})).json()
    assert meant["query"], meant["answer"]

    answer, _ = await ask(ninja_client, UNREADABLE.format(asked), {"query": meant["query"]}, SPOKEN)

    assert answer["rows"] == meant["rows"]
    assert answer["answer"].startswith("Not certain: ")
    doubts = [said for said in answer["assumptions"] if said.startswith("Doubtful: ")]
    assert [said for said in doubts if "gizmo" not in said and "Considering" not in said], doubts


@pytest.mark.parametrize("asked", sorted({asked for asked, _ in FAULTS.values()}))
async def test_what_the_grammar_reads_no_model_is_asked(ninja_client: httpx.AsyncClient, asked: str) -> None:
    without = (await ninja_client.post(PATH, json={"question": asked})).json()

    answer, times = await ask(ninja_client, asked, SPOKEN)

    assert (answer["sql"], answer["rows"], answer["source"]) == (without["sql"], without["rows"], "layer")
    assert times == 1, "only the explanation"


@pytest.mark.parametrize("sql", STATEMENTS.values(), ids=STATEMENTS)
async def test_a_statement_of_the_model_is_not_certain(ninja_client: httpx.AsyncClient, sql: str) -> None:
    answer, _ = await ask(ninja_client, UNREADABLE.format("open bugs of ACCEL"), {"sql": sql}, SPOKEN)

    assert answer["source"] == "model"
    assert answer["answer"].startswith("Not certain: The SQL was written by the model")


async def test_a_statement_that_the_model_repaired_is_not_certain(ninja_client: httpx.AsyncClient) -> None:
    failing, repaired = {"sql": "SELECT story_points + title FROM issues"}, {"sql": "SELECT 7 AS issues"}

    answer, _ = await ask(ninja_client, UNREADABLE.format("open bugs"), failing, repaired, SPOKEN)

    assert answer["rows"] == [{"issues": 7}]
    assert answer["answer"].startswith("Not certain: ")


async def test_numbers_that_no_row_gives_are_not_said(ninja_client: httpx.AsyncClient) -> None:
    lie = {"explanation": "ACCEL has 98765 open bugs.", "suggestions": []}

    answer, _ = await ask(ninja_client, "How many open bugs does ACCEL have?", lie)

    [row] = answer["rows"]
    assert answer["answer"].startswith(f"issues: {row['issues']}.")
    assert answer["answer"].endswith("The model's text is left out, because no row gives its 98765.")
