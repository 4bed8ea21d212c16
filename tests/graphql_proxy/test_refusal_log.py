"""Refusals of upstreams are stored with the offered fix, bounded, and never fail the call."""

from graphql_proxy.models import Upstream, UpstreamRefusal
from graphql_proxy.refusal_log import MAX_MESSAGE, MAX_REFUSALS, RefusalRecord, record_refusal
from tests.graphql_proxy.conftest import MakeUpstream, in_a_thread
from toolbox.database.pools import Pool


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
