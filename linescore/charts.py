"""What pages draw of games, as Vega-Lite specifications: data, never code. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
MAX_GAMES = 100
"""More games than a season has are no longer told apart."""


def chart_goals(arguments: Mapping[str, Any], *, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Specify the goals of the asked team and of its opponents by day; None where the games are not one team's."""
    team = arguments.get("teamCode")
    if not team or len(rows) > MAX_GAMES or not all(_is_played_by(team, game=row) for row in rows):
        return None
    values = [
        {
            "game_date": row["game_date"],
            "goals": row[f"{side}_goals"],
            "team": team if row[f"{side}_team_code"] == team else "opponents",
        }
        for row in rows
        for side in ("home", "away")
    ]
    encoding = {
        "x": {"field": "game_date", "type": "temporal", "title": "day"},
        "y": {"field": "goals", "type": "quantitative", "title": "goals"},
        "color": {"field": "team", "type": "nominal", "title": "team"},
    }
    return {
        "$schema": SCHEMA,
        "data": {"values": values},
        "mark": {"type": "line", "point": True},
        "encoding": encoding,
    }


def _is_played_by(team: str, *, game: Mapping[str, Any]) -> bool:
    return team in (game.get("home_team_code"), game.get("away_team_code"))
