"""The domain as a Django app."""

from importlib import import_module

from django.apps import AppConfig


class SprintsConfig(AppConfig):
    """The app config of sprints."""

    name = "sprints"
    verbose_name = "Sprints"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the checks of the analyst role."""
        import_module("sprints.checks")
