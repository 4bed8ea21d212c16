"""
Grammar of points in the calendar: days, weeks, months, quarters, halves and years, and their parts. Today is a value.

    point   = iso | slashed | day of month | month | quarter | half | numbered week | year | relative | ago | part
    part    = (ordinal | "last") [number] unit "of" point     the second half of October, the last two weeks of Q3
            | ("start" | "middle" | "end") "of" point         edges; on their own they say no certain days
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, timedelta

import regex

from sprints.linking.calendar import Span, add_units, find_part, find_unit, find_weekday
from sprints.linking.calendar_tokens import (
    DASHES,
    MONTH_NAMES,
    MONTHS,
    PLURALS,
    UNITS,
    WEEKDAY_NAMES,
    WEEKDAYS,
    WHICH,
    CalendarReader,
    Doubt,
    Point,
    Read,
    write_day,
    write_days,
)
from sprints.linking.numbers import ORDINALS

_LEADS_TO_MAY = frozenset(
    (
        "in",
        "of",
        "during",
        "this",
        "last",
        "next",
        "since",
        "from",
        "until",
        "till",
        "by",
        "before",
        "after",
        "to",
        "through",
        "between",
        "early",
        "mid",
        "late",
    )
)
_LEADS_TO_DAY = (
    frozenset(
        ("on", "since", "from", "after", "before", "until", "till", "by", "between", "to", "and", "than", "through")
    )
    | DASHES
)
_BOUNDARIES = {
    "start": "start", "beginning": "start", "early": "start", "middle": "middle", "mid": "middle", "end": "end",
    "late": "end",
}  # fmt: skip
_ISO = regex.compile(r"(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?")
_SLASHED = regex.compile(r"(\d{1,2})[/.](\d{1,2})(?:[/.](\d{4})?)?")
_MAX_MONTH = 12


@dataclass(frozen=True, slots=True)
class Distance:
    """How far a day is from today: a number of a unit, which is `by` units of the calendar, back if negative."""

    amount: int | None
    unit: str
    by: int


class PointReader(CalendarReader):
    """Reads points in a text, the longest at a place."""

    def read(self, at: int) -> Read:
        """Read the longest point from a place on."""
        readers = (
            self._read_digits, self._read_month, self._read_month_and_day, self._read_day_and_month,
            self._read_part_of_year, self._read_week, self._read_unit_of, self._read_year, self._read_near_day,
            self._read_weekday,
            self._read_relative, self._read_unit_before, self._read_ago, self._read_part, self._read_boundary,
        )  # fmt: skip
        found = [one for reader in readers if (one := reader(self.skip_article(at))) is not None]
        return max(found, key=lambda one: one[1], default=None)

    def _read_digits(self, at: int) -> Read:
        word = self.word(at)
        if found := _ISO.fullmatch(word):
            year, month, day = (int(part or 1) for part in found.groups())
            unit = "day" if found[3] else "month"
            return self.fix_days(lambda: find_unit(date(year, month, day), unit=unit), unit=unit, said=word), at + 1
        return self._read_slashed(word, at=at) if _SLASHED.fullmatch(word) and not word.isdigit() else None

    def _read_slashed(self, word: str, *, at: int) -> Read:
        """Read 13.4.2026 or 3/4. Behind points the month is second. Without a year a word must lead to the day."""
        found = _SLASHED.fullmatch(word)
        if found is None or (not found[3] and self.word(at - 1) not in _LEADS_TO_DAY):
            return None
        first, second, year = int(found[1]), int(found[2]), int(found[3] or 0)
        orders = [(first, second), (second, first)] if "/" in word else [(first, second)]
        pairs = [(day, month) for day, month in orders if 1 <= month <= _MAX_MONTH and day]
        points = [self._date(day, month=month, year=year or None, said=word) for day, month in dict.fromkeys(pairs)]
        if not points:
            return self.fix_days(
                lambda: find_unit(date(year or 1, first, second), unit="day"), unit="day", said=word
            ), at + 1
        days = tuple(dict.fromkeys(point.span.start for point in points))
        listed = " or ".join(write_day(day) for day in days)
        doubt = Doubt(f"Is '{word}' {listed}?", tuple(map(str, days))) if len(days) > 1 else None
        return replace(points[0], doubt=doubt), at + 1

    def _read_month(self, at: int) -> Read:
        which = self.word(at) if self.word(at) in ("this", "last", "next") else ""
        at += bool(which)
        month = MONTHS.get(self.word(at))
        if month is None or (self.word(at) == "may" and not self._is_may(at, is_alone=True)):
            return None
        after = self._skip_point(at)
        if which:
            return self._choose_month(month, which=which), after
        return self._with_year(lambda year: find_unit(date(year, month, 1), unit="month"), unit="month", at=after)

    def _skip_point(self, at: int) -> int:
        """Return the place after a month and the point of its abbreviation: Nov."""
        return at + 1 + (self.word(at + 1) == "." and len(self.word(at)) <= 4 and self.word(at) != "may")  # noqa: PLR2004

    def _choose_month(self, month: int, *, which: str) -> Point:
        ours = find_unit(date(self.today.year, month, 1), unit="month")
        years = {"this": 0, "last": -(ours.end > self.today), "next": ours.start <= self.today}[which]
        return Point(span=find_unit(date(self.today.year + years, month, 1), unit="month"), unit="month")

    def _is_may(self, at: int, *, is_alone: bool) -> bool:
        """Return whether may is the month, not the verb."""
        if self.word(at - 1) == "this" and self.word(at + 1) in ("be", "not", "sound", "seem", "look"):
            return False
        is_told = self.tokens[at].text == "May" or self.word(at - 1) in _LEADS_TO_MAY
        return is_told or not is_alone or self.read_year_of(at + 1) is not None

    def _read_month_and_day(self, at: int) -> Read:
        begin, at = at, self.skip_weekday(at)
        month = MONTHS.get(self.word(at))
        found = self.read_day_number(self._skip_point(at)) if month and self.word(at + 1) not in WEEKDAYS else None
        if month is None or found is None or self.word(found[1]) in UNITS:
            return None
        return self._name_day(found[0], month=month, at=found[1], begin=begin)

    def _read_day_and_month(self, at: int) -> Read:
        found = self.read_day_number(at)
        if found is None:
            return None
        has_of = self.word(found[1]) == "of"
        is_word = self.words[found[1] - 1] in ORDINALS and not self.words[found[1] - 1][0].isdigit()
        month = MONTHS.get(self.word(found[1] + has_of))
        if month is None or (is_word and not has_of):
            return None
        return self._name_day(found[0], month=month, at=self._skip_point(found[1] + has_of), begin=at)

    def _name_day(self, day: int, *, month: int, at: int, begin: int) -> Read:
        """Return a day of a month. A weekday before it must be its own."""
        year = self.read_year_of(at)
        said = f"{day} {MONTH_NAMES[month - 1].title()}{f' {year[0]}' if year else ''}"
        point = self._date(day, month=month, year=year[0] if year else None, said=said)
        weekday = WEEKDAYS.get(self.word(begin), point.span.start.weekday())
        if point.doubt is None and weekday != point.span.start.weekday():
            named = point.span.start.strftime("%-d %B %Y is a %A")
            point = replace(point, doubt=Doubt(f"{named}. Which day do you mean?"))
        return point, year[1] if year else at

    def _date(self, day: int, *, month: int, year: int | None, said: str) -> Point:
        def in_year(other: int) -> Span:
            return find_unit(date(other, month, day), unit="day")

        return self.place_in_year(in_year, unit="day", year=year, said=said)

    def in_month_of(self, point: Point, *, day: int, year: int | None = None) -> Point:
        """Return a day of the month that a point is in."""
        month, fixed = point.span.start.month, None if point.in_year else point.span.start.year
        return self._date(day, month=month, year=year or fixed, said=f"{day} {MONTH_NAMES[month - 1].title()}")

    def _read_part_of_year(self, at: int) -> Read:
        """Read a quarter or half: Q3, 2025 Q3, the third quarter of 2025, H1."""
        year_first = self.read_year_number(at)
        at += bool(year_first) and 1 + (self.word(at + 1) in DASHES)
        found = regex.fullmatch(r"(q[1-4]|h[12])", self.word(at))
        place, unit = (int(self.word(at)[1]), "quarter" if self.word(at)[0] == "q" else "half") if found else (0, "")
        after = at + 1
        if not found and self.word(at + 1) == "quarter":
            place, unit, after = ORDINALS.get(self.word(at), 0), "quarter", at + 2
        if not 1 <= place <= (2 if unit == "half" else 4):
            return None

        def in_year(year: int) -> Span:
            return find_part(find_unit(date(year, 1, 1), unit="year"), unit=unit, place=place)

        if year_first:
            return self.place_in_year(in_year, unit=unit, year=year_first, said=""), after
        return self._with_year(in_year, unit=unit, at=after)

    def _read_week(self, at: int) -> Read:
        """Read a numbered week: week 46, CW 46, 2026-W46."""
        at += self.word(at) == "calendar"
        found = regex.fullmatch(r"(?:(\d{4})-|c)?w(\d{1,2})", self.word(at))
        number, after = (int(found[2]), at + 1) if found else (0, at + 2)
        if not found and self.word(at) in ("week", "cw"):
            at += self.word(at + 1) in ("number", "no", "#")
            number = int(self.word(at + 1)) if regex.fullmatch(r"\d{1,2}", self.word(at + 1)) else 0
            after = at + 2
        if not number:
            return None

        def in_year(year: int) -> Span:
            return find_unit(date.fromisocalendar(year, number, 1), unit="week")

        if found and found[1]:
            return self.place_in_year(in_year, unit="week", year=int(found[1]), said=found[0]), after
        return self._with_year(in_year, unit="week", at=after)

    def _read_unit_of(self, at: int) -> Read:
        """Read the unit that a point is or is in: the month of October, the week of 9 November."""
        unit, link = UNITS.get(self.word(at), "day"), self.word(at + 1)
        read = self.read(at + 2 + (self.word(at + 2) == "on")) if link in ("of", "starting", "beginning") else None
        if read is None or unit == "day" or read[0].unit not in (unit, "day") or read[0].loosely:
            return None
        span = read[0].span if read[0].unit == unit else find_unit(read[0].span.start, unit=unit)
        return replace(read[0], span=span, unit=unit, in_year=None, coming=None), read[1]

    def _read_year(self, at: int) -> Read:
        at += self.word(at) == "calendar"
        at += self.word(at) == "year" and self.read_year_number(at + 1) is not None
        year = self.read_year_number(at)
        is_cut = self.word(at + 1) in DASHES and at + 1 < len(self.tokens) and (
            self.tokens[at].end == self.tokens[at + 1].start)  # fmt: skip
        if year is None or (is_cut and self.read_year_number(at + 2) is None):
            return None
        return Point(span=find_unit(date(year, 1, 1), unit="year"), unit="year"), at + 1

    def _read_near_day(self, at: int) -> Read:
        days = {"today": 0, "yesterday": -1, "tomorrow": 1}
        if (self.word(at), self.word(at + 1)) in (("day", "before"), ("day", "after")):
            by = {"before": -1, "after": 1}[self.word(at + 1)]
            if days.get(self.word(at + 2)) != by:
                return None
            return self._day_from_today(2 * by), at + 3
        return (self._day_from_today(days[self.word(at)]), at + 1) if self.word(at) in days else None

    def _day_from_today(self, by: int) -> Point:
        return Point(span=find_unit(self.today + timedelta(days=by), unit="day"), unit="day")

    def _read_weekday(self, at: int) -> Read:
        """Read a weekday: the latest, or of this week, or the one before or after today. The next is rarely clear."""
        which = self.word(at) if self.word(at) in ("this", "last", "next") else ""
        at += bool(which)
        place = WEEKDAYS.get(self.word(at))
        if place is None:
            return None
        back = (self.today.weekday() - place) % 7
        by = {"last": -(back or 7), "next": (7 - back), "this": place - self.today.weekday()}.get(which, -back)
        point = self._day_from_today(by)
        if which == "next" and place > self.today.weekday():
            days = (point.span.start, point.span.start + timedelta(days=7))
            doubt = Doubt(f"Is 'next {WEEKDAY_NAMES[place].title()}' {write_day(days[0])} or {write_day(days[1])}?",
                          (str(days[0]), str(days[1])))  # fmt: skip
            return replace(point, doubt=doubt), at + 1
        coming = None if which else find_unit(self.today + timedelta(days=-back % 7), unit="day")
        return replace(point, coming=coming), at + 1

    def _read_relative(self, at: int) -> Read:
        """Read a unit of the calendar by its distance: last month, the current quarter, last half-year."""
        which, unit = WHICH.get(self.word(at)), self.read_unit(at + 1)
        if which is None or unit is None or self.words[at + 1].startswith("fortnight") or self.words[at + 1] in PLURALS:
            return None
        name = "half" if unit[1] > 1 else unit[0]
        if name == "weekend" and which:
            return self._read_weekend(which, at=unit[2])
        span = find_unit(add_units(self.today, unit=name, by=which), unit=name)
        return Point(span=span, unit=name), unit[2]

    def _read_weekend(self, which: int, *, at: int) -> Read:
        """Read last weekend, which is over. The next may be this week's or the one after it."""
        ours = find_unit(self.today, unit="weekend")
        if which < 0:
            by = 0 if ours.end <= self.today else -7
            return Point(span=Span(ours.start + timedelta(days=by), ours.end + timedelta(days=by)), unit="weekend"), at
        days = [write_days(day, last=day + timedelta(days=1)) for day in (ours.start, ours.start + timedelta(days=7))]
        return Point(span=ours, unit="weekend", doubt=Doubt("Which weekend is the next?", tuple(days))), at

    def _read_unit_before(self, at: int) -> Read:
        """Read the week before last."""
        if self.word(at) not in UNITS or (self.word(at + 1), self.word(at + 2)) != ("before", "last"):
            return None
        unit = UNITS[self.word(at)]
        if unit in ("day", "weekend") or self.word(at + 3) in ("sprint", "sprints", *UNITS):
            return None
        return Point(span=find_unit(add_units(self.today, unit=unit, by=-2), unit=unit), unit=unit), at + 3

    def _read_ago(self, at: int) -> Read:
        """Read a day by its distance from today: two weeks ago, 3 days from now."""
        read = self.read_distance(at)
        return (self.find_day_at(read[0], said=self.quote(at, end=read[1])), read[1]) if read else None

    def read_distance(self, at: int) -> tuple[Distance, int] | None:
        """Read a distance from today."""
        amount = self.read_amount(at)
        unit = self.read_unit(amount[1]) if amount else None
        if amount is None or unit is None or unit[0] == "weekend":
            return None
        name, size, after = unit
        if self.word(after) == "ago":
            return Distance(amount[0], unit=name, by=-size), after + 1
        is_ahead = self.word(after) == "from" and self.word(after + 1) in ("now", "today")
        return (Distance(amount[0], unit=name, by=size), after + 2) if is_ahead else None

    def find_day_at(self, distance: Distance, *, said: str) -> Point:
        """Return the day at a distance from today. A doubt if that has no number, or is outside of the calendar."""
        amount, name = distance.amount, distance.unit
        if amount is None:
            doubt = Doubt(f"How many {name}s are '{said}'?")
            return Point(span=find_unit(self.today, unit="day"), unit=name, doubt=doubt)
        return self.fix_days(
            lambda: find_unit(add_units(self.today, unit=name, by=distance.by * amount), unit="day"), unit="day",
            said=f"day {said}",
        )  # fmt: skip

    def _read_part(self, at: int) -> Read:
        """Read a part of a longer time: the first week of November, the last two weeks of October, its last Friday."""
        place = -1 if self.word(at) in ("last", "final") else ORDINALS.get(self.word(at), 0)
        counted = self.read_amount(at + 1) if place in (1, -1) else None
        count, after = (counted[0] or 0, counted[1]) if counted else (1, at + 1)
        weekday = WEEKDAYS.get(self.word(after))
        unit = "half" if self.word(after) == "half" else UNITS.get(self.word(after), "")
        if counted is None and self.word(after) != unit and weekday is None:
            return None  # the last days of October: how many?
        if not place or not count or (weekday is None and not unit) or (weekday is not None and count > 1):
            return None
        whole = self._read_whole(after + 1, unit=unit or "day")
        if whole is None:
            return None
        point, after = whole

        if unit == "week" and point.unit == "year" and count == 1 and place > 0:
            first = find_part(point.span, unit="week", place=place)
            choices = (
                f"week {place} of {first.start.year}",
                f"between {write_day(first.start)} and {write_day(first.last)}",
            )
            doubt = Doubt(f"Is '{self.quote(at, end=after)}' the calendar week, or its own seven days?", choices)
            return Point(span=first, unit="week", doubt=doubt), after

        def find(span: Span) -> Span:
            if weekday is not None or unit == "weekend":
                return find_weekday(span, weekday=5 if weekday is None else weekday, place=place,
                                    days=1 if unit != "weekend" else 2)  # fmt: skip
            return find_part(span, unit=unit, place=place, count=count)

        return self._derive(
            point, find=find, unit="day" if weekday is not None else unit, said=self.quote(at, end=after)
        ), after

    def _read_whole(self, at: int, *, unit: str) -> Read:
        """Read what has parts of a unit: of October, of the year, of last quarter."""
        if self.word(at) not in ("of", "in"):
            return None
        sizes = ["day", "weekend", "week", "month", "quarter", "half", "year"]
        at = self.skip_article(at + 1)
        named = self.read(at)
        if self.word(at) in UNITS and (named is None or named[1] == at + 1) and self.word(at) not in ("day", "weekend"):
            name = UNITS[self.word(at)]
            named = Point(span=find_unit(self.today, unit=name), unit=name), at + 1
        is_long = named is not None and (unit == "half" or sizes.index(named[0].unit) > sizes.index(unit))
        return named if is_long and named is not None and named[0].doubt is None else None

    def _derive(self, whole: Point, *, find: Callable[[Span], Span], unit: str, said: str) -> Point:
        """Return a part of a point. Without a year it is the latest that has begun."""
        whole_in = whole.in_year
        if whole_in is None:
            return self.fix_days(lambda: find(whole.span), unit=unit, said=said)
        return self.place_in_year(lambda year: find(whole_in(year)), unit=unit, said=said)

    def _read_boundary(self, at: int) -> Read:
        """Read the start, middle or end of a longer time as its first, middle or last day."""
        boundary, said = _BOUNDARIES.get(self.word(at)), self.word(at)
        if boundary is None:
            return None
        if said in ("early", "mid", "late"):
            whole = self.read(at + 1 + (self.word(at + 1) in DASHES))
            whole = whole if whole and whole[0].unit in ("month", "quarter", "year") and not whole[0].doubt else None
        else:
            whole = self._read_whole(at + 1, unit="day") if self.word(at + 1) == "of" else None
        if whole is None:
            return None
        point, after = whole
        is_month = point.unit == "month"

        def find(span: Span) -> Span:
            middle = find_unit(span.start + (span.end - span.start - timedelta(days=1)) // 2, unit="day")
            middle = find_unit(span.start + timedelta(days=14), unit="day") if is_month else middle
            first, last = find_unit(span.start, unit="day"), find_unit(span.last, unit="day")
            return {"start": first, "middle": middle, "end": last}[boundary]

        said = self.quote(at, end=after)
        bound = self._derive(point, find=find, unit="day", said=said)
        whole_span = find_unit(bound.span.start, unit=point.unit)
        loosely = Doubt(f"Which days are '{said}'?", _list_days_near(boundary, whole=whole_span, is_month=is_month))
        is_vague = self.word(at) in ("early", "late") or (boundary == "middle" and not is_month)
        doubt = bound.doubt or (loosely if is_vague else None)
        return replace(bound, doubt=doubt, loosely=loosely, boundary=boundary), after

    def _with_year(self, in_year: Callable[[int], Span], *, unit: str, at: int) -> Read:
        """Return the point in the year that follows, else the latest that has begun."""
        year = self.read_year_of(at)
        return self.place_in_year(in_year, unit=unit, year=year[0] if year else None, said=f"such {unit}"), year[
            1
        ] if year else at


def _list_days_near(boundary: str, *, whole: Span, is_month: bool) -> tuple[str, ...]:
    if not is_month:
        return (str(whole.start if boundary == "start" else whole.last),) if boundary != "middle" else ()
    first, last = whole.start, whole.last
    if boundary == "start":
        return (
            write_day(first),
            write_days(first, last=first.replace(day=7)),
            write_days(first, last=first.replace(day=10)),
        )
    if boundary == "middle":
        return write_day(first.replace(day=15)), write_days(first.replace(day=11), last=first.replace(day=20))
    return (
        write_day(last),
        write_days(last - timedelta(days=6), last=last),
        write_days(first.replace(day=21), last=last),
    )
