"""Base classes for admin pages: capped lists, a notice above the page, filters, read-only tables."""

from collections.abc import Iterable, Sequence
from typing import Any

from django import forms
from django.contrib.admin import AllValuesFieldListFilter, ShowFacets
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import ChangeList
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.db import DataError
from django.db.models import Model, QuerySet
from django.forms.utils import pretty_name
from django.http import HttpRequest
from django.utils.functional import cached_property
from unfold.admin import ModelAdmin, TabularInline
from unfold.contrib.filters.admin import DropdownFilter, RangeDateTimeFilter
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget

from toolbox.admin_pages.csv_export import export_csv

MAX_COUNTED = 10_000


class CappedPaginator(Paginator):  # type: ignore[type-arg]
    """Counts and turns pages up to 10,000 rows; beyond that one filters. So a list costs the same at any size."""

    @cached_property
    def count(self) -> int:
        """Count, but not past the cap."""
        rows = self.object_list
        return rows.order_by()[:MAX_COUNTED].count() if isinstance(rows, QuerySet) else len(rows)


class CuratedAdmin(ModelAdmin):  # type: ignore[misc]
    """A table that people curate. `notice` is a sentence above its list and its rows."""

    notice = ""
    list_before_template = "toolbox/notice.html"
    change_form_outer_before_template = "toolbox/notice.html"
    delete_confirmation_template = "toolbox/delete.html"
    delete_selected_confirmation_template = "toolbox/delete_selected.html"
    list_per_page = 50
    list_max_show_all = 200
    list_filter_submit = True
    list_fullwidth = True
    show_full_result_count = False
    show_facets = ShowFacets.NEVER
    paginator = CappedPaginator
    exports: Sequence[str] = ()
    """Columns that may be exported as CSV; none: no such action."""

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """Add the export where there is something to export."""
        actions: dict[str, Any] = super().get_actions(request)
        if self.exports:
            actions["export_csv"] = (export_csv, "export_csv", export_csv.short_description)  # type: ignore[attr-defined]
        return actions

    def formfield_for_manytomany(self, db_field: Any, request: HttpRequest, **options: Any) -> Any:
        """Tick what is chosen, where it is not hundreds: Django's two boxes are wider than a phone."""
        if db_field.name not in self.filter_horizontal:
            options = {"widget": UnfoldAdminCheckboxSelectMultipleWidget()} | options
        return super().formfield_for_manytomany(db_field, request, **options)

    def get_changelist_instance(self, request: HttpRequest) -> ChangeList:
        """
        Build the list; Django then goes back to the unfiltered one when told that a filter makes no sense.

        Of itself it finds out for most values, but not for a year 99999 or a NUL character.
        """
        try:
            built: ChangeList = super().get_changelist_instance(request)
        except (ValueError, OverflowError, ValidationError, DataError) as nonsense:
            raise IncorrectLookupParameters(nonsense) from nonsense
        # Django cuts a list of several pages only; more rows may have come since it counted.
        if isinstance(built.result_list, QuerySet) and not built.result_list.query.is_sliced:
            built.result_list = built.result_list[: self.list_max_show_all]
        return built


class FewValuesFilter(AllValuesFieldListFilter):
    """By one of the values that a column has, a hundred at most."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.lookup_choices = self.lookup_choices[:100]


class PickFilter(DropdownFilter):  # type: ignore[misc]
    """A filter by one of a few known values, so that no large table is scanned to find which there are."""

    def values(self) -> Iterable[tuple[str, str]]:
        """Give the values and their names; a small, bounded number."""
        raise NotImplementedError

    def keep(self, rows: QuerySet[Any], value: str) -> QuerySet[Any]:
        """Keep what has the value; by default, in the column named like the parameter."""
        return rows.filter(**{self.parameter_name: value})

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin) -> list[tuple[str, str]]:
        """Give what can be picked."""
        return list(self.values())

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Keep what fits the pick, everything where none is made."""
        value = self.value()
        return self.keep(queryset, value) if value else queryset


class MomentFilter(RangeDateTimeFilter):  # type: ignore[misc]
    """From a moment to a moment, in the server's time zone; a day without a time is the whole day."""

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Keep what lies between, both ends included."""
        for end, lookup, time in (("from", "gte", "00:00"), ("to", "lte", "23:59:59.999999")):
            name = f"{self.parameter_name}_{end}"
            if day := self.used_parameters.get(f"{name}_0"):
                moment = f"{day} {self.used_parameters.get(f'{name}_1') or time}"
                queryset = queryset.filter(**{f"{self.parameter_name}__{lookup}": forms.DateTimeField().clean(moment)})
        return queryset


class _ReadOnly:
    """Nobody adds, built or deletes here, superusers included; who may view is Django's business."""

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Refuse."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Refuse."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Refuse."""
        return False


class BrowsedAdmin(_ReadOnly, CuratedAdmin):
    """A table that people only browse."""


class KeptAdmin(CuratedAdmin):
    """A table that the server writes and nobody edits; people may delete rows, and act on those they may change."""

    @property
    def readonly_fields(self) -> list[str]:
        """Every field: nothing is left to be typed."""
        return [name for entry in self.fields for name in ([entry] if isinstance(entry, str) else entry)]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Refuse."""
        return False

    def render_change_form(self, request: HttpRequest, *rest: Any, **options: Any) -> Any:
        """Offer no way to save what nobody can type."""
        context, *others = rest
        nothing = dict.fromkeys(["show_save", "show_save_and_continue", "show_save_and_add_another"], False)
        return super().render_change_form(request, context | nothing, *others, **options)


class CuratedInline(TabularInline):  # type: ignore[misc]
    """Rows edited under another; each field says its name, since a column's heading is no label to a screen reader."""

    extra = 0

    def get_formset(self, request: HttpRequest, obj: Model | None = None, **options: Any) -> Any:
        """Name each field."""
        formset = super().get_formset(request, obj, **options)
        for name, field in formset.form.base_fields.items():
            field.widget.attrs.setdefault("aria-label", str(field.label or pretty_name(name)))
        return formset


class BrowsedInline(_ReadOnly, TabularInline):  # type: ignore[misc]
    """Rows shown under another, only to be read."""

    extra = 0
    can_delete = False
    hide_title = True
    show_change_link = False
