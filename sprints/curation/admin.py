"""Admin class of verified queries: run one before enabling it, ask a question, promote an answer."""

from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from unfold.decorators import action
from unfold.widgets import UnfoldAdminTextareaWidget, UnfoldAdminTextInputWidget

from sprints.contracts import MAX_QUESTION
from sprints.curation.actions import ask, find_refusals_of, promote_answer, run_row
from sprints.curation.sql_editor import SqlEditor
from sprints.models import VerifiedQuery
from sprints.verified.load import PromotionError
from sprints.verified.slots import find_mistakes
from toolbox.admin_pages.curation import CuratedAdmin, FewValuesFilter

SLOTS_HELP = 'An object is needed: {"sprint": "current sprint"}.'


class WordingsField(forms.CharField):
    """A list of texts, one on each line."""

    widget = UnfoldAdminTextareaWidget

    def prepare_value(self, value: Any) -> Any:
        """Format one text on each line."""
        return "\n".join(value) if isinstance(value, list) else value

    def to_python(self, value: Any) -> Any:
        """Parse one text from each line."""
        return [line.strip() for line in str(value or "").splitlines() if line.strip()]


class VerifiedQueryForm(forms.ModelForm):  # type: ignore[type-arg]
    """A verified query. Its slots must fit its SQL."""

    phrasings = WordingsField(required=False, help_text="Other ways to ask the same, one a line.")
    assumptions = WordingsField(required=False, help_text="Sentences said with the answer, one a line.")

    class Meta:
        model = VerifiedQuery
        fields = ("slug", "topic", "question", "phrasings", "sql", "slots", "assumptions", "is_enabled")
        widgets = {"sql": SqlEditor}

    def clean(self) -> dict[str, Any]:
        """Refuse unknown or unused slots, and SQL that the guard refuses."""
        cleaned = super().clean() or {}
        slots = cleaned.get("slots") or {}
        if not isinstance(slots, dict):
            raise ValidationError({"slots": SLOTS_HELP})
        sql = cleaned.get("sql") or ""
        if found := find_mistakes(sql, defaults=slots) or find_refusals_of(sql):
            raise ValidationError({"sql": found})
        return cleaned


class StatementForm(forms.Form):
    """A statement that is run before it is saved."""

    sql = forms.CharField(error_messages={"required": "Type a statement first."})
    slots = forms.JSONField(required=False, error_messages={"invalid": SLOTS_HELP})

    def clean_slots(self) -> dict[str, Any]:
        """Require an object."""
        slots = self.cleaned_data["slots"]
        if slots is not None and not isinstance(slots, dict):
            raise ValidationError(SLOTS_HELP)
        return slots or {}

    def make_row(self) -> VerifiedQuery:
        """Return the unsaved row, with a placeholder question."""
        return VerifiedQuery(
            slug="draft", question="draft", sql=self.cleaned_data["sql"], slots=self.cleaned_data["slots"]
        )


class AskForm(forms.Form):
    """A question in plain language."""

    question = forms.CharField(
        max_length=MAX_QUESTION,
        widget=UnfoldAdminTextInputWidget(attrs={"placeholder": "How many points does ACCEL finish per sprint?"}),
    )


class VerifiedQueryAdmin(CuratedAdmin):
    """Verified queries. Tools see a change within seconds."""

    notice = "Tools see a change within 5 s. Every statement runs through the guard, as one of a model would."
    form = VerifiedQueryForm
    list_display = ["slug", "topic", "question", "source", "is_enabled", "updated_at"]
    list_filter = [("topic", FewValuesFilter), "source", "is_enabled"]
    search_fields = ["slug", "question", "sql"]
    ordering = ["topic", "slug"]
    actions_list = ["ask"]
    actions_detail = ["run_it"]

    def get_urls(self) -> list[URLPattern]:
        """Add the pages that ask and run."""
        ask = path("ask/", self.admin_site.admin_view(self.ask_page), name="sprints_verifiedquery_ask_page")
        run = path(
            "<int:number>/run/", self.admin_site.admin_view(self.run_page), name="sprints_verifiedquery_run_page"
        )
        try_it = path("try/", self.admin_site.admin_view(self.try_page), name="sprints_verifiedquery_try_page")
        return [ask, run, try_it, *super().get_urls()]

    @action(description="Ask a question", url_path="ask-any")  # type: ignore[untyped-decorator]
    def ask(self, request: HttpRequest) -> HttpResponse:
        """Redirect to the page that asks."""
        return redirect(reverse("admin:sprints_verifiedquery_ask_page"))

    @action(description="Run it", url_path="run-it")  # type: ignore[untyped-decorator]
    def run_it(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Redirect to the page that runs this query."""
        return redirect(reverse("admin:sprints_verifiedquery_run_page", args=[int(object_id)]))

    def run_page(self, request: HttpRequest, number: int) -> HttpResponse:
        """Run every form of a query and show the rows."""
        if not self.has_view_permission(request):
            return HttpResponse(status=403)
        row = get_object_or_404(VerifiedQuery, pk=number)
        checked, shared = run_row(row, now=timezone.now())
        context = {**self.admin_site.each_context(request), "title": str(row), "checked": checked, "shared": shared}
        return render(request, "sprints/run_verified.html", context)

    def try_page(self, request: HttpRequest) -> HttpResponse:
        """Run the statement of an unsaved form. Returns the part of a page with the result."""
        if not (self.has_add_permission(request) or self.has_change_permission(request)):
            return HttpResponse(status=403)
        form = StatementForm(request.POST)
        checked = run_row(form.make_row(), now=timezone.now())[0] if form.is_valid() else []
        return render(request, "sprints/checked_statements.html", {"checked": checked, "form": form})

    def ask_page(self, request: HttpRequest) -> HttpResponse:
        """Answer a question. A click stores the answer as a verified query."""
        if not self.has_view_permission(request):
            return HttpResponse(status=403)
        form = AskForm(request.POST or None)
        answer = ask(form.cleaned_data["question"], now=timezone.now()) if form.is_valid() else None
        if answer and answer.sql and "promote" in request.POST:
            if not self.has_add_permission(request):
                return HttpResponse(status=403)
            try:
                slug = promote_answer(answer, now=timezone.now())
            except PromotionError as refused:
                messages.error(request, str(refused))
                return redirect(request.path)
            messages.success(request, f"Kept as {slug}. A new one is not enabled before you say so.")
            row = VerifiedQuery.objects.get(slug=slug)
            return redirect(reverse("admin:sprints_verifiedquery_change", args=[row.pk]))
        context = {**self.admin_site.each_context(request), "title": "Ask a question", "form": form, "answer": answer}
        return render(request, "sprints/ask.html", context)
