"""Teams and people of sprints are called so, beside NHL teams and those who log in."""

from django.db import migrations


class Migration(migrations.Migration):
    """Options of the model alone."""

    dependencies = [
        ("sprints", "0021_term_synonyms"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="team",
            options={"verbose_name": "sprint team"},
        ),
        migrations.AlterModelOptions(
            name="user",
            options={"verbose_name": "person", "verbose_name_plural": "people"},
        ),
    ]
