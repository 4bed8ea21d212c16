"""Activity: what was called, by whom, how it went; a call made again; what was refused; trends by day."""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.test import Client
from django.utils import timezone

from console.activity import pages
from console.activity.waterfall import Span, draw_waterfall, split_sessions
from tests.agents.conversation_client import Owner
from tests.agents.own_worker import work_on
from toolbox.audit import call_log
from toolbox.audit.traffic import Traffic
from toolbox.models import ApiKey, ToolCall
from toolbox.work.publisher import publisher

pytestmark = pytest.mark.usefixtures("scratch_database")
LINESCORE = "query_linescore_data"
NOON = datetime(2025, 3, 1, 12, tzinfo=UTC)
CARSON = '{"teamCode":"CAR","limit":2}'
MakeCall = Callable[..., ToolCall]


@pytest.fixture
def make_call() -> MakeCall:
    """Return a function that records calls, by default with alice's key, each a second after the one before."""
    alice, seconds = ApiKey.objects.get(name="alice"), iter(range(10_000))

    def make(**changes: Any) -> ToolCall:
        usual = {
            "called_at": NOON + timedelta(seconds=next(seconds)), "request_id": "r", "caller": "alice",
            "key_id": alice.pk, "transport": "mcp", "domain": "linescore", "tool": LINESCORE, "arguments": CARSON,
            "outcome": "answered", "status": 200, "rows": 2, "answer_bytes": 10, "milliseconds": 2.5,
        }  # fmt: skip
        return ToolCall.objects.create(**usual | changes)

    return make


def log_in(name: str, *groups: str) -> Client:
    user, _ = User.objects.get_or_create(username=name)
    user.groups.add(*(Group.objects.get_or_create(name=group)[0] for group in groups))
    client = Client()
    client.force_login(user)
    return client


class TestCalls:
    def test_they_are_filtered_by_key_tool_and_outcome(self, make_call: MakeCall) -> None:
        bob = ApiKey.objects.get(name="bob")
        make_call(code="FIRST")
        make_call(code="OF_BOB", key_id=bob.pk, caller="bob")
        make_call(code="NO", outcome="refused", status=400)
        make_call(code="ELSE", tool="get_schema", domain="sprints")
        make_call(code="PAGE", tool="page_index", domain="console", key_id=None)
        analyst = log_in("ann", "Analyst")

        def codes(**query: Any) -> set[str]:
            page = analyst.get("/activity/", query).content.decode()
            return {code for code in ("FIRST", "OF_BOB", "NO", "ELSE", "PAGE") if f": {code}" in page}

        assert codes() == {"FIRST", "OF_BOB", "NO", "ELSE"}
        assert codes(key=bob.pk) == {"OF_BOB"}
        assert codes(outcome="refused") == {"NO"}
        assert codes(outcome="answered", tool=LINESCORE) == {"FIRST", "OF_BOB"}
        assert codes(tool="get_schema") == {"ELSE"}
        assert codes(key=bob.pk, outcome="refused") == set()
        assert codes(pages="1") == {"FIRST", "OF_BOB", "NO", "ELSE", "PAGE"}

    def test_who_is_no_analyst_sees_the_calls_of_their_own_keys(self, make_call: MakeCall) -> None:
        bob = ApiKey.objects.get(name="bob")
        own = make_call(code="OF_BOB", key_id=bob.pk)
        others = make_call(code="OF_ALICE")
        browser = log_in("bob")

        page = browser.get("/activity/").content.decode()

        assert (": OF_BOB" in page, ": OF_ALICE" in page) == (True, False)
        assert ": OF_ALICE" not in browser.get(f"/activity/?key={others.key_id}").content.decode()
        assert browser.get(f"/activity/calls/{own.pk}/").status_code == 200
        assert browser.get(f"/activity/calls/{others.pk}/").status_code == 404
        assert browser.post(f"/activity/calls/{others.pk}/", {"arguments": "{}"}).status_code == 404

    def test_arguments_of_a_tool_that_the_person_may_not_use_are_left_out(self, make_call: MakeCall) -> None:
        bob = ApiKey.objects.get(name="bob")
        hidden = make_call(key_id=bob.pk, tool="get_schema", domain="sprints", arguments='{"secret":"hush"}')

        page = log_in("bob").get(f"/activity/calls/{hidden.pk}/").content.decode()

        assert ("hush" in page, "require the right sprints:read" in page) == (False, True)

    @pytest.mark.parametrize("keys", [["alice"], ["alice", "bob"], []])
    def test_pages_follow_one_another_and_miss_none(
        self, make_call: MakeCall, monkeypatch: pytest.MonkeyPatch, keys: list[str]
    ) -> None:
        monkeypatch.setattr(call_log, "PAGE", 3)
        monkeypatch.setattr(call_log, "MAX_SCANNED", 4)
        names = {one.name: one.pk for one in ApiKey.objects.filter(name__in=("alice", "bob"))}
        made = [
            make_call(
                key_id=names["bob" if number % 4 == 0 else "alice"], called_at=NOON + timedelta(seconds=number // 2)
            )
            for number in range(16)
        ]
        wanted = {call.pk for call in made if not keys or call.key_id in [names[name] for name in keys]}

        assert walk([names[name] for name in keys] or None) == sorted(wanted, reverse=True)

    def test_a_page_that_is_full_of_others_says_how_to_go_on(
        self, make_call: MakeCall, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(call_log, "MAX_SCANNED", 2)
        for code in ("WANTED", "", ""):
            make_call(code=code, tool=LINESCORE if code else "get_schema", outcome="failed")

        page = log_in("ann", "Analyst").get("/activity/", {"tool": LINESCORE, "outcome": "failed"}).content.decode()

        assert (": WANTED" in page, "Look further back" in page) == (False, True)

    def test_a_live_list_asks_again_and_an_earlier_page_does_not(self) -> None:
        analyst = log_in("ann", "Analyst")

        live = analyst.get("/activity/?live=1").content.decode()
        part = analyst.get("/activity/?live=1", headers={"HX-Request": "true"}).content.decode()
        earlier = analyst.get(f"/activity/?live=1&before={NOON.isoformat().replace('+', '%2B')}~1").content.decode()

        assert ("every 5s" in live, "every 5s" in part, "every 5s" in earlier) == (True, True, False)
        assert "<html" not in part

    def test_they_are_sorted_by_a_column_and_the_address_says_so(self, make_call: MakeCall) -> None:
        for milliseconds, tool in ((5, "b"), (90, "a"), (20, "c")):
            make_call(milliseconds=milliseconds, tool=tool, code=f"T{milliseconds}")
        analyst = log_in("ann", "Analyst")

        pages = {
            sort: analyst.get(f"/activity/?sort={sort}").content.decode() for sort in ("-ms", "ms", "tool", "time")
        }

        assert {sort: find_codes(page) for sort, page in pages.items()} == {
            "-ms": ["T90", "T20", "T5"], "ms": ["T5", "T20", "T90"], "tool": ["T90", "T5", "T20"],
            "time": ["T5", "T90", "T20"],
        }  # fmt: skip
        heading = re.search(r'<th[^>]*aria-sort="([^"]+)"><a class="sort" id="sort-ms" href="([^"]+)"', pages["-ms"])
        assert heading
        assert heading.groups() == ("descending", "/activity/?sort=ms")
        assert 'name="sort" value="-ms"' in pages["-ms"]

    def test_a_live_list_stays_in_its_order(self, make_call: MakeCall) -> None:
        make_call(milliseconds=90, code="SLOW")
        analyst = log_in("ann", "Analyst")
        page = unescape(analyst.get("/activity/?live=1&sort=-ms").content.decode())
        (again,) = re.findall(r'id="calls" hx-get="([^"]+)"', page)

        make_call(milliseconds=20, code="QUICK")
        part = analyst.get(again, headers={"HX-Request": "true"}).content.decode()

        assert find_codes(part) == ["SLOW", "QUICK"]
        assert 'id="sort-ms"' in part

    def test_a_further_page_in_an_order_holds_the_calls_of_the_first(self, make_call: MakeCall) -> None:
        for milliseconds in range(call_log.PAGE + 2):
            make_call(milliseconds=milliseconds, code=f"T{milliseconds}")
        analyst = log_in("ann", "Analyst")
        first = unescape(analyst.get("/activity/?sort=-ms").content.decode())
        (further,) = re.findall(r'<a href="([^"]+)">Next page in this order', first)
        make_call(milliseconds=1_000, code="NEWER", called_at=timezone.now() + timedelta(hours=1))

        second = analyst.get(further).content.decode()

        assert find_codes(first)[:2] == ["T51", "T50"]
        assert find_codes(second) == ["T1", "T0"]

    @pytest.mark.parametrize(
        "query", ["sort=nothing", "sort=-", "sort=id;drop", "page=0", "page=x", "page=99999", "page=²"]
    )
    def test_an_order_that_there_is_not_is_no_error(self, query: str) -> None:
        assert log_in("ann", "Analyst").get(f"/activity/?{query}").status_code == 200

    @pytest.mark.parametrize("query", ["key=x", "key=" + "9" * 40, "tool=%00", "outcome=nothing", "key=-1"])
    def test_a_filter_that_means_nothing_is_no_error(self, query: str) -> None:
        assert log_in("ann", "Analyst").get(f"/activity/?{query}").status_code == 200

    @pytest.mark.parametrize(
        "before",
        [
            "x",
            "2025-01-01",
            "2025-01-01T00:00",
            "2025-02-30T00:00:00Z",
            "9999-12-31T23:59:59-23:59",
            "0001-01-01T00:00:00%2B23:59",
        ],
    )
    def test_a_place_that_there_is_not_is_not_found(self, before: str) -> None:
        assert log_in("ann", "Analyst").get(f"/activity/?before={before}").status_code == 404


def find_codes(page: str) -> list[str]:
    """Find the codes of the calls that a page lists, in its order."""
    return re.findall(r">answered: (\w+)</span>", page)


def walk(keys: list[int] | None) -> list[int]:
    """Turn all pages and return the ids in order."""
    from toolbox.database import event_loop

    seen: list[int] = []
    place: tuple[datetime, int] | None = (NOON + timedelta(days=1), 2**63 - 1)
    for _ in range(40):
        if place is None:
            return seen
        wanted = call_log.CallFilter(keys=keys, before=place[0], before_id=place[1])
        found = event_loop.run(call_log.find_calls(wanted))
        seen += [row["id"] for row in found.rows]
        place = found.next
    raise AssertionError("the pages never end")


class TestOneCall:
    def test_it_is_made_again_with_other_arguments_and_compared(self, make_call: MakeCall) -> None:
        call = make_call()
        analyst = log_in("ann", "Analyst", "linescore:read")

        page = analyst.post(
            f"/activity/calls/{call.pk}/", {"arguments": json.dumps({"teamCode": "WPG", "limit": 2})}
        ).content.decode()

        assert "As typed" in page
        assert "The recorded call, made again" in page
        assert 'class="removed"' in page
        assert "WPG" in page[page.index('class="added"') :]

    def test_the_same_again_is_called_once(self, make_call: MakeCall) -> None:
        call = make_call()

        page = log_in("ann", "Analyst", "linescore:read").post(
            f"/activity/calls/{call.pk}/", {"arguments": CARSON}
        ).content.decode()  # fmt: skip

        assert ("As typed" in page, "The recorded call, made again" in page) == (True, False)

    def test_both_answers_stand_side_by_side_with_their_pictures(self, make_call: MakeCall) -> None:
        days = {"startDate": "2025-02-01", "endDate": "2025-02-28"}
        call = make_call(tool="list_game_results", arguments=json.dumps(days | {"teamCode": "CAR"}))

        page = log_in("ann", "Analyst", "linescore:read").post(
            f"/activity/calls/{call.pk}/", {"arguments": json.dumps(days | {"teamCode": "WPG"})}
        ).content.decode()  # fmt: skip

        sides = page[page.index('id="sides"') : page.index("Difference between")]
        assert re.findall(r'<h3 id="side-\w+">([^<]+)', sides) == ["The recorded call, made again", "As typed, now"]
        assert sides.count("data-chart") == sides.count("data-picture") == 2

    def test_a_refusal_offers_its_fix_filled_in(self, make_call: MakeCall) -> None:
        call = make_call(outcome="refused", status=400, code="VALIDATION_ERROR", arguments='{"teamCode":"car"}')
        analyst = log_in("ann", "Analyst", "linescore:read")

        page = unescape(
            analyst.post(f"/activity/calls/{call.pk}/", {"arguments": '{"teamCode":"car"}'}).content.decode()
        )
        (fix,) = re.findall(r'href="(\?arguments=[^"]+)#again">Fill in the suggested values', page)
        filled = unescape(analyst.get(f"/activity/calls/{call.pk}/{fix}").content.decode())

        assert '"teamCode": "CAR"' in filled[filled.index('<textarea id="arguments"') :]

    def test_who_may_not_use_the_tool_cannot_make_it_again(self, make_call: MakeCall) -> None:
        call = make_call()
        analyst = log_in("ann", "Analyst")

        page = analyst.post(f"/activity/calls/{call.pk}/", {"arguments": CARSON}).content.decode()

        assert ("As typed" in page, "Call it" in page) == (False, False)

    def test_what_is_no_object_is_refused(self, make_call: MakeCall) -> None:
        call = make_call()

        page = log_in("ann", "Analyst", "linescore:read").post(
            f"/activity/calls/{call.pk}/", {"arguments": "[1]"}
        ).content.decode()  # fmt: skip

        assert "must be a JSON object" in page

    def test_a_recorded_write_is_not_made_again(self, make_call: MakeCall, monkeypatch: pytest.MonkeyPatch) -> None:
        from console.activity import calls
        from toolbox.catalogue.registry import registry
        from toolbox.contract.caller import Caller

        made: list[Any] = []
        monkeypatch.setattr(calls, "call_tool", lambda _, *, arguments, **__: made.append(arguments))
        tool = next(tool for tool in registry.tools() if tool.writes)

        calls.compare_calls(
            tool, call={"arguments": '{"a": 1}'}, stored=None, typed={"a": 2},
            caller=Caller(name="x", scopes=frozenset()),
        )  # fmt: skip

        assert made == [{"a": 2}]

    def test_its_session_is_drawn_beside_it(self, make_call: MakeCall) -> None:
        make_call(tool="long_before", called_at=NOON - timedelta(minutes=30))
        make_call(tool="just_before")
        call = make_call()

        page = log_in("ann", "Analyst").get(f"/activity/calls/{call.pk}/").content.decode()

        assert "svg" in page
        assert ("just_before" in page, "long_before" in page) == (True, False)

    def test_a_conversation_is_drawn_step_by_step(self) -> None:
        curator = User.objects.get(username="curator")
        talk = Owner("", owner_id=curator.pk)
        conversation = talk.begin()
        browser = Client()
        browser.force_login(curator)

        assert browser.get(f"/activity/conversations/{conversation}/").status_code == 200
        assert log_in("erin").get(f"/activity/conversations/{conversation}/").status_code == 404

    def test_the_answer_that_a_run_stored_is_shown(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from toolbox.audit.log import audit
        from toolbox.database import event_loop

        monkeypatch.setattr(publisher, "take", lambda *_, **__: None)
        curator = User.objects.get(username="curator")
        talk = Owner("", owner_id=curator.pk)
        work_on(talk.say("How did Carolina do in February 2025?", to=talk.begin(), is_told=False))
        event_loop.run(audit.flush())
        call = ToolCall.objects.filter(transport="agents").latest("id")
        browser = Client()
        browser.force_login(curator)

        page = browser.get(f"/activity/calls/{call.pk}/").content.decode()
        others = log_in("ann", "Analyst", "linescore:read").get(f"/activity/calls/{call.pk}/").content.decode()

        assert ("As it was answered" in page, "data-picture" in page) == (True, True)
        assert ("As it was answered" in others, "keeps no answers" in others) == (False, True)


class TestQueueAndTrends:
    def test_a_question_that_nothing_covered_leads_to_teaching_it(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(publisher, "take", lambda *_, **__: None)
        curator = User.objects.get(username="curator")
        talk = Owner("", owner_id=curator.pk)
        work_on(talk.say("How many unicorns did HARBOR ship?", to=talk.begin(), is_told=False))
        browser = Client()
        browser.force_login(curator)

        page = unescape(browser.get("/activity/queue/").content.decode())
        (address,) = re.findall(r'href="(/teach/[^"]+)"', page)

        assert "How many unicorns did HARBOR ship?" in unescape(browser.get(address).content.decode())
        for group in ("Curator", "Analyst"):
            client = log_in(f"one-{group}", group)
            User.objects.filter(username=f"one-{group}").update(is_staff=True)
            assert address in unescape(client.get("/activity/queue/").content.decode())

    def test_what_a_person_may_not_see_is_not_said_to_be_nothing(self) -> None:
        person = User.objects.create_user("vera", is_staff=True)
        person.user_permissions.add(Permission.objects.get(codename="view_toolcall"))
        client = Client()
        client.force_login(person)

        page = client.get("/activity/queue/").content.decode()

        assert ("was left uncovered" in page, "No run failed" in page) == (False, False)
        assert "Only operators see the runs of everybody." in page

    def test_refusals_are_grouped_by_tool_and_reason(self, make_call: MakeCall) -> None:
        lately = timezone.now() - timedelta(hours=1)
        for _ in range(3):
            make_call(outcome="refused", code="INVALID_TEAM_CODE", status=400, called_at=lately)
        make_call(outcome="failed", code="DEADLINE", status=504, called_at=lately)

        page = log_in("ann", "Analyst").get("/activity/queue/").content.decode()

        assert page.index("INVALID_TEAM_CODE") < page.index("DEADLINE")
        assert '<td class="number">3</td>' in page

    @pytest.mark.parametrize("address", ["/activity/queue/", "/activity/trends/"])
    def test_they_are_for_those_who_see_every_call(self, address: str) -> None:
        page = log_in("erin").get(address).content.decode()

        assert "Only curators, analysts and operators" in page

    def test_trends_count_days(self, make_call: MakeCall) -> None:
        make_call(called_at=timezone.now(), milliseconds=40)

        page = log_in("ann", "Analyst").get("/activity/trends/?days=7").content.decode()

        assert page.count("<svg") >= 3
        assert "Calls by day" in page

    def test_a_day_without_calls_has_no_percentile(self) -> None:
        one = Traffic("", "")
        one.buckets[10] = 4
        moments = [NOON.replace(hour=0), NOON.replace(hour=0) + timedelta(days=1)]

        calls, slow, _, _ = pages.draw_trends(moments, traffic={moments[0]: one}, cost={})

        assert [list(row) for row in calls.tables[0].rows] == [["01 Mar", "4"], ["02 Mar", "0"]]
        assert slow.tables[0].rows[1][1] == ""


class TestWaterfall:
    def test_bars_begin_where_calls_began(self) -> None:
        spans = [
            Span(label="first", began_at=NOON, milliseconds=100),
            Span(label="<second>", began_at=NOON + timedelta(milliseconds=100), milliseconds=100, is_bad=True),
        ]

        drawn = str(draw_waterfall(spans, title="Session"))

        assert 'x="200.0" y="8" width="235.0"' in drawn
        assert 'x="435.0" y="30" width="235.0"' in drawn
        assert "<second>" not in drawn
        assert draw_waterfall([], title="Session") == ""

    def test_a_pause_ends_a_session(self) -> None:
        starts = (0, 5, 700, 701)
        spans = [Span(label=str(at), began_at=NOON + timedelta(seconds=at), milliseconds=1) for at in starts]

        sessions = split_sessions(spans, gap_seconds=600)

        assert [[span.label for span in one] for one in sessions] == [["0", "5"], ["700", "701"]]
