"""The project's own app: commands that start things."""

from django.apps import AppConfig


class ConfigConfig(AppConfig):
    """Holds quickstart and provision_database."""

    name = "config"
    verbose_name = "Toolroom"
