"""App configuration of the project: commands, checks and the presence of workers."""

from importlib import import_module

from django.apps import AppConfig
from django.conf import settings

from config.topology.presence import presence
from toolbox.access.scopes import register_scopes
from toolbox.database.notifications import notifications
from toolbox.work import worker


class ConfigConfig(AppConfig):
    """The app with the commands that start, check and back up a server."""

    name = "config"
    verbose_name = "Toolroom"

    def ready(self) -> None:
        """Register the checks and the scope of /metrics, and start tracing if it is on."""
        import_module("config.checks")
        worker.on_begin(_begin_presence)
        register_scopes("metrics")
        if settings.TOOLROOM_TRACES:
            import_module("config.observability.traces").begin()


def _begin_presence() -> None:
    """Start to listen for notifications and to write the worker's presence row."""
    notifications.start()
    presence.start("worker")
