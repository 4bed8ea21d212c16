"""Games to vary: a valid one, as a record and as the API's score of its day."""

import json
from dataclasses import replace
from datetime import date
from typing import Any

from linescore.ingest.record import GameScore, PeriodScore

TODAY = date(2025, 4, 30)


def period(number: int, home: int, away: int, **more: Any) -> PeriodScore:
    """Build a period of the usual kind for its number."""
    kind = "REG" if number <= 3 else "OT" if number == 4 else "SO"
    fields: dict[str, Any] = {"period_kind": kind, "period_number": number, "home_goals": home, "away_goals": away}
    return PeriodScore(**fields | more)


def game(*periods: PeriodScore, **more: Any) -> GameScore:
    """Build a valid game of NJD at BUF, with the given changes."""
    good = GameScore(
        game_id=2024020001, season="2024-2025", game_date=date(2024, 10, 4), game_kind="REG", home_team_code="BUF",
        away_team_code="NJD", periods=periods or (period(1, 0, 2), period(2, 0, 1), period(3, 1, 1)),
    )  # fmt: skip
    return replace(good, **more)


def csv_of(*games: GameScore) -> bytes:
    """Format games as rows of periods, as the shipped season is."""
    header = (
        "game_id,date,season,game_type,home,away,period_number,home_goals,away_goals,home_empty_net_goals,"
        "away_empty_net_goals,period_type"
    )
    rows = [
        f"{one.game_id},{one.game_date},{one.season},{one.game_kind},{one.home_team_code},{one.away_team_code},"
        f"{each.period_number},{each.home_goals},{each.away_goals},{each.home_empty_net_goals},"
        f"{each.away_empty_net_goals},{each.period_kind}"
        for one in games
        for each in one.periods
    ]
    return "\n".join([header, *rows, ""]).encode()


def day_game(one: GameScore, **more: Any) -> dict[str, Any]:
    """Format a game as /v1/score/{date} does; the final score is the sum of its periods."""
    last = one.periods[-1]
    descriptor = {"number": last.period_number, "periodType": last.period_kind, "maxRegulationPeriods": 3}
    return {
        "id": one.game_id, "season": int(one.season.replace("-", "")), "gameDate": str(one.game_date),
        "gameType": {"PRE": 1, "REG": 2, "POST": 3}[one.game_kind], "gameState": "OFF", "gameScheduleState": "OK",
        "homeTeam": {"id": 1, "abbrev": one.home_team_code, "score": sum(each.home_goals for each in one.periods)},
        "awayTeam": {"id": 2, "abbrev": one.away_team_code, "score": sum(each.away_goals for each in one.periods)},
        "periodDescriptor": descriptor, "gameOutcome": {"lastPeriodType": last.period_kind},
        "goals": [goal for each in one.periods for goal in _goals(each, one)],
    } | more  # fmt: skip


def score_of(*games: dict[str, Any]) -> bytes:
    """Format the answer of /v1/score/{date}."""
    return json.dumps({"currentDate": "2024-10-04", "games": games}).encode()


def schedule_of(*games: dict[str, Any], next_start: str | None = None) -> bytes:
    """Format the answer of /v1/schedule/{date}; each game is listed under its day, without a date of its own."""
    days: dict[str, list[dict[str, Any]]] = {}
    for one in games:
        without = {name: value for name, value in one.items() if name not in ("gameDate", "goals")}
        days.setdefault(one["gameDate"], []).append(without)
    week = [{"date": day, "games": listed} for day, listed in days.items()]
    return json.dumps({"nextStartDate": next_start, "gameWeek": week} if next_start else {"gameWeek": week}).encode()


def _goals(each: PeriodScore, one: GameScore) -> list[dict[str, Any]]:
    if each.period_kind == "SO":
        return []
    descriptor = {"number": each.period_number, "periodType": each.period_kind}
    sides = (
        (one.home_team_code, each.home_goals, each.home_empty_net_goals),
        (one.away_team_code, each.away_goals, each.away_empty_net_goals),
    )
    return [
        {"periodDescriptor": descriptor, "teamAbbrev": code, "goalModifier": "empty-net" if at < empty else "none"}
        for code, goals, empty in sides
        for at in range(goals)
    ]
