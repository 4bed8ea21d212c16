"""App configuration: registers every domain's tools once, at start."""

from importlib import import_module

from django.apps import AppConfig, apps
from django.db.models.signals import post_migrate
from django.utils.module_loading import module_has_submodule

from toolbox.access.groups import create_missing_groups
from toolbox.catalogue.registry import registry
from toolbox.contract.tool import Toolkit
from toolbox.work.job_kinds import register_jobs


class ToolboxConfig(AppConfig):
    """The kernel as a Django app."""

    name = "toolbox"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the checks and each app's tools, resources, prompts and jobs. A broken module stops the start."""
        import_module("toolbox.checks")
        import_module("toolbox.oauth.validators")
        for app in apps.get_app_configs():
            if app.module and module_has_submodule(app.module, "tools"):
                tools = import_module(f"{app.name}.tools")
                if module_has_submodule(app.module, "resources"):
                    import_module(f"{app.name}.resources")
                toolkit = getattr(tools, "toolkit", None)
                if isinstance(toolkit, Toolkit):
                    registry.register(toolkit)
            if app.module and module_has_submodule(app.module, "ingest_jobs"):
                register_jobs(import_module(f"{app.name}.ingest_jobs").JOBS)
        registry.close()
        post_migrate.connect(create_missing_groups, sender=self)
