"""Check the numbers in a text against the data that it describes."""

import re
from bisect import bisect_left
from calendar import month_name
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import combinations, permutations
from typing import Any

MAX_PAIRED = 12
"""Up to so many values are combined by difference and ratio; with more, any number would be found."""
MAX_GROUPS = 50
MAX_VALUES = 200_000
MAX_EXPONENT = 40

_UNITS = "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_WORDS = {word: number for number, word in enumerate(f"{_UNITS} eighteen nineteen".split(), 2)} | {
    word: 10 * number for number, word in enumerate(_TENS.split(), 2)
}
_SCALES = {"k": 1_000, "thousand": 1_000, "m": 1_000_000, "million": 1_000_000, "bn": 10**9, "billion": 10**9}
_WRITTEN = re.compile(
    r"(?P<about>\b(?:about|around|roughly|nearly|almost|over|some|approximately|more than|less than)\s+|~\s?)?"
    r"(?:(?<![\w.])(?P<number>[-\u2212]?\d+(?:,\d{3})*(?:\.\d+)?)(?:(?P<ordinal>st|nd|rd|th)\b"
    r"|\s?(?P<percent>%|per\s?cent\b)|\s?(?P<scale>k|m|bn|thousand|million|billion)\b)?"
    rf"|\b(?P<word>{'|'.join(_WORDS)})\b(?:\s(?P<word_percent>per\s?cent\b))?)",
    re.IGNORECASE | re.ASCII,
)
_LIST_MARKER = re.compile(r"^[ \t]*(\d{1,4})[.)]\s", re.MULTILINE | re.ASCII)
_MONTHS = [name[:3].lower() for name in month_name]
_MONTH = rf"(?:{'|'.join(f'{name}|{name[:3]}' for name in month_name if name)}|sept)\b\.?"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?\b"
_NAME = re.compile(
    r"(?<!\w)(?:(?P<season>(?P<from>(?:19|20)\d\d)[-/\u2013](?P<to>(?:19|20)?\d\d)\b(?![-/]\d))"
    r"|(?P<iso>(?P<iso_year>\d{4})-(?P<iso_month>\d\d)(?:-(?P<iso_day>\d\d))?"
    r"(?:[T ]\d\d:\d\d[\d:.]*(?:Z|[+-]\d\d:?\d\d)?)?)"
    rf"|(?P<us>(?P<us_month>{_MONTH})\s(?P<us_day>{_DAY})(?:,?\s(?P<us_year>\d{{4}})\b)?)"
    rf"|(?P<eu>(?P<eu_day>{_DAY})\s(?:of\s)?(?P<eu_month>{_MONTH})(?:,?\s(?P<eu_year>\d{{4}})\b)?)"
    r"|(?P<code>[a-z_]\w*+(?:[-/:.]\w++)*+|\d\w*+(?:[-/:.]\w++){2,}+|\d++:\w++|\d{40}\d*+))",
    re.IGNORECASE | re.ASCII,
)
"""Matches what has digits but is no number: seasons, days, and names such as ACCEL-102, 1:30 or v1.2.3."""
_SEPARATOR = re.compile(r"[-/:.]|^\d+$")
_FULL_DAY = re.compile(r"(\d{4}-\d\d)-\d\d")
_FULL_YEAR = re.compile(r"\d{4}(?=-)")
_IDENTIFIER = re.compile(r"(?:^|_)id$|[a-z]Id$", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenNumber:
    """A number in a text: as written, its value, and half of its last place."""

    written: str
    value: Decimal
    half_place: Decimal
    is_share: bool = False
    is_place: bool = False


class KnownNumbers:
    """
    The numbers that data and texts support.

    Data support their own numbers, the length of each list (altogether, and by each value that rows share), and for
    each numeric column sum, mean, smallest, largest and range, altogether and by such a value. Few numbers in a column
    or a row also support their differences, and their ratios as percentages. Texts, those in data too, support their
    numbers, days (with their years) and names. Every number may be rounded.
    """

    def __init__(self) -> None:
        self._values: set[Decimal] = set()
        self._names: set[str] = set()
        self._shares: set[Decimal] = set()
        self._columns: defaultdict[str, list[Decimal]] = defaultdict(list)
        self._most_rows = 0
        self._is_paired = True

    def add_text(self, text: str, *, without: str = "") -> None:
        """Add the numbers, days and names of a text, but none of those in `without`."""
        self._values.update({number.value for number in list_numbers(text)} - {n.value for n in list_numbers(without)})
        for name in {name for _, name in list_names(text)} - {name for _, name in list_names(without)}:
            self._names.add(name)
            if day := _FULL_DAY.fullmatch(name):
                self._names.update((day[1], name[5:]))
            if year := _FULL_YEAR.match(name):
                self._values.add(Decimal(year[0]))

    def add_data(self, data: Any) -> None:
        """Add the numbers of JSON data, and what can be computed from its lists."""
        self._add(data, path="")
        self._is_paired = False

    def find_unfounded(self, text: str) -> tuple[str, ...]:
        """Return the names and numbers of a text that are not supported, as written, each once."""
        if not self._is_paired:
            for column in self._columns.values():
                self._add_column(column)
            self._is_paired = True
        values, shares = sorted(self._values), sorted(self._shares | {100 * value for value in self._values})
        unknown = [written for written, name in list_names(text) if name not in self._names]
        unfounded = [
            number.written
            for number in list_numbers(text)
            if not (number.is_place and 0 < number.value <= self._most_rows)
            and not _is_near(number, values=values)
            and not (number.is_share and _is_near(number, values=shares))
        ]
        return tuple(dict.fromkeys((*unknown, *unfounded)))

    def _add(self, data: Any, *, path: str) -> None:
        number = as_number(data)
        if number is not None:
            if len(self._values) < MAX_VALUES:
                self._values.add(number)
                self._columns[path].append(number)
        elif isinstance(data, str):
            self.add_text(data)
        elif isinstance(data, Mapping):
            for name, value in data.items():
                self.add_text(name)
                self._add(value, path=f"{path}.{name}")
        elif isinstance(data, list | tuple):
            self._add_list(data)
            for value in data:
                self._add(value, path=path)

    def _add_list(self, rows: Sequence[Any]) -> None:
        self._values.add(Decimal(len(rows)))
        self._most_rows = max(self._most_rows, len(rows))
        records = [row for row in rows if isinstance(row, Mapping)]
        if not records:
            return
        numbers = _list_columns(records)
        for column in numbers.values():
            self._add_column(column)
        for groups in _group_rows(records):
            self._pair([Decimal(len(group)) for group in groups], whole=Decimal(len(records)))
            for name in numbers:
                parts = [part for group in groups if (part := _list_columns(group).get(name))]
                for part in parts:
                    self._add_column(part, is_paired=False)
                self._pair([sum(part, Decimal()) for part in parts], whole=sum(numbers[name], Decimal()))

    def _add_column(self, column: Sequence[Decimal], *, is_paired: bool = True) -> None:
        if not column:
            return
        total = sum(column, Decimal())
        self._values.update((total, total / len(column), max(column) - min(column), Decimal(len(column))))
        if is_paired:
            self._pair(column, whole=total)

    def _pair(self, values: Sequence[Decimal], *, whole: Decimal = Decimal()) -> None:
        if whole:
            self._shares.update(100 * value / whole for value in values)
        distinct = sorted(set(values))
        self._values.update(values)
        if len(distinct) > MAX_PAIRED:
            return
        self._values.update(larger - smaller for smaller, larger in combinations(distinct, 2))
        for part, other in permutations(distinct, 2):
            if other:
                self._shares.update((100 * part / other, 100 * (part - other) / abs(other)))


def list_numbers(text: str) -> Iterator[WrittenNumber]:
    """Yield the numbers of a text without days, names and numbers of list items; `one` is no number."""
    for found in _WRITTEN.finditer(_NAME.sub(_blank, _remove_list_markers(text))):
        if word := found["word"]:
            yield WrittenNumber(
                written=word,
                value=Decimal(_WORDS[word.lower()]),
                half_place=Decimal(0),
                is_share=bool(found["word_percent"]),
            )
            continue
        digits = found["number"].replace(",", "").replace("\u2212", "-")
        scale = Decimal(_SCALES[found["scale"].lower()] if found["scale"] else 1)
        places = len(digits.partition(".")[2])
        if found["about"] and not places:
            places = -(len(digits) - len(digits.rstrip("0")))
        yield WrittenNumber(
            written=found[0][len(found["about"] or "") :],
            value=Decimal(digits) * scale,
            half_place=Decimal(5).scaleb(-places - 1) * scale,
            is_share=bool(found["percent"]),
            is_place=bool(found["ordinal"]),
        )


def as_number(value: object) -> Decimal | None:
    """Parse a number, also from text; None for anything else, booleans included."""
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
        return None
    try:
        number = Decimal(str(value).replace(",", ""))
    except InvalidOperation:
        return None
    return number if number.is_finite() and abs(number.adjusted()) <= MAX_EXPONENT else None


def list_names(text: str) -> Iterator[tuple[str, str]]:
    """
    Yield what has digits but is no number: as written and normalised.

    A day has the form 2025-02-05, without a year 02-05; a season the form 2024-2025. Words such as OAuth2 are left out.
    """
    for found in filter(_has_digit, _NAME.finditer(_remove_list_markers(text))):
        match next(kind for kind in ("season", "iso", "us", "eu", "code") if found[kind]):
            case "season":
                yield found[0], f"{found['from']}-{found['from'][:2]}{found['to'][-2:]}"
            case "iso":
                yield found[0], "-".join(filter(None, (found["iso_year"], found["iso_month"], found["iso_day"])))
            case ("us" | "eu") as kind:
                month = _MONTHS.index(found[f"{kind}_month"][:3].lower())
                day = int("".join(filter(str.isdigit, found[f"{kind}_day"])))
                year = found[f"{kind}_year"]
                yield found[0], f"{year}-{month:02}-{day:02}" if year else f"{month:02}-{day:02}"
            case _ if _SEPARATOR.search(found[0]):
                yield found[0], found[0].lower()


def _remove_list_markers(text: str) -> str:
    """Remove the numbers of numbered lists: those no larger than their count."""
    count = len(_LIST_MARKER.findall(text))
    return _LIST_MARKER.sub(lambda found: "" if int(found[1]) <= count else found[0], text)


def _has_digit(found: re.Match[str]) -> bool:
    return any(map(str.isdigit, found[0]))


def _blank(found: re.Match[str]) -> str:
    return " ; " if _has_digit(found) else found[0]


def _is_near(number: WrittenNumber, *, values: Sequence[Decimal]) -> bool:
    """Return whether a value, of either sign, rounds to the number."""
    for value in {number.value, -number.value}:
        place = bisect_left(values, value - number.half_place)
        if place < len(values) and values[place] <= value + number.half_place:
            return True
    return False


def _list_columns(rows: Iterable[Mapping[str, Any]]) -> dict[str, list[Decimal]]:
    columns: dict[str, list[Decimal]] = {}
    for row in rows:
        for name, value in row.items():
            if (number := as_number(value)) is not None and not _IDENTIFIER.search(name):
                columns.setdefault(name, []).append(number)
    return columns


def _group_rows(rows: Sequence[Mapping[str, Any]]) -> Iterator[list[list[Mapping[str, Any]]]]:
    """Yield the rows grouped by each column with few values."""
    for name in rows[0]:
        groups: dict[str, list[Mapping[str, Any]]] = {}
        for row in rows:
            value = row.get(name)
            if value is None or isinstance(value, str | bool):
                groups.setdefault(str(value), []).append(row)
        if 1 < len(groups) <= MAX_GROUPS and len(groups) < len(rows):
            yield list(groups.values())
