"""Models of ingested documentation: pages and their searchable sections."""

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models

_SEARCHED = "regexp_replace({column}, '[^[:alnum:]]+', ' ', 'g')"
_WEIGHED = "setweight(to_tsvector('english', {text}), '{weight}')"


class SearchedWords(models.Func):
    """The words of a section: the title weighs more than the text, and identifiers are split into parts."""

    template = " || ".join(
        _WEIGHED.format(text=_SEARCHED.format(column=column), weight=weight)
        for column, weight in (("title", "A"), ("text", "B"))
    )
    output_field = SearchVectorField()


class DocPage(models.Model):
    """A page of documentation, from a file of a collection."""

    collection = models.CharField(max_length=60, help_text="What was ingested together.")
    path = models.CharField(max_length=500, help_text="The file, from the folder that was ingested.")
    title = models.CharField(max_length=300)
    url = models.CharField(max_length=1_000, help_text="Where a person reads it.")
    digest = models.CharField(max_length=64, help_text="SHA-256 of the file and of its address.")
    ingested_at = models.DateTimeField()

    class Meta:
        db_table = "devassist_doc_pages"
        constraints = [models.UniqueConstraint(name="devassist_doc_pages_once", fields=["collection", "path"])]

    def __str__(self) -> str:
        return self.title


class DocSection(models.Model):
    """The part of a page under one heading."""

    page = models.ForeignKey(DocPage, on_delete=models.CASCADE, related_name="sections")
    number = models.PositiveIntegerField()
    title = models.CharField(max_length=300, help_text="The page's title and the heading.")
    anchor = models.CharField(max_length=200, blank=True)
    text = models.TextField()
    words = models.GeneratedField(expression=SearchedWords(), output_field=SearchVectorField(), db_persist=True)

    class Meta:
        db_table = "devassist_doc_sections"
        constraints = [models.UniqueConstraint(name="devassist_doc_sections_once", fields=["page", "number"])]
        indexes = [GinIndex(name="devassist_doc_sections_words", fields=["words"])]

    def __str__(self) -> str:
        return self.title
