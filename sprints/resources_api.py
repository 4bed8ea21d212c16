"""Issues, sprints, teams and people for programmers: browse, filter, page. Read only, without e-mail addresses."""

import django_filters
from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from sprints.models import Issue, Sprint, SprintIssue, SprintState, StatusCategory, StatusChange, Team, User
from toolbox.resources_api.filters import Day
from toolbox.resources_api.views import ReadOnlyResource, ResourceRouter

GUID = "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"


@extend_schema_serializer(component_name="SprintsTeam")
class TeamSerializer(serializers.ModelSerializer[Team]):
    """A team."""

    organisation_name = serializers.CharField(source="organisation.organisation_name")

    class Meta:
        model = Team
        fields = ["team_id", "team_key", "team_name", "organisation_name"]


class UserSerializer(serializers.ModelSerializer[User]):
    """A person, without the e-mail address."""

    team_id = serializers.UUIDField()

    class Meta:
        model = User
        fields = ["user_id", "full_name", "team_id", "is_active"]


class SprintSerializer(serializers.ModelSerializer[Sprint]):
    """A sprint."""

    team_id = serializers.UUIDField()

    class Meta:
        model = Sprint
        fields = ["sprint_id", "sprint_name", "team_id", "state", "goal", "started_at", "ends_at", "completed_at"]


class IssueSerializer(serializers.ModelSerializer[Issue]):
    """An issue as it stands."""

    team_id = serializers.UUIDField()
    assignee_id = serializers.UUIDField()
    reporter_id = serializers.UUIDField()
    sprint_id = serializers.UUIDField()
    epic_id = serializers.UUIDField()
    parent_id = serializers.UUIDField()
    status = serializers.CharField(source="status.status_name", default=None)
    status_category = serializers.CharField(source="status.status_category", default=None)

    class Meta:
        model = Issue
        fields = [
            "issue_id",
            "issue_key",
            "title",
            "issue_type",
            "status",
            "status_category",
            "priority",
            "resolution",
            "story_points",
            "assignee_id",
            "reporter_id",
            "team_id",
            "sprint_id",
            "epic_id",
            "parent_id",
            "labels",
            "due_date",
            "created_at",
            "updated_at",
            "started_at",
            "resolved_at",
            "reopened_count",
            "blocked_since",
        ]


class MembershipSerializer(serializers.ModelSerializer[SprintIssue]):
    """An issue's membership of a sprint, and what became of it there."""

    sprint_id = serializers.UUIDField()
    issue_id = serializers.UUIDField()

    class Meta:
        model = SprintIssue
        fields = [
            "id",
            "sprint_id",
            "issue_id",
            "added_at",
            "removed_at",
            "was_committed",
            "was_added_after_start",
            "was_removed",
            "was_completed",
            "was_carried_over",
            "done_at",
            "points_at_start",
            "points_at_end",
        ]


class StatusChangeSerializer(serializers.ModelSerializer[StatusChange]):
    """A move from one status to another."""

    issue_id = serializers.UUIDField()
    from_status = serializers.CharField(source="from_status.status_name", default=None)
    to_status = serializers.CharField(source="to_status.status_name")
    changed_by_id = serializers.UUIDField()

    class Meta:
        model = StatusChange
        fields = ["id", "issue_id", "changed_at", "from_status", "to_status", "changed_by_id"]


class TeamFilters(django_filters.FilterSet):
    """What teams can be asked for."""

    team_key = django_filters.CharFilter(max_length=50, help_text="As ACCEL.")


class UserFilters(django_filters.FilterSet):
    """What people can be asked for."""

    full_name = django_filters.CharFilter(lookup_expr="icontains", help_text="Part of the name.", max_length=100)
    team_id = django_filters.UUIDFilter(field_name="team_id")


class SprintFilters(django_filters.FilterSet):
    """What sprints can be asked for."""

    sprint_name = django_filters.CharFilter(lookup_expr="icontains", help_text="Part of the name.", max_length=100)
    state = django_filters.ChoiceFilter(choices=SprintState.choices)
    team_id = django_filters.UUIDFilter(field_name="team_id")


class IssueFilters(django_filters.FilterSet):
    """What issues can be asked for."""

    issue_key = django_filters.CharFilter(max_length=100, help_text="As ACCEL-13.")
    title = django_filters.CharFilter(lookup_expr="icontains", help_text="Part of the title.", max_length=100)
    status = django_filters.CharFilter(field_name="status__status_name", max_length=200, help_text="As QA.")
    status_category = django_filters.ChoiceFilter(field_name="status__status_category", choices=StatusCategory.choices)
    team_id = django_filters.UUIDFilter(field_name="team_id")
    assignee_id = django_filters.UUIDFilter(field_name="assignee_id")
    sprint_id = django_filters.UUIDFilter(field_name="sprint_id")
    first_updated_day = Day(field_name="updated_at", lookup_expr="date__gte", help_text="Changed this day or later.")


class HistoryFilters(django_filters.FilterSet):
    """What rows of history can be asked for."""

    issue_id = django_filters.UUIDFilter(field_name="issue_id")


class MembershipFilters(HistoryFilters):
    """What memberships can be asked for."""

    sprint_id = django_filters.UUIDFilter(field_name="sprint_id")


class Teams(ReadOnlyResource):
    """Teams by their key."""

    queryset = Team.objects.select_related("organisation")
    serializer_class = TeamSerializer
    filterset_class = TeamFilters
    ordering = "team_key"
    ordering_fields = ["team_key", "team_name"]
    key_form = GUID


class Users(ReadOnlyResource):
    """People by name."""

    queryset = User.objects.all()
    serializer_class = UserSerializer
    filterset_class = UserFilters
    ordering = "full_name"
    ordering_fields = ["full_name"]
    key_form = GUID


class Sprints(ReadOnlyResource):
    """Sprints, the latest first."""

    queryset = Sprint.objects.all()
    serializer_class = SprintSerializer
    filterset_class = SprintFilters
    ordering = "-started_at"
    ordering_fields = ["started_at", "sprint_name"]
    key_form = GUID


class Issues(ReadOnlyResource):
    """Issues, the latest changed first."""

    queryset = Issue.objects.select_related("status")
    serializer_class = IssueSerializer
    filterset_class = IssueFilters
    ordering = "-updated_at"
    ordering_fields = ["updated_at", "created_at", "issue_key"]
    key_form = GUID


class Memberships(ReadOnlyResource):
    """Memberships of issues in sprints."""

    queryset = SprintIssue.objects.all()
    serializer_class = MembershipSerializer
    filterset_class = MembershipFilters
    ordering = "id"
    ordering_fields = ["added_at"]


class StatusChanges(ReadOnlyResource):
    """Moves between statuses."""

    queryset = StatusChange.objects.select_related("from_status", "to_status")
    serializer_class = StatusChangeSerializer
    filterset_class = HistoryFilters
    ordering = "id"
    ordering_fields = ["changed_at"]


router = ResourceRouter("sprints")
router.register("teams", Teams)
router.register("users", Users)
router.register("sprints", Sprints)
router.register("issues", Issues)
router.register("sprint-issues", Memberships)
router.register("status-changes", StatusChanges)
