"""Admin classes of upstreams, headers, hints, schemas and refusals."""

import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib import admin, messages
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import URLPattern, path, reverse
from django.utils.timesince import timesince
from unfold.decorators import action

from graphql_proxy.fixes.hint_preview import HintPreview, preview_hints
from graphql_proxy.forms import HeaderForm, HintForm, TryForm, UpstreamForm
from graphql_proxy.models import (
    ErrorHint,
    SavedOperation,
    SchemaRefresh,
    SchemaSnapshot,
    Upstream,
    UpstreamHeader,
    UpstreamRefusal,
)
from graphql_proxy.operation_admin import SavedOperationAdmin
from graphql_proxy.upkeep.fetch import find_problem
from graphql_proxy.upstreams import KnownUpstream, open_headers
from toolbox.admin_pages.curation import BrowsedAdmin, CuratedAdmin, CuratedInline, FewValuesFilter, PickFilter
from toolbox.contract.errors import ToolError
from toolbox.database import event_loop

LIMITS = ["timeout_seconds", "cache_seconds", "most_answer_bytes", "most_document_bytes", "most_tokens", "most_depth",
          "most_aliases", "most_root_fields", "most_directives", "most_list_size", "assumed_list_size",
          "most_cost", "size_names", "max_answer_tokens"]  # fmt: skip


class HeaderInline(CuratedInline):
    """The headers of an upstream. Values are write-only."""

    model = UpstreamHeader
    form = HeaderForm
    fields = ["name", "secret", "variable", "state"]
    readonly_fields = ["state"]
    verbose_name_plural = "Headers that are sent along: secrets are kept encrypted and never shown"

    @admin.display(description="value")
    def state(self, row: UpstreamHeader) -> str:
        """Show whether a value is set, never the value."""
        if row.variable:
            return "from the environment" if settings.GRAPHQL_SECRETS.get(row.variable) else "variable is not set"
        return "stored" if row.sealed_value else "none: type it again"


@admin.register(Upstream)
class UpstreamAdmin(CuratedAdmin):
    """Upstreams. Tools see a new one within seconds, without a restart."""

    notice = "Tools see a change within 5 s. An upstream at another host forgets its stored secrets: type them again."
    form = UpstreamForm
    inlines = [HeaderInline]
    list_display = ["slug", "title", "address", "is_enabled", "is_default", "schema_state", "last_refusal"]
    search_fields = ["slug", "title", "address"]
    ordering = ["slug"]
    fieldsets = [
        (None, {"fields": ["slug", "title", "address", "is_enabled", "is_default", "notes"]}),
        ("Who may ask it", {"fields": ["is_open", "keys"]}),
        ("Whose credentials", {"fields": ["caller_header", "needs_caller_credential"]}),
        ("Its schema", {"fields": ["refresh_hours"]}),
        ("What it may be asked", {"fields": ["is_local", "allows_mutations", "allows_introspection"]}),
        ("Limits", {"fields": LIMITS}),
    ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Upstream]:
        """Annotate each row with its newest schema and its newest refusal."""
        newest = SchemaSnapshot.objects.filter(upstream=OuterRef("pk")).order_by("-version")
        refused = UpstreamRefusal.objects.filter(upstream=OuterRef("pk")).order_by("-id")
        rows: QuerySet[Upstream] = super().get_queryset(request)
        return rows.annotate(
            schema_version=Subquery(newest.values("version")[:1]),
            schema_taken_at=Subquery(newest.values("taken_at")[:1]),
            schema_warnings=Subquery(newest.values("warnings")[:1]),
            refused_at=Subquery(refused.values("refused_at")[:1]),
            refused_with=Subquery(refused.values("message")[:1]),
            refresh_problem=Subquery(SchemaRefresh.objects.filter(upstream=OuterRef("pk")).values("problem")[:1]),
        )

    @admin.display(description="schema")
    def schema_state(self, row: Any) -> str:
        """Show the newest schema's version and age, its warnings, and why the last fetch failed."""
        if row.schema_version is None:
            return f"none: {row.refresh_problem}" if row.refresh_problem else "none"
        parts = [f"version {row.schema_version}, {timesince(row.schema_taken_at)} old"]
        if row.schema_warnings:
            parts.append(f"{len(row.schema_warnings)} warnings")
        if row.refresh_problem:
            parts.append(f"last fetch failed: {row.refresh_problem}")
        return "; ".join(parts)

    @admin.display(description="last refusal")
    def last_refusal(self, row: Any) -> str:
        """Show when the upstream last refused a request, and its message."""
        return f"{timesince(row.refused_at)} ago: {row.refused_with[:80]}" if row.refused_at else ""

    def get_readonly_fields(self, request: HttpRequest, obj: Upstream | None = None) -> list[str]:
        """Make the name of an existing upstream read-only: agents use it."""
        return ["slug"] if obj else []

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:  # noqa: FBT001
        """Save the headers. If the origin changed, delete the secrets that were not typed again."""
        super().save_related(request, form, formsets, change)
        self._forget_secrets_of_another_origin(request, form, formsets, change=change)
        _say_whether_it_answers(request, form.instance)

    def _forget_secrets_of_another_origin(
        self, request: HttpRequest, form: Any, formsets: Any, *, change: bool
    ) -> None:
        if not change or _origin(form.initial.get("address", "")) == _origin(form.instance.address):
            return
        typed = [one.instance.pk for formset in formsets for one in formset.forms if one.cleaned_data.get("secret")]
        forgotten = form.instance.headers.exclude(Q(pk__in=typed) | Q(sealed_value=b"")).update(sealed_value=b"")
        if forgotten:
            messages.warning(request, "The upstream stands at another place now, so its stored secrets are forgotten.")


@admin.register(ErrorHint)
class ErrorHintAdmin(CuratedAdmin):
    """Hints, with a page that tries them on an error."""

    notice = "A hint stands beside an upstream's error and never changes it. Tools see a change within 5 s."
    form = HintForm
    list_display = ["name", "order", "layer", "matcher", "lookup", "is_enabled", "upstream"]
    list_filter = ["layer", "is_enabled"]
    list_select_related = ["upstream"]
    search_fields = ["name", "pattern", "hint"]
    ordering = ["order", "id"]
    actions_list = ["try_any"]
    actions_detail = ["try_it"]

    def get_urls(self) -> list[URLPattern]:
        """Add the page that tries hints."""
        page = self.admin_site.admin_view(self.try_page)
        return [path("try/", page, name="graphql_proxy_errorhint_try"), *super().get_urls()]

    @action(description="Try hints on an error", url_path="try-any")  # type: ignore[untyped-decorator]
    def try_any(self, request: HttpRequest) -> HttpResponse:
        """Redirect to the page that tries hints."""
        return redirect(reverse("admin:graphql_proxy_errorhint_try"))

    @action(description="Try it on this error", url_path="try-it")  # type: ignore[untyped-decorator]
    def try_it(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Redirect to that page with this hint's own example."""
        return redirect(f"{reverse('admin:graphql_proxy_errorhint_try')}?hint={int(object_id)}")

    def try_page(self, request: HttpRequest) -> HttpResponse:
        """Show what the enabled hints and the chosen one say about an error."""
        if not self.has_view_permission(request):
            return HttpResponse(status=403)
        number = request.GET.get("hint", "")
        chosen = ErrorHint.objects.filter(pk=int(number)).first() if re.fullmatch("[0-9]{1,17}", number) else None
        initial = {"error": chosen.example if chosen else ""}
        form = TryForm(request.POST or None, initial=initial, upstreams=Upstream.objects.usable())
        tried = _preview_hint(form, chosen=chosen) if form.is_valid() else None
        context = {**self.admin_site.each_context(request), "title": "Try hints on an error", "form": form}
        return render(request, "graphql_proxy/preview_hints.html", context | {"tried": tried})


admin.site.register(SavedOperation, SavedOperationAdmin)


@admin.register(SchemaSnapshot)
class SchemaSnapshotAdmin(BrowsedAdmin):
    """Stored schemas with their changes."""

    notice = "Stored by `manage.py ingest_graphql_schema`. The highest version is the one documents are held to."
    list_display = ["upstream", "version", "query_count", "type_count", "warning_count", "source", "taken_at"]
    list_filter = ["source"]
    list_select_related = ["upstream"]
    ordering = ["upstream", "-version"]
    fields = ["upstream", "version", "digest", "source", "query_count", "type_count", "taken_at",
              "warnings", "changes", "sdl"]  # fmt: skip

    @admin.display(description="warnings")
    def warning_count(self, row: SchemaSnapshot) -> int:
        """Count the warnings about the schema file."""
        return len(row.warnings)


class UpstreamFilter(PickFilter):
    """Refusals of one upstream."""

    title = "upstream"
    parameter_name = "upstream"

    def values(self) -> Iterable[tuple[str, str]]:
        """Name the upstreams."""
        return [(str(upstream.pk), upstream.slug) for upstream in Upstream.objects.order_by("slug")[:200]]


@admin.register(UpstreamRefusal)
class UpstreamRefusalAdmin(BrowsedAdmin):
    """Recent refusals of upstreams, with the corrected document that was offered."""

    notice = "The newest 200 refusals of each upstream. The request id leads to the call in the audit log."
    list_display = ["refused_at", "upstream", "rule", "coordinate", "message", "has_fix"]
    list_filter = [UpstreamFilter, ("rule", FewValuesFilter)]
    list_select_related = ["upstream"]
    search_fields = ["message", "coordinate", "request_id"]
    ordering = ["-id"]
    fields = ["upstream", "refused_at", "message", "rule", "coordinate", "hint", "offered", "request_id"]

    @admin.display(description="fix offered", boolean=True)
    def has_fix(self, row: UpstreamRefusal) -> bool:
        """Return whether a corrected document was offered."""
        return bool(row.offered)


def _preview_hint(form: TryForm, *, chosen: ErrorHint | None) -> HintPreview:
    """Match the enabled hints and the chosen one against the error of the form."""
    upstream = form.cleaned_data["upstream"]
    enabled = Q(is_enabled=True) & (Q(upstream=None) | Q(upstream=upstream))
    rows = ErrorHint.objects.filter(enabled | Q(pk=chosen.pk if chosen else None)).order_by("order", "id")[:500]
    slug = upstream.slug if upstream else None
    return preview_hints(form.cleaned_data["error"], rows=list(rows), query=form.cleaned_data["query"], slug=slug)


def _say_whether_it_answers(request: HttpRequest, row: Upstream) -> None:
    """Test whether the saved upstream answers. An upstream that does not answer stays saved."""
    if not row.is_enabled or row.needs_caller_credential:
        return
    upstream = KnownUpstream.from_row(row)
    rows: list[dict[str, Any]] = [dict(one) for one in row.headers.values("name", "sealed_value", "variable")]
    try:
        problem = event_loop.run(find_problem(upstream, secrets=open_headers(upstream, rows=rows)))
    except ToolError as refused:
        problem = refused.message
    if problem:
        messages.warning(request, f"{row.slug} does not answer as a GraphQL API: {problem}")
    else:
        messages.success(request, f"{row.slug} answers.")


def _origin(address: str) -> tuple[str, str]:
    parts = urlsplit(address)
    return parts.scheme.lower(), parts.netloc.lower()
