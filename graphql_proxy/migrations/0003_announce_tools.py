"""Tell every process when operations, or what they are held to, change."""

from django.db import migrations

from toolbox.announcing import AnnounceTools


class Migration(migrations.Migration):
    dependencies = [("graphql_proxy", "0002_grant_read")]

    operations = [
        AnnounceTools("graphql_proxy_operations", "graphql_proxy"),
        AnnounceTools("graphql_proxy_upstreams", "graphql_proxy"),
        AnnounceTools("graphql_proxy_schemas", "graphql_proxy"),
    ]
