"""Schemas are fetched again when they are due, and the admin shows how it went."""

from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from django.urls import reverse

from graphql_proxy.models import SchemaRefresh, SchemaSnapshot, Upstream, UpstreamRefusal
from graphql_proxy.upkeep.refresh import refresh_due_schemas
from tests.mock_upstream import MockUpstream
from toolbox.database.caches import clear_all_caches

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.fixture
def due(scratch_database: None, mock: MockUpstream) -> Upstream:
    """Return the mocked upstream, to be fetched every six hours; the database is a copy that is dropped."""
    Upstream.objects.filter(slug="mock").update(refresh_hours=6)
    return Upstream.objects.get(slug="mock")


def test_a_schema_that_is_due_is_fetched_and_not_again_before_its_time(due: Upstream) -> None:
    before = SchemaSnapshot.objects.filter(upstream=due).count()
    first = refresh_due_schemas(now=NOW)
    again = refresh_due_schemas(now=NOW + timedelta(hours=5))
    later = refresh_due_schemas(now=NOW + timedelta(hours=7))

    assert (set(first), set(again), set(later)) == ({"mock"}, set(), {"mock"})
    assert later["mock"].is_new is False
    assert SchemaSnapshot.objects.filter(upstream=due).count() <= before + 1
    assert SchemaRefresh.objects.get(upstream=due).tried_at == NOW + timedelta(hours=7)


def test_a_failed_fetch_is_noted_with_its_reason(due: Upstream) -> None:
    Upstream.objects.filter(pk=due.pk).update(allows_introspection=False)
    clear_all_caches()
    assert refresh_due_schemas(now=NOW) == {}
    assert "does not allow introspection" in SchemaRefresh.objects.get(upstream=due).problem


def test_the_admin_shows_schema_age_warnings_and_the_last_refusal(admin_client: Client) -> None:
    upstream = Upstream.objects.create(slug="shown", address="https://api.example.org/graphql")
    upstream.schemas.create(
        version=3, sdl="type Query", digest="0" * 64, source="sdl", query_count=0, type_count=1,
        taken_at=datetime.now(UTC) - timedelta(days=9),
        warnings=[{"path": "Query", "line": 1, "column": 1, "message": "It is empty."}],
    )  # fmt: skip
    UpstreamRefusal.objects.create(
        upstream=upstream, refused_at=datetime.now(UTC), message="No such field", offered="{ a }"
    )

    page = admin_client.get(reverse("admin:graphql_proxy_upstream_changelist")).content.decode()
    refusals = admin_client.get(reverse("admin:graphql_proxy_upstreamrefusal_changelist")).content.decode()

    assert "version 3, 1\xa0week, 2\xa0days old; 1 warnings" in page
    assert "No such field" in page
    assert "No such field" in refusals
