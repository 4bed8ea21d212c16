"""Find months, days and seasons in a text. Reads no clock: the known dates decide which year is meant."""

import re
from calendar import month_name, monthrange
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import date

from toolbox.contract.slots import Candidate
from toolbox.text.names import Word, is_near, plain, words

_MONTHS = [name.lower() for name in month_name]
_SHORT = {name[:3]: number for number, name in enumerate(_MONTHS) if name} | {"sept": 9}
_DOUBTFUL = {"may", "mar", "march"}
_BEFORE_A_MONTH = {"in", "of", "during", "for", "since", "from", "to", "and", "until", "through", "by", "vs"}
_YEAR = re.compile(r"(?:19|20)\d\d|['\u2019]\d\d")
_YEAR_NEXT = re.compile(r"[\s,.]*(?:of\s+)?((?:19|20)\d\d|['\u2019]\d\d)\b")
_FULL_YEAR = re.compile(r"(?<![-\d/])(?:19|20)\d\d(?![-\d/])")
_DAY = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?", re.I)
_ISO_DAY = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b")
_ISO_MONTH = re.compile(r"\b(\d{4})-(\d\d)\b(?!-?\d)")
_SEASON = re.compile(r"\b((?:19|20)\d\d)\s?[-\u2013/]\s?((?:19|20)?\d\d)\b(?![-/]\d)")
_LATEST_SEASON = re.compile(r"\b(?:this|last|the|latest|current|past|whole|all)\s+season\b", re.I)


def months(text: str, *, known: Sequence[date]) -> list[Candidate]:
    """
    Find months; one without a year means that month in each year of `known` (first days of months), latest first.

    `value` is like 2025-02; `parts` are `start` and `end`, days as tools take them.
    """
    found = [
        _month(int(said[1]), int(said[2]), start=said.start(), end=said.end())
        for said in _ISO_MONTH.finditer(text)
        if 1 <= int(said[2]) <= 12  # noqa: PLR2004
    ]
    said = words(text)
    for at, number in _named_months(said):
        if _day_beside(text, said=said, at=at):
            continue
        year, last = _year_after(text, said=said, at=at)
        years = [year] if year else sorted({day.year for day in known if day.month == number}, reverse=True)
        found += [_month(one, number, start=said[at].start, end=last) for one in years]
    return found


def days(text: str, *, known: Sequence[date]) -> list[Candidate]:
    """Find days; one without a year means that day in each year of `known` (first days of months), latest first."""
    found = []
    for iso in _ISO_DAY.finditer(text):
        with suppress(ValueError):
            found.append(_day(date(*map(int, iso.groups())), start=iso.start(), end=iso.end()))
    said = words(text)
    for at, month in _named_months(said):
        beside = _day_beside(text, said=said, at=at)
        if beside is None:
            continue
        number, place = beside
        year, last = _year_after(text, said=said, at=max(at, place))
        years = [year] if year else sorted({day.year for day in known if day.month == month}, reverse=True)
        for one in years:
            with suppress(ValueError):
                found.append(_day(date(one, month, number), start=said[min(at, place)].start, end=last))
    return sorted(found, key=lambda candidate: candidate.start)


def seasons(text: str, *, known: Sequence[str]) -> list[Candidate]:
    """Find seasons from one year to the next; "this season" is the latest of `known`."""
    found = []
    for said in _SEASON.finditer(text):
        first = int(said[1])
        if int(said[2]) % 100 == (first + 1) % 100:
            found.append(season(f"{first}-{first + 1}", start=said.start(), end=said.end()))
    if known:
        found += [
            season(max(known), start=said.start(), end=said.end())
            for said in _LATEST_SEASON.finditer(text)
            if not found
        ]
    return found


def season(name: str, *, start: int = 0, end: int = 0) -> Candidate:
    """Return the season of a name like 2024-2025."""
    return Candidate(value=name, label=f"{name[:4]}-{name[-2:]}", start=start, end=end)


def _named_months(said: Sequence[Word]) -> Iterator[tuple[int, int]]:
    for at, word in enumerate(said):
        number = _month_number(word.plain)
        if number and (word.plain not in _DOUBTFUL or _is_meant(said, at=at)):
            yield at, number


def _is_meant(said: Sequence[Word], *, at: int) -> bool:
    """Return whether May or March is the month: by a capital, the word before, or a day or year beside it."""
    before = said[at - 1].plain if at else ""
    after = said[at + 1].written if at + 1 < len(said) else ""
    has_number = bool(_YEAR.fullmatch(after) or _DAY.fullmatch(before) or _DAY.fullmatch(after))
    return before in _BEFORE_A_MONTH or has_number or bool(at and said[at].written[0].isupper())


def _month_number(word: str) -> int | None:
    bare = plain(word)
    if bare in _SHORT:
        return _SHORT[bare]
    near = [number for number, name in enumerate(_MONTHS) if name and is_near(bare, known=name)]
    return near[0] if near else None


def _day_beside(text: str, *, said: Sequence[Word], at: int) -> tuple[int, int] | None:
    """Return the day beside a month's name and its position: "February 1", "1st of February", "1 Feb"."""
    places = [at + 1, at - 1]
    if at > 1 and said[at - 1].plain == "of":
        places.append(at - 2)
    for place in places:
        if not 0 <= place < len(said) or text[: said[place].start].endswith(("'", "\u2019")):
            continue
        if day := _DAY.fullmatch(said[place].plain):
            return int(day[1]), place
    return None


def _year_after(text: str, *, said: Sequence[Word], at: int) -> tuple[int | None, int]:
    """Return the year that follows, or else the only one in the text, and where the phrase ends."""
    year = _YEAR_NEXT.match(text, said[at].end)
    if year is None:
        elsewhere = set(_FULL_YEAR.findall(text))
        return (int(elsewhere.pop()) if len(elsewhere) == 1 else None), said[at].end
    number = int(year[1].lstrip("'\u2019"))
    return (number if number > 99 else 2000 + number), year.end()  # noqa: PLR2004


def _month(year: int, number: int, *, start: int, end: int) -> Candidate:
    first, last = date(year, number, 1), date(year, number, monthrange(year, number)[1])
    return Candidate(
        value=f"{year}-{number:02}",
        label=f"{month_name[number]} {year}",
        start=start,
        end=end,
        parts={"start": first.isoformat(), "end": last.isoformat()},
    )


def _day(day: date, *, start: int, end: int) -> Candidate:
    return Candidate(value=day.isoformat(), label=f"{day.day} {month_name[day.month]} {day.year}", start=start, end=end)
