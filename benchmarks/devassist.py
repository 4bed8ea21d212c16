"""
How well and how fast devassist finds past root causes, beside ChromaDB on the same vectors.

    python benchmarks/devassist.py                 # some minutes
    python benchmarks/devassist.py --quick         # 20,000 entries
    python benchmarks/devassist.py --no-peers      # Toolroom alone; installs nothing
    python benchmarks/devassist.py --sample 200    # the ranking alone, of 200 queries a set

README.md beside this file says how each figure is measured.
"""

import argparse
import os
import signal
import sys
from contextlib import ExitStack
from pathlib import Path

# As a script, its own folder comes first on the path, where this file would shadow the app `devassist`.
sys.path[0] = str(Path(__file__).resolve().parent.parent)

from benchmarks.scratch import scratch_database  # noqa: E402


def main() -> None:
    """Measure, and print Markdown."""
    parser = argparse.ArgumentParser(description="How well and how fast devassist finds past root causes.")
    parser.add_argument("--quick", action="store_true", help="20,000 entries only")
    parser.add_argument("--no-peers", action="store_true", help="leave ChromaDB out")
    parser.add_argument("--sample", type=int, metavar="QUERIES", help="rank a sample of each set, measure no speed")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with ExitStack() as stack:
        scratch = stack.enter_context(scratch_database())
        os.environ |= scratch.environment | {"DJANGO_SETTINGS_MODULE": "config.settings", "TOOLROOM_LIMITS_URL": ""}
        import django  # noqa: PLC0415 - settings name the scratch database from here on

        django.setup()
        from benchmarks.remembering import find_sets_below, run  # noqa: PLC0415

        if arguments.sample:
            below = find_sets_below(queries=arguments.sample, documents=arguments.sample)
            sys.exit(f"significantly below meaning alone: {', '.join(below)}" if below else 0)
        run(entries=20_000 if arguments.quick else 100_000, with_peers=not arguments.no_peers)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("stopped; everything started has been ended, and the scratch database is gone")
