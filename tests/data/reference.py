"""Read the reference data of tests and benchmarks."""

import csv
import gzip
from pathlib import Path

FOLDER = Path(__file__).parent


def read_text(name: str) -> str:
    """Return the text of a file by its path without `.gz`."""
    return gzip.decompress((FOLDER / f"{name}.gz").read_bytes()).decode("utf-8")


def read_rows(name: str) -> list[dict[str, str]]:
    """Return the rows of a CSV file by its path without `.gz`."""
    return list(csv.DictReader(read_text(name).splitlines()))
