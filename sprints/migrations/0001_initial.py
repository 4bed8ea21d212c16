import django.contrib.postgres.fields
import django.db.models.deletion
import sprints.models.work
import uuid
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    dependencies = []
    operations = [
        migrations.CreateModel(
            name='Organisation',
            fields=[
                ('organisation_id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('slug', models.SlugField(help_text='What ingest_jira calls it.', unique=True)),
                ('organisation_name', models.CharField(max_length=200)),
                ('site_url', models.URLField(blank=True, help_text='Where its Jira is, if it has one.')),
                ('points_fields', models.JSONField(blank=True, default=list, help_text='Fields that hold story points, by name or id; found by themselves if empty.')),
                ('data_as_of', models.DateTimeField(blank=True, help_text='The latest moment that its data tells of.', null=True)),
            ],
            options={'db_table': 'sprints_organisations'},
        ),
        migrations.CreateModel(
            name='Status',
            fields=[
                ('status_id', models.BigAutoField(primary_key=True, serialize=False)),
                ('status_name', models.CharField(max_length=200)),
                ('status_category', models.CharField(choices=[('To Do', 'To Do'), ('In Progress', 'In Progress'), ('Done', 'Done')], max_length=20)),
                ('organisation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='statuses', to='sprints.organisation')),
            ],
            options={
                'verbose_name_plural': 'statuses',
                'db_table': 'sprints_statuses',
            },
        ),
        migrations.CreateModel(
            name='Team',
            fields=[
                ('team_id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('team_key', models.CharField(help_text="What its issues' keys begin with, as ACCEL.", max_length=50)),
                ('team_name', models.CharField(max_length=200)),
                ('external_id', models.CharField(blank=True, help_text="The source's own id.", max_length=100)),
                ('organisation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='teams', to='sprints.organisation')),
            ],
            options={'db_table': 'sprints_teams'},
        ),
        migrations.CreateModel(
            name='Sprint',
            fields=[
                ('sprint_id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('external_id', models.CharField(help_text="The source's own id.", max_length=100)),
                ('sprint_name', models.CharField(max_length=255)),
                ('state', models.CharField(choices=[('future', 'Future'), ('active', 'Active'), ('closed', 'Closed')], default='future', max_length=10)),
                ('goal', models.TextField(blank=True)),
                ('started_at', models.DateTimeField(blank=True, help_text='When it was really started.', null=True)),
                ('ends_at', models.DateTimeField(blank=True, help_text='When it was planned to end.', null=True)),
                ('completed_at', models.DateTimeField(blank=True, help_text='When it was really closed.', null=True)),
                ('organisation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sprints', to='sprints.organisation')),
                ('team', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='sprints', to='sprints.team')),
            ],
            options={'db_table': 'sprints_sprints'},
        ),
        migrations.CreateModel(
            name='Issue',
            fields=[
                ('issue_id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('external_id', models.CharField(help_text="The source's own id.", max_length=100)),
                ('issue_key', models.CharField(help_text='As ACCEL-13.', max_length=100)),
                ('title', models.TextField()),
                ('description', models.TextField(blank=True, help_text='Never shown to agents.')),
                ('issue_type', models.CharField(help_text="Story, Bug, Task, Epic ... in the source's words.", max_length=100)),
                ('priority', models.CharField(blank=True, max_length=100)),
                ('resolution', models.CharField(blank=True, help_text="How it ended: Done, Won't Do, Duplicate ...", max_length=100)),
                ('story_points', sprints.models.work.PointsField(blank=True, decimal_places=3, max_digits=9, null=True)),
                ('original_estimate_seconds', models.BigIntegerField(blank=True, null=True)),
                ('remaining_estimate_seconds', models.BigIntegerField(blank=True, null=True)),
                ('time_spent_seconds', models.BigIntegerField(blank=True, null=True)),
                ('labels', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=255), blank=True, default=list, size=None)),
                ('due_date', models.DateField(blank=True, null=True)),
                ('created_at', models.DateTimeField()),
                ('updated_at', models.DateTimeField()),
                ('source_resolved_at', models.DateTimeField(blank=True, help_text='Resolved, as the source says.', null=True)),
                ('source_digest', models.CharField(blank=True, editable=False, help_text='SHA-256 of what was read.', max_length=64)),
                ('started_at', models.DateTimeField(editable=False, null=True)),
                ('resolved_at', models.DateTimeField(editable=False, null=True)),
                ('reopened_count', models.IntegerField(db_default=0, default=0, editable=False)),
                ('blocked_since', models.DateTimeField(editable=False, null=True)),
                ('epic', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='in_epic', to='sprints.issue')),
                ('parent', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='subtasks', to='sprints.issue')),
                ('organisation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='issues', to='sprints.organisation')),
                ('sprint', models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='current', to='sprints.sprint')),
                ('status', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='issues', to='sprints.status')),
                ('team', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='issues', to='sprints.team')),
            ],
            options={'db_table': 'sprints_issues'},
        ),
        migrations.CreateModel(
            name='User',
            fields=[
                ('user_id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('external_id', models.CharField(help_text="The source's own id of the account.", max_length=200)),
                ('full_name', models.CharField(max_length=200)),
                ('email', models.EmailField(blank=True, help_text='Never shown to agents.', max_length=254)),
                ('is_active', models.BooleanField(default=True)),
                ('organisation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='users', to='sprints.organisation')),
                ('team', models.ForeignKey(blank=True, help_text='Where the person mostly works.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='members', to='sprints.team')),
            ],
            options={'db_table': 'sprints_users'},
        ),
        migrations.CreateModel(
            name='StatusChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('changed_at', models.DateTimeField()),
                ('external_id', models.CharField(blank=True, max_length=100)),
                ('from_status', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='left', to='sprints.status')),
                ('issue', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='status_changes', to='sprints.issue')),
                ('to_status', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='entered', to='sprints.status')),
                ('changed_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='moves', to='sprints.user')),
            ],
            options={'db_table': 'sprints_status_changes'},
        ),
        migrations.CreateModel(
            name='PointsChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('changed_at', models.DateTimeField()),
                ('from_points', sprints.models.work.PointsField(blank=True, decimal_places=3, max_digits=9, null=True)),
                ('to_points', sprints.models.work.PointsField(blank=True, decimal_places=3, max_digits=9, null=True)),
                ('issue', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='points_changes', to='sprints.issue')),
                ('changed_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='estimates', to='sprints.user')),
            ],
            options={'db_table': 'sprints_points_changes'},
        ),
        migrations.AddField(
            model_name='issue',
            name='assignee',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='assigned', to='sprints.user'),
        ),
        migrations.AddField(
            model_name='issue',
            name='reporter',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='reported', to='sprints.user'),
        ),
        migrations.CreateModel(
            name='BlockedPeriod',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('blocked_at', models.DateTimeField()),
                ('unblocked_at', models.DateTimeField(blank=True, null=True)),
                ('reason', models.CharField(blank=True, max_length=300)),
                ('issue', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='blocked_periods', to='sprints.issue')),
            ],
            options={
                'db_table': 'sprints_blocked_periods',
                'constraints': [models.UniqueConstraint(fields=('issue', 'blocked_at'), name='sprints_blocked_periods_once')],
            },
        ),
        migrations.CreateModel(
            name='IssueLink',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('link_type', models.CharField(help_text='Read from the first issue to the second, as: blocks.', max_length=100)),
                ('issue', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='links', to='sprints.issue')),
                ('linked_issue', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='linked_from', to='sprints.issue')),
            ],
            options={
                'db_table': 'sprints_issue_links',
                'constraints': [models.UniqueConstraint(fields=('issue', 'link_type', 'linked_issue'), name='sprints_issue_links_once')],
            },
        ),
        migrations.CreateModel(
            name='QuarantinedRecord',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('source', models.CharField(help_text='The file, or the address on the site.', max_length=300)),
                ('kind', models.CharField(help_text='What it would have been: issue, sprint, change ...', max_length=40)),
                ('name', models.CharField(help_text='Its key or id, or its place in the source.', max_length=200)),
                ('reason', models.CharField(max_length=500)),
                ('is_warning', models.BooleanField(help_text='True where the rest of the record was stored.')),
                ('record', models.TextField(blank=True, help_text='The start of it, as it was read.')),
                ('stored_at', models.DateTimeField(auto_now=True)),
                ('organisation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='quarantined', to='sprints.organisation')),
            ],
            options={
                'db_table': 'sprints_quarantine',
                'constraints': [models.UniqueConstraint(fields=('organisation', 'kind', 'name', 'reason'), name='sprints_quarantine_once')],
            },
        ),
        migrations.CreateModel(
            name='SprintIssue',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('added_at', models.DateTimeField()),
                ('removed_at', models.DateTimeField(blank=True, help_text='Taken out of it; not: carried on to the next.', null=True)),
                ('was_committed', models.BooleanField(db_default=False, default=False, editable=False)),
                ('was_added_after_start', models.BooleanField(db_default=False, default=False, editable=False)),
                ('was_removed', models.BooleanField(db_default=False, default=False, editable=False)),
                ('was_completed', models.BooleanField(db_default=False, default=False, editable=False)),
                ('was_carried_over', models.BooleanField(db_default=False, default=False, editable=False)),
                ('done_at', models.DateTimeField(editable=False, null=True)),
                ('points_at_start', sprints.models.work.PointsField(decimal_places=3, editable=False, max_digits=9, null=True)),
                ('points_at_end', sprints.models.work.PointsField(decimal_places=3, editable=False, max_digits=9, null=True)),
                ('issue', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='stays', to='sprints.issue')),
                ('sprint', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='stays', to='sprints.sprint')),
            ],
            options={
                'verbose_name': 'stay in a sprint',
                'verbose_name_plural': 'stays in sprints',
                'db_table': 'sprints_sprint_issues',
                'constraints': [models.UniqueConstraint(fields=('sprint', 'issue'), name='sprints_sprint_issues_once')],
            },
        ),
        migrations.AddConstraint(
            model_name='status',
            constraint=models.UniqueConstraint(fields=('organisation', 'status_name'), name='sprints_statuses_name'),
        ),
        migrations.AddConstraint(
            model_name='status',
            constraint=models.CheckConstraint(condition=models.Q(('status_category__in', ['To Do', 'In Progress', 'Done'])), name='sprints_statuses_category', violation_error_message='A category is To Do, In Progress or Done.'),
        ),
        migrations.AddConstraint(
            model_name='team',
            constraint=models.UniqueConstraint(fields=('organisation', 'team_key'), name='sprints_teams_key'),
        ),
        migrations.AddIndex(
            model_name='sprint',
            index=models.Index(fields=['team', 'started_at'], name='sprints_sprints_team'),
        ),
        migrations.AddIndex(
            model_name='sprint',
            index=models.Index(fields=['state', 'team'], name='sprints_sprints_state'),
        ),
        migrations.AddConstraint(
            model_name='sprint',
            constraint=models.UniqueConstraint(fields=('organisation', 'external_id'), name='sprints_sprints_source'),
        ),
        migrations.AddConstraint(
            model_name='sprint',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['future', 'active', 'closed'])), name='sprints_sprints_state', violation_error_message='A sprint is future, active or closed.'),
        ),
        migrations.AddIndex(
            model_name='user',
            index=models.Index(fields=['full_name'], name='sprints_users_name'),
        ),
        migrations.AddConstraint(
            model_name='user',
            constraint=models.UniqueConstraint(fields=('organisation', 'external_id'), name='sprints_users_account'),
        ),
        migrations.AddIndex(
            model_name='statuschange',
            index=models.Index(fields=['issue', 'changed_at'], name='sprints_status_changes_issue'),
        ),
        migrations.AddIndex(
            model_name='statuschange',
            index=models.Index(fields=['changed_at'], name='sprints_status_changes_at'),
        ),
        migrations.AddIndex(
            model_name='pointschange',
            index=models.Index(fields=['issue', 'changed_at'], name='sprints_points_changes_issue'),
        ),
        migrations.AddIndex(
            model_name='issue',
            index=models.Index(fields=['issue_key'], name='sprints_issues_by_key'),
        ),
        migrations.AddIndex(
            model_name='issue',
            index=models.Index(fields=['team', 'status'], name='sprints_issues_team'),
        ),
        migrations.AddIndex(
            model_name='issue',
            index=models.Index(fields=['assignee', 'status'], name='sprints_issues_assignee'),
        ),
        migrations.AddIndex(
            model_name='issue',
            index=models.Index(fields=['updated_at'], name='sprints_issues_updated'),
        ),
        migrations.AddIndex(
            model_name='issue',
            index=models.Index(fields=['created_at'], name='sprints_issues_created'),
        ),
        migrations.AddIndex(
            model_name='issue',
            index=models.Index(condition=models.Q(('resolved_at__isnull', False)), fields=['resolved_at', 'team'], include=('started_at',), name='sprints_issues_resolved'),
        ),
        migrations.AddIndex(
            model_name='issue',
            index=models.Index(condition=models.Q(('blocked_since__isnull', False)), fields=['blocked_since'], name='sprints_issues_blocked'),
        ),
        migrations.AddConstraint(
            model_name='issue',
            constraint=models.UniqueConstraint(fields=('organisation', 'external_id'), name='sprints_issues_source'),
        ),
        migrations.AddConstraint(
            model_name='issue',
            constraint=models.UniqueConstraint(fields=('organisation', 'issue_key'), name='sprints_issues_key'),
        ),
    ]
