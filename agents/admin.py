"""Admin pages of conversations, runs, steps, prices and budgets; people can cancel a run or run it again."""

from django.contrib import admin, messages
from django.db.models import F, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import FieldTextFilter
from unfold.decorators import display

from agents.models import Budget, Conversation, DailyUsage, Message, ModelPrice, Run, Step
from agents.queries import leases, run_requests
from agents.queries.leases import RUNS
from agents.run_filters import CostlyFilter, EndingFilter, SlowFilter
from toolbox.admin_pages.curation import BrowsedAdmin, BrowsedInline, CuratedAdmin, KeptAdmin, MomentFilter
from toolbox.admin_pages.history import PersonFilter
from toolbox.admin_pages.tool_calls import indent_json
from toolbox.database import event_loop
from toolbox.text.redaction import MaskedText
from toolbox.work.publisher import enqueue

MAX_SHOWN = 50_000
STATE_COLOURS = {
    "Queued": "info",
    "Running": "info",
    "Awaiting approval": "warning",
    "Succeeded": "success",
    "Failed": "danger",
    "Cancelled": "warning",
    "Timed out": "danger",
}


class MessageInline(BrowsedInline):
    """The messages of a conversation."""

    model = Message
    fields = ["number", "role", "text", "created_at"]
    readonly_fields = ["created_at"]
    ordering = ["number"]
    per_page = 50


class StepInline(BrowsedInline):
    """The steps of a run in order, each with a link to its arguments and answer."""

    model = Step
    fields = ["number", "kind", "link", "state", "code", "milliseconds", "prompt_tokens", "completion_tokens"]
    readonly_fields = ["link"]
    ordering = ["number"]
    per_page = 100

    @admin.display(description="call")
    def link(self, step: Step) -> SafeString:
        """Link to the step's own page."""
        return format_html(
            '<a href="{}">{}</a>', reverse("admin:agents_step_change", args=[step.pk]), step.tool or "model"
        )


@admin.register(Conversation)
class ConversationAdmin(KeptAdmin):
    """Conversations with their owners and policies."""

    notice = "Begun by REST or manage.py chat. A conversation without an owner is the local operator's."
    list_display = ["title_or_id", "owner", "message_count", "model", "second_message", "updated_at"]
    list_filter = [PersonFilter, ("updated_at", MomentFilter)]
    list_select_related = ["owner"]
    search_fields = ["title", "id"]
    ordering = ["-updated_at"]
    fields = [
        ("title", "owner"),
        ("model", "second_message"),
        ("toolkits", "approve_tools"),
        ("max_steps", "max_tokens"),
        ("max_cost", "max_total_tokens", "max_total_cost"),
        ("max_seconds", "max_answer_bytes"),
        ("forked_from", "message_count"),
        ("created_at", "updated_at"),
    ]
    inlines = [MessageInline]

    @admin.display(description="conversation", ordering="title")
    def title_or_id(self, conversation: Conversation) -> str:
        """Return the title, or the id if there is none."""
        return str(conversation)


@admin.register(Run)
class RunAdmin(KeptAdmin):
    """Runs: the question, the outcome, the time and the cost."""

    notice = "Written by the workers. Cancelling takes effect within a second; running again asks anew."
    list_display = [
        "question_start", "state_label", "error_code", "step_total", "tokens", "cost_rounded", "seconds", "attempt",
        "created_at",
    ]  # fmt: skip
    list_filter = [
        EndingFilter,
        SlowFilter,
        CostlyFilter,
        ("error_code", FieldTextFilter),
        ("model", FieldTextFilter),
        ("created_at", MomentFilter),
    ]
    list_select_related = ["question"]
    search_fields = ["id", "question__text", "error"]
    search_help_text = "Run id, or words of the question or the error"
    ordering = ["-created_at"]
    actions = ["cancel", "run_again"]
    exports = [
        "id", "conversation_id", "question__text", "state", "error_code", "error", "model", "step_count",
        "prompt_tokens", "completion_tokens", "estimated_tokens", "cost", "created_at", "started_at", "finished_at",
    ]  # fmt: skip
    fields = [
        "question_start",
        ("state", "attempt"),
        ("error_code", "error"),
        ("conversation", "key_id"),
        ("model", "worker"),
        ("prompt_tokens", "completion_tokens"),
        ("estimated_tokens", "cost"),
        "losses",
        ("created_at", "started_at"),
        ("heartbeat_at", "finished_at"),
    ]
    inlines = [StepInline]

    def has_delete_permission(self, request: HttpRequest, obj: Run | None = None) -> bool:
        """Refuse: a run is deleted with its conversation."""
        return False

    @admin.action(description="Cancel the selected runs", permissions=["change"])
    def cancel(self, request: HttpRequest, chosen: QuerySet[Run]) -> None:
        """Cancel the runs that have not ended."""
        live = [run for run in chosen if run.finished_at is None]
        for run in live:
            if following := event_loop.run(leases.cancel(run.pk)):
                enqueue(RUNS, work_id=following)
            self.log_change(request, run, "Cancelled.")
        messages.success(request, f"{len(live)} cancelled; {len(chosen) - len(live)} had ended before.")

    @admin.action(description="Run the selected questions again", permissions=["change"])
    def run_again(self, request: HttpRequest, chosen: QuerySet[Run]) -> None:
        """Queue a new run of each question, with the rights of the key that asked it."""
        repeated = [(run, event_loop.run(run_requests.run_again(run.pk))) for run in chosen]
        made = [(run, again) for run, again in repeated if again]
        for run, again in made:
            enqueue(RUNS, work_id=again)
            self.log_change(request, run, f"Run again as {again}.")
        messages.success(request, f"{len(made)} queued again.")

    @admin.display(description="question")
    def question_start(self, run: Run) -> str:
        """Return the beginning of the question."""
        text = run.question.text
        return text if len(text) <= 100 else f"{text[:100]}…"  # noqa: PLR2004 - a line's width

    @display(description="state", ordering="state", label=STATE_COLOURS)  # type: ignore[untyped-decorator]
    def state_label(self, run: Run) -> str:
        """Return the state; unfold colours it."""
        return run.get_state_display()

    @admin.display(description="steps", ordering="step_count")
    def step_total(self, run: Run) -> int:
        """Return the number of steps."""
        return run.step_count

    @admin.display(description="tokens", ordering=F("prompt_tokens") + F("completion_tokens"))
    def tokens(self, run: Run) -> str:
        """Return the tokens read and written together."""
        return f"{run.prompt_tokens + run.completion_tokens:,}"

    @admin.display(description="cost", ordering="cost")
    def cost_rounded(self, run: Run) -> str:
        """Return the cost to four decimals."""
        return f"{run.cost:.4f}" if run.cost else ""

    @admin.display(description="seconds")
    def seconds(self, run: Run) -> str:
        """Return the time from the first worker's claim to the end."""
        if run.started_at is None or run.finished_at is None:
            return ""
        return f"{(run.finished_at - run.started_at).total_seconds():,.1f}"


@admin.register(Step)
class StepAdmin(BrowsedAdmin):
    """One call of a model or tool: its arguments and its answer."""

    notice = "Secrets are blanked here. Answers are kept whole, and shown up to 50,000 characters."
    list_display = ["run", "number", "tool_or_model", "state", "code", "milliseconds", "created_at"]
    list_filter = [("tool", FieldTextFilter), ("code", FieldTextFilter), ("created_at", MomentFilter)]
    list_select_related = ["run"]
    search_fields = ["idempotency_key"]
    ordering = ["-id"]
    fields = [
        ("run", "number"),
        ("kind", "tool"),
        ("state", "code"),
        ("milliseconds", "attempt"),
        ("prompt_tokens", "completion_tokens", "is_estimated"),
        "arguments_block",
        "edited_block",
        ("approved_by", "approved_scopes"),
        ("approved_at", "approval_used_at"),
        "word",
        "answer_block",
        "shortened_block",
        ("created_at", "finished_at"),
    ]

    @admin.display(description="call", ordering="tool")
    def tool_or_model(self, step: Step) -> str:
        """Return the tool's name, or "model"."""
        return step.tool or "model"

    @admin.display(description="arguments")
    def arguments_block(self, step: Step) -> SafeString:
        """Show the model's arguments."""
        return _block(step.arguments)

    @admin.display(description="arguments as a person changed them")
    def edited_block(self, step: Step) -> SafeString:
        """Show a person's changed arguments."""
        return _block(step.edited_arguments)

    @admin.display(description="answer")
    def answer_block(self, step: Step) -> SafeString:
        """Show the answer."""
        return _block(step.answer)

    @admin.display(description="what the model saw of it")
    def shortened_block(self, step: Step) -> SafeString:
        """Show the shortened answer, if it was too long for the model."""
        return _block(step.shown)


@admin.register(ModelPrice)
class ModelPriceAdmin(CuratedAdmin):
    """Prices of models, each from a day on."""

    notice = "For a million tokens. The latest day that has come counts; calls made before keep their price."
    list_display = ["model_name", "valid_from", "prompt_price", "completion_price"]
    search_fields = ["model"]
    ordering = ["model", "-valid_from"]

    @admin.display(description="model", ordering="model")
    def model_name(self, price: ModelPrice) -> str:
        """Return the model's name."""
        return price.model or "Every other model"


@admin.register(Budget)
class BudgetAdmin(CuratedAdmin):
    """Budgets of tokens and cost for the runs of a key or of the whole server."""

    notice = (
        "Looked at before each call of the model, which may take no more than is left. "
        "Limits of one run and of one conversation stand at the conversation."
    )
    list_display = ["__str__", "max_tokens", "max_cost"]
    list_select_related = ["key"]
    ordering = ["id"]


@admin.register(DailyUsage)
class DailyUsageAdmin(BrowsedAdmin):
    """Tokens and cost of the models, by day and key."""

    notice = "Counted by the database as calls of the model end. Key 0 is everybody without a key."
    list_display = [
        "day", "key_id", "calls", "prompt_tokens", "completion_tokens", "estimated_tokens", "cost", "reserved_tokens",
    ]  # fmt: skip
    list_display_links = None
    ordering = ["-day", "key_id"]
    exports = ["day", "key_id", "calls", "prompt_tokens", "completion_tokens", "estimated_tokens", "cost"]


def _block(text: str) -> SafeString:
    cut = indent_json(MaskedText(text[:MAX_SHOWN]))
    return format_html('<pre class="whitespace-pre-wrap break-all">{}</pre>', cut)
