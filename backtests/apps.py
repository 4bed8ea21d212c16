"""The domain as a Django app."""

from django.apps import AppConfig


class BacktestsConfig(AppConfig):
    """Events of trading strategies' backtests: storage, queries, results."""

    name = "backtests"
    verbose_name = "Backtests"
    default_auto_field = "django.db.models.BigAutoField"
