"""Admin page of curated prompts; registered by toolbox.admin."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget

from toolbox.admin_pages.curation import CuratedAdmin, FewValuesFilter
from toolbox.catalogue.prompts import find_problems
from toolbox.catalogue.registry import registry
from toolbox.models import CuratedPrompt


class PromptForm(forms.ModelForm):  # type: ignore[type-arg]
    """Form of a prompt; refused unless its text and its arguments agree."""

    domain = forms.ChoiceField(widget=UnfoldAdminSelectWidget)

    class Meta:
        model = CuratedPrompt
        fields = ["domain", "name", "title", "description", "text", "arguments", "is_enabled"]
        widgets = {
            "description": UnfoldAdminTextareaWidget(attrs={"rows": 2}),
            "text": UnfoldAdminTextareaWidget(attrs={"rows": 10}),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        domain: Any = self.fields["domain"]
        domain.choices = [(toolkit.domain, toolkit.domain) for toolkit in registry.toolkits()]
        domain.help_text = "What completes arguments: " + "; ".join(
            f"{toolkit.domain} has {', '.join(toolkit.completers) or 'nothing'}" for toolkit in registry.toolkits()
        )

    def clean(self) -> dict[str, Any]:
        """Run every check that offering the prompt would need."""
        cleaned: dict[str, Any] = super().clean() or {}
        if self.errors:
            return cleaned
        cleaned["arguments"] = cleaned["arguments"] or []
        toolkit = next(kit for kit in registry.toolkits() if kit.domain == cleaned["domain"])
        if any(cleaned["name"] == prompt.name for kit in registry.toolkits() for prompt in kit.prompts):
            raise ValidationError({"name": "The code declares a prompt of that name."})
        wrong = find_problems(cleaned["text"], arguments=cleaned["arguments"], completers=toolkit.completers)
        if wrong:
            raise ValidationError({field: [said] for field, said in wrong.items()})
        return cleaned


class PromptAdmin(CuratedAdmin):
    """Curated prompts that users of MCP clients choose and fill in."""

    notice = (
        "MCP clients list these to their users, who choose one and fill it in; a change is told to clients at once. "
        "A shipped prompt that is changed here stays as it is; turned off rather than deleted, it stays away."
    )
    form = PromptForm
    list_display = ["title", "name", "domain", "is_enabled"]
    list_filter = [("domain", FewValuesFilter), "is_enabled"]
    search_fields = ["name", "title", "text"]
    ordering = ["domain", "name"]
    exports = ["domain", "name", "title", "description", "text", "is_enabled"]
