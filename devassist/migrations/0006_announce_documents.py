"""Documents change with past root causes: clients that watch them are told."""

from django.db import migrations

from toolbox.database.change_notifications import NotifyResourceChanges, in_address


class Migration(migrations.Migration):
    dependencies = [("devassist", "0005_root_causes_inline")]

    operations = [
        NotifyResourceChanges(
            "devassist_root_causes",
            f"SELECT 'devassist://root-causes/' || {in_address('entry_name')} FROM changed",
        ),
    ]
