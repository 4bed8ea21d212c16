"""
Built-in permission groups: Curator, Analyst and Operator.

They are for people who may log in to the admin (staff). `migrate` creates the groups that are missing and never changes
existing ones, so an administrator's changes stay.
"""

from collections.abc import Iterable
from typing import Any

from django.apps import apps as installed_apps
from django.apps.registry import Apps
from django.contrib.auth.management import create_permissions
from django.db import DEFAULT_DB_ALIAS
from django.db.models import Q

from toolbox.catalogue.registry import registry

_SERVER_TABLES = {
    "graphql_proxy": ["upstream", "upstreamheader"], "devassist": ["workspace", "editorstate", "websource"],
}  # fmt: skip
"""Tables of domains that configure which hosts this server calls, and hold its secrets."""
_WRITTEN_BY_ANALYSTS = ["verifiedquery", "termsynonym"]


def create_missing_groups(*, using: str = DEFAULT_DB_ALIAS, apps: Apps = installed_apps, **_: Any) -> None:
    """Create the groups that are missing; runs after migrations, when not every app has its permissions yet."""
    try:
        groups, permissions = apps.get_model("auth", "Group"), apps.get_model("auth", "Permission")
    except LookupError:  # auth is not migrated yet
        return
    missing = [name for name in _PERMISSIONS if not groups.objects.using(using).filter(name=name).exists()]
    if not missing:
        return
    for config in installed_apps.get_app_configs():
        create_permissions(config, verbosity=0, using=using, apps=apps)
    for name in missing:
        group = groups.objects.using(using).create(name=name)
        group.permissions.set(permissions.objects.using(using).filter(_PERMISSIONS[name]()))


def _curator() -> Q:
    """Correct the data of domains, the examples and prompts, and load data."""
    data = (_match(_domains()) & ~_server_tables()) | _match(["toolbox"], ["example", "namealias", "curatedprompt"])
    jobs = _match(["toolbox"], ["job"], actions=["add", "change", "view"])
    return data | jobs | _match(["toolbox"], ["toolcall"], actions=["view"])


def _analyst() -> Q:
    """Match permissions to read the domains' data and every call, and to define what questions mean."""
    reads = (_match(_domains(), actions=["view"]) & ~_server_tables()) | _match(
        ["toolbox"], ["example", "curatedprompt", "toolcall"], actions=["view"]
    )
    return reads | _match(["sprints"], _WRITTEN_BY_ANALYSTS) | _match(["toolbox"], ["namealias"])


def _operator() -> Q:
    """Match permissions to run the server (keys, upstreams, workspaces, jobs, tasks) and to see calls and people."""
    server = (
        _server_tables() | _match(["toolbox"], ["apikey", "job", "task"]) | _match(["agents"], ["modelprice", "budget"])
    )
    seen = _match(["toolbox"], ["toolcall", "serverprocess"]) | _match(["agents"]) | _match(["auth"], ["user", "group"])
    return server | (seen & Q(codename__startswith="view_"))


_PERMISSIONS = {"Curator": _curator, "Analyst": _analyst, "Operator": _operator}


def _domains() -> list[str]:
    return [toolkit.domain for toolkit in registry.toolkits() if toolkit.domain != "agents"]


def _server_tables() -> Q:
    found = Q()
    for app, tables in _SERVER_TABLES.items():
        found |= _match([app], tables)
    return found


def _match(labels: Iterable[str], tables: Iterable[str] = (), *, actions: Iterable[str] = ()) -> Q:
    """Match permissions on these apps, limited to these tables and actions if any are named."""
    found = Q(content_type__app_label__in=list(labels))
    if tables:
        found &= Q(content_type__model__in=list(tables))
    ways = Q()
    for action in actions:
        ways |= Q(codename__startswith=f"{action}_")
    return found & ways
