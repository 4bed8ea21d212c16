"""
`python -m tests.conformance`: run the official suite against the real server, and print what came of it.

Ends with 1 where a required scenario, or one of the Tasks extension, fails.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import django

from tests.conformance.referee import REVISIONS, VERSION, NotToBeHad, Verdict, installed

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "toolroom"


def rows(verdicts: dict[str, Verdict]) -> Iterator[tuple[str, str]]:
    """Yield the table's rows: the category, and how much of it passes."""
    for revision, verdict in verdicts.items():
        yield f"required by {revision}", _passed(verdict.required)
    for verdict in verdicts.values():
        if verdict.tasks:
            yield "Tasks extension", _passed(verdict.tasks)
    for revision, verdict in verdicts.items():
        yield f"run beside {revision}, not required", _passed(verdict.others)


def _passed(scenarios: dict[str, int]) -> str:
    return f"{sum(not failed for failed in scenarios.values())} of {len(scenarios)}"


def main() -> int:
    """Run the suite and print the result; returns the exit status: 0 if all required scenarios pass."""
    try:
        referee = installed(CACHE)
    except NotToBeHad as reason:
        sys.stderr.write(f"{reason}\n")
        return 2
    django.setup()
    from tests.conformance.under_test import from_nothing

    with from_nothing() as address:
        verdicts = {revision: referee.judge(f"{address}/mcp", revision=revision) for revision in REVISIONS}
    print(f"| @modelcontextprotocol/conformance {VERSION} | Toolroom |\n|---|--:|")
    for row in rows(verdicts):
        print(f"| {' | '.join(row)} |")
    fails = {name for verdict in verdicts.values() for name, failed in verdict.failed.items() if failed}
    for name in sorted(fails):
        print(f"fails: {name}")
    for name in sorted({name for verdict in verdicts.values() for name in verdict.unchecked}):
        print(f"runs no check: {name}")
    decide = {name for verdict in verdicts.values() for name in (*verdict.required, *verdict.tasks)}
    return int(bool(fails & decide))


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    sys.exit(main())
