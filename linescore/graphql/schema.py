"""The GraphQL schema. Each query field runs one bounded statement; its sub-fields run none."""

from typing import Any

import strawberry
from graphql import GraphQLError
from strawberry.extensions import MaskErrors, MaxAliasesLimiter, MaxTokensLimiter, QueryDepthLimiter
from strawberry.types import ExecutionContext

from linescore.graphql import queries
from linescore.graphql.pages import MAX_ROWS, NotAsked, Page, day, game_number, known_league, known_season
from linescore.graphql.queries import Row
from linescore.graphql.rows import game_log_of, game_of, league_season, read_standing, team_of
from linescore.graphql.vocabulary import (
    NHL,
    Game,
    GameConnection,
    GameLogConnection,
    GameStatus,
    League,
    LeagueConnection,
    LeagueSeason,
    SeasonType,
    Team,
    TeamConnection,
    TeamStats,
    TeamStatsConnection,
    the_league,
)
from toolbox.database.pools import reader

FAILURE = "The question could not be answered."
"""The message that replaces an unexpected error of a resolver."""
MAX_DEPTH, MAX_ALIASES, MAX_TOKENS = 8, 15, 1_500

_BY_DATE = {"-date": "game_date DESC, game_id DESC", "date": "game_date, game_id"}
_BY_NAME = {"name": "team_name", "-name": "team_name DESC", "city": "city", "id": "team_code"}
_STATS = {
    "PTS": "pts",
    "W": "w",
    "L": "losses",
    "OTW": "otw",
    "OTL": "otl",
    "GP": "gp",
    "GF": "gf",
    "GA": "ga",
    "GD": "gd",
}
_BY_STAT = {"position": "position"} | {f"-{name}": f"{column} DESC" for name, column in _STATS.items()} | _STATS


@strawberry.type
class Query:
    """The root query type."""

    @strawberry.field(description="Teams, found by letters (id), name, city or any of them (q).")
    async def teams(
        self,
        *,
        id: strawberry.ID | None = None,
        limit: int | None = None,
        offset: int | None = None,
        sort: str | None = None,
        q: str | None = None,
        name: str | None = None,
        city: str | None = None,
        league: str | None = None,
    ) -> TeamConnection:
        """List teams."""
        known_league(league)
        page = Page.from_arguments(limit=limit, offset=offset, sort=sort, orders=_BY_NAME)
        parameters = {"id": id, "q": q, "name": name, "city": city, "limit": page.limit, "offset": page.offset}
        rows = await queries.teams(parameters, order=page.order, reader=reader)
        total = rows[0]["total"]
        edges = [team_of(row) for row in rows if row["team_code"]]
        return TeamConnection(total_count=total, edges=edges, page_info=page.info(total))

    @strawberry.field(description="One team by its three letters, as CAR.")
    async def team(self, id: strawberry.ID) -> Team | None:
        """Return a team."""
        parameters = {"id": id, "q": None, "name": None, "city": None, "limit": 1, "offset": 0}
        [row] = await queries.teams(parameters, order="team_code", reader=reader)
        return team_of(row) if row["team_code"] else None

    @strawberry.field(description="Games, the latest first unless sort says otherwise.")
    async def games(
        self,
        *,
        id: strawberry.ID | None = None,
        limit: int | None = None,
        offset: int | None = None,
        sort: str | None = None,
        league: str | None = None,
        season: str | None = None,
        season_type: SeasonType | None = None,
        date_from: str | None = None,
        date_to: str | None = None,
        home_team: strawberry.ID | None = None,
        visiting_team: strawberry.ID | None = None,
        team: strawberry.ID | None = None,
        status: GameStatus | None = None,
    ) -> GameConnection:
        """List games."""
        known_league(league)
        page = Page.from_arguments(limit=limit, offset=offset, sort=sort, orders=_BY_DATE)
        parameters = _game_filters(id, season=season, kind=season_type, first=date_from, last=date_to) | {
            "home": _code(home_team),
            "away": _code(visiting_team),
            "team": _code(team),
            "is_played": None if status is None else status is GameStatus.COMPLETED,
        }
        rows = await queries.games(_add_page(parameters, page), order=page.order, reader=reader)
        total = rows[0]["total"]
        edges = [game_of(row) for row in rows if row["game_id"]]
        return GameConnection(total_count=total, edges=edges, page_info=page.info(total))

    @strawberry.field(description="One game by its id.")
    async def game(self, id: strawberry.ID) -> Game | None:
        """Return a game."""
        parameters = _game_filters(id) | {"home": None, "away": None, "team": None, "is_played": None}
        [row] = await queries.games(parameters | {"limit": 1, "offset": 0}, order="game_id", reader=reader)
        return game_of(row) if row["game_id"] else None

    @strawberry.field(description="Games as their teams saw them, two for each game; there are none of players.")
    async def game_logs(
        self,
        *,
        limit: int | None = None,
        offset: int | None = None,
        sort: str | None = None,
        game: strawberry.ID | None = None,
        game_league: str | None = None,
        game_season: str | None = None,
        game_date_from: str | None = None,
        game_date_to: str | None = None,
        team: strawberry.ID | None = None,
        opponent: strawberry.ID | None = None,
    ) -> GameLogConnection:
        """List games from each team's side."""
        known_league(game_league)
        page = Page.from_arguments(limit=limit, offset=offset, sort=sort, orders=_BY_DATE)
        parameters = _game_filters(game, season=game_season, first=game_date_from, last=game_date_to)
        sides = {"team": _code(team), "opponent": _code(opponent)}
        rows = await queries.game_logs(_add_page(parameters | sides, page), order=page.order, reader=reader)
        total = rows[0]["total"]
        edges = [game_log_of(row) for row in rows if row["game_id"]]
        return GameLogConnection(total_count=total, edges=edges, page_info=page.info(total))

    @strawberry.field(description="The table of a league's regular season; the latest season unless one is named.")
    async def league_standings(
        self,
        *,
        slug: str,
        season: str | None = None,
        sort: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> list[TeamStats] | None:
        """Return the standings."""
        known_league(slug)
        page = Page.from_arguments(limit=limit or MAX_ROWS, offset=offset, sort=sort, orders=_BY_STAT)
        parameters: Row = {"season": known_season(season)}
        rows = await queries.standings(_add_page(parameters, page), order=page.order, reader=reader)
        return [read_standing(row) for row in rows]

    @strawberry.field(description="A season's regular season in numbers, of every team or one.")
    async def team_stats(
        self,
        *,
        limit: int | None = None,
        offset: int | None = None,
        sort: str | None = None,
        team: strawberry.ID | None = None,
        league: str | None = None,
        season: str | None = None,
    ) -> TeamStatsConnection:
        """List the teams' statistics; ranks are computed over the whole league."""
        known_league(league)
        page = Page.from_arguments(limit=limit, offset=offset, sort=sort, orders=_BY_STAT)
        parameters: Row = {"season": known_season(season), "limit": MAX_ROWS, "offset": 0}
        rows = await queries.standings(parameters, order=page.order, reader=reader)
        lines = [read_standing(row) for row in rows if _code(team) in (None, row["team_code"])]
        edges = lines[page.offset : page.offset + page.limit]
        return TeamStatsConnection(total_count=len(lines), edges=edges, page_info=page.info(len(lines)))

    @strawberry.field(description="Leagues; there is one.")
    async def leagues(
        self, *, limit: int | None = None, offset: int | None = None, q: str | None = None, slug: str | None = None
    ) -> LeagueConnection:
        """List leagues."""
        page = Page.from_arguments(limit=limit, offset=offset, sort=None, orders={"slug": ""})
        league = the_league()
        text = f"{league.slug} {league.name} {league.full_name}".lower()
        fits = (q or "").lower() in text and (slug or NHL).lower() == NHL
        edges = [league] if fits else []
        return LeagueConnection(total_count=len(edges), edges=edges[page.offset :], page_info=page.info(len(edges)))

    @strawberry.field(description="One league.")
    async def league(self, slug: str) -> League | None:
        """Return a league."""
        return the_league() if slug.lower() == NHL else None

    @strawberry.field(description="The seasons that there are games of, the latest first.")
    async def league_seasons(self, *, slug: str, season: str | None = None) -> list[LeagueSeason] | None:
        """List seasons."""
        known_league(slug)
        found = await queries.seasons(reader=reader)
        return [league_season(name) for name in found if season in (None, name)]


def _game_filters(
    game: strawberry.ID | None,
    *,
    season: str | None = None,
    kind: SeasonType | None = None,
    first: str | None = None,
    last: str | None = None,
) -> dict[str, Any]:
    return {
        "game": game_number(game),
        "season": known_season(season),
        "kind": kind.value if kind else None,
        "first": day(first),
        "last": day(last),
    }


def _add_page(wanted: dict[str, Any], page: Page) -> dict[str, Any]:
    return wanted | {"limit": page.limit, "offset": page.offset}


def _code(team: strawberry.ID | None) -> str | None:
    return team.upper() if team is not None else None


def _is_ours_to_keep(error: GraphQLError) -> bool:
    """Return whether to mask an error, whose message may leak internals: any that is not a GraphQL error."""
    return error.original_error is not None and not isinstance(error.original_error, NotAsked | GraphQLError)


class _Schema(strawberry.Schema):
    """A schema that logs internal failures but not invalid queries."""

    def process_errors(self, errors: list[GraphQLError], execution_context: ExecutionContext | None = None) -> None:
        """Log the errors that are masked from the caller."""
        super().process_errors([error for error in errors if _is_ours_to_keep(error)], execution_context)


schema = _Schema(
    query=Query,
    extensions=[
        lambda: QueryDepthLimiter(max_depth=MAX_DEPTH),
        lambda: MaxAliasesLimiter(max_alias_count=MAX_ALIASES),
        lambda: MaxTokensLimiter(max_token_count=MAX_TOKENS),
        lambda: MaskErrors(should_mask_error=_is_ours_to_keep, error_message=FAILURE),
    ],
)
