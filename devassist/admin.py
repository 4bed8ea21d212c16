"""Admin classes of workspaces, and of root causes and documentation."""

from django.contrib import admin
from django.http import HttpRequest

from devassist.forms import WorkspaceForm
from devassist.models import RootCause, Workspace
from devassist.root_causes.admin import RootCauseAdmin
from devassist.web import admin as web_admin
from toolbox.admin_pages.curation import CuratedAdmin

__all__ = ["WorkspaceAdmin", "web_admin"]


@admin.register(Workspace)
class WorkspaceAdmin(CuratedAdmin):
    """Workspaces. Tools see a new one within seconds, without a restart."""

    notice = (
        "Tools read everything below a workspace's root but what looks like a secret. They see a change within 5 s."
    )
    form = WorkspaceForm
    list_display = ["name", "root", "is_default", "is_open", "shows_secrets"]
    search_fields = ["name", "root"]
    ordering = ["name"]
    fieldsets = [
        (None, {"fields": ["name", "root", "is_default", "shows_secrets"]}),
        ("Who sees it", {"fields": ["is_open", "keys"]}),
    ]

    def get_readonly_fields(self, request: HttpRequest, obj: Workspace | None = None) -> list[str]:
        """Make the name of an existing workspace read-only: agents use it."""
        return ["name"] if obj else []


admin.site.register(RootCause, RootCauseAdmin)
