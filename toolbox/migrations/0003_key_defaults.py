"""A key names the workspace and the upstream that its calls mean by default."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("toolbox", "0002_no_temporary_tables"),
    ]

    operations = [
        migrations.AddField(
            model_name="apikey",
            name="default_upstream",
            field=models.CharField(
                blank=True, default="", help_text="Who is asked where a call names no upstream.", max_length=60
            ),
        ),
        migrations.AddField(
            model_name="apikey",
            name="default_workspace",
            field=models.CharField(
                blank=True,
                default="",
                help_text="Whose files are meant where a call names no workspace.",
                max_length=60,
            ),
        ),
    ]
