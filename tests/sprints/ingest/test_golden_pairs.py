"""Jira's own forms, each beside what is read from it; the records were checked by hand against the source."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from sprints.ingest.sources import read_sources

GOLDEN = Path(__file__).with_name("golden")
SOURCES = ["cloud_v3.json", "server_v2.json", "agile.json", "export.csv"]


def read(name: str) -> list[dict[str, Any]]:
    records, _, unreadable = read_sources([(name, (GOLDEN / name).read_bytes())])
    assert unreadable == []
    found = {f"{type(one).__name__} {json.dumps(_describe(one), default=str)}": one for one in records}
    return [{"kind": type(one).__name__} | _describe(one) for one in found.values()]


def _describe(record: Any) -> dict[str, Any]:
    """Leave out what is empty, so that pairs stay readable."""
    said = {name: value for name, value in asdict(record).items() if value not in ("", None, (), False)}
    loaded: dict[str, Any] = json.loads(json.dumps(said, default=str, ensure_ascii=False))
    return loaded


@pytest.mark.parametrize("name", SOURCES)
def test_a_source_is_read_as_beside_it(name: str) -> None:
    expected = json.loads((GOLDEN / f"{name}.expected.json").read_text("utf-8"))

    assert read(name) == expected
