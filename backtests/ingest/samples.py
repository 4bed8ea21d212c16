"""The run that ships with the project: two years of a strategy on four shares (samples/README.md)."""

import gzip
from importlib.resources import files
from io import BytesIO

from backtests.ingest.load import OnProgress, load_lines, unseen
from backtests.ingest.report import LoadReport

SAMPLE = "sma_pullback_2011_2012.jsonl.gz"


def load_samples(*, on_progress: OnProgress = unseen) -> LoadReport:
    """Store what is missing of the shipped run."""
    packed = (files("backtests") / "samples" / SAMPLE).read_bytes()
    with gzip.open(BytesIO(packed)) as lines:
        return load_lines(lines, run_id=None, report=LoadReport(), on_progress=on_progress)
