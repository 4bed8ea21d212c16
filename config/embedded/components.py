"""Start, revive and leave all embedded servers together."""

from django.conf import settings

from config.embedded import broker
from config.postgres import cluster
from config.postgres.location import find_place


def start_embedded() -> None:
    """Start the embedded servers that the settings do not replace. Raises PostgresDidNotStart, BrokerDidNotStart."""
    if settings.TOOLROOM_DATABASE_IS_EMBEDDED:
        cluster.ensure_running(settings.TOOLROOM_VAR)
    if settings.TOOLROOM_BROKER_IS_EMBEDDED:
        broker.ensure_running(settings.TOOLROOM_VAR)


def revive_embedded() -> None:
    """Restart the servers that have died; their clients reconnect by themselves."""
    if settings.TOOLROOM_DATABASE_IS_EMBEDDED:
        cluster.revive(find_place(settings.TOOLROOM_VAR))
    if settings.TOOLROOM_BROKER_IS_EMBEDDED:
        broker.revive(settings.TOOLROOM_VAR)


def leave_embedded() -> None:
    """Stop using the servers; the last process that uses one stops it."""
    if settings.TOOLROOM_BROKER_IS_EMBEDDED:
        broker.leave(settings.TOOLROOM_VAR)
    if settings.TOOLROOM_DATABASE_IS_EMBEDDED:
        cluster.leave(find_place(settings.TOOLROOM_VAR))
