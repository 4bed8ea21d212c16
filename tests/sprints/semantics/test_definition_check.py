"""The check of definitions names what is wrong, so that an analyst can correct the file."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from sprints.semantics import model as model_module
from sprints.semantics.definition_check import find_definition_errors
from sprints.semantics.model import SemanticModel, shipped_model


def make_broken(**changes: Any) -> SemanticModel:
    """Return the shipped model with terms changed: `measures__velocity={"where": ["nothing"]}`."""
    raw = tomllib.loads((Path(model_module.__file__).with_name("definitions.toml")).read_text(encoding="utf-8"))
    for place, change in changes.items():
        kind, _, name = place.partition("__")
        raw[kind].setdefault(name, {}).update(change)
    return SemanticModel.model_validate(raw)


def test_the_shipped_definitions_hold_together() -> None:
    assert find_definition_errors(shipped_model()) == ()


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"measures__velocity": {"where": ["shut"]}},
            "Measure velocity names the predicate shut, which is not defined.",
        ),
        (
            {"measures__velocity": {"time": "later"}},
            "Measure velocity names the time role later, which is not defined.",
        ),
        (
            {"entities__issue": {"columns": ["colour"]}},
            "Entity issue names the dimension colour, which is not defined.",
        ),
        ({"measures__done_rate": {"time": "resolved"}}, "Measure done_rate divides measures that"),
        (
            {"dimensions__sprint": {"time": "later"}},
            "Dimension sprint names the time role later, which is not defined.",
        ),
        ({"dimensions__title": {"entity": "card"}}, "Term title names the entity card, which is not defined."),
        ({"measures__velocity": {"expression": "avg({outcome}.points)"}}, "{outcome}, which is not reached."),
        (
            {"dimensions__team": {"role": "squad"}},
            "(team). A term of an entity is reached by the join or path called squad.",
        ),
        (
            {"entities__membership": {"paths": {"team": "sprint.squad"}}},
            "Entity membership: the path to team leads to no entity.",
        ),
    ],
)
def test_a_name_that_is_not_defined_is_found(changes: dict[str, Any], sentence: str) -> None:
    errors = find_definition_errors(make_broken(**changes))

    assert any(sentence in error for error in errors), errors


def test_a_term_with_two_meanings_is_malformed() -> None:
    with pytest.raises(ValidationError, match="give either expression or ratio"):
        make_broken(measures__velocity={"ratio": ["issues", "points"]})
