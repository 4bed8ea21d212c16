"""
Conversion of Parquet to CSV, so that all later steps read one format.

arro3-io reads it, which is optional (requirements-parquet.txt), in a subprocess with bounded memory: a damaged file may
make the reader panic, and a small one may expand to terabytes. As with pandas' `to_csv`, the index that pandas adds
becomes the first columns, possibly without a name, and lists are written as their Python repr.
"""

import csv
import json
import resource
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, time
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

MAGIC = b"PAR1"
MAX_TEXT_BYTES = 2_147_483_648
MAX_MEMORY_BYTES = 4_294_967_296
MAX_SECONDS = 600
INSTALL = "pip install -r requirements-parquet.txt"


class ParquetUnreadable(Exception):
    """The file cannot be read; the message tells a person why."""


def is_parquet(path: Path) -> bool:
    """Return whether a file begins like Parquet."""
    with path.open("rb") as stream:
        return stream.read(len(MAGIC)) == MAGIC


def write_as_csv(path: Path, *, to: IO[bytes]) -> None:
    """Write a file's rows as CSV with a header. Raises ParquetUnreadable."""
    if find_spec("arro3") is None or find_spec("arro3.io") is None:
        raise ParquetUnreadable(f"Parquet is read by arro3-io: {INSTALL}; or write the table with to_csv.")
    command = [sys.executable, "-P", __file__, str(path)]
    try:
        done = subprocess.run(command, stdout=to, stderr=subprocess.PIPE, timeout=MAX_SECONDS, check=False)  # noqa: S603
    except subprocess.TimeoutExpired as error:
        raise ParquetUnreadable(f"Reading the Parquet file takes longer than {MAX_SECONDS} s.") from error
    if done.returncode:
        message = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise ParquetUnreadable(f"The file begins as Parquet and cannot be read as that: {message}"[:300])


def _write_rows(path: str, *, to: IO[str]) -> None:
    """Write a file's rows in this process."""
    from arro3.io import read_parquet  # noqa: PLC0415 - in this process alone

    batches = read_parquet(path)
    names = [str(name) for name in batches.schema.names]
    order = _order_columns(names, index=_find_index(batches.schema.metadata_str))
    rows = csv.writer(to)
    rows.writerow([_name_column(names[place]) for place in order])
    for batch in batches:
        values: Any = [batch.column(place) for place in order]
        columns = [[value.as_py() for value in column] for column in values]
        rows.writerows(map(_write_cells, zip(*columns, strict=True)))


def _find_index(metadata: dict[str, str]) -> list[str]:
    """List the columns that are pandas' index."""
    try:
        names = json.loads(metadata.get("pandas", "{}")).get("index_columns", [])
    except (ValueError, AttributeError):
        return []
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def _order_columns(names: Sequence[str], *, index: Sequence[str]) -> list[int]:
    first = [names.index(name) for name in index if name in names]
    return [*first, *(place for place in range(len(names)) if place not in first)]


def _name_column(name: str) -> str:
    return "" if name.startswith("__index_level_") else name


def _write_cells(cells: Iterable[Any]) -> Iterator[Any]:
    for cell in cells:
        plain = _write_times(cell)
        yield str(plain) if isinstance(plain, list | dict) else plain


def _write_times(value: Any) -> Any:
    """Format times within a value as ISO 8601."""
    match value:
        case datetime() | date() | time():
            return value.isoformat()
        case list():
            return [_write_times(one) for one in value]
        case dict():
            return {name: _write_times(one) for name, one in value.items()}
    return value


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (MAX_TEXT_BYTES, MAX_TEXT_BYTES))
    with open(sys.stdout.fileno(), "w", encoding="utf-8", newline="", closefd=False) as output:
        _write_rows(sys.argv[1], to=output)
