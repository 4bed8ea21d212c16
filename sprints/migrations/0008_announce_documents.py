"""Documents change with teams, sprints, issues and their history: clients that watch them are told."""

from django.db import migrations

from toolbox.database.migration_operations import NotifyResourceChanges, encode_uri_part_sql


def _boards(teams: str) -> str:
    """Give SQL for the addresses of boards; `teams` gives ids and keys."""
    parts = f"VALUES (team_id::text), ({encode_uri_part_sql('team_key')})"
    return (
        f"SELECT 'sprints://teams/' || part FROM ({teams}) AS teams (team_id, team_key) "
        f"CROSS JOIN LATERAL ({parts}) AS named (part)"
    )


def _sprints(sprints: str) -> str:
    """Give SQL for the addresses of sprints; `sprints` gives ids and names."""
    parts = f"VALUES (sprint_id::text), ({encode_uri_part_sql('sprint_name')})"
    return (
        f"SELECT 'sprints://sprints/' || part FROM ({sprints}) AS sprints (sprint_id, sprint_name) "
        f"CROSS JOIN LATERAL ({parts}) AS named (part)"
    )


_TEAMS_CHANGED = "SELECT DISTINCT team_id, team_key FROM changed"
_TEAMS_OF_CHANGED = (
    "SELECT team_id, team_key FROM (SELECT DISTINCT team_id FROM changed) AS touched JOIN sprints_teams USING (team_id)"
)
_SPRINTS_CHANGED = "SELECT DISTINCT sprint_id, sprint_name FROM changed"
_OF_STAYS = "FROM (SELECT DISTINCT sprint_id FROM changed) AS touched JOIN sprints_sprints AS sprint USING (sprint_id)"
_SPRINTS_OF_STAYS = f"SELECT sprint_id, sprint_name {_OF_STAYS}"
_TEAMS_OF_STAYS = f"SELECT DISTINCT team_id, team_key {_OF_STAYS} JOIN sprints_teams USING (team_id)"
_SPRINTS_OF_ISSUES = (
    "SELECT sprint_id, sprint_name FROM ("
    "SELECT DISTINCT stay.sprint_id FROM changed JOIN sprints_sprint_issues AS stay USING (issue_id)"
    ") AS touched JOIN sprints_sprints USING (sprint_id)"
)


class Migration(migrations.Migration):
    dependencies = [("sprints", "0007_planned_cost")]

    operations = [
        NotifyResourceChanges("sprints_teams", _boards(_TEAMS_CHANGED)),
        NotifyResourceChanges(
            "sprints_sprints", f"{_boards(_TEAMS_OF_CHANGED)} UNION ALL {_sprints(_SPRINTS_CHANGED)}"
        ),
        NotifyResourceChanges(
            "sprints_issues", f"{_boards(_TEAMS_OF_CHANGED)} UNION ALL {_sprints(_SPRINTS_OF_ISSUES)}"
        ),
        NotifyResourceChanges(
            "sprints_sprint_issues", f"{_boards(_TEAMS_OF_STAYS)} UNION ALL {_sprints(_SPRINTS_OF_STAYS)}"
        ),
        NotifyResourceChanges("sprints_points_changes", _sprints(_SPRINTS_OF_ISSUES)),
    ]
