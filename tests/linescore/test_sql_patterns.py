"""Contract test 1: SQL generation for the three patterns, every filter in each, and no value ever in the text."""

import re
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linescore.contracts import LinescoreQuery
from linescore.queries import pattern_of, statement

PATTERNS: dict[str, dict[str, Any]] = {
    "periods": {"team_code": "CAR"},
    "ranking": {"period_outcome": "WIN"},
    "two_plus_games": {"won_two_plus_reg_periods": True},
}
FILTERS: dict[str, tuple[Any, str]] = {
    "team_code": ("QQQ", "pr.team_code = %(team_code)s"),
    "start_date": (date(1917, 12, 19), "pr.game_date >= %(start_date)s"),
    "end_date": (date(2917, 12, 19), "pr.game_date <= %(end_date)s"),
    "season": ("1917-1918", "pr.season = %(season)s"),
    "period_outcome": ("TIE", "pr.period_outcome = %(period_outcome)s"),
}

questions = st.builds(
    LinescoreQuery,
    team_code=st.none() | st.text(min_size=1).filter(lambda code: code != "null"),
    start_date=st.none() | st.dates(max_value=date(2024, 12, 31)),
    end_date=st.none() | st.dates(min_value=date(2024, 12, 31)),
    period_outcome=st.none() | st.sampled_from(["WIN", "LOSS", "TIE"]),
    won_two_plus_reg_periods=st.none() | st.booleans(),
    season=st.none() | st.integers(1000, 9998).map(lambda year: f"{year}-{year + 1}"),
    limit=st.integers(),
)


@pytest.mark.parametrize(
    ("ask", "pattern"),
    [
        ({}, "periods"),
        ({"team_code": "CAR"}, "periods"),
        ({"team_code": "CAR", "period_outcome": "WIN"}, "periods"),
        ({"period_outcome": "WIN"}, "ranking"),
        ({"period_outcome": "TIE", "season": "2024-2025"}, "ranking"),
        ({"won_two_plus_reg_periods": True}, "two_plus_games"),
        ({"won_two_plus_reg_periods": False, "period_outcome": "WIN"}, "two_plus_games"),
        ({"won_two_plus_reg_periods": True, "period_outcome": "WIN", "team_code": "CAR"}, "two_plus_games"),
    ],
    ids=str,
)
def test_what_is_asked_chooses_the_pattern(ask: dict[str, Any], pattern: str) -> None:
    assert pattern_of(LinescoreQuery(**ask)) == pattern


@pytest.mark.parametrize(
    ("pattern", "columns"),
    [
        ("periods", ["game_date", "home_team_code", "away_team_code", "period_number", "goals_for", "goals_against",
                     "empty_net_goals", "period_outcome"]),
        ("ranking", ["team_code", "team_name", "periods_won"]),
        ("two_plus_games", ["game_date", "team_code", "home_team_code", "away_team_code", "regulation_periods_won"]),
    ],
)  # fmt: skip
def test_each_pattern_selects_the_contract_s_columns(pattern: str, columns: list[str]) -> None:
    text = statement(LinescoreQuery(**PATTERNS[pattern])).sql

    selected = re.sub(r"(?s)^.*?\nSELECT(.*?)\nFROM.*$", r"\1", text).split(",")
    assert [re.split(r"\W", column.strip())[-1] for column in selected] == [*columns, "missing_games"]


@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_every_filter_is_applied_in_every_pattern(pattern: str, name: str) -> None:
    value, condition = FILTERS[name]
    ask = PATTERNS[pattern] | {name: value}
    if name == "team_code" and pattern == "ranking":
        ask["won_two_plus_reg_periods"] = True  # a team's ranking is no ranking: its filter belongs to pattern 3

    wanted = statement(LinescoreQuery(**ask))

    assert condition in wanted.sql
    assert wanted.parameters[name] == value


def test_the_two_plus_filter_counts_regulation_periods_alone() -> None:
    wanted = statement(LinescoreQuery(won_two_plus_reg_periods=False))

    assert "pr.period_number <= 3" in wanted.sql
    assert "pr.won_two_plus_reg_periods = %(won_two_plus_reg_periods)s" in wanted.sql
    assert wanted.parameters["won_two_plus_reg_periods"] is False


@given(questions)
def test_the_text_depends_on_which_filters_are_given_and_never_on_their_values(ask: LinescoreQuery) -> None:
    given_names = {name for name in FILTERS if getattr(ask, name) is not None}
    stand_in = {name: FILTERS[name][0] for name in given_names}
    if ask.won_two_plus_reg_periods is not None:
        stand_in["won_two_plus_reg_periods"] = not ask.won_two_plus_reg_periods

    wanted = statement(ask)

    assert wanted.sql == statement(LinescoreQuery(**stand_in)).sql
    assert wanted.sql.rstrip().endswith("LIMIT %(most)s OFFSET %(skipped)s")
    assert set(re.findall(r"%\((\w+)\)s", wanted.sql)) == set(wanted.parameters)
    assert "%" not in re.sub(r"%\(\w+\)s", "", wanted.sql)
    assert 2 <= wanted.parameters["most"] <= 1001
