"""Models of organisations, teams, people, statuses and quarantined records."""

from uuid import uuid4

from django.db import models
from django.db.models import Q


class StatusCategory(models.TextChoices):
    """Jira's three status categories."""

    TO_DO = "To Do"
    IN_PROGRESS = "In Progress"
    DONE = "Done"


class Organisation(models.Model):
    """One source of issues: a Jira site, a set of files, or the sample."""

    organisation_id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    slug = models.SlugField(unique=True, help_text="What ingest_jira calls it.")
    organisation_name = models.CharField(max_length=200)
    site_url = models.URLField(blank=True, help_text="Where its Jira is, if it has one.")
    points_fields = models.JSONField(
        default=list,
        blank=True,
        help_text="Fields that hold story points, by name or id; found by themselves if empty.",
    )
    synced_until = models.DateTimeField(null=True, blank=True, help_text="Its site's changes until then are stored.")
    data_as_of = models.DateTimeField(null=True, blank=True, help_text="The latest moment that its data tells of.")

    class Meta:
        db_table = "sprints_organisations"

    def __str__(self) -> str:
        return self.organisation_name


class Team(models.Model):
    """A team. In Jira it is a project."""

    team_id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    organisation = models.ForeignKey(Organisation, on_delete=models.CASCADE, related_name="teams")
    team_key = models.CharField(max_length=50, help_text="What its issues' keys begin with, as ACCEL.")
    team_name = models.CharField(max_length=200)
    external_id = models.CharField(max_length=100, blank=True, help_text="The source's own id.")

    class Meta:
        db_table = "sprints_teams"
        verbose_name = "sprint team"
        constraints = [models.UniqueConstraint(name="sprints_teams_key", fields=["organisation", "team_key"])]

    def __str__(self) -> str:
        return f"{self.team_key} {self.team_name}"


class User(models.Model):
    """A person. The e-mail address is for curators and matching, and in no view."""

    user_id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    organisation = models.ForeignKey(Organisation, on_delete=models.CASCADE, related_name="users")
    external_id = models.CharField(max_length=200, help_text="The source's own id of the account.")
    full_name = models.CharField(max_length=200)
    email = models.EmailField(blank=True, help_text="Never shown to agents.")
    team = models.ForeignKey(
        Team, on_delete=models.SET_NULL, null=True, blank=True, related_name="members",
        help_text="Where the person mostly works.",
    )  # fmt: skip
    is_active = models.BooleanField(default=True)

    class Meta:
        db_table = "sprints_users"
        verbose_name = "person"
        verbose_name_plural = "people"
        constraints = [models.UniqueConstraint(name="sprints_users_account", fields=["organisation", "external_id"])]
        indexes = [models.Index(fields=["full_name"], name="sprints_users_name")]

    def __str__(self) -> str:
        return self.full_name


class Status(models.Model):
    """The name of a stage of work in any language, with its category."""

    status_id = models.BigAutoField(primary_key=True)
    organisation = models.ForeignKey(Organisation, on_delete=models.CASCADE, related_name="statuses")
    status_name = models.CharField(max_length=200)
    status_category = models.CharField(max_length=20, choices=StatusCategory.choices)

    class Meta:
        db_table = "sprints_statuses"
        verbose_name_plural = "statuses"
        constraints = [
            models.UniqueConstraint(name="sprints_statuses_name", fields=["organisation", "status_name"]),
            models.CheckConstraint(
                name="sprints_statuses_category",
                condition=Q(status_category__in=StatusCategory.values),
                violation_error_message="A category is To Do, In Progress or Done.",
            ),
        ]

    def __str__(self) -> str:
        return self.status_name


class QuarantinedRecord(models.Model):
    """A part of a source that was not understood in whole or in part, as it was read."""

    organisation = models.ForeignKey(Organisation, on_delete=models.CASCADE, related_name="quarantined")
    source = models.CharField(max_length=300, help_text="The file, or the address on the site.")
    kind = models.CharField(max_length=40, help_text="What it would have been: issue, sprint, change ...")
    name = models.CharField(max_length=200, help_text="Its key or id, or its place in the source.")
    reason = models.CharField(max_length=500)
    is_warning = models.BooleanField(help_text="True where the rest of the record was stored.")
    record = models.TextField(blank=True, help_text="The start of it, as it was read.")
    stored_at = models.DateTimeField(auto_now=True)

    class Meta:
        db_table = "sprints_quarantine"
        constraints = [
            models.UniqueConstraint(name="sprints_quarantine_once", fields=["organisation", "kind", "name", "reason"])
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.name}: {self.reason}"
