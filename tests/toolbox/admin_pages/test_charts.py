"""Charts: drawn to scale, with names that cannot break out of them, and nothing where there is nothing."""

import re

import pytest

from toolbox.admin_pages.charts import BLUE, GREEN, HEIGHT, Dot, Series, bars, columns, dots, evenly, lines


def read_bars(svg: str) -> list[tuple[float, float]]:
    """Return the top and height of each bar, without the legend's squares."""
    found = re.findall(r'y="([\d.]+)" width="[\d.]+" height="([\d.]+)" fill="[^"]+" data-series', svg)
    return [(float(top), float(height)) for top, height in found]


def heights(svg: str) -> list[float]:
    return [height for _, height in read_bars(svg)]


def test_columns_are_as_high_as_their_numbers() -> None:
    svg = columns([Series(name="A", values=[1, 2, 4], color=BLUE)], labels=["x", "y", "z"], title="T")

    low, middle, high = heights(svg)
    assert [middle, high] == pytest.approx([2 * low, 4 * low], abs=0.2)


def test_what_is_below_zero_hangs_down_from_it() -> None:
    svg = columns([Series(name="A", values=[-5, 5], color=BLUE)], labels=["x", "y"], title="T")

    (first_top, first), (second_top, second) = read_bars(svg)
    assert first == pytest.approx(second)
    assert first_top == pytest.approx(second_top + second)


def test_a_line_falls_to_the_axis_where_nothing_is_left() -> None:
    svg = lines([Series(name="Left", values=[10, 5, 0], color=BLUE)], marks=evenly(["a", "b", "c"]), title="T")

    found = re.search(r'points="([^"]+)"', svg)
    assert found is not None
    ys = [float(point.split(",")[1]) for point in found[1].split()]
    assert ys == sorted(ys)
    assert ys[1] == pytest.approx((ys[0] + ys[2]) / 2)
    assert max(ys) < HEIGHT


def test_lines_across_stand_at_round_numbers() -> None:
    svg = lines([Series(name="A", values=[0, 73.4], color=BLUE)], marks=evenly(["a", "b"]), title="T")

    marks = re.findall(r'text-anchor="end">([\d,.-]+)<', svg)
    assert marks == ["0", "20", "40", "60", "80"]


def test_a_gap_is_no_zero() -> None:
    svg = lines(
        [Series(name="A", values=[3, None, 3], color=GREEN, is_step=True)], marks=evenly(["a", "b", "c"]), title="T"
    )

    found = re.search(r'points="([^"]+)"', svg)
    assert found is not None
    assert len({point.split(",")[1] for point in found[1].split()}) == 1


def test_names_cannot_break_out() -> None:
    name = '"><script>alert(1)</script>'
    svg = columns([Series(name=name, values=[1], color=BLUE)], labels=[name], title=name)
    svg += dots([Dot(place=0.5, value=1.0, words=name)], marks=[(0.5, name)], guides=[], title=name)

    assert "<script" not in svg


def test_nothing_is_drawn_of_nothing() -> None:
    empty = [Series(name="A", values=[], color=BLUE)]

    assert lines(empty, marks=[], title="T") == columns(empty, labels=[], title="T") == ""
    assert dots([], marks=[], guides=[], title="T") == bars(empty, labels=[], title="T") == ""


def test_groups_of_bars_stand_by_their_sum_and_the_smallest_are_left_out() -> None:
    labels = [f"label {number}" for number in range(15)]
    series = [
        Series(name="A", values=list(range(15)), color=BLUE),
        Series(name="B", values=[100, *[1] * 14], color=GREEN),
    ]

    svg = bars(series, labels=labels, title="T")

    told = re.findall(r"<title>(label \d+), (\w): ([\d.]+)</title>", svg)
    assert told[:3] == [("label 0", "B", "100"), ("label 14", "A", "14"), ("label 14", "B", "1")]
    assert {label for label, _, _ in told} == {"label 0", *labels[4:]}


def test_a_filled_line_ends_at_zero_and_a_cursor_stands_at_its_place() -> None:
    fall = Series(name="Fall", values=[0, -10, -4], places=[0, 0.9, 1], color=BLUE, is_filled=True)

    svg = lines([fall], marks=evenly(["a", "b"]), title="T", at=0.9)

    found = re.search(r'points="([^"]+)"', svg)
    cursor = re.search(r'class="cursor" x1="([^"]+)"', svg)
    assert found is not None
    assert cursor is not None
    points = [point.split(",") for point in found[1].split()]
    assert points[0] == points[1]
    assert points[0][1] == points[-1][1]
    assert max(float(y) for _, y in points) == float(points[2][1])
    assert cursor[1] == points[2][0]


@pytest.mark.parametrize("values", [[7], [None, None, 7], [7, None]])
def test_a_line_of_one_value_is_a_dot(values: list[float | None]) -> None:
    svg = lines([Series(name="A", values=values, color=BLUE)], marks=evenly(["x"] * len(values)), title="T")
    assert (svg.count("<circle"), "<title>A: 7</title>" in svg) == (1, True)
