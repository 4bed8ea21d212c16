"""Folders where an embedded server may lie."""

import tempfile
from pathlib import Path

import pytest


def opened(folder: Path) -> Path:
    """Let anyone enter the folders that pytest made above this one, as anyone may enter where clones usually lie."""
    for above in (folder, *folder.parents):
        if above == Path(tempfile.gettempdir()):
            break
        above.chmod(0o755)
    return folder


@pytest.fixture
def var(tmp_path: Path) -> Path:
    """Give a place for one test's server."""
    return opened(tmp_path) / "var"


@pytest.fixture(scope="module")
def shared_var(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a place for the server of all tests in a file."""
    return opened(tmp_path_factory.mktemp("shared")) / "var"
