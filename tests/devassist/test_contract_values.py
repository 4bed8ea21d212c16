"""Values that the contract's Zod schemas take: none of them is a bad parameter."""

from typing import Any

import httpx
import pytest

PLACE = "app/src/main/kotlin/com/example/trailnotes/data/NoteRepository.kt"


@pytest.mark.parametrize(
    ("tool", "sent", "code"),
    [
        ("read_file", {"filePath": ""}, "FILE_NOT_FOUND"),
        ("get_code_context", {"filePath": "", "line": 1}, "FILE_NOT_FOUND"),
        ("find_callers_of_function", {"filePath": "", "functionName": "save"}, "FILE_NOT_FOUND"),
        ("find_callers_of_function", {"filePath": PLACE, "functionName": ""}, "FUNCTION_NOT_FOUND"),
        ("vector_search_db", {"query": ""}, "NO_RESULTS"),
        ("vector_search_db", {"query": "lateinit property not initialized", "language": "", "errorType": ""}, None),
        ("web_search_wiki", {"query": "lateinit", "sources": []}, "NO_RESULTS"),
        ("web_search_wiki", {"query": "fragment binding", "sources": ["docs"] * 30}, None),
    ],
)
async def test_a_value_that_the_contract_takes_is_no_bad_parameter(
    fast_client: httpx.AsyncClient, tool: str, sent: dict[str, Any], code: str | None
) -> None:
    answer = (await fast_client.post(f"/api/tools/devassist/{tool}", json=sent)).json()

    assert answer.get("error", {}).get("code") == code, answer


@pytest.mark.parametrize("name", ["lineStart", "lineEnd"])
async def test_a_line_number_may_be_left_out_but_null_is_refused_as_the_contract_does(
    fast_client: httpx.AsyncClient, name: str
) -> None:
    address = "/api/tools/devassist/read_file"

    refused = await fast_client.post(address, json={"filePath": PLACE, name: None})
    whole = await fast_client.post(address, json={"filePath": PLACE})

    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "INVALID_PARAMETERS")
    assert name in refused.text
    assert whole.json()["data"]["lineCount"] > 1
