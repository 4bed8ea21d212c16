"""A good answer becomes a verified query: names become slots, and a person enables it."""

import re
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse

from sprints.models import VerifiedQuery
from sprints.verified.slots import make_template
from tests.sprints.cast import TODAY, index
from toolbox.database.caches import clear_all_caches

PATH = "/api/sprints/verified-queries"
pytestmark = pytest.mark.usefixtures("scratch_database")


@pytest.fixture(autouse=True)
def _fresh() -> Any:
    clear_all_caches()
    yield
    clear_all_caches()


def test_names_in_question_and_sql_become_slots() -> None:
    question, sql = make_template(
        "What did Levi Walker close last month in ACCEL?",
        sql="SELECT 1 WHERE u = 'id-Levi Walker' AND t IN ('id-ACCEL') AND d >= DATE '2026-10-01'",
        index=index(),
        today=TODAY,
    )

    assert question == "What did {person} close {period} in {team}?"
    assert sql == "SELECT 1 WHERE u IN {person} AND t IN {team} AND d >= {period.start}"


async def test_an_answer_is_kept_over_rest_once_and_waits_for_a_person(ninja_client: httpx.AsyncClient) -> None:
    body = {"question": "How much was ever invented?", "sql": "SELECT count(*) AS invented FROM issues"}

    first, again = await ninja_client.post(PATH, json=body), await ninja_client.post(PATH, json=body)

    assert first.json() == {"slug": "how-much-was-ever-invented", "isNew": True, "isEnabled": False}
    assert again.json()["isNew"] is False
    row = await sync_to_async(VerifiedQuery.objects.get)(slug="how-much-was-ever-invented")
    assert (row.question, row.is_enabled, row.source) == ("How much was ever invented?", False, "promoted")


async def test_a_statement_that_would_never_answer_its_own_question_is_not_kept(
    ninja_client: httpx.AsyncClient,
) -> None:
    sql = "SELECT count(*) AS n FROM issues JOIN teams USING (team_id) WHERE team_key = 'ACCEL'"

    reply = await ninja_client.post(PATH, json={"question": "How much did ACCEL invent?", "sql": sql})

    assert reply.status_code == 400
    assert "names a team" in reply.json()["error"]["message"]


async def test_a_statement_that_does_not_run_is_not_kept(ninja_client: httpx.AsyncClient) -> None:
    reply = await ninja_client.post(PATH, json={"question": "Anything", "sql": "DELETE FROM issues"})

    assert reply.status_code == 400
    assert "Forbidden keyword detected: DELETE" in reply.json()["error"]["message"]


async def test_keeping_needs_the_write_scope(ninja_client: httpx.AsyncClient, cast: SimpleNamespace) -> None:
    headers = {"Authorization": f"Bearer {cast.bob}"}

    assert (
        await ninja_client.post(PATH, json={"question": "x", "sql": "SELECT 1"}, headers=headers)
    ).status_code == 403


@pytest.fixture
def curator(client: Client) -> Client:
    client.force_login(User.objects.get(username="curator"))
    return client


class TestInTheAdmin:
    def test_a_curator_asks_and_promotes_the_answer_with_a_click(self, curator: Client) -> None:
        page = reverse("admin:sprints_verifiedquery_ask_page")
        question = {"question": "How many issues were reopened more than once?"}

        shown = curator.post(page, question)
        kept = curator.post(page, question | {"promote": "1"})

        assert "Make it a verified query" in shown.content.decode()
        assert kept.status_code == 302
        row = VerifiedQuery.objects.get(source="promoted")
        assert (row.question, row.is_enabled) == ("How many issues were reopened more than once?", False)

    def test_a_verified_answer_is_not_promoted_again(self, curator: Client) -> None:
        page = reverse("admin:sprints_verifiedquery_ask_page")

        shown = curator.post(page, {"question": "Who is overloaded?"}).content.decode()

        assert "This is the verified query workload-by-person." in shown
        assert "Make it a verified query" not in shown

    def test_a_curator_runs_a_query_before_enabling_it(self, curator: Client) -> None:
        row = VerifiedQuery.objects.get(slug="blocked-issues")

        shown = curator.get(reverse("admin:sprints_verifiedquery_run_page", args=[row.pk])).content.decode()

        assert "bare: " in shown
        assert "rows in" in shown
        assert "blocked_days" in shown

    def test_a_slot_that_there_is_not_is_refused(self, curator: Client) -> None:
        row = VerifiedQuery.objects.get(slug="blocked-issues")
        fields = {"slug": row.slug, "topic": row.topic, "question": row.question, "sql": "SELECT {tema}", "slots": "{}"}

        shown = curator.post(reverse("admin:sprints_verifiedquery_change", args=[row.pk]), fields).content.decode()

        assert "There is no slot {tema}" in shown

    @pytest.mark.parametrize(
        "statement",
        ["DELETE FROM issues", "SELECT 1 [[; DELETE FROM issues WHERE team_id IN {team}]]", "SELECT x FROM y"],
    )
    def test_sql_that_the_guard_refuses_is_not_saved(self, curator: Client, statement: str) -> None:
        row = VerifiedQuery.objects.get(slug="blocked-issues")
        fields = {"slug": row.slug, "topic": row.topic, "question": row.question, "sql": statement, "slots": "{}"}

        shown = curator.post(
            reverse("admin:sprints_verifiedquery_change", args=[row.pk]), fields | {"is_enabled": "on"}
        )

        assert shown.status_code == 200
        assert "Forbidden keyword" in shown.content.decode() or "does not exist" in shown.content.decode()
        assert VerifiedQuery.objects.get(pk=row.pk).sql == row.sql

    def test_what_rows_hold_is_shown_as_text(self, curator: Client) -> None:
        page = reverse("admin:sprints_verifiedquery_ask_page")

        shown = curator.post(page, {"question": "<script>alert(1)</script> which issues are blocked?"}).content.decode()

        assert "<script>alert(1)" not in shown


class TestTheSqlEditor:
    ADD = "/admin/sprints/verifiedquery/add/"
    TRY = "/admin/sprints/verifiedquery/try/"

    def test_the_schema_stands_beside_the_sql(self, curator: Client, db: None) -> None:
        page = curator.get(self.ADD).content.decode()

        assert re.search(r'data-inserts="id_sql"[^>]*>\s*sprint_issues', page)
        assert re.search(r'data-inserts="id_sql"[^>]*>\s*team_id', page)
        assert f'hx-post="{self.TRY}"' in page

    def test_it_runs_before_it_is_saved(self, curator: Client, db: None) -> None:
        sql = "SELECT count(*) AS found FROM sprintscope.issues WHERE team_id IN {team} [[AND status IN {status}]]"
        before = VerifiedQuery.objects.count()

        shown = curator.post(self.TRY, {"sql": sql, "slots": "{}"}).content.decode()

        assert ("with team: 1 rows" in shown, "with team, status: 1 rows" in shown) == (True, True)
        assert VerifiedQuery.objects.count() == before

    @pytest.mark.parametrize(
        ("sql", "slots", "said"),
        [
            ("DELETE FROM sprintscope.issues", "{}", "Only SELECT"), ("SELECT 1 FROM auth_user", "{}", "auth_user"),
            ("SELECT 1", "[]", "An object is needed"), ("SELECT 1", "{", "An object is needed"),
            ("", "{}", "Type a statement"), ("SELECT {nonsense}", "{}", "nonsense"),
        ],
    )  # fmt: skip
    def test_what_cannot_run_says_why(self, curator: Client, db: None, sql: str, slots: str, said: str) -> None:
        shown = curator.post(self.TRY, {"sql": sql, "slots": slots})

        assert shown.status_code == 200
        assert said in shown.content.decode()

    def test_who_may_only_look_runs_nothing(self, db: None) -> None:
        reader = User.objects.create_user("looks", is_staff=True)
        reader.user_permissions.add(Permission.objects.get(codename="view_verifiedquery"))
        browser = Client()
        browser.force_login(reader)

        assert browser.post(self.TRY, {"sql": "SELECT 1", "slots": "{}"}).status_code == 403
