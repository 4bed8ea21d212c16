"""Documents change with past root causes: clients that watch them are told."""

from django.db import migrations

from toolbox.database.migration_operations import NotifyResourceChanges, encode_uri_part_sql


class Migration(migrations.Migration):
    dependencies = [("devassist", "0005_root_causes_inline")]

    operations = [
        NotifyResourceChanges(
            "devassist_root_causes",
            f"SELECT 'devassist://root-causes/' || {encode_uri_part_sql('entry_name')} FROM changed",
        ),
    ]
