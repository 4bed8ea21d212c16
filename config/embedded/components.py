"""The embedded parts together: started before what needs them, looked after, left at the end."""

from django.conf import settings

from config.embedded import broker
from config.postgres import cluster
from config.postgres.location import find_place


def start_embedded() -> None:
    """Make the parts run that no server of one's own is named for; raises PostgresDidNotStart, BrokerDidNotStart."""
    if settings.TOOLROOM_DATABASE_IS_EMBEDDED:
        cluster.ensure_running(settings.TOOLROOM_VAR)
    if settings.TOOLROOM_BROKER_IS_EMBEDDED:
        broker.ensure_running(settings.TOOLROOM_VAR)


def revive_embedded() -> None:
    """Start again what has died; its users see that by themselves."""
    if settings.TOOLROOM_DATABASE_IS_EMBEDDED:
        cluster.revive(find_place(settings.TOOLROOM_VAR))
    if settings.TOOLROOM_BROKER_IS_EMBEDDED:
        broker.revive(settings.TOOLROOM_VAR)


def leave_embedded() -> None:
    """Stop using the parts; the last user stops them."""
    if settings.TOOLROOM_BROKER_IS_EMBEDDED:
        broker.leave(settings.TOOLROOM_VAR)
    if settings.TOOLROOM_DATABASE_IS_EMBEDDED:
        cluster.leave(find_place(settings.TOOLROOM_VAR))
