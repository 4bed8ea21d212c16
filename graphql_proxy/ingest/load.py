"""Rows of this domain: what ships and is missing, and a schema as a numbered snapshot with what changed."""

from dataclasses import dataclass
from datetime import datetime
from importlib.resources import files
from typing import Any

import orjson
from django.contrib.auth.hashers import make_password
from django.db import transaction

from graphql_proxy.ingest.parse_schema import digest, in_order, read_schema, read_stored, written
from graphql_proxy.models import ErrorHint, SavedOperation, SchemaSnapshot, Upstream
from graphql_proxy.schema_changes import Change, changes_between
from graphql_proxy.secrets import Sealed, seal, unseal
from toolbox.contract.caller import hash_api_key as key_digest
from toolbox.contract.caller import make_api_key

OWN_USERNAME = "toolroom"
OWN_HEADER = "Authorization"
CREDENTIAL_HEADERS = (OWN_HEADER, "authorization", "X-API-Key", "x-api-key")


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
    if newest and (newest.digest == digest(sdl) or in_order(read_stored(newest.sdl)) == in_order(schema)):
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


def load_hints() -> int:
    """
    Store what is missing of the shipped hints, known by their names; gives how many were.

    What is stored is left as it is: a curator may have changed it, or turned it off.
    """
    shipped = orjson.loads((files("graphql_proxy") / "samples" / "error_hints.json").read_bytes())
    before = ErrorHint.objects.count()
    ErrorHint.objects.bulk_create([ErrorHint(**hint) for hint in shipped], ignore_conflicts=True)
    return ErrorHint.objects.count() - before


def ensure_upstream(slug: str, *, address: str, title: str, is_local: bool) -> bool:
    """Store an upstream unless its name is taken, as the default where there is none; tells whether it is new."""
    is_default = not Upstream.objects.filter(is_default=True).exists()
    given = {"address": address, "is_default": is_default, "is_local": is_local, "title": title}
    return Upstream.objects.get_or_create(slug=slug, defaults=given)[1]


def ensure_operation(name: str, *, columns: dict[str, Any]) -> bool:
    """Store an operation unless its name is taken; tells whether it is new."""
    return SavedOperation.objects.get_or_create(name=name, defaults=columns)[1]


def move_upstream(slug: str, *, address: str, only_from: tuple[str, ...]) -> None:
    """Give an upstream another address, if the one it has begins with one of `only_from`."""
    for upstream in Upstream.objects.filter(slug=slug):
        if upstream.address != address and upstream.address.startswith(only_from):
            upstream.address = address
            upstream.save(update_fields=["address"])


def ensure_own_key(upstream: Any, *, headers: Any, keys: Any, users: Any) -> None:
    """
    Give our own upstream a key of its own, sealed, where it has none that today's SECRET_KEY opens.

    A header of another name that carries a credential stays as a curator left it. The key reads linescore and belongs
    to a user who cannot log in. Takes model classes, because a migration calls it with those of its time.
    """
    given = headers.objects.filter(upstream=upstream, name__in=CREDENTIAL_HEADERS)
    for header in given:
        if header.variable or header.name != OWN_HEADER or _opens(bytes(header.sealed_value)):
            return
    owner, is_new = users.objects.get_or_create(username=OWN_USERNAME)
    if is_new:
        owner.password = make_password(None)
        owner.save(update_fields=["password"])
    key = make_api_key()
    keys.objects.create(
        name=f"upstream {upstream.slug}",
        owner_id=owner.pk,
        digest=key_digest(key),
        start=key[:8],
        scopes=["linescore:read"],
    )
    sealed = {"sealed_value": seal(f"Bearer {key}"), "variable": ""}
    headers.objects.update_or_create(upstream=upstream, name=OWN_HEADER, defaults=sealed)


def _opens(sealed: bytes) -> bool:
    try:
        return bool(unseal(sealed))
    except Sealed:
        return False
