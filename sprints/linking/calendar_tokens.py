"""Tokens of the calendar: words, numbers, units and days in digits, and what a point in the calendar is."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

import regex

from sprints.linking.calendar import Span, find_unit
from sprints.linking.numbers import NUMBERS, ORDINALS, VAGUE

MONTH_NAMES = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
MONTHS = {name: place for place, name in enumerate(MONTH_NAMES, 1)}
MONTHS |= {name[:3]: place for name, place in MONTHS.items()} | {"sept": 9}
WEEKDAY_NAMES = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
WEEKDAYS = {name: place for place, name in enumerate(WEEKDAY_NAMES)}
WEEKDAYS |= {"mon": 0, "tue": 1, "tues": 1, "wed": 2, "thu": 3, "thur": 3, "thurs": 3, "fri": 4}
_UNITS = {"day": "day", "week": "week", "month": "month", "quarter": "quarter", "year": "year", "weekend": "weekend"}
PLURALS = {f"{name}s": unit for name, unit in _UNITS.items()}
UNITS = _UNITS | PLURALS
WHICH = {"this": 0, "current": 0, "last": -1, "previous": -1, "preceding": -1, "next": 1}
CALENDAR_NAMES = frozenset({*MONTH_NAMES, *WEEKDAY_NAMES})
RELATIVE_WORDS = frozenset({*WHICH, "past", "coming", "trailing", "recent", "few"})
PERIOD_UNITS = frozenset({*UNITS, "fortnight", "fortnights"})
PERIOD_WORDS = CALENDAR_NAMES | RELATIVE_WORDS | PERIOD_UNITS | {
    *MONTHS, "first", "second", "third", "fourth", "today", "yesterday", "ago", "ytd", "mtd", "qtd", "date", "start",
    "beginning",
}  # fmt: skip
"""Words that periods are written with."""

DASHES = frozenset("-\u2013\u2014")
_TOKEN = regex.compile(
    r"\d{4}(?P<mark>[-/.])\d{1,2}(?P=mark)\d{1,2}(?!\d)|\d{4}-w\d\d?|\d{4}-\d\d(?!\d)|\d{1,2}(?P<sign>[/.])\d{1,2}(?P=sign)(?:\d{4}(?!\d)|(?![\d.]))"
    r"|\d{1,2}/\d{1,2}(?![\w/.])|\d{1,2}/\d{1,2}/\d{4}|\w+|\S",
    regex.IGNORECASE,
)
_YEAR = regex.compile(r"(?:19|20)\d\d")
_MAX_DAY = 31
_YEARS_BACK = 9


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why it is not certain which days are meant, and what may be said instead."""

    question: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """
    The days that a part of the text names, and the unit that they are.

    `in_year` returns them in another year if the text names none, `coming` those ahead of a weekday. `loosely` is the
    doubt about a start or an end that bounds nothing: created at the end of October. `boundary` is which of them it is.
    """

    span: Span
    unit: str
    in_year: Callable[[int], Span] | None = None
    coming: Span | None = None
    doubt: Doubt | None = None
    loosely: Doubt | None = None
    boundary: str = ""


@dataclass(frozen=True, slots=True)
class Token:
    """A word, number, day in digits or sign, with its range in the text."""

    text: str
    start: int
    end: int


Read = tuple[Point, int] | None
"""What was read, and the place of the next token."""


def write_day(day: date) -> str:
    """Write a day as it is said: 3 April 2026."""
    return day.strftime("%-d %B %Y")


def write_days(first: date, *, last: date) -> str:
    """Write a range of days of one month: 1-10 October 2026."""
    return f"{first.day}-{write_day(last)}"


class CalendarReader:
    """Reads amounts, units and years, and places days in a year."""

    def __init__(self, text: str, *, today: date) -> None:
        self.text, self.today = text, today
        self.tokens = [Token(found[0], found.start(), found.end()) for found in _TOKEN.finditer(text)]
        self.words = [token.text.lower() for token in self.tokens]

    def word(self, at: int) -> str:
        """Return the word at a place in lower case. Empty outside of the text."""
        return self.words[at] if 0 <= at < len(self.words) else ""

    def skip_article(self, at: int) -> int:
        """Return the place after an article."""
        return at + (self.word(at) in ("the", "our"))

    def quote(self, at: int, *, end: int) -> str:
        """Return the text from a place until another."""
        return self.text[self.tokens[at].start : self.tokens[end - 1].end]

    def read_amount(self, at: int) -> tuple[int | None, int] | None:
        """Read a number: 3, three, a, a couple of. None as the number of a few."""
        at += self.word(at) in ("a", "an") and self.word(at + 1) in {*VAGUE, *NUMBERS}
        word = self.word(at)
        if word in VAGUE:
            return None, at + 1
        if not (word in NUMBERS or (word.isascii() and word.isdigit() and len(word) <= 4)):  # noqa: PLR2004
            return None
        value = NUMBERS[word] if word in NUMBERS else int(word)
        return value, at + 1 + (word in ("couple", "dozen") and self.word(at + 1) == "of")

    def read_unit(self, at: int) -> tuple[str, int, int] | None:
        """Read a unit of time: its name, how many of it are one, and the place after it."""
        word = self.word(at)
        if word in ("fortnight", "fortnights"):
            return "week", 2, at + 1
        if word in ("half", "halves"):
            behind = at + 1 + (self.word(at + 1) in DASHES)
            return ("month", 6, behind + 1) if self.word(behind) in ("year", "years") else None
        return (UNITS[word], 1, at + 1) if word in UNITS else None

    def place_in_year(self, in_year: Callable[[int], Span], *, unit: str, said: str, year: int | None = None) -> Point:
        """Return days in the year, else in the latest in which they have begun. A doubt if there are none."""
        for one in [year] if year else range(self.today.year, self.today.year - _YEARS_BACK, -1):
            try:
                span = in_year(one)
            except (ValueError, OverflowError):
                continue
            if year or span.start <= self.today:
                return Point(span=span, unit=unit, in_year=None if year else in_year)
        no_day = Doubt(f"There is no {said} in the calendar.")
        return Point(span=find_unit(self.today, unit="day"), unit="", doubt=no_day)

    def fix_days(self, find: Callable[[], Span], *, unit: str, said: str) -> Point:
        """Return days that have their year, or need none."""
        return self.place_in_year(lambda _year: find(), unit=unit, said=said, year=self.today.year)

    def read_year_of(self, at: int) -> tuple[int, int] | None:
        """Read the year behind a point: 2025, of 2025, '25, last year, of this year."""
        if self.word(at) in ("'", "\u2019") and regex.fullmatch(r"\d\d", self.word(at + 1)):
            return 2000 + int(self.word(at + 1)), at + 2
        is_dash = self.word(at) in DASHES and self.read_year_number(at + 1) is not None
        at += self.word(at) in (",", "of", "in", "/") or is_dash
        which = WHICH.get(self.word(at)) if self.word(at) != "current" else None
        if which is not None and self.word(at + 1) == "year":
            return self.today.year + which, at + 2
        year = self.read_year_number(at)
        return (year, at + 1) if year else None

    def read_year_number(self, at: int) -> int | None:
        """Read a year in four digits."""
        return int(self.word(at)) if _YEAR.fullmatch(self.word(at)) else None

    def skip_weekday(self, at: int) -> int:
        """Return the place after a weekday before its day: Tuesday, 3 November."""
        return at + 1 + (self.word(at + 1) == ",") if self.word(at) in WEEKDAYS else at

    def read_day_number(self, at: int) -> tuple[int, int] | None:
        """Read the number of a day in its month: 3, 3rd, the third, Tuesday the 3rd."""
        at = self.skip_article(self.skip_weekday(at))
        word = self.word(at)
        day = ORDINALS.get(word) or (int(word) if word.isascii() and word.isdigit() and len(word) <= 2 else 0)  # noqa: PLR2004
        if word == "thirty" and self.word(at + 1) in DASHES and self.word(at + 2) == "first":
            return _MAX_DAY, at + 3
        if word == "twenty" and self.word(at + 1) in DASHES and ORDINALS.get(self.word(at + 2), 99) <= 9:  # noqa: PLR2004
            return 20 + ORDINALS[self.word(at + 2)], at + 3
        return (day, at + 1) if day else None
