"""Admin page of the audit log; it costs the same for a thousand rows as for a million."""

import json
from collections.abc import Iterable
from datetime import UTC
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import FieldTextFilter

from toolbox.admin_pages.curation import BrowsedAdmin, MomentFilter, PickFilter
from toolbox.audit.log import LOST_SECONDS
from toolbox.catalogue.registry import domain_title, registry
from toolbox.contract.errors import KERNEL_CODES
from toolbox.models import ToolCall

SEARCHED = 20_000
"""The latest calls, after filters, that are searched for words: readable in a tenth of a second."""
MAX_FOUND = 1_000
LOOKED_THROUGH = 100_000
"""The latest calls that are filtered where no index helps."""

TRANSPORTS = ("rest", "mcp", "stdio", "agents", "console", "examples")

LABEL = "inline-block font-semibold rounded-default text-[11px] uppercase whitespace-nowrap h-6 leading-6 px-2"
PLAIN = "bg-base-500/8 text-base-700 dark:bg-base-500/20 dark:text-base-200"
COLOURS = {
    "answered": "bg-green-100 text-green-700 dark:bg-green-500/20 dark:text-green-400",
    "refused": "bg-orange-100 text-orange-700 dark:bg-orange-500/20 dark:text-orange-400",
    "failed": "bg-red-100 text-red-700 dark:bg-red-500/20 dark:text-red-400",
    "unknown": "bg-red-100 text-red-700 dark:bg-red-500/20 dark:text-red-400",
    "cancelled": "bg-blue-100 text-blue-700 dark:bg-blue-500/20 dark:text-blue-400",
}


def latest(calls: QuerySet[ToolCall], *, most: int) -> QuerySet[ToolCall]:
    """Keep the latest `most` calls."""
    in_order = calls.order_by("-called_at")
    edge = in_order.values_list("called_at", flat=True)[most - 1 : most]
    return calls.filter(called_at__gte=edge[0]) if len(edge) else calls


class DomainFilter(PickFilter):
    """Filter by domain, among those installed."""

    title = "domain"
    parameter_name = "domain"

    def values(self) -> Iterable[tuple[str, str]]:
        """Return the domains and their titles."""
        return [(toolkit.domain, domain_title(toolkit.domain)) for toolkit in registry.toolkits()]


class ToolFilter(PickFilter):
    """Filter by tool, among those installed."""

    title = "tool"
    parameter_name = "tool"

    def values(self) -> Iterable[tuple[str, str]]:
        """Return the tools' names."""
        return [(tool.name, tool.name) for tool in registry.tools()]


class _AmongLatest(PickFilter):
    """Base class of filters over a column without an index: they look through the latest calls only."""

    def keep(self, rows: QuerySet[Any], value: str) -> QuerySet[Any]:
        """Keep the latest calls with the value."""
        return super().keep(latest(rows, most=LOOKED_THROUGH), value)


class CallDomainFilter(_AmongLatest, DomainFilter):
    """Filter the latest calls by domain."""


class TransportFilter(_AmongLatest):
    """Filter the latest calls by transport."""

    title = "transport"
    parameter_name = "transport"

    def values(self) -> Iterable[tuple[str, str]]:
        """Return the transports."""
        return [(transport, transport) for transport in TRANSPORTS]


class CodeFilter(PickFilter):
    """
    Filter by error code, among those that tools and the kernel declare.

    An undeclared code can be put into the address and is then listed too.
    """

    title = "code"
    parameter_name = "code"

    def values(self) -> Iterable[tuple[str, str]]:
        """Return the declared codes, CANCELLED and the chosen code."""
        declared = {code.code for tool in registry.tools() for code in tool.codes}
        kernel = {code.code for code in KERNEL_CODES} | {"CANCELLED"}
        chosen = {self.value() or ""} - {""}
        return [(code, code) for code in sorted(declared | kernel | chosen)]


class CallerFilter(FieldTextFilter):  # type: ignore[misc]
    """Filter by a part of the caller's name."""

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Filter the latest calls only: no index finds parts of names."""
        some = latest(queryset, most=LOOKED_THROUGH) if self.lookup_val else queryset
        found: QuerySet[Any] = super().queryset(request, some)
        return found


class ToolCallAdmin(BrowsedAdmin):
    """The audit log: every recorded call."""

    notice = (
        "Recorded by the server, never edited; kept as long as TOOLROOM_AUDIT_KEEP_DAYS says. Lists end after 10,000 "
        "rows. Days, tools, outcomes, codes and a request's id are found anywhere. Domain, transport, caller, and what "
        "is slowest are looked for among the latest 100,000 calls, words among 20,000, of those that pass the other "
        "filters: choose days to look further back."
    )
    list_display = [
        "show_called_at",
        "caller",
        "tool",
        "transport",
        "outcome_label",
        "status_and_code",
        "rows",
        "milliseconds_rounded",
    ]
    exports = [
        "called_at", "request_id", "caller", "key_id", "transport", "domain", "tool", "arguments", "outcome", "code",
        "status", "rows", "answer_bytes", "milliseconds",
    ]  # fmt: skip
    list_filter = [
        ("called_at", MomentFilter),
        ToolFilter,
        "outcome",
        CodeFilter,
        CallDomainFilter,
        TransportFilter,
        ("caller", CallerFilter),
    ]
    """Filters that an index serves come first; the others look through what these leave."""
    sortable_by = ["show_called_at", "rows", "milliseconds_rounded"]
    search_fields = ["request_id", "caller", "arguments"]
    search_help_text = "Request id, caller, or words of the arguments"
    ordering = ["-called_at"]
    list_per_page = 25
    fields = [
        ("show_called_at", "request_id"),
        ("caller", "key_id"),
        ("domain", "tool"),
        ("transport", "outcome"),
        ("code", "status"),
        ("rows", "answer_bytes"),
        ("milliseconds", "idempotency_key"),
        "show_arguments",
    ]

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[ToolCall], search_term: str
    ) -> tuple[QuerySet[ToolCall], bool]:
        """
        Find calls by request id, which is indexed; otherwise the latest calls with these words.

        The result is fixed to primary keys, so that the list counts and slices it without searching again.
        """
        words = search_term.strip()
        if not words:
            return latest(queryset, most=LOOKED_THROUGH) if request.GET.get("o") else queryset, False
        by_id = queryset.filter(request_id=words)
        if by_id.exists():
            return by_id, False
        some = latest(queryset, most=SEARCHED).order_by("-called_at")
        found, _ = super().get_search_results(request, some, words)
        return queryset.filter(pk__in=list(found.values_list("pk", flat=True)[:MAX_FOUND])), False

    @admin.display(description="called at", ordering="called_at")
    def show_called_at(self, call: ToolCall) -> str:
        """Return the time to the millisecond, in UTC."""
        return call.called_at.astimezone(UTC).isoformat(sep=" ", timespec="milliseconds").removesuffix("+00:00")

    @admin.display(description="outcome")
    def outcome_label(self, call: ToolCall) -> SafeString:
        """Colour the outcome; without unfold's label, which renders two templates per row."""
        words = call.outcome
        if words == ToolCall.Outcome.UNKNOWN:
            words = "outcome unknown" if _is_lost(call) else "in progress"
        return format_html('<span class="{} {}">{}</span>', LABEL, COLOURS.get(call.outcome, PLAIN), words)

    @admin.display(description="status")
    def status_and_code(self, call: ToolCall) -> str:
        """Return the status and the code, if any."""
        return f"{call.status} {call.code}".strip()

    @admin.display(description="ms", ordering="milliseconds")
    def milliseconds_rounded(self, call: ToolCall) -> str:
        """Return the duration to a tenth of a millisecond."""
        return f"{call.milliseconds:,.1f}"

    @admin.display(description="arguments")
    def show_arguments(self, call: ToolCall) -> SafeString:
        """Show the arguments, indented if they are JSON."""
        return format_html('<pre class="whitespace-pre-wrap break-all">{}</pre>', indent_json(call.arguments))


def _is_lost(call: ToolCall) -> bool:
    """Return whether the process of a writing call is gone."""
    age = timezone.now() - (call.heartbeat_at or call.called_at)
    return age.total_seconds() > LOST_SECONDS


def indent_json(arguments: str) -> str:
    """Indent JSON; return text unchanged if it is not JSON, was cut, or repeats a name that parsing would lose."""
    try:
        read = json.loads(arguments, object_pairs_hook=_without_repeats)
        return json.dumps(read, indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        return arguments


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) != len(pairs):
        raise ValueError("a name is there twice")
    return read
