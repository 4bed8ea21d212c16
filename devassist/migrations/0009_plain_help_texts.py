"""The admin says fix; only help texts change."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("devassist", "0008_code_graph"),
    ]

    operations = [
        migrations.AlterField(
            model_name="rootcause",
            name="fixed_in",
            field=models.CharField(
                blank=True, help_text="The file that was fixed, where there is one.", max_length=500
            ),
        ),
        migrations.AlterField(
            model_name="rootcause",
            name="solution",
            field=models.TextField(help_text="What fixes it."),
        ),
    ]
