"""Base classes for admin pages: capped lists, a notice above the page, filters, read-only tables."""

from collections.abc import Iterable, Sequence
from typing import Any

from django import forms
from django.contrib.admin import AllValuesFieldListFilter, ShowFacets
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import ChangeList
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.db import DataError, transaction
from django.db.models import Model, QuerySet
from django.forms.utils import pretty_name
from django.http import HttpRequest
from django.utils.functional import cached_property
from unfold.admin import ModelAdmin, TabularInline
from unfold.contrib.filters.admin import DropdownFilter, RangeDateTimeFilter
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget

from toolbox.admin_pages.csv_export import export_csv
from toolbox.database.row_lock_queries import lock_rows

MAX_COUNTED = 10_000


class CappedPaginator(Paginator):  # type: ignore[type-arg]
    """Paginator that counts up to 10,000 rows, so a list costs the same at any size; for more, people filter."""

    @cached_property
    def count(self) -> int:
        """Count the rows, up to the cap."""
        rows = self.object_list
        return rows.order_by()[:MAX_COUNTED].count() if isinstance(rows, QuerySet) else len(rows)


class CuratedAdmin(ModelAdmin):  # type: ignore[misc]
    """Base class for a table that people edit. `notice` is a sentence above its list and its forms."""

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
    """Columns of the CSV export; without any, there is no export action."""

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """Add the CSV export if there are columns to export."""
        actions: dict[str, Any] = super().get_actions(request)
        if self.exports:
            actions["export_csv"] = (export_csv, "export_csv", export_csv.short_description)  # type: ignore[attr-defined]
        return actions

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        """Delete a row and what depends on it."""
        with transaction.atomic():
            lock_rows(type(obj), keys=[obj.pk])
            super().delete_model(request, obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """Delete rows and what depends on them."""
        with transaction.atomic():
            lock_rows(queryset.model, keys=[row.pk for row in queryset])
            super().delete_queryset(request, queryset)

    def formfield_for_manytomany(self, db_field: Any, request: HttpRequest, **options: Any) -> Any:
        """Use checkboxes, except for long lists: Django's two boxes are wider than a phone."""
        if db_field.name not in self.filter_horizontal:
            options = {"widget": UnfoldAdminCheckboxSelectMultipleWidget()} | options
        return super().formfield_for_manytomany(db_field, request, **options)

    def get_changelist_instance(self, request: HttpRequest) -> ChangeList:
        """
        Build the list; a filter value that makes no sense leads back to the unfiltered list.

        Django itself detects most such values, but not a year 99999 or a NUL character.
        """
        try:
            built: ChangeList = super().get_changelist_instance(request)
        except (ValueError, OverflowError, ValidationError, DataError) as nonsense:
            raise IncorrectLookupParameters(nonsense) from nonsense
        # Django limits only lists of several pages; rows may have been added since it counted.
        if isinstance(built.result_list, QuerySet) and not built.result_list.query.is_sliced:
            built.result_list = built.result_list[: self.list_max_show_all]
        return built


class FewValuesFilter(AllValuesFieldListFilter):
    """Filter by one of the values of a column, at most a hundred."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.lookup_choices = self.lookup_choices[:100]


class PickFilter(DropdownFilter):  # type: ignore[misc]
    """Base class of filters with known values, so that no large table is scanned to find them."""

    def values(self) -> Iterable[tuple[str, str]]:
        """Return the values and their labels; a small, bounded number."""
        raise NotImplementedError

    def keep(self, rows: QuerySet[Any], value: str) -> QuerySet[Any]:
        """Keep the rows with a value; by default, of the column named like the parameter."""
        return rows.filter(**{self.parameter_name: value})

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin) -> list[tuple[str, str]]:
        """Return the choices."""
        return list(self.values())

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Keep the rows with the chosen value, or all rows if none is chosen."""
        value = self.value()
        return self.keep(queryset, value) if value else queryset


class MomentFilter(RangeDateTimeFilter):  # type: ignore[misc]
    """Filter by a time range in the server's time zone; a date without a time means the whole day."""

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Keep the rows in the range, both ends included."""
        for end, lookup, time in (("from", "gte", "00:00"), ("to", "lte", "23:59:59.999999")):
            name = f"{self.parameter_name}_{end}"
            if day := self.used_parameters.get(f"{name}_0"):
                moment = f"{day} {self.used_parameters.get(f'{name}_1') or time}"
                queryset = queryset.filter(**{f"{self.parameter_name}__{lookup}": forms.DateTimeField().clean(moment)})
        return queryset


class _ReadOnly:
    """Mixin: nobody may add, change or delete rows, superusers included; who may view is up to Django."""

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
    """Base class for a table that people only read."""


class KeptAdmin(CuratedAdmin):
    """Base class for a table that the server writes: people cannot edit rows, but may delete them and run actions."""

    @property
    def readonly_fields(self) -> list[str]:
        """Return every field."""
        return [name for entry in self.fields for name in ([entry] if isinstance(entry, str) else entry)]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Refuse."""
        return False

    def render_change_form(self, request: HttpRequest, *rest: Any, **options: Any) -> Any:
        """Hide the save buttons, since no field can be edited."""
        context, *others = rest
        nothing = dict.fromkeys(["show_save", "show_save_and_continue", "show_save_and_add_another"], False)
        return super().render_change_form(request, context | nothing, *others, **options)


class CuratedInline(TabularInline):  # type: ignore[misc]
    """Inline rows; each field has an aria-label, because screen readers do not take a column's heading as a label."""

    extra = 0

    def get_formset(self, request: HttpRequest, obj: Model | None = None, **options: Any) -> Any:
        """Set each field's aria-label."""
        formset = super().get_formset(request, obj, **options)
        for name, field in formset.form.base_fields.items():
            field.widget.attrs.setdefault("aria-label", str(field.label or pretty_name(name)))
        return formset


class BrowsedInline(_ReadOnly, TabularInline):  # type: ignore[misc]
    """Inline rows that can only be read."""

    extra = 0
    can_delete = False
    hide_title = True
    show_change_link = False
