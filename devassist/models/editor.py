"""The model of current editor and terminal states."""

from django.conf import settings
from django.db import models


class EditorState(models.Model):
    """
    The newest state of a person's editor or terminal, stored for a short time.

    Not for the reader role: it is asked for by its owner, through the kernel's own connections.
    """

    class Part(models.TextChoices):
        """The sender of a part."""

        EDITOR = "editor"
        TERMINAL = "terminal"

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    part = models.CharField(max_length=10, choices=Part.choices)
    content = models.JSONField(help_text="In the contract's words, secrets masked.")
    pushed_at = models.DateTimeField()
    kept_until = models.DateTimeField(
        null=True, blank=True, db_index=True, help_text="Empty: an example that ships; kept until its owner pushes."
    )

    class Meta:
        db_table = "devassist_editor_states"
        constraints = [models.UniqueConstraint(name="devassist_editor_states_once", fields=["owner", "part"])]

    def __str__(self) -> str:
        return f"{self.part} of {self.owner_id}"
