"""Admin class of saved operations, which are tools. Registered by graphql_proxy.admin."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from graphql import GraphQLSchema
from unfold.widgets import UnfoldAdminTextareaWidget

from graphql_proxy.models import SavedOperation, SchemaSnapshot, Upstream
from graphql_proxy.operations.dynamic_tools import NotATool, check_contract_document, check_operation
from graphql_proxy.schema.parsing import read_stored
from toolbox.admin_pages.curation import CuratedAdmin
from toolbox.catalogue.dynamic_tools import dynamic_tools
from toolbox.catalogue.registry import registry
from toolbox.database import event_loop

DOMAIN = "graphql_proxy"


class OperationForm(forms.ModelForm):  # type: ignore[type-arg]
    """A document with its parameters and its mapping; refused unless it can be offered as a tool."""

    class Meta:
        model = SavedOperation
        fields = ["name", "is_enabled", "upstream", "description", "document", "variables_schema", "example",
                  "result_mapping"]  # fmt: skip
        widgets = {
            "document": UnfoldAdminTextareaWidget(attrs={"rows": 16, "spellcheck": "false", "class": "font-mono"}),
        }

    def clean(self) -> dict[str, Any]:
        """Run every check that offering the row as a tool needs."""
        cleaned: dict[str, Any] = super().clean() or {}
        if self.errors:
            return cleaned
        row = cleaned | {"slug": cleaned["upstream"].slug if cleaned.get("upstream") else None}
        row["name"] = cleaned.get("name") or self.instance.name
        try:
            if self.instance.is_contract:
                check_contract_document(row)
            elif cleaned["is_enabled"]:
                _refuse_clash(row["name"])
                check_operation(row, schema=_schema_of(cleaned.get("upstream")))
        except NotATool as unusable:
            raise ValidationError(str(unusable)) from unusable
        return cleaned


class SavedOperationAdmin(CuratedAdmin):
    """Saved operations."""

    notice = (
        "An enabled row is a tool within a second, on every transport, in every process. The rows of the contract's "
        "six tools are their documents; their parameters belong to the tools."
    )
    form = OperationForm
    list_display = ["name", "upstream", "is_enabled", "state"]
    list_select_related = ["upstream"]
    search_fields = ["name", "description"]
    ordering = ["name"]

    def state(self, row: SavedOperation) -> str:
        """Show whether this process offers the tool now, or why not."""
        if not row.is_enabled:
            return "off"
        if row.is_contract:
            return "document of a tool"
        event_loop.run(dynamic_tools.wait_until_loaded())
        if registry.find(row.name, domain=DOMAIN):
            return "offered"
        skipped = {one.name: one.reason for one in registry.find_skipped(domain=DOMAIN)}
        return f"not offered: {skipped.get(row.name, 'not loaded yet')}"

    def get_readonly_fields(self, request: HttpRequest, obj: SavedOperation | None = None) -> list[str]:
        """Make the contract's names read-only, and the fields that determine their tools' parameters."""
        return ["name", "variables_schema"] if obj and obj.is_contract else []

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Refuse to delete the contract's rows. They can be disabled."""
        allowed: bool = super().has_delete_permission(request, obj)
        return allowed and not (isinstance(obj, SavedOperation) and obj.is_contract)


def _refuse_clash(name: str) -> None:
    if any(tool.name == name for tool in registry.tools()):
        raise NotATool("another tool has that name")
    if any(tool.name == name and tool.domain != DOMAIN for tool in registry.dynamic_tools()):
        raise NotATool("another tool has that name")


def _schema_of(upstream: Upstream | None) -> GraphQLSchema | None:
    newest = SchemaSnapshot.newest_of(upstream)
    return read_stored(newest.sdl) if newest else None
