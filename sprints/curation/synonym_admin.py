"""Admin class of synonyms, with pages of the semantic layer's definitions."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import URLPattern, path, reverse
from unfold.decorators import action
from unfold.widgets import UnfoldAdminSelectWidget

from sprints.curation.definitions import DefinedTerm, answer_example, list_definitions
from sprints.linking.name_cache import load_name_index
from sprints.models import TermSynonym
from sprints.semantics.model import shipped_model
from sprints.verified.synonyms import find_conflict
from toolbox.admin_pages.curation import CuratedAdmin
from toolbox.database import event_loop
from toolbox.database.pools import reader

MAX_SYNONYMS = 5_000


def list_terms() -> list[DefinedTerm]:
    """List every term with the stored synonyms."""
    rows = TermSynonym.objects.order_by("pk").values("kind", "term", "phrase")[:MAX_SYNONYMS]
    return list_definitions(shipped_model(), synonyms=list(rows))


class TermSynonymForm(forms.ModelForm):  # type: ignore[type-arg]
    """A synonym of an existing term. It must not have another meaning."""

    meaning = forms.ChoiceField(
        widget=UnfoldAdminSelectWidget, help_text="The term that the word means; Definitions shows them all."
    )

    class Meta:
        model = TermSynonym
        fields = ("phrase", "form")

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["meaning"].choices = [  # type: ignore[attr-defined]
            (f"{term.kind}:{term.id}", f"{term.label} ({term.kind} {term.id})")
            for term in list_definitions(shipped_model(), synonyms=())
        ]
        if self.instance.pk:
            self.initial["meaning"] = f"{self.instance.kind}:{self.instance.term}"

    def clean_phrase(self) -> str:
        """Normalise case and whitespace."""
        return " ".join(self.cleaned_data["phrase"].lower().split())

    def clean(self) -> dict[str, Any]:
        """Refuse a word that already has a meaning in the grammar, the data or another synonym."""
        cleaned = super().clean() or {}
        if not {"phrase", "form", "meaning"} <= cleaned.keys():
            return cleaned
        kind, _, term = cleaned["meaning"].partition(":")
        self.instance.kind, self.instance.term = kind, term
        row = {"kind": kind, "term": term, "form": cleaned["form"], "phrase": cleaned["phrase"]}
        stored = TermSynonym.objects.exclude(pk=self.instance.pk).order_by("pk")
        others = stored.values("kind", "term", "form", "phrase")[:MAX_SYNONYMS]
        index = event_loop.run(load_name_index(reader=reader))
        if conflict := find_conflict(row, others=others, index=index):
            raise ValidationError({"phrase": conflict})
        return cleaned


class TermSynonymAdmin(CuratedAdmin):
    """Synonyms of terms. Questions are read with a change within seconds."""

    notice = "Questions are read with a new word within 5 s. What a word means already cannot be given to another term."
    form = TermSynonymForm
    list_display = ["phrase", "form", "kind", "term", "updated_at"]
    list_filter = ["kind"]
    search_fields = ["phrase", "term"]
    ordering = ["term", "phrase"]
    actions_list = ["definitions"]

    def get_urls(self) -> list[URLPattern]:
        """Add the pages that show the definitions."""
        every = path(
            "definitions/",
            self.admin_site.admin_view(self.definitions_page),
            name="sprints_termsynonym_definitions_page",
        )
        one = path(
            "definitions/<slug:kind>/<slug:term>/", self.admin_site.admin_view(self.definition_page),
            name="sprints_termsynonym_definition_page",
        )  # fmt: skip
        return [every, one, *super().get_urls()]

    @action(description="Definitions", url_path="read-definitions")  # type: ignore[untyped-decorator]
    def definitions(self, request: HttpRequest) -> HttpResponse:
        """Redirect to the page of all definitions."""
        return redirect(reverse("admin:sprints_termsynonym_definitions_page"))

    def definitions_page(self, request: HttpRequest) -> HttpResponse:
        """Show every term with its words, unit, grain and SQL. `q` filters by a text."""
        if not self.has_view_permission(request):
            return HttpResponse(status=403)
        text = request.GET.get("q", "").strip().casefold()
        terms = [term for term in list_terms() if text in _searched_text(term)]
        context = {**self.admin_site.each_context(request), "title": "Definitions", "terms": terms, "q": text}
        return render(request, "sprints/definitions.html", context)

    def definition_page(self, request: HttpRequest, kind: str, term: str) -> HttpResponse:
        """Show one term with an example answer."""
        if not self.has_view_permission(request):
            return HttpResponse(status=403)
        found = next((one for one in list_terms() if (one.kind, one.id) == (kind, term)), None)
        if found is None:
            raise Http404
        example = event_loop.run(answer_example(kind, term=term, model=shipped_model()))
        context = {**self.admin_site.each_context(request), "title": found.label, "term": found, "example": example}
        return render(request, "sprints/definition.html", context)


def _searched_text(term: DefinedTerm) -> str:
    return " ".join((term.id, term.label, term.description, *term.words, *term.synonyms)).casefold()
