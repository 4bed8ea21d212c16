"""Rows put into words and charts by rule."""

from typing import Any

from console.tools.line_chart import draw_lines
from sprints.asking.charts import make_chart
from sprints.asking.explanations import describe_rows
from sprints.contracts import QueryResult


def result(*rows: dict[str, Any], error: str | None = None) -> QueryResult:
    return QueryResult(rows=list(rows), count=len(rows), runtime_ms=1.0, error=error)


def test_one_value_is_a_sentence() -> None:
    assert describe_rows(result({"open_issues": 12345})) == "open issues: 12,345."


def test_a_year_is_written_as_a_year() -> None:
    assert describe_rows(result({"year": 2026, "issues": 8})) == "year 2026, issues 8."


def test_one_row_is_its_names_and_numbers() -> None:
    assert describe_rows(result({"team_key": "ACCEL", "average_points": 41})) == "ACCEL: average points 41."


def test_rows_are_counted_and_shown_and_summed_where_that_means_something() -> None:
    rows = [{"priority": f"p{number}", "open_issues": number} for number in range(5)]
    shown = "5 rows. The first 3: p0: open issues 0; p1: open issues 1; p2: open issues 2."

    assert describe_rows(result(*rows), total_of="open_issues") == f"{shown} Open issues in all: 10."
    assert describe_rows(result(*rows)) == shown


def test_rows_that_are_left_out_are_said() -> None:
    whole = result({"issue_key": "A-1"})

    assert describe_rows(whole.model_copy(update={"count": 5})) == "issue key: A-1. More rows were left out."
    assert describe_rows(whole.model_copy(update={"truncated": True})) == "issue key: A-1. More rows were left out."
    assert describe_rows(whole.model_copy(update={"notes": ["LIMIT 1 was set."]})) == "issue key: A-1. LIMIT 1 was set."


def test_rows_that_are_only_a_part_have_no_total() -> None:
    rows = [{"team": "ACCEL", "points": 5}, {"team": "ORBIT", "points": 6}]

    for left_out in ({"truncated": True}, {"count": 9}):
        said = describe_rows(result(*rows).model_copy(update=left_out), total_of="points")
        assert said == "2 rows. ACCEL: points 5; ORBIT: points 6. More rows were left out."


def test_the_last_of_many_columns_is_said_because_it_was_asked_for() -> None:
    row = {"issue": "A-1", "title": "Map", "type": "Bug", "status": "QA", "priority": "p1", "assignee": "Zoë"}
    rows = [row | {"status_since": f"2026-11-0{day}"} for day in (1, 2)]

    assert describe_rows(result(*rows)) == (
        "2 rows. A-1, Map, Bug, QA, Zoë: status since 2026-11-01; A-1, Map, Bug, QA, Zoë: status since 2026-11-02."
    )


def test_a_group_without_a_name_is_said() -> None:
    rows: list[dict[str, Any]] = [{"label": None, "issues": 29}, {"label": "ux", "issues": 16}]

    assert describe_rows(result(*rows)) == "2 rows. no label: issues 29; ux: issues 16."


def test_rows_of_different_keys_are_said() -> None:
    assert describe_rows(result({}, {"points": 1}, {"team": "A", "points": None})) == (
        "3 rows. an empty row; points: 1; A: no points."
    )


def test_a_number_that_is_not_known_is_said_to_be_missing() -> None:
    assert describe_rows(result({"team": "ACCEL", "velocity": None})) == "ACCEL: no velocity."
    assert describe_rows(result({"velocity": None, "sprints": 0})) == "no velocity, sprints 0."


def test_decimals_sum_to_what_a_reader_of_the_rows_gets() -> None:
    rows: list[dict[str, Any]] = [
        {"team": "A", "points": 0.1},
        {"team": "B", "points": 0.2},
        {"team": "C", "points": None},
    ]
    assert describe_rows(result(*rows), total_of="points").endswith("Points in all: 0.3.")

    rows = [{"team": "ACCEL", "points": 10.5}, {"team": "ORBIT", "points": -0.5}]
    assert describe_rows(result(*rows), total_of="points").endswith("Points in all: 10.")


def test_years_are_lines_over_time_and_written_as_years() -> None:
    rows = [{"year": "2025", "issues": 3}, {"year": "2026", "issues": 8}]

    chart = make_chart(rows)
    assert chart is not None
    assert (chart["mark"]["type"], chart["encoding"]["x"]["type"]) == ("line", "temporal")
    drawn = draw_lines(chart)
    assert drawn is not None
    assert drawn.days == ("2025", "2026")
    assert [point.title for point in drawn.series[0].points] == ["2025: 3", "2026: 8"]


def test_no_row_and_an_error_are_said() -> None:
    assert describe_rows(result()) == "No rows match the question."
    assert (
        describe_rows(result(error="column x does not exist"))
        == "The statement could not be run: column x does not exist"
    )


def test_rows_that_are_there_and_not_given_are_not_said_to_be_none() -> None:
    assert (
        describe_rows(result().model_copy(update={"count": 12345}))
        == "12,345 rows were found, but the result holds no row."
    )
    assert describe_rows(result().model_copy(update={"truncated": True})) == "No row is given; rows were left out."


def test_one_row_is_said_in_full() -> None:
    sprint = {
        "team": "ACCEL",
        "sprint": "S 9",
        "state": "active",
        "start": "2026-11-09",
        "end": "2026-11-20",
        "goal": "G",
    }
    numbers = {f"n{number}": number for number in range(50)}

    assert describe_rows(result(sprint)) == "ACCEL, S 9, active, G: start 2026-11-09, end 2026-11-20."
    assert describe_rows(result(numbers)).endswith("n18 18, n19 19, and 30 more columns.")


def test_numbers_over_days_are_a_line_for_each_series() -> None:
    rows = [{"team_key": team, "day": f"2026-11-0{day}", "remaining_points": day} for team in "AB" for day in (1, 2)]

    found = make_chart(rows)

    assert found is not None
    assert found["mark"]["type"] == "line"
    assert {name: part["field"] for name, part in found["encoding"].items()} == {
        "x": "day", "y": "remaining_points", "color": "team_key",
    }  # fmt: skip
    assert found["data"]["values"] == [
        {"day": row["day"], "remaining_points": row["remaining_points"], "team_key": row["team_key"]} for row in rows
    ]


def test_numbers_by_name_are_bars() -> None:
    found = make_chart([{"priority": "p0", "open_issues": 1}, {"priority": "p1", "open_issues": 2}])

    assert found is not None
    assert (found["mark"]["type"], found["encoding"]["x"]["field"]) == ("bar", "priority")


def test_rows_without_numbers_or_alone_are_no_chart() -> None:
    assert make_chart([{"issue_key": "A-1"}, {"issue_key": "A-2"}]) is None
    assert make_chart([{"team_key": "A", "points": 1}]) is None
    assert make_chart([]) is None


def test_a_column_whose_name_is_an_expression_is_not_charted() -> None:
    assert make_chart([{"a": "x", "datum['y']": 1}, {"a": "z", "datum['y']": 2}]) is None
