"""
How fast backtests answers about runs of 10,000 to 1,000,000 events, beside SQLite and DuckDB.

    python benchmarks/backtests.py            # about five minutes
    python benchmarks/backtests.py --quick    # 10,000 and 100,000 events, about a minute
    python benchmarks/backtests.py --forms 100000   # runs of unusual form at this size, and nothing else
    python benchmarks/backtests.py --sweeps 1000000   # a sweep of 1,000 runs, and two runs of this size compared
    python benchmarks/backtests.py --huge     # 10,000,000 events as well: some 20 GB of disk, most of an hour

README.md beside this file says how each figure is measured.
"""

import argparse
import os
import signal
import sys
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

# As a script, its own folder comes first on the path, where this file would shadow the app `backtests`.
sys.path[0] = str(Path(__file__).resolve().parent.parent)

from benchmarks.scratch import scratch_database  # noqa: E402


def main() -> None:
    """Measure, and print Markdown."""
    parser = argparse.ArgumentParser(description="How fast backtests answers, beside SQLite and DuckDB.")
    parser.add_argument("--quick", action="store_true", help="10,000 and 100,000 events only")
    parser.add_argument("--huge", action="store_true", help="10,000,000 events as well")
    parser.add_argument("--forms", type=int, metavar="EVENTS", help="only runs of unusual form, of so many events")
    parser.add_argument("--sweeps", type=int, metavar="EVENTS", help="only sweeps, and two runs of so many events")
    arguments = parser.parse_args()
    sizes = (10_000, 100_000) if arguments.quick else (10_000, 100_000, 1_000_000)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with ExitStack() as stack:
        scratch = stack.enter_context(scratch_database())
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="toolroom_benchmark_")))
        os.environ |= scratch.environment | {"DJANGO_SETTINGS_MODULE": "config.settings", "TOOLROOM_LIMITS_URL": ""}
        import django  # noqa: PLC0415 - settings name the scratch database from here on

        django.setup()
        from benchmarks.backtests_run import run, run_forms  # noqa: PLC0415

        if arguments.forms:
            run_forms(events=arguments.forms, folder=folder, seconds=1.0)
            return
        if arguments.sweeps:
            from benchmarks.backtests_sweeps import run_sweeps  # noqa: PLC0415

            run_sweeps(pair_events=arguments.sweeps, folder=folder)
            return
        run(scratch, sizes=(*sizes, 10_000_000) if arguments.huge else sizes, folder=folder, seconds=1.0)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("stopped; everything started has been ended, and the scratch database is gone")
