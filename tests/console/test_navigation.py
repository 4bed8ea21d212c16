"""The navigation of the pages, and the admin's sidebar."""

import re

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.test import Client

from config.sidebar import GROUPS

DATA = ["Hockey", "Backtests", "Sprints", "Code and errors", "GraphQL"]


def list_links(page: str, *, label: str) -> list[tuple[str, str]]:
    """Return the links of a navigation, each with what `aria-current` says."""
    found = re.search(rf'<nav[^>]*aria-label="{label}">(.*?)</nav>', page, re.DOTALL)
    links = re.findall(r'<a href="[^"]*"(?: aria-current="(\w+)")?>([^<]+)<', found[1]) if found else []
    return [(name, current) for current, name in links]


@pytest.fixture
def curator(client: Client) -> Client:
    """Log the curator in."""
    client.force_login(User.objects.get(username="curator"))
    return client


@pytest.mark.django_db
def test_six_places_to_go_and_no_domain_among_them(curator: Client) -> None:
    page = curator.get("/tools/").content.decode()

    names = ["Ask", "Tools", "Activity", "Data", "Connect", "Admin"]
    assert list_links(page, label="Main") == [(name, "page" if name == "Tools" else "") for name in names]
    assert list_links(page, label="Data") == []


@pytest.mark.django_db
@pytest.mark.parametrize(("address", "name"), [("/sprints/", "Sprints"), ("/linescore/", "Hockey")])
def test_a_page_of_a_domain_shows_the_domains_and_which_is_open(curator: Client, address: str, name: str) -> None:
    page = curator.get(address).content.decode()

    assert ("Data", "true") in list_links(page, label="Main")
    assert list_links(page, label="Data") == [(one, "page" if one == name else "") for one in DATA]


def test_data_leads_to_what_the_person_may_read_alone(client: Client, scratch_database: None) -> None:
    person = User.objects.create_user("harriet")
    person.groups.add(Group.objects.get_or_create(name="sprints:read")[0])
    client.force_login(person)

    page = client.get("/data/").content.decode()

    assert list_links(page, label="Data") == [("Sprints", "")]
    assert re.findall(r'<h2><a href="([^"]+)"', page) == ["/sprints/"]


def test_every_list_of_the_admin_has_a_group_and_an_icon() -> None:
    admin.autodiscover()
    named = [label for icons in GROUPS.values() for label in icons]

    assert sorted(named) == sorted(model._meta.label_lower for model in admin.site._registry)


def test_the_sidebar_holds_what_the_person_may_see_alone(client: Client, scratch_database: None) -> None:
    person = User.objects.create_user("harriet", is_staff=True)
    person.groups.set(Group.objects.filter(name="Curator"))
    client.force_login(person)

    page = client.get("/admin/").content.decode()

    assert "/admin/sprints/verifiedquery/" in page
    assert "/admin/auth/user/" not in page
