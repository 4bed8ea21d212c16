"""REST endpoints to browse runs and quarantined lines. Read-only."""

import django_filters
from rest_framework import serializers

from backtests.models import QuarantinedLine, Run
from toolbox.resources_api.filters import WholeNumber
from toolbox.resources_api.views import ReadOnlyResource, ResourceRouter

SHOWN_OF_LINE = 10_000


class RunSerializer(serializers.ModelSerializer[Run]):
    """A run and its facts."""

    is_whole = serializers.SerializerMethodField(help_text="False while a load of it is in progress or broke off.")

    class Meta:
        model = Run
        fields = [
            "run_id",
            "name",
            "engine",
            "config_hash",
            "started_at",
            "ended_at",
            "first_event_at",
            "last_event_at",
            "event_count",
            "malformed_count",
            "quarantined_count",
            "counts_by_type",
            "counts_by_severity",
            "symbols",
            "details",
            "stored_at",
            "is_whole",
        ]

    def get_is_whole(self, run: Run) -> bool:
        """Return whether no load of it is in progress or broke off."""
        return not run.open_loads


class QuarantinedLineSerializer(serializers.ModelSerializer[QuarantinedLine]):
    """A line as it was read, the first 10,000 bytes of it."""

    run_id = serializers.UUIDField()
    text = serializers.SerializerMethodField()

    class Meta:
        model = QuarantinedLine
        fields = ["id", "run_id", "line_number", "line_bytes", "reason", "text", "stored_at"]

    def get_text(self, row: QuarantinedLine) -> str:
        """Show the line; bytes that are no UTF-8 as U+FFFD."""
        return bytes(row.line[:SHOWN_OF_LINE]).decode("utf-8", "replace")


class RunFilters(django_filters.FilterSet):
    """What runs can be asked for."""

    name = django_filters.CharFilter(lookup_expr="icontains", help_text="Part of the name.", max_length=100)
    engine = django_filters.CharFilter(lookup_expr="icontains", help_text="Part of the engine's name.", max_length=100)


class QuarantineFilters(django_filters.FilterSet):
    """What lines can be asked for."""

    run_id = django_filters.UUIDFilter(field_name="run_id")
    line_number = WholeNumber()


class Runs(ReadOnlyResource):
    """Runs by their GUID, newest first."""

    queryset = Run.objects.all()
    serializer_class = RunSerializer
    filterset_class = RunFilters
    ordering = "-stored_at"
    ordering_fields = ["stored_at", "event_count", "name"]
    key_form = "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"


class Quarantine(ReadOnlyResource):
    """Lines that no event could be made of, with the reason."""

    queryset = QuarantinedLine.objects.all()
    serializer_class = QuarantinedLineSerializer
    filterset_class = QuarantineFilters
    ordering = ("run_id", "line_number")
    ordering_fields = ["line_number", "stored_at"]


router = ResourceRouter("backtests")
router.register("runs", Runs)
router.register("quarantine", Quarantine)
