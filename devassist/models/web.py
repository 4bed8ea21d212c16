"""Models of public sources: their answers and their state."""

from django.db import models


class WebAnswer(models.Model):
    """The cached answer of a source to a search. A stale one is served while the source is down."""

    source = models.CharField(max_length=20)
    digest = models.CharField(max_length=64, help_text="SHA-256 of the words, in lower case.")
    words = models.CharField(max_length=300)
    hits = models.JSONField(help_text="Title, address and text of each result, in the source's order.")
    fetched_at = models.DateTimeField(db_index=True)

    class Meta:
        db_table = "devassist_web_answers"
        constraints = [models.UniqueConstraint(name="devassist_web_answers_once", fields=["source", "digest"])]

    def __str__(self) -> str:
        return f"{self.source}: {self.words}"


class WebSource(models.Model):
    """The state of a source: the end of its pause, and its remaining quota."""

    name = models.CharField(max_length=20, unique=True)
    paused_until = models.DateTimeField(null=True, blank=True, help_text="Empty it to ask again at once.")
    is_limited = models.BooleanField(default=False, help_text="Paused because it asked for it, not because it is down.")
    state = models.CharField(max_length=200, blank=True, help_text="What it said last, if that was no answer.")
    quota_remaining = models.PositiveIntegerField(null=True, blank=True, help_text="As it told last.")
    answered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "devassist_web_sources"

    def __str__(self) -> str:
        return self.name
