"""Query parameters of resources: filters, ordering, pages. Unknown ones are refused instead of ignored."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

import django_filters
from django import forms
from django.db.models import Model, QuerySet
from django.db.models.options import Options
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.filters import BaseFilterBackend, OrderingFilter
from rest_framework.pagination import PageNumberPagination
from rest_framework.request import Request
from rest_framework.settings import api_settings

MAX_INTEGER = 2**31 - 1
MAX_ID = 2**63 - 1


def description_of(model: type[Model]) -> "Options[Any]":
    """Return a model's Django options: its app, fields and key."""
    return model._meta  # noqa: SLF001 - Django documents it as public, underscore or not


class KnownParametersOnly(BaseFilterBackend):
    """Refuses query parameters that the resource does not have, and names the nearest one."""

    def filter_queryset(self, request: Request, queryset: QuerySet[Any], view: Any) -> QuerySet[Any]:
        """Check the names."""
        known = self._list_parameters(view)
        for name in request.query_params:
            if name not in known:
                near = get_close_matches(name, known, n=1)
                hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}."
                raise ValidationError({name[:60].replace("\x00", ""): [f"There is no such parameter; {hint}"]})
        return queryset

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        """Add nothing to the OpenAPI description."""
        return []

    def _list_parameters(self, view: Any) -> list[str]:
        paging = view.pagination_class
        filters = getattr(view, "filterset_class", None)
        names = list(filters.base_filters) if filters else []
        names += [api_settings.ORDERING_PARAM, paging.page_query_param, paging.page_size_query_param]
        return [*names, api_settings.URL_FORMAT_OVERRIDE or "format"]


class AllowedOrdering(OrderingFilter):
    """Orders by the view's `ordering_fields` only, and then by primary key, so that pages never overlap."""

    def get_ordering(self, request: Request, queryset: QuerySet[Any], view: Any) -> Sequence[str]:
        """Return the requested ordering or the view's, made unambiguous."""
        ordering = list(super().get_ordering(request, queryset, view) or ())
        key = description_of(queryset.model).pk.name
        named = {term.removeprefix("-") for term in ordering}
        return ordering if named & {key, "pk"} else [*ordering, key]

    def remove_invalid_fields(
        self, queryset: QuerySet[Any], fields: Iterable[str], view: Any, request: Request
    ) -> list[str]:
        """Refuse fields that are not allowed, instead of ignoring them."""
        allowed = [name for name, _ in self.get_valid_fields(queryset, view, {"request": request})]
        terms = list(fields)
        if any(term.removeprefix("-") not in allowed for term in terms):
            names = ", ".join(allowed)
            raise ValidationError({self.ordering_param: [f"Rows can be ordered by {names}; - before a name reverses."]})
        return terms


class WholeNumber(django_filters.Filter):
    """An integer from 0 up to what the column holds."""

    field_class = forms.IntegerField

    def __init__(self, *args: Any, **extra: Any) -> None:
        super().__init__(*args, **({"min_value": 0, "max_value": MAX_INTEGER} | extra))


class Identifier(WholeNumber):
    """The id of a row."""

    def __init__(self, *args: Any, **extra: Any) -> None:
        super().__init__(*args, **({"max_value": MAX_ID} | extra))


class Day(django_filters.DateFilter):
    """A date as ISO 8601 writes it."""

    def __init__(self, *args: Any, **extra: Any) -> None:
        words = {"invalid": "A date that exists is needed, as 2025-02-28."}
        super().__init__(*args, **({"input_formats": ["%Y-%m-%d"], "error_messages": words} | extra))


class TrueOrFalse(django_filters.TypedChoiceFilter):
    """`true` or `false` only: django-filter's own filter ignores other words."""

    def __init__(self, *args: Any, **extra: Any) -> None:
        words = {"invalid_choice": "true or false is needed."}
        choices = (("true", "true"), ("false", "false"))
        super().__init__(*args, choices=choices, coerce="true".__eq__, error_messages=words, **extra)


class Page(PageNumberPagination):
    """Pages of 100 rows, up to 1,000 by `page_size`; invalid values are refused, never replaced by a default."""

    page_size_query_param = "page_size"
    max_page_size = 1000
    last_page_strings = ()

    def get_page_size(self, request: Request) -> int | None:
        """Return `page_size`, from 1 to 1,000."""
        size = self._whole_number(request, self.page_size_query_param, default=self.page_size)
        if size is not None and not 1 <= size <= self.max_page_size:
            raise ValidationError({self.page_size_query_param: [f"A page holds 1 to {self.max_page_size} rows."]})
        return size

    def get_page_number(self, request: Request, paginator: Any) -> int:
        """Return `page`; raises NotFound if there is no such page."""
        number = self._whole_number(request, self.page_query_param, default=1) or 0
        if number < 1:
            raise ValidationError({self.page_query_param: ["Pages are counted from 1."]})
        if number > paginator.num_pages:
            raise NotFound(f"There is no page {number}; the last is page {paginator.num_pages}.")
        return number

    def _whole_number(self, request: Request, name: str, *, default: int | None) -> int | None:
        given = request.query_params.get(name)
        if given is None:
            return default
        if not (given.isascii() and given.isdigit() and len(given) <= len(str(2**63))):
            raise ValidationError({name: ["A whole number is needed."]})
        return int(given)
