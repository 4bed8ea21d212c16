"""A schema's text into a numbered snapshot, with what changed since the one before."""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from graphql_proxy.ingest.parse_schema import digest, read_schema, written
from graphql_proxy.models import SchemaSnapshot, Upstream
from graphql_proxy.schema_changes import Change, changes_between


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """What became of a schema."""

    version: int
    is_new: bool
    query_count: int
    type_count: int
    changes: list[Change]


def compare_schema(slug: str, *, text: str) -> list[Change]:
    """Tell what would change if this text became an upstream's schema; raises NotASchema."""
    sdl = written(read_schema(text))
    newest = SchemaSnapshot.objects.filter(upstream__slug=slug).order_by("-version").first()
    return changes_between(newest.sdl, after=sdl) if newest and newest.sdl != sdl else []


@transaction.atomic
def store_schema(slug: str, *, text: str, source: SchemaSnapshot.Source, taken_at: datetime) -> Stored:
    """
    Store a schema as the upstream's next version, unless it is the newest already.

    Raises NotASchema, and Upstream.DoesNotExist.
    """
    schema = read_schema(text)
    sdl = written(schema)
    upstream = Upstream.objects.select_for_update().get(slug=slug)
    newest = upstream.schemas.order_by("-version").first()
    if newest and newest.digest == digest(sdl):
        return _stored(newest, is_new=False)
    snapshot = upstream.schemas.create(
        version=newest.version + 1 if newest else 1,
        sdl=sdl,
        digest=digest(sdl),
        source=source,
        query_count=len(schema.query_type.fields) if schema.query_type else 0,
        type_count=sum(not name.startswith("__") for name in schema.type_map),
        changes=changes_between(newest.sdl, after=sdl) if newest else [],
        taken_at=taken_at,
    )
    return _stored(snapshot, is_new=True)


def _stored(snapshot: SchemaSnapshot, *, is_new: bool) -> Stored:
    return Stored(
        version=snapshot.version,
        is_new=is_new,
        query_count=snapshot.query_count,
        type_count=snapshot.type_count,
        changes=snapshot.changes if is_new else [],
    )
