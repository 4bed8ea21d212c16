"""Numbers of a text are those of the data that it speaks of, or follow from them by the listed operations."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolbox.text.numbers import KnownNumbers, list_numbers

TEAMS = {"rows": [{"team": "ACCEL", "points": 41.5}, {"team": "ORBIT", "points": 30}]}
ISSUES = [
    {"key": "ACCEL-101", "status": "Done", "points": 3, "logged": "1:30"},
    {"key": "ACCEL-102", "status": "Done", "points": 5, "logged": "0:20"},
    {"key": "ACCEL-103", "status": "Open", "points": 8, "logged": "2:45"},
]
GAMES = [{"team": "CAR", "won": 21}, {"team": "CAR", "won": 25}]


def know(*data: object, texts: tuple[str, ...] = ()) -> KnownNumbers:
    known = KnownNumbers()
    for part in data:
        known.add_data(part)
    for text in texts:
        known.add_text(text)
    return known


@pytest.mark.parametrize(
    ("text", "unfounded"),
    [
        ("ACCEL completes 41.5 points, ORBIT 30.", ()),
        ("Together 2 teams complete 71.5 points, 35.75 on average, 11.5 apart.", ()),
        ("ACCEL completes about 42 points.", ()),
        ("ACCEL completes 45 points.", ("45",)),
        ("In sprint 7 ORBIT completed 30 of 1,200 points.", ("1,200",)),
        ("ORBIT completes 42 % of all points, and 28% less than ACCEL.", ()),
        ("ORBIT completes 43 % of all points.", ("43 %",)),
        ("Nothing was completed.", ()),
        ("1. ACCEL: 41.5\n2. ORBIT: 30\n", ()),
        ("It is\n17. That is all.", ("17",)),
        ("0 points were completed.", ("0",)),
        ("OAuth2 and p0 are words.", ()),
        ("ACCEL completes \N{CJK UNIFIED IDEOGRAPH-7B2C}45\N{CJK UNIFIED IDEOGRAPH-8282}.", ("45",)),
        ("ORBIT is 2nd, ACCEL is 5th.", ("5th",)),
        ("Four teams play.", ("Four",)),
        ("Both of the two teams play, in one league.", ()),
        ("ACCEL completes \N{MINUS SIGN}41.5 points.", ()),
    ],
)
def test_numbers_of_a_text_come_from_the_rows_or_the_question(text: str, unfounded: tuple[str, ...]) -> None:
    assert know(TEAMS, texts=("points in sprint 7",)).find_unfounded(text) == unfounded


@pytest.mark.parametrize(
    ("text", "unfounded"),
    [
        ("2 of 3 issues are done, with 8 points of 16; 5.33 on average, 4 among those done.", ()),
        ("Two issues are done, 67 %.", ()),
        ("Half of the points are done: 50%.", ()),
        ("ACCEL-102 is done; 0:20 was logged.", ()),
        ("ACCEL-104 is open.", ("ACCEL-104",)),
        ("ACCEL-101 is done; 101 are.", ("101",)),
        ("Two issues are done, 61 %.", ("61 %",)),
    ],
)
def test_rows_are_counted_and_added_by_what_they_share(text: str, unfounded: tuple[str, ...]) -> None:
    assert know(ISSUES).find_unfounded(text) == unfounded


@pytest.mark.parametrize(
    ("text", "unfounded"),
    [
        ("On February 5, 2025, in season 2024/25.", ()),
        ("On 5 Feb, at 2025-02-05, in 2025.", ()),
        ("On Feb. 6th; 5 games, 2 goals.", ("Feb. 6th", "5", "2")),
        ("5 February 2024, in 2024-25 and 2023-24.", ("5 February 2024", "2023-24")),
    ],
)
def test_days_are_no_numbers(text: str, unfounded: tuple[str, ...]) -> None:
    assert know({"date": "2025-02-05T19:00:00Z", "season": "2024-2025"}).find_unfounded(text) == unfounded


def test_answers_of_several_calls_are_compared() -> None:
    known = know({"rows": GAMES[:1]}, {"rows": GAMES[1:]})

    assert known.find_unfounded("25 in March, 4 more than the 21 in February, 46 together, 19 % more.") == ()
    assert known.find_unfounded("47 together.") == ("47",)


def test_a_column_of_many_numbers_gives_no_differences() -> None:
    known = know([{"id": number * number} for number in range(1, 40)])

    assert known.find_unfounded("1521 is 77 more than 1444.") == ("77",)


@pytest.mark.parametrize(
    ("text", "unfounded"), [("about 41,000", ()), ("41,000", ("41,000",)), ("41.2k", ()), ("41.3k", ("41.3k",))]
)
def test_rounding_says_so(text: str, unfounded: tuple[str, ...]) -> None:
    assert know({"events": 41_237}).find_unfounded(text) == unfounded


def test_an_empty_list_gives_zero_alone() -> None:
    assert know({"rows": []}).find_unfounded("0 rows, not 1 row.") == ("1",)


@given(
    st.text(max_size=200), st.recursive(st.none() | st.floats() | st.integers() | st.text(), st.lists, max_leaves=20)
)
def test_any_text_and_data_are_read(text: str, data: object) -> None:
    known = know(data, texts=(text,))

    assert known.find_unfounded(text) == ()


def test_numbers_are_read_as_they_are_written() -> None:
    read = [(number.written, number.value) for number in list_numbers("~1.5 million, -3, 12%, twenty, v2, 1,000.50")]

    assert read == [
        ("1.5 million", Decimal(1_500_000)),
        ("-3", Decimal(-3)),
        ("12%", Decimal(12)),
        ("twenty", Decimal(20)),
        ("1,000.50", Decimal("1000.50")),
    ]


@pytest.mark.parametrize(
    "text", ["A" * 200_000, "1" * 200_000, "1-" * 100_000, "1," * 100_000, "about " * 50_000, "1:" * 100_000]
)
def test_long_texts_are_read_in_linear_time(text: str) -> None:
    known = know({"count": 1}, {"far": "1e999999"})

    assert all(len(written) <= len(text) for written in known.find_unfounded(text))
