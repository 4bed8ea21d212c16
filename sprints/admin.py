"""
Admin classes of organisations, teams, people, sprints, issues and their history.

A correction takes effect at once: the views read these tables, and triggers derive what depends on history.
"""

from collections.abc import Iterable
from typing import Any

from django.contrib import admin
from django.db.models import Field, Model, QuerySet
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse
from unfold.contrib.filters.admin import RangeDateTimeFilter

from sprints.boards import queries as board_queries
from sprints.boards.panels import TO_ADMIN, sprint_panels, team_panels
from sprints.curation.admin import VerifiedQueryAdmin
from sprints.curation.loaded_admin import LoadedAdmin
from sprints.curation.synonym_admin import TermSynonymAdmin
from sprints.ingest.load import count_rows, forget
from sprints.models import (
    BlockedPeriod,
    Issue,
    IssueLink,
    Organisation,
    PointsChange,
    QuarantinedRecord,
    Sprint,
    SprintIssue,
    Status,
    StatusChange,
    Team,
    TermSynonym,
    User,
    VerifiedQuery,
)
from toolbox.admin_pages.curation import BrowsedAdmin, CuratedAdmin, CuratedInline, PickFilter
from toolbox.admin_pages.panels import Panel

FOLLOWS = "What agents are answered follows at once, and so do burndown, velocity and cycle times."
DERIVED = ["sprint", "started_at", "resolved_at", "reopened_count", "blocked_since"]


class TeamFilter(PickFilter):
    """Rows of one team."""

    title = "team"
    parameter_name = "team"

    def values(self) -> Iterable[tuple[str, str]]:
        """Return the teams."""
        return [(str(team.pk), str(team)) for team in Team.objects.order_by("team_key")[:200]]


class StatusFilter(PickFilter):
    """Issues in one status."""

    title = "status"
    parameter_name = "status"

    def values(self) -> Iterable[tuple[str, str]]:
        """Return the statuses."""
        return [(str(row.pk), str(row)) for row in Status.objects.order_by("status_name")[:200]]


class PanelAdmin(LoadedAdmin):
    """An admin class whose rows have charts."""

    change_form_outer_after_template = "sprints/board_page.html"

    def panels(self, row: Model) -> list[Panel]:
        """Draw the charts of a row."""
        raise NotImplementedError

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the row with its charts."""
        row = self.get_object(request, object_id) if request.method == "GET" else None
        if row is not None and self.has_view_permission(request, row):
            extra_context = (extra_context or {}) | {"panels": self.panels(row)}
        response: HttpResponse = super().change_view(request, object_id, form_url, extra_context)
        return response


class HistoryInline(CuratedInline):
    """An editable part of an issue's history."""

    hide_title = True
    tab = True
    per_page = 50


class StayInline(HistoryInline):
    """The sprints of an issue."""

    model = SprintIssue
    ordering = ["added_at"]
    autocomplete_fields = ["sprint"]
    fields = ["sprint", "added_at", "removed_at", "was_committed", "was_completed", "was_carried_over",
              "points_at_start", "points_at_end"]  # fmt: skip
    readonly_fields = fields[3:]


class StatusChangeInline(HistoryInline):
    """The status changes of an issue."""

    model = StatusChange
    ordering = ["changed_at", "id"]
    autocomplete_fields = ["from_status", "to_status", "changed_by"]
    fields = ["changed_at", "from_status", "to_status", "changed_by"]


class EstimateInline(HistoryInline):
    """The estimates of an issue."""

    model = PointsChange
    ordering = ["changed_at", "id"]
    autocomplete_fields = ["changed_by"]


class BlockedInline(HistoryInline):
    """The times in which an issue was blocked."""

    model = BlockedPeriod
    ordering = ["blocked_at"]


class LinkInline(HistoryInline):
    """The links of an issue."""

    model = IssueLink
    ordering = ["link_type", "id"]
    fk_name = "issue"
    autocomplete_fields = ["linked_issue"]


@admin.register(Organisation)
class OrganisationAdmin(CuratedAdmin):
    """Organisations. Each is a source of issues."""

    notice = "Loaded by ingest_jira. Deleting one deletes all that was loaded of it."
    list_display = ["organisation_name", "slug", "site_url", "data_as_of", "synced_until"]
    search_fields = ["organisation_name", "slug"]
    ordering = ["organisation_name"]

    def formfield_for_dbfield(self, db_field: "Field[Any, Any]", request: HttpRequest, **options: Any) -> Any:
        """Assume https for an address without a scheme."""
        if db_field.name == "site_url":
            options["assume_scheme"] = "https"
        return super().formfield_for_dbfield(db_field, request, **options)

    def get_deleted_objects(
        self, objs: Any, request: HttpRequest
    ) -> tuple[list[Any], dict[str, int], set[str], list[Any]]:
        """List the organisations and count their issues. Nothing else is read."""
        rows = list(objs)
        perms = set() if self.has_delete_permission(request) else {"organisation"}
        named = [f"{row} with {count_rows(row):,} issues and their history" for row in rows]
        return named, {"organisations": len(rows)}, perms, []

    def delete_model(self, request: HttpRequest, obj: Organisation) -> None:
        """Delete the row with one statement for each table."""
        forget(obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Organisation]) -> None:
        """Delete the rows with one statement for each table."""
        for row in queryset:
            forget(row)


@admin.register(Team)
class TeamAdmin(PanelAdmin):
    """Teams, with velocity and cycle time."""

    list_display = ["team_key", "team_name", "organisation"]
    list_select_related = ["organisation"]
    search_fields = ["team_key", "team_name"]
    ordering = ["team_key"]

    def panels(self, row: Model) -> list[Panel]:
        """Draw velocity and cycle time."""
        return team_panels(row.pk, links=TO_ADMIN)


@admin.register(User)
class UserAdmin(LoadedAdmin):
    """People. Their e-mail addresses are for curators only and in no view."""

    notice = "E-mail addresses are shown here alone: agents see names and teams."
    list_display = ["full_name", "team", "is_active", "organisation"]
    list_filter = [TeamFilter, "is_active"]
    list_select_related = ["team", "organisation"]
    search_fields = ["full_name", "email"]
    autocomplete_fields = ["team"]
    ordering = ["full_name"]


@admin.register(Status)
class StatusAdmin(LoadedAdmin):
    """Statuses and their categories."""

    notice = f"The category decides what counts as begun and as done. {FOLLOWS}"
    list_display = ["status_name", "status_category", "organisation"]
    list_filter = ["status_category"]
    list_select_related = ["organisation"]
    search_fields = ["status_name"]
    ordering = ["status_name"]


@admin.register(Sprint)
class SprintAdmin(PanelAdmin):
    """Sprints, with burndown, scope change and carry-over."""

    notice = FOLLOWS
    list_display = ["sprint_name", "team", "state", "started_at", "ends_at", "completed_at"]
    list_filter = ["state", TeamFilter, ("started_at", RangeDateTimeFilter)]
    list_select_related = ["team"]
    search_fields = ["sprint_name", "goal"]
    autocomplete_fields = ["team"]
    ordering = ["-started_at", "sprint_name"]

    def panels(self, row: Model) -> list[Panel]:
        """Draw burndown, scope change and carry-over."""
        return sprint_panels(row.pk, total=board_queries.summary(row.pk), links=TO_ADMIN)


@admin.register(Issue)
class IssueAdmin(LoadedAdmin):
    """Issues, with their history under them."""

    notice = f"A correction lasts until the issue changes at its source and is loaded again. {FOLLOWS}"
    list_display = ["issue_key", "title", "issue_type", "status", "priority", "story_points", "assignee", "updated_at"]
    list_filter = [TeamFilter, StatusFilter, ("updated_at", RangeDateTimeFilter), ("resolved_at", RangeDateTimeFilter)]
    list_select_related = ["status", "assignee"]
    search_fields = ["issue_key", "title"]
    search_help_text = "Issue key, or words of the title"
    ordering = ["-updated_at", "issue_key"]
    autocomplete_fields = ["team", "status", "assignee", "reporter", "epic", "parent"]
    readonly_fields = DERIVED
    inlines = [StayInline, StatusChangeInline, EstimateInline, BlockedInline, LinkInline]
    fields = [
        ("issue_key", "team"), "title", "description", ("issue_type", "status"), ("priority", "resolution"),
        ("story_points", "labels"), ("original_estimate_seconds", "remaining_estimate_seconds", "time_spent_seconds"),
        ("assignee", "reporter"), ("epic", "parent"), "created_at", "updated_at",
        "source_resolved_at", "due_date",
        *DERIVED,
    ]  # fmt: skip

    def save_model(self, request: HttpRequest, obj: Issue, form: "ModelForm[Issue]", change: bool) -> None:  # noqa: FBT001 - Django's
        """Set the organisation of a new issue to its team's, and an id that no source uses."""
        obj.organisation_id = obj.team.organisation_id
        obj.external_id = obj.external_id or f"by hand: {obj.pk}"
        super().save_model(request, obj, form, change)


@admin.register(QuarantinedRecord)
class QuarantinedRecordAdmin(BrowsedAdmin):
    """Quarantined records, which could not be read."""

    notice = "What could not be understood of a source, whole or (a warning) in part. Loading it again keeps it once."
    list_display = ["kind", "name", "reason", "is_warning", "source", "organisation", "stored_at"]
    list_filter = ["is_warning", ("stored_at", RangeDateTimeFilter)]
    list_select_related = ["organisation"]
    search_fields = ["name", "reason"]
    ordering = ["-stored_at", "-id"]
    fields = [("organisation", "source"), ("kind", "name"), ("reason", "is_warning"), "record", "stored_at"]


admin.site.register(VerifiedQuery, VerifiedQueryAdmin)
admin.site.register(TermSynonym, TermSynonymAdmin)
