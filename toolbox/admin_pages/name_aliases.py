"""Admin page of aliases of names; registered by toolbox.admin."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from unfold.widgets import UnfoldAdminSelectWidget

from toolbox.admin_pages.curation import CuratedAdmin, FewValuesFilter
from toolbox.answering.name_aliases import find_alias_problems, normalize_phrase
from toolbox.catalogue.registry import registry
from toolbox.database import event_loop
from toolbox.examples.cache import find_slots
from toolbox.models import NameAlias


class NameAliasForm(forms.ModelForm):  # type: ignore[type-arg]
    """Form of an alias; refused if its phrase is a name already, or its name is unknown or ambiguous."""

    domain = forms.ChoiceField(widget=UnfoldAdminSelectWidget)

    class Meta:
        model = NameAlias
        fields = ["domain", "phrase", "name"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        named = {
            toolkit.domain: [slot.noun for slot in find_slots(toolkit.domain).values() if slot.resolve]
            for toolkit in registry.toolkits()
        }
        domain: Any = self.fields["domain"]
        domain.choices = [(name, name) for name, nouns in named.items() if nouns]
        domain.help_text = "Names: " + "; ".join(
            f"{name} has {', '.join(f'a {noun}' for noun in nouns)}" for name, nouns in named.items() if nouns
        )

    def clean_phrase(self) -> str:
        """Return the phrase as it is compared."""
        return normalize_phrase(self.cleaned_data["phrase"])

    def clean(self) -> dict[str, Any]:
        """Check the alias against the names in the data."""
        cleaned: dict[str, Any] = super().clean() or {}
        if {"domain", "phrase", "name"} <= cleaned.keys():
            written = {field: cleaned[field] for field in ("domain", "phrase", "name")}
            if problems := event_loop.run(find_alias_problems(**written)):
                raise ValidationError({field: [problem] for field, problem in problems.items()})
        return cleaned


class NameAliasAdmin(CuratedAdmin):
    """Aliases: what people call things that the data names otherwise."""

    notice = "A question is read as if it had said the name. Changes are seen within 5 s."
    form = NameAliasForm
    list_display = ["phrase", "name", "domain"]
    list_filter = [("domain", FewValuesFilter)]
    search_fields = ["phrase", "name"]
    ordering = ["domain", "phrase"]
