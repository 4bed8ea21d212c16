"""Two test runs in one working copy have databases of their own."""

import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connections

from tests import own_databases
from tests.own_databases import TooManyRuns, own_name

HOLD = """
import sys
from pathlib import Path
from tests.own_databases import own_name
with own_name("test_x", folder=Path(sys.argv[1])) as name:
    print(name, flush=True)
    sys.stdin.read()
"""


def hold_in_another_process(folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder)], cwd=settings.BASE_DIR, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        text=True,
    )  # fmt: skip


def test_a_name_that_another_process_holds_is_numbered_until_that_process_is_killed(tmp_path: Path) -> None:
    with hold_in_another_process(tmp_path) as other:
        assert other.stdout
        first = other.stdout.readline().strip()
        with own_name("test_x", folder=tmp_path) as second, own_name("test_x", folder=tmp_path) as third:
            names = [first, second, third]
        other.kill()
    with own_name("test_x", folder=tmp_path) as again:
        names.append(again)

    assert names == ["test_x", "test_x_2", "test_x_3", "test_x"]


def test_too_many_runs_are_refused_with_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_databases, "MAX_RUNS", 1)

    with (
        own_name("test_x", folder=tmp_path), pytest.raises(TooManyRuns, match="wait until one of them has ended"),
        own_name("test_x", folder=tmp_path),
    ):  # fmt: skip
        pass


def test_this_run_s_database_is_held(django_db_setup: None) -> None:
    name = connections["default"].settings_dict["NAME"]

    with own_name(name, folder=settings.TOOLROOM_VAR / "test-runs") as other:
        assert other.startswith(f"{name}_")
