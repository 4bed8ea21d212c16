"""Admin classes of runs and quarantined lines."""

from collections.abc import Callable
from datetime import UTC
from typing import Any

from django.contrib import admin, messages
from django.db import OperationalError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from psycopg.errors import LockNotAvailable
from unfold.contrib.filters.admin import FieldTextFilter, RangeDateTimeFilter

from backtests.models import QuarantinedLine, Run
from backtests.overview import run_page
from toolbox.admin_pages.curation import BrowsedAdmin, CuratedAdmin
from toolbox.database.undone import repeat_undone

SHOWN_BYTES = 2_000
IN_USE = (
    "Nothing was deleted: loads, a dump or long queries use the tables of the runs. Try again when they have ended."
)


@admin.register(Run)
class RunAdmin(CuratedAdmin):
    """Admin of runs: browse, rename, delete."""

    notice = (
        "Runs are loaded by ingest_backtest. Deleting one drops its events at once; loading it again restores them."
    )
    change_form_outer_after_template = "backtests/run_page.html"
    list_display = ["run", "engine", "period", "events", "is_whole", "count_malformed", "stored_at"]
    list_filter = [("engine", FieldTextFilter), ("stored_at", RangeDateTimeFilter)]
    search_fields = ["run_id", "name"]
    search_help_text = "Run id or name"
    ordering = ["-stored_at", "run_id"]
    fields = [
        ("name", "run_id"),
        ("engine", "stored_at"),
        "config_hash",
        ("started_at", "ended_at"),
        ("first_event_at", "last_event_at"),
        ("event_count", "malformed_count", "quarantined_count"),
        ("counts", "is_whole"),
    ]
    editable = ("name",)

    def get_readonly_fields(self, request: HttpRequest, obj: Run | None = None) -> list[str]:
        """Make all fields but the name read-only: they come from the log."""
        names = [name for entry in self.fields for name in ([entry] if isinstance(entry, str) else entry)]
        return [name for name in names if name not in self.editable]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Refuse to add a run by hand: only loading a log makes one."""
        return False

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Show the run with its curves and events."""
        run = self.get_object(request, object_id) if request.method == "GET" else None
        if run is not None and self.has_view_permission(request, run):
            extra_context = (extra_context or {}) | run_page.context(run, request=request)
        response: HttpResponse = super().change_view(request, object_id, form_url, extra_context)
        return response

    def get_deleted_objects(
        self, objs: Any, request: HttpRequest
    ) -> tuple[list[Any], dict[str, int], set[str], list[Any]]:
        """List the runs and count what is deleted with them, without reading their events."""
        runs = list(objs)
        events = sum(run.event_count for run in runs)
        perms = set() if self.has_delete_permission(request) else {"run"}
        named = [f"Run {run} with {run.event_count:,} events" for run in runs]
        return named, {"runs": len(runs), "events": events}, perms, []

    def delete_model(self, request: HttpRequest, obj: Run) -> None:
        """Delete the run by one statement; a trigger drops its partitions."""
        self.delete_queryset(request, Run.objects.filter(pk=obj.pk))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Run]) -> None:
        """Delete runs by one statement: a trigger drops the partitions."""
        chosen = Run.objects.filter(pk__in=[run.pk for run in queryset])
        repeat_undone(chosen.delete)

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Delete a run, or say that other work uses the tables."""
        return self._tell_if_in_use(
            request, lambda: super(RunAdmin, self).delete_view(request, object_id, extra_context)
        )

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """List the runs or delete the selected ones, or say that other work uses the tables."""
        return self._tell_if_in_use(request, lambda: super(RunAdmin, self).changelist_view(request, extra_context))

    def _tell_if_in_use(self, request: HttpRequest, view: Callable[[], HttpResponse]) -> HttpResponse:
        try:
            return view()
        except OperationalError as error:
            if not isinstance(error.__cause__, LockNotAvailable):
                raise
            self.message_user(request, IN_USE, messages.ERROR)
            return redirect("admin:backtests_run_changelist")

    @admin.display(description="run", ordering="name")
    def run(self, run: Run) -> str:
        """Return the name, or the id if there is none."""
        return str(run)

    @admin.display(description="from, to (UTC)", ordering="started_at")
    def period(self, run: Run) -> str:
        """Format the days that the backtest covers, taken from its events if the log does not say them."""
        days = [run.started_at or run.first_event_at, run.ended_at or run.last_event_at]
        return " to ".join(f"{day.astimezone(UTC):%Y-%m-%d}" for day in days if day) or "no event"

    @admin.display(description="events", ordering="event_count")
    def events(self, run: Run) -> str:
        """Write the count so that it can be read."""
        return f"{run.event_count:,}"

    @admin.display(description="stored whole", boolean=True)
    def is_whole(self, run: Run) -> bool:
        """Return whether no load of it is in progress or broke off."""
        return not run.open_loads

    @admin.display(description="malformed", ordering="malformed_count")
    def count_malformed(self, run: Run) -> str:
        """Write the count so that it can be read."""
        return f"{run.malformed_count:,}"

    @admin.display(description="events by type and severity")
    def counts(self, run: Run) -> str:
        """Write the counts in a line."""
        both = run.counts_by_type | run.counts_by_severity
        return ", ".join(f"{name} {count:,}" for name, count in both.items()) or "none"


@admin.register(QuarantinedLine)
class QuarantinedLineAdmin(BrowsedAdmin):
    """Read-only admin of lines that could not be parsed."""

    notice = "Kept as they were read; the rest of their file was loaded."
    list_display = ["run", "line_number", "reason", "line_bytes", "stored_at"]
    list_filter = [("reason", FieldTextFilter), ("stored_at", RangeDateTimeFilter)]
    list_select_related = ["run"]
    ordering = ["-id"]
    fields = [("run", "line_number"), ("reason", "line_bytes"), "start", "stored_at"]

    @admin.display(description="line")
    def start(self, row: QuarantinedLine) -> str:
        """Show the beginning of the line, with invalid UTF-8 replaced."""
        return bytes(row.line)[:SHOWN_BYTES].decode("utf-8", "replace")
