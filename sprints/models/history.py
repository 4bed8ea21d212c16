"""Models of issue history. Every figure of a sprint derives from it."""

from django.db import models

from sprints.models.organisations import Status, User
from sprints.models.work import Issue, PointsField, Sprint


class SprintIssue(models.Model):
    """The time in which an issue was in a sprint. The columns from `was_committed` on are derived."""

    sprint = models.ForeignKey(Sprint, on_delete=models.CASCADE, related_name="memberships")
    issue = models.ForeignKey(Issue, on_delete=models.CASCADE, related_name="memberships")
    added_at = models.DateTimeField()
    removed_at = models.DateTimeField(
        null=True, blank=True, help_text="Taken out of it; not: carried over to the next."
    )

    was_committed = models.BooleanField(default=False, db_default=False, editable=False)
    was_added_after_start = models.BooleanField(default=False, db_default=False, editable=False)
    was_removed = models.BooleanField(default=False, db_default=False, editable=False)
    was_completed = models.BooleanField(default=False, db_default=False, editable=False)
    was_carried_over = models.BooleanField(default=False, db_default=False, editable=False)
    done_at = models.DateTimeField(null=True, editable=False)
    points_at_start = PointsField(null=True, editable=False)
    points_at_end = PointsField(null=True, editable=False)

    class Meta:
        db_table = "sprints_sprint_issues"
        verbose_name = "sprint membership"
        verbose_name_plural = "sprint memberships"
        constraints = [models.UniqueConstraint(name="sprints_sprint_issues_once", fields=["sprint", "issue"])]

    def __str__(self) -> str:
        return f"{self.issue_id} in {self.sprint_id}"


class StatusChange(models.Model):
    """A change of status."""

    issue = models.ForeignKey(Issue, on_delete=models.CASCADE, related_name="status_changes", db_index=False)
    changed_at = models.DateTimeField()
    from_status = models.ForeignKey(Status, on_delete=models.PROTECT, null=True, blank=True, related_name="left")
    to_status = models.ForeignKey(Status, on_delete=models.PROTECT, related_name="entered")
    changed_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="moves")
    external_id = models.CharField(max_length=100, blank=True)

    class Meta:
        db_table = "sprints_status_changes"
        indexes = [
            models.Index(fields=["issue", "changed_at"], name="sprints_status_changes_issue"),
            models.Index(fields=["changed_at"], name="sprints_status_changes_at"),
        ]

    def __str__(self) -> str:
        return f"{self.issue_id} at {self.changed_at:%Y-%m-%d %H:%M}"


class StatusPeriod(models.Model):
    """A period in a status. Derived from the status changes by the database (migration 0023)."""

    issue = models.ForeignKey(Issue, on_delete=models.CASCADE, related_name="status_periods", db_index=False)
    position = models.PositiveIntegerField()
    status = models.ForeignKey(Status, on_delete=models.PROTECT, null=True, related_name="periods", db_index=False)
    status_category = models.TextField()
    entered_at = models.DateTimeField()
    left_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "sprints_status_periods"
        constraints = [models.UniqueConstraint(name="sprints_status_periods_once", fields=["issue", "position"])]

    def __str__(self) -> str:
        return f"{self.issue_id}, period {self.position}"


class PointsChange(models.Model):
    """A new estimate in story points."""

    issue = models.ForeignKey(Issue, on_delete=models.CASCADE, related_name="points_changes", db_index=False)
    changed_at = models.DateTimeField()
    from_points = PointsField(null=True, blank=True)
    to_points = PointsField(null=True, blank=True)
    changed_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="estimates")

    class Meta:
        db_table = "sprints_points_changes"
        indexes = [models.Index(fields=["issue", "changed_at"], name="sprints_points_changes_issue")]

    def __str__(self) -> str:
        return f"{self.issue_id} at {self.changed_at:%Y-%m-%d %H:%M}"


class BlockedPeriod(models.Model):
    """A time in which an issue was flagged as blocked. It is open until it ends."""

    issue = models.ForeignKey(Issue, on_delete=models.CASCADE, related_name="blocked_periods", db_index=False)
    blocked_at = models.DateTimeField()
    unblocked_at = models.DateTimeField(null=True, blank=True)
    reason = models.CharField(max_length=300, blank=True)

    class Meta:
        db_table = "sprints_blocked_periods"
        constraints = [models.UniqueConstraint(name="sprints_blocked_periods_once", fields=["issue", "blocked_at"])]

    def __str__(self) -> str:
        return f"{self.issue_id} since {self.blocked_at:%Y-%m-%d %H:%M}"


class IssueLink(models.Model):
    """A link between issues: blocks, relates to, duplicates."""

    issue = models.ForeignKey(Issue, on_delete=models.CASCADE, related_name="links", db_index=False)
    link_type = models.CharField(max_length=100, help_text="Read from the first issue to the second, as: blocks.")
    linked_issue = models.ForeignKey(Issue, on_delete=models.CASCADE, related_name="linked_from")

    class Meta:
        db_table = "sprints_issue_links"
        constraints = [
            models.UniqueConstraint(name="sprints_issue_links_once", fields=["issue", "link_type", "linked_issue"])
        ]

    def __str__(self) -> str:
        return f"{self.issue_id} {self.link_type} {self.linked_issue_id}"
