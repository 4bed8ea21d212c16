"""The admin page of server processes: read only."""

from unfold.decorators import display

from toolbox.admin_pages.curation import KeptAdmin
from toolbox.models import ServerProcess

GIBIBYTE = 1_073_741_824


class ServerProcessAdmin(KeptAdmin):
    """The processes on each host and what they see; manage.py check_topology compares them."""

    notice = "Each process writes its row every 15 s. manage.py check_topology compares them and says how to fix them."
    list_display = [
        "host", "role", "process_id", "version", "secret_fingerprint", "broker", "broker_answers",
        "notifications_arrive", "clock_offset_seconds", "disk_free", "seen_at",
    ]  # fmt: skip
    fields = [
        ("host", "role"), ("process_id", "version"), "secret_fingerprint", ("broker", "broker_answers"),
        "notifications_arrive", ("clock_offset_seconds", "disk_free"), ("started_at", "seen_at"),
    ]  # fmt: skip
    search_fields = ["host", "role"]
    ordering = ["host", "role", "process_id"]

    @display(description="Disk free", ordering="disk_free_bytes")  # type: ignore[untyped-decorator]
    def disk_free(self, row: ServerProcess) -> str:
        """Return the free space in GiB."""
        return f"{row.disk_free_bytes / GIBIBYTE:.1f} GiB"
