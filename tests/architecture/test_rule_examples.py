"""Each check of the house rules, held to one example that it must refuse and one that it must not."""

import ast
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from tests.architecture.rules import (
    MACHINE_PATHS,
    MAX_FILE_LINES,
    MAX_FUNCTION_LINES,
    SECRETS,
    find_long_functions,
    find_positional,
    find_unbounded_reads,
    is_long_file,
    reads_rows,
    uses_orm,
)
from tests.architecture.sources import ROOT

LONG_BODY = "    a = 1\n" * MAX_FUNCTION_LINES
SHORT_BODY = "    a = 1\n" * (MAX_FUNCTION_LINES - 1)
BRANCHES = "def choose(a):\n" + "    if a:\n        print(a)\n" * 10
FEWER_BRANCHES = "def choose(a):\n" + "    if a:\n        print(a)\n" * 9


@pytest.mark.parametrize(
    ("check", "refused", "accepted"),
    [
        (find_long_functions, f"def f():\n{LONG_BODY}", f'def f():\n    """Say so."""\n{SHORT_BODY}'),
        (find_positional, "def find(name, limit): ...", "def find(name, *, limit): ..."),
        (find_positional, "class A:\n    def find(self, a, b): ...", "class A(B):\n    def find(self, a, b): ..."),
        (find_unbounded_reads, "Q = 'SELECT a FROM t'", "Q = 'SELECT a FROM t LIMIT 5'"),
        (find_unbounded_reads, "L = 'b'\nQ = f'SELECT a FROM t {L}'", "L = 'LIMIT 1'\nQ = f'SELECT a FROM t {L}'"),
        (find_unbounded_reads, "Q = f'SELECT {a} FROM t'", "Q = f'SELECT {a} FROM t WHERE id = %s'"),
        (find_unbounded_reads, "Q = 'WITH u AS (SELECT) SELECT a FROM t'", "Q = 'WITH u AS (DELETE FROM t) SELECT a'"),
    ],
)  # fmt: skip
def test_a_check_finds_its_bad_example_only(
    check: Callable[[ast.Module], Iterable[str]], refused: str, accepted: str
) -> None:
    assert len(list(check(ast.parse(refused)))) == 1
    assert list(check(ast.parse(accepted))) == []


@pytest.mark.parametrize(
    ("check", "refused", "accepted"),
    [
        (is_long_file, "a = 1\n" * (MAX_FILE_LINES + 1), "a = 1\n" * MAX_FILE_LINES),
        (SECRETS.search, "key = sk-" + "a" * 20, "key = sk-short"),
        (MACHINE_PATHS.search, "see /home" + "/someone", "see /homepage"),
    ],
)
def test_a_check_of_the_text_finds_its_bad_example_only(
    check: Callable[[str], object], refused: str, accepted: str
) -> None:
    assert check(refused)
    assert not check(accepted)


@pytest.mark.parametrize(
    ("check", "refused", "accepted"),
    [
        (uses_orm, "Run.objects.get(id=1)", "run.object.get(id=1)"),
        (reads_rows, "rows = reader.fetch(QUERY)", "rows = queries.fetch(QUERY)"),
    ],
)
def test_a_check_of_a_file_finds_its_bad_example_only(
    check: Callable[[ast.Module], bool], refused: str, accepted: str
) -> None:
    assert check(ast.parse(refused))
    assert not check(ast.parse(accepted))


@pytest.mark.parametrize(
    ("code", "refused", "accepted"),
    [
        ("C901", BRANCHES, FEWER_BRANCHES),
        ("BLE001", "try:\n    a\nexcept Exception:\n    pass\n", "try:\n    a\nexcept ValueError:\n    pass\n"),
        ("E722", "try:\n    a\nexcept:\n    pass\n", "try:\n    a\nexcept ValueError:\n    pass\n"),
        (
            "B904",
            "try:\n    a\nexcept ValueError:\n    raise KeyError\n",
            "try:\n    a\nexcept ValueError as error:\n    raise KeyError from error\n",
        ),
        ("TID251", "from datetime import datetime\nNOW = datetime.now()\n", "from datetime import datetime\n"),
        ("TID251", "import os\nHOME = os.environ['HOME']\n", "import os\nFOLDER = os.sep\n"),
        ("TID251", "import httpx\n", "import html\n"),
    ],
)
def test_ruff_is_configured_for_its_house_rules(code: str, refused: str, accepted: str) -> None:
    assert code in _lint(refused)
    assert code not in _lint(accepted)


def _lint(source: str) -> str:
    ruff = str(Path(sys.executable).parent / "ruff")
    command = [ruff, "check", "--no-cache", "--output-format=concise", "--stdin-filename=toolbox/example.py", "-"]
    return subprocess.run(command, cwd=ROOT, input=source, capture_output=True, text=True, check=False).stdout
