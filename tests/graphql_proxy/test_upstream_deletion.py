"""Deleting an upstream in the admin while a schema of it is being stored."""

from datetime import UTC, datetime
from functools import partial

import pytest

from graphql_proxy.ingest import load
from graphql_proxy.models import SchemaSnapshot, Upstream
from tests.blocking import beside, post_as_curator


@pytest.mark.usefixtures("scratch_database")
def test_the_deletion_waits_and_deletes_the_schema_too() -> None:
    upstream = Upstream.objects.create(slug="soon-gone", address="https://soon-gone.example/graphql")
    delete = partial(post_as_curator, f"/admin/graphql_proxy/upstream/{upstream.pk}/delete/", {"post": "yes"})

    with beside(delete, before=(load, "digest")) as waited:
        load.store_schema("soon-gone", text="type Query { a: Int }", taken_at=datetime(2026, 1, 1, tzinfo=UTC))

    assert waited == [True]
    assert not Upstream.objects.filter(slug="soon-gone").exists()
    assert not SchemaSnapshot.objects.filter(upstream=upstream.pk).exists()
