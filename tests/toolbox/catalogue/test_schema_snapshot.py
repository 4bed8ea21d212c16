"""What `tooldocs --check` calls a broken promise."""

from copy import deepcopy
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from toolbox.catalogue.schema_snapshot import breaking_changes

BEFORE: dict[str, Any] = {
    "find_game": {
        "domain": "games",
        "version": 3,
        "deprecated": {"club": 2},
        "errors": ["NO_RESULTS", "TIMEOUT"],
        "input": {
            "type": "object",
            "properties": {
                "team": {"type": ["string", "null"], "description": "The team."},
                "club": {"type": "string", "description": "[DEPRECATED] Use team."},
                "outcome": {"type": "string", "enum": ["WIN", "LOSS"], "description": "How it ended."},
                "limit": {"type": "number", "minimum": 1, "maximum": 1000, "description": "Most rows."},
                "days": {"type": "array", "items": {"type": "integer"}, "description": "Which days."},
            },
        },
        "output": {
            "type": "object",
            "properties": {"count": {"type": "integer", "description": "Rows."}},
            "required": ["count"],
        },
    }
}


def change_snapshot(path: str, value: Any) -> dict[str, Any]:
    """Set, or with None remove, one place of the snapshot, given as keys joined by slashes."""
    after = deepcopy(BEFORE)
    *way, last = path.split("/")
    place = after["find_game"]
    for key in way:
        place = place[key]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return after


BREAKING = {
    "parameter removed": ("input/properties/team", None, "the parameter team is gone"),
    "newly required": ("input/required", ["team"], "the parameter team is newly required"),
    "type narrowed": ("input/properties/team/type", "string", "team: no longer takes null"),
    "number to integer": ("input/properties/limit/type", "integer", "limit: no longer takes number"),
    "enum narrowed": ("input/properties/outcome/enum", ["WIN"], "outcome: no longer takes LOSS"),
    "enum new": ("input/properties/team/enum", ["CAR"], "team: no longer takes other values"),
    "bound raised": ("input/properties/limit/minimum", 5, "limit: minimum is 5 now"),
    "bound lowered": ("input/properties/limit/maximum", 500, "limit: maximum is 500 now"),
    "pattern new": ("input/properties/team/pattern", "^X", "team: pattern has changed"),
    "items narrowed": ("input/properties/days/items/maximum", 7, "days[]: maximum is 7 now"),
    "error code gone": ("errors", ["TIMEOUT"], "the error code NO_RESULTS is gone"),
    "answer field gone": ("output/properties/count", None, "the field count of the answer is gone"),
    "answer field optional": ("output/required", [], "the field count of the answer may now be absent"),
    "answer type": ("output/properties/count/type", ["integer", "null"], "count: may now be null"),
}


@pytest.mark.parametrize(("path", "value", "said"), BREAKING.values(), ids=BREAKING)
def test_it_names_a_breaking_change(path: str, value: Any, said: str) -> None:
    broken = list(breaking_changes(BEFORE, change_snapshot(path, value)))

    assert broken == [f"find_game: {said}; raise its version"]


@pytest.mark.parametrize(("path", "value", "said"), BREAKING.values(), ids=BREAKING)
def test_a_new_version_lets_it_pass(path: str, value: Any, said: str) -> None:
    after = change_snapshot(path, value)
    after["find_game"]["version"] = 4

    assert list(breaking_changes(BEFORE, after)) == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("input/properties/season", {"type": "string", "description": "New and optional."}),
        ("input/properties/outcome/enum", ["WIN", "LOSS", "TIE"]),
        ("input/properties/limit/maximum", 5000),
        ("input/properties/club/type", ["string", "null"]),
        ("errors", ["NO_RESULTS", "TIMEOUT", "NEW_ONE"]),
        ("output/properties/more", {"type": "string", "description": "New."}),
    ],
)
def test_a_widening_passes(path: str, value: Any) -> None:
    assert list(breaking_changes(BEFORE, change_snapshot(path, value))) == []


def test_a_deprecated_parameter_stays_for_two_versions() -> None:
    early, late = change_snapshot("input/properties/club", None), change_snapshot("input/properties/club", None)
    late["find_game"]["version"] = 4

    assert list(breaking_changes(BEFORE, early)) == [
        "find_game: the parameter club, deprecated in version 2, must work until version 4"
    ]
    assert list(breaking_changes(BEFORE, late)) == []


def test_a_tool_does_not_vanish() -> None:
    [said] = breaking_changes(BEFORE, {})

    assert said.startswith("find_game: the tool is gone")


def test_tooldocs_check_fails_on_a_stale_page(tmp_path: Path) -> None:
    call_command("tooldocs", folder=tmp_path, stdout=StringIO())
    (tmp_path / "linescore.md").write_text("old")

    with pytest.raises(CommandError, match=r"stale: linescore\.md"):
        call_command("tooldocs", folder=tmp_path, check=True, stdout=StringIO())


def test_tooldocs_refuses_to_write_a_broken_promise(tmp_path: Path) -> None:
    call_command("tooldocs", folder=tmp_path, stdout=StringIO())
    promised = (tmp_path / "schemas.json").read_text()
    (tmp_path / "schemas.json").write_text(promised.replace('"NO_RESULTS",', '"NO_RESULTS", "OLD_CODE",'))

    with pytest.raises(CommandError, match="query_linescore_data: the error code OLD_CODE is gone; raise its version"):
        call_command("tooldocs", folder=tmp_path, stdout=StringIO())
