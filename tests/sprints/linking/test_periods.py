"""Days and periods in a question; the calendar itself is the ground truth."""

from datetime import date

import pytest

from sprints.linking.calendar import add_units
from sprints.linking.periods import find_periods

TODAY = date(2026, 11, 18)  # a Wednesday


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
        ("in the last fortnight", "2026-11-02", "2026-11-15"),
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
    ],
)
def test_a_period_is_its_days(said: str, first: str, last: str) -> None:
    [found] = find_periods(f"What was closed {said}?", today=TODAY)

    assert (str(found.span.start), str(found.span.last)) == (first, last)


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
