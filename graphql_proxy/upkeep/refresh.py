"""Scheduled refresh of schemas."""

import logging
from datetime import datetime

from graphql_proxy.ingest.load import StoredSchema, list_due_upstreams, note_refresh, store_schema
from graphql_proxy.models import SchemaSnapshot
from graphql_proxy.schema.parsing import InvalidSchema
from graphql_proxy.upkeep.fetch import NoSchema, fetch_schema
from graphql_proxy.upstreams import upstream_named
from toolbox.contract.errors import ToolError
from toolbox.database import event_loop

logger = logging.getLogger(__name__)

MAX_AT_ONCE = 20


def refresh_due_schemas(*, now: datetime) -> dict[str, StoredSchema]:
    """
    Fetch the schema of every upstream that is due. Returns what was stored, by name.

    A new version announces itself: the database notifies tools and the resources of what changed. A failure is noted
    for the admin, and tried again when it is due.
    """
    refreshed: dict[str, StoredSchema] = {}
    for upstream in list_due_upstreams(now):
        problem = ""
        try:
            refreshed[upstream.slug] = stored = _refresh(upstream.slug, now=now)
            logger.info("%s: version %d, %d changes", upstream.slug, stored.version, len(stored.changes))
        except (NoSchema, InvalidSchema, ToolError) as failed:
            problem = str(failed)[:500]
            logger.warning("The schema of %s was not fetched: %s", upstream.slug, problem)
        note_refresh(upstream, tried_at=now, problem=problem)
        if len(refreshed) >= MAX_AT_ONCE:
            break
    return refreshed


def _refresh(slug: str, *, now: datetime) -> StoredSchema:
    text = event_loop.run(fetch_schema(event_loop.run(upstream_named(slug))))
    return store_schema(slug, text=text, source=SchemaSnapshot.Source.FETCHED, taken_at=now)
