"""The domain as a Django app."""

from django.apps import AppConfig


class LinescoreConfig(AppConfig):
    """NHL games, scored period by period."""

    name = "linescore"
    verbose_name = "Hockey"
    default_auto_field = "django.db.models.BigAutoField"
