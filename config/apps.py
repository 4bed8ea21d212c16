"""The project's own app: commands that start things."""

from importlib import import_module

from django.apps import AppConfig
from django.conf import settings

from toolbox.access.scopes import register_scopes


class ConfigConfig(AppConfig):
    """Holds quickstart and provision_database."""

    name = "config"
    verbose_name = "Toolroom"

    def ready(self) -> None:
        """Register the checks, the broker that takes jobs of this process, and the scope of /metrics."""
        import_module("config.celery")
        import_module("config.checks")
        register_scopes("metrics")
        if settings.TOOLROOM_TRACES:
            import_module("config.observability.traces").begin()
