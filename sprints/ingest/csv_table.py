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
from datetime import date, datetime
from functools import lru_cache
from importlib.resources import files
from io import StringIO
from itertools import islice

from sprints.ingest.record import NotReadable
from sprints.ingest.survey import EPIC_NAMES, FLAG_NAMES, POINTS_NAMES
from sprints.ingest.values import clean

MAX_FIELD = 16 << 20
"""The maximum field size, since descriptions may exceed the csv module's own 128 KiB."""
DELIMITERS = ",;\t|"
MAX_ROWS_SNIFFED = 200
MAX_ROWS_ABOVE = 20
"""How many rows are searched for the headings."""
FALLBACK = "cp1252"
EXPECTED = ("summary", "issue type", "status", "created", "updated", "assignee")
DATES = ("created", "updated", "resolved", "due date")
_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
         (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))  # fmt: skip
_KEY = re.compile(r"[A-Z][A-Z0-9_]*-[0-9]+")
_CUSTOM = re.compile(r"(.+?) ?\((.+)\)")
_CLOCK = r"(?:,?\s+(?P<time>.+))?"
_NUMBERS = re.compile(r"(?P<first>\d{1,2})(?P<sign>[/.-])(?P<second>\d{1,2})(?P=sign)(?P<year>\d{4}|\d{2})" + _CLOCK)
_OTHER_ORDERS = tuple(
    re.compile(order + _CLOCK)
    for order in (
        r"(?P<day>\d{1,2})[./\s-]+(?P<word>[^\W\d]+)\.?[./\s-]+(?P<year>\d{4}|\d{2})",
        r"(?P<word>[^\W\d]+)\.?\s+(?P<day>\d{1,2}),?\s+(?P<year>\d{4})",
        r"(?P<year>\d{4})(?P<sign>[/.-])(?P<month>\d{1,2})(?P=sign)(?P<day>\d{1,2})",
    )
)
_ORDERS = (("day", "month", "year"), ("month", "day", "year"), ("year", "month", "day"))
_TIME = re.compile(r"(\d{1,2})[:.](\d{2})(?:[:.](\d{2}))?(?:\s*([ap])\.?\s?m\.?)?", re.IGNORECASE)
_PREAMBLE = re.compile(r"\A[ \r\n]*(?:sep=.[\r\n]+)?[ \r\n]*", re.IGNORECASE)
"""Empty lines, and the line that tells Excel the separator."""
_DECIMAL = re.compile(r"\d{1,6},\d{1,3}")
_UNREADABLE = "\ufffd"
_SOUND = re.compile(f"[^\x00-\x7f{_UNREADABLE}]")
"""A letter of several bytes that was decoded."""
_END = "\x00end of the file"
"""A row of its own after the last one, unless that ends within quotes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Languages:
    """The content of csv_headings.toml: canonical headings and languages by heading, months and other words."""

    headings: dict[str, tuple[str, frozenset[str]]]
    custom: frozenset[str]
    subtask: tuple[str, ...]
    months: dict[str, int]


@dataclass(slots=True, kw_only=True)
class Table:
    """
    A table with Jira's English headings. `warnings` are for a person; `cut` is a row that the file ends in.

    `first_row` is the number of the first row of values, counted as a spreadsheet does.
    """

    names: list[str]
    rows: list[list[str]]
    first_row: int = 2
    cut: list[str] | None = None
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
    """
    Decode by the byte order mark, by zero bytes, or as UTF-8, else as Windows-1252. Returns a warning too, or "".

    A few damaged letters do not make another encoding of a text whose others are sound.
    """
    encoding = next((name for mark, name in _BOMS if text.startswith(mark)), "")
    if not encoding:
        head = text[:2_000]
        zeros = [head[place::2].count(0) for place in (0, 1)]
        encoding = ("utf-16-be", "utf-16-le")[zeros[1] > zeros[0]] if max(zeros) > len(head) // 8 else "utf-8"
    try:
        return text.decode(encoding), ""
    except UnicodeDecodeError:
        written = text.decode(encoding, "replace")
    damaged = written.count(_UNREADABLE)
    if encoding == "utf-8" and damaged > len(_SOUND.findall(written)):
        return text.decode(FALLBACK, "replace"), "not UTF-8; read as Windows-1252"
    return written, f"{damaged:,} of its letters cannot be read as {encoding.upper()}; {_UNREADABLE} stands for each"


def find_table(written: str) -> Table | None:
    """Parse a CSV export. Returns None for other text. Raises NotReadable for an export that is not understood."""
    written = _PREAMBLE.sub("", written)
    if written[:1] in ("{", "["):
        return None
    delimiter, above = _find_head(written)
    head, *rows = _records(f"{written}\n{_END}", delimiter=delimiter)[above:]
    cut = _take_end(rows, width=len(head), written=written)
    names = [_canonical(name) for name in head]
    if "issue key" not in names:
        place = _key_column(rows[:MAX_ROWS_SNIFFED], width=len(names))
        if place is None or len(names) < 2:  # noqa: PLR2004 - one column is no table
            return None
        names[place] = "issue key"
    table = Table(names=names, rows=rows, cut=cut, first_row=above + 2)
    if above:
        table.warnings.append(f"the headings stand in row {above + 1}; what is above them is left out")
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


def _find_head(written: str) -> tuple[str, int]:
    """Return the delimiter, and how many rows stand above that of the headings, such as a title of the export."""
    found = {one: _records(written, delimiter=one, most=MAX_ROWS_ABOVE + 1) or [[]] for one in DELIMITERS}
    known = {
        (one, above): (sum(map(_is_known, filter(None, row))), -above, len(row))
        for one, rows in found.items()
        for above, row in enumerate(rows)
        if not above or "issue key" in map(_canonical, row)
    }
    return max(known, key=lambda place: known[place])


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
        is_long = "field limit" in str(error)
        why = f"a cell of it has more than {MAX_FIELD >> 20} MB; is a quote never closed?" if is_long else str(error)
        raise NotReadable(f"a table that is broken: {why}") from error


def _take_end(rows: list[list[str]], *, width: int, written: str) -> list[str] | None:
    """
    Remove the row after the last one. Return the last row, removed too, if the file ends in the middle of it.

    A row without a line end that has fewer cells than there are headings is one: what is missing would count as empty.
    """
    last = rows.pop() if rows else []
    if last != [_END]:
        last[-1:] = [cell.removesuffix(f"\n{_END}") for cell in last[-1:]]
        return last or None
    is_ended = written.endswith(("\n", "\r"))
    return rows.pop() if rows and not is_ended and (len(rows[-1]) < width or written[-1] == _UNREADABLE) else None


def _fold(name: str) -> str:
    return " ".join(clean(name).casefold().split())


def _is_known(name: str) -> bool:
    """Return whether a heading is known. Headings of custom fields need not be."""
    folded = _fold(name)
    found = _CUSTOM.fullmatch(folded)
    is_plain = folded in POINTS_NAMES | EPIC_NAMES | FLAG_NAMES
    return not folded or is_plain or folded in languages().headings or bool(found and found[1] in languages().custom)


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
    """Decide for the whole file if 03/04/26 is in March, in April or in 2003, and convert its dates to ISO 8601."""
    places = [place for place, name in enumerate(table.names) if name in DATES]
    cells = [row[place].strip() for row in table.rows for place in places if len(row) > place]
    numbers = [found for found in map(_NUMBERS.fullmatch, cells) if found]
    signed = [found for found in numbers if found["sign"] != "."]
    usual = ("month", "day", "year") if language == "en" else ("day", "month", "year")
    order, is_shown = _find_order(signed, usual=usual)
    if signed and not is_shown:
        said = "/".join(order)
        table.warnings.append(f"dates as {signed[0][0]!r} are read as {said}: the file does not show the order")
    for row in table.rows:
        for place in places:
            if len(row) > place:
                row[place] = iso_text(row[place], order=order) or row[place]


def _find_order(dates: list[re.Match[str]], *, usual: tuple[str, ...]) -> tuple[tuple[str, ...], bool]:
    """
    Return the order of year, month and day in which most dates of a file exist, and whether no other is possible.

    Only years of two digits may come first. If they may also come last, they stand where there are fewer values, since
    a file has more days than years.
    """
    orders = _ORDERS if all(len(found["year"]) == 2 for found in dates) else _ORDERS[:2]  # noqa: PLR2004 - two digits
    counts = {order: sum(_read_day(found, order=order) is not None for found in dates) for order in orders}
    best = [order for order in orders if counts[order] == max(counts.values())]
    years = [len({found[group] for found in dates}) for group in ("first", "year")]
    is_year_first = years[0] < years[1]
    if _ORDERS[2] in best and best[1:] and years[0] != years[1]:
        best = [one for one in best if (one == _ORDERS[2]) == is_year_first]
        return best[0] if len(best) == 1 else usual, False
    return best[0] if len(best) == 1 else usual, len(best) == 1 and counts[best[0]] == len(dates)


def _read_day(found: re.Match[str], *, order: tuple[str, ...]) -> date | None:
    """Return the date of three numbers in an order. None if there is no such day."""
    parts = dict(zip(order, found.group("first", "second", "year"), strict=True))
    if len(parts["year"]) == 4 and order[0] == "year":  # noqa: PLR2004 - the last number is no day
        return None
    try:
        return date(_full_year(parts["year"]), int(parts["month"]), int(parts["day"]))
    except ValueError:
        return None


def _full_year(written: str) -> int:
    return int(written) + (2000 if len(written) <= 2 else 0)  # noqa: PLR2004 - two digits


def iso_text(text: str, *, order: tuple[str, ...]) -> str:
    """Convert a date in any of the languages to ISO 8601. Empty if it is not a date. With dots the day comes first."""
    found = next(filter(None, (known.fullmatch(text.strip()) for known in (_NUMBERS, *_OTHER_ORDERS))), None)
    if found is None:
        return ""
    parts, time = found.groupdict(), found["time"]
    if "first" in parts:
        day = _read_day(found, order=_ORDERS[0] if parts["sign"] == "." else order)
    else:
        day = _read_words(parts)
    clock = _TIME.fullmatch(time.strip()) if time else None
    if day is None or (time and not clock):
        return ""
    hour, minute, second_of = (int(part or 0) for part in clock.groups()[:3]) if clock else (0, 0, 0)
    half = (clock[4] or "").lower() if clock else ""
    hour = hour % 12 + (12 if half == "p" else 0) if half else hour
    try:
        return datetime(day.year, day.month, day.day, hour, minute, second_of).isoformat()  # noqa: DTZ001 - as written
    except ValueError:
        return ""


def _read_words(parts: dict[str, str | None]) -> date | None:
    """Return the date of a day, a month as a word or a number, and a year. None if there is no such day."""
    month = parts.get("month") or _month(parts["word"] or "")
    try:
        return date(_full_year(parts["year"] or ""), int(month), int(parts["day"] or ""))
    except ValueError:
        return None


def _month(word: str) -> int:
    return next((number for name, number in languages().months.items() if word.casefold().startswith(name)), 0)
