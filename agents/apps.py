"""Conversations as a Django app."""

from django.apps import AppConfig

from toolbox.access.scopes import register_scopes


class AgentsConfig(AppConfig):
    """Holds conversations, runs, their steps and events."""

    name = "agents"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Have keys know the scopes of conversations."""
        register_scopes("agents", is_everybodys=True)
