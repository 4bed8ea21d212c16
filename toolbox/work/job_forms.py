"""Base form of jobs, with the admin's widgets."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from unfold.widgets import (
    UnfoldAdminFileFieldWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminSingleDateWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanSwitchWidget,
)

MAX_FILE = 52_428_800
_WIDGETS: list[tuple[type[forms.Field], type[forms.Widget]]] = [
    (forms.FileField, UnfoldAdminFileFieldWidget),
    (forms.BooleanField, UnfoldBooleanSwitchWidget),
    (forms.DateField, UnfoldAdminSingleDateWidget),
    (forms.CharField, UnfoldAdminTextInputWidget),
]


class JobForm(forms.Form):
    """A form whose values can be stored as JSON."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            _dress(field)

    def arguments(self) -> dict[str, Any]:
        """Return the values, except the file, as JSON can hold them."""
        cleaned = self.cleaned_data.items()
        return {
            name: value.isoformat() if hasattr(value, "isoformat") else value
            for name, value in cleaned
            if name != "file"
        }


def file_field(help_text: str) -> forms.FileField:
    """Build a file field with a size limit: the file is stored in the job's row until the job has ended."""
    return forms.FileField(validators=[_small_enough], help_text=f"{help_text} Up to {MAX_FILE >> 20} MB.")


def _small_enough(file: Any) -> None:
    if file.size > MAX_FILE:
        raise ValidationError(f"Up to {MAX_FILE >> 20} MB; load larger files with manage.py.")


def _dress(field: forms.Field) -> None:
    if isinstance(field, forms.ChoiceField):
        field.widget = UnfoldAdminSelectWidget(choices=field.choices)
        return
    for kind, widget in _WIDGETS:
        if isinstance(field, kind):
            attrs, is_required = field.widget.attrs, field.required
            field.widget = widget()
            field.widget.attrs = {**field.widget.attrs, **field.widget_attrs(field.widget), **attrs}
            field.widget.is_required = is_required
            return
