"""Stream selected rows as CSV."""

import csv
from collections.abc import Iterable, Iterator
from typing import Any, Protocol

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, StreamingHttpResponse

MAX_ROWS = 100_000


class CsvExport(Protocol):
    """An admin that says which columns may leave."""

    exports: Iterable[str]


@admin.action(description="Export the selected rows as CSV (100,000 at most)", permissions=["view"])
def export_csv(shown: CsvExport, request: HttpRequest, chosen: QuerySet[Any]) -> StreamingHttpResponse:
    """Give the columns that the admin exports, of what is selected, in its order."""
    names = list(shown.exports)
    rows = chosen.values_list(*names)[:MAX_ROWS].iterator(chunk_size=1_000)
    response = StreamingHttpResponse(_lines(names, rows=rows), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{chosen.model._meta.db_table}.csv"'  # noqa: SLF001 - Django documents it
    return response


class _Echo:
    """Gives back what csv would write into a file."""

    def write(self, line: str) -> str:
        return line


def _lines(names: list[str], *, rows: Iterable[tuple[Any, ...]]) -> Iterator[str]:
    writer = csv.writer(_Echo())
    yield writer.writerow(names)
    for row in rows:
        yield writer.writerow([_cell(value) for value in row])


def _cell(value: Any) -> Any:
    """Write a cell; text that a spreadsheet would run as a formula stays text."""
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return f"'{value}" if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")) else value
