"""Sample data: our own upstream with its schema, hints, and the documents of the contract's tools."""

from collections.abc import Callable
from datetime import UTC, datetime
from importlib.resources import files

import orjson
from django.conf import settings
from django.contrib.auth import get_user_model

from graphql_proxy.ingest.load import (
    LOOPBACK,
    ensure_operation,
    ensure_own_key,
    ensure_upstream,
    load_hints,
    set_upstream_address,
    store_schema,
)
from graphql_proxy.models import SchemaSnapshot, Upstream, UpstreamHeader
from toolbox.contract.samples import SampleReport, ignore_progress
from toolbox.models import ApiKey

HOCKEY = "hockey"
CONFIGURED = "configured"
USUAL_ADDRESS = "http://127.0.0.1:8000/graphql/"
SCHEMA_WRITTEN_AT = datetime(2026, 11, 21, tzinfo=UTC)


def load_samples(*, on_progress: Callable[[SampleReport], None] = ignore_progress) -> SampleReport:
    """Store what is missing. Existing rows stay as a curator left them; only the shipped schema is updated."""
    report = SampleReport(added=load_hints())
    for slug, address in ((CONFIGURED, settings.GRAPHQL_UPSTREAM_URL), (HOCKEY, USUAL_ADDRESS)):
        if address:
            report.count(is_new=_ensure_upstream(slug, address))
    sdl = (files("graphql_proxy") / "samples" / "hockey.graphql").read_text()
    stored = store_schema(HOCKEY, text=sdl, source=SchemaSnapshot.Source.SDL, taken_at=SCHEMA_WRITTEN_AT)
    report.count(is_new=stored.is_new)
    for operation in shipped_operations():
        report.count(is_new=ensure_operation(str(operation.pop("name")), columns=operation))
        on_progress(report)
    return report


def shipped_operations() -> list[dict[str, object]]:
    """Read the documents of the contract's tools. Each is a file beside its mapping."""
    folder = files("graphql_proxy") / "samples" / "operations"
    described = orjson.loads((folder / "operations.json").read_bytes())
    return [
        {**row, "document": (folder / f"{row['name']}.graphql").read_text(), "is_contract": True} for row in described
    ]


def point_at(address: str) -> None:
    """Set the address and key of our own upstream, unless a curator moved it elsewhere."""
    set_upstream_address(HOCKEY, address=address, only_from=LOOPBACK)
    for upstream in Upstream.objects.filter(slug=HOCKEY, address=address):
        ensure_own_key(upstream, headers=UpstreamHeader, keys=ApiKey, users=get_user_model())


def _ensure_upstream(slug: str, address: str) -> bool:
    title = "This server's own hockey API" if slug == HOCKEY else "GRAPHQL_UPSTREAM_URL"
    return ensure_upstream(slug, address=address, title=title, is_local=address.startswith(LOOPBACK))
