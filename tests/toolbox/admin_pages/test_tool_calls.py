"""The record of calls is browsed, never edited."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from toolbox.admin_pages import tool_calls
from toolbox.admin_pages.curation import MAX_COUNTED
from toolbox.admin_pages.tool_calls import indent_json
from toolbox.models import ToolCall

LIST = "/admin/toolbox/toolcall/"
START = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def curator(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.get(username="curator"))
    ToolCall.objects.all().delete()
    return client


def calls(number: int) -> list[ToolCall]:
    return ToolCall.objects.bulk_create(
        ToolCall(
            called_at=START + timedelta(seconds=index), request_id=f"request-{index}", caller="alice", transport="rest",
            domain="linescore", tool="query_linescore_data", arguments=json.dumps({"teamCode": "CAR", "limit": index}),
            outcome="answered" if index % 2 else "refused", code="" if index % 2 else "INVALID_TEAM_CODE",
            status=200 if index % 2 else 400, rows=index, answer_bytes=index, milliseconds=float(number - index),
        )
        for index in range(number)
    )  # fmt: skip


def test_the_list_asks_the_same_queries_at_any_size_and_counts_no_further_than_a_cap(curator: Client) -> None:
    calls(2)
    with CaptureQueriesContext(connection) as few:
        curator.get(LIST, {"_facets": "True"})
    calls(300)
    with CaptureQueriesContext(connection) as many:
        curator.get(LIST, {"_facets": "True"})

    counting = [query["sql"] for query in many if "COUNT(" in query["sql"]]
    assert len(few) == len(many) <= 6
    assert len(counting) == 1
    assert f"LIMIT {MAX_COUNTED}" in counting[0]


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ({"domain": "linescore"}, 10), ({"domain": "absent"}, 0), ({"tool": "query_linescore_data"}, 10),
        ({"transport": "mcp"}, 0), ({"outcome__exact": "refused"}, 5), ({"code": "INVALID_TEAM_CODE"}, 5),
        ({"caller__icontains": "bob"}, 0), ({"q": "request-3"}, 1), ({"q": '"limit": 7'}, 1), ({"q": "alice"}, 10),
        ({"called_at_from_0": "2026-01-01", "called_at_from_1": "00:00:08"}, 2),
        ({"called_at_to_0": "2026-01-01", "called_at_to_1": "00:00:03"}, 4),
        ({"called_at_from_0": "2026-01-01", "called_at_to_0": "2026-01-01"}, 10),
    ],
)  # fmt: skip
def test_calls_are_found(curator: Client, query: dict[str, str], count: int) -> None:
    calls(10)

    answer = curator.get(LIST, query)

    assert answer.context["cl"].result_count == count


@pytest.mark.parametrize("code", ["CANCELLED", "RUN_OVER"])
def test_calls_are_found_by_a_code_that_no_tool_declares(curator: Client, code: str) -> None:
    calls(10)
    ToolCall.objects.filter(request_id="request-4").update(code=code)

    page = curator.get(LIST, {"code": code})

    assert page.context["cl"].result_count == 1
    assert f'<option value="{code}" selected>' in page.content.decode()
    assert '<option value="CANCELLED"' in page.content.decode()


@pytest.mark.parametrize("name", ["called_at_from_0", "called_at_to_0", "domain", "outcome__exact", "q", "o", "p"])
@pytest.mark.parametrize("value", ["\x00", "'; DROP TABLE toolbox_tool_calls; --", "2025-02-30", "9" * 40])
def test_nonsense_in_the_address_is_no_server_error(curator: Client, name: str, value: str) -> None:
    answer = curator.get(LIST, {name: value})

    assert answer.status_code in (200, 302)


def test_the_slowest_calls_come_first_when_asked_for(curator: Client) -> None:
    calls(10)
    column = ["called_at", "caller", "tool", "transport", "outcome", "code", "status", "rows", "ms"].index("ms")

    answer = curator.get(LIST, {"o": f"-{column}"})

    times = [call.milliseconds for call in answer.context["cl"].result_list]
    assert times == sorted(times, reverse=True)


@pytest.mark.parametrize("action", ["add", "change", "delete"])
def test_not_even_a_superuser_edits_the_record(curator: Client, action: str) -> None:
    call = calls(1)[0]
    path = "add" if action == "add" else f"{call.pk}/{action}"

    answer = curator.post(f"{LIST}{path}/", {"caller": "mallory", "post": "yes"})

    assert answer.status_code == 403
    assert ToolCall.objects.get().caller == "alice"


def test_the_list_offers_no_deleting(curator: Client) -> None:
    call = calls(1)[0]

    curator.post(LIST, {"action": "delete_selected", "_selected_action": [call.pk], "post": "yes"})

    assert ToolCall.objects.count() == 1


def test_a_calls_page_lays_its_arguments_out(curator: Client) -> None:
    call = calls(1)[0]

    page = curator.get(f"{LIST}{call.pk}/change/").content.decode()

    assert "&quot;teamCode&quot;: &quot;CAR&quot;,\n" in page


@pytest.mark.parametrize(
    "arguments", ['{"team', '{"a": 1, "a": 2}', "[" * 4000, "", "<script>", "NaN-", "{\"a\": \"" + "x" * 4000]
)  # fmt: skip
def test_arguments_that_cannot_be_laid_out_are_shown_as_they_came(arguments: str) -> None:
    assert indent_json(arguments) == arguments


def test_arguments_cannot_inject_markup(curator: Client) -> None:
    call = calls(1)[0]
    ToolCall.objects.update(arguments='{"x": "<script>alert(1)</script>"}')

    page = curator.get(f"{LIST}{call.pk}/change/").content.decode()

    assert "<script>alert(1)" not in page


def test_the_record_is_hidden_from_those_without_the_right(db: None) -> None:
    User.objects.create_user("clerk", is_staff=True)
    client = Client()
    client.force_login(User.objects.get(username="clerk"))

    assert client.get(LIST).status_code == 403


def test_words_are_looked_for_in_the_latest_calls_and_a_request_s_id_in_all(
    curator: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tool_calls, "SEARCHED", 4)
    calls(10)

    found = [curator.get(LIST, {"q": words}).context["cl"].result_count for words in ("CAR", "request-1", "request-9")]
    refused = curator.get(LIST, {"q": "CAR", "outcome__exact": "refused"}).context["cl"].result_count

    assert (found, refused) == ([4, 1, 1], 4)


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ({"o": "-8"}, 4), ({"transport": "rest"}, 4), ({"domain": "linescore"}, 4), ({"caller__icontains": "ali"}, 4),
        ({"outcome__exact": "refused", "o": "-8"}, 4), ({"transport": "rest", "called_at_to_0": "2025-12-31"}, 0),
    ],
)  # fmt: skip
def test_what_no_index_finds_is_looked_for_in_the_latest_calls(
    curator: Client, monkeypatch: pytest.MonkeyPatch, query: dict[str, str], count: int
) -> None:
    monkeypatch.setattr(tool_calls, "LOOKED_THROUGH", 4)
    calls(10)

    assert curator.get(LIST, query).context["cl"].result_count == count


@pytest.mark.parametrize(
    "query",
    [{}, {"outcome__exact": "failed"}, {"code": "UNAVAILABLE"}, {"tool": "x"}, {"o": "-8"}, {"transport": "mcp"}],
)
def test_no_view_of_the_list_reads_the_whole_record(
    curator: Client, monkeypatch: pytest.MonkeyPatch, query: dict[str, str]
) -> None:
    monkeypatch.setattr(tool_calls, "LOOKED_THROUGH", 4)
    calls(10)
    with CaptureQueriesContext(connection) as asked:
        curator.get(LIST, query)

    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        for statement in (query["sql"] for query in asked if 'FROM "toolbox_tool_calls"' in query["sql"]):
            cursor.execute(f"EXPLAIN {statement}")
            assert "Seq Scan" not in "\n".join(row[0] for row in cursor.fetchall()), statement


def test_a_search_reads_the_rows_once(curator: Client) -> None:
    calls(60)
    with CaptureQueriesContext(connection) as asked:
        curator.get(LIST, {"q": "CAR"})

    looking = [query["sql"] for query in asked if "LIKE" in query["sql"]]
    assert len(looking) == 1
    assert "LIMIT 1000" in looking[0]


def test_each_row_leads_to_its_call_and_can_be_chosen(curator: Client) -> None:
    call = calls(1)[0]
    ToolCall.objects.update(caller="<script>alert(1)</script>")

    page = curator.get(LIST).content.decode()

    assert f'href="{LIST}{call.pk}/change/"' in page
    assert f'name="_selected_action" value="{call.pk}"' in page
    assert ("400 INVALID_TEAM_CODE" in page, ">refused</span>" in page, "<script>alert" in page) == (True, True, False)
