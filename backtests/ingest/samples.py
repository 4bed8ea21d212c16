"""Loading of the runs that ship with the project (samples/README.md): a pair to compare, and the one in examples."""

import gzip
from importlib.resources import files
from io import BytesIO

from backtests.ingest.load import OnProgress, ignore_progress, load_lines
from backtests.ingest.report import LoadReport

SAMPLE = "sma_pullback_2011_2012.jsonl.gz"
PAIR = "sma_stops_2011_2012.jsonl.gz"


def load_samples(*, on_progress: OnProgress = ignore_progress) -> LoadReport:
    """Store the missing events of the shipped runs; the run of the examples comes last, so that it is the newest."""
    report = LoadReport()
    for name in (PAIR, SAMPLE):
        packed = (files("backtests") / "samples" / name).read_bytes()
        with gzip.open(BytesIO(packed)) as lines:
            load_lines(lines, run_id=None, report=report, on_progress=on_progress)
    return report
