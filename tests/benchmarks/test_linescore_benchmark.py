"""The benchmark measures what it says: ten seasons, and the same work asked of every contender."""

import json

import pytest
from django.db import connection

from benchmarks.load import Loaded, load_ten_seasons
from benchmarks.peers import toolbox_arguments, toolbox_configuration
from benchmarks.questions import PATTERN_1
from benchmarks.scratch import Scratch
from benchmarks.throughput import Load, middle


@pytest.mark.slow
def test_ten_seasons_are_the_shipped_one_ten_times(scratch_database: None) -> None:
    loaded = load_ten_seasons()

    # 1,312 games of 4,284 periods were played in 2024-25; a period has a result for each of the two teams.
    assert loaded == Loaded(games=13_120, periods=42_840, results=85_680)


@pytest.mark.slow
def test_the_copies_are_a_year_apart_and_ended_alike(scratch_database: None) -> None:
    load_ten_seasons()

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT season, min(game_date), max(game_date), count(*), count(*) FILTER (WHERE period_outcome = 'WIN')"
            " FROM linescore_period_results GROUP BY season ORDER BY season DESC"
        )
        seasons = cursor.fetchall()
    assert [row[0] for row in seasons] == [f"{year}-{year + 1}" for year in range(2024, 2014, -1)]
    assert {(row[1].month, row[1].day, row[2].month, row[2].day) for row in seasons} == {(10, 4, 4, 17)}
    assert [row[1].year for row in seasons] == list(range(2024, 2014, -1))
    assert len({row[3:] for row in seasons}) == 1


def test_mcp_toolbox_is_given_the_same_statement_with_its_parameters_in_order() -> None:
    scratch = Scratch(name="scratch", owner_url="", reader_url="", reader_role="reader", socket_folder="/run/socket")

    source, tool = [json.loads(part) for part in toolbox_configuration(PATTERN_1, scratch=scratch).split("\n---\n")]

    assert source["queryParams"]["host"] == "/run/socket"
    assert [parameter["name"] for parameter in tool["parameters"]] == ["teamCode", "startDate", "endDate", "limit"]
    assert "team_code = $1" in tool["statement"]
    assert "game_date >= $2" in tool["statement"]
    assert "game_date <= $3" in tool["statement"]
    assert "LIMIT $4" in tool["statement"]
    assert json.loads(toolbox_arguments(PATTERN_1)) == {
        "teamCode": "CAR", "startDate": "2025-02-01", "endDate": "2025-02-28", "limit": 101,
    }  # fmt: skip


def test_rounds_are_summed_up_by_medians_and_no_failure_is_lost() -> None:
    rounds = [
        Load(calls=calls, seconds=1, p50_ms=p50, p95_ms=9, failed=failed, cpu_us_per_call=300)
        for calls, p50, failed in ((100, 1.0, 0), (300, 3.0, 2), (200, 2.0, 0))
    ]

    load = middle(rounds)

    assert (load.calls_per_second, load.p50_ms, load.failed, load.calls) == (200, 2.0, 2, 600)
