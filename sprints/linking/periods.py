"""Periods in a question ("last month", "since March", "Q3 2025") as spans of dates. Today is a value."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

import regex

from sprints.linking.calendar import Span, add_units, find_unit

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen twenty thirty sixty "
    "ninety"
)
_VALUES = (*range(16), 20, 30, 60, 90)
NUMBERS = dict(zip(_SMALL.split(), _VALUES, strict=True)) | {"a": 1, "an": 1, "couple": 2, "dozen": 12}
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_ORDINALS = ["first", "second", "third", "fourth"]
RELATIVE_WORDS = frozenset(
    {"this", "current", "last", "previous", "past", "next", "coming", "trailing", "recent", "few"}
)
PERIOD_UNITS = frozenset(
    f"{unit}{ending}" for unit in ("day", "week", "fortnight", "month", "quarter", "year") for ending in ("", "s")
)
CALENDAR_NAMES = frozenset({
    *_WEEKDAYS, "january", "february", "march", "april", "june", "july", "august", "september", "october", "november",
    "december",
})  # fmt: skip
PERIOD_WORDS = RELATIVE_WORDS | PERIOD_UNITS | CALENDAR_NAMES | {
    *_MONTHS, *_ORDINALS, "sept", "today", "yesterday", "ago", "ytd", "mtd", "qtd", "date", "start", "beginning",
}  # fmt: skip
"""Words that periods are written with."""
EARLIEST = date(1970, 1, 1)
Reading = tuple[Span, str, tuple[date, ...]]
"""A span, its unit, and other days that it may mean."""

NUMBER = r"(?:\d{1,4}|" + "|".join(NUMBERS) + ")"
_UNIT = r"(?:days?|weeks?|months?|quarters?|years?|fortnights?)"
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?"
)
_YEAR = r"(?:19|20)\d\d"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_POINT = "|".join((
    rf"(?P<iso>{_YEAR}-\d\d-\d\d)",
    rf"(?P<iso_month>{_YEAR}-\d\d)(?!\d|-)",
    rf"(?P<slashed>\d{{1,2}}[/.]\d{{1,2}}[/.]{_YEAR})",
    rf"(?P<dm>{_DAY}(?: of)? {_MONTH}(?:,? {_YEAR})?)",
    rf"(?P<md>{_MONTH} {_DAY}(?!\d)(?:,? {_YEAR})?)",
    rf"(?P<month>{_MONTH}(?:,? (?:of )?{_YEAR})?)(?!\w)",
    rf"(?P<quarter>q[1-4](?:[ /-]?{_YEAR})?|{_YEAR}[ -]?q[1-4]|(?:first|second|third|fourth) quarter(?: of {_YEAR})?)",
    rf"(?P<half>h[12](?: ?{_YEAR})?)",
    r"(?P<today>today|yesterday)",
    rf"(?P<weekday>(?:last |this |on )?(?:{'|'.join(_WEEKDAYS)}))",
    rf"(?P<ago>{NUMBER} {_UNIT} ago)",
    r"(?P<start>(?:the )?(?:start|beginning) of (?:the|this|last) (?:week|month|quarter|year))",
    rf"(?P<month_start>(?:the )?(?:start|beginning) of {_MONTH}(?:,? {_YEAR})?)(?!\w)",
    r"(?P<relative>(?:the )?(?:this|current|last|previous|past|next|coming) (?:week|month|quarter|year|fortnight))",
    rf"(?P<year>{_YEAR})(?![\w-])",
))  # fmt: skip
_ANY = regex.sub("[?]P<[a-z_]+>", "?:", _POINT)
_ROLLING = r"(?:in |over |during |within |for )?(?:the )?(?:last|past|previous|trailing|recent)"
_TO = "(?:to|and|until|till|through)"
_EDGE = "since|from|after|before|until|till|by|up to|starting(?: in| from)?"
_PERIOD = "|".join((
    r"(?P<to_date>(?:year|month|quarter|week) to date|ytd|mtd|qtd)",
    rf"(?P<rolling>{_ROLLING} (?:{NUMBER}|few) {_UNIT})",
    rf"(?P<days>(?:from|between) (?P<first>{_DAY}) {_TO} (?P<last>{_DAY}(?: of)? {_MONTH}(?:,? {_YEAR})?))",
    rf"(?P<range>(?:from|between) (?P<from>{_ANY}) (?:to|and|until|till|through) (?P<to>{_ANY}))",
    rf"(?P<edge>{_EDGE}) (?P<point>{_ANY})",
    _POINT,
))  # fmt: skip
_FIND = regex.compile(rf"(?<![\w-])(?:{_PERIOD})(?!\w)", regex.IGNORECASE)
_FIND_POINT = regex.compile(_POINT, regex.IGNORECASE)
_NAMES_MONTH = regex.compile(_MONTH, regex.IGNORECASE)
_MAY_IS_A_VERB = regex.compile(r"may(?! (?:\d|of|20))", regex.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """A period in a question: its days, its range in the text, and whether its day is ambiguous."""

    span: Span
    said: str
    start: int
    end: int
    unit: str = ""
    alternatives: tuple[date, ...] = ()
    nearest: Span | None = None
    """The same days of next year, if the year is not given and next year's are nearer: due in December."""

    @property
    def assumption(self) -> str:
        """Say which days were assumed."""
        if self.span.last == self.span.start:
            return f"Took '{self.said}' as {self.span.start}."
        if self.span.start == EARLIEST:
            return f"Took '{self.said}' as everything up to {self.span.last}."
        return f"Took '{self.said}' as {self.span.start} to {self.span.last}."


def find_periods(text: str, *, today: date) -> list[Period]:
    """Return the periods of a normalised text in order. A month without a year is the latest that has begun."""
    return [period for found in _FIND.finditer(text) if (period := _read_period(found, today=today))]


def read_number(text: str) -> int:
    """Parse a number in digits or as a word. 'few' is 3."""
    text = text.strip().lower()
    return int(text) if text.isdigit() else NUMBERS.get(text, 3)


def read_unit(text: str) -> str:
    """Parse day, week, month, quarter or year. The caller counts a fortnight as two weeks."""
    return text.strip().lower().rstrip("s")


def _read_period(found: regex.Match[str], *, today: date) -> Period | None:
    if _MAY_IS_A_VERB.fullmatch(found[0]) and found[0] != "May":
        return None
    try:
        span, unit, others = _read_match(found, today=today)
    except (ValueError, OverflowError):
        return None
    said = found[0].strip()
    nearest = None
    if unit in ("day", "month") and _NAMES_MONTH.search(said) and _find_year(said) is None:
        ahead = _read_match(found, today=today.replace(year=today.year + 1, day=1))[0]
        known = span.end if span.start == EARLIEST else span.start
        coming = ahead.end if ahead.start == EARLIEST else ahead.start
        is_nearer = known <= today and abs(coming - today) < abs(known - today)
        nearest = ahead if is_nearer else None
    return Period(
        span=span, unit=unit, alternatives=others, said=said, start=found.start(), end=found.end(), nearest=nearest
    )


def _read_match(found: regex.Match[str], *, today: date) -> Reading:
    tomorrow = today + timedelta(days=1)
    if found["to_date"]:
        unit = {"y": "year", "m": "month", "q": "quarter", "w": "week"}[found["to_date"][0].lower()]
        return Span(find_unit(today, unit=unit).start, tomorrow), unit, ()
    if found["rolling"]:
        return _read_rolling(found["rolling"], today=today)
    if found["days"]:
        until = _read_point(found["last"], today=today)[0]
        return Span(until.start.replace(day=int(regex.findall(r"\d+", found["first"])[0])), until.end), "day", ()
    if found["range"]:
        first, last = _read_point(found["from"], today=today), _read_point(found["to"], today=today)
        return Span(first[0].start, last[0].end), first[1], ()
    if found["edge"]:
        return _read_edge(found["edge"].lower().split()[0], point=found["point"], today=today)
    return _read_point(found[0], today=today)


def _read_edge(edge: str, *, point: str, today: date) -> Reading:
    """Parse everything since, after, before or until a point."""
    span, unit, others = _read_point(point, today=today)
    tomorrow = today + timedelta(days=1)
    if edge in ("since", "from", "starting"):
        return Span(span.start, tomorrow), unit, others
    if edge == "after":
        return Span(span.end, tomorrow), unit, others
    return Span(EARLIEST, span.start if edge == "before" else span.end), unit, others


def _read_rolling(text: str, *, today: date) -> Reading:
    *_, count, unit = text.lower().split()
    amount, name = read_number(count), read_unit(unit)
    if name == "fortnight":
        amount, name = amount * 2, "week"
    return Span(add_units(today, unit=name, by=-amount), today + timedelta(days=1)), name, ()


def _read_point(text: str, *, today: date) -> Reading:
    """Parse a day, week, month, quarter or year."""
    found = _FIND_POINT.fullmatch(text.strip())
    if not found:
        raise ValueError(text)
    kind = str(found.lastgroup)
    return _READERS[kind](found[kind].lower(), today)


def _read_slashed(text: str, _today: date) -> Reading:
    first, second, year = (int(part) for part in regex.split("[/.]", text))
    readings = [date(year, m, d) for d, m in ((first, second), (second, first)) if m <= 12 and first and second]  # noqa: PLR2004
    distinct = tuple(dict.fromkeys(readings))
    if not distinct:
        raise ValueError(text)
    return find_unit(distinct[0], unit="day"), "day", distinct if len(distinct) > 1 else ()


def _read_month(text: str, today: date) -> Reading:
    month = _find_month(text)
    return find_unit(_find_latest(today, year=_find_year(text), month=month, day=1), unit="month"), "month", ()


def _read_day_of_month(text: str, today: date) -> Reading:
    day = int(regex.findall(r"(?<!\d)\d{1,2}(?!\d)", regex.sub(_YEAR, "", text))[0])
    return (
        find_unit(_find_latest(today, year=_find_year(text), month=_find_month(text), day=day), unit="day"),
        "day",
        (),
    )


def _read_part_of_year(text: str, today: date) -> Reading:
    named = next((place for place, name in enumerate(_ORDINALS, 1) if name in text), None)
    place = named or int(regex.findall(r"[qh]([1-4])", text)[0])
    unit, size = ("half", 6) if text.startswith("h") else ("quarter", 3)
    return (
        find_unit(_find_latest(today, year=_find_year(text), month=(place - 1) * size + 1, day=1), unit=unit),
        unit,
        (),
    )


def _read_relative(text: str, today: date) -> Reading:
    which, name = text.removeprefix("the ").split()
    by = {"this": 0, "current": 0, "next": 1, "coming": 1}.get(which, -1)
    if name == "fortnight":
        week = find_unit(today, unit="week")
        return (
            Span(add_units(week.start, unit="week", by=2 * by), add_units(week.start, unit="week", by=2 * by + 2)),
            "week",
            (),
        )
    return find_unit(add_units(today, unit=name, by=by), unit=name), name, ()


def _read_ago(text: str, today: date) -> Reading:
    count, name, _ = text.split()
    name, amount = read_unit(name), read_number(count)
    amount, name = (amount * 2, "week") if name == "fortnight" else (amount, name)
    return find_unit(add_units(today, unit=name, by=-amount), unit="day"), name, ()


def _read_weekday(text: str, today: date) -> Reading:
    place = next(number for number, name in enumerate(_WEEKDAYS) if name in text)
    back = (today.weekday() - place) % 7 or (7 if "last" in text else 0)
    return find_unit(today - timedelta(days=back), unit="day"), "day", ()


def _read_start(text: str, today: date) -> Reading:
    unit = text.rsplit(maxsplit=1)[-1]
    span = find_unit(add_units(today, unit=unit, by=-1 if " last " in text else 0), unit=unit)
    return find_unit(span.start, unit="day"), unit, ()


def _read_month_start(text: str, today: date) -> Reading:
    span, _, _ = _read_month(text.rsplit(" of ", maxsplit=1)[-1], today)
    return find_unit(span.start, unit="day"), "day", ()


def _find_latest(today: date, *, year: int | None, month: int, day: int) -> date:
    """Return that day of the given year, or of the latest year in which it has passed."""
    if year is not None:
        return date(year, month, day)
    return next(found for found in _list_candidates(today, month=month, day=day) if found <= today)


def _list_candidates(today: date, *, month: int, day: int) -> Iterator[date]:
    for year in range(today.year, today.year - 9, -1):
        try:
            yield date(year, month, day)
        except ValueError:
            continue
    raise ValueError(f"no such day: {month}-{day}")


def _find_year(text: str) -> int | None:
    found = regex.search(rf"(?<!\d){_YEAR}(?!\d)", text)
    return int(found[0]) if found else None


def _find_month(text: str) -> int:
    return next(place for place, name in enumerate(_MONTHS, 1) if regex.search(rf"\b{name}", text))


def _read_iso(text: str, _today: date) -> Reading:
    return find_unit(date.fromisoformat(text), unit="day"), "day", ()


def _read_iso_month(text: str, _today: date) -> Reading:
    return find_unit(date.fromisoformat(f"{text}-01"), unit="month"), "month", ()


def _read_near_today(text: str, today: date) -> Reading:
    return find_unit(today - timedelta(days=text == "yesterday"), unit="day"), "day", ()


def _read_year(text: str, _today: date) -> Reading:
    return find_unit(date(int(text), 1, 1), unit="year"), "year", ()


_READERS: dict[str, Callable[[str, date], Reading]] = {
    "iso": _read_iso, "iso_month": _read_iso_month, "slashed": _read_slashed, "dm": _read_day_of_month,
    "md": _read_day_of_month, "month": _read_month, "quarter": _read_part_of_year, "half": _read_part_of_year,
    "today": _read_near_today, "weekday": _read_weekday, "ago": _read_ago, "start": _read_start,
    "month_start": _read_month_start, "relative": _read_relative, "year": _read_year,
}  # fmt: skip
