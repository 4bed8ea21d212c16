"""
How fast sprints answers over 200,000 issues with history.

    python benchmarks/sprints.py            # about five minutes
    python benchmarks/sprints.py --quick    # 20,000 issues, under a minute

README.md beside this file says how each figure is measured.
"""

import argparse
import os
import signal
import sys
from contextlib import ExitStack
from pathlib import Path

# As a script, its own folder comes first on the path, where this file would shadow the app `sprints`.
sys.path[0] = str(Path(__file__).resolve().parent.parent)

from benchmarks.scratch import scratch_database  # noqa: E402


def main() -> None:
    """Measure, and print Markdown."""
    parser = argparse.ArgumentParser(description="How fast sprints answers over 200,000 issues with history.")
    parser.add_argument("--quick", action="store_true", help="20,000 issues only")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with ExitStack() as stack:
        scratch = stack.enter_context(scratch_database())
        os.environ |= scratch.environment | {"DJANGO_SETTINGS_MODULE": "config.settings", "TOOLROOM_LIMITS_URL": ""}
        import django  # noqa: PLC0415 - settings name the scratch database from here on

        django.setup()
        from benchmarks.sprints_run import run  # noqa: PLC0415

        run(scratch, issues=20_000 if arguments.quick else 200_000)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("stopped; everything started has been ended, and the scratch database is gone")
