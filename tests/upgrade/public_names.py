"""
Collect the names that people outside the repository use.

Collectors ask Django, Celery and the running server rather than modules, so that modules may move.
"""

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import httpx
import psycopg
from django.apps import apps
from django.conf import settings
from django.core.management import get_commands
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils.module_loading import import_string

Names = dict[str, list[str]]

SERVED_BEFORE_DJANGO = ["/healthz", "/readyz", "/metrics", "/mcp", "/mcp/compact"]
"""Addresses that no URL pattern has."""
DOTTED_PATHS = [
    "config.asgi:application",
    "config.celery:app",
    "config.http_protocol:BoundedHttpProtocol",
    "config.settings:DATABASES",
    "config.wsgi:application",
]
"""What commands of one's own name: web servers, workers (`celery -A config`), DJANGO_SETTINGS_MODULE."""
OUR_SETTINGS = re.compile(
    r"(AGENT|BACKTESTS|CELERY|DEVASSIST|GRAPHQL|JIRA|LINESCORE|OAUTH(?!_SERVER)|OPENAI|SPRINTS|TOOLROOM)_[A-Z_]+$"
)
DJANGO_ADMIN_PAGE = re.compile(r"^/admin/\w+/\w+/({}/|{}/change/|{}/delete/|{}/history/|add/)$")
MCP_HEADERS = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}


def collect_names(server: httpx.Client, *, database_url: str) -> Names:
    """
    Collect every public name, by kind.

    The client has the address of a running server and a key with all scopes; the database is the server's.
    """
    names = {
        "addresses": [*_patterns(get_resolver()), *_served_before_django(server)],
        "operations": _operations(server.get("/api/openapi.json").json()),
        "resource operations": _operations(server.get("/api/resources/openapi.json").json()),
        "scopes": _scopes(),
        "tools": [tool["name"] for tool in _list_mcp(server, "tools/list", part="tools")],
        "compact tools": [tool["name"] for tool in _list_mcp(server, "tools/list", part="tools", path="/mcp/compact")],
        "prompts": [prompt["name"] for prompt in _list_mcp(server, "prompts/list", part="prompts")],
        "resource templates": _resource_templates(server),
        "settings": _settings(),
        "environment": _environment(),
        "commands": [name for name, app in get_commands().items() if app in _own_apps()],
        "metrics": re.findall(r"^# TYPE (\S+)", server.get("/metrics").raise_for_status().text, flags=re.MULTILINE),
        "Celery tasks": _celery_tasks(),
        "tables": [model._meta.db_table for model in apps.get_models(include_auto_created=True) if _is_own(model)],
        "views": _views(database_url),
        "dotted paths": [path for path in DOTTED_PATHS if _can_be_imported(path)],
    }
    return {kind: sorted(set(found)) for kind, found in names.items()}


def _patterns(resolver: URLResolver, prefix: str = "/") -> Iterator[str]:
    """Yield each address with {} for its parameters, without the five pages that the admin has of every table."""
    for pattern in resolver.url_patterns:
        address = re.sub(r"<[^>]*>|\(\?P<\w+>[^)]*\)", "{}", prefix + str(pattern.pattern)).replace("^", "")
        if isinstance(pattern, URLResolver):
            yield from _patterns(pattern, address)
        elif isinstance(pattern, URLPattern) and not DJANGO_ADMIN_PAGE.match(address):
            yield address.removesuffix("$")


def _served_before_django(server: httpx.Client) -> list[str]:
    """Return those addresses that are answered before Django; the status need not be 200."""
    toolkits = {f"/mcp/{domain}" for domain in _tool_domains(server)}
    return [path for path in [*SERVED_BEFORE_DJANGO, *sorted(toolkits)] if is_served(server, path)]


def is_served(server: httpx.Client, path: str) -> bool:
    """Return whether the server knows an address; /mcp accepts POST only."""
    method = "POST" if path.startswith("/mcp") else "GET"
    return server.request(method, path).status_code != httpx.codes.NOT_FOUND


def _tool_domains(server: httpx.Client) -> Iterator[str]:
    for path in server.get("/api/openapi.json").json()["paths"]:
        if path.startswith("/api/tools/"):
            yield path.split("/")[3]


def _operations(document: dict[str, Any]) -> list[str]:
    return [
        f"{operation['operationId']} ({method.upper()} {path})"
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if "operationId" in operation
    ]


def _list_mcp(server: httpx.Client, method: str, *, part: str, path: str = "/mcp") -> list[dict[str, Any]]:
    """List all pages of an MCP list method."""
    listed: list[dict[str, Any]] = []
    params: dict[str, Any] = {}
    while True:
        call = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        result = server.post(path, json=call, headers=MCP_HEADERS).raise_for_status().json()["result"]
        listed += result[part]
        if not result.get("nextCursor"):
            return listed
        params = {"cursor": result["nextCursor"]}


def _resource_templates(server: httpx.Client) -> list[str]:
    listed = _list_mcp(server, "resources/templates/list", part="resourceTemplates")
    return [template["uriTemplate"] for template in listed]


def _scopes() -> list[str]:
    from toolbox.access.scopes import list_known_scopes

    return list_known_scopes()


def _settings() -> list[str]:
    """Return our settings; DATABASES and Django's other ones are Django's names."""
    return [name for name in dir(import_module(settings.SETTINGS_MODULE)) if OUR_SETTINGS.match(name)]


def _environment() -> list[str]:
    """Return the variables of the environment's model, their aliases, and those of .env.example."""
    from config.environment import Environment

    example = Path(settings.BASE_DIR, ".env.example").read_text(encoding="utf-8")
    aliases = [
        str(choice)
        for field in Environment.model_fields.values()
        for choice in getattr(field.validation_alias, "choices", [field.validation_alias])
        if choice
    ]
    return [name.upper() for name in [*Environment.model_fields, *aliases]] + re.findall(
        r"^#? ?([A-Z][A-Z_]+)=", example, flags=re.MULTILINE
    )


def _celery_tasks() -> list[str]:
    from config.celery import app

    app.loader.import_default_modules()
    return [name for name in app.tasks if not name.startswith("celery.")]


def _views(database_url: str) -> list[str]:
    """Return the database views, which people and models use in SQL."""
    statement = "SELECT schemaname || '.' || viewname FROM pg_views WHERE schemaname !~ '^(pg_|information_schema)'"
    with psycopg.connect(database_url) as connection:
        return [str(name) for (name,) in connection.execute(statement)]


def _own_apps() -> set[str]:
    """Return the apps whose code is in the repository."""
    root = Path(settings.BASE_DIR)
    return {
        app.name for app in apps.get_app_configs() if Path(app.path).is_relative_to(root) and ".venv" not in app.path
    }


def _is_own(model: Any) -> bool:
    return apps.get_app_config(model._meta.app_label).name in _own_apps()


def _can_be_imported(path: str) -> bool:
    try:
        import_string(path.replace(":", "."))
    except ImportError:
        return False
    return True
