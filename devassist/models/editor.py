"""What people's editors show now."""

from django.conf import settings
from django.db import models
from django.db.models import Q


class EditorState(models.Model):
    """
    The newest state of a person's editor and terminal, each kept for a short time.

    Not for the reader role: it is asked for by its owner, through the kernel's own connections.
    """

    owner = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    workspace = models.CharField(max_length=60, blank=True)
    active_file = models.CharField(max_length=1_000, blank=True)
    cursor_line = models.PositiveIntegerField(default=1)
    cursor_character = models.PositiveIntegerField(default=1)
    selected_text = models.TextField(blank=True)
    diagnostics = models.JSONField(default=list)
    editor_until = models.DateTimeField(null=True, blank=True, help_text="When the editor's part is over.")
    terminal_output = models.TextField(blank=True)
    terminal_until = models.DateTimeField(null=True, blank=True, help_text="When the terminal's part is over.")
    pushed_at = models.DateTimeField()
    is_sample = models.BooleanField(default=False, help_text="Shipped, and kept until an editor pushes its own.")

    class Meta:
        db_table = "devassist_editor_states"
        constraints = [
            models.CheckConstraint(
                name="devassist_editor_states_end",
                condition=Q(is_sample=True) | Q(editor_until__isnull=False) | Q(terminal_until__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return self.active_file or "a terminal"
