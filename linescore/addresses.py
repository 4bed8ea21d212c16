"""URIs of the domain's MCP resources, and links from a truncated answer to them."""

from datetime import date

from linescore.contracts import LinescoreQuery, LinescoreRows
from toolbox.contract.models import Link
from toolbox.contract.resources import fill_uri

SEASON = "linescore://seasons/{season}"
TEAM = "linescore://seasons/{season}/teams/{team}"
GAME = "linescore://games/{game}"
JSON = "application/json"
_FIRST_MONTH = 10


def more(ask: LinescoreQuery, *, answer: LinescoreRows) -> list[Link]:
    """Link a truncated answer to its season, or to the team's; of several seasons, to the first and the last shown."""
    if not answer.query_metadata.was_limited:
        return []
    days = [row["game_date"] for row in answer.results if "game_date" in row]
    shown = [season_of(day) for day in (min(days), max(days))] if days else []
    seasons = [ask.season] if ask.season else sorted(set(shown))
    return [_link(season, team=ask.team_code) for season in seasons]


def season_of(day: date) -> str:
    """Return the season of a game's day."""
    first = day.year if day.month >= _FIRST_MONTH else day.year - 1
    return f"{first}-{first + 1}"


def _link(season: str, *, team: str | None) -> Link:
    if team is None:
        uri, text = fill_uri(SEASON, season=season), f"Every team's periods of {season}, counted."
    else:
        uri, text = fill_uri(TEAM, season=season, team=team), f"Every game of {team} in {season}, period by period."
    return Link(uri=uri, name=f"{team or 'season'} {season}", description=text, mime_type=JSON)
