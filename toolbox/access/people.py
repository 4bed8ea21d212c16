"""
Who is logged in, as a caller of tools; looked up anew every 4 s, like a key.

A superuser reads and writes every domain, staff read every domain, anybody else has the scopes that their groups are
named after (`linescore:read`). Whoever can log in may hold conversations.
"""

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any, Concatenate, ParamSpec

from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db import OperationalError, connections
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from toolbox.access.scopes import everybodys_scopes, known_scopes
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

_memory: TtlCache[Caller | None] = TtlCache()
Rest = ParamSpec("Rest")
View = Callable[Concatenate[HttpRequest, Rest], HttpResponseBase]


async def find_person(user_id: int) -> Caller | None:
    """Give somebody who may log in, with their scopes; None where they may no more. Raises DatabaseUnavailable."""
    return await _memory.get(user_id, lambda: _look_up(user_id))


async def find_session_person(cookie: str) -> Caller | None:
    """Give the person whose session this cookie names, if it still stands. Raises DatabaseUnavailable."""
    try:
        user_id = await sync_to_async(_user_id, thread_sensitive=False)(cookie) if cookie else None
    except OperationalError as away:
        raise DatabaseUnavailable(str(away)) from away
    return None if user_id is None else await event_loop.run_on_loop(lambda: find_person(user_id))


def require_person(request: HttpRequest) -> Caller:
    """Give the person behind a request that Django has let in; for synchronous views."""
    caller = event_loop.run(find_person(request.user.pk)) if request.user.pk else None
    if caller is None:
        raise PermissionDenied("Your account may not log in any more. Ask whoever runs this server.")
    return caller


def require_scope(*, scope: str) -> Callable[[View[Rest]], View[Rest]]:
    """Open a page to people with this scope: others are led to log in, or told what they lack."""

    def guard(view: View[Rest]) -> View[Rest]:
        @wraps(view)
        def guarded(request: HttpRequest, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponseBase:
            if not require_person(request).has(scope):
                raise PermissionDenied(
                    f"This page needs the right {scope}. Ask an administrator to put you into the group of that name."
                )
            return view(request, *args, **kwargs)

        return login_required(guarded)

    return guard


async def _look_up(user_id: int) -> Caller | None:
    found = await owner_pool.fetch(_PERSON, [user_id])
    return _caller(found.rows[0]) if found.rows else None


def _caller(row: dict[str, Any]) -> Caller:
    known = known_scopes()
    scopes = {*everybodys_scopes(), *(name for name in row["groups"] if name in known)}
    if row["is_staff"] or row["is_superuser"]:
        scopes.add("*:read")
    if row["is_superuser"]:
        scopes.add("*:write")
    return Caller(name=row["username"][:100], scopes=frozenset(scopes), owner_id=row["id"])


def _user_id(cookie: str) -> int | None:
    """Read a session as Django's middleware does, in a thread of its own."""
    request = HttpRequest()
    request.session = import_module(settings.SESSION_ENGINE).SessionStore(cookie)
    try:
        return get_user(request).pk
    finally:
        connections.close_all()
