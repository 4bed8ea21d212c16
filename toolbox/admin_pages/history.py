"""Admin page of Django's log of changes, searchable over all tables."""

from collections.abc import Iterable

from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.decorators import display

from toolbox.admin_pages.curation import BrowsedAdmin, MomentFilter, PickFilter


class PersonFilter(PickFilter):
    """Filter by owner, among the first 200 people."""

    title = "owner"
    parameter_name = "owner"

    def values(self) -> Iterable[tuple[str, str]]:
        """Return the people's keys and names."""
        people = admin.site.get_model_admin(User).get_queryset(self.request)
        return [(str(person.pk), person.get_username()) for person in people.order_by("username")[:200]]


class DoneByFilter(PersonFilter):
    """Filter by the person who made the change."""

    title = "user"
    parameter_name = "user"


@admin.register(LogEntry)
class HistoryAdmin(BrowsedAdmin):
    """Additions, changes and deletions that people made."""

    notice = "What people did here, written by the admin itself. Loads by jobs are under Jobs."
    list_display = ["action_time", "user", "action", "content_type", "row", "words"]
    list_filter = ["action_flag", DoneByFilter, ("action_time", MomentFilter)]
    list_select_related = ["user", "content_type"]
    search_fields = ["object_repr", "object_id", "user__username", "change_message"]
    ordering = ["-action_time"]
    exports = ["action_time", "user__username", "action_flag", "content_type__model", "object_id", "object_repr",
               "change_message"]  # fmt: skip
    fields = [("action_time", "user"), ("action", "content_type"), "row", "words"]
    readonly_fields = ["action", "row", "words"]

    @display(  # type: ignore[untyped-decorator]
        description="action",
        ordering="action_flag",
        label={"Addition": "success", "Change": "info", "Deletion": "danger"},
    )
    def action(self, entry: LogEntry) -> str:
        """Return the kind of change; unfold colours it."""
        return str(entry.get_action_flag_display())

    @admin.display(description="row")
    def row(self, entry: LogEntry) -> SafeString | str:
        """Return the row's name, linked if the row still exists."""
        address = entry.get_admin_url()
        if entry.is_deletion() or not address:
            return entry.object_repr
        return format_html(
            '<a class="text-primary-600 dark:text-primary-500" href="{}">{}</a>', address, entry.object_repr
        )

    @admin.display(description="what changed")
    def words(self, entry: LogEntry) -> str:
        """Return which fields changed."""
        return entry.get_change_message()
