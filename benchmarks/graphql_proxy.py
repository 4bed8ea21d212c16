"""
What the GraphQL proxy adds to a request, and how fast documents are judged on large schemas.

    python benchmarks/graphql_proxy.py            # about one minute
    python benchmarks/graphql_proxy.py --quick    # about 20 seconds

README.md beside this file says how each figure is measured.
"""

import argparse
import os
import signal
import sys
from pathlib import Path

# As a script, its own folder comes first on the path, where this file would shadow the app `graphql_proxy`.
sys.path[0] = str(Path(__file__).resolve().parent.parent)

from benchmarks.scratch import scratch_database  # noqa: E402


def main() -> None:
    """Measure, and print Markdown."""
    parser = argparse.ArgumentParser(description="What the GraphQL proxy adds to a request.")
    parser.add_argument("--quick", action="store_true", help="a rough run of about 20 seconds")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with scratch_database() as scratch:
        os.environ |= scratch.environment | {"DJANGO_SETTINGS_MODULE": "config.settings", "TOOLROOM_LIMITS_URL": ""}
        import django  # noqa: PLC0415 - settings name the scratch database from here on

        django.setup()
        from benchmarks.proxying import run  # noqa: PLC0415

        run(scratch, seconds=1.0 if arguments.quick else 4.0)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("stopped; everything started has been ended, and the scratch database is gone")
