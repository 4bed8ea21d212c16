"""Periods in a question ("last month", "since March", "Q3 2025") as spans of dates; today is a value."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

import regex

from sprints.linking.calendar import Span, later, moved, unit_of

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen twenty thirty sixty "
    "ninety"
)
_VALUES = (*range(16), 20, 30, 60, 90)
NUMBERS = dict(zip(_SMALL.split(), _VALUES, strict=True)) | {"a": 1, "an": 1, "couple": 2, "dozen": 12}
_MONTHS = [
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
]
_WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
EARLIEST, LATEST = date(1970, 1, 1), date(2200, 1, 1)

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
    rf"(?P<weekday>(?:last |this |on )?(?:{'|'.join(_WEEKDAYS)})s?)",
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
    """A period that a question names: its days, where it stands in the text, and whether its day is uncertain."""

    span: Span
    said: str
    start: int
    end: int
    unit: str = ""
    alternatives: tuple[date, ...] = ()
    nearest: Span | None = None
    """The same days of next year, where these have no year and next year's are nearer: due in December."""

    @property
    def assumption(self) -> str:
        """Say which days were taken."""
        if self.span.last == self.span.start:
            return f"Took '{self.said}' as {self.span.start}."
        if self.span.start == EARLIEST:
            return f"Took '{self.said}' as everything up to {self.span.last}."
        return f"Took '{self.said}' as {self.span.start} to {self.span.last}."


def find_periods(text: str, *, today: date) -> list[Period]:
    """Find the periods of a normalised text, in order. Months without a year are the latest that have begun."""
    return [period for found in _FIND.finditer(text) if (period := _period(found, today=today))]


def number(text: str) -> int:
    """Read a number in digits or as a word; 'few' is 3."""
    text = text.strip().lower()
    return int(text) if text.isdigit() else NUMBERS.get(text, 3)


def unit_name(text: str) -> str:
    """Give day, week, month, quarter or year; a fortnight is counted as two weeks by the caller."""
    return text.strip().lower().rstrip("s")


def _period(found: regex.Match[str], *, today: date) -> Period | None:
    if _MAY_IS_A_VERB.fullmatch(found[0]) and found[0] != "May":
        return None
    try:
        read = _spans(found, today=today)
    except (ValueError, OverflowError):
        return None
    span, unit, others = read
    said = found[0].strip()
    nearest = None
    if unit in ("day", "month") and _NAMES_MONTH.search(said) and _year(said) is None:
        ahead = _spans(found, today=today.replace(year=today.year + 1, day=1))[0]
        known = span.end if span.start == EARLIEST else span.start
        coming = ahead.end if ahead.start == EARLIEST else ahead.start
        is_nearer = known <= today and abs(coming - today) < abs(known - today)
        nearest = ahead if is_nearer else None
    return Period(
        span=span, unit=unit, alternatives=others, said=said, start=found.start(), end=found.end(), nearest=nearest
    )


def _spans(found: regex.Match[str], *, today: date) -> tuple[Span, str, tuple[date, ...]]:
    """Read a match of _FIND: its span, the unit it is made of, and other days that it may mean."""
    tomorrow = today + timedelta(days=1)
    if found["to_date"]:
        unit = {"y": "year", "m": "month", "q": "quarter", "w": "week"}[found["to_date"][0].lower()]
        return Span(unit_of(today, unit=unit).start, tomorrow), unit, ()
    if found["rolling"]:
        return _rolling(found["rolling"], today=today)
    if found["days"]:
        until = _point(found["last"], today=today)[0]
        return Span(until.start.replace(day=int(regex.findall(r"\d+", found["first"])[0])), until.end), "day", ()
    if found["range"]:
        first, last = _point(found["from"], today=today), _point(found["to"], today=today)
        return Span(first[0].start, last[0].end), first[1], ()
    if found["edge"]:
        return _edged(found["edge"].lower().split()[0], point=found["point"], today=today)
    return _point(found[0], today=today)


def _edged(edge: str, *, point: str, today: date) -> tuple[Span, str, tuple[date, ...]]:
    """Read everything since, after, before or until a point."""
    span, unit, others = _point(point, today=today)
    tomorrow = today + timedelta(days=1)
    if edge in ("since", "from", "starting"):
        return Span(span.start, tomorrow), unit, others
    if edge == "after":
        return Span(span.end, tomorrow), unit, others
    return Span(EARLIEST, span.start if edge == "before" else span.end), unit, others


def _rolling(text: str, *, today: date) -> tuple[Span, str, tuple[date, ...]]:
    *_, count, unit = text.lower().split()
    amount, name = number(count), unit_name(unit)
    if name == "fortnight":
        amount, name = amount * 2, "week"
    return Span(later(today, unit=name, by=-amount), today + timedelta(days=1)), name, ()


def _point(text: str, *, today: date) -> tuple[Span, str, tuple[date, ...]]:
    """Read a day, week, month, quarter or year."""
    found = _FIND_POINT.fullmatch(text.strip())
    if not found:
        raise ValueError(text)
    kind = str(found.lastgroup)
    return _READERS[kind](found[kind].lower(), today)


def _slashed(text: str, _today: date) -> tuple[Span, str, tuple[date, ...]]:
    first, second, year = (int(part) for part in regex.split("[/.]", text))
    readings = [date(year, m, d) for d, m in ((first, second), (second, first)) if m <= 12 and first and second]  # noqa: PLR2004
    distinct = tuple(dict.fromkeys(readings))
    if not distinct:
        raise ValueError(text)
    return unit_of(distinct[0], unit="day"), "day", distinct if len(distinct) > 1 else ()


def _month(text: str, today: date) -> tuple[Span, str, tuple[date, ...]]:
    month = _month_number(text)
    return unit_of(_latest(today, year=_year(text), month=month, day=1), unit="month"), "month", ()


def _day_of_month(text: str, today: date) -> tuple[Span, str, tuple[date, ...]]:
    day = int(regex.findall(r"(?<!\d)\d{1,2}(?!\d)", regex.sub(_YEAR, "", text))[0])
    return unit_of(_latest(today, year=_year(text), month=_month_number(text), day=day), unit="day"), "day", ()


def _part_of_year(text: str, today: date) -> tuple[Span, str, tuple[date, ...]]:
    ordinals = ["first", "second", "third", "fourth"]
    named = next((place for place, name in enumerate(ordinals, 1) if name in text), None)
    place = named or int(regex.findall(r"[qh]([1-4])", text)[0])
    unit, size = ("half", 6) if text.startswith("h") else ("quarter", 3)
    return unit_of(_latest(today, year=_year(text), month=(place - 1) * size + 1, day=1), unit=unit), unit, ()


def _relative(text: str, today: date) -> tuple[Span, str, tuple[date, ...]]:
    which, name = text.removeprefix("the ").split()
    by = {"this": 0, "current": 0, "next": 1, "coming": 1}.get(which, -1)
    if name == "fortnight":
        week = unit_of(today, unit="week")
        return (
            Span(later(week.start, unit="week", by=2 * by), later(week.start, unit="week", by=2 * by + 2)),
            "week",
            (),
        )
    return moved(unit_of(today, unit=name), unit=name, by=by), name, ()


def _ago(text: str, today: date) -> tuple[Span, str, tuple[date, ...]]:
    count, name, _ = text.split()
    name, amount = unit_name(name), number(count)
    amount, name = (amount * 2, "week") if name == "fortnight" else (amount, name)
    return unit_of(later(today, unit=name, by=-amount), unit="day"), name, ()


def _weekday(text: str, today: date) -> tuple[Span, str, tuple[date, ...]]:
    place = next(number for number, name in enumerate(_WEEKDAYS) if name in text)
    back = (today.weekday() - place) % 7 or (7 if "last" in text else 0)
    return unit_of(today - timedelta(days=back), unit="day"), "day", ()


def _start(text: str, today: date) -> tuple[Span, str, tuple[date, ...]]:
    unit = text.rsplit(maxsplit=1)[-1]
    span = moved(unit_of(today, unit=unit), unit=unit, by=-1 if " last " in text else 0)
    return unit_of(span.start, unit="day"), unit, ()


def _month_start(text: str, today: date) -> tuple[Span, str, tuple[date, ...]]:
    span, _, _ = _month(text.rsplit(" of ", maxsplit=1)[-1], today)
    return unit_of(span.start, unit="day"), "day", ()


def _latest(today: date, *, year: int | None, month: int, day: int) -> date:
    """Give that day of the year named, or of the latest year in which it has come."""
    if year is not None:
        return date(year, month, day)
    return next(found for found in _candidates(today, month=month, day=day) if found <= today)


def _candidates(today: date, *, month: int, day: int) -> Iterator[date]:
    for year in range(today.year, today.year - 9, -1):
        try:
            yield date(year, month, day)
        except ValueError:
            continue
    raise ValueError(f"no such day: {month}-{day}")


def _year(text: str) -> int | None:
    found = regex.search(rf"(?<!\d){_YEAR}(?!\d)", text)
    return int(found[0]) if found else None


def _month_number(text: str) -> int:
    return next(place for place, name in enumerate(_MONTHS, 1) if regex.search(rf"\b{name[:3]}", text))


def _iso(text: str, _today: date) -> tuple[Span, str, tuple[date, ...]]:
    return unit_of(date.fromisoformat(text), unit="day"), "day", ()


def _iso_month(text: str, _today: date) -> tuple[Span, str, tuple[date, ...]]:
    return unit_of(date.fromisoformat(f"{text}-01"), unit="month"), "month", ()


def _near_today(text: str, today: date) -> tuple[Span, str, tuple[date, ...]]:
    return unit_of(today - timedelta(days=text == "yesterday"), unit="day"), "day", ()


def _whole_year(text: str, _today: date) -> tuple[Span, str, tuple[date, ...]]:
    return unit_of(date(int(text), 1, 1), unit="year"), "year", ()


_READERS: dict[str, Callable[[str, date], tuple[Span, str, tuple[date, ...]]]] = {
    "iso": _iso, "iso_month": _iso_month, "slashed": _slashed, "dm": _day_of_month, "md": _day_of_month,
    "month": _month, "quarter": _part_of_year, "half": _part_of_year, "today": _near_today, "weekday": _weekday,
    "ago": _ago, "start": _start, "month_start": _month_start, "relative": _relative, "year": _whole_year,
}  # fmt: skip
