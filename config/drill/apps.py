"""App configuration of the drill; installed only by config/drill/settings.py."""

from django.apps import AppConfig


class DrillConfig(AppConfig):
    """The app with two tools that only a drill's processes have."""

    name = "config.drill"
    label = "drill"
    default_auto_field = "django.db.models.BigAutoField"
