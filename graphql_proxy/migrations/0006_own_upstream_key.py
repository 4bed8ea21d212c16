"""`/graphql/` needs a key like every other entry: the upstream that is this server itself gets one, sealed."""

from typing import Any

from django.conf import settings
from django.db import migrations

from graphql_proxy.ingest.load import ensure_own_key

HOCKEY = "hockey"
LOOPBACK = ("http://127.0.0.1:", "http://localhost:", "http://[::1]:")


def give_key(apps: Any, _: object) -> None:
    """Give the key where the upstream stands on this machine; one that a curator moved keeps its own headers."""
    for upstream in apps.get_model("graphql_proxy", "Upstream").objects.filter(slug=HOCKEY):
        if upstream.address.startswith(LOOPBACK):
            ensure_own_key(
                upstream,
                headers=apps.get_model("graphql_proxy", "UpstreamHeader"),
                keys=apps.get_model("toolbox", "ApiKey"),
                users=apps.get_model("auth", "User"),
            )


class Migration(migrations.Migration):
    dependencies = [
        ("graphql_proxy", "0005_announce_chosen_keys"),
        ("toolbox", "0014_transport"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [migrations.RunPython(give_key, migrations.RunPython.noop)]
