"""Keys made for clients, and the calls made with them."""

from datetime import datetime, timedelta

from django.utils import timezone

from toolbox.access.scopes import RIGHTS, list_known_scopes
from toolbox.contract.caller import Caller
from toolbox.models import ApiKey, ToolCall

KEY_DAYS = 90
MAX_SHOWN = 5
MAX_KEYS = 100
NO_TOOLS = ("initialize", "ping")
WATCHED = timedelta(hours=1)


def list_grantable_scopes(caller: Caller, *, writes: bool) -> list[str]:
    """List the widest scopes that a key of this person may have; a `*` scope replaces those of the domains."""
    rights = RIGHTS if writes else RIGHTS[:1]
    held = [scope for scope in list_known_scopes() if scope.endswith(rights) and caller.has(scope)]
    whole = [right for right in rights if f"*:{right}" in held]
    return [scope for scope in held if scope.startswith("*") or scope.partition(":")[2] not in whole]


def make_key(*, name: str, owner_id: int, scopes: list[str]) -> tuple[ApiKey, str]:
    """Make a key that expires after KEY_DAYS days; return its row and the key, which cannot be read again."""
    expires_at = timezone.now() + timedelta(days=KEY_DAYS)
    return ApiKey.make(name=name, owner_id=owner_id, scopes=scopes, expires_at=expires_at)


def find_first_calls(*, owner_id: int, since: datetime, key_id: int | None = None) -> list[ToolCall]:
    """
    Return the latest tool calls since a time, at most an hour ago, with this person's keys or one of them.

    Other MCP methods, such as `tools/list`, are left out: a test of the connection sends them too.
    """
    keys = ApiKey.objects.filter(owner_id=owner_id).order_by("-created_at")
    ids = list((keys.filter(pk=key_id) if key_id else keys).values_list("pk", flat=True)[:MAX_KEYS])
    start = max(since, timezone.now() - WATCHED)
    calls = ToolCall.objects.filter(key_id__in=ids, called_at__gte=start)
    calls = calls.exclude(tool__contains="/").exclude(tool__in=NO_TOOLS)
    return list(calls.order_by("-called_at")[:MAX_SHOWN])
