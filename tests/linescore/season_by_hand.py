"""
The season by arithmetic over the CSV in tests/data/nhl: expected answers that share no code with the project.

Plain loops on purpose; it reads the file of the source, not the shipped sample.
"""

from collections import Counter, defaultdict
from functools import cache
from typing import Any

from tests.data.reference import read_rows

Row = dict[str, Any]
PERIOD_COLUMNS = (
    "game_date", "home_team_code", "away_team_code", "period_number", "goals_for", "goals_against", "empty_net_goals",
    "period_outcome",
)  # fmt: skip


@cache
def sides() -> tuple[Row, ...]:
    """Read every period twice, once for each team."""
    rows = []
    for line in read_rows("nhl/nhl_period_results_2024_25.csv"):
        rows.append(_side(line, us="home", them="away"))
        rows.append(_side(line, us="away", them="home"))
    return tuple(rows)


def answer(ask: Row) -> list[Row]:
    """Answer a question of query_linescore_data, all rows, in the contract's order (ties by game, then team)."""
    kept = [side for side in sides() if _fits(side, ask)]
    if "wonTwoPlusRegPeriods" in ask:
        return _games(kept, ask)
    if "periodOutcome" in ask and not ask.get("teamCode"):
        return _rank_teams(side for side in kept if side["period_outcome"] == ask["periodOutcome"])
    outcome = ask.get("periodOutcome")
    periods = [side for side in kept if outcome in (None, side["period_outcome"])]
    periods.sort(key=lambda side: (side["game_date"], side["period_number"], side["game_id"], side["team_code"]))
    columns = PERIOD_COLUMNS if ask.get("teamCode") not in (None, "null") else ("team_code", *PERIOD_COLUMNS)
    return [{column: side[column] for column in columns} for side in periods]


def _side(line: dict[str, str], *, us: str, them: str) -> Row:
    goals_for, goals_against = int(line[f"{us}_goals"]), int(line[f"{them}_goals"])
    empty_net, against_empty_net = int(line[f"{us}_empty_net_goals"]), int(line[f"{them}_empty_net_goals"])
    lead = goals_for - goals_against
    if line["period_number"] == "3":
        lead = (goals_for - empty_net) - (goals_against - against_empty_net)
    return {
        "game_id": int(line["game_id"]),
        "game_date": line["date"],
        "season": f"{line['season'][:4]}-{line['season'][4:]}",
        "team_code": line[us],
        "opponent": line[them],
        "venue": us,
        "home_team_code": line["home"],
        "away_team_code": line["away"],
        "period_number": int(line["period_number"]),
        "goals_for": goals_for,
        "goals_against": goals_against,
        "empty_net_goals": empty_net,
        "period_outcome": "WIN" if lead > 0 else "LOSS" if lead < 0 else "TIE",
    }


def _fits(side: Row, ask: Row) -> bool:
    return (
        ask.get("teamCode") in (None, "null", side["team_code"])
        and ask.get("startDate", "0000") <= side["game_date"] <= ask.get("endDate", "9999")
        and ask.get("season") in (None, side["season"])
        and ask.get("opponent") in (None, side["opponent"])
        and ask.get("venue") in (None, side["venue"])
    )


def _rank_teams(kept: Any) -> list[Row]:
    names = {line["tricode"]: line["team"] for line in read_rows("nhl/teams.csv")}
    won = Counter(side["team_code"] for side in kept)
    ranked = sorted(won.items(), key=lambda pair: (-pair[1], pair[0]))
    return [{"team_code": code, "team_name": names[code], "periods_won": count} for code, count in ranked]


def _games(kept: list[Row], ask: Row) -> list[Row]:
    regulation: dict[tuple[int, str], list[Row]] = defaultdict(list)
    for side in kept:
        if side["period_number"] <= 3:
            regulation[side["game_id"], side["team_code"]].append(side)
    games = []
    for periods in regulation.values():
        outcomes = [side["period_outcome"] for side in periods]
        won = outcomes.count("WIN")
        if (won >= 2) == ask["wonTwoPlusRegPeriods"] and ask.get("periodOutcome", outcomes[0]) in outcomes:
            first = {column: periods[0][column] for column in ("team_code", "home_team_code", "away_team_code")}
            games.append({"game_date": periods[0]["game_date"], **first, "regulation_periods_won": won})
    games.sort(key=lambda game: (game["team_code"], game["home_team_code"]))
    games.sort(key=lambda game: game["game_date"], reverse=True)
    return games
