"""What the project's own commands must say about it; each runs for real, and a failure shows its output."""

import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from tests.conftest import server_environment

PYTHON = Path(sys.executable)


def _said(*command: str) -> str:
    """Run a command in the project's folder; gives an empty text where it is content, else what it said."""
    done = subprocess.run(
        command, cwd=settings.BASE_DIR, env=server_environment(), capture_output=True, text=True, check=False
    )
    if done.returncode == 0:
        return ""
    return f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}"


def _tool(name: str) -> str:
    return str(PYTHON.parent / name)


def test_imports_run_one_way() -> None:
    assert _said(_tool("lint-imports"), "--no-cache") == ""


def test_ruff_has_no_complaint() -> None:
    assert _said(_tool("ruff"), "check", ".") == ""


def test_ruff_would_format_nothing() -> None:
    assert _said(_tool("ruff"), "format", "--check", ".") == ""


def test_mypy_is_content() -> None:
    assert _said(_tool("mypy")) == ""


@pytest.mark.usefixtures("cast")
def test_django_s_checks_pass() -> None:
    assert _said(str(PYTHON), "manage.py", "check", "--fail-level", "WARNING") == ""


@pytest.mark.usefixtures("cast")
def test_no_migration_is_missing() -> None:
    assert _said(str(PYTHON), "manage.py", "makemigrations", "--check", "--dry-run") == ""


@pytest.mark.usefixtures("cast")
def test_the_tool_pages_and_the_snapshot_are_up_to_date() -> None:
    assert _said(str(PYTHON), "manage.py", "tooldocs", "--check") == ""
