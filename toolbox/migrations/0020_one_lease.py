"""
Tasks and jobs get the columns that runs have, for the lease that all background work shares.

Work under way stays so. What a worker of the version before had claimed is found silent, and done by another.
"""

from django.db import migrations, models

LIVE = models.Q(state__in=["queued", "running"])
LOSSES = "How often it was taken back from a worker that died."
ENQUEUES = "How often the broker was told of it in vain."

FORWARDS = """
UPDATE toolbox_tasks
SET state = CASE WHEN heartbeat_at IS NULL THEN 'queued' ELSE 'running' END, enqueued_at = changed_at
WHERE state = 'working';
UPDATE toolbox_jobs
SET state = 'cancelled', finished_at = now(), file = NULL, summary = 'Cancelled; what was stored until then stays.'
WHERE state = 'running' AND is_unwanted;
"""
BACKWARDS = """
UPDATE toolbox_tasks SET heartbeat_at = NULL WHERE state = 'queued';
UPDATE toolbox_tasks SET state = 'working' WHERE state IN ('queued', 'running');
"""
STATES = [
    ("queued", "Queued"),
    ("running", "Running"),
    ("input_required", "Input Required"),
    ("completed", "Completed"),
    ("failed", "Failed"),
    ("cancelled", "Cancelled"),
]


class Migration(migrations.Migration):
    """Rename and add columns, then move rows."""

    dependencies = [("toolbox", "0015_write_intents")]
    operations = [
        migrations.RemoveIndex(model_name="task", name="toolbox_tasks_working"),
        migrations.RenameField(model_name="task", old_name="status", new_name="state"),
        migrations.AlterField(model_name="task", name="state", field=models.CharField(choices=STATES, max_length=20)),
        migrations.RenameField(model_name="task", old_name="tries", new_name="attempt"),
        migrations.AlterField(
            model_name="task",
            name="attempt",
            field=models.PositiveIntegerField(default=0, help_text="How often a worker took it up; the fence."),
        ),
        migrations.RenameField(model_name="task", old_name="beat_at", new_name="heartbeat_at"),
        migrations.AddField(
            model_name="task",
            name="worker",
            field=models.CharField(blank=True, db_default="", default="", max_length=200),
        ),
        migrations.AddField(model_name="task", name="enqueued_at", field=models.DateTimeField(null=True)),
        *(
            migrations.AddField(
                model_name=name,
                name=column,
                field=models.PositiveIntegerField(db_default=0, default=0, help_text=help_text),
            )
            for name in ("task", "job")
            for column, help_text in (("losses", LOSSES), ("enqueues", ENQUEUES))
        ),
        migrations.RunSQL(FORWARDS, BACKWARDS),
        migrations.RemoveField(model_name="job", name="is_unwanted"),
        migrations.AddIndex(
            model_name="task", index=models.Index(fields=["state"], name="toolbox_tasks_live", condition=LIVE)
        ),
    ]
