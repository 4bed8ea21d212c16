"""Charts: drawn to scale, with names that cannot break out of them, and nothing where there is nothing."""

import re

import pytest

from sprints.charts import BLUE, GREEN, HEIGHT, Series, columns, dots, lines


def bars(svg: str) -> list[tuple[float, float]]:
    """Give the top and the height of each bar; the legend's squares are none."""
    found = re.findall(r'y="([\d.]+)" width="[\d.]+" height="([\d.]+)" fill="[^"]+" data-series', svg)
    return [(float(top), float(height)) for top, height in found]


def heights(svg: str) -> list[float]:
    return [height for _, height in bars(svg)]


def test_columns_are_as_high_as_their_numbers() -> None:
    svg = columns([Series(name="A", values=[1, 2, 4], color=BLUE)], labels=["x", "y", "z"], title="T")

    low, middle, high = heights(svg)
    assert [middle, high] == pytest.approx([2 * low, 4 * low], abs=0.2)


def test_what_is_below_zero_hangs_down_from_it() -> None:
    svg = columns([Series(name="A", values=[-5, 5], color=BLUE)], labels=["x", "y"], title="T")

    (first_top, first), (second_top, second) = bars(svg)
    assert first == pytest.approx(second)
    assert first_top == pytest.approx(second_top + second)


def test_a_line_falls_to_the_axis_where_nothing_is_left() -> None:
    svg = lines([Series(name="Left", values=[10, 5, 0], color=BLUE)], labels=["a", "b", "c"], title="T")

    found = re.search(r'points="([^"]+)"', svg)
    assert found is not None
    ys = [float(point.split(",")[1]) for point in found[1].split()]
    assert ys == sorted(ys)
    assert ys[1] == pytest.approx((ys[0] + ys[2]) / 2)
    assert max(ys) < HEIGHT


def test_lines_across_stand_at_round_numbers() -> None:
    svg = lines([Series(name="A", values=[0, 73.4], color=BLUE)], labels=["a", "b"], title="T")

    marks = re.findall(r'text-anchor="end">([\d,.-]+)<', svg)
    assert marks == ["0", "20", "40", "60", "80"]


def test_a_gap_is_no_zero() -> None:
    svg = lines([Series(name="A", values=[3, None, 3], color=GREEN, is_step=True)], labels=["a", "b", "c"], title="T")

    found = re.search(r'points="([^"]+)"', svg)
    assert found is not None
    assert len({point.split(",")[1] for point in found[1].split()}) == 1


def test_names_cannot_break_out() -> None:
    name = '"><script>alert(1)</script>'
    svg = columns([Series(name=name, values=[1], color=BLUE)], labels=[name], title=name)
    svg += dots([(0.5, 1.0, name)], ends=(name, name), guides=[], title=name)

    assert "<script" not in svg


def test_nothing_is_drawn_of_nothing() -> None:
    empty = [Series(name="A", values=[], color=BLUE)]

    assert lines(empty, labels=[], title="T") == columns(empty, labels=[], title="T") == ""
    assert dots([], ends=("", ""), guides=[], title="T") == ""
