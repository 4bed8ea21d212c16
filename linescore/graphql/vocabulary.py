"""
GraphQL types, named as in a public hockey API.

Data that is not stored (players, rosters, start times, goals of a shootout) has no field.
"""

from datetime import date
from enum import Enum

import strawberry

NHL = "nhl"


@strawberry.enum
class SeasonType(Enum):
    """What a game counts for."""

    PRESEASON = "PRE"
    REGULAR_SEASON = "REG"
    POSTSEASON = "POST"


@strawberry.enum
class GameStatus(Enum):
    """Whether a game was played."""

    UPCOMING = "upcoming"
    COMPLETED = "completed"


@strawberry.enum
class ScoreType(Enum):
    """How a game ended: in full time, overtime or a shootout."""

    FT = "REG"
    OT = "OT"
    SO = "SO"


@strawberry.enum
class GameType(Enum):
    """Where a team played."""

    home = "home"
    away = "away"


@strawberry.enum
class GameLogOutcome(Enum):
    """How a game ended for a team."""

    W = "W"
    T = "T"
    L = "L"


@strawberry.type(description="A season, named by its two years.")
class Season:
    slug: str | None
    start_year: int | None
    end_year: int | None

    @classmethod
    def from_slug(cls, slug: str) -> "Season":
        """Build a season from its name, such as 2024-2025."""
        return cls(slug=slug, start_year=int(slug[:4]), end_year=int(slug[5:]))


@strawberry.type(description="A league.")
class League:
    id: strawberry.ID | None
    slug: str
    name: str | None
    full_name: str | None


def the_league() -> League:
    """Return the only league, the NHL."""
    return League(id=strawberry.ID(NHL), slug=NHL, name="NHL", full_name="National Hockey League")


@strawberry.type(description="A season that a league played.")
class LeagueSeason:
    slug: str | None
    start_year: int | None
    end_year: int | None
    league_slug: str | None
    league_name: str | None


@strawberry.type(description="A place where a team plays its home games.")
class Arena:
    name: str | None


@strawberry.type(description="A team. Its id is the league's three letters, as CAR.")
class Team:
    id: strawberry.ID
    name: str | None
    full_name: str | None
    city: str | None
    league: League | None
    arena: Arena | None


@strawberry.enum
class LivescorePeriodScoreType(Enum):
    """What kind of period it was."""

    regular_period = "REG"
    overtime = "OT"
    penalties = "SO"


@strawberry.type(description="Goals of one period; a shootout counts 1 for its winner.")
class LivescorePeriodScore:
    period: int | None
    home_team_score: int | None
    visiting_team_score: int | None
    type: LivescorePeriodScoreType | None


@strawberry.type(description="What is known of a game's course.")
class Livescore:
    period_scores: list[LivescorePeriodScore] | None


@strawberry.type(description="A game. The score counts a won shootout as one goal.")
class Game:
    id: strawberry.ID | None
    played_on: strawberry.Private[date]
    season: Season | None
    season_type: SeasonType | None
    league: League | None
    home_team: Team | None
    home_team_name: str | None
    visiting_team: Team | None
    visiting_team_name: str | None
    status: GameStatus | None
    score_type: ScoreType | None
    home_team_score: int | None
    visiting_team_score: int | None
    livescore: Livescore | None

    @strawberry.field(description="The day of the game, as 2025-02-28.")
    def date(self) -> str | None:
        """Return the date."""
        return self.played_on.isoformat()


@strawberry.type(description="A game as one of its teams saw it.")
class GameLog:
    id: strawberry.ID | None
    game: Game | None
    team: Team | None
    team_name: str | None
    opponent: Team | None
    opponent_name: str | None
    game_type: GameType | None
    team_score: int | None
    opponent_score: int | None
    outcome: GameLogOutcome | None


@strawberry.type(description="A team's season in numbers. W counts every win; OTW those of them after regulation.")
class RegularTeamStats:
    gp: int | None = strawberry.field(name="GP", description="Games played.")
    w: int | None = strawberry.field(name="W", description="Wins, those in overtime and shootouts included.")
    losses: int | None = strawberry.field(name="L", description="Losses in regulation.")
    ties: int | None = strawberry.field(name="T", description="Games that ended level, before 2005-2006.")
    otw: int | None = strawberry.field(name="OTW", description="Wins in overtime or a shootout.")
    otl: int | None = strawberry.field(name="OTL", description="Losses in overtime or a shootout.")
    pts: int | None = strawberry.field(name="PTS", description="Points: 2 for a win, 1 for a tie or a later loss.")
    gf: int | None = strawberry.field(name="GF", description="Goals for; a won shootout counts one.")
    ga: int | None = strawberry.field(name="GA", description="Goals against; a lost shootout counts one.")
    gd: int | None = strawberry.field(name="GD", description="Goals for less goals against.")


@strawberry.type(description="A team's place in a season's regular season.")
class TeamStats:
    id: strawberry.ID
    season: Season | None
    team: Team | None
    team_name: str | None
    league: League | None
    league_slug: str | None
    league_name: str | None
    position: str | None
    stats: RegularTeamStats | None


@strawberry.type(description="Which part of a list this is.")
class PageInfo:
    has_next_page: bool
    has_previous_page: bool
    limit: int
    offset: int
    sorting: str | None


@strawberry.type
class TeamConnection:
    total_count: int
    edges: list[Team] | None
    page_info: PageInfo | None


@strawberry.type
class GameConnection:
    total_count: int
    edges: list[Game] | None
    page_info: PageInfo | None


@strawberry.type
class GameLogConnection:
    total_count: int
    edges: list[GameLog] | None
    page_info: PageInfo | None


@strawberry.type
class LeagueConnection:
    total_count: int
    edges: list[League] | None
    page_info: PageInfo | None


@strawberry.type
class TeamStatsConnection:
    total_count: int
    edges: list[TeamStats] | None
    page_info: PageInfo | None
