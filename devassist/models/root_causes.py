"""Models of root causes: errors, their causes and solutions."""

from typing import Any, Self

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import F, Q
from pgvector.django import HalfVectorField, HnswIndex, SparseVectorField

from devassist.entries.bm25 import PLACES
from devassist.entries.root_cause import LONGEST, Entry
from toolbox.embedding.model_files import DIMENSIONS, MODEL_NAME

ENTRY_NAME = RegexValidator(r"^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$", "Letters, digits, hyphens, dots, colons.")


class RootCauseQuerySet(models.QuerySet["RootCause"]):
    """Queries of root causes."""

    def to_embed(self) -> Self:
        """Keep those whose text or model changed since they were embedded."""
        return self.exclude(embedded_hash=F("text_hash"), embedding_model=MODEL_NAME)

    def in_use(self) -> Self:
        """Leave out the retired ones."""
        return self.exclude(status=RootCause.Status.RETIRED)


class RootCause(models.Model):
    """
    One past error, curated. Tools find it as soon as its text is embedded.

    `error_key` and `language` are what filters compare with, `word_places` and `word_weights` what the search by words
    reads (devassist/entries/bm25.py); all are written with the text, by `load` alone.
    """

    class Status(models.TextChoices):
        """How far a person has confirmed it."""

        PROPOSED = "proposed", "Proposed"
        VALIDATED = "validated", "Validated"
        RETIRED = "retired", "Retired"

    entry_name = models.CharField(
        "id", max_length=100, unique=True, validators=[ENTRY_NAME], help_text="What callers and files name it by."
    )
    status = models.CharField(
        max_length=10, choices=Status.choices, default=Status.PROPOSED, help_text="Retired ones are not found."
    )
    language = models.CharField(max_length=40, help_text="Such as kotlin, typescript, python, gradle.")
    error_type = models.CharField(max_length=200, help_text="Such as NullPointerException or TS2322.")
    error_key = models.CharField(max_length=200, editable=False)
    error_description = models.TextField(help_text="The message as it is met, and when it is met.")
    root_cause = models.TextField(help_text="Why it happens.")
    solution = models.TextField(help_text="What fixes it.")
    fixed_in = models.CharField(max_length=500, blank=True, help_text="The file that was fixed, where there is one.")
    confidence = models.FloatField(
        default=0.8,
        validators=[MinValueValidator(0), MaxValueValidator(1)],
        help_text="How sure it is that this is the cause, from 0 to 1. Tools leave out what is below 0.7 unless told.",
    )
    source = models.CharField(max_length=200, blank=True, editable=False, help_text="Where it was loaded from.")
    created_at = models.DateTimeField(help_text="When the error was solved.")
    changed_at = models.DateTimeField(editable=False)
    stored_digest = models.CharField(max_length=64, blank=True, editable=False)
    text_hash = models.CharField(max_length=64, editable=False)
    embedded_hash = models.CharField(max_length=64, blank=True, editable=False)
    embedding_model = models.CharField(max_length=80, blank=True, editable=False)
    embedding = HalfVectorField(dimensions=DIMENSIONS, null=True, editable=False)
    word_places = ArrayField(models.IntegerField(), default=list, editable=False)
    word_weights = SparseVectorField(dimensions=PLACES, null=True, editable=False)

    objects = RootCauseQuerySet.as_manager()

    class Meta:
        db_table = "devassist_root_causes"
        verbose_name = "root cause"
        verbose_name_plural = "root causes"
        constraints = [
            models.CheckConstraint(
                name="devassist_root_causes_confidence", condition=Q(confidence__gte=0, confidence__lte=1)
            ),
            models.CheckConstraint(
                name="devassist_root_causes_embedded",
                condition=Q(embedding__isnull=True, embedding_model="") | Q(embedding__isnull=False),
            ),
        ]
        indexes = [
            HnswIndex(
                name="devassist_root_causes_near", fields=["embedding"], m=16, ef_construction=100,
                opclasses=["halfvec_cosine_ops"],
            ),
            GinIndex(name="devassist_root_causes_words", fields=["word_places"]),
            models.Index(name="devassist_root_causes_kind", fields=["error_key", "language"]),
            models.Index(name="devassist_root_causes_lang", fields=["language"]),
        ]  # fmt: skip

    def __str__(self) -> str:
        return self.entry_name

    @property
    def is_embedded(self) -> bool:
        """Return whether tools find its current text."""
        return self.embedded_hash == self.text_hash and self.embedding_model == MODEL_NAME

    def entry(self) -> Entry:
        """Return the curated text as an entry."""
        fields: dict[str, Any] = {name: getattr(self, name) for name in LONGEST}
        return Entry(
            id=self.entry_name, status=self.status, confidence=self.confidence, created_at=self.created_at, **fields
        )


class RootCauseUse(models.Model):
    """How often tools answered with a root cause. A separate table, so that counting leaves search indexes alone."""

    root_cause = models.OneToOneField(RootCause, on_delete=models.CASCADE, primary_key=True, related_name="use")
    times = models.PositiveBigIntegerField(default=0)
    last_used_at = models.DateTimeField()

    class Meta:
        db_table = "devassist_root_cause_uses"

    def __str__(self) -> str:
        return f"{self.root_cause_id}: {self.times}"


class RootCauseWord(models.Model):
    """The number of root causes that contain a word; index 0 counts all. Recounted after many changes."""

    place = models.IntegerField(primary_key=True)
    entries = models.IntegerField()

    class Meta:
        db_table = "devassist_root_cause_words"

    def __str__(self) -> str:
        return f"{self.place}: {self.entries}"
