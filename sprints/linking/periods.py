"""
Grammar of periods in a question ("last month", "since March", "10-14 Nov") as spans of dates. Today is a value.

    period  = point | edge point | point "or later" | range | rolling | to date
    range   = "from" point "to" point | point "-" point | "after" point "and before" point | distances
    distances = number [unit] "to" number unit "ago"     10 to 20 days ago, the farther first or last
    rolling = ("last" | "next") number unit, counted from today, which is inside: the last 30 days, the past week

Both ends of a range are inside, as are the days of since, until, by and through. Those of after and before are not.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import lru_cache
from typing import Literal

from sprints.linking.calendar import Span, add_units, find_unit
from sprints.linking.calendar_points import PointReader
from sprints.linking.calendar_tokens import DASHES, PLURALS, UNITS, Doubt, Point, write_day

EARLIEST = date(1970, 1, 1)
Edge = Literal["", "since", "after", "before", "until", "range"]
_EDGES: dict[str, Edge] = {
    "since": "since", "from": "since", "starting": "since", "starting in": "since", "starting from": "since",
    "starting on": "since", "starting with": "since", "beginning with": "since", "on or after": "since",
    "no earlier than": "since", "not earlier than": "since", "after": "after", "later than": "after",
    "before": "before", "prior to": "before", "earlier than": "before", "until": "until", "till": "until",
    "by": "until", "up to": "until", "up until": "until", "up to and including": "until",
    "on or before": "until", "no later than": "until", "not later than": "until",
}  # fmt: skip
_BEHIND: dict[str, Edge] = {
    f"{link} {word}": edge
    for edge, words in (("since", ("later", "after", "newer")), ("until", ("earlier", "before", "older")))
    for word in words for link in ("or", "and")
} | {word: "since" for one in ("onwards", "onward") for word in (one, f"and {one}")}  # type: ignore[assignment]  # fmt: skip
_MAX_EDGE_WORDS = 4
_OF_BOUNDARIES: dict[tuple[Edge, str], Edge] = {("after", "start"): "since", ("before", "end"): "until"}
_TO = frozenset({"to", "until", "till", "through", "thru"}) | DASHES
_TO_DATE = {"ytd": "year", "mtd": "month", "qtd": "quarter", "wtd": "week"}
_BEFORE_ROLLING = frozenset({"in", "over", "during", "within", "for", "throughout"})
_BACK = frozenset({"last", "past", "previous", "trailing", "recent", "preceding"})
_AHEAD = frozenset({"next", "coming", "upcoming", "following"})
_DAYS = {"week": 7, "month": 30, "quarter": 90, "year": 365}
_COMPARING = ("compar", "differ", "chang")


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """
    A period in a question: its days, its range in the text, and how it is bounded.

    `doubt` says why its days are not certain, or that there are none; `doubtful` is the part of the text with it.
    `is_ahead`: all of its days are after today. `is_over`: it has a beginning, and all of its days are before today.
    """

    span: Span
    said: str
    start: int
    end: int
    unit: str = ""
    edge: Edge = ""
    doubt: Doubt | None = None
    doubtful: str = ""
    is_ahead: bool = False
    is_over: bool = False
    nearest: Span | None = None
    """The same days ahead, if the year or week is not given and they are nearer: due in December."""
    in_year: Callable[[int], Span] | None = field(default=None, compare=False, repr=False)
    """Return the same days of another year, if none is given and nothing else bounds them: December."""
    is_between: bool = False
    """Whether it is from one to another of the same unit: from September to October."""
    boundary: str = ""
    """Which moment of a longer time it is, if nothing else bounds it: the end of October."""

    @property
    def moment(self) -> date | None:
        """Return the midnight at which its only day is over, or a longer time begins or ends. None if it is no day."""
        is_certain = self.doubt is None or self.boundary in ("start", "end")
        if self.edge or self.is_ahead or self.unit != "day" or not is_certain:
            return None
        return self.span.start if self.boundary == "start" else self.span.end

    @property
    def assumption(self) -> str:
        """Say which days were assumed."""
        return f"Took '{self.said}' as {self.write_days(self.span)}."

    def write_days(self, span: Span) -> str:
        """Write the days of a span."""
        if span.last == span.start:
            return str(span.start)
        if span.end <= span.start:
            return f"{span.start} and later"
        return f"everything up to {span.last}" if span.start == EARLIEST else f"{span.start} to {span.last}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _PeriodMatch:
    """A period that was read up to a token. `point` is its only point, if it has one, `ahead` the same days ahead."""

    span: Span
    unit: str
    end: int
    edge: Edge = ""
    point: Point | None = None
    doubt: Doubt | None = None
    doubtful: tuple[int, int] | None = None
    ahead: Span | None = None
    is_between: bool = False


@lru_cache(maxsize=512)  # one text is linked several times while its question is read
def find_periods(text: str, *, today: date) -> tuple[Period, ...]:
    """Return the periods of a normalised text in order. A month without a year is the latest that has begun."""
    reader = _PeriodReader(text, today=today)
    found: list[Period] = []
    at = 0
    while at < len(reader.tokens):
        period, after = _read_at(reader, at=at)
        found += [period] if period else []
        at = after
    return tuple(found)


def _read_at(reader: "_PeriodReader", *, at: int) -> tuple[Period | None, int]:
    """Read the longest period from a token on, and return it with the next token to read."""
    before = reader.text[: reader.tokens[at].start][-1:]
    if before.isalnum() or before in ("_", "-"):
        return None, at + 1
    found = reader.read_period(at)
    if found is None:
        return None, at + 1
    return _make_period(found, reader=reader, at=at), found.end


def _make_period(found: _PeriodMatch, *, reader: "_PeriodReader", at: int) -> Period:
    start, end = reader.tokens[at].start, reader.tokens[found.end - 1].end
    first, last = found.doubtful or (at, found.end)
    return Period(
        span=found.span, said=reader.quote(at, end=found.end), start=start, end=end, unit=found.unit, edge=found.edge,
        doubt=found.doubt, nearest=found.ahead, is_ahead=found.span.start > reader.today,
        is_over=found.span.start > EARLIEST and found.span.end <= reader.today,
        doubtful=reader.quote(first, end=last), boundary=_find_boundary(found),
        is_between=found.is_between, in_year=found.point.in_year if found.point and not found.edge else None,
    )  # fmt: skip


def _find_boundary(found: _PeriodMatch) -> str:
    """Return which moment of a longer time a period is. Empty if more than that is doubtful."""
    point = found.point
    return point.boundary if point and not found.edge and found.doubt == point.loosely else ""


def _apply_edge(span: Span, *, edge: Edge, today: date) -> Span:
    """Return the days that an edge leaves of all: since, after, before or until these."""
    tomorrow = today + timedelta(days=1)
    match edge:
        case "since":
            return Span(span.start, tomorrow)
        case "after":
            return Span(span.end, tomorrow)
        case "before":
            return Span(EARLIEST, span.start)
        case "until":
            return Span(EARLIEST, span.end)
    return span


class _PeriodReader(PointReader):
    """Reads periods in a text, the longest at a place. In a comparison "to" makes no range: compare August to May."""

    def __init__(self, text: str, *, today: date) -> None:
        super().__init__(text, today=today)
        self.is_compared = any(one in text.lower() for one in _COMPARING)
        self.tomorrow = today + timedelta(days=1)

    def read_period(self, at: int) -> _PeriodMatch | None:
        """Read the longest period from a place on."""
        readers = (
            self._read_distances, self._read_to_date, self._read_rolling, self._read_range, self._read_bounded,
            self._read_as_of, self._read_alone,
        )  # fmt: skip
        found = [one for reader in readers if (one := reader(at)) is not None]
        return max(found, key=lambda one: one.end, default=None)

    def _read_alone(self, at: int) -> _PeriodMatch | None:
        """Read a point, which may be bounded by what follows: 3 November or later."""
        read = self.read(at)
        if read is None:
            return None
        point, after = read
        for size in (2, 1):
            if edge := _BEHIND.get(self._phrase(after, size)):
                return self._bound_point(point, edge=edge, end=after + size, doubtful=(at, after))
        alone = self._bound_point(point, edge="", end=after, doubtful=(at, after))
        return replace(alone, doubt=point.doubt or point.loosely)

    def _phrase(self, at: int, size: int) -> str:
        return " ".join(self.words[at : at + size])

    def _read_edge(self, at: int) -> tuple[Edge, int] | None:
        """Read the words before a point that bound by it, the longest first."""
        for size in range(_MAX_EDGE_WORDS, 0, -1):
            if edge := _EDGES.get(self._phrase(at, size)):
                return edge, at + size
        return None

    def _read_bounded(self, at: int) -> _PeriodMatch | None:
        """Read an edge and its point, and the other edge if it follows: after 3 and before 10 November."""
        edge = self._read_edge(at)
        read = self.read(edge[1]) if edge else None
        if edge is None or read is None:
            return None
        point, after = read
        first = self._bound_point(point, edge=edge[0], end=after, doubtful=(edge[1], after))
        if edge[0] in ("since", "after"):
            second = self._read_bounded(after + (self.word(after) in ("and", "but", ",")))
            if second is not None and second.edge in ("before", "until") and second.point is not None:
                return self._join(first, second)
            is_on = self.word(after) in ("onward", "onwards") or (self.word(after) == "on" and self.words[at] == "from")
            is_begun = self.word(after) in ("began", "begins", "started", "starts")
            if edge[0] == "since" and (is_on or is_begun):
                first = replace(first, end=after + 1)
            elif self._is_from_within(at, unit=point.unit):
                first = self._bound_point(point, edge="", end=after, doubtful=(at, after))
        return first

    def _is_from_within(self, at: int, *, unit: str) -> bool:
        """Return whether "from" says in which days, not since when: from last week, from yesterday; not from Monday."""
        named = self.word(at + 1) if self.word(at + 1) != "the" else self.word(at + 2)
        is_past = named == "yesterday" or (named in ("last", "previous", "this") and unit != "day")
        return self.words[at] == "from" and is_past

    def _read_as_of(self, at: int) -> _PeriodMatch | None:
        """Read as of a day other than today, which bounds what is done before it and what begins with it."""
        read = self.read(at + 2) if self._phrase(at, 2) == "as of" else None
        if read is None or read[0].span.start == self.today:
            return None
        point, end = read
        said = self.quote(at + 2, end=end)
        doubt = Doubt(f"Is 'as of {said}' until or since then?", (f"until {said}", f"since {said}"))
        return replace(self._bound_point(point, edge="", end=end, doubtful=(at, end)), doubt=point.doubt or doubt)

    def _bound_point(self, point: Point, *, edge: Edge, end: int, doubtful: tuple[int, int]) -> _PeriodMatch:
        """Apply an edge. A start or an end is a moment: before the end of October is in October."""
        doubt, day = point.doubt, point.span.start
        if edge and doubt is not None and doubt == point.loosely:
            doubt = Doubt(doubt.question)
        elif (edge, point.boundary) in (("since", "end"), ("until", "start")) and doubt is None:
            days = (day, day + timedelta(days=1)) if edge == "since" else (day - timedelta(days=1), day)
            question = f"Is that {edge} {write_day(days[0])} or {write_day(days[1])}?"
            doubt = Doubt(question, tuple(map(str, days)))
        edge = _OF_BOUNDARIES.get((edge, point.boundary), edge)
        return _PeriodMatch(
            span=_apply_edge(point.span, edge=edge, today=self.today), unit=point.unit, end=end, edge=edge, point=point,
            doubt=doubt, doubtful=doubtful, ahead=_find_ahead(point, edge=edge, today=self.today),
        )  # fmt: skip

    def _join(self, first: _PeriodMatch, second: _PeriodMatch) -> _PeriodMatch:
        """Return the days that two edges leave. The year that one point has is that of both."""
        assert first.point is not None  # noqa: S101 - for mypy
        assert second.point is not None  # noqa: S101 - for mypy
        return self._make_range(first.point, second.point, edges=(first.edge, second.edge), end=second.end)

    def _make_range(
        self, first: Point, last: Point, *, end: int, edges: tuple[Edge, Edge] = ("since", "until")
    ) -> _PeriodMatch:
        """Return the days between two points. The year that one of them has is that of both."""
        doubt = first.doubt or last.doubt
        doubt = Doubt(doubt.question) if doubt else None
        spans = (first.span, last.span) if doubt else _share_year(first, last, today=self.today)
        span, ahead = _join_spans(spans, edges=edges), None
        if doubt is None and span.start >= span.end:
            days = f"{write_day(spans[1].last)} is before {write_day(spans[0].start)}"
            doubt = Doubt(f"{days}, so that no days are between them. Which days do you mean?")
        elif first.in_year and last.in_year:
            ahead = _find_range_ahead(first.in_year, last.in_year, span=span, edges=edges, today=self.today)
        return _PeriodMatch(span=span, unit=first.unit, end=end, edge="range", doubt=doubt, ahead=ahead,
                            is_between=first.unit == last.unit)  # fmt: skip

    def _read_range(self, at: int) -> _PeriodMatch | None:
        """Read two points or days of a month: from 3 to 14 November, Nov 3-14, August to October."""
        lead = self.word(at)
        is_led = lead in ("from", "between", "since")
        begin = at + is_led
        for first, link in self._list_firsts(begin):
            word = self.word(link)
            is_linked = word in _TO or (word == "and" and lead == "between")
            is_linked = is_linked and (is_led or word != "to" or not self.is_compared)
            if not is_linked:
                continue
            behind = link + 1 + 2 * (self._phrase(link + 1, 2) == "and including")
            if found := self._read_last(first, at=behind):
                return found
        return None

    def _read_distances(self, at: int) -> _PeriodMatch | None:
        """Read two distances from today, of which the last has the unit or direction for both: 10 to 20 days ago."""
        lead = self.word(at)
        begin = at + (lead in ("from", "between", "since"))
        amount = self.read_amount(begin)
        if amount is None:
            return None
        unit = self.read_unit(amount[1])
        link = unit[2] + (self.word(unit[2]) == "ago") if unit else amount[1]
        last = self.read_distance(link + 1)
        is_linked = self.word(link) in _TO or (self.word(link) == "and" and lead == "between")
        is_other = unit[0] == "weekend" if unit else self.read_year_number(begin) is not None
        if last is None or not is_linked or is_other or (unit and self.is_compared and begin == at):
            return None
        far, end = last
        near = replace(far, amount=amount[0])
        if unit:
            near = replace(near, unit=unit[0], by=unit[1] if far.by > 0 else -unit[1])
        said = self.quote(begin, end=end)
        days = [self.find_day_at(one, said=said) for one in (near, far)]
        first, second = sorted(days, key=lambda one: one.span.start)
        if lead == "since":
            first = replace(first, doubt=first.doubt or Doubt(f"Since when is '{lead} {said}'?"))
        return self._make_range(first, second, end=end)

    def _list_firsts(self, at: int) -> Iterator[tuple[Point | int, int]]:
        """Yield what the first end of a range may be, with the place after it: a point, else the number of a day."""
        if read := self.read(at):
            yield read
        if number := self.read_day_number(at):
            yield number

    def _read_last(self, first: Point | int, *, at: int) -> _PeriodMatch | None:
        """Read the last end of a range. Of two days, one may have the month for both."""
        read, number = self.read(at), self.read_day_number(at)
        if isinstance(first, int):
            is_day = read is not None and read[0].unit == "day"
            return (
                self._make_range(self.in_month_of(read[0], day=first), read[0], end=read[1])
                if read and is_day
                else None
            )
        if read is not None:
            return self._make_range(first, read[0], end=read[1])
        if number is None or first.unit != "day" or self.word(number[1]) in UNITS:
            return None
        year = self.read_year_of(number[1])
        first = self.in_month_of(first, day=first.span.start.day, year=year[0] if year else None)
        last = self.in_month_of(first, day=number[0])
        return self._make_range(first, last, end=year[1] if year else number[1])

    def _read_rolling(self, at: int) -> _PeriodMatch | None:
        """Read units counted from today, or one behind over or within, and where that may be one of the calendar."""
        lead = self.word(at) if self.word(at) in _BEFORE_ROLLING else ""
        begin = at + bool(lead)
        which = self.skip_article(begin)
        which += self.word(which) == "most" and self.word(which + 1) == "recent"
        direction = -1 if self.word(which) in _BACK else 1 if self.word(which) in _AHEAD else 0
        counted = self.read_amount(which + 1)
        is_many = self.word(which + 1) in PLURALS
        amount, after = counted or (None if is_many else 1, which + 1)
        unit = self.read_unit(after) if direction else None
        if unit is None or unit[0] == "weekend" or self.word(unit[2]) in ("of", "before"):
            return None
        name, factor, end = unit
        said = self.quote(begin, end=end)
        if amount is None:
            doubt = Doubt(f"How many {self.words[end - 1]} are '{said}'?")
            return self._roll(0, unit=name, end=end, doubt=doubt, doubtful=(begin, end))
        word, is_one = self.word(which), counted is None
        if name == "quarter" and not is_one:
            choices = (f"last {3 * amount} months", self._name_quarters(amount))
            doubt = Doubt(f"Is '{said}' counted from today, or in quarters of the calendar?", choices)
            return self._roll(0, unit=name, end=end, doubt=doubt if direction < 0 else Doubt(f"When are '{said}'?"),
                              doubtful=(begin, end))  # fmt: skip
        if not is_one or self.words[after].startswith("fortnight"):
            return self._roll(direction * amount * factor, unit=name, end=end)
        if (word not in ("past", "coming") and not lead) or name == "day" or word == "previous":
            return None  # a unit of the calendar: last week
        if (
            name in ("week", "month", "year")
            and factor == 1
            and (word in ("past", "coming") or lead in ("within", "throughout"))
        ):
            return self._roll(direction, unit=name, end=end)
        way, days = "last" if direction < 0 else "next", "6 months" if factor > 1 else f"{_DAYS[name]} days"
        bare = f"{way} {self.quote(after, end=end)}"
        choices = (bare, f"{way} {days}")
        if lead in ("", "in", "during", "for") and which == begin and word not in ("past", "coming"):
            return None  # in last week
        doubt = Doubt(f"Is '{said}' the {bare} of the calendar, or counted from today?", choices)
        return self._roll(0, unit=name, end=end, doubt=doubt, doubtful=(begin, end))

    def _name_quarters(self, count: int) -> str:
        """Name the quarters before this one: Q2 2026 to Q3 2026."""
        days = [add_units(self.today, unit="quarter", by=-min(back, 99)) for back in (count, 1)]
        return " to ".join(f"Q{(day.month + 2) // 3} {day.year}" for day in days)

    def _roll(
        self, by: int, *, unit: str, end: int, doubt: Doubt | None = None, doubtful: tuple[int, int] | None = None
    ) -> _PeriodMatch:
        """Return the days from so many units ago until today, or from today until so many units ahead."""
        try:
            far = add_units(self.today, unit=unit, by=by)
        except (ValueError, OverflowError):
            far, doubt = self.today, Doubt("That is longer than the calendar.")
        span = Span(min(far, self.today), max(far + timedelta(days=1), self.tomorrow))
        return _PeriodMatch(span=span, unit=unit, end=end, edge="range", doubt=doubt, doubtful=doubtful)

    def _read_to_date(self, at: int) -> _PeriodMatch | None:
        """Read a unit up to today: year to date, YTD, this month so far, so far this month."""
        at = self.skip_article(at)
        unit, end = _TO_DATE.get(self.word(at), ""), at + 1
        if not unit and self.word(at) in UNITS and self._phrase(at + 1, 2) in ("to date", "so far"):
            unit, end = UNITS[self.word(at)], at + 3
        lead = 2 if self._phrase(at, 2) == "so far" else 0
        if not unit and self.word(at + lead) in ("this", "current") and self.word(at + lead + 1) in UNITS:
            is_cut = lead or self._phrase(at + 2, 2) in ("so far", "to date")
            unit, end = (UNITS[self.word(at + lead + 1)], at + 4) if is_cut else ("", 0)
        if not unit:
            return None
        return _PeriodMatch(
            span=Span(find_unit(self.today, unit=unit).start, self.tomorrow), unit=unit, end=end, edge="range"
        )


def _find_ahead(point: Point, *, edge: Edge, today: date) -> Span | None:
    """Return the same days ahead if they are nearer: those of a weekday, or of a month or day without a year."""
    if point.coming is not None:
        return _apply_edge(point.coming, edge=edge, today=today) if point.coming != point.span else None
    if point.in_year is None or point.unit not in ("day", "month"):
        return None
    try:
        ahead = point.in_year(point.span.start.year + 1)
    except ValueError:
        return None
    is_nearer = point.span.start <= today and abs(ahead.start - today) < abs(point.span.start - today)
    return _apply_edge(ahead, edge=edge, today=today) if is_nearer else None


def _find_range_ahead(
    first: Callable[[int], Span], last: Callable[[int], Span], *, span: Span, edges: tuple[Edge, Edge], today: date
) -> Span | None:
    """Return the same days of a later year if they are nearer than those that have begun."""
    years = span.last.year - span.start.year
    try:
        later = _join_spans((first(span.start.year + 1), last(span.start.year + 1 + years)), edges=edges)
    except ValueError:
        return None
    return later if span.end <= today and later.start - today < today - span.start else None


def _join_spans(spans: tuple[Span, Span], *, edges: tuple[Edge, Edge]) -> Span:
    start = spans[0].end if edges[0] == "after" else spans[0].start
    return Span(start, spans[1].start if edges[1] == "before" else spans[1].end)


def _share_year(first: Point, last: Point, *, today: date) -> tuple[Span, Span]:
    """
    Return the days of two points, one without a year in that of the other. Both without one have begun.

    What the other year does not have, as 29 February or week 53, stays in its own.
    """
    try:
        return _put_in_one_year(first, last, today=today)
    except ValueError:
        return first.span, last.span


def _put_in_one_year(first: Point, last: Point, *, today: date) -> tuple[Span, Span]:
    """Return the days of two points, one in the year of the other. Raises ValueError if it has no such days."""
    if first.in_year is not None and last.in_year is None:
        year = last.span.start.year
        start = first.in_year(year)
        return (start if start.start <= last.span.start else first.in_year(year - 1)), last.span
    if last.in_year is None:
        return first.span, last.span
    year = first.span.start.year
    end = last.in_year(year)
    is_other_month = end.start.month != first.span.start.month
    if end.start >= first.span.start or not is_other_month:
        return first.span, end
    later = last.in_year(year + 1)
    return first.span, later if first.in_year is None or later.start <= today else end
