"""The kernel's tables."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Self

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import HashIndex
from django.core.validators import RegexValidator
from django.db import models

from toolbox.contract.caller import hash_api_key, make_api_key


class ApiKey(models.Model):
    """A key of a person or program. Only its hash is stored; the key itself is shown once, when it is created."""

    name = models.CharField(max_length=100, help_text="Who or what uses it, as the audit will show.")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_keys")
    digest = models.CharField(max_length=64, unique=True, editable=False)
    start = models.CharField(max_length=12, editable=False, help_text="The first characters, to recognise it by.")
    scopes = ArrayField(
        models.CharField(max_length=60), help_text="domain:read or domain:write, by comma; * stands for every domain."
    )
    calls_per_minute = models.PositiveIntegerField(null=True, blank=True, help_text="Empty: no limit.")
    default_workspace = models.CharField(
        max_length=60, blank=True, default="", help_text="Whose files are meant where a call names no workspace."
    )
    default_upstream = models.CharField(
        max_length=60, blank=True, default="", help_text="Who is asked where a call names no upstream."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True, help_text="Empty: never.")
    revoked_at = models.DateTimeField(null=True, blank=True, help_text="Set to end the key; takes effect within 5 s.")

    class Meta:
        db_table = "toolbox_api_keys"
        verbose_name = "API key"
        constraints = [
            models.CheckConstraint(
                name="toolbox_api_keys_limit_positive",
                condition=models.Q(calls_per_minute__isnull=True) | models.Q(calls_per_minute__gt=0),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.start}…)"

    @classmethod
    def make(
        cls,
        *,
        name: str,
        owner_id: int,
        scopes: Iterable[str],
        calls_per_minute: int | None = None,
        expires_at: datetime | None = None,
        default_workspace: str = "",
        default_upstream: str = "",
        key: str = "",
    ) -> tuple[Self, str]:
        """Create a key; returns its row and the key, which cannot be read again."""
        key = key or make_api_key()
        row = cls.objects.create(
            name=name,
            owner_id=owner_id,
            scopes=sorted(set(scopes)),
            calls_per_minute=calls_per_minute,
            expires_at=expires_at,
            default_workspace=default_workspace,
            default_upstream=default_upstream,
            digest=hash_api_key(key),
            start=key[:8],
        )
        return row, key


class ToolCall(models.Model):
    """One call, on any transport. Written by toolbox.audit.log and never edited."""

    class Outcome(models.TextChoices):
        """How a call ended."""

        ANSWERED = "answered"
        REFUSED = "refused"
        FAILED = "failed"
        CANCELLED = "cancelled"
        CONTINUED = "continued"
        UNKNOWN = "unknown", "Outcome unknown"
        """A writing call that has not ended: its process works on it, or was killed."""

    called_at = models.DateTimeField(db_index=True)
    request_id = models.CharField(max_length=64)
    caller = models.CharField(max_length=100, help_text="The key's name, `local`, or empty where nobody was known.")
    key_id = models.BigIntegerField(null=True, help_text="The API key's id; kept when the key is deleted.")
    transport = models.CharField(max_length=20)
    domain = models.CharField(max_length=60)
    tool = models.CharField(max_length=200)
    arguments = models.TextField(help_text="As sent, cut at 4,096 characters, secrets blanked.")
    outcome = models.CharField(max_length=20, choices=Outcome.choices)
    code = models.CharField(max_length=60, blank=True)
    status = models.PositiveSmallIntegerField()
    rows = models.PositiveIntegerField(null=True)
    answer_bytes = models.PositiveIntegerField()
    milliseconds = models.FloatField()
    is_known = models.BooleanField(
        default=True, db_default=True, help_text="There is such a tool or address; otherwise the name is the caller's."
    )
    idempotency_key = models.CharField(
        max_length=64,
        blank=True,
        default="",
        db_default="",
        help_text="Of a call that writes: the same for every attempt at it.",
    )
    heartbeat_at = models.DateTimeField(
        null=True, help_text="Of a call that writes: when its process was last known to be at it."
    )

    class Meta:
        db_table = "toolbox_tool_calls"
        indexes = [
            models.Index(fields=["tool", "-called_at"], name="toolbox_tool_calls_tool"),
            models.Index(fields=["key_id", "-called_at"], name="toolbox_tool_calls_key"),
            HashIndex(fields=["request_id"], name="toolbox_tool_calls_request"),
            models.Index(fields=["outcome", "-called_at"], condition=~models.Q(outcome="answered"), name="calls_end"),
            models.Index(fields=["code", "-called_at"], condition=~models.Q(code=""), name="calls_code"),
        ]

    def __str__(self) -> str:
        return f"{self.tool} {self.outcome} {self.called_at:%Y-%m-%d %H:%M:%S}"


class CallCount(models.Model):
    """
    Counts of calls by hour, day or ever, and by duration bucket; kept by a trigger, so that no page reads calls.

    Retention lowers no count. Unknown names are counted under the empty name.
    """

    pk = models.CompositePrimaryKey("grain", "began_at", "domain", "tool", "outcome", "code", "bucket")
    grain = models.CharField(max_length=4)
    began_at = models.DateTimeField()
    domain = models.CharField(max_length=60)
    tool = models.CharField(max_length=200)
    outcome = models.CharField(max_length=20)
    code = models.CharField(max_length=60)
    bucket = models.PositiveSmallIntegerField(
        help_text="Which of toolbox.audit.traffic.BOUNDS the calls took at least."
    )
    calls = models.PositiveBigIntegerField()
    milliseconds = models.FloatField(help_text="All of them together.")

    class Meta:
        db_table = "toolbox_call_counts"

    def __str__(self) -> str:
        return f"{self.tool} {self.outcome} {self.grain} {self.began_at:%Y-%m-%d %H}h: {self.calls}"


class Job(models.Model):
    """Work that a person starts and a worker does (toolbox/work/jobs.py)."""

    class State(models.TextChoices):
        """The state; the last three are final."""

        QUEUED = "queued"
        RUNNING = "running"
        SUCCEEDED = "succeeded"
        FAILED = "failed"
        CANCELLED = "cancelled"

    kind = models.CharField(max_length=60)
    arguments = models.JSONField(default=dict)
    file = models.BinaryField(null=True, editable=False, help_text="What came with it, until it has ended.")
    file_name = models.CharField(max_length=255, blank=True)
    started_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    state = models.CharField(max_length=20, choices=State.choices, default=State.QUEUED)
    attempt = models.PositiveIntegerField(default=0, help_text="How often a worker took it up; the fence.")
    losses = models.PositiveIntegerField(
        default=0, db_default=0, help_text="How often it was taken back from a worker that died."
    )
    worker = models.CharField(max_length=200, blank=True)
    step = models.CharField(max_length=200, blank=True)
    done = models.PositiveBigIntegerField(default=0)
    expected = models.PositiveBigIntegerField(default=0)
    summary = models.TextField(blank=True)
    details = models.TextField(blank=True, help_text="What did not go in, and why.")
    created_at = models.DateTimeField(auto_now_add=True)
    enqueued_at = models.DateTimeField(null=True)
    enqueues = models.PositiveIntegerField(
        default=0, db_default=0, help_text="How often the broker was told of it in vain."
    )
    started_at = models.DateTimeField(null=True)
    heartbeat_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "toolbox_jobs"
        indexes = [
            models.Index(fields=["-created_at"], name="toolbox_jobs_recent"),
            models.Index(
                fields=["state"], name="toolbox_jobs_live", condition=models.Q(state__in=["queued", "running"])
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"

    @classmethod
    def find_latest(cls) -> "list[Job]":
        """Return the last eight jobs, without their files."""
        return list(cls.objects.defer("file").order_by("-created_at")[:8])

    @property
    def is_live(self) -> bool:
        """Return whether it is queued or running."""
        return self.state in (self.State.QUEUED, self.State.RUNNING)

    @property
    def percent(self) -> int | None:
        """Return how much of its step is done; None if the total is unknown."""
        return min(100, 100 * self.done // self.expected) if self.expected else None


class McpSession(models.Model):
    """What a client of the 2025 MCP changed in its session; its id holds everything else."""

    id = models.CharField(max_length=64, primary_key=True, help_text="The hash of the session's id.")
    log_level = models.CharField(max_length=10)
    watched = ArrayField(models.TextField(), help_text="Documents whose changes it wants to hear of.")
    changed_at = models.DateTimeField(db_index=True)

    class Meta:
        db_table = "toolbox_mcp_sessions"

    def __str__(self) -> str:
        return f"{self.id[:8]}…"


class Task(models.Model):
    """A call that a worker executes; its caller polls it over MCP (SQL: toolbox/work/task_queries.py)."""

    class State(models.TextChoices):
        """The state; MCP calls the first two `working`, and the others as here."""

        QUEUED = "queued"
        RUNNING = "running"
        INPUT_REQUIRED = "input_required"
        COMPLETED = "completed"
        FAILED = "failed"
        CANCELLED = "cancelled"

    id = models.UUIDField(primary_key=True)
    caller = models.CharField(max_length=100, help_text="The key's name, or `local`.")
    key_id = models.BigIntegerField(null=True, help_text="The API key that the worker calls with.")
    domain = models.CharField(max_length=60)
    tool = models.CharField(max_length=200)
    arguments = models.TextField(help_text="As sent.")
    transport = models.CharField(max_length=20)
    request_id = models.CharField(max_length=64)
    state = models.CharField(max_length=20, choices=State.choices)
    capabilities = models.JSONField(default=dict, help_text="What its client declared.")
    inquiries = models.JSONField(default=dict, help_text="What it waits to be told.")
    answers = models.JSONField(default=dict, help_text="What it was told.")
    progress = models.CharField(max_length=300, blank=True, default="", db_default="", help_text="How far it is.")
    outcome = models.TextField(blank=True, default="", help_text="The tool's result, or the error.")
    created_at = models.DateTimeField(db_index=True)
    changed_at = models.DateTimeField()
    attempt = models.PositiveIntegerField(default=0, help_text="How often a worker took it up; the fence.")
    losses = models.PositiveIntegerField(
        default=0, db_default=0, help_text="How often it was taken back from a worker that died."
    )
    worker = models.CharField(max_length=200, blank=True, default="", db_default="")
    heartbeat_at = models.DateTimeField(null=True, help_text="When its worker last said that it lives.")
    enqueued_at = models.DateTimeField(null=True)
    enqueues = models.PositiveIntegerField(
        default=0, db_default=0, help_text="How often the broker was told of it in vain."
    )
    keep_seconds = models.PositiveIntegerField()

    class Meta:
        db_table = "toolbox_tasks"
        indexes = [
            models.Index(
                fields=["state"], name="toolbox_tasks_live", condition=models.Q(state__in=["queued", "running"])
            ),
        ]

    def __str__(self) -> str:
        return f"{self.tool} {self.state}"


class Example(models.Model):
    """
    A question that people ask, and the call that answers it; `{team}` stands for a slot of the domain's toolkit.

    Examples answer questions without a language model, and show a model how the tools are used.
    """

    domain = models.CharField(max_length=60)
    name = models.SlugField(max_length=80, help_text="Names it in the domain; a shipped example is known by it.")
    question = models.CharField(max_length=300, help_text="As people ask: How did {team} do in {month}?")
    phrasings = ArrayField(
        models.CharField(max_length=300), default=list, blank=True, help_text="The same in other words, one a line."
    )
    tool = models.CharField(max_length=64)
    arguments = models.JSONField(
        default=dict, blank=True, help_text='What the tool takes: {"teamCode": "{team}", "startDate": "{month.start}"}'
    )
    next_calls = models.JSONField(
        default=list,
        db_default=[],
        blank=True,
        help_text='Calls that follow: [{"tool": "…", "arguments": {"line": "{{ answers.0.line }}"}}].',
    )
    answer = models.TextField(
        help_text="The answer in words, a Django template over `answer` (said last), `answers` and the slots."
    )
    is_enabled = models.BooleanField(default=True)

    class Meta:
        db_table = "toolbox_examples"
        constraints = [models.UniqueConstraint(name="toolbox_examples_once", fields=["domain", "name"])]

    def __str__(self) -> str:
        return self.question

    @classmethod
    def ensure(cls, domain: str, *, name: str, columns: dict[str, Any]) -> bool:
        """Add a shipped example if it is missing, and return whether it was; an existing one stays unchanged."""
        return cls.objects.get_or_create(domain=domain, name=name, defaults=columns)[1]


class NameAlias(models.Model):
    """What people call something that the data names otherwise; questions are read with the name instead."""

    domain = models.CharField(max_length=60)
    phrase = models.CharField(max_length=80, help_text="What people say, in one to five words: the whale.")
    name = models.CharField(max_length=200, help_text="What it stands for, as the data names it: Carolina.")

    class Meta:
        db_table = "toolbox_name_aliases"
        verbose_name = "alias"
        verbose_name_plural = "aliases"
        constraints = [
            models.UniqueConstraint(
                name="toolbox_name_aliases_once",
                fields=["domain", "phrase"],
                violation_error_message="That phrase stands for something in this domain already.",
            )
        ]

    def __str__(self) -> str:
        return f"{self.phrase} = {self.name}"


PROMPT_NAME = r"^[a-z][a-z0-9_]{2,59}$"


class CuratedPrompt(models.Model):
    """A question or task that a client's user chooses and fills in (toolbox/catalogue/prompts.py)."""

    domain = models.CharField(max_length=60)
    name = models.CharField(
        max_length=60,
        unique=True,
        validators=[RegexValidator(PROMPT_NAME, "Lower-case letters, digits and underscores, 3 to 60 of them.")],
        help_text="Names it to clients, over all domains; a shipped prompt is known by it.",
    )
    title = models.CharField(max_length=100, help_text="As people read it in a menu.")
    description = models.CharField(max_length=300, help_text="What it is good for, in a sentence.")
    text = models.TextField(
        max_length=20_000,
        help_text=(
            "What is said to the model. {team} stands for an argument; [[ in {month}]] goes where it is not given."
        ),
    )
    arguments = models.JSONField(
        default=list,
        blank=True,
        help_text='[{"name": "team", "description": "The team\'s code.", "required": true, "completes": "team"}]',
    )
    is_enabled = models.BooleanField(default=True)

    class Meta:
        db_table = "toolbox_prompts"
        verbose_name = "prompt"

    def __str__(self) -> str:
        return self.title


class PeriodicTask(models.Model):
    """When a periodic task was last enqueued (toolbox/work/schedule.py)."""

    name = models.CharField(max_length=100, primary_key=True)
    period_seconds = models.PositiveIntegerField()
    enqueued_at = models.DateTimeField()

    class Meta:
        db_table = "toolbox_periodic_tasks"

    def __str__(self) -> str:
        return self.name


class ServerProcess(models.Model):
    """What a process reports about itself and its host (config/topology/presence.py)."""

    id = models.CharField(max_length=150, primary_key=True)
    host = models.CharField(max_length=100)
    process_id = models.PositiveIntegerField()
    role = models.CharField(max_length=20)
    version = models.CharField(max_length=40)
    secret_fingerprint = models.CharField(max_length=16, help_text="HMAC by its SECRET_KEY.")
    broker = models.CharField(max_length=200)
    broker_answers = models.BooleanField(null=True)
    notifications_arrive = models.BooleanField(null=True)
    clock_offset_seconds = models.FloatField(help_text="Of its clock to the database's.")
    disk_free_bytes = models.BigIntegerField()
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField()

    class Meta:
        db_table = "toolbox_server_processes"
        verbose_name_plural = "server processes"

    def __str__(self) -> str:
        return f"{self.role} {self.process_id} on {self.host}"


class FormSubmission(models.Model):
    """A page's form that was sent, and what was answered (toolbox/http/form_submissions.py)."""

    id = models.CharField(max_length=64, primary_key=True, help_text="The hash of the page's token and the contents.")
    sent_at = models.DateTimeField(db_index=True)
    response = models.BinaryField(null=True, help_text="Encrypted with the page's token. Null: not carried out yet.")

    class Meta:
        db_table = "toolbox_form_submissions"

    def __str__(self) -> str:
        return f"{self.id[:8]}…"
