"""Rule 10, held to examples of its own and to the repository."""

import pytest

from tests.architecture.names import check_file, check_source
from tests.architecture.sources import in_packages, name_of, python


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("def _said(text): ...", "_said"),
        ("def showing(text): ...", "showing"),
        ("async def carried_on(): ...", "carried_on"),
        ("def filled_in(): ...", "filled_in"),
        ("def answer_shown(): ...", "answer_shown"),
        ("def again(): ...", "again"),
        ("class Page:\n    def listed(self): ...", "listed"),
        ("class Asked: ...", "Asked"),
        ("class EventLane: ...", "EventLane"),
        ("class Course: ...", "Course"),
        ("def at_home(): ...", "at_home"),
        ("def find_door(): ...", "find_door"),
        ("def wait(bell): ...", "bell"),
        ("self.desk = 1", "desk"),
        ("WALLS = ()", "WALLS"),
        ("MOST_ROWS = 5", "MOST_ROWS"),
        ("LONGEST_WORD = 5", "LONGEST_WORD"),
        ("LARGEST_BODY: int = 5", "LARGEST_BODY"),
    ],
)
def test_a_name_outside_the_glossary_is_refused(source: str, name: str) -> None:
    assert [offence[1] for offence in check_source(source)] == [name]


@pytest.mark.parametrize("module", ["asking", "kept", "lanes", "test_walls"])
def test_a_module_with_such_a_name_is_refused(module: str) -> None:
    assert [offence[1] for offence in check_source("", module=module)] == [f"{module}.py"]


@pytest.mark.parametrize(
    "source",
    [
        "def load_events(): ...",
        "def read(): ...",
        "def ping(): ...",
        "def embed(text): ...",
        "def is_allowed(): ...",
        "def has_started(): ...",
        "def mark_as_shown(): ...",
        "def find_kept_answers(): ...",
        "def test_what_was_said(): ...",
        "def open_interface(): ...",
        "class CallInterrupted(Exception): ...",
        "class RunListener: ...",
        "class PersonError(RuntimeError): ...",
        "MAX_BODY_BYTES = 5",
        "RUNNING = 'running'",
        "home_goals = 3",
    ],
)
def test_a_standard_name_passes(source: str) -> None:
    assert check_source(source) == []


@pytest.mark.parametrize("module", ["matching", "run_policy", "test_scoring", "event_loop"])
def test_a_module_with_a_standard_name_passes(module: str) -> None:
    assert check_source("", module=module) == []


def test_names_in_the_repository_are_standard() -> None:
    offences = [
        f"{name_of(path)}:{line}: {name} {fault}"
        for path in python()
        if in_packages(path)
        for line, name, fault in check_file(path)
    ]

    assert offences == []
