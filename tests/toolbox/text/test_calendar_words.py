"""Months, days and seasons are found in a text as people write them."""

from datetime import date

import pytest

from toolbox.text.calendar_words import days, months, seasons

KNOWN = [date(2024, 2, 1), date(2024, 10, 1), date(2025, 2, 1), date(2025, 3, 1), date(2025, 5, 1)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("in February 2025?", ["2025-02"]),
        ("feb 2025", ["2025-02"]),
        ("Febuary of 2025", ["2025-02"]),
        ("in Feb. '25", ["2025-02"]),
        ("during 2025-02", ["2025-02"]),
        ("in october", ["2024-10"]),
        ("in February", ["2025-02", "2024-02"]),
        ("in july", []),
        ("in July 1999", ["1999-07"]),
        ("February and March 2025", ["2025-02", "2025-03"]),
        ("it may be in May", ["2025-05"]),
        ("they march on", []),
        ("on February 1, 2025", []),
        ("2025-02-01", []),
    ],
)
def test_months(text: str, value: list[str]) -> None:
    assert [one.value for one in months(text, known=KNOWN)] == value


def test_a_month_has_its_days() -> None:
    leap = months("February 2024", known=())[0]

    assert (leap.label, dict(leap.parts)) == ("February 2024", {"start": "2024-02-01", "end": "2024-02-29"})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("on 2025-02-01", ["2025-02-01"]),
        ("on February 1, 2025", ["2025-02-01"]),
        ("1st of February 2025", ["2025-02-01"]),
        ("3 march", ["2025-03-03"]),
        ("feb 29", ["2024-02-29"]),
        ("between February 1 and March 15, 2025", ["2025-02-01", "2025-03-15"]),
        ("in February 2025", []),
        ("2025-02-31", []),
        ("February 40", []),
    ],
)
def test_days(text: str, value: list[str]) -> None:
    assert [one.value for one in days(text, known=KNOWN)] == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("in 2023-2024", ["2023-2024"]),
        ("the 2023-24 season", ["2023-2024"]),
        ("2023/24", ["2023-2024"]),
        ("this season", ["2024-2025"]),
        ("2023-2025", []),
        ("2023-02-01", []),
        ("a season ago", []),
    ],
)
def test_seasons(text: str, value: list[str]) -> None:
    assert [one.value for one in seasons(text, known=["2022-2023", "2024-2025"])] == value
