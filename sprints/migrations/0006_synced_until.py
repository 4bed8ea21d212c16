"""Remember up to when a site's changes are stored."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("sprints", "0005_verified_queries")]

    operations = [
        migrations.AddField(
            model_name="organisation",
            name="synced_until",
            field=models.DateTimeField(blank=True, help_text="Its site's changes until then are stored.", null=True),
        ),
    ]
