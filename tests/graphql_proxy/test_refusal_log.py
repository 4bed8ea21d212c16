"""Refusals of upstreams are stored with the offered fix, bounded, and never fail the call."""

import html
import re

import httpx
from django.contrib.auth.models import User
from django.test import Client

from graphql_proxy.models import SchemaSnapshot, Upstream, UpstreamRefusal
from graphql_proxy.refusal_log import MAX_MESSAGE, MAX_REFUSALS, RefusalRecord, record_refusal
from tests.bad_upstream import BadUpstream
from tests.graphql_proxy.conftest import MakeUpstream, in_a_thread
from tests.graphql_proxy.upstream_data import SMALL_SDL
from toolbox.database.pools import Pool

WARNING = {
    "path": "Query.a",
    "line": 3,
    "column": 3,
    "message": "Query.a is defined more than once; the first is used.",
}


def _id_of(slug: str) -> int:
    return int(in_a_thread(lambda: Upstream.objects.get(slug=slug).pk))


def _rows(upstream_id: int) -> list[UpstreamRefusal]:
    return list(in_a_thread(lambda: list(UpstreamRefusal.objects.filter(upstream_id=upstream_id).order_by("-id"))))


async def test_a_refusal_is_stored_with_what_was_offered(make_upstream: MakeUpstream) -> None:
    upstream_id = _id_of(make_upstream("https://api.example.org/graphql"))
    await record_refusal(
        RefusalRecord(
            upstream_id=upstream_id,
            message="Field 'full_name' doesn't exist on type 'Repository'",
            rule="FieldsOnCorrectType",
            coordinate="Repository.full_name",
            hint="Repository has nameWithOwner.",
            offered="{ repository { nameWithOwner } }",
            request_id="abc",
        )
    )
    (row,) = _rows(upstream_id)
    assert (row.rule, row.coordinate, row.offered, row.request_id) == (
        "FieldsOnCorrectType",
        "Repository.full_name",
        "{ repository { nameWithOwner } }",
        "abc",
    )


async def test_long_and_odd_texts_are_cut_and_stored(make_upstream: MakeUpstream) -> None:
    upstream_id = _id_of(make_upstream("https://api.example.org/graphql"))
    await record_refusal(RefusalRecord(upstream_id=upstream_id, message="a\0\ud800" + "x" * 100_000))
    (row,) = _rows(upstream_id)
    assert row.message.startswith("a?xxx")
    assert len(row.message) == MAX_MESSAGE
    assert row.message.endswith("…")


async def test_only_the_newest_of_an_upstream_are_kept(make_upstream: MakeUpstream) -> None:
    upstream_id, other = (_id_of(make_upstream("https://api.example.org/graphql")) for _ in range(2))
    await record_refusal(RefusalRecord(upstream_id=other, message="another upstream's"))
    for number in range(MAX_REFUSALS + 5):
        await record_refusal(RefusalRecord(upstream_id=upstream_id, message=f"number {number}"))
    rows = _rows(upstream_id)
    assert len(rows) == MAX_REFUSALS
    assert rows[0].message == f"number {MAX_REFUSALS + 4}"
    assert len(_rows(other)) == 1


async def test_an_upstream_that_is_gone_gets_no_row() -> None:
    await record_refusal(RefusalRecord(upstream_id=2**31, message="gone"))


async def test_a_database_that_is_away_changes_nothing(make_upstream: MakeUpstream) -> None:
    upstream_id = _id_of(make_upstream("https://api.example.org/graphql"))
    closed = Pool("closed", max_size=1)
    closed.conninfo = lambda: "host=127.0.0.1 port=1 dbname=none connect_timeout=1"  # type: ignore[method-assign]
    await record_refusal(RefusalRecord(upstream_id=upstream_id, message="kept from the log"), pool=closed)
    assert _rows(upstream_id) == []


async def test_a_person_sees_upstream_schema_warnings_refusal_and_offer(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, bad: BadUpstream
) -> None:
    """The walk from the list of upstreams to the corrected document, by the links of the pages."""
    slug = make_upstream(bad.url("refused"), sdl=SMALL_SDL)
    await fast_client.post(
        "/api/tools/graphql_proxy/execute_graphql", json={"query": "{ team(id: 1) { nmae } }", "upstream": slug}
    )

    def walk() -> dict[str, str]:
        SchemaSnapshot.objects.filter(upstream__slug=slug).update(warnings=[WARNING])
        curator = Client()
        curator.force_login(User.objects.get(username="curator"))

        def see(address: str) -> str:
            page = curator.get(address)
            assert page.status_code == 200
            return html.unescape(page.content.decode())

        def follow(address: str, *, section: str) -> str:
            found = re.search(rf"/admin/graphql_proxy/{section}/[0-9]+/change/", see(address))
            assert found
            return see(found[0])

        number = Upstream.objects.get(slug=slug).pk
        start = f"/admin/graphql_proxy/upstream/?q={slug}"
        return {
            "upstreams": see(start),
            "schema": follow(
                f"/admin/graphql_proxy/schemasnapshot/?upstream__id__exact={number}", section="schemasnapshot"
            ),
            "refusal": follow(f"/admin/graphql_proxy/upstreamrefusal/?upstream={number}", section="upstreamrefusal"),
        }

    seen = in_a_thread(walk)
    for words in (slug, "version 1, ", " old", "1 warnings", "0\xa0minutes ago: No."):
        assert words in seen["upstreams"]
    assert "Query.a is defined more than once" in seen["schema"]
    for words in ("Team.nmae", "`nmae` is called `name`.", "{ team(id: 1) { name } }"):
        assert words in seen["refusal"]
