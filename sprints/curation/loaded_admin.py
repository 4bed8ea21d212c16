"""Base class of admin pages whose rows are loaded too."""

from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest

from sprints.ingest.load import hold
from toolbox.admin_pages.curation import CuratedAdmin


class LoadedAdmin(CuratedAdmin):
    """
    An admin class of rows that loads write too.

    A change here and a load's batch wait for one another: each changes many issues, one by triggers, in its own order.
    """

    def save_model(self, request: HttpRequest, obj: Any, form: "ModelForm[Any]", change: bool) -> None:  # noqa: FBT001 - Django's
        """Save the row and what follows from it."""
        hold(obj.organisation_id)
        super().save_model(request, obj, form, change)

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        """Delete the row and what depends on it."""
        with transaction.atomic():
            hold(obj.organisation_id)
            super().delete_model(request, obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """Delete the rows and what depends on them."""
        with transaction.atomic():
            for organisation in sorted({row.organisation_id for row in queryset}):
                hold(organisation)
            super().delete_queryset(request, queryset)
