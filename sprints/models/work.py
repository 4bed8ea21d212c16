"""Models of current sprints and issues."""

from typing import Any
from uuid import uuid4

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from sprints.models.organisations import Organisation, Status, Team, User


class PointsField(models.DecimalField):  # type: ignore[type-arg]
    """A number as entered, 8 or 0.5: PostgreSQL's numeric without a fixed scale."""

    def __init__(self, *args: Any, **options: Any) -> None:
        options.setdefault("max_digits", 9)
        options.setdefault("decimal_places", 3)
        super().__init__(*args, **options)

    def db_type(self, connection: Any) -> str:
        """Return the column's type."""
        return "numeric"


class SprintState(models.TextChoices):
    """The state of a sprint."""

    FUTURE = "future", "Future"
    ACTIVE = "active", "Active"
    CLOSED = "closed", "Closed"


class Sprint(models.Model):
    """A sprint of a team. A change of its dates recomputes its figures."""

    sprint_id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    organisation = models.ForeignKey(Organisation, on_delete=models.CASCADE, related_name="sprints")
    team = models.ForeignKey(Team, on_delete=models.SET_NULL, null=True, blank=True, related_name="sprints")
    external_id = models.CharField(max_length=100, help_text="The source's own id.")
    sprint_name = models.CharField(max_length=255)
    state = models.CharField(max_length=10, choices=SprintState.choices, default=SprintState.FUTURE)
    goal = models.TextField(blank=True)
    started_at = models.DateTimeField(null=True, blank=True, help_text="When it was really started.")
    ends_at = models.DateTimeField(null=True, blank=True, help_text="When it was planned to end.")
    completed_at = models.DateTimeField(null=True, blank=True, help_text="When it was really closed.")

    class Meta:
        db_table = "sprints_sprints"
        constraints = [
            models.UniqueConstraint(name="sprints_sprints_source", fields=["organisation", "external_id"]),
            models.CheckConstraint(
                name="sprints_sprints_state",
                condition=Q(state__in=SprintState.values),
                violation_error_message="A sprint is future, active or closed.",
            ),
        ]
        indexes = [
            models.Index(fields=["team", "started_at"], name="sprints_sprints_team"),
            models.Index(fields=["state", "team"], name="sprints_sprints_state"),
        ]

    def __str__(self) -> str:
        return self.sprint_name


class Issue(models.Model):
    """An issue in its current state. The columns from `sprint` on are derived from its history."""

    issue_id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    organisation = models.ForeignKey(Organisation, on_delete=models.CASCADE, related_name="issues")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="issues")
    external_id = models.CharField(max_length=100, help_text="The source's own id.")
    issue_key = models.CharField(max_length=100, help_text="As ACCEL-13.")
    title = models.TextField()
    description = models.TextField(blank=True, help_text="Never shown to agents.")
    issue_type = models.CharField(max_length=100, help_text="Story, Bug, Task, Epic ... in the source's words.")
    status = models.ForeignKey(Status, on_delete=models.PROTECT, null=True, related_name="issues")
    priority = models.CharField(max_length=100, blank=True)
    resolution = models.CharField(max_length=100, blank=True, help_text="How it ended: Done, Won't Do, Duplicate ...")
    story_points = PointsField(null=True, blank=True)
    original_estimate_seconds = models.BigIntegerField(null=True, blank=True)
    remaining_estimate_seconds = models.BigIntegerField(null=True, blank=True)
    time_spent_seconds = models.BigIntegerField(null=True, blank=True)
    assignee = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="assigned")
    reporter = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="reported")
    epic = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, blank=True, related_name="in_epic")
    parent = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, blank=True, related_name="subtasks")
    labels = ArrayField(models.CharField(max_length=255), default=list, blank=True)
    due_date = models.DateField(null=True, blank=True)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    source_resolved_at = models.DateTimeField(null=True, blank=True, help_text="Resolved, as the source says.")
    source_digest = models.CharField(max_length=64, blank=True, editable=False, help_text="SHA-256 of what was read.")

    sprint = models.ForeignKey(Sprint, on_delete=models.SET_NULL, null=True, editable=False, related_name="current")
    started_at = models.DateTimeField(null=True, editable=False)
    resolved_at = models.DateTimeField(null=True, editable=False)
    reopened_count = models.IntegerField(default=0, db_default=0, editable=False)
    blocked_since = models.DateTimeField(null=True, editable=False)

    class Meta:
        db_table = "sprints_issues"
        constraints = [
            models.UniqueConstraint(name="sprints_issues_source", fields=["organisation", "external_id"]),
            models.UniqueConstraint(name="sprints_issues_key", fields=["organisation", "issue_key"]),
        ]
        indexes = [
            models.Index(fields=["issue_key"], name="sprints_issues_by_key"),
            models.Index(fields=["team", "status"], name="sprints_issues_team"),
            models.Index(fields=["assignee", "status"], name="sprints_issues_assignee"),
            models.Index(fields=["updated_at"], name="sprints_issues_updated"),
            models.Index(fields=["created_at"], name="sprints_issues_created"),
            models.Index(
                fields=["resolved_at", "team"], include=["started_at"], condition=Q(resolved_at__isnull=False),
                name="sprints_issues_resolved",
            ),
            models.Index(
                fields=["blocked_since"], condition=Q(blocked_since__isnull=False), name="sprints_issues_blocked"
            ),
        ]  # fmt: skip

    def __str__(self) -> str:
        return f"{self.issue_key} {self.title[:60]}"
