"""find_callers_of_function as agents call it, on a server of its own, with Python's real language server."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from tests.conftest import running_server
from tests.devassist.conftest import MakeWorkspace

TOOL = "find_callers_of_function"


@pytest.mark.slow
def test_a_cold_question_is_whole_when_it_is_repeated_and_refusals_say_what_to_do(
    cast: SimpleNamespace, make_workspace: MakeWorkspace, shop: Path
) -> None:
    (shop / "Main.kt").write_text("fun main() {}\n")
    (shop / "notes.txt").write_text("price\n")
    name = make_workspace(shop, is_open=True)

    with (
        running_server(DEVASSIST_SERVERS_DIR=str(shop.parent / "none")) as address,
        httpx.Client(base_url=address, headers={"Authorization": f"Bearer {cast.alice}"}, timeout=60) as client,
    ):

        def ask(function: str, path: str, **more: object) -> httpx.Response:
            arguments = {"functionName": function, "filePath": path, "workspace": name, **more}
            return client.post(f"/api/tools/devassist/{TOOL}", json=arguments)

        answers = [ask("price", "shop.py").json() for _ in range(20)]
        told = [
            answer["data"] for answer in answers if answer["success"]
        ]  # on a busy machine, the first ones may time out
        whole = next(data for data in told if not data["incomplete"])
        over_mcp = _over_mcp(client, {"functionName": "price", "filePath": "shop.py", "workspace": name})
        absent, kotlin, text = ask("prize", "shop.py"), ask("main", "Main.kt"), ask("price", "notes.txt")
        by_name = ask("main", "Main.kt", syntactic=True)

    assert [(row["callerName"], row["line"], row["depth"]) for row in whole["callers"]] == [
        ("ring", 5, 1),
        ("day", 9, 2),
    ]
    assert over_mcp["data"] == whole
    assert [answer.status_code for answer in (absent, kotlin, text, by_name)] == [404, 200, 503, 200]
    assert absent.json()["error"]["details"]["functions"] == ["price"]
    assert kotlin.json()["data"]["incomplete"] is True
    assert "is not installed" in kotlin.json()["data"]["incompleteReason"]
    assert "Kotlin" in text.json()["error"]["suggestion"]


def _over_mcp(client: httpx.Client, arguments: dict[str, Any]) -> Any:
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": TOOL, "arguments": arguments}}
    answer = client.post("/mcp", json=call, headers={"Accept": "application/json, text/event-stream"})
    return answer.json()["result"]["structuredContent"]
