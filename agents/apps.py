"""App configuration of conversations."""

from django.apps import AppConfig

from toolbox.access.scopes import register_scopes


class AgentsConfig(AppConfig):
    """The app of conversations, runs, steps and events."""

    name = "agents"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the scopes of conversations, which everyone who logs in has."""
        register_scopes("agents", is_everybodys=True)
