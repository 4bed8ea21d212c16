"""The verified queries that ship: they run through the guard, and a person's changes survive a newer version."""

import re
from io import StringIO

import pytest
from django.core.management import call_command

from sprints.models import VerifiedQuery
from sprints.verified.library import hash_content, list_shipped_queries
from sprints.verified.load import load_verified_queries

TOPICS = {
    "velocity", "burndown", "carry-over", "cycle time", "throughput", "work in progress", "ageing", "workload",
    "estimates", "blockers", "priority mix", "scope change",
}  # fmt: skip


def test_they_cover_what_a_team_asks() -> None:
    rows = list_shipped_queries()

    assert len(rows) >= 40
    assert {row["topic"] for row in rows} == TOPICS
    assert len({row["slug"] for row in rows}) == len(rows)


@pytest.mark.slow
@pytest.mark.usefixtures("django_db_setup")
def test_every_one_runs_through_the_guard_and_every_wording_finds_its_own(django_db_blocker: object) -> None:
    with django_db_blocker.unblock():  # type: ignore[attr-defined]
        call_command("check_verified_queries", stdout=StringIO())


@pytest.mark.usefixtures("db")
def test_loading_again_writes_nothing_and_keeps_what_a_person_changed() -> None:
    load_verified_queries()
    VerifiedQuery.objects.filter(slug="backlog").update(question="What waits?")
    VerifiedQuery.objects.filter(slug="burndown").delete()

    assert load_verified_queries() == 1
    assert load_verified_queries() == 0
    assert VerifiedQuery.objects.get(slug="backlog").question == "What waits?"


@pytest.mark.usefixtures("db")
def test_a_newer_version_replaces_what_nobody_changed() -> None:
    load_verified_queries()
    row = VerifiedQuery.objects.get(slug="backlog")
    row.question = "An older question"
    row.shipped_digest = hash_content(row.content())
    row.save()

    assert load_verified_queries() == 1
    assert VerifiedQuery.objects.get(slug="backlog").question == "What is in the backlog?"


def test_teams_of_two_organisations_with_the_same_key_are_never_added_up() -> None:
    merging = [
        row["slug"]
        for row in list_shipped_queries()
        if re.search(r"GROUP BY (?!t\.team_id)[^\n]*t\.team_key", row["sql"])
    ]

    assert merging == []
