"""
Measure what a conversation costs beyond its model and tools, and how many runs one host can hold.

    python benchmarks/agents.py            # about two minutes
    python benchmarks/agents.py --quick    # about one minute

README.md beside this file explains each figure.
"""

import argparse
import os
import signal
import sys
from pathlib import Path

# As a script, its own folder comes first on the path, where this file would shadow the app `agents`.
sys.path[0] = str(Path(__file__).resolve().parent.parent)

from benchmarks.scratch import scratch_database  # noqa: E402


def main() -> None:
    """Measure, and print Markdown."""
    parser = argparse.ArgumentParser(description="What a conversation costs beside its model and its tools.")
    parser.add_argument("--quick", action="store_true", help="a rough run of about one minute")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with scratch_database() as scratch:
        os.environ |= scratch.environment | {"DJANGO_SETTINGS_MODULE": "config.settings", "TOOLROOM_LIMITS_URL": ""}
        import django  # noqa: PLC0415 - settings name the scratch database from here on

        django.setup()
        from benchmarks.conversing import run  # noqa: PLC0415

        run(scratch, is_quick=arguments.quick)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("stopped; everything started has been ended, and the scratch database is gone")
