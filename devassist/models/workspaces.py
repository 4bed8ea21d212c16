"""Models of workspaces: folders of code, and the keys that may read them."""

from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q

from toolbox.models import ApiKey

NAME = RegexValidator(
    r"^[a-z0-9][a-z0-9._-]{0,59}$", "Lower-case letters, digits, hyphens, dots; beginning with a letter or digit."
)


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
