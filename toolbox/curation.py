"""What the admin pages of every domain share: bounded lists, a notice above the page, tables that are only read."""

from collections.abc import Iterable
from typing import Any

from django.core.exceptions import BadRequest
from django.core.paginator import Paginator
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.functional import cached_property
from unfold.admin import ModelAdmin, TabularInline
from unfold.contrib.filters.admin import DropdownFilter

MOST_COUNTED = 10_000


class CappedPaginator(Paginator):  # type: ignore[type-arg]
    """Counts and turns pages up to 10,000 rows; beyond that one filters. So a list costs the same at any size."""

    @cached_property
    def count(self) -> int:
        """Count, but not past the cap."""
        rows = self.object_list
        return rows.order_by()[:MOST_COUNTED].count() if isinstance(rows, QuerySet) else len(rows)


class CuratedAdmin(ModelAdmin):  # type: ignore[misc]
    """A table that people curate. `notice` is a sentence above its list and its rows."""

    notice = ""
    list_before_template = "toolbox/notice.html"
    change_form_outer_before_template = "toolbox/notice.html"
    list_per_page = 50
    list_max_show_all = 200
    list_filter_submit = True
    list_fullwidth = True
    show_full_result_count = False
    paginator = CappedPaginator

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the list; a NUL in a filter is refused here, as PostgreSQL would with a server error."""
        if any("\x00" in value for values in request.GET.lists() for value in (values[0], *values[1])):
            raise BadRequest("A filter cannot hold a NUL character.")
        response: HttpResponse = super().changelist_view(request, extra_context)
        return response


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


class _ReadOnly:
    """Nobody adds, changes or deletes here, superusers included; who may view is Django's business."""

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


class BrowsedInline(_ReadOnly, TabularInline):  # type: ignore[misc]
    """Rows shown under another, only to be read."""

    extra = 0
    can_delete = False
    show_change_link = False
