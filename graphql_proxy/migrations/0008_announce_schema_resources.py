"""Announce the resources of the types and queries that a new version of a schema changes."""

from django.db import migrations

from toolbox.database.migration_operations import NotifyResourceChanges, encode_uri_part_sql

_TYPE, _MEMBER = (f"split_part(change ->> 'path', '.', {part})" for part in (1, 2))
_CHANGED = (
    "FROM changed JOIN graphql_proxy_upstreams AS upstream ON upstream.id = changed.upstream_id "
    "CROSS JOIN LATERAL jsonb_array_elements(changed.changes) AS listed (change)"
)


class Migration(migrations.Migration):
    dependencies = [("graphql_proxy", "0007_upstream_policies")]

    operations = [
        NotifyResourceChanges(
            "graphql_proxy_schemas",
            f"SELECT 'graphql://upstreams/' || upstream.slug || '/types/' || {encode_uri_part_sql(_TYPE)} "
            f"{_CHANGED} WHERE {_TYPE} <> '' "
            f"UNION ALL SELECT 'graphql://upstreams/' || upstream.slug || '/queries/' || "
            f"{encode_uri_part_sql(_MEMBER)} {_CHANGED} WHERE {_TYPE} = 'Query' AND {_MEMBER} <> ''",
        ),
    ]
