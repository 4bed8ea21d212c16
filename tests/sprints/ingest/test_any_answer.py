"""Saved answers of a Jira, changed at random: no load stops; every issue is stored, or refused by name."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction

from sprints.ingest.load import LoadReport, ensure_organisation, load_records
from sprints.ingest.sources import read_sources
from sprints.models import Issue

pytestmark = pytest.mark.django_db
GOLDEN = Path(__file__).with_name("golden")
ENDPOINTS = Path(__file__).with_name("endpoints")
ODD: tuple[Any, ...] = (
    None, "", 0, -1, 1e308, 10**30, True, [], {}, [None], {"id": None}, "\x00\ud83d", "a" * 70_000,
    "9999-12-31T23:59:59Z", "0001-01-01T00:00:00+14:00", "2026-02-30", "NaN", "To Do", "T-1", {"name": 7},
    {"content": [{}]}, [[[]]], "\uff11\uff12", -0.0,
)  # fmt: skip


def documents() -> list[Any]:
    paths = [*sorted(GOLDEN.glob("*.json")), *sorted(ENDPOINTS.glob("*.json"))]
    return [json.loads(path.read_bytes()) for path in paths if "expected" not in path.name]


def places(node: Any) -> list[tuple[Any, Any]]:
    """Return every place for a value in a document: a container and a key."""
    inside = list(node.items()) if isinstance(node, dict) else list(enumerate(node)) if isinstance(node, list) else []
    return [(node, key) for key, _ in inside] + [place for _, value in inside for place in places(value)]


def mutate(document: Any, *, dice: random.Random) -> None:
    """Insert odd values, values from other places, and copies of whole records; drop some values."""
    found = places(document)
    for container, key in dice.sample(found, k=min(len(found), dice.randint(1, 30))):
        other, other_key = dice.choice(found)
        taken = other[other_key] if other_key in (other if isinstance(other, dict) else range(len(other))) else None
        container[key] = dice.choice([dice.choice(ODD), json.loads(json.dumps(taken))])


@pytest.mark.parametrize("seed", range(12))
def test_a_load_ends_and_names_what_it_left_out(seed: int) -> None:
    dice = random.Random(seed)
    for number in range(4):
        changed = documents()
        mutate(changed, dice=dice)
        sources = [(f"{place}.json", json.dumps(one).encode()) for place, one in enumerate(changed)]
        with transaction.atomic():
            organisation = ensure_organisation(f"any-answer-{seed}-{number}")
            found, survey, unreadable = read_sources(sources)
            given = [str(one.get("key")) for _, one in survey.issues]
            report = load_records(found, organisation=organisation, report=LoadReport())
            stored = Issue.objects.filter(organisation=organisation).count()
            transaction.set_rollback(True)
        assert unreadable == []
        assert stored == report.added
        assert report.added + report.skipped + report.refused_count + _repeat(given) >= len(given), report.doubts


def _repeat(keys: list[str]) -> int:
    return len(keys) - len(set(keys))
