"""Storing of upstreams, hints, operations and schema snapshots with their changes."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from importlib.resources import files
from typing import Any

import orjson
from django.contrib.auth.hashers import make_password
from django.core.exceptions import ValidationError
from django.db import transaction
from graphql import print_schema

from graphql_proxy.models import ErrorHint, SavedOperation, SchemaRefresh, SchemaSnapshot, Upstream
from graphql_proxy.schema.changes import Change, changes_between
from graphql_proxy.schema.parsing import ParsedSchema, digest, parse_schema, print_sorted, read_stored
from graphql_proxy.schema.warnings import SchemaWarning
from graphql_proxy.secrets import Sealed, seal, unseal
from toolbox.contract.caller import hash_api_key as key_digest
from toolbox.contract.caller import make_api_key
from toolbox.database.caches import clear_all_caches

LOOPBACK = ("http://127.0.0.1:", "http://localhost:", "http://[::1]:")
OWN_USERNAME = "toolroom"
MAX_REFRESHED = 200
OWN_HEADER = "Authorization"
CREDENTIAL_HEADERS = (OWN_HEADER, "authorization", "X-API-Key", "x-api-key")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSchema:
    """An upstream's newest schema, whether it was stored now, and the warnings about its file."""

    version: int
    is_new: bool
    query_count: int
    type_count: int
    changes: list[Change]
    warnings: list[SchemaWarning]


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaComparison:
    """The changes that storing a file would make, and the warnings about it."""

    changes: list[Change]
    warnings: list[SchemaWarning]


def compare_schema(slug: str, *, text: str) -> SchemaComparison:
    """Compare a file with an upstream's newest schema. Raises InvalidSchema."""
    parsed = parse_schema(text)
    sdl = print_schema(parsed.schema)
    newest = SchemaSnapshot.objects.filter(upstream__slug=slug).order_by("-version").first()
    changes = changes_between(newest.sdl, after=sdl) if newest and newest.sdl != sdl else []
    return SchemaComparison(changes=changes, warnings=parsed.warnings)


def store_schema(
    slug: str, *, text: str, taken_at: datetime, source: SchemaSnapshot.Source | None = None
) -> StoredSchema:
    """
    Store a schema as the upstream's next version unless it is the newest already. `source` defaults to the file's form.

    Raises InvalidSchema, and Upstream.DoesNotExist.
    """
    parsed = parse_schema(text)
    sdl = print_schema(parsed.schema)
    with transaction.atomic():
        upstream = Upstream.objects.select_for_update().get(slug=slug)
        newest = upstream.schemas.order_by("-version").first()
        is_new = newest is None or not _is_same(newest, sdl=sdl, parsed=parsed)
        stored = newest
        if stored is None or is_new:
            stored = upstream.schemas.create(
                version=newest.version + 1 if newest else 1,
                sdl=sdl,
                digest=digest(sdl),
                source=source or SchemaSnapshot.Source(parsed.form),
                query_count=len(parsed.schema.query_type.fields) if parsed.schema.query_type else 0,
                type_count=sum(not name.startswith("__") for name in parsed.schema.type_map),
                changes=changes_between(newest.sdl, after=sdl) if newest else [],
                warnings=parsed.warnings,
                taken_at=taken_at,
            )
    return StoredSchema(
        version=stored.version,
        is_new=is_new,
        query_count=stored.query_count,
        type_count=stored.type_count,
        changes=stored.changes if is_new else [],
        warnings=parsed.warnings,
    )


def _is_same(newest: SchemaSnapshot, *, sdl: str, parsed: ParsedSchema) -> bool:
    """Return whether a schema equals the stored one, ignoring the order of types."""
    return newest.digest == digest(sdl) or print_sorted(read_stored(newest.sdl)) == print_sorted(parsed.schema)


def load_hints() -> int:
    """
    Store the shipped hints that are missing, identified by name. Returns how many were stored.

    What is stored is left as it is: a curator may have changed it, or turned it off.
    """
    shipped = orjson.loads((files("graphql_proxy") / "samples" / "error_hints.json").read_bytes())
    before = ErrorHint.objects.count()
    ErrorHint.objects.bulk_create([ErrorHint(**hint) for hint in shipped], ignore_conflicts=True)
    return ErrorHint.objects.count() - before


def ensure_upstream(slug: str, *, address: str, title: str, is_local: bool) -> bool:
    """Store an upstream unless its name is taken, as the default if there is none. Returns whether it is new."""
    is_default = not Upstream.objects.filter(is_default=True).exists()
    given = {"address": address, "is_default": is_default, "is_local": is_local, "title": title}
    return Upstream.objects.get_or_create(slug=slug, defaults=given)[1]


def create_upstream(slug: str, *, address: str) -> bool:
    """
    Add an upstream by the rules of the admin, as the default if there is none. Returns False if it exists.

    Raises ValidationError where the name or address cannot be used, or the upstream is at another address.
    """
    known = Upstream.objects.filter(slug=slug).first()
    if known is not None:
        if known.address != address:
            raise ValidationError(f"The upstream {slug} is at {known.address}; change its address in the admin.")
        return False
    is_default = not Upstream.objects.filter(is_default=True).exists()
    is_local = address.startswith(LOOPBACK)
    upstream = Upstream(slug=slug, address=address, is_default=is_default, is_local=is_local)
    upstream.full_clean()
    upstream.save()
    clear_all_caches()
    return True


def ensure_operation(name: str, *, columns: dict[str, Any]) -> bool:
    """Store an operation unless its name is taken. Returns whether it is new."""
    return SavedOperation.objects.get_or_create(name=name, defaults=columns)[1]


def list_due_upstreams(now: datetime) -> list[Upstream]:
    """Return the upstreams whose schema is due for a refresh."""
    refreshed = Upstream.objects.filter(is_enabled=True, refresh_hours__gt=0).select_related("refresh").order_by("slug")
    return [one for one in refreshed[:MAX_REFRESHED] if _is_due(one, now=now)]


def _is_due(upstream: Upstream, *, now: datetime) -> bool:
    last = getattr(upstream, "refresh", None)
    return last is None or last.tried_at <= now - timedelta(hours=upstream.refresh_hours)


def note_refresh(upstream: Upstream, *, tried_at: datetime, problem: str) -> None:
    """Record the time of a schema refresh and its problem, which is empty on success."""
    SchemaRefresh.objects.update_or_create(upstream=upstream, defaults={"tried_at": tried_at, "problem": problem})


def set_upstream_address(slug: str, *, address: str, only_from: tuple[str, ...]) -> None:
    """Change the address of an upstream if the current one begins with one of `only_from`."""
    for upstream in Upstream.objects.filter(slug=slug):
        if upstream.address != address and upstream.address.startswith(only_from):
            upstream.address = address
            upstream.save(update_fields=["address"])


def ensure_own_key(upstream: Any, *, headers: Any, keys: Any, users: Any) -> None:
    """
    Give our own upstream an encrypted key unless it has one that the current SECRET_KEY decrypts.

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
