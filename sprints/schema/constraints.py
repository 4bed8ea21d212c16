"""
Constraints that views cannot declare: columns that are never null, and joins.

Each line names the base column that declares it, or that none does (computed: an aggregate, an expression over columns
that are never null). tests/sprints/schema compares this with the base tables and with the views' own SQL.
"""

COMPUTED = ""

_BASE: dict[str, dict[str, str]] = {
    "teams": {
        "team_id": "sprints_teams.team_id",
        "team_key": "sprints_teams.team_key",
        "team_name": "sprints_teams.team_name",
        "organisation_name": "sprints_organisations.organisation_name",
    },
    "users": {
        "user_id": "sprints_users.user_id",
        "full_name": "sprints_users.full_name",
        "is_active": "sprints_users.is_active",
    },
    "sprints": {
        "sprint_id": "sprints_sprints.sprint_id",
        "sprint_name": "sprints_sprints.sprint_name",
        "state": "sprints_sprints.state",
        "goal": "sprints_sprints.goal",
    },
    "issues": {
        "issue_id": "sprints_issues.issue_id",
        "issue_key": "sprints_issues.issue_key",
        "title": "sprints_issues.title",
        "issue_type": "sprints_issues.issue_type",
        "priority": "sprints_issues.priority",
        "resolution": "sprints_issues.resolution",
        "team_id": "sprints_issues.team_id",
        "labels": "sprints_issues.labels",
        "status_category": "sprints_issues.status_category",
        "is_blocked": COMPUTED,
        "is_in_backlog": COMPUTED,
        "reopened_count": "sprints_issues.reopened_count",
        "created_at": "sprints_issues.created_at",
        "updated_at": "sprints_issues.updated_at",
    },
    "sprint_issues": {
        "sprint_id": "sprints_sprint_issues.sprint_id",
        "issue_id": "sprints_sprint_issues.issue_id",
        "added_at": "sprints_sprint_issues.added_at",
        "was_committed": "sprints_sprint_issues.was_committed",
        "was_added_after_start": "sprints_sprint_issues.was_added_after_start",
        "was_removed": "sprints_sprint_issues.was_removed",
        "was_completed": "sprints_sprint_issues.was_completed",
        "was_carried_over": "sprints_sprint_issues.was_carried_over",
        "is_in_scope": COMPUTED,
        "is_current": COMPUTED,
    },
    "sprint_summary": {
        "sprint_id": "sprints_sprints.sprint_id",
        "sprint_name": "sprints_sprints.sprint_name",
        "state": "sprints_sprints.state",
        **dict.fromkeys(
            (
                "committed_issues", "committed_points", "completed_issues", "completed_points", "added_issues",
                "added_points", "removed_issues", "removed_points", "carried_over_issues", "carried_over_points",
                "unestimated_issues", "scope_issues", "scope_points", "remaining_issues", "remaining_points",
            ),
            COMPUTED,
        ),
    },
    "sprint_days": {
        "sprint_id": "sprints_sprints.sprint_id",
        **dict.fromkeys(
            (
                "day", "scope_issues", "scope_points", "completed_issues", "completed_points", "remaining_issues",
                "remaining_points",
            ),
            COMPUTED,
        ),
    },
    "sprint_blocked_periods": {
        "sprint_id": "sprints_sprint_issues.sprint_id",
        "issue_id": "sprints_sprint_issues.issue_id",
        "blocked_from": COMPUTED,
        "reason": "sprints_blocked_periods.reason",
        "blocked_days": COMPUTED,
    },
    "scope_changes": {
        "sprint_id": "sprints_sprint_issues.sprint_id",
        "issue_id": "sprints_sprint_issues.issue_id",
        "changed_at": COMPUTED,
        "change": COMPUTED,
        "points_change": COMPUTED,
    },
    "status_changes": {
        "issue_id": "sprints_status_changes.issue_id",
        "changed_at": "sprints_status_changes.changed_at",
        "to_status": "sprints_statuses.status_name",
        "to_category": "sprints_statuses.status_category",
    },
    "status_periods": {
        "issue_id": "sprints_status_periods.issue_id",
        "status_category": "sprints_status_periods.status_category",
        "entered_at": "sprints_status_periods.entered_at",
    },
    "points_changes": {
        "issue_id": "sprints_points_changes.issue_id",
        "changed_at": "sprints_points_changes.changed_at",
    },
    "blocked_periods": {
        "issue_id": "sprints_blocked_periods.issue_id",
        "blocked_at": "sprints_blocked_periods.blocked_at",
        "reason": "sprints_blocked_periods.reason",
    },
    "issue_links": {
        "issue_id": "sprints_issue_links.issue_id",
        "link_type": "sprints_issue_links.link_type",
        "linked_issue_id": "sprints_issue_links.linked_issue_id",
    },
}  # fmt: skip

NOT_NULL: dict[tuple[str, str], str] = {
    (view, column): base for view, columns in _BASE.items() for column, base in columns.items()
}
"""Columns that are never null, each with the base column that declares it, or COMPUTED."""

_ISSUE, _TEAM, _USER, _SPRINT = (
    ("issues", "issue_id"),
    ("teams", "team_id"),
    ("users", "user_id"),
    ("sprints", "sprint_id"),
)

FOREIGN_KEYS: tuple[tuple[tuple[str, str], tuple[str, str]], ...] = (
    (("issues", "assignee_id"), _USER),
    (("issues", "reporter_id"), _USER),
    (("issues", "team_id"), _TEAM),
    (("issues", "sprint_id"), _SPRINT),
    (("issues", "epic_id"), _ISSUE),
    (("issues", "parent_id"), _ISSUE),
    (("users", "team_id"), _TEAM),
    (("sprints", "team_id"), _TEAM),
    (("sprint_issues", "sprint_id"), _SPRINT),
    (("sprint_issues", "issue_id"), _ISSUE),
    (("sprint_summary", "sprint_id"), _SPRINT),
    (("sprint_summary", "team_id"), _TEAM),
    (("sprint_days", "sprint_id"), _SPRINT),
    (("sprint_blocked_periods", "sprint_id"), _SPRINT),
    (("sprint_blocked_periods", "issue_id"), _ISSUE),
    (("scope_changes", "sprint_id"), _SPRINT),
    (("scope_changes", "issue_id"), _ISSUE),
    (("status_changes", "issue_id"), _ISSUE),
    (("status_changes", "changed_by_id"), _USER),
    (("status_periods", "issue_id"), _ISSUE),
    (("points_changes", "issue_id"), _ISSUE),
    (("points_changes", "changed_by_id"), _USER),
    (("blocked_periods", "issue_id"), _ISSUE),
    (("issue_links", "issue_id"), _ISSUE),
    (("issue_links", "linked_issue_id"), _ISSUE),
)
"""Joins of views: from (view, column) to (view, column)."""
