"""The project's static checks: one list, which `.ci/check` runs as a whole and the test suite one by one."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.architecture.sources import ROOT

_TOOLS = Path(sys.executable).parent
_PYTHON = (sys.executable,)
COMMANDS: Mapping[str, tuple[str, ...]] = {
    "types": (str(_TOOLS / "mypy"),),
    "lint": (str(_TOOLS / "ruff"), "check", "."),
    "format": (str(_TOOLS / "ruff"), "format", "--check", "."),
    "imports": (str(_TOOLS / "lint-imports"), "--no-cache"),
    "django": (*_PYTHON, "manage.py", "check", "--fail-level", "WARNING"),
    "migrations": (*_PYTHON, "manage.py", "makemigrations", "--check", "--dry-run"),
    "tool_pages": (*_PYTHON, "manage.py", "tooldocs", "--check"),
}
HOUSE_RULES = (
    *_PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/architecture",
    "--ignore=tests/architecture/test_commands.py",
)  # fmt: skip


def run_check(command: tuple[str, ...], *, environment: Mapping[str, str] | None = None) -> str:
    """Run a command in the project's folder; returns "" if it passes, else its output."""
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return ""
    return f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}"


def main() -> int:
    """Run every check and the house rules, two at a time by default; print what failed."""
    commands = {**COMMANDS, "house_rules": HOUSE_RULES}
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 2) as executor:
        outputs = dict(zip(commands, executor.map(_run_timed, commands, commands.values()), strict=True))
    failed = [name for name, output in outputs.items() if output]
    for name in failed:
        print(f"\n== {name}\n{outputs[name]}")
    print(
        f"{len(commands) - len(failed)} of {len(commands)} checks passed"
        + "".join(f"; {name} failed" for name in failed)
    )
    return 1 if failed else 0


def _run_timed(name: str, command: tuple[str, ...]) -> str:
    started = time.monotonic()
    output = run_check(command)
    print(f"{'failed' if output else 'passed'} {name} in {time.monotonic() - started:.1f} s", flush=True)
    return output


if __name__ == "__main__":
    sys.exit(main())
