"""Tell every process when other keys are chosen: whose catalogue lists a closed upstream's tools follows from them."""

from django.db import migrations

from toolbox.database.migration_operations import NotifyToolChanges


class Migration(migrations.Migration):
    dependencies = [("graphql_proxy", "0004_who_may_ask")]

    operations = [NotifyToolChanges("graphql_proxy_upstream_keys", "graphql_proxy")]
