"""Deleting and correcting in the admin what a load is storing."""

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from sprints.ingest import load
from sprints.ingest.load import LoadReport, ensure_organisation, load_records
from sprints.ingest.record import OrganisationGone, Record
from sprints.ingest.sources import read_sources
from sprints.models import Issue, Organisation, Team
from tests.blocking import beside, post_as_curator

pytestmark = pytest.mark.usefixtures("scratch_database")
WRITTEN = (load, "_quarantine")
"""What a batch calls once its issues are written."""


def read_issue() -> Iterator[Record]:
    fields = {"summary": "One", "created": "2026-01-01T00:00:00Z", "updated": "2026-01-02T00:00:00Z",
              "project": {"key": "T"}, "status": {"name": "Open"}}  # fmt: skip
    return read_sources([("t.json", json.dumps([{"id": "1", "key": "T-1", "fields": fields}]).encode())])[0]


def store(organisation: Organisation) -> None:
    load_records(read_issue(), organisation=organisation, report=LoadReport())


def test_a_deleted_organisation_ends_its_load() -> None:
    organisation = ensure_organisation("deleted-while-it-loads")

    with (
        beside(partial(load.forget, organisation), before=WRITTEN) as waited,
        pytest.raises(OrganisationGone, match="was deleted while"),
    ):
        store(organisation)

    assert waited == [True]
    assert not Organisation.objects.filter(pk=organisation.pk).exists()
    assert not Issue.objects.filter(issue_key="T-1").exists()


@pytest.mark.parametrize("way", ["correct", "delete one", "delete the chosen"])
def test_the_admin_waits_for_the_batch_of_a_load(way: str) -> None:
    organisation = ensure_organisation("corrected-while-it-loads")
    team = Team.objects.create(organisation=organisation, team_key="OLD", team_name="Old")
    address = f"/admin/sprints/team/{team.pk}/"
    corrected = {"organisation": organisation.pk, "team_key": "OLD", "team_name": "New", "external_id": "7"}
    forms: dict[str, tuple[str, dict[str, Any]]] = {
        "correct": (f"{address}change/", corrected),
        "delete one": (f"{address}delete/", {"post": "yes"}),
        "delete the chosen": (
            "/admin/sprints/team/", {"action": "delete_selected", "_selected_action": [team.pk], "post": "yes"},
        ),
    }  # fmt: skip

    with beside(partial(post_as_curator, *forms[way]), before=WRITTEN) as waited:
        store(organisation)

    assert waited == [True]
    left = list(Team.objects.filter(pk=team.pk).values_list("team_name", flat=True))
    assert left == (["New"] if way == "correct" else [])
    assert Issue.objects.filter(issue_key="T-1").exists()
