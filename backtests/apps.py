"""The domain as a Django app."""

from django.apps import AppConfig


class BacktestsConfig(AppConfig):
    """What a trading strategy did in a backtest, event by event."""

    name = "backtests"
    verbose_name = "Backtests"
    default_auto_field = "django.db.models.BigAutoField"
