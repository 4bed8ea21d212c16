"""Addresses: each has a name of its own, what is missing is refused in the caller's form, and the docs can call."""

from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

DOMAINS = ("backtests", "linescore", "sprints")
METHODS = {"get", "put", "post", "delete", "patch"}


def _names(resolver: URLResolver, *, space: str = "", before: str = "") -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for part in resolver.url_patterns:
        route = before + str(part.pattern)
        if isinstance(part, URLResolver):
            found += _names(part, space=f"{space}{part.namespace or ''}:", before=route)
        elif isinstance(part, URLPattern) and part.name:
            found.append((f"{space.strip(':')}:{part.name}", route))
    return found


def test_two_domains_never_share_the_name_of_an_address() -> None:
    names = _names(get_resolver())
    within = Counter((name, route.split("/")[2]) for name, route in names if route.startswith("api/resources/"))
    domains = Counter(name for name, _ in within)

    assert [name for name, times in domains.items() if times > 1] == []


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_root_links_to_resources_of_its_own(domain: str, cast: SimpleNamespace) -> None:
    headers = {"accept": "application/json", "x-api-key": cast.alice}
    links = Client().get(f"/api/resources/{domain}/", headers=headers).json()

    assert links
    assert all(f"/api/resources/{domain}/" in link for link in links.values())


@pytest.mark.parametrize(
    "path", ["/api/nope", "/api/nope/", "/api/", "/api/resources/nope/", "/api/linescore/nope", "/oauth/nope/"]
)
def test_a_program_that_asks_for_nothing_there_is_told_in_json(path: str, database_access: None) -> None:
    answered = Client().get(path)

    assert answered.status_code == 404
    assert answered.headers["content-type"] == "application/json"
    assert answered.json()["error"]["code"] == "NOT_FOUND"
    assert answered.headers["x-request-id"]


def test_a_person_who_asks_for_nothing_there_sees_a_page(database_access: None) -> None:
    answered = Client().get("/nope/")

    assert answered.status_code == 404
    assert answered.headers["content-type"].startswith("text/html")


def test_the_documentation_can_authorize_every_operation(database_access: None) -> None:
    page: dict[str, Any] = Client().get("/api/openapi.json").json()
    operations = [
        (path, method, one) for path, item in page["paths"].items() for method, one in item.items() if method in METHODS
    ]
    schemes = page["components"]["securitySchemes"]

    assert schemes == {"key": {"type": "http", "scheme": "bearer"}}
    assert [(path, method) for path, method, one in operations if one.get("security") != [{"key": []}]] == []
