"""
MCP tool calls by ten clients: Toolroom beside the official SDK's server, FastMCP and MCP Toolbox, in one run.

    python benchmarks/mcp_load.py            # about three minutes
    python benchmarks/mcp_load.py --quick    # under one, rough

The same tool, statement, rows and database for all; authentication and audit are on for Toolroom alone.
"""

import argparse
import os
import signal
import sys
from contextlib import ExitStack
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parent.parent)

from benchmarks.scratch import scratch_database  # noqa: E402


def main() -> None:
    """Measure, and print Markdown."""
    parser = argparse.ArgumentParser(description="MCP tool calls by ten clients, beside the peers.")
    parser.add_argument("--quick", action="store_true", help="a rough run")
    parser.add_argument("--no-peers", action="store_true", help="only Toolroom and the SDK; installs nothing")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with ExitStack() as stack:
        scratch = stack.enter_context(scratch_database())
        os.environ |= scratch.environment | {"DJANGO_SETTINGS_MODULE": "config.settings", "TOOLROOM_LIMITS_URL": ""}
        import django  # noqa: PLC0415 - settings name the scratch database from here on

        django.setup()
        from benchmarks.mcp_contest import run  # noqa: PLC0415

        run(scratch, quick=arguments.quick, with_peers=not arguments.no_peers)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("stopped; everything started has been ended, and the scratch database is gone")
