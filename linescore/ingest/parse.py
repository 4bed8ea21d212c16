"""Bytes into games. Pure: nothing here asks a disk, a clock or the wire."""

import csv
from collections.abc import Iterable, Iterator
from datetime import date
from itertools import groupby
from operator import itemgetter

from linescore.ingest.record import GameScore, PeriodScore, RefusedGame
from linescore.models import Team

GAME_KINDS = {"P": "PRE", "PR": "PRE", "R": "REG", "PO": "POST"}


def read_period_csv(lines: Iterable[str]) -> Iterator[GameScore | RefusedGame]:
    """Read period rows (columns as in samples/README.md); rows of one game stand together."""
    for game_id, rows in groupby(csv.DictReader(lines), key=itemgetter("game_id")):
        try:
            yield _game(list(rows))
        except (KeyError, TypeError, ValueError) as error:
            yield RefusedGame(name=game_id, reason=f"unreadable row: {error}")


def read_team_csv(lines: Iterable[str]) -> list[Team]:
    """Read teams (tricode, team, arena, city)."""
    return [
        Team(team_code=row["tricode"], team_name=row["team"], arena=row["arena"], city=row["city"])
        for row in csv.DictReader(lines)
    ]


def _game(rows: list[dict[str, str]]) -> GameScore:
    first = rows[0]
    season = first["season"]
    return GameScore(
        game_id=int(first["game_id"]), season=f"{season[:4]}-{season[4:]}", game_date=date.fromisoformat(first["date"]),
        game_kind=GAME_KINDS[first["game_type"]], home_team_code=first["home"], away_team_code=first["away"],
        periods=tuple(_period(row) for row in rows),
    )  # fmt: skip


def _period(row: dict[str, str]) -> PeriodScore:
    return PeriodScore(
        period_number=int(row["period_number"]), period_kind=row["period_type"],
        home_goals=int(row["home_goals"]), away_goals=int(row["away_goals"]),
        home_empty_net_goals=int(row["home_empty_net_goals"]), away_empty_net_goals=int(row["away_empty_net_goals"]),
    )  # fmt: skip
