"""One name for each table and each domain, wherever people read it."""

from collections import Counter

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import User
from django.test import Client

from toolbox.catalogue.registry import registry

DOMAINS = {
    "linescore": "Hockey",
    "backtests": "Backtests",
    "sprints": "Sprints",
    "devassist": "Code and errors",
    "graphql_proxy": "GraphQL",
}


def test_no_two_lists_of_the_admin_have_one_name() -> None:
    admin.autodiscover()
    names = Counter(str(model._meta.verbose_name_plural).lower() for model in admin.site._registry)

    assert [name for name, count in names.items() if count > 1] == []


def test_every_domain_has_the_name_that_people_read() -> None:
    domains = [toolkit.domain for toolkit in registry.toolkits()]

    assert {domain: apps.get_app_config(domain).verbose_name for domain in DOMAINS} == DOMAINS
    assert set(DOMAINS) <= set(domains)


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/tools/", "/admin/"])
def test_navigation_tools_and_admin_say_it(client: Client, address: str) -> None:
    client.force_login(User.objects.get(username="curator"))

    page = client.get(address).content.decode()

    assert [name for name in DOMAINS.values() if name not in page] == []
