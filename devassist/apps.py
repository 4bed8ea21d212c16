"""The domain as a Django app."""

from django.apps import AppConfig


class DevassistConfig(AppConfig):
    """Workspaces, and what is known about the errors that people meet in them."""

    name = "devassist"
    verbose_name = "Code and errors"
    default_auto_field = "django.db.models.BigAutoField"
