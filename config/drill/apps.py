"""The drill as a Django app; installed by config/drill/settings.py alone."""

from django.apps import AppConfig


class DrillConfig(AppConfig):
    """Brings two tools that only processes of a drill know."""

    name = "config.drill"
    label = "drill"
    default_auto_field = "django.db.models.BigAutoField"
