"""The domain as a Django app."""

from django.apps import AppConfig


class DevassistConfig(AppConfig):
    """The app config of devassist."""

    name = "devassist"
    verbose_name = "Code and errors"
    default_auto_field = "django.db.models.BigAutoField"
