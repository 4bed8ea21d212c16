"""The project's static checks; each runs for real, and a failure shows its output."""

import sys

import pytest

from tests.architecture.commands import COMMANDS, run_check
from tests.architecture.sources import ROOT
from tests.conftest import server_environment

MINUTE_LONG = frozenset({"types"})
"""Checks that take a minute where nothing is cached. `.ci/check` runs them at every commit."""


@pytest.mark.usefixtures("cast")
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name in MINUTE_LONG else ()) for name in COMMANDS]
)
def test_a_static_check_passes(name: str) -> None:
    assert run_check(COMMANDS[name], environment=server_environment()) == ""


def test_a_check_that_fails_shows_its_output() -> None:
    output = run_check((sys.executable, "-c", "import sys; print('a line is too long'); sys.exit(1)"))

    assert output.endswith("ended with 1:\na line is too long\n")


def test_documents_name_the_command_that_runs_them_all() -> None:
    assert (ROOT / ".ci/check").stat().st_mode & 0o100
    assert "-m tests.architecture.commands" in (ROOT / ".ci/check").read_text(encoding="utf-8")
    assert ".ci/check" in (ROOT / "README.md").read_text(encoding="utf-8")
