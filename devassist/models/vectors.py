"""Models of root cause vectors by embedding models other than the built-in one."""

from django.db import models
from pgvector.django import HalfVectorField

from devassist.models.root_causes import RootCause


class EmbeddingModel(models.Model):
    """A model of the embeddings endpoint: the progress of its vectors, and whether searches use them."""

    class State(models.TextChoices):
        """The use of a model's vectors."""

        EMBEDDING = "embedding", "Embedding"
        SERVING = "serving", "Serving"

    name = models.CharField(max_length=200, primary_key=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.EMBEDDING)
    dimensions = models.PositiveIntegerField(default=0)
    done = models.PositiveIntegerField(default=0, help_text="Root causes whose present text is embedded.")
    total = models.PositiveIntegerField(default=0)
    scale = models.FloatField(default=1.0, help_text="Turns its cosines into the built-in model's, with shift.")
    shift = models.FloatField(default=0.0)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        db_table = "devassist_embedding_models"

    def __str__(self) -> str:
        return f"{self.name}: {self.state}, {self.done} of {self.total}"


class RootCauseVector(models.Model):
    """The vector of a root cause by one model. Each model has an index of its own, made when all vectors exist."""

    root_cause = models.ForeignKey(RootCause, on_delete=models.CASCADE, related_name="+")
    model = models.CharField(max_length=200)
    text_hash = models.CharField(max_length=64)
    embedding = HalfVectorField()

    class Meta:
        db_table = "devassist_root_cause_vectors"
        constraints = [
            models.UniqueConstraint(name="devassist_root_cause_vectors_once", fields=["root_cause", "model"])
        ]

    def __str__(self) -> str:
        return f"{self.root_cause_id} by {self.model}"
