"""Days and periods in a question; the calendar itself is the ground truth."""

from calendar import month_name, monthrange
from datetime import date, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sprints.linking.calendar import add_units
from sprints.linking.periods import find_periods

TODAY = date(2026, 11, 18)  # a Wednesday
WORDS = (
    "the", "of", "in", "from", "to", "and", "between", "since", "before", "after", "until", "last", "next", "past",
    "first", "second", "half", "week", "weeks", "day", "days", "month", "quarter", "year", "Friday", "November",
    "may", "-", ",", "3", "31", "99", "0", "2026", "9999", "2026-02-31", "10/11", "1.5.", "Q3", "H1", "W53", "end",
    "start", "mid", "ago", "before", "so", "far", "to", "date", "or", "later", "couple", "few", "fortnight",
    "weekend", "today", "yesterday",
)  # fmt: skip


@pytest.mark.parametrize(
    ("said", "first", "last"),
    [
        ("today", "2026-11-18", "2026-11-18"),
        ("yesterday", "2026-11-17", "2026-11-17"),
        ("this week", "2026-11-16", "2026-11-22"),
        ("last week", "2026-11-09", "2026-11-15"),
        ("last month", "2026-10-01", "2026-10-31"),
        ("next month", "2026-12-01", "2026-12-31"),
        ("last quarter", "2026-07-01", "2026-09-30"),
        ("this year", "2026-01-01", "2026-12-31"),
        ("in the last 30 days", "2026-10-19", "2026-11-18"),
        ("over the past two weeks", "2026-11-04", "2026-11-18"),
        ("in the last fortnight", "2026-11-04", "2026-11-18"),
        ("since March", "2026-03-01", "2026-11-18"),
        ("since December", "2025-12-01", "2026-11-18"),
        ("since 2026-01-15", "2026-01-15", "2026-11-18"),
        ("in March 2025", "2025-03-01", "2025-03-31"),
        ("in February 2024", "2024-02-01", "2024-02-29"),
        ("Q3 2025", "2025-07-01", "2025-09-30"),
        ("in Q4", "2026-10-01", "2026-12-31"),
        ("H1 2026", "2026-01-01", "2026-06-30"),
        ("2025", "2025-01-01", "2025-12-31"),
        ("between 1 May and 15 June 2026", "2026-05-01", "2026-06-15"),
        ("from August to October", "2026-08-01", "2026-10-31"),
        ("after 3 November", "2026-11-04", "2026-11-18"),
        ("before October", "1970-01-01", "2026-09-30"),
        ("year to date", "2026-01-01", "2026-11-18"),
        ("last Friday", "2026-11-13", "2026-11-13"),
        ("on Wednesday", "2026-11-18", "2026-11-18"),
        ("last Wednesday", "2026-11-11", "2026-11-11"),
        ("13.4.2026", "2026-04-13", "2026-04-13"),
        ("11/11/2025", "2025-11-11", "2025-11-11"),
        ("since the start of the year", "2026-01-01", "2026-11-18"),
        ("10 days ago", "2026-11-08", "2026-11-08"),
        ("10 to 20 days ago", "2026-10-29", "2026-11-08"),
        ("20-10 days ago", "2026-10-29", "2026-11-08"),
        ("from 1 to 2 months ago", "2026-09-18", "2026-10-18"),
        ("between one and two weeks ago", "2026-11-04", "2026-11-11"),
        ("a week to 10 days ago", "2026-11-08", "2026-11-11"),
        ("between 2 weeks ago and 1 week ago", "2026-11-04", "2026-11-11"),
        ("between 1 week ago and 2 weeks ago", "2026-11-04", "2026-11-11"),
        ("3 to 5 days from now", "2026-11-21", "2026-11-23"),
        ("from 2026 to 10 days ago", "2026-01-01", "2026-11-08"),
    ],
)
def test_a_period_is_its_days(said: str, first: str, last: str) -> None:
    [found] = find_periods(f"What was closed {said}?", today=TODAY)

    assert (str(found.span.start), str(found.span.last)) == (first, last)


@pytest.mark.parametrize(
    ("said", "first", "last"),
    [
        ("10 Nov", "2026-11-10", "2026-11-10"),
        ("Nov 10th", "2026-11-10", "2026-11-10"),
        ("on the 10th of November", "2026-11-10", "2026-11-10"),
        ("on the first of November", "2026-11-01", "2026-11-01"),
        ("on the twenty-first of October", "2026-10-21", "2026-10-21"),
        ("on Thursday, Nov 12", "2026-11-12", "2026-11-12"),
        ("on 10.11.", "2026-11-10", "2026-11-10"),
        ("on 13/11", "2026-11-13", "2026-11-13"),
        ("the day before yesterday", "2026-11-16", "2026-11-16"),
        ("this Friday", "2026-11-20", "2026-11-20"),
        ("a couple of weeks ago", "2026-11-04", "2026-11-04"),
        ("in may", "2026-05-01", "2026-05-31"),
        ("last October", "2026-10-01", "2026-10-31"),
        ("next March", "2027-03-01", "2027-03-31"),
        ("in October last year", "2025-10-01", "2025-10-31"),
        ("in Q3 of last year", "2025-07-01", "2025-09-30"),
        ("in the third quarter", "2026-07-01", "2026-09-30"),
        ("in the last quarter of 2025", "2025-10-01", "2025-12-31"),
        ("in Q3'25", "2025-07-01", "2025-09-30"),
        ("in Nov '25", "2025-11-01", "2025-11-30"),
        ("in H2 2025", "2025-07-01", "2025-12-31"),
        ("in the previous half-year", "2026-01-01", "2026-06-30"),
        ("in week 46", "2026-11-09", "2026-11-15"),
        ("in CW46 of 2025", "2025-11-10", "2025-11-16"),
        ("in 2026-W01", "2025-12-29", "2026-01-04"),
        ("in the week of 5 November", "2026-11-02", "2026-11-08"),
        ("in the week before last", "2026-11-02", "2026-11-08"),
        ("last weekend", "2026-11-14", "2026-11-15"),
        ("in the first week of November", "2026-11-01", "2026-11-07"),
        ("in the second half of October", "2026-10-16", "2026-10-31"),
        ("in the second half of 2025", "2025-07-01", "2025-12-31"),
        ("in the first half of the year", "2026-01-01", "2026-06-30"),
        ("in the last two weeks of October", "2026-10-18", "2026-10-31"),
        ("in the first 10 days of November", "2026-11-01", "2026-11-10"),
        ("in the third month of Q3", "2026-09-01", "2026-09-30"),
        ("on the last Friday of October", "2026-10-30", "2026-10-30"),
        ("on the first weekend of November", "2026-11-07", "2026-11-08"),
        ("since the beginning of October", "2026-10-01", "2026-11-18"),
        ("since mid-October", "2026-10-15", "2026-11-18"),
        ("by the end of August", "1970-01-01", "2026-08-31"),
        ("until end of august", "1970-01-01", "2026-08-31"),
        ("since October began", "2026-10-01", "2026-11-18"),
        ("within the next two weeks", "2026-11-18", "2026-12-02"),
        ("over the last couple of weeks", "2026-11-04", "2026-11-18"),
        ("in the past week", "2026-11-11", "2026-11-18"),
        ("within the last month", "2026-10-18", "2026-11-18"),
        ("in the past fortnight", "2026-11-04", "2026-11-18"),
        ("this month so far", "2026-11-01", "2026-11-18"),
        ("so far this quarter", "2026-10-01", "2026-11-18"),
        ("month to date", "2026-11-01", "2026-11-18"),
        ("on 2026/11/10", "2026-11-10", "2026-11-10"),
        ("on 2026.11.10", "2026-11-10", "2026-11-10"),
        ("before the end of the year", "1970-01-01", "2026-12-31"),
        ("after the start of October", "2026-10-01", "2026-11-18"),
        ("10-14 Nov", "2026-11-10", "2026-11-14"),
        ("10\u201314 November", "2026-11-10", "2026-11-14"),
        ("Nov 10-14, 2025", "2025-11-10", "2025-11-14"),
        ("from 3 to 25 Nov", "2026-11-03", "2026-11-25"),
        ("between Nov 3 and Nov 14", "2026-11-03", "2026-11-14"),
        ("between Monday the 2nd and Friday the 6th of November", "2026-11-02", "2026-11-06"),
        ("Nov 3 - Nov 14", "2026-11-03", "2026-11-14"),
        ("2026-11-03 - 2026-11-14", "2026-11-03", "2026-11-14"),
        ("August to October", "2026-08-01", "2026-10-31"),
        ("Aug-Oct 2025", "2025-08-01", "2025-10-31"),
        ("from August through October", "2026-08-01", "2026-10-31"),
        ("since August until October", "2026-08-01", "2026-10-31"),
        ("from August up to and including October", "2026-08-01", "2026-10-31"),
        ("from December to February", "2025-12-01", "2026-02-28"),
        ("from November to Feb 2026", "2025-11-01", "2026-02-28"),
        ("after 3 November and before 10 November", "2026-11-04", "2026-11-09"),
        ("since 3 Nov but before 10 Nov", "2026-11-03", "2026-11-09"),
        ("no later than 10 Nov", "1970-01-01", "2026-11-10"),
        ("later than 10 Nov", "2026-11-11", "2026-11-18"),
        ("earlier than 10 Nov", "1970-01-01", "2026-11-09"),
        ("on or after 3 Nov", "2026-11-03", "2026-11-18"),
        ("3 November or later", "2026-11-03", "2026-11-18"),
        ("10 Nov or earlier", "1970-01-01", "2026-11-10"),
        ("up to and including 10 Nov", "1970-01-01", "2026-11-10"),
        ("from October onwards", "2026-10-01", "2026-11-18"),
    ],
)
def test_an_expression_of_the_calendar_is_its_days(said: str, first: str, last: str) -> None:
    [found] = find_periods(f"What was closed {said}?", today=TODAY)

    assert (found.doubt, str(found.span.start), str(found.span.last)) == (None, first, last)


@pytest.mark.parametrize(
    ("said", "choices"),
    [
        ("since 10/11", ("2026-11-10", "2026-10-11")),
        ("in early October", ("1 October 2026", "1-7 October 2026", "1-10 October 2026")),
        ("in the last week", ("last week", "last 7 days")),
        ("in the last two quarters", ("last 6 months", "Q2 2026 to Q3 2026")),
        ("next Friday", ("2026-11-20", "2026-11-27")),
        ("next weekend", ("21-22 November 2026", "28-29 November 2026")),
        ("in the 5th week of 2026", ("week 5 of 2026", "between 29 January 2026 and 4 February 2026")),
        ("since the end of October", ("2026-10-31", "2026-11-01")),
        ("as of 1 November", ("until 1 November", "since 1 November")),
        ("since late September", ()),
        ("between late September and early October", ()),
        ("in the last weeks", ()),
        ("in the last few weeks", ()),
        ("a few days ago", ()),
        ("a few to 20 days ago", ()),
        ("since 10 to 20 days ago", ()),
    ],
)
def test_days_that_are_not_certain_are_asked_back_and_their_choices_are_certain(
    said: str, choices: tuple[str, ...]
) -> None:
    text = f"What was closed {said}?"
    [found] = find_periods(text, today=TODAY)

    assert found.doubt is not None, found
    assert found.doubt.choices == choices
    for choice in choices:
        [chosen] = find_periods(text.replace(found.doubtful, choice), today=TODAY)
        assert chosen.doubt is None, choice


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("on 31 Nov", "no 31 November"),
        ("on 30 February 2026", "no 30 February 2026"),
        ("on 99/99/2026", "no 99/99/2026"),
        ("9999 years ago", "no day 9999 years ago"),
        ("in the last 9999 years", "longer than the calendar"),
        ("in week 54", "no such week"),
        ("between 14 Nov and 3 Nov", "3 November 2026 is before 14 November 2026"),
        ("from 14 to 3 Nov", "3 November 2026 is before 14 November 2026"),
        ("from October to August", "31 August 2026 is before 1 October 2026"),
        ("on Monday, 10 November", "10 November 2026 is a Tuesday"),
    ],
)
def test_days_that_do_not_exist_are_refused_in_words(said: str, why: str) -> None:
    [found] = find_periods(f"What was closed {said}?", today=TODAY)

    assert found.doubt is not None
    assert why in found.doubt.question


@pytest.mark.parametrize(
    ("said", "first", "last"),
    [
        ("by Friday", "1970-01-01", "2026-11-20"),
        ("on Monday", "2026-11-23", "2026-11-23"),
        ("in December", "2026-12-01", "2026-12-31"),
        ("from 25 Nov to 3 Dec", "2026-11-25", "2026-12-03"),
    ],
)
def test_the_same_days_ahead_are_known_where_they_are_nearer(said: str, first: str, last: str) -> None:
    [found] = find_periods(f"due {said}", today=TODAY)

    assert found.nearest is not None
    assert (str(found.nearest.start), str(found.nearest.last)) == (first, last)


@pytest.mark.parametrize(
    "said", ["5 to 8 points", "between 5 and 8 points", "sprint 7 to 9", "Compare August to October"]
)
def test_numbers_and_comparisons_are_no_range(said: str) -> None:
    assert all(found.edge != "range" for found in find_periods(said, today=TODAY))


@pytest.mark.parametrize(
    "said", ["what may happen", "30 February 2026", "99/99/2026", "2026-13-45", "sprint 2025x", ""]
)
def test_what_is_no_day_is_no_period(said: str) -> None:
    assert [one for one in find_periods(said, today=TODAY) if one.unit == "day"] == []


def test_a_day_that_the_shorter_month_lacks_becomes_its_last() -> None:
    assert add_units(date(2024, 3, 31), unit="month", by=-1) == date(2024, 2, 29)


def test_today_is_a_value() -> None:
    [found] = find_periods("last month", today=date(2020, 1, 31))

    assert (found.span.start, found.span.last) == (date(2019, 12, 1), date(2019, 12, 31))


DAYS = st.dates(min_value=date(2001, 1, 1), max_value=date(2090, 12, 31))


@given(day=DAYS, other=DAYS)
def test_every_range_of_two_days_is_those_days_or_refused(day: date, other: date) -> None:
    """Dates of the standard library are the truth."""
    [found] = find_periods(f"from {day:%-d %B %Y} to {other.isoformat()}", today=TODAY)

    if day > other:
        assert found.doubt is not None
    else:
        assert (found.doubt, found.span.start, found.span.last) == (None, day, other)


@given(today=DAYS, month=st.integers(1, 12), day=st.integers(0, 32))
def test_a_day_without_a_year_is_the_latest_that_has_begun(today: date, month: int, day: int) -> None:
    [found] = find_periods(f"on {day} {month_name[month]}" if day else f"in {month_name[month]}", today=today)

    years = [year for year in range(today.year, today.year - 9, -1) if day <= monthrange(year, month)[1]]
    latest = next((one for year in years if (one := date(year, month, day or 1)) <= today), None)
    assert found.doubt is not None if latest is None else found.span.start == latest


@given(today=DAYS, count=st.integers(1, 60), unit=st.sampled_from(["day", "week", "month", "year"]))
def test_the_last_units_end_today_and_the_next_begin_today(today: date, count: int, unit: str) -> None:
    [back] = find_periods(f"in the last {count + 1} {unit}s", today=today)
    [ahead] = find_periods(f"in the next {count + 1} {unit}s", today=today)

    assert (back.span.start, back.span.last) == (_add_units(today, unit=unit, by=-count - 1), today)
    assert (ahead.span.start, ahead.span.last) == (today, _add_units(today, unit=unit, by=count + 1))


def _add_units(day: date, *, unit: str, by: int) -> date:
    if unit in ("day", "week"):
        return day + timedelta(days=by * (7 if unit == "week" else 1))
    months = day.year * 12 + day.month - 1 + by * (12 if unit == "year" else 1)
    year, month = months // 12, months % 12 + 1
    return date(year, month, min(day.day, monthrange(year, month)[1]))


@example(today=date(2001, 1, 1), words=["Friday", "-", "W53"])
@given(today=DAYS, words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=9))
def test_no_text_of_words_of_time_crashes_or_has_days_without_order(today: date, words: list[str]) -> None:
    text = " ".join(words)

    for found in find_periods(text, today=today):
        assert text[found.start : found.end] == found.said
        assert found.doubt is not None or found.edge in ("since", "after") or found.span.start < found.span.end
