"""Admin page of curated examples, with an action that tries them; registered by toolbox.admin."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget

from toolbox.admin_pages.curation import CuratedAdmin, FewValuesFilter
from toolbox.catalogue.dynamic_tools import dynamic_tools
from toolbox.catalogue.registry import registry
from toolbox.contract.errors import DatabaseUnavailable
from toolbox.database import event_loop
from toolbox.examples.cache import KnownExample, find_slots
from toolbox.examples.checking import CheckResult, check_example
from toolbox.examples.templates import find_problems
from toolbox.models import Example

MAX_TRIED = 50


class LinesField(forms.CharField):
    """A list of texts, edited as one text per line."""

    widget = UnfoldAdminTextareaWidget(attrs={"rows": 5})

    def prepare_value(self, value: Any) -> Any:
        """Join a list into lines."""
        return "\n".join(value) if isinstance(value, list) else value

    def to_python(self, value: Any) -> Any:
        """Split lines into a list, without empty ones."""
        return [" ".join(line.split()) for line in str(value or "").splitlines() if line.strip()]


class ExampleForm(forms.ModelForm):  # type: ignore[type-arg]
    """Form of an example; refused unless its tool, slots and templates exist. `known` is the valid example."""

    known: KnownExample
    domain = forms.ChoiceField(widget=UnfoldAdminSelectWidget)
    phrasings = LinesField(required=False, help_text="The same question in other words, one a line.")

    class Meta:
        model = Example
        fields = ["domain", "name", "question", "phrasings", "tool", "arguments", "next_calls", "answer", "is_enabled"]
        widgets = {
            "question": UnfoldAdminTextareaWidget(attrs={"rows": 2}),
            "answer": UnfoldAdminTextareaWidget(attrs={"rows": 8, "spellcheck": "false", "class": "font-mono"}),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        domain: Any = self.fields["domain"]
        domain.choices = [(toolkit.domain, toolkit.domain) for toolkit in registry.toolkits()]
        domain.help_text = "Slots: " + "; ".join(
            f"{toolkit.domain} has {', '.join(f'{{{name}}}' for name in find_slots(toolkit.domain)) or 'none'}"
            for toolkit in registry.toolkits()
        )

    def clean(self) -> dict[str, Any]:
        """Run every check that using the example would need."""
        cleaned: dict[str, Any] = super().clean() or {}
        if self.errors:
            return cleaned
        if not isinstance(cleaned["arguments"] or {}, dict):
            raise ValidationError({"arguments": "Arguments are a JSON object."})
        next_calls = cleaned["next_calls"] = cleaned["next_calls"] or []
        if not _are_calls(next_calls):
            raise ValidationError({"next_calls": 'Calls are a JSON list of {"tool": "…", "arguments": {…}}.'})
        event_loop.run(dynamic_tools.wait_until_loaded())
        written = {name: cleaned[name] for name in ("domain", "name", "question", "phrasings", "tool", "answer")}
        self.known = KnownExample(
            id=self.instance.pk or 0, arguments=cleaned["arguments"] or {}, next_calls=next_calls, **written
        )
        if found := find_problems(self.known):
            raise ValidationError(found)
        return cleaned


def _are_calls(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(call, dict)
        and call.keys() == {"tool", "arguments"}
        and isinstance(call["tool"], str)
        and isinstance(call["arguments"], dict)
        for call in value
    )


class ExampleAdmin(CuratedAdmin):
    """Curated questions and the calls that answer them."""

    notice = (
        "Examples answer where no language model is configured, and show a model how the tools are used. "
        "A shipped example that is changed here stays as it is; turned off rather than deleted, it stays away."
    )
    form = ExampleForm
    list_display = ["question", "domain", "tool", "is_enabled"]
    list_filter = [("domain", FewValuesFilter), "is_enabled"]
    search_fields = ["name", "question", "tool"]
    ordering = ["domain", "name"]
    actions = ["try_out"]

    @admin.action(description="Try the chosen examples on the data", permissions=["view"])
    def try_out(self, request: HttpRequest, chosen: QuerySet[Example]) -> None:
        """Run each example's question and show its answer, or what is wrong."""
        rows = list(chosen.order_by("domain", "name")[:MAX_TRIED])
        try:
            tried = event_loop.run(_try_example([_make_known(row) for row in rows]))
        except DatabaseUnavailable as away:
            self.message_user(request, f"The data cannot be read: {away}", messages.ERROR)
            return
        for one in tried:
            said = one.problem or one.said
            level = messages.WARNING if one.problem else messages.SUCCESS
            self.message_user(request, f"{one.asked}  →  {said}", level)


async def _try_example(examples: list[KnownExample]) -> list[CheckResult]:
    await dynamic_tools.wait_until_loaded()
    return [await check_example(example, among=[example]) for example in examples]


def _make_known(row: Example) -> KnownExample:
    columns = ("id", "domain", "name", "question", "phrasings", "tool", "arguments", "next_calls", "answer")
    return KnownExample(**{name: getattr(row, name) for name in columns})
