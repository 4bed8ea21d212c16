"""Admin page of OAuth clients. Tokens are not shown; they end with the client, or with their key."""

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
        """Make a client that keeps no secret and comes by codes, the only kind there is."""
        obj.client_type, obj.authorization_grant_type = "public", "authorization-code"
        super().save_model(request, obj, form, change)


class NotShown(ModelAdmin):  # type: ignore[type-arg]
    """Tables that nobody needs to see."""

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Leave it out."""
        return False

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Show it to nobody."""
        return False

    has_add_permission = has_change_permission = has_delete_permission = has_view_permission
