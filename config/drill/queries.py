"""The drill's database access through Django: its user, key and conversations, and whether others use the database."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib.auth.models import User
from django.db import connections

from agents.models import Conversation, Run
from config.drill.findings import FINAL_STATES
from config.drill.processes import DrillFailed
from toolbox.models import ApiKey

USERNAME = "toolroom-drill"
MADE_BY_DRILL = "made by manage.py drill"
"""The first name of the drill's user; an account of that name without it is a person's."""
_OTHERS = """
SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'toolroom-direct'
"""
"""Each web process and worker has one such session; others may be a pooler's, of processes that have ended."""


def refuse_others() -> None:
    """Raise DrillFailed if others use the database, have unfinished runs, or own the drill's user name."""
    if User.objects.filter(username=USERNAME).exclude(first_name=MADE_BY_DRILL).exists():
        raise DrillFailed(f"The account {USERNAME} was not made by a drill, which would delete it: rename it first.")
    Conversation.objects.filter(owner__username=USERNAME).delete()  # left by a drill that was killed
    with connections["default"].cursor() as cursor:
        cursor.execute(_OTHERS)
        [others] = cursor.fetchone()
    if others:
        raise DrillFailed(f"{others} web processes or workers use this database: stop them first.")
    unfinished = Run.objects.exclude(state__in=FINAL_STATES).count()
    if unfinished:
        raise DrillFailed(f"{unfinished} runs of this database have not ended: the drill's workers would take them.")


@contextmanager
def own_key() -> Iterator[str]:
    """Provide the drill's user and key; both are deleted with their conversations when the block ends."""
    user, _ = User.objects.get_or_create(username=USERNAME, first_name=MADE_BY_DRILL)
    row, key = ApiKey.make(name="drill", owner_id=user.pk, scopes=["*:read", "*:write"])
    try:
        yield key
    finally:
        connections.close_all()
        Conversation.objects.filter(owner_id=user.pk).delete()
        ApiKey.objects.filter(pk=row.pk).delete()
        user.delete()
