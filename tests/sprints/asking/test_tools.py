"""generate_sql, repair_sql and explain_results over REST, without a model: the contract's shapes."""

import json
from typing import Any

import httpx
import pytest


async def call(client: httpx.AsyncClient, tool: str, arguments: dict[str, Any]) -> Any:
    answer = await client.post(f"/api/tools/sprints/{tool}", json=arguments)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_the_contract_s_question_becomes_sql(fast_client: httpx.AsyncClient) -> None:
    answer = await call(
        fast_client, "generate_sql", {"naturalLanguageQuery": "Show all issues in QA status for Team ACCEL"}
    )

    assert (answer["isAmbiguous"], answer["clarification"]) == (False, None)
    rows = await call(fast_client, "execute_query", {"sql": answer["sql"]})
    assert {row["status"] for row in rows["rows"]} == {"QA"}
    assert {row["issue"].split("-")[0] for row in rows["rows"]} == {"ACCEL"}


async def test_an_ambiguous_question_is_the_contract_s_clarification(fast_client: httpx.AsyncClient) -> None:
    answer = await call(fast_client, "generate_sql", {"naturalLanguageQuery": "What is Avery working on?"})

    assert answer["clarification"].startswith("Which Avery are you referring to?")
    assert answer | {"clarification": ""} == {"sql": None, "clarification": "", "isAmbiguous": True, "assumptions": []}


async def test_a_schema_that_lacks_a_view_is_respected(fast_client: httpx.AsyncClient) -> None:
    context = {"tables": [{"name": "users", "columns": []}], "foreignKeys": []}

    answer = await call(
        fast_client, "generate_sql", {"naturalLanguageQuery": "What is blocked?", "schemaContext": context}
    )

    assert answer["isAmbiguous"]
    assert "issues" in answer["clarification"]


async def test_the_contract_s_repair(fast_client: httpx.AsyncClient) -> None:
    answer = await call(
        fast_client,
        "repair_sql",
        {"failedSql": "SELECT s.name FROM sprints s LIMIT 50", "errorMessage": "column s.name does not exist"},
    )

    assert answer == {
        "repairedSql": "SELECT s.sprint_name FROM sprints s LIMIT 50",
        "assumptions": [
            "Fixed column name: changed 's.name' to 's.sprint_name' (sprints table uses sprint_name, not name)"
        ],
    }


async def test_what_cannot_be_mended_comes_back_and_says_so(fast_client: httpx.AsyncClient) -> None:
    answer = await call(fast_client, "repair_sql", {"failedSql": "SELECT 1/0", "errorMessage": "division by zero"})

    assert answer == {
        "repairedSql": "SELECT 1/0",
        "assumptions": ["The statement is unchanged: no repair follows from the schema, and no model is configured."],
    }


@pytest.mark.parametrize(
    ("question", "is_json"), [("Which issues are blocked?", True), ("Something nobody has verified", False)]
)
async def test_an_explanation_is_text_or_the_contract_s_json(
    fast_client: httpx.AsyncClient, *, question: str, is_json: bool
) -> None:
    result = {"rows": [{"issue_key": "ACCEL-1", "blocked_days": 3}], "rowCount": 1, "runtimeMs": 1}
    asked = {"queryResults": result, "originalQuery": question, "sql": "SELECT 1"}

    answer = await call(fast_client, "explain_results", asked)

    assert isinstance(answer, str)
    if is_json:
        assert set(json.loads(answer)) == {"explanation", "suggestions"}
        answer = json.loads(answer)["explanation"]
    assert answer == "ACCEL-1: blocked days 3."


async def test_rows_of_different_keys_are_explained(fast_client: httpx.AsyncClient) -> None:
    rows = [{"open_issues": 2, "name": "A"}, {"closed_issues": 3}, {}]

    answer = await call(
        fast_client,
        "explain_results",
        {
            "queryResults": {"rows": rows, "rowCount": 3, "runtimeMs": 1},
            "originalQuery": "How many issues does each team have?",
            "sql": "SELECT 1",
        },
    )

    assert "3 rows. no" not in str(answer)
    assert "open issues 2" in str(answer)


async def test_a_repair_that_the_database_cannot_plan_is_not_given(fast_client: httpx.AsyncClient) -> None:
    statement = "SELECT titel, count(*) FROM issues"

    answer = await call(fast_client, "repair_sql", {"failedSql": statement, "errorMessage": "anything"})

    assert answer["repairedSql"] == statement
    assert "must appear in the GROUP BY clause" in answer["assumptions"][0]


async def test_every_wrong_name_is_repaired_in_one_call_and_the_statement_runs(fast_client: httpx.AsyncClient) -> None:
    statement = "SELECT i.titel, i.team_key FROM isues i WHERE i.stauts = Done"

    answer = await call(fast_client, "repair_sql", {"failedSql": statement, "errorMessage": "anything"})
    rows = await call(fast_client, "execute_query", {"sql": answer["repairedSql"]})

    assert len(answer["assumptions"]) == 5
    assert set(rows["rows"][0]) == {"title", "team_key"}
