"""The console as a Django app."""

from django.apps import AppConfig


class ConsoleConfig(AppConfig):
    """Holds the pages that people see; tables belong to others."""

    name = "console"
