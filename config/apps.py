"""The project's own app: commands that start things."""

from importlib import import_module

from django.apps import AppConfig
from django.conf import settings

from config.topology.presence import presence
from toolbox.access.scopes import register_scopes
from toolbox.database.notifications import notifications
from toolbox.work import worker


class ConfigConfig(AppConfig):
    """Holds quickstart and provision_database."""

    name = "config"
    verbose_name = "Toolroom"

    def ready(self) -> None:
        """Register the checks, and the scope of /metrics."""
        import_module("config.checks")
        worker.on_begin(_begin_presence)
        register_scopes("metrics")
        if settings.TOOLROOM_TRACES:
            import_module("config.observability.traces").begin()


def _begin_presence() -> None:
    """Say that a worker is there, and listen."""
    notifications.start()
    presence.start("worker")
