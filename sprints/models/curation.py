"""Models of curation: verified queries and synonyms."""

from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import models


class VerifiedQuery(models.Model):
    """
    A question with its SQL.

    Slots in braces stand for what a question names: {team}, {person}, {sprint}, {period.start}. A part of the SQL in
    double brackets is left out where a slot inside it is not filled.
    """

    class Source(models.TextChoices):
        """The origin of a query."""

        SHIPPED = "shipped", "Shipped"
        CURATED = "curated", "Written here"
        PROMOTED = "promoted", "Promoted from an answer"

    slug = models.SlugField(max_length=80, unique=True)
    topic = models.CharField(max_length=40, help_text="As velocity, carry-over: suggestions stay within it.")
    question = models.TextField(help_text="How people ask it, with slots: What is the velocity of {team}?")
    phrasings = ArrayField(models.TextField(), default=list, blank=True, help_text="Other ways to ask the same.")
    sql = models.TextField(help_text="One SELECT over the views, with slots; [[AND team_id IN {team}]] is optional.")
    slots = models.JSONField(
        default=dict, blank=True, help_text='What a slot is where the question is silent: {"sprint": "current sprint"}.'
    )
    assumptions = ArrayField(models.TextField(), default=list, blank=True, help_text="Sentences said with the answer.")
    is_enabled = models.BooleanField(default=True)
    source = models.CharField(max_length=10, choices=Source.choices, default=Source.CURATED, editable=False)
    shipped_digest = models.CharField(max_length=64, blank=True, editable=False)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        db_table = "sprints_verified_queries"
        verbose_name_plural = "verified queries"

    def __str__(self) -> str:
        return self.question

    @property
    def wordings(self) -> list[str]:
        """All wordings, the main one first."""
        return [self.question, *self.phrasings]

    def content(self) -> dict[str, Any]:
        """Return the content as in a file of verified queries."""
        names = ("slug", "topic", "question", "phrasings", "sql", "slots", "assumptions")
        return {name: getattr(self, name) for name in names}


class TermSynonym(models.Model):
    """A further word for a term of the semantic layer."""

    class Kind(models.TextChoices):
        """The kind of the term."""

        ENTITY = "entity", "Entity"
        MEASURE = "measure", "Measure"
        DIMENSION = "dimension", "Dimension"
        PREDICATE = "predicate", "Filter"
        TIME = "time", "Time"

    class Form(models.TextChoices):
        """The inflection of the word."""

        NOUN = "noun", "Noun, in the singular"
        ADJECTIVE = "adjective", "Adjective, as it stands"
        VERB = "verb", "Verb, in the infinitive"

    kind = models.CharField(max_length=10, choices=Kind.choices)
    term = models.CharField(max_length=63, help_text="The term's id, as the definitions list it.")
    form = models.CharField(max_length=10, choices=Form.choices, default=Form.NOUN)
    phrase = models.CharField(max_length=80, help_text="One to five words in lower case: parked, time to market.")
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        db_table = "sprints_term_synonyms"
        constraints = [models.UniqueConstraint(fields=["kind", "term", "form", "phrase"], name="one_synonym_once")]

    def __str__(self) -> str:
        return f"{self.phrase} = {self.term}"
