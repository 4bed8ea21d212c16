"""Words beside meaning never make the ranking of past root causes worse, on the sets that are at hand."""

import subprocess
import sys

import pytest
from django.conf import settings

QUERIES = 150


@pytest.mark.slow
def test_no_set_is_ranked_significantly_worse_than_by_meaning_alone() -> None:
    """Of the shipped root causes, and of the public sets where they lie beside the clone; a paired bootstrap."""
    command = [sys.executable, "benchmarks/devassist.py", "--sample", str(QUERIES)]

    done = subprocess.run(command, cwd=settings.BASE_DIR, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr[-2_000:]
    assert "| shipped root causes |" in done.stdout
