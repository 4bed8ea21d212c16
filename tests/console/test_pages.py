"""Each page asks a bounded number of statements, whatever it shows; texts that can be copied work as they stand."""

import json
import os
import subprocess
import sys
from typing import Any

import orjson
import pytest
from django.contrib.auth.models import User
from django.template.loader import render_to_string
from django.test import Client

from console.markdown import render_markdown
from console.tools.call_snippets import KEY, render_snippets
from console.tools.form_fields import choose_control, make_fields, read_arguments
from console.tools.result_chart import draw_chart
from console.tools.result_table import find_table
from tests.agents.conversation_client import Owner
from tests.toolbox.transports import mcp_over_http
from toolbox.catalogue.registry import registry
from toolbox.contract.tool import Tool
from toolbox.database import event_loop
from toolbox.database.pools import Pool, owner_pool, work_pool

MAX_STATEMENTS = 8
TOOLS = list(registry.tools())


def test_each_application_serves_the_files_of_pages(scratch_database: None) -> None:
    for client in (Client(), Client()):
        served = client.get("/static/console/console.css")
        assert (served.status_code, served["Content-Type"]) == (200, 'text/css; charset="utf-8"')
        served.close()


def test_pages_ask_few_statements_however_much_was_said(
    scratch_database: None, monkeypatch: pytest.MonkeyPatch, django_assert_max_num_queries: Any
) -> None:
    curator = User.objects.get(username="curator")
    talk = Owner("", owner_id=curator.pk)
    conversation = talk.begin()
    for number in range(35):
        run_id = talk.say(f"Question {number}?", to=conversation, is_told=False)
        talk_over(run_id)
    browser = Client()
    browser.force_login(curator)
    asked: list[str] = []
    count_statements(monkeypatch, asked=asked)

    for address in ("/", "/?q=Question", "/tools/", "/tools/execute_query/", f"/c/{conversation}/"):
        asked.clear()
        with django_assert_max_num_queries(3):
            assert browser.get(address).status_code == 200
        assert len(asked) <= MAX_STATEMENTS, (address, asked)
    page = browser.get(f"/c/{conversation}/").content.decode()
    assert (page.count("<article"), "?before=6" in page) == (30, True)
    assert browser.get(f"/c/{conversation}/?before=6").content.decode().count("<article") == 5


def talk_over(run_id: object) -> None:
    event_loop.run(
        work_pool.fetch(
            "UPDATE agents_runs SET state = 'cancelled', finished_at = now() WHERE id = %s RETURNING id", [run_id]
        )
    )


def count_statements(monkeypatch: pytest.MonkeyPatch, *, asked: list[str]) -> None:
    fetch = Pool.fetch

    async def count_statement(pool: Pool, statement: str, *rest: Any, **named: Any) -> Any:
        if pool in (work_pool, owner_pool):
            asked.append(statement)
        return await fetch(pool, statement, *rest, **named)

    monkeypatch.setattr(Pool, "fetch", count_statement)


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_form_gives_back_the_arguments_it_was_filled_with(tool: Tool) -> None:
    example = orjson.loads(tool.example_arguments)

    typed = {field.name: field.value for field in make_fields(tool.input_schema, values=example)}

    assert read_arguments(tool.input_schema, values=typed) == example


@pytest.mark.parametrize(
    ("part", "name", "value", "asked"),
    [
        ({"type": "string"}, "query", "", "long"), ({"type": "string", "maxLength": 200}, "query", "", "text"),
        ({"type": "string"}, "team", "", "text"), ({"type": "string"}, "team", "a\nb", "long"),
        ({"type": "string"}, "note", "a" * 81, "long"), ({"type": "integer"}, "limit", "9" * 90, "number"),
    ],
)  # fmt: skip
def test_what_is_long_gets_several_lines(part: dict[str, Any], name: str, value: str, asked: str) -> None:
    assert choose_control(part, name=name, value=value) == asked


def test_the_python_and_the_shell_text_make_the_call(server: str, cast: Any) -> None:
    tool = registry.find("query_linescore_data")
    assert tool
    arguments = b'{"teamCode":"CAR","limit":2,"season":"it\'s $HOME `id`"}'
    texts = {call.name: call.text for call in render_snippets(tool, arguments=arguments, server=server)}
    environment = os.environ | {KEY: cast.alice}

    python = subprocess.run([sys.executable, "-c", texts["Python"]], env=environment, capture_output=True, check=True)
    shell = subprocess.run(["bash", "-c", texts["curl"]], env=environment, capture_output=True, check=False)

    assert json.loads(python.stdout)["error"]["field"] == "season"
    if shell.returncode != 127:  # where there is a curl
        assert json.loads(shell.stdout) == json.loads(python.stdout)


async def test_the_configuration_for_mcp_clients_leads_to_the_tool(server: str, cast: Any) -> None:
    tool = registry.find("query_linescore_data")
    assert tool
    texts = {call.id: call.text for call in render_snippets(tool, arguments=tool.example_arguments, server=server)}
    given = json.loads(texts["same-mcp"].replace(f"<{KEY}>", cast.alice))["mcpServers"]["toolroom"]
    key, call = given["headers"]["Authorization"].removeprefix("Bearer "), json.loads(texts["same-call"])

    async with mcp_over_http(given["url"], key=key, path="") as client:
        told = await client.call_tool(call["name"], call["arguments"])

    assert (given["type"], told.is_error) == ("http", False)
    assert told.structured_content["data"]["count"] == 21


def test_what_a_model_wrote_is_shown_and_never_run() -> None:
    text = "<script>x</script> [a](javascript:alert) ![b](http://x.example/y.png)\n\n| a |\n|---|\n| <img src=x> |"

    html = render_markdown(text)

    assert ("<script" in html, 'href="javascript' in html, "<img" in html, "<table>" in html) == (
        False,
        False,
        False,
        True,
    )


def test_the_page_of_a_broken_server_needs_nothing_of_it() -> None:
    assert "Something went wrong" in render_to_string("500.html")


def test_rows_are_the_longest_list_of_objects() -> None:
    table = find_table({"data": {"few": [{"a": 1}], "rows": [{"a": 1, "b": None}, {"a": 2.5, "c": {"d": 1}}]}})

    assert table
    assert (table.columns, table.numeric, table.total) == (["a", "b", "c"], [True, True, False], 2)
    assert [cell.text for cell in table.rows[1]] == ["2.5", "", '{"d":1}']
    assert find_table({"a": 1, "b": [1, 2]}) is None


def test_a_chart_shows_what_the_rows_are_ordered_by() -> None:
    found = [("a", 0.7, 0.92), ("b", 0.95, 0.81), ("c", 0.8, 0.4)]
    ranked = find_table([{"title": title, "confidence": sure, "similarity": near} for title, sure, near in found])
    unordered = find_table([{"title": title, "goals": goals} for title, goals in (("a", 1), ("b", 3), ("c", 2))])

    assert ranked
    assert unordered
    assert [chart.column for chart in (draw_chart(ranked), draw_chart(unordered)) if chart] == ["similarity", "goals"]


@pytest.mark.django_db
def test_a_file_is_shown_in_its_own_lines(client: Client) -> None:
    client.force_login(User.objects.get(username="curator"))
    path = "app/src/main/kotlin/com/example/trailnotes/data/Note.kt"

    page = client.post("/tools/read_file/", {"filePath": path}).content.decode()

    shown = page[page.index('<pre class="text"') :].partition("</pre>")[0]
    assert "\ndata class Note(" in shown


@pytest.mark.django_db
def test_deleting_a_conversation_asks_first_and_says_what_goes(client: Client) -> None:
    curator = User.objects.get(username="curator")
    talk = Owner("", owner_id=curator.pk)
    conversation = talk.begin()
    client.force_login(curator)

    page = client.get(f"/c/{conversation}/").content.decode()

    asked = page[: page.index(f'action="/c/{conversation}/delete/"')]
    assert asked.rfind("<details") > asked.rfind("</details>")
    assert "cannot be undone" in asked[asked.rindex("<details") :]


def test_a_chart_stands_above_its_rows() -> None:
    table = find_table([{"team": "CAR", "goals": 3}, {"team": "WPG", "goals": 1}])
    assert table

    shown = render_to_string("console/result.html", {"table": table, "drawing": draw_chart(table), "name": "rows"})

    assert shown.index("goals by team") < shown.index("<table")


@pytest.mark.parametrize(
    "query", ["q=%00", "q=%00%00x", "before=9999-12-31T23:59:59-23:59", "before=2025-02-30T00:00:00Z", "before=x"]
)
def test_a_search_for_conversations_takes_any_text(scratch_database: None, query: str) -> None:
    client = Client()
    client.force_login(User.objects.get(username="curator"))

    assert client.get(f"/?{query}").status_code == 200
