"""Issues, sprints and people for programs: filtered, paged, and without anything private."""

from typing import Any

import pytest
from django.test import Client

from sprints.models import Issue, SprintIssue, User
from tests.conftest import ALICE_KEY, CHARLIE_KEY

pytestmark = pytest.mark.django_db
PAGES = "/api/resources/sprints/"


def ask(address: str, *, key: str = ALICE_KEY) -> Any:
    reply = Client().get(PAGES + address, headers={"Authorization": f"Bearer {key}"})
    return reply.json() if reply.status_code == 200 else reply.status_code


@pytest.mark.parametrize("resource", ["teams", "users", "sprints", "issues", "sprint-issues", "status-changes"])
def test_every_resource_lists_and_shows_rows_and_no_address(resource: str) -> None:
    page = ask(f"{resource}/")
    first = page["results"][0]
    key = next(iter(first.values()))

    assert ask(f"{resource}/{key}/") == first
    assert "email" not in str(page)
    assert "@meridian.example" not in str(page)
    assert "description" not in first


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("issue_key=ACCEL-20", lambda: 1),
        ("status=QA", lambda: Issue.objects.filter(status__status_name="QA").count()),
        ("status_category=In%20Progress", lambda: Issue.objects.filter(status__status_category="In Progress").count()),
        ("title=undo", lambda: Issue.objects.filter(title__icontains="undo").count()),
        ("title=%27%20OR%201=1", lambda: 0),
    ],
)
def test_issues_are_filtered(query: str, expected: Any) -> None:
    assert ask(f"issues/?{query}")["count"] == expected()


def test_issues_of_a_person_and_stays_of_an_issue() -> None:
    avery = User.objects.get(full_name="Avery Smith")
    stay = SprintIssue.objects.first()
    assert stay is not None

    assert ask(f"issues/?assignee_id={avery.pk}")["count"] == avery.assigned.count()
    assert (
        ask(f"sprint-issues/?issue_id={stay.issue_id}")["count"]
        == SprintIssue.objects.filter(issue=stay.issue_id).count()
    )


def test_a_parameter_that_is_not_there_is_refused() -> None:
    assert ask("users/?email=x") == 400


def test_without_the_scope_nothing_is_seen() -> None:
    assert ask("issues/", key=CHARLIE_KEY) == 403
