"""
Runs, their events, and the lists of events that make queries cost the same however long a run is.

Events, lists and order states are partitioned by run (migration 0001 creates the tables, with SQL beside it), so
deleting a run drops its partitions. Events are immutable and numbered in order of arrival; the lists are in order of
time.
"""

from typing import Any
from uuid import uuid4

from django.db import models

from backtests.vocabulary import CATEGORIES, EVENT_TYPES, SEVERITIES


class EventType(models.IntegerChoices):
    """An event's type by its code; the labels are the contract's."""

    UNKNOWN = 0, EVENT_TYPES[0]
    TRADE_EXECUTION = 1, EVENT_TYPES[1]
    ORDER_REJECTION = 2, EVENT_TYPES[2]
    INDICATOR_CALCULATION = 3, EVENT_TYPES[3]
    POSITION_UPDATE = 4, EVENT_TYPES[4]
    STATE_CHANGE = 5, EVENT_TYPES[5]
    MARKET_DATA_EVENT = 6, EVENT_TYPES[6]
    RISK_EVENT = 7, EVENT_TYPES[7]


class Severity(models.IntegerChoices):
    """An event's severity by its code."""

    ERROR = 0, SEVERITIES[0]
    WARNING = 1, SEVERITIES[1]
    INFO = 2, SEVERITIES[2]
    DEBUG = 3, SEVERITIES[3]


class Category(models.IntegerChoices):
    """An event's category by its code."""

    EXECUTION = 0, CATEGORIES[0]
    MARKET_DATA = 1, CATEGORIES[1]
    INDICATORS = 2, CATEGORIES[2]
    RISK = 3, CATEGORIES[3]
    PERFORMANCE = 4, CATEGORIES[4]


class Run(models.Model):
    """
    One backtest: facts of its log, and counts made while storing it.

    Deleting a run by any means drops its partitions and deletes its other rows (trigger `backtests_runs_deleted`), so
    no model cascades: rows deleted before the run would be locked in another order than by a load.
    """

    run_id = models.UUIDField(primary_key=True)
    number = models.BigIntegerField(
        unique=True, db_default=models.Func(models.Value("backtests_run_numbers"), function="nextval"), editable=False
    )
    name = models.CharField(max_length=200, blank=True)
    engine = models.CharField(max_length=100, blank=True)
    config_hash = models.CharField(max_length=64, blank=True, help_text="SHA-256 of the strategy's configuration, hex.")
    started_at = models.DateTimeField(null=True, blank=True, help_text="As the log says; else of the first event.")
    ended_at = models.DateTimeField(null=True, blank=True, help_text="As the log says; else of the last event.")
    first_event_at = models.DateTimeField(null=True, editable=False)
    last_event_at = models.DateTimeField(null=True, editable=False)
    event_count = models.BigIntegerField(default=0, editable=False)
    malformed_count = models.BigIntegerField(default=0, editable=False)
    quarantined_count = models.BigIntegerField(default=0, editable=False)
    counts_by_type = models.JSONField(default=dict, editable=False)
    counts_by_severity = models.JSONField(default=dict, editable=False)
    symbols = models.JSONField(default=list, editable=False, help_text="Symbols of the run, at most 1,000 of them.")
    sweep = models.CharField(
        max_length=200, blank=True, db_default="", default="", help_text="The experiment that it is one run of."
    )
    parameters = models.JSONField(
        default=dict, db_default=models.Value({}, models.JSONField()), blank=True,
        help_text="What the strategy was run with, by name.",
    )  # fmt: skip
    labels = models.JSONField(default=list, db_default=models.Value([], models.JSONField()), blank=True)
    source_bytes = models.BigIntegerField(null=True, editable=False, help_text="Size of the engine's stream, unpacked.")
    source_sha256 = models.CharField(max_length=64, blank=True, default="", db_default="", editable=False)
    details = models.JSONField(default=dict, blank=True)
    open_loads = models.JSONField(
        default=dict, db_default=models.Value({}, models.JSONField()), editable=False,
        help_text="Loads that have not stored their whole log: when each stored its last batch, whether it is over.",
    )  # fmt: skip
    stored_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "backtests_runs"
        indexes = [
            models.Index(fields=["-stored_at", "run_id"], name="backtests_runs_newest"),
            models.Index(
                fields=["sweep", "run_id"], name="backtests_runs_sweep", condition=~models.Q(sweep=models.Value(""))
            ),
        ]

    def __str__(self) -> str:
        return self.name or str(self.run_id)


class EventQuerySet(models.QuerySet["Event"]):
    """Filters of events."""

    def of_run(self, run_id: Any) -> "EventQuerySet":
        """Keep one run's events. Every query should use it; without it the query scans every partition."""
        return self.filter(run_id=run_id)


class Event(models.Model):
    """
    One event as logged. Immutable.

    `root_number` is the number of the first event of its chain of parents. `trail` has the type codes from the root to
    it, at most 51, prefixed with `?` if the root's parent is not in the run and with `@` if the parents form a cycle.
    """

    pk = models.CompositePrimaryKey("run_id", "number")
    run = models.ForeignKey(Run, on_delete=models.DO_NOTHING, related_name="events")
    number = models.IntegerField()
    event_id = models.UUIDField()
    occurred_at = models.DateTimeField()
    event_type = models.SmallIntegerField(choices=EventType.choices)
    severity = models.SmallIntegerField(choices=Severity.choices)
    category = models.SmallIntegerField(choices=Category.choices)
    parent_event_id = models.UUIDField(null=True)
    root_number = models.IntegerField()
    trail = models.TextField()
    properties = models.JSONField()
    validation_errors = models.JSONField(null=True)

    objects = EventQuerySet.as_manager()

    class Meta:
        managed = False
        db_table = "backtests_events"

    def __str__(self) -> str:
        return str(self.event_id)


class QuarantinedLine(models.Model):
    """A line that could not be parsed into an event, with its number and the reason."""

    run = models.ForeignKey(Run, on_delete=models.DO_NOTHING, related_name="quarantine")
    digest = models.CharField(max_length=64, help_text="SHA-256 of the whole line, so that it is kept once.")
    line_number = models.BigIntegerField()
    line = models.BinaryField(help_text="As it was read; the first megabyte of it.")
    line_bytes = models.BigIntegerField(help_text="How long the line was.")
    reason = models.CharField(max_length=200)
    stored_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "backtests_quarantine"
        constraints = [
            models.UniqueConstraint(fields=["run", "digest", "line_number"], name="backtests_quarantine_once")
        ]

    def __str__(self) -> str:
        return f"line {self.line_number}: {self.reason}"


class Signature(models.Model):
    """A shape of sequences of a run: the trails of event types from root to leaves."""

    run = models.ForeignKey(Run, on_delete=models.DO_NOTHING, related_name="signatures")
    digest = models.CharField(max_length=32)
    shape = models.IntegerField(null=True, help_text="Its number within the run; 0 to 7 are events alone.")
    trails = models.JSONField()

    class Meta:
        db_table = "backtests_signatures"
        constraints = [
            models.UniqueConstraint(fields=["run", "digest"], name="backtests_signatures_once"),
            models.UniqueConstraint(fields=["run", "shape"], name="backtests_signatures_shape"),
        ]

    def __str__(self) -> str:
        return self.digest


class UploadedFile(models.Model):
    """A file uploaded for `ingest_backtest`; kept for a day and visible only to its owner."""

    file_id = models.UUIDField(primary_key=True, default=uuid4)
    owner_id = models.BigIntegerField(null=True, help_text="The user who sent it; none: the local operator.")
    name = models.CharField(max_length=200)
    content = models.BinaryField()
    size_bytes = models.BigIntegerField()
    uploaded_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "backtests_uploaded_files"
        indexes = [models.Index(fields=["owner_id", "uploaded_at"], name="backtests_uploaded_owner")]

    def __str__(self) -> str:
        return self.name
