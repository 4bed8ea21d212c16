"""Admin classes of ingested pages, cached answers and public sources."""

from django.contrib import admin
from django.http import HttpRequest

from devassist.models import DocPage, DocSection, WebAnswer, WebSource
from toolbox.admin_pages.curation import BrowsedInline, CuratedAdmin, KeptAdmin


class SectionInline(BrowsedInline):
    """The searchable sections of a page."""

    model = DocSection
    fields = ["title", "anchor", "text"]
    ordering = ["number"]


@admin.register(DocPage)
class DocPageAdmin(KeptAdmin):
    """Pages that web_search_wiki searches as docs."""

    notice = (
        "Stored by `manage.py ingest_docs <folder>`; a page that is deleted here comes back with the next ingestion."
    )
    inlines = [SectionInline]
    list_display = ["title", "collection", "path", "url", "ingested_at"]
    search_fields = ["title", "path", "collection"]
    ordering = ["collection", "path"]
    fields = ["title", "collection", "path", "url", "ingested_at"]


@admin.register(WebAnswer)
class WebAnswerAdmin(KeptAdmin):
    """Cached answers of public sources. A deleted row is requested again."""

    notice = "Remembered answers. Delete one, and the next search asks its source again."
    list_display = ["words", "source", "fetched_at"]
    search_fields = ["words"]
    ordering = ["-fetched_at", "id"]
    fields = ["source", "words", "hits", "fetched_at"]


@admin.register(WebSource)
class WebSourceAdmin(CuratedAdmin):
    """The state of public sources. A pause may be ended by hand."""

    notice = "Empty the pause of a source to have it asked again at once; a limit that still holds pauses it anew."
    list_display = ["name", "state", "paused_until", "is_limited", "quota_remaining", "answered_at"]
    ordering = ["name"]
    fields = ["name", "paused_until", "state", "is_limited", "quota_remaining", "answered_at"]
    readonly_fields = ["name", "state", "is_limited", "quota_remaining", "answered_at"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Refuse: the code defines the sources."""
        return False
