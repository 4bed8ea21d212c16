"""The table of curated prompts; toolbox.models gathers it."""

from django.core.validators import RegexValidator
from django.db import models

NAME = r"^[a-z][a-z0-9_]{2,59}$"


class CuratedPrompt(models.Model):
    """A question or task in a domain's words, which a client's user chooses and fills in (toolbox.prompts)."""

    domain = models.CharField(max_length=60)
    name = models.CharField(
        max_length=60,
        unique=True,
        validators=[RegexValidator(NAME, "Lower-case letters, digits and underscores, 3 to 60 of them.")],
        help_text="Names it to clients, over all domains; a shipped prompt is known by it.",
    )
    title = models.CharField(max_length=100, help_text="As people read it in a menu.")
    description = models.CharField(max_length=300, help_text="What it is good for, in a sentence.")
    text = models.TextField(
        max_length=20_000,
        help_text=(
            "What is said to the model. {team} stands for an argument; [[ in {month}]] goes where it is not given."
        ),
    )
    arguments = models.JSONField(
        default=list,
        blank=True,
        help_text='[{"name": "team", "description": "The team\'s code.", "required": true, "completes": "team"}]',
    )
    is_enabled = models.BooleanField(default=True)

    class Meta:
        db_table = "toolbox_prompts"
        verbose_name = "prompt"

    def __str__(self) -> str:
        return self.title
