"""
Parsing of CSV files to rows with Jira's English headings: encoding, delimiter, language and dates by content.

Pure. Nothing is guessed without evidence in the file: a table without a known heading for the key or the creation time
is refused, with the unknown headings.
"""

import codecs
import csv
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from importlib.resources import files
from io import StringIO
from itertools import islice

from sprints.ingest.record import NotReadable
from sprints.ingest.values import clean

MAX_FIELD = 16 << 20
"""The maximum field size, since descriptions may exceed the csv module's own 128 KiB."""
DELIMITERS = ",;\t|"
MAX_ROWS_SNIFFED = 200
FALLBACK = "cp1252"
EXPECTED = ("summary", "issue type", "status", "created", "updated", "assignee")
DATES = ("created", "updated", "resolved", "due date")
_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
         (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))  # fmt: skip
_KEY = re.compile(r"[A-Z][A-Z0-9_]*-[0-9]+")
_CUSTOM = re.compile(r"(.+?) ?\((.+)\)")
_NUMBERS = re.compile(r"(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})(?:,?\s+(.+))?")
_WORDS = re.compile(r"(\d{1,2})[./\s-]+([^\W\d]+)\.?[./\s-]+(\d{4}|\d{2})(?:,?\s+(.+))?")
_TIME = re.compile(r"(\d{1,2})[:.](\d{2})(?:[:.](\d{2}))?(?:\s*([ap])\.?\s?m\.?)?", re.IGNORECASE)
_PREAMBLE = re.compile(r"\A[ \r\n]*(?:sep=.[\r\n]+)?[ \r\n]*", re.IGNORECASE)
"""Empty lines, and the line that tells Excel the separator."""
_DECIMAL = re.compile(r"\d{1,6},\d{1,3}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Languages:
    """The content of csv_headings.toml: canonical headings and languages by heading, months and other words."""

    headings: dict[str, tuple[str, frozenset[str]]]
    custom: frozenset[str]
    subtask: tuple[str, ...]
    months: dict[str, int]


@dataclass(slots=True, kw_only=True)
class Table:
    """A table with Jira's English headings. `warnings` are for a person."""

    names: list[str]
    rows: list[list[str]]
    warnings: list[str] = field(default_factory=list)


@lru_cache(maxsize=1)
def languages() -> Languages:
    """Load the known headings."""
    given = tomllib.loads((files("sprints.ingest") / "csv_headings.toml").read_text("utf-8"))
    found: dict[str, tuple[str, set[str]]] = {}
    for language, words in given.items():
        for canonical, names in words["headings"].items():
            for name in names:
                found.setdefault(name, (canonical, set()))[1].add(language)
    return Languages(
        headings={name: (canonical, frozenset(spoken)) for name, (canonical, spoken) in found.items()},
        custom=frozenset(word for words in given.values() for word in words["custom"]),
        subtask=tuple(word for words in given.values() for word in words["subtask"]),
        months={word: place for words in given.values() for place, word in enumerate(words["months"], 1)},
    )


def decode(text: bytes) -> tuple[str, str]:
    """Decode by the byte order mark, by zero bytes, or as UTF-8, else as Windows-1252. Returns the encoding too."""
    encoding = next((name for mark, name in _BOMS if text.startswith(mark)), "")
    if not encoding:
        head = text[:2_000]
        zeros = [head[place::2].count(0) for place in (0, 1)]
        encoding = ("utf-16-be", "utf-16-le")[zeros[1] > zeros[0]] if max(zeros) > len(head) // 8 else "utf-8"
    try:
        return text.decode(encoding), encoding
    except UnicodeDecodeError:
        return text.decode(FALLBACK, "replace"), FALLBACK


def find_table(written: str) -> Table | None:
    """Parse a CSV export. Returns None for other text. Raises NotReadable for an export that is not understood."""
    written = _PREAMBLE.sub("", written)
    if written[:1] in ("{", "["):
        return None
    heads = {one: next(iter(_records(written, delimiter=one, most=1)), []) for one in DELIMITERS}
    delimiter = max(DELIMITERS, key=lambda one: (sum(map(_is_known, filter(None, heads[one]))), len(heads[one])))
    head, rows = heads[delimiter], _records(written, delimiter=delimiter)[1:]
    names = [_canonical(name) for name in head]
    if "issue key" not in names:
        place = _key_column(rows[:MAX_ROWS_SNIFFED], width=len(names))
        if place is None or len(names) < 2:  # noqa: PLR2004 - one column is no table
            return None
        names[place] = "issue key"
    table = Table(names=names, rows=rows)
    unknown = [
        repr(name) for name, known in zip(head, names, strict=True) if known == _fold(name) and not _is_known(name)
    ]
    missing = [name for name in EXPECTED if name not in names]
    if "created" in missing:
        raise NotReadable(
            f"a table of issues without a column that is known to hold 'Created'. Headings that are not known: "
            f"{', '.join(unknown[:20]) or 'none'}. Export it in English, German, French or Spanish"
        )
    if missing and unknown:
        table.warnings.append(f"nothing was read for {', '.join(missing)}; not known: {', '.join(unknown[:20])}")
    _read_dates_alike(table, language=_find_language(head))
    return table


def decimal_text(text: str) -> str:
    """Convert a decimal comma to a point."""
    return text.replace(",", ".") if _DECIMAL.fullmatch(text.strip()) else text


@contextmanager
def _long_fields() -> Iterator[None]:
    """Raise the csv module's field limit, which is process-wide, for the duration of a block."""
    before = csv.field_size_limit(MAX_FIELD)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _records(written: str, *, delimiter: str, most: int | None = None) -> list[list[str]]:
    try:
        with _long_fields():
            return list(
                islice(csv.reader(StringIO(written, newline=""), delimiter=delimiter, skipinitialspace=True), most)
            )
    except csv.Error as error:
        raise NotReadable(f"a table that is broken: {error}") from error


def _fold(name: str) -> str:
    return " ".join(clean(name).casefold().split())


def _is_known(name: str) -> bool:
    """Return whether a heading is known. Headings of custom fields need not be."""
    folded = _fold(name)
    found = _CUSTOM.fullmatch(folded)
    return not folded or folded in languages().headings or bool(found and found[1] in languages().custom)


def _canonical(name: str) -> str:
    folded = _fold(name)
    if known := languages().headings.get(folded):
        return known[0]
    found = _CUSTOM.fullmatch(folded)
    return f"custom field ({found[2]})" if found and found[1] in languages().custom else folded


def _find_language(head: list[str]) -> str:
    """Return the language of most headings. Headings shared by several languages count for each."""
    counted = Counter(
        language for name in head for language in languages().headings.get(_fold(name), ("", frozenset()))[1]
    )
    return counted.most_common(1)[0][0] if counted else ""


def _key_column(rows: list[list[str]], *, width: int) -> int | None:
    """Return the column whose values are distinct issue keys."""
    for place in range(width):
        values = [row[place].strip() for row in rows if len(row) > place and row[place].strip()]
        if values and len(set(values)) == len(values) >= len(rows) / 2 and all(map(_KEY.fullmatch, values)):
            return place
    return None


def _read_dates_alike(table: Table, *, language: str) -> None:
    """Decide for the whole file whether 03/04/2026 is in March or in April, and convert its dates to ISO 8601."""
    places = [place for place, name in enumerate(table.names) if name in DATES]
    cells = [row[place].strip() for row in table.rows for place in places if len(row) > place]
    slashed = [found for found in map(_NUMBERS.fullmatch, cells) if found and found[2] != "."]
    has_day_first = any(int(found[1]) > 12 for found in slashed)  # noqa: PLR2004 - months
    has_month_first = any(int(found[3]) > 12 for found in slashed)  # noqa: PLR2004 - months
    day_first = has_day_first or (not has_month_first and language != "en")
    if slashed and has_day_first == has_month_first:
        order = "day/month" if day_first else "month/day"
        table.warnings.append(f"dates as {slashed[0][0]!r} are read as {order}: the file does not show the order")
    for row in table.rows:
        for place in places:
            if len(row) > place:
                row[place] = iso_text(row[place], day_first=day_first) or row[place]


def iso_text(text: str, *, day_first: bool) -> str:
    """Convert a date in any of the languages to ISO 8601. Empty if it is not a date."""
    text = text.strip()
    time: str | None
    if found := _NUMBERS.fullmatch(text):
        first, separator, second, year, time = found.groups()
        day, month = (first, int(second)) if day_first or separator == "." else (second, int(first))
    elif found := _WORDS.fullmatch(text):
        day, word, year, time = found.groups()
        month = next((n for name, n in languages().months.items() if word.casefold().startswith(name)), 0)
    else:
        return ""
    clock = _TIME.fullmatch(time.strip()) if time else None
    if time and not clock:
        return ""
    hour, minute, second_of = (int(part or 0) for part in clock.groups()[:3]) if clock else (0, 0, 0)
    half = (clock[4] or "").lower() if clock else ""
    hour = hour % 12 + (12 if half == "p" else 0) if half else hour
    whole_year = int(year) if len(year) > 2 else 2000 + int(year)  # noqa: PLR2004 - two digits
    try:
        return datetime(whole_year, month, int(day), hour, minute, second_of).isoformat()  # noqa: DTZ001 - as written
    except ValueError:
        return ""
