"""
Logged-in people as callers of tools, cached for 4 s like keys.

A superuser reads and writes every domain, staff read every domain, and others have the scopes that their groups are
named after (`linescore:read`). Everyone who can log in may use conversations.
"""

from importlib import import_module
from typing import Any

from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib.auth import get_user
from django.core.exceptions import PermissionDenied
from django.db import OperationalError, connections
from django.http import HttpRequest

from toolbox.access.scopes import list_default_scopes, list_known_scopes
from toolbox.contract.caller import Caller
from toolbox.contract.errors import DatabaseUnavailable
from toolbox.database import event_loop
from toolbox.database.caches import TtlCache
from toolbox.database.pools import owner_pool

_PERSON = """
SELECT person.id, person.username, person.is_staff, person.is_superuser, array(
    SELECT part.name FROM auth_user_groups AS member JOIN auth_group AS part ON part.id = member.group_id
    WHERE member.user_id = person.id ORDER BY part.name LIMIT 500
) AS groups
FROM auth_user AS person
WHERE person.id = %s AND person.is_active
LIMIT 1
"""

_cache: TtlCache[Caller | None] = TtlCache()


async def find_person(user_id: int) -> Caller | None:
    """Return the caller of an active person, with their scopes; None for others. Raises DatabaseUnavailable."""
    return await _cache.get(user_id, lambda: _look_up(user_id))


async def find_session_person(cookie: str) -> Caller | None:
    """Return the caller of a session cookie; None if it is not valid. Raises DatabaseUnavailable."""
    try:
        user_id = await sync_to_async(_read_user_id, thread_sensitive=False)(cookie) if cookie else None
    except OperationalError as away:
        raise DatabaseUnavailable(str(away)) from away
    return None if user_id is None else await event_loop.run_on_loop(lambda: find_person(user_id))


def require_person(request: HttpRequest) -> Caller:
    """Return the caller of a request that Django has authenticated; for synchronous views. Raises PermissionDenied."""
    caller = event_loop.run(find_person(request.user.pk)) if request.user.pk else None
    if caller is None:
        raise PermissionDenied("Your account may not log in any more. Ask an administrator.")
    return caller


async def _look_up(user_id: int) -> Caller | None:
    found = await owner_pool.fetch(_PERSON, [user_id])
    return _make_caller(found.rows[0]) if found.rows else None


def _make_caller(row: dict[str, Any]) -> Caller:
    known = list_known_scopes()
    scopes = {*list_default_scopes(), *(name for name in row["groups"] if name in known)}
    if row["is_staff"] or row["is_superuser"]:
        scopes.add("*:read")
    if row["is_superuser"]:
        scopes.add("*:write")
    return Caller(name=row["username"][:100], scopes=frozenset(scopes), owner_id=row["id"])


def _read_user_id(cookie: str) -> int | None:
    """Return the user id of a session, read as Django's middleware does; runs in a thread of its own."""
    request = HttpRequest()
    request.session = import_module(settings.SESSION_ENGINE).SessionStore(cookie)
    try:
        return get_user(request).pk
    finally:
        connections.close_all()
