"""
Folders where an embedded server may lie.

They are not pytest's: those lie in one that every pytest session of the same user closes to others when it starts,
and PostgreSQL, run by `nobody` for root, must be able to enter.
"""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def open_folder() -> Iterator[Path]:
    """Make a folder that anyone may enter, and take it away afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="toolroom-test-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def var() -> Iterator[Path]:
    """Give a place for one test's server."""
    with open_folder() as folder:
        yield folder / "var"


@pytest.fixture(scope="module")
def shared_var() -> Iterator[Path]:
    """Give a place for the server of all tests in a file."""
    with open_folder() as folder:
        yield folder / "var"
