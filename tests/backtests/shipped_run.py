"""The shipped run, read independently, to count by hand."""

import gzip
import json
from functools import cache
from importlib.resources import files
from typing import Any

from backtests.ingest.samples import SAMPLE

SHIPPED = "079cbad8-9e31-5383-8c7a-3f85849b9439"


@cache
def read_shipped_events() -> list[dict[str, Any]]:
    """Return its events as they were logged."""
    text = gzip.decompress((files("backtests") / "samples" / SAMPLE).read_bytes()).decode()
    return [json.loads(line) for line in text.splitlines()[1:]]
