"""
Folders for embedded servers.

They are not pytest's own: pytest closes its folder to other users when a session starts, and PostgreSQL, run by
`nobody` for root, must be able to enter.
"""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def open_folder() -> Iterator[Path]:
    """Create a folder that anyone may enter, and delete it afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="toolroom-test-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def var() -> Iterator[Path]:
    """Yield a folder for one test's server."""
    with open_folder() as folder:
        yield folder / "var"


@pytest.fixture(scope="module")
def shared_var() -> Iterator[Path]:
    """Yield a folder for the server of all tests in a file."""
    with open_folder() as folder:
        yield folder / "var"
