"""Admin page of OAuth clients. Tokens are not shown; they end with their client or their key."""

from typing import Any

from django.contrib.admin import ModelAdmin
from django.http import HttpRequest

from toolbox.admin_pages.curation import CuratedAdmin


class ClientAdmin(CuratedAdmin):
    """Connected apps."""

    notice = "Apps that people may connect; most register themselves. Deleting one ends all its tokens."
    fields = ["name", "redirect_uris", "client_id", "registration_source", "created"]
    readonly_fields = ["client_id", "registration_source", "created"]
    list_display = ["name", "client_id", "registration_source", "created"]
    search_fields = ["name", "client_id", "redirect_uris"]
    ordering = ["-created"]

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:  # noqa: FBT001
        """Save a public client of the authorization-code grant, the only kind there is."""
        obj.client_type, obj.authorization_grant_type = "public", "authorization-code"
        super().save_model(request, obj, form, change)


class NotShown(ModelAdmin):  # type: ignore[type-arg]
    """Base class that hides a table from the admin."""

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Hide it from the index."""
        return False

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Refuse everyone."""
        return False

    has_add_permission = has_change_permission = has_delete_permission = has_view_permission
