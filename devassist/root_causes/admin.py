"""Admin class of root causes: preview of a query, near-duplicates on saving, validation and retirement."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from unfold.decorators import action
from unfold.widgets import UnfoldAdminTextareaWidget

from devassist.entries.root_cause import language_key
from devassist.jobs import embed_soon
from devassist.models import RootCause
from devassist.root_causes.load import prepare_saved, set_status
from devassist.root_causes.queries import Row
from devassist.root_causes.ranking import NEAR_DUPLICATE, floor_among, following_floor
from devassist.root_causes.search import rows_like
from toolbox.admin_pages.curation import CuratedAdmin, FewValuesFilter
from toolbox.contract.errors import DatabaseUnavailable, ToolError
from toolbox.database import event_loop

SHOWN = 10
NEAR_SHOWN = 3


class PreviewForm(forms.Form):
    """The query of the preview."""

    query = forms.CharField(
        max_length=100_000,
        widget=UnfoldAdminTextareaWidget(attrs={"placeholder": "An error message, or a whole stack trace", "rows": 6}),
    )


class RootCauseForm(forms.ModelForm):  # type: ignore[type-arg]
    """A root cause. Language and error type are normalised as in filters."""

    def clean_language(self) -> str:
        """Normalise the language: TS is typescript."""
        return language_key(self.cleaned_data["language"])


class RootCauseAdmin(CuratedAdmin):
    """Root causes. Tools find a changed text again once a worker has embedded it."""

    notice = "Tools find an entry from the moment that a worker has embedded its text, mostly within seconds."
    form = RootCauseForm
    list_display = ["entry_name", "status", "language", "error_type", "confidence", "times_used", "is_embedded"]
    list_filter = ["status", ("language", FewValuesFilter)]
    search_fields = ["entry_name", "error_type", "error_description", "root_cause", "solution"]
    ordering = ["entry_name"]
    list_select_related = ["use"]
    fields = [
        "entry_name", "status", "language", "error_type", "error_description", "root_cause", "solution", "fixed_in",
        "confidence", "created_at", "times_used", "is_embedded", "source",
    ]  # fmt: skip
    readonly_fields = ["times_used", "is_embedded", "source"]
    actions = ["validate_them", "retire_them"]
    actions_list = ["preview"]

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """Set the defaults of a new entry: solved now."""
        return {"created_at": timezone.now(), **super().get_changeform_initial_data(request)}

    @admin.display(description="times used", ordering="use__times")
    def times_used(self, row: RootCause) -> int:
        """Show how often tools answered with it."""
        return row.use.times if hasattr(row, "use") else 0

    @admin.display(description="embedded", boolean=True)
    def is_embedded(self, row: RootCause) -> bool:
        """Show whether its current text is embedded."""
        return row.is_embedded

    def save_model(self, request: HttpRequest, obj: RootCause, form: Any, change: Any) -> None:
        """Save, send the task that embeds it, and show near-duplicates."""
        prepare_saved(obj, now=timezone.now())
        super().save_model(request, obj, form, change)
        transaction.on_commit(embed_soon)
        self._tell_of_likes(request, obj)

    @admin.action(description="Validate", permissions=["change"])
    def validate_them(self, request: HttpRequest, rows: QuerySet[RootCause]) -> None:
        """Validate entries. Their confidence becomes at least 0.8."""
        done = set_status(rows, status=RootCause.Status.VALIDATED, now=timezone.now())
        self.message_user(request, f"{done} validated.", messages.SUCCESS)

    @admin.action(description="Retire", permissions=["change"])
    def retire_them(self, request: HttpRequest, rows: QuerySet[RootCause]) -> None:
        """Retire entries, so that tools no longer find them."""
        done = set_status(rows, status=RootCause.Status.RETIRED, now=timezone.now())
        self.message_user(request, f"{done} retired; tools do not find them any more.", messages.SUCCESS)

    def get_urls(self) -> list[URLPattern]:
        """Add the page that tries a query."""
        view = self.admin_site.admin_view(self.preview_page)
        return [path("preview/", view, name="devassist_rootcause_preview_page"), *super().get_urls()]

    @action(description="Try a query", url_path="try-a-query")  # type: ignore[untyped-decorator]
    def preview(self, request: HttpRequest) -> HttpResponse:
        """Redirect to the preview page."""
        return redirect(reverse("admin:devassist_rootcause_preview_page"))

    def preview_page(self, request: HttpRequest) -> HttpResponse:
        """Show what a query finds, and what stays below the floor."""
        if not self.has_view_permission(request):
            return HttpResponse(status=403)
        form = PreviewForm(request.POST or None)
        rows = _like(request, text=form.cleaned_data["query"], limit=SHOWN, floor=-1.0) if form.is_valid() else None
        floor = floor_among(RootCause.objects.exclude(status=RootCause.Status.RETIRED).count())
        is_answered = rows and rows[0]["score"] >= floor
        context = {
            **self.admin_site.each_context(request), "title": "Try a query", "form": form, "rows": rows,
            "floor": following_floor(floor) if is_answered else floor,
        }  # fmt: skip
        return render(request, "devassist/preview.html", context)

    def _tell_of_likes(self, request: HttpRequest, saved: RootCause) -> None:
        rows = _like(request, text=saved.entry().text, limit=NEAR_SHOWN + 1, floor=NEAR_DUPLICATE)
        near = [row for row in rows if row["id"] != saved.pk and row["similarity"] >= NEAR_DUPLICATE]
        links = [(reverse("admin:devassist_rootcause_change", args=[row["id"]]), row["entry_name"]) for row in near]
        if links:
            said = format_html_join(", ", '<a href="{}" class="underline">{}</a>', links[:NEAR_SHOWN])
            told = format_html("{} may say the same already; retire what is not needed.", said)
            self.message_user(request, told, messages.WARNING)


def _like(request: HttpRequest, *, text: str, limit: int, floor: float) -> list[Row]:
    try:
        return list(event_loop.run(rows_like(text, limit=limit, floor=floor)))
    except (ToolError, DatabaseUnavailable) as failed:
        messages.error(request, f"Nothing could be searched: {failed}")
        return []
