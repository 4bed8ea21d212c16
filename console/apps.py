"""The console as a Django app."""

from django.apps import AppConfig


class ConsoleConfig(AppConfig):
    """The console; it has pages but no tables."""

    name = "console"
