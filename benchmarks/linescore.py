"""
How fast linescore answers, layer by layer and beside its peers.

    python benchmarks/linescore.py            # under 6 minutes
    python benchmarks/linescore.py --quick    # about one minute

README.md beside this file says how each figure is measured.
"""

import argparse
import os
import signal
import sys
from contextlib import ExitStack
from pathlib import Path

# As a script, its own folder comes first on the path, where this file would shadow the app `linescore`.
sys.path[0] = str(Path(__file__).resolve().parent.parent)

from benchmarks.scratch import scratch_database  # noqa: E402


def main() -> None:
    """Measure, and print Markdown."""
    parser = argparse.ArgumentParser(description="How fast linescore answers, layer by layer and beside its peers.")
    parser.add_argument("--quick", action="store_true", help="a rough run of about one minute")
    parser.add_argument("--no-peers", action="store_true", help="leave FastMCP and MCP Toolbox out")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with ExitStack() as stack:
        scratch = stack.enter_context(scratch_database())
        os.environ |= scratch.environment | {"DJANGO_SETTINGS_MODULE": "config.settings", "TOOLROOM_LIMITS_URL": ""}
        import django  # noqa: PLC0415 - settings name the scratch database from here on

        django.setup()
        from benchmarks.run import run  # noqa: PLC0415

        run(scratch, quick=arguments.quick, with_peers=not arguments.no_peers)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("stopped; everything started has been ended, and the scratch database is gone")
