"""Documents change with issues and sprints: clients that watch them are told."""

from django.db import migrations

from toolbox.announcing import AnnounceDocuments


class Migration(migrations.Migration):
    dependencies = [("sprints", "0007_planned_cost")]

    operations = [
        AnnounceDocuments(
            "sprints_issues",
            "SELECT 'sprints://teams/' || part FROM (SELECT DISTINCT team_id FROM changed) AS moved "
            "JOIN sprints_teams USING (team_id) "
            "CROSS JOIN LATERAL (VALUES (team_id::text), (team_key)) AS named (part)",
        ),
        AnnounceDocuments(
            "sprints_sprints",
            "SELECT 'sprints://sprints/' || part FROM changed "
            "CROSS JOIN LATERAL (VALUES (sprint_id::text), (replace(sprint_name, ' ', '%20'))) AS named (part)",
        ),
    ]
