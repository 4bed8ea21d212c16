"""Pages of linescore in the console: the season, a team in it, and a game."""

import asyncio
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path

from linescore.contracts import GamesQuery, TeamRecord
from linescore.queries import record
from linescore.standings import queries
from linescore.standings.drawings import HeatRow, form, heat_map
from linescore.standings.queries import Row
from toolbox.database import event_loop
from toolbox.database.pools import reader
from toolbox.http.pages import require_scope

SCOPE = "linescore:read"
PERIODS = ("1st", "2nd", "3rd")
REGULATION = len(PERIODS)
FIRST_SEASON_WITHOUT_TIES = "2005-2006"


@dataclass(slots=True, kw_only=True)
class TeamLine:
    """A team's periods of a season, overtime and shootout included."""

    code: str
    name: str
    won: int = 0
    lost: int = 0
    tied: int = 0
    by_period: list[Row] = field(default_factory=list)

    @property
    def share(self) -> float:
        """Return the share of its periods that the team won, in percent."""
        return 100 * self.won / max(self.won + self.lost + self.tied, 1)

    @property
    def differentials(self) -> list[int]:
        """Return the goal difference in each regulation period."""
        return [int(row["differential"]) for row in self.by_period[:REGULATION]]

    @property
    def regulation(self) -> list[Row]:
        """Return the regulation periods, in order."""
        return self.by_period[:REGULATION]

    @property
    def differential(self) -> int:
        """Return the goal difference in regulation."""
        return sum(self.differentials)


@require_scope(scope=SCOPE)
def season(request: HttpRequest, *, season: str = "") -> HttpResponse:
    """Show who wins periods, where goals are won and lost, and what winning two periods is worth."""
    known, chosen = _choose_season(season)
    rows, counted, missing = event_loop.run(_of_season(chosen))
    lines = sorted(_lines(rows), key=lambda line: (-line.won, line.code))
    drawn = [
        HeatRow(name=name, values=[line.differentials[place] for line in lines if len(line.differentials) > place])
        for place, name in enumerate(PERIODS)
    ]
    context = {
        "seasons": known,
        "season": chosen,
        "lines": lines,
        "heat": heat_map(drawn, columns=[line.code for line in lines], title=f"Goal difference by period, {chosen}"),
        "periods": PERIODS,
        "missing": missing,
        "hypothesis": [row | {"share": 100 * row["won"] / row["games"]} for row in counted],
    }
    return render(request, "linescore/season.html", context)


@require_scope(scope=SCOPE)
def team(request: HttpRequest, *, season: str, team_code: str) -> HttpResponse:
    """Show a team's form by period, and its months."""
    known, chosen = _choose_season(season)
    found = event_loop.run(queries.team(team_code))
    if found is None:
        raise Http404(f"There is no team {team_code}.")
    games, records = event_loop.run(_of_team(chosen, team_code=team_code))
    names = [f"{game['game_date']:%d %b} {game['away_team_code']} at {game['home_team_code']}" for game in games]
    context = {
        "team": found,
        "season": chosen,
        "seasons": known,
        "games": games,
        "form": form(
            [game["outcomes"][:REGULATION] for game in games],
            names=names,
            title=f"{found['team_name']}, period by period",
        ),
        "total": _sum_up("", games),
        "record": records[0],
        "records": list(zip(("All games", "Home", "Away"), records, strict=True)),
        "has_ties": chosen < FIRST_SEASON_WITHOUT_TIES or records[0].ties > 0,
        "months": [_sum_up(name, list(played)) for name, played in groupby(games, key=_month_name)],
    }
    return render(request, "linescore/team.html", context)


@require_scope(scope=SCOPE)
def game(request: HttpRequest, *, game_id: int) -> HttpResponse:
    """Show a game's line score."""
    periods = event_loop.run(queries.game(game_id)) if game_id < 2**63 else []
    if not periods:
        raise Http404(f"There is no game {game_id}.")
    sides = [
        {
            "code": periods[0][f"{side}_team_code"],
            "goals": [period[f"{side}_goals"] for period in periods],
            "total": sum(period[f"{side}_goals"] for period in periods),
            "empty_net": sum(period[f"{side}_empty_net_goals"] for period in periods),
        }
        for side in ("away", "home")
    ]
    return render(request, "linescore/game.html", {"game": periods[0], "periods": periods, "sides": sides})


async def _of_season(season: str) -> tuple[list[Row], list[Row], int]:
    return await asyncio.gather(queries.teams(season), queries.hypothesis(season), queries.missing_games(season))


async def _of_team(season: str, *, team_code: str) -> tuple[list[Row], list[TeamRecord]]:
    """Return a team's games, and its records over all of them, home and away, as list_game_results counts them."""
    over_all = GamesQuery.model_construct(team_code=team_code, season=season)
    asked = (over_all, *(over_all.model_copy(update={"venue": venue}) for venue in ("home", "away")))
    games, records = await asyncio.gather(
        queries.team_games(season, team_code=team_code),
        asyncio.gather(*(record(ask, reader=reader) for ask in asked)),
    )
    return games, [TeamRecord(**counts) for counts in records]


def _choose_season(season: str) -> tuple[list[Row], str]:
    """Return the seasons, and the chosen one: the latest if none is named; raises Http404."""
    known = event_loop.run(queries.seasons())
    names = [row["season"] for row in known]
    if season and season not in names:
        raise Http404(f"There is no season {season}.")
    return known, season or (names[0] if names else "")


def _lines(rows: list[Row]) -> list[TeamLine]:
    found: dict[str, TeamLine] = {}
    for row in rows:
        line = found.setdefault(row["team_code"], TeamLine(code=row["team_code"], name=row["team_name"]))
        line.won, line.lost, line.tied = line.won + row["won"], line.lost + row["lost"], line.tied + row["tied"]
        line.by_period.append(row)
    return list(found.values())


def _month_name(game: Row) -> str:
    return f"{game['game_date']:%B %Y}"


def _sum_up(name: str, games: list[Row]) -> dict[str, Any]:
    outcomes = [outcome for game in games for outcome in game["outcomes"]]
    return {
        "name": name,
        "games": len(games),
        "won": sum(game["goals_for"] > game["goals_against"] for game in games),
        "lost": sum(game["goals_for"] < game["goals_against"] for game in games),
        "goals_for": sum(game["goals_for"] for game in games),
        "goals_against": sum(game["goals_against"] for game in games),
        "two_plus": sum(game["two_plus"] for game in games),
        "periods_won": outcomes.count("WIN"),
        "periods_lost": outcomes.count("LOSS"),
        "periods_tied": outcomes.count("TIE"),
        "differential": sum(game["goals_for"] - game["goals_against"] for game in games),
    }


app_name = "linescore"
urlpatterns = [
    path("", season, name="latest"),
    path("games/<int:game_id>/", game, name="game"),
    path("<str:season>/", season, name="season"),
    path("<str:season>/<str:team_code>/", team, name="team"),
]
