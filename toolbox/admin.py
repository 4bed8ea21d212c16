"""Admin pages of API keys, calls, people and groups."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.http import HttpRequest
from django.utils.html import format_html
from unfold.contrib.filters.admin import FieldTextFilter
from unfold.decorators import display
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget

from toolbox.access import keys
from toolbox.access.scopes import list_known_scopes
from toolbox.admin_pages.curation import CuratedAdmin, KeptAdmin, MomentFilter
from toolbox.admin_pages.examples import ExampleAdmin
from toolbox.admin_pages.history import HistoryAdmin, PersonFilter
from toolbox.admin_pages.jobs import JobAdmin
from toolbox.admin_pages.name_aliases import NameAliasAdmin
from toolbox.admin_pages.prompts import PromptAdmin
from toolbox.admin_pages.server_processes import ServerProcessAdmin
from toolbox.admin_pages.tool_calls import DomainFilter, ToolCallAdmin
from toolbox.database import event_loop
from toolbox.models import ApiKey, CuratedPrompt, Example, NameAlias, ServerProcess, Task, ToolCall
from toolbox.work import task_queries

__all__ = ["ApiKeyAdmin", "HistoryAdmin", "JobAdmin", "PersonAdmin", "RoleAdmin", "ToolCallAdmin"]

admin.site.unregister(User)
admin.site.unregister(Group)
admin.site.register(Example, ExampleAdmin)
admin.site.register(CuratedPrompt, PromptAdmin)
admin.site.register(NameAlias, NameAliasAdmin)
admin.site.register(ToolCall, ToolCallAdmin)
admin.site.register(ServerProcess, ServerProcessAdmin)


@admin.register(User)
class PersonAdmin(UserAdmin, CuratedAdmin):  # type: ignore[type-arg,misc]
    """People who may log in."""

    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    filter_horizontal = ["user_permissions"]
    list_filter = ["is_staff", "is_superuser", "is_active"]


@admin.register(Group)
class RoleAdmin(GroupAdmin, CuratedAdmin):  # type: ignore[misc]
    """Groups: permissions under one name."""


class ApiKeyForm(forms.ModelForm):  # type: ignore[type-arg]
    """Form of a key; scopes are checkboxes."""

    scopes = forms.MultipleChoiceField(
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
        help_text="What the key may do; * stands for every domain, those to come included. Write does not imply read.",
    )

    class Meta:
        model = ApiKey
        fields = [
            "name",
            "owner",
            "scopes",
            "calls_per_minute",
            "default_workspace",
            "default_upstream",
            "expires_at",
            "revoked_at",
        ]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        scopes: Any = self.fields["scopes"]
        given = self.instance.scopes or []
        scopes.choices = [(scope, scope) for scope in dict.fromkeys([*list_known_scopes(), *given])]

    def clean_calls_per_minute(self) -> int | None:
        """Refuse a limit of zero calls."""
        limit: int | None = self.cleaned_data["calls_per_minute"]
        if limit == 0:
            raise ValidationError("At least 1, or empty for no limit. To stop a key, revoke it.")
        return limit


@admin.register(ApiKey)
class ApiKeyAdmin(CuratedAdmin):
    """API keys; the key itself is shown once, when it is created."""

    notice = "A key is shown once, right after it is made; only its hash is kept. A lost key is revoked and replaced."
    form = ApiKeyForm
    fields = [*ApiKeyForm.Meta.fields, "start", "created_at"]
    readonly_fields = ["start", "created_at"]
    list_display = ["name", "start", "owner", "scope_list", "calls_per_minute", "expires_at", "revoked_at"]
    list_select_related = ["owner"]
    list_filter = [PersonFilter, ("expires_at", MomentFilter), ("revoked_at", admin.EmptyFieldListFilter)]
    search_fields = ["name", "start", "owner__username"]
    autocomplete_fields = ["owner"]
    ordering = ["-created_at"]
    actions = ["revoke"]

    def get_fields(self, request: HttpRequest, obj: ApiKey | None = None) -> list[str]:
        """Return the fields, without those that a new key cannot have yet."""
        later = {"revoked_at", "start", "created_at"}
        return [name for name in self.fields if obj or name not in later]

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """Preset the owner to the person who creates the key."""
        initial: dict[str, Any] = super().get_changeform_initial_data(request)
        return {"owner": request.user.pk} | initial

    def save_model(self, request: HttpRequest, obj: ApiKey, form: ApiKeyForm, change: bool) -> None:  # noqa: FBT001
        """Create the key and show it once; or save changes."""
        if change:
            super().save_model(request, obj, form, change)
            keys.forget()
            return
        row, key = ApiKey.make(
            name=obj.name,
            owner_id=obj.owner_id,
            scopes=obj.scopes,
            calls_per_minute=obj.calls_per_minute,
            expires_at=obj.expires_at,
            default_workspace=obj.default_workspace,
            default_upstream=obj.default_upstream,
        )
        obj.pk, obj.start, obj.created_at = row.pk, row.start, row.created_at
        words = "This is the key of {}. Keep it now; it cannot be shown again: <code>{}</code>"
        messages.warning(request, format_html(words, obj.name, key))

    @admin.action(description="Revoke the selected keys", permissions=["change"])
    def revoke(self, request: HttpRequest, chosen: QuerySet[ApiKey]) -> None:
        """Revoke the keys that are still valid, and note it in each one's history."""
        ended = list(chosen.filter(revoked_at=None))
        ApiKey.objects.filter(pk__in=[row.pk for row in ended]).update(revoked_at=Now())
        for row in ended:
            self.log_change(request, row, "Revoked.")
        keys.forget()
        messages.success(request, f"{len(ended)} revoked; other processes follow within 5 s.")

    @admin.display(description="scopes")
    def scope_list(self, row: ApiKey) -> str:
        """Return the scopes in one line."""
        return ", ".join(row.scopes)


TASK_COLOURS = {
    "Queued": "info",
    "Running": "info",
    "Input Required": "warning",
    "Completed": "success",
    "Failed": "danger",
    "Cancelled": "warning",
}


@admin.register(Task)
class TaskAdmin(KeptAdmin):
    """Calls that workers execute as MCP tasks."""

    notice = (
        "Written by the server. Cancelling takes effect within some seconds, also on the run that an agent's task is. "
        "A task is forgotten a day after its last change."
    )
    list_display = ["created_at", "caller", "tool", "status_label", "progress", "changed_at", "attempt", "request_id"]
    actions = ["cancel"]
    list_filter = [DomainFilter, "state", ("caller", FieldTextFilter), ("created_at", MomentFilter)]
    search_fields = ["request_id", "caller", "tool"]
    search_help_text = "Request id, caller or tool"
    ordering = ["-created_at"]
    fields = [
        ("id", "request_id"),
        ("caller", "key_id"),
        ("domain", "tool"),
        ("state", "attempt"),
        ("worker", "losses"),
        "progress",
        ("created_at", "changed_at", "heartbeat_at"),
        "arguments",
        "inquiries",
        "answers",
        "outcome",
    ]

    @admin.action(description="Cancel the selected tasks", permissions=["change"])
    def cancel(self, request: HttpRequest, chosen: QuerySet[Task]) -> None:
        """Cancel the tasks that have not ended, as their clients could."""
        ended = [task for task in chosen if event_loop.run(task_queries.cancel_any(task.pk))]
        for task in ended:
            self.log_change(request, task, "Cancelled.")
        messages.success(request, f"{len(ended)} cancelled; {len(chosen) - len(ended)} had ended before.")

    @display(description="status", ordering="state", label=TASK_COLOURS)  # type: ignore[untyped-decorator]
    def status_label(self, task: Task) -> str:
        """Return the status; unfold colours it."""
        return task.get_state_display()
