"""
Conversations, their messages, the runs that answer them, and each run's steps and events.

A run's row is authoritative, not the broker's message. `attempt` is the fencing token: the worker that claims a run
raises it, and every write names its attempt, so that a worker taken for dead cannot write any more.
"""

import uuid

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from toolbox.models import ApiKey

LIVE = ["queued", "running", "awaiting_approval"]
"""States of a run that has not ended."""
FINAL = ["succeeded", "failed", "cancelled", "timed_out"]
"""States of a run that has ended."""


class Conversation(models.Model):
    """A person's conversation: its tools, its model, and the budgets of each run."""

    class SecondMessage(models.TextChoices):
        """What happens to a message that arrives while another is being answered."""

        WAIT = "wait", "It waits"
        REPLACE = "replace", "It replaces the other"
        REFUSE = "refuse", "It is refused"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, blank=True, related_name="conversations",
        help_text="Empty: the local operator.",
    )  # fmt: skip
    title = models.CharField(max_length=200, blank=True)
    toolkits = ArrayField(models.CharField(max_length=60), blank=True, default=list, help_text="Empty: every domain.")
    model = models.CharField(max_length=200, blank=True, help_text="Empty: the model that the server names.")
    max_steps = models.PositiveIntegerField(default=24, help_text="Model calls and tool calls of one run, together.")
    max_tokens = models.PositiveIntegerField(default=200_000, help_text="Tokens in and out, of one run.")
    max_cost = models.DecimalField(
        max_digits=16, decimal_places=8, null=True, blank=True, help_text="Cost of one run. Empty: no limit."
    )
    max_total_tokens = models.PositiveBigIntegerField(
        null=True, blank=True, help_text="Tokens of all its runs together. Empty: no limit."
    )
    max_total_cost = models.DecimalField(
        max_digits=16, decimal_places=8, null=True, blank=True, help_text="Cost of all its runs. Empty: no limit."
    )
    max_seconds = models.PositiveIntegerField(
        default=300, help_text="Seconds that one run may take, without the wait for approval."
    )
    max_answer_bytes = models.PositiveIntegerField(
        default=20_000, help_text="What the model sees of one tool's answer; the whole is kept."
    )
    approve_tools = ArrayField(
        models.CharField(max_length=200), blank=True, default=list,
        help_text="Tools that wait for approval, beside those that write.",
    )  # fmt: skip
    second_message = models.CharField(max_length=10, choices=SecondMessage.choices, default=SecondMessage.WAIT)
    message_count = models.PositiveIntegerField(default=0, editable=False)
    is_shared = models.BooleanField(
        default=False, db_default=False, help_text="Everybody who is logged in and has its address may read it."
    )
    forked_from = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, blank=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        db_table = "agents_conversations"
        indexes = [models.Index(fields=["owner", "-updated_at", "id"], name="agents_conversations_recent")]
        constraints = [
            models.CheckConstraint(
                name="agents_conversations_second",
                condition=Q(second_message__in=["wait", "replace", "refuse"]),
            ),
            models.CheckConstraint(
                name="agents_conversations_budgets",
                condition=Q(max_steps__gt=0, max_tokens__gt=0, max_seconds__gt=0, max_answer_bytes__gte=1_000),
            ),
        ]

    def __str__(self) -> str:
        return self.title or f"Conversation {self.id}"


class Message(models.Model):
    """What a person said or a run answered; an answer names the message that it `answers`."""

    class Role(models.TextChoices):
        """Who said it."""

        USER = "user"
        ASSISTANT = "assistant"

    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="messages")
    number = models.PositiveIntegerField()
    role = models.CharField(max_length=10, choices=Role.choices)
    text = models.TextField()
    answers = models.ForeignKey("self", on_delete=models.CASCADE, null=True, blank=True, related_name="answered_by")
    run = models.ForeignKey("Run", on_delete=models.SET_NULL, null=True, blank=True, related_name="answer_messages")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "agents_messages"
        constraints = [
            models.UniqueConstraint(name="agents_messages_once", fields=["conversation", "number"]),
            models.CheckConstraint(
                name="agents_messages_role",
                condition=Q(role="user", answers__isnull=True) | Q(role="assistant", answers__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.number} {self.role}: {self.text[:60]}"


class Run(models.Model):
    """One execution that answers a message."""

    class State(models.TextChoices):
        """
        The state of a run.

        queued -> running -> awaiting_approval -> queued ...; succeeded, failed, cancelled and timed_out are final. A
        trigger (migration 0002) refuses every other transition.
        """

        QUEUED = "queued"
        RUNNING = "running"
        AWAITING_APPROVAL = "awaiting_approval", "Awaiting approval"
        SUCCEEDED = "succeeded"
        FAILED = "failed"
        CANCELLED = "cancelled"
        TIMED_OUT = "timed_out", "Timed out"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="runs")
    question = models.ForeignKey(Message, on_delete=models.CASCADE, related_name="runs")
    key_id = models.BigIntegerField(null=True, help_text="The API key whose scopes it has; empty: the local operator.")
    state = models.CharField(max_length=20, choices=State.choices, default=State.QUEUED)
    attempt = models.PositiveIntegerField(default=0, help_text="How often a worker took it up; the fence.")
    losses = models.PositiveIntegerField(default=0, help_text="How often it was taken back from a worker that died.")
    worker = models.CharField(max_length=200, blank=True)
    model = models.CharField(max_length=200, blank=True, help_text="The model that answered last.")
    created_at = models.DateTimeField()
    enqueued_at = models.DateTimeField(null=True)
    enqueues = models.PositiveIntegerField(default=0, help_text="How often the broker was told of it in vain.")
    started_at = models.DateTimeField(null=True)
    heartbeat_at = models.DateTimeField(null=True)
    paused_at = models.DateTimeField(null=True)
    deadline_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    event_count = models.PositiveIntegerField(default=0)
    step_count = models.PositiveIntegerField(default=0)
    prompt_tokens = models.PositiveBigIntegerField(default=0)
    completion_tokens = models.PositiveBigIntegerField(default=0)
    cost = models.DecimalField(
        max_digits=16, decimal_places=8, default=0, help_text="By the prices the server was given."
    )
    estimated_tokens = models.PositiveBigIntegerField(
        default=0, db_default=0, help_text="Of these, counted by length: the server did not say."
    )
    reserved_on = models.DateField(
        null=True, editable=False, help_text="The day whose budgets hold what its call of the model may take."
    )
    reserved_tokens = models.PositiveBigIntegerField(default=0, db_default=0, editable=False)
    reserved_cost = models.DecimalField(max_digits=16, decimal_places=8, default=0, db_default=0, editable=False)
    prompt_price = models.DecimalField(max_digits=16, decimal_places=8, default=0, db_default=0, editable=False)
    completion_price = models.DecimalField(max_digits=16, decimal_places=8, default=0, db_default=0, editable=False)
    streamed_prompt_tokens = models.PositiveBigIntegerField(default=0, db_default=0, editable=False)
    streamed_completion_tokens = models.PositiveBigIntegerField(default=0, db_default=0, editable=False)
    streamed_is_estimated = models.BooleanField(default=False, db_default=False, editable=False)
    error_code = models.CharField(max_length=60, blank=True)
    error = models.TextField(blank=True, help_text="What went wrong, in a sentence.")

    class Meta:
        verbose_name = "agent run"
        db_table = "agents_runs"
        indexes = [
            models.Index(fields=["conversation", "created_at"], name="agents_runs_conversation"),
            models.Index(
                fields=["state", "created_at"],
                name="agents_runs_live",
                condition=Q(state__in=LIVE),
            ),
            models.Index(fields=["-created_at", "state"], name="agents_runs_recent"),
        ]
        constraints = [
            models.CheckConstraint(
                name="agents_runs_state",
                condition=Q(state__in=[*LIVE, *FINAL]),
            ),
            models.CheckConstraint(
                name="agents_runs_finished",
                condition=Q(state__in=LIVE, finished_at__isnull=True) | Q(state__in=FINAL, finished_at__isnull=False),
            ),
            models.CheckConstraint(
                name="agents_runs_beating",
                condition=~Q(state="running") | Q(heartbeat_at__isnull=False, deadline_at__isnull=False),
            ),
            models.CheckConstraint(
                name="agents_runs_paused",
                condition=~Q(state="awaiting_approval") | Q(paused_at__isnull=False),
            ),
            models.CheckConstraint(
                name="agents_runs_said_why",
                condition=~Q(state__in=["failed", "timed_out"]) | ~Q(error=""),
            ),
            models.UniqueConstraint(
                name="agents_runs_one_at_a_time",
                fields=["conversation"],
                condition=Q(state__in=["running", "awaiting_approval"]),
            ),
        ]

    def __str__(self) -> str:
        return f"Run {self.id}: {self.state}"


class Step(models.Model):
    """
    One call of the model or of a tool; committed before the next begins.

    A model step's `answer` is the assistant's message as JSON. The tool calls that it requests become planned steps
    after it, in the same transaction.
    """

    class Kind(models.TextChoices):
        """What the step calls."""

        MODEL = "model"
        TOOL = "tool"

    class State(models.TextChoices):
        """The state of a step."""

        PLANNED = "planned"
        AWAITING_APPROVAL = "awaiting_approval", "Awaiting approval"
        APPROVED = "approved"
        STARTED = "started"
        ANSWERED = "answered"
        REFUSED = "refused"
        REJECTED = "rejected"

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="steps")
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=10, choices=Kind.choices)
    state = models.CharField(max_length=20, choices=State.choices)
    attempt = models.PositiveIntegerField(help_text="The run's attempt that began it last.")
    idempotency_key = models.CharField(max_length=64, unique=True)
    call_id = models.CharField(max_length=200, blank=True, help_text="The model's own name for the call.")
    tool = models.CharField(max_length=200, blank=True)
    arguments = models.TextField(blank=True, help_text="As the model wrote them.")
    edited_arguments = models.TextField(blank=True, help_text="As a person changed them.")
    word = models.TextField(blank=True, help_text="What the person said who rejected it.")
    approval_digest = models.CharField(
        max_length=64, blank=True, default="", db_default="", help_text="SHA-256 of the tool and arguments approved."
    )
    approved_by = models.CharField(max_length=200, blank=True, default="", db_default="")
    approved_key_id = models.BigIntegerField(null=True, help_text="The key of who approved; empty: a person.")
    approved_scopes = models.TextField(
        blank=True, default="", db_default="", help_text="What who approved might do at that moment."
    )
    approved_at = models.DateTimeField(null=True)
    approval_used_at = models.DateTimeField(null=True, help_text="When the approved call was begun; once only.")
    answer = models.TextField(blank=True, help_text="Whole.")
    shown = models.TextField(blank=True, help_text="What the model saw where that is not the whole.")
    code = models.CharField(max_length=60, blank=True)
    milliseconds = models.FloatField(null=True)
    prompt_tokens = models.PositiveIntegerField(default=0)
    completion_tokens = models.PositiveIntegerField(default=0)
    is_estimated = models.BooleanField(
        default=False, db_default=False, help_text="Its tokens were counted by length: the server did not say."
    )
    created_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "agents_steps"
        constraints = [
            models.UniqueConstraint(name="agents_steps_once", fields=["run", "number"]),
            models.CheckConstraint(
                name="agents_steps_kind",
                condition=Q(kind="model", tool="", state__in=["started", "answered"]) | (Q(kind="tool") & ~Q(tool="")),
            ),
            models.CheckConstraint(
                name="agents_steps_finished",
                condition=Q(state__in=["planned", "awaiting_approval", "approved", "started"], finished_at__isnull=True)
                | Q(state__in=["answered", "refused", "rejected"], finished_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.number} {self.tool or self.kind}: {self.state}"


class Event(models.Model):
    """An event that streams of the run send; numbered from 1 in each run, never changed."""

    pk = models.CompositePrimaryKey("run_id", "number")
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="events")
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=40)
    data = models.JSONField()
    at = models.DateTimeField()

    class Meta:
        db_table = "agents_events"

    def __str__(self) -> str:
        return f"{self.run_id} {self.number} {self.kind}"


class ModelPrice(models.Model):
    """The price of a model from a day on; the latest day that has begun counts."""

    model = models.CharField(max_length=200, blank=True, help_text="As AGENT_MODEL names it. Empty: every other model.")
    valid_from = models.DateField(help_text="The first day (UTC) of this price.")
    prompt_price = models.DecimalField(max_digits=16, decimal_places=8, help_text="For a million tokens read.")
    completion_price = models.DecimalField(max_digits=16, decimal_places=8, help_text="For a million tokens written.")

    class Meta:
        db_table = "agents_model_prices"
        constraints = [
            models.UniqueConstraint(name="agents_model_prices_once", fields=["model", "valid_from"]),
            models.CheckConstraint(
                name="agents_model_prices_sign", condition=Q(prompt_price__gte=0, completion_price__gte=0)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.model or 'Every other model'} from {self.valid_from}"


class Budget(models.Model):
    """How many tokens, and at what cost, the runs of a key or of the whole server may use."""

    class Period(models.TextChoices):
        """The period of a budget."""

        DAY = "day", "Each day (UTC)"
        TOTAL = "total", "Altogether"

    key = models.ForeignKey(
        ApiKey, on_delete=models.CASCADE, null=True, blank=True, related_name="+", help_text="Empty: the whole server."
    )
    period = models.CharField(max_length=10, choices=Period.choices, default=Period.DAY)
    max_tokens = models.PositiveBigIntegerField(null=True, blank=True, help_text="Tokens in and out. Empty: no limit.")
    max_cost = models.DecimalField(
        max_digits=16, decimal_places=8, null=True, blank=True, help_text="By the model prices. Empty: no limit."
    )

    class Meta:
        db_table = "agents_budgets"
        constraints = [
            models.UniqueConstraint(name="agents_budgets_once", fields=["key", "period"], nulls_distinct=False),
            models.CheckConstraint(name="agents_budgets_period", condition=Q(period__in=["day", "total"])),
            models.CheckConstraint(
                name="agents_budgets_limit",
                condition=(Q(max_tokens__isnull=False) | Q(max_cost__isnull=False))
                & (Q(max_cost__isnull=True) | Q(max_cost__gte=0)),
                violation_error_message="Give a limit of tokens or of cost.",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.key or 'The whole server'}, {self.get_period_display().lower()}"


class DailyUsage(models.Model):
    """Tokens and cost of the runs of a key on one day (UTC); key 0 is everyone without a key."""

    day = models.DateField()
    key_id = models.BigIntegerField()
    calls = models.PositiveBigIntegerField(default=0, db_default=0)
    prompt_tokens = models.PositiveBigIntegerField(default=0, db_default=0)
    completion_tokens = models.PositiveBigIntegerField(default=0, db_default=0)
    estimated_tokens = models.PositiveBigIntegerField(default=0, db_default=0)
    cost = models.DecimalField(max_digits=20, decimal_places=8, default=0, db_default=0)
    reserved_tokens = models.PositiveBigIntegerField(
        default=0, db_default=0, help_text="What calls that are under way may take."
    )
    reserved_cost = models.DecimalField(max_digits=20, decimal_places=8, default=0, db_default=0)

    class Meta:
        db_table = "agents_daily_usage"
        constraints = [models.UniqueConstraint(name="agents_daily_usage_once", fields=["day", "key_id"])]
        verbose_name_plural = "daily usage"

    def __str__(self) -> str:
        return f"{self.day}, key {self.key_id}"
