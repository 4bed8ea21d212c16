"""The groups that are there from the start, and what their members may do."""

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.test import Client

from toolbox.access.groups import create_missing_groups

pytestmark = pytest.mark.django_db(transaction=False)
MAY = {
    "Curator": {"linescore.change_game", "sprints.add_verifiedquery", "toolbox.change_example", "toolbox.add_job"},
    "Analyst": {"linescore.view_game", "sprints.add_verifiedquery", "sprints.change_termsynonym"},
    "Operator": {"toolbox.add_apikey", "graphql_proxy.change_upstream", "toolbox.view_toolcall", "auth.view_user"},
}
MAY_NOT = {
    "Curator": {"toolbox.add_apikey", "graphql_proxy.change_upstream", "devassist.add_workspace", "auth.change_user"},
    "Analyst": {"linescore.change_game", "toolbox.add_job", "toolbox.add_apikey", "graphql_proxy.view_upstreamheader"},
    "Operator": {"auth.change_user", "auth.change_group", "linescore.change_game"},
}


@pytest.mark.parametrize("name", MAY)
def test_a_member_may_do_what_the_group_is_for_and_no_more(name: str) -> None:
    member = User.objects.create_user("member", is_staff=True)
    member.groups.add(Group.objects.get(name=name))

    assert {right for right in MAY[name] | MAY_NOT[name] if member.has_perm(right)} == MAY[name]


def test_a_curator_sees_the_lists_of_the_domains() -> None:
    member = User.objects.create_user("member", is_staff=True)
    member.groups.add(Group.objects.get(name="Curator"))
    browser = Client()
    browser.force_login(member)

    assert browser.get("/admin/linescore/game/").status_code == 200
    assert browser.get("/admin/toolbox/apikey/").status_code == 403


def test_what_an_administrator_took_away_stays_away() -> None:
    analyst = Group.objects.get(name="Analyst")
    analyst.permissions.remove(Permission.objects.get(codename="add_verifiedquery"))
    Group.objects.filter(name="Operator").delete()

    create_missing_groups()

    assert not analyst.permissions.filter(codename="add_verifiedquery").exists()
    assert Group.objects.get(name="Operator").permissions.exists()
