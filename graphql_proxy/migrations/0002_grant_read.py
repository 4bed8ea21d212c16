"""Let tools read all of this domain but the headers' values."""

from django.db import migrations

from toolbox.database.migration_operations import GrantRead


class Migration(migrations.Migration):
    dependencies = [("graphql_proxy", "0001_initial")]

    operations = [
        GrantRead(
            "graphql_proxy_upstreams", "graphql_proxy_schemas", "graphql_proxy_error_hints", "graphql_proxy_operations"
        ),
    ]
