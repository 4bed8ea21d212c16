"""Tell every process when operations, or what they are held to, change."""

from django.db import migrations

from toolbox.database.migration_operations import NotifyToolChanges


class Migration(migrations.Migration):
    dependencies = [("graphql_proxy", "0002_grant_read")]

    operations = [
        NotifyToolChanges("graphql_proxy_operations", "graphql_proxy"),
        NotifyToolChanges("graphql_proxy_upstreams", "graphql_proxy"),
        NotifyToolChanges("graphql_proxy_schemas", "graphql_proxy"),
    ]
