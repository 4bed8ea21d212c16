"""Models of workspaces: folders of code, and the keys that may read them."""

from typing import Any

from django.core.validators import RegexValidator
from django.db import models, transaction
from django.db.models import Q

from toolbox.database.row_lock_queries import lock_rows
from toolbox.models import ApiKey

NAME = RegexValidator(
    r"^[a-z0-9][a-z0-9._-]{0,59}$", "Lower-case letters, digits, hyphens, dots; beginning with a letter or digit."
)


class WorkspaceQuerySet(models.QuerySet["Workspace"]):
    """Workspaces, which are locked before they are deleted."""

    def delete(self) -> tuple[int, dict[str, int]]:
        """Delete the workspaces with their code graphs. A build of one that is under way waits, and then ends."""
        with transaction.atomic(using=self.db):
            lock_rows(self.model, keys=self.values_list("pk", flat=True), using=self.db)
            return super().delete()

    delete.alters_data = True  # type: ignore[attr-defined]
    delete.queryset_only = True  # type: ignore[attr-defined]


class Workspace(models.Model):
    """A folder of code on this machine. Tools read nothing outside of it."""

    name = models.CharField(max_length=60, unique=True, validators=[NAME], help_text="What callers name it by.")
    root = models.CharField(max_length=1_000, help_text="A folder on this machine, such as /srv/projects/shop.")
    is_open = models.BooleanField(
        default=False, help_text="Every key that may read this domain sees it; otherwise only the keys chosen below."
    )
    is_default = models.BooleanField(default=False, help_text="Meant where a caller names none, if the caller sees it.")
    shows_secrets = models.BooleanField(
        default=False, help_text="Files that look like secrets may be read: .env, keys, local.properties."
    )
    keys = models.ManyToManyField(
        ApiKey,
        blank=True,
        related_name="+",
        db_table="devassist_workspace_keys",
        help_text="Who sees it where it is not open to all.",
    )

    objects = WorkspaceQuerySet.as_manager()

    class Meta:
        db_table = "devassist_workspaces"
        constraints = [
            models.UniqueConstraint(
                name="devassist_workspaces_one_default",
                fields=["is_default"],
                condition=Q(is_default=True),
                violation_error_message="Another workspace is the default already.",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def delete(self, *arguments: Any, **options: Any) -> tuple[int, dict[str, int]]:
        """Delete the workspace with its code graph. A build of it that is under way waits, and then ends."""
        with transaction.atomic(using=options.get("using")):
            lock_rows(Workspace, keys=[self.pk], using=options.get("using"))
            return super().delete(*arguments, **options)
