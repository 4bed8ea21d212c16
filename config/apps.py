"""The project's own app: commands that start things."""

from importlib import import_module

from django.apps import AppConfig


class ConfigConfig(AppConfig):
    """Holds quickstart and provision_database."""

    name = "config"
    verbose_name = "Toolroom"

    def ready(self) -> None:
        """Have every process that may ask for a job know which broker takes it."""
        import_module("config.celery")
